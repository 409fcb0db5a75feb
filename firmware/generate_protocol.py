"""Generate the protocol of the board from ``protocol.toml``: C header, Python module, description, golden table.

Usage::

    python firmware/generate_protocol.py                      # write the three committed files
    python firmware/generate_protocol.py --check              # exit 1 when a committed file is not current
    python firmware/generate_protocol.py --golden IN OUT      # golden frames as a C table, for the host tests
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from protocol_c import c_header, golden_table
from protocol_page import description
from protocol_python import py_module
from protocol_source import load

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "protocol.toml"
HEADER = HERE / "src" / "protocol_gen.h"
DESCRIPTION = HERE / "PROTOCOL.md"
MODULE = HERE.parent / "controller" / "protocol" / "_generated.py"


def main(arguments: list[str]) -> int:
    """Run the generator; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the committed files are current")
    parser.add_argument("--golden", nargs=2, type=Path, metavar=("IN", "OUT"), help="golden frames as a C table")
    options = parser.parse_args(arguments)
    protocol = load(SOURCE)
    if options.golden:
        source, target = options.golden
        target.write_text(golden_table(protocol, source), encoding="utf-8")
        return 0
    outputs = {HEADER: c_header(protocol), MODULE: py_module(protocol), DESCRIPTION: description(protocol)}
    stale = [p for p, text in outputs.items() if not p.exists() or p.read_text(encoding="utf-8") != text]
    if options.check:
        for path in stale:
            print(
                f"{path.relative_to(HERE.parent)} is not current: run firmware/generate_protocol.py",
                file=sys.stderr,
            )
        return 1 if stale else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(outputs[path], encoding="utf-8")
        print(f"wrote {path.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
