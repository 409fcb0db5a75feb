"""Electronic dice that anyone can check afterwards.

Before the match a secret seed is drawn and only its SHA-256 is shown (the commitment). Each roll follows from the
seed, the match, the number of the roll and the player's own contribution, the microsecond at which he pressed his
button; nobody can choose it, and nobody knew it before. After the match the seed is revealed, and the published
log can be replayed on any computer.

The log is JSON lines: one ``commitment``, then ``roll``, ``void`` and ``counts`` lines in order, last a
``reveal``.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.errors import IllegalActionError, InvalidNotationError
from controller.rules import Color

_FAIR_BYTES = 252
"""Bytes from here on are thrown away: 252 is the largest multiple of six a byte can hold."""


def commitment(seed: bytes) -> str:
    """Return what is shown before the match: the SHA-256 of the seed in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def roll_of(seed: bytes, match_id: str, number: int, entropy_us: int) -> tuple[int, int]:
    """Return the two dice of one roll, in the order in which they are lit (the first is White's at the opening).

    Bytes of ``HMAC-SHA256(seed, match|number|entropy|block)`` are read one after the other; those from 252 on are
    skipped, the others taken modulo six, so every face is equally likely.

    Args:
        seed: the secret seed.
        match_id: names the match.
        number: of the roll in the match, from 1.
        entropy_us: microseconds of the player's press on the board's own clock.
    """
    faces = _faces(seed, f"{match_id}|{number}|{entropy_us}")
    return next(faces), next(faces)


def _faces(seed: bytes, message: str) -> Iterator[int]:
    block = 0
    while True:
        for byte in hmac.digest(seed, f"{message}|{block}".encode(), "sha256"):
            if byte < _FAIR_BYTES:
                yield byte % 6 + 1
        block += 1


@dataclass
class FairDice:
    """The dice of one match: asked once for each roll, the same answer for the same roll ever after.

    Attributes:
        match_id: names the match.
        seed: the secret; `lines` does not show it before `reveal`.
        lines: the log so far, to be journalled and published.
    """

    match_id: str
    seed: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    lines: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.lines:
            self.lines.append({"type": "commitment", "match_id": self.match_id, "sha256": commitment(self.seed)})

    @property
    def rolls(self) -> int:
        """How many rolls were made, voided ones included."""
        return sum(line["type"] == "roll" for line in self.lines)

    def roll(self, number: int, player: Color, entropy_us: int, roll_id: int | None = None) -> tuple[int, int]:
        """Return roll `number`; a retry, a reconnect or a reboot gets the roll that was made, never a new one.

        Args:
            number: of the roll in the match, from 1.
            player: who pressed the button.
            entropy_us: when he pressed it, microseconds.
            roll_id: the table's own name of the roll, kept in the log.

        Raises:
            IllegalActionError: a number was left out, or the seed has been revealed.
        """
        for line in self.lines:
            if line["type"] == "roll" and line["roll"] == number:
                first, second = line["dice"]
                return first, second
        if number != self.rolls + 1:
            raise IllegalActionError(f"roll {number} cannot follow roll {self.rolls}")
        if self.lines[-1]["type"] == "reveal":
            raise IllegalActionError("the seed has been revealed: no more rolls in this match")
        dice = roll_of(self.seed, self.match_id, number, entropy_us)
        line = {
            "type": "roll",
            "roll": number,
            "player": player.value,
            "entropy_us": entropy_us,
            "dice": list(dice),
        }
        self.lines.append(line if roll_id is None else {**line, "roll_id": roll_id})
        return dice

    def mark(self, number: int, *, counts: bool, reason: str) -> None:
        """Note that a roll does not count, or does again, where that has changed; it stays in the log."""
        if counts == (number in voided(self.lines)):
            self.lines.append({"type": "counts" if counts else "void", "roll": number, "reason": reason})

    def reveal(self) -> dict[str, Any]:
        """End the log with the seed and the number of rolls, and return that line."""
        if self.lines[-1]["type"] != "reveal":
            self.lines.append({"type": "reveal", "seed": self.seed.hex(), "rolls": self.rolls})
        return self.lines[-1]


