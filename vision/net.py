"""Run the small nets that look at pictures; their weights lie beside this file.

They were trained on scenes drawn by `vision.training`; they know no board, no color, no position.
"""

from __future__ import annotations

from pathlib import Path
from threading import local
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Cells = npt.NDArray[np.float32]

GRAY, SPREAD = 115.2, 64.0
"""What a net sees of a level of 0 to 255 is how far it lies from this gray, in units of this."""

_store = local()


def answer(name: str, picture_bgr: Picture) -> Cells:
    """Return what a net says of each cell of a picture; shape ``(channels, rows, columns)``.

    Args:
        name: of the file with its weights, without its ending.
        picture_bgr: of any size that the net takes.
    """
    net = _net(name)
    shown = np.stack(cv2.split(picture_bgr))[None].astype(np.float32)
    shown -= GRAY
    shown *= 1 / SPREAD
    net.setInput(shown)
    return np.asarray(net.forward()[0], np.float32)


def _net(name: str) -> Any:
    """Return this thread's net of that name; OpenCV's nets must not be shared.

    The classic engine takes three fifths of the time of the new one for nets as small as these.
    """
    nets = _store.__dict__.setdefault("nets", {})
    if name not in nets:
        file = Path(__file__).with_name(f"{name}.onnx")
        nets[name] = cv2.dnn.readNetFromONNX(str(file), cv2.dnn.ENGINE_CLASSIC)
    return nets[name]
