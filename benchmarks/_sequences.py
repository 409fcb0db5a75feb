"""What ``benchmarks/sequences.py`` runs; apart, because a neighbor of it hides the package that reads pictures."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from controller.board import Board, DieReading, Observation
from controller.cli.eyes import Recording
from controller.following import beginning, step

WAYS = ("told", "seen", "hidden")


@dataclass(frozen=True)
class Shot:
    """One settled picture: what was read, and what is true."""

    seen: Observation
    mover: str | None
    dice: tuple[int, ...]
    board: Board
    dance: bool


def geometry(truth: dict[str, Any]) -> tuple[list[tuple[float, float]], str]:
    """Return the corners and the side of White's home board of a picture, as the command line takes them."""
    field = truth["corners_px"]["field"]
    ring = ["near_left", "far_left", "far_right", "near_right"]
    points = [field[name] for name in ring]
    turns = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1], strict=True))
    if turns < 0:
        ring.reverse()
    rows = [i for i in range(4) if ring[i].split("_")[0] == ring[(i + 1) % 4].split("_")[0]]
    first = min(rows, key=lambda i: field[ring[i]][1] + field[ring[(i + 1) % 4]][1])
    order = [ring[(first + k) % 4] for k in range(4)]
    home = "near_right" if truth["board"]["white_home"] == "right" else "near_left"
    side = ("top-left", "top-right", "bottom-right", "bottom-left")[order.index(home)]
    return [tuple(field[name]) for name in order], side


def truth_of(path: Path) -> dict[str, Any]:
    """Return what a picture truly shows."""
    found: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return found


def shots(folder: Path) -> Iterator[Shot]:
    """Read a sequence through the eyes of a table; pictures with a hand are seen and not counted."""
    corners, home = geometry(truth_of(folder / "f000.jpg"))
    recording = Recording.open(folder, corners, home)
    try:
        for frame in recording.frames():
            truth = truth_of(folder / frame.name)
            board = Board(tuple(truth["position24"]), (truth["bar"]["W"], truth["bar"]["B"]))
            for seen in recording.eyes.see(frame):
                if isinstance(seen, Observation):
                    play = truth.get("play") or {}
                    dance = not play.get("moves_white_numbering")
                    yield Shot(seen, play.get("mover"), tuple(play.get("dice", ())), board, dance)
            if truth["settled"]:
                recording.eyes.confirm_settled(board)
    finally:
        recording.close()


def told(shot: Shot, number: int) -> tuple[DieReading, ...]:
    """Return perfect readings of the dice of a picture, thrown anew on each."""
    half, place = (1, 0.0) if shot.mover == "W" else (0, 500.0)
    return tuple(
        DieReading(
            (place + 40.0 * index + 11.0 * (number % 17), 90.0 + 13.0 * (number % 23)),
            tuple(0.0 if face == value else -12.0 for face in range(1, 7)),
            half=half,
        )
        for index, value in enumerate(shot.dice)
    )


def followed(pictures: Sequence[Shot], way: str) -> dict[str, Any]:
    """Follow a sequence and compare what became certain with what was played."""
    state, events = beginning(), []
    for number, shot in enumerate(pictures):
        dice = {"told": told(shot, number), "seen": shot.seen.dice, "hidden": ()}[way]
        state, found = step(state, replace(shot.seen, dice=dice))
        events += [event for event in found if event["type"] == "play"]
    played = [shot for shot in pictures if shot.mover is not None]
    wanted = [(shot.board.points, shot.board.bar) for shot in played]
    got = [(tuple(e["position"]["points"]), tuple(e["position"]["bar"].values())) for e in events]
    matched = _in_order(got, wanted)
    determined = [i for i, shot in enumerate(played) if way != "hidden" or not shot.dance]
    return {
        "plays": len(wanted),
        "right": len(matched),
        "wrong": len(got) - len(matched),
        "asked": len(wanted) - len(matched),
        "determined": len(determined),
        "determined_right": sum(i in matched for i in determined),
    }


def _in_order(got: Sequence[Any], wanted: Sequence[Any]) -> set[int]:
    """Return which of the wanted plays are among those got, in order, as many as can be."""
    rows = [[0] * (len(wanted) + 1) for _ in range(len(got) + 1)]
    for i in range(len(got) - 1, -1, -1):
        for j in range(len(wanted) - 1, -1, -1):
            same = rows[i + 1][j + 1] + 1 if got[i] == wanted[j] else 0
            rows[i][j] = max(same, rows[i + 1][j], rows[i][j + 1])
    found, i, j = set(), 0, 0
    while i < len(got) and j < len(wanted):
        if got[i] == wanted[j] and rows[i][j] == rows[i + 1][j + 1] + 1:
            found.add(j)
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    beside = Path(os.environ.get("BARPOINT_SHARED", "../shared")) / "vision" / "renders"
    parser.add_argument("folder", type=Path, metavar="DIR", nargs="?", default=beside)
    parser.add_argument("--sequence", action="append", help="only this one (all by default)")
    parser.add_argument("--dice", action="append", choices=WAYS, help="only this way (all by default)")
    args = parser.parse_args()
    if not args.folder.is_dir():
        parser.error(f"{args.folder}: no such folder of sequences")
    wrong = 0
    for folder in sorted(args.folder.glob("seq*")):
        if args.sequence and folder.name not in args.sequence:
            continue
        pictures = list(shots(folder))
        for way in args.dice or WAYS:
            found = followed(pictures, way)
            wrong += found["wrong"]
            print(
                json.dumps({"benchmark": "sequences", "sequence": folder.name, "dice": way, **found}), flush=True
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
