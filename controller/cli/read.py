"""``barpoint read``: pictures without history, and what stands where on them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from controller.board import Board, Observation
from controller.errors import BoardError, InvalidPositionError
from controller.rules import Color

if TYPE_CHECKING:
    from vision.calibration import Calibration
    from vision.field import Field, Picture

SURE_TALL = 0.97
"""A stack of six and more is claimed from this probability on; below it is five."""


def register(commands: Any) -> None:
    """Add the parser of this command."""
    from controller.cli.positions import HELP

    parser = commands.add_parser("read", help="what stands on a picture", description=__doc__)
    parser.add_argument("images", nargs="+", metavar="IMAGE", type=Path, help="JPEG, PNG or another picture")
    parser.add_argument("--corners", metavar="X,Y,X,Y,X,Y,X,Y", help="four corners of the field, clockwise")
    parser.add_argument("--white-home", metavar="SIDE", help="where White's home board lies, as in bottom-right")
    parser.add_argument(
        "--known", metavar="IMAGE", type=Path, help="a picture of the same camera, to calibrate on"
    )
    parser.add_argument(
        "--position", metavar="POSITION", default=None, help=f"what it shows: a JSON file, or {HELP}"
    )
    parser.add_argument("--debug", metavar="DIR", type=Path, help="save pictures of each step there")
    parser.add_argument("--json", action="store_true", help="print JSON lines")
    parser.set_defaults(run=_run, parser=parser)


def _run(args: argparse.Namespace) -> int:
    from controller.cli.eyes import parse_corners
    from vision.camera import read_image

    if args.position is not None and args.known is None:
        args.parser.error("--position says what --known shows; give both")
    corners = parse_corners(args.corners) if args.corners is not None else None
    board = known_board(args.position or "start") if args.known else None
    calibration = None
    if board is not None:
        with _named(args.known):
            calibration = _calibrated(read_image(args.known), corners, args.white_home, board)
    for path in args.images:
        with _named(path):
            line = _read(path, read_image(path), calibration, corners, args, board)
        print(json.dumps(line) if args.json else plain(line), flush=True)
    return 0


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let complaints about a picture name it."""
    try:
        yield
    except BoardError as error:
        raise error if str(path) in str(error) else type(error)(f"{path}: {error}") from None


def known_board(text: str) -> Board:
    """Return the board that ``--position`` names: a JSON file, ``start`` or an ID, seen by White.

    Raises:
        InvalidPositionError: the file holds no position.
        InvalidNotationError: neither a file nor a position.
    """
    from controller.cli.positions import read_position

    path = Path(text)
    if not path.is_file():
        return Board.of(read_position(text), Color.WHITE)
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        points, bar = value["points"], value.get("bar") or {}
        if not all(type(n) is int for n in points):
            raise InvalidPositionError("points are 24 whole numbers")
        return Board(tuple(points), (int(bar.get("white", 0)), int(bar.get("black", 0))))
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        reason = str(error) if isinstance(error, BoardError) else "not the JSON of one position"
        raise InvalidPositionError(f"{path}: {reason}") from None


def _field(picture: Picture, corners: Any, white_home: str | None, known: Board | None) -> Field:
    from vision.field import Field
    from vision.markers import find_field

    if corners is None:
        return find_field(picture, known, white_home)
    return Field.of(corners, (picture.shape[1], picture.shape[0]), white_home)


def _calibrated(picture: Picture, corners: Any, white_home: str | None, board: Board) -> Calibration:
    from vision.reader import calibrate

    return calibrate(picture, _field(picture, corners, white_home, board), board)


def _read(
    path: Path,
    picture: Picture,
    calibration: Calibration | None,
    corners: Any,
    args: argparse.Namespace,
    known: Board | None,
) -> dict[str, Any]:
    """Return the line of one picture."""
    from vision.debug import save_steps
    from vision.reader import calibrate_blind, read

    own = calibration or calibrate_blind(picture, _field(picture, corners, args.white_home, None))
    observation = read(picture, own, frame=path.name)
    if args.debug is not None:
        save_steps(args.debug, path.stem, picture, own, observation)
    most = (15, 15) if known is None else (known.on_board(Color.WHITE), known.on_board(Color.BLACK))
    return line_of(path, observation, most)


def line_of(path: Path, observation: Observation, most: tuple[int, int]) -> dict[str, Any]:
    """Return what is printed of one picture; the contract of ``read --json``."""
    from vision.jointly import marginals

    sites, bar = marginals(observation, most)
    listed = []
    for number, (reading, chances) in enumerate(zip(observation.sites, sites, strict=True), start=1):
        count, sure = _claim(chances)
        color = None if count == 0 or not reading.seen else "white" if count > 0 else "black"
        listed.append(
            {
                "site": number,
                "color": color,
                "count": abs(count) if reading.seen else 0,
                "confidence": round(sure, 4) if reading.seen else 0.0,
                "seen": reading.seen,
            }
        )
    dice = [
        {"value": die.value, "xy": [round(v) for v in die.xy_px], "cocked": die.cocked} for die in observation.dice
    ]
    return {
        "image": str(path),
        "sites": listed,
        "bar": {
            "white": int(bar[0].argmax()) if observation.bar[0].seen else 0,
            "black": int(bar[1].argmax()) if observation.bar[1].seen else 0,
            "seen": observation.bar[0].seen and observation.bar[1].seen,
        },
        "dice": dice,
        "hand": observation.hand,
    }


def _claim(chances: Any) -> tuple[int, float]:
    """Return the signed count that is claimed and its probability; tall stacks are five unless it is clear."""
    best = int(chances.argmax()) - 15
    sign = 1 if best > 0 else -1
    if abs(best) > 5 and chances[best + 15] < SURE_TALL:
        best = 5 * sign
    if abs(best) == 5:
        return best, float(sum(chances[sign * n + 15] for n in range(5, 16)))
    return best, float(chances[best + 15])


def plain(line: dict[str, Any]) -> str:
    """Return the line for a person."""
    parts = [
        f"{s['site']}:{s['color'][0].upper()}{s['count']}" if s["seen"] else f"{s['site']}:?"
        for s in line["sites"]
        if s["count"] or not s["seen"]
    ]
    bar = line["bar"]
    if bar["white"] or bar["black"]:
        parts.append(f"bar:W{bar['white']}/B{bar['black']}")
    dice = " ".join(f"{die['value']}{'?' if die['cocked'] else ''}" for die in line["dice"])
    return (
        f"{line['image']}: {' '.join(parts) or 'empty'}"
        + (f"; dice {dice}" if dice else "")
        + ("; a hand" if line["hand"] else "")
    )
