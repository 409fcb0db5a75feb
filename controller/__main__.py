"""``python -m controller`` is the same as ``barpoint``."""

import sys

from controller.cli import main

sys.exit(main())
