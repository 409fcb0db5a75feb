"""What ``benchmarks/sequences.py`` runs; apart, because a neighbor of it hides the package that reads pictures."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from controller.board import START_BOARD, Board, DieReading, Observation
from controller.cli.eyes import Recording
from controller.following import beginning, step
from controller.rules import Color, Roll, legal_plays

WAYS = ("told", "seen", "hidden")

TALL = 5
"""So many checkers on a point and more look alike."""

WEAK = 1.5
"""Below this difference of log-likelihoods a reading hardly prefers the true count to another."""


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
    wanted = [(_color(shot).value, shot.board.points, shot.board.bar) for shot in played]
    got = [(e["player"], tuple(e["position"]["points"]), tuple(e["position"]["bar"].values())) for e in events]
    matched = _in_order(got, wanted)
    shown = determined(played) if way == "hidden" else range(len(played))
    return {
        "plays": len(wanted),
        "right": len(matched),
        "wrong": len(got) - len(matched),
        "asked": len(wanted) - len(matched),
        "determined": len(shown),
        "determined_right": sum(i in matched for i in shown),
    }


ROLLS = [Roll(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def determined(played: Sequence[Shot]) -> set[int]:
    """Return which plays are the same in all lines of legal plays that show what a camera sees after each play.

    Such a line may have any rolls, also those after which nothing can be played; that is all that can be known of
    a play without the dice.
    """
    steps: list[set[tuple[Board, Board]]] = []
    ends = {START_BOARD}
    for shot in played:
        mover = _color(shot)
        shown = _visible(shot.board)
        steps.append({(a, b) for a in ends for b in _after(a, mover) if _visible(b) == shown})
        ends = {after for _, after in steps[-1]}
    found = set()
    for number in range(len(played) - 1, -1, -1):
        alive = {(before, after) for before, after in steps[number] if after in ends}
        found |= {number} if len(alive) == 1 else set()
        ends = {before for before, _ in alive}
    return found


def _color(shot: Shot) -> Color:
    return Color.WHITE if shot.mover == "W" else Color.BLACK


def _after(before: Board, mover: Color) -> set[Board]:
    """Return the boards that any roll can leave."""
    position = before.seen_by(mover)
    plays = (legal_plays(position, roll) or (position,) for roll in ROLLS)
    return {Board.of(after, mover) for afters in plays for after in afters}


def _visible(board: Board) -> tuple[tuple[int, ...], tuple[int, int]]:
    """Return what a camera tells apart: five checkers and more on a point look alike."""
    return tuple(max(-TALL, min(TALL, n)) for n in board.points), board.bar


def noise(sequences: Iterable[Sequence[Shot]]) -> dict[str, Any]:
    """Return how often readings of sites are wrong, and how.

    A count *stands* on a site from the picture in which it comes to lie there to the last one before it changes.
    """
    standing = [count for pictures in sequences for count in _standing(pictures)]
    margins = sorted(margin for count in standing for margin in count.margins)
    wrong = [count for count in standing if all(margin < 0 for margin in count.margins)]
    passing = [count for count in standing if count not in wrong]
    swapped = [count for count in wrong if all(count.true * best < 0 for best in count.best)]
    vanished = [count for count in wrong if abs(count.true) == 1 and not any(count.best)]
    readings = sum(len(count.margins) for count in passing)
    spoiled = sum(margin < 0 for count in passing for margin in count.margins)
    weak = sum(0 <= min(count.margins) < WEAK for count in standing)
    return {
        "readings": len(margins),
        "counts": len(standing),
        "median_margin": round(margins[len(margins) // 2], 2),
        "lone": sum(abs(count.true) == 1 for count in standing),
        "wrong": len(wrong),
        "swapped": len(swapped),
        "vanished": len(vanished),
        "wrong_margins": sorted(round(min(count.margins), 1) for count in wrong),
        "weak": weak,
        "spoiled": spoiled,
        "spoiled_share": round(spoiled / max(1, readings), 5),
    }


@dataclass(frozen=True)
class Count:
    """A count that stood on a site for some pictures: what it was, and how each of them read it."""

    true: int
    margins: tuple[float, ...]
    best: tuple[int, ...]


def _standing(pictures: Sequence[Shot]) -> Iterator[Count]:
    """Yield the counts that stood on sites, with those of their readings in which the site was seen."""
    for site in range(24):
        for true, stood in groupby(pictures, key=lambda shot: shot.board.points[site]):
            seen = [shot.seen.sites[site] for shot in stood if not shot.seen.hand and shot.seen.sites[site].seen]
            shown = max(-TALL, min(TALL, true))
            others = [n for n in range(-TALL, TALL + 1) if n != shown]
            if seen:
                yield Count(
                    true,
                    tuple(each.of(shown) - max(each.of(n) for n in others) for each in seen),
                    tuple(each.best for each in seen),
                )


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
    parser.add_argument("--noise", action="store_true", help="say only how often single sites are read wrong")
    args = parser.parse_args()
    if not args.folder.is_dir():
        parser.error(f"{args.folder}: no such folder of sequences")
    folders = [f for f in sorted(args.folder.iterdir()) if (f / "f000.json").exists()]
    chosen = [f for f in folders if not args.sequence or f.name in args.sequence]
    if args.noise:
        found = noise([list(shots(folder)) for folder in chosen])
        print(json.dumps({"benchmark": "sequences", "sequences": len(chosen), **found}))
        return 0
    wrong = 0
    for folder in chosen:
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