@dataclass(frozen=True, slots=True)
class Verification:
    """What replaying a published log showed.

    Attributes:
        rolls: how many rolls the log holds, voided ones included.
        voided: how many of them do not count.
        faces: how often each face 1 to 6 came up.
        doubles: how many rolls were doubles.
        problems: what does not follow, one plain sentence each; empty when every roll does.
    """

    rolls: int
    voided: int
    faces: tuple[int, ...]
    doubles: int
    problems: tuple[str, ...]


def read_log(text: str) -> list[dict[str, Any]]:
    """Return the lines of a published log.

    Raises:
        InvalidNotationError: a line is not a JSON object with a type; names the line.
    """
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw)
        except ValueError:
            raise InvalidNotationError(f"line {number} of the roll log is not JSON") from None
        if not isinstance(line, dict) or not isinstance(line.get("type"), str):
            raise InvalidNotationError(f"line {number} of the roll log has no type")
        if line["type"] in ("roll", "void", "counts") and type(line.get("roll")) is not int:
            raise InvalidNotationError(f"line {number} of the roll log does not say which roll")
        lines.append(line)
    if not lines:
        raise InvalidNotationError("the roll log is empty")
    return lines


def voided(lines: Iterable[Mapping[str, Any]]) -> set[Any]:
    """Return the numbers of the rolls of a log that do not count."""
    marks = {line.get("roll"): line["type"] for line in lines if line["type"] in ("void", "counts")}
    return {number for number, mark in marks.items() if mark == "void"}


def verify(lines: Iterable[dict[str, Any]]) -> Verification:
    """Replay a published log and tell whether every roll follows from the seed committed to before the match."""
    lines = list(lines)
    rolls = [line for line in lines if line["type"] == "roll"]
    problems = [*_frame_problems(lines, len(rolls))]
    seed = _seed(lines)
    match_id = str(lines[0].get("match_id", "")) if lines else ""
    faces = [0] * 6
    doubles = 0
    for expected, line in enumerate(rolls, 1):
        dice = _dice(line)
        if dice is None:
            problems.append(f"roll {line.get('roll')}: {line.get('dice')!r} are not two dice")
            continue
        for face in dice:
            faces[face - 1] += 1
        doubles += dice[0] == dice[1]
        problems += _roll_problems(line, expected, seed, match_id)
    numbers = {line.get("roll") for line in rolls}
    void = voided(lines)
    problems += [f"roll {number} is voided but was never made" for number in void - numbers]
    return Verification(len(rolls), len(void), tuple(faces), doubles, tuple(problems))


def _dice(line: dict[str, Any]) -> tuple[int, int] | None:
    match line.get("dice"):
        case [int(first), int(second)] if 1 <= first <= 6 and 1 <= second <= 6:
            return first, second
    return None


def _seed(lines: list[dict[str, Any]]) -> bytes | None:
    try:
        return bytes.fromhex(str(lines[-1]["seed"]))
    except (KeyError, ValueError, IndexError):
        return None


def _frame_problems(lines: list[dict[str, Any]], rolls: int) -> Iterator[str]:
    """Yield what is wrong with the first and the last line."""
    if not lines or lines[0]["type"] != "commitment":
        yield "the log does not begin with the commitment that was shown before the match"
    if not lines or lines[-1]["type"] != "reveal":
        yield "the log does not end with the seed: the match may not be over"
        return
    seed = _seed(lines)
    if seed is None:
        yield "the revealed seed is not readable"
    elif commitment(seed) != lines[0].get("sha256"):
        yield "the revealed seed is not the one committed to before the match"
    if lines[-1].get("rolls") != rolls:
        made = lines[-1].get("rolls")
        yield f"the log ends with {made} rolls made, but holds {rolls}: a roll was dropped or added"


def _roll_problems(line: dict[str, Any], expected: int, seed: bytes | None, match_id: str) -> Iterator[str]:
    """Yield what is wrong with one roll."""
    number = line.get("roll")
    if number != expected:
        yield f"roll {number} stands where roll {expected} belongs: a roll was dropped, added or moved"
        return
    entropy = line.get("entropy_us")
    if seed is None or type(entropy) is not int:
        yield f"roll {number} cannot be worked out: seed or button time is missing"
        return
    due = roll_of(seed, match_id, expected, entropy)
    if list(due) != line["dice"]:
        shown = "-".join(map(str, line["dice"]))
        yield f"roll {number} was shown as {shown}, but the seed gives {due[0]}-{due[1]}"
