"""Write the sample matches of tests/records/data: random matches of our own in several dialects.

Run `python tests/records/make_samples.py`; the same files come out again.
"""

from dataclasses import replace
from pathlib import Path

from random_record import Odd, random_match, record_of

from controller.records import CubeAction, MatchRecord, Turn, replay_match, write_json, write_mat, write_sgf
from controller.rules import Color, profile, write_play

LONGEST = 90
"""Turns of the longest sample."""

DATA = Path(__file__).parent / "data"


def sample(first_seed: int, length: int, players: tuple[str, str], odd: Odd) -> MatchRecord:
    """Return a short random match with tags and a date, one game of it played to its end."""
    tags = (("Site", "Barpoint club"), ("Event", "Sample evening"), ("Round", "2"), ("CubeLimit", "64"))
    for seed in range(first_seed, first_seed + 1000):
        record = record_of(random_match(profile("international"), seed, length=length, odd=odd), players)
        ends = {game.how for game in record.games}
        if sum(game.turns for game in record.games) < LONGEST and "borne_off" in ends and len(ends) > 1:
            return replace(record, date="2026-11-29", tags=tags)
    raise AssertionError("no such match among a thousand")


def site_dialect(record: MatchRecord) -> str:
    """Write a match as playing sites do: moves joined, ``Bar/`` and ``/Off``, counts, words without a column."""
    lines = [f'; [{name} "{text}"]' for name, text in record.tags]
    lines += ["", f"{record.length} point match", "", ""]
    for number, game in enumerate(record.games, start=1):
        left, right = record.players
        lines += [f" Game {number}", f" {left}: {game.score[0]}".ljust(40) + f"{right}: {game.score[1]}"]
        rows: list[list[str]] = []
        for action in game.actions:
            side = 0 if action.player is Color.WHITE else 1
            if side == 0 or not rows or rows[-1][1]:
                rows.append(["", ""])
            rows[-1][side] = _site_cell(action)
        lines += [f"  {at}) {left:<35} {right}".rstrip() for at, (left, right) in enumerate(rows, start=1)]
        if game.winner is not None:
            end = "and the match" if number == len(record.games) else ""
            wins = f"Wins {game.points} points {end}".rstrip()
            lines += [" " * (3 if game.winner is Color.WHITE else 44) + wins, ""]
    return "\r\n".join(lines) + "\r\n"


def _site_cell(action: object) -> str:
    if isinstance(action, Turn):
        text = "????" if action.play is None else write_play(action.play)
        return f"{action.dice[1]}{action.dice[0]}: {text.replace('bar', 'Bar').replace('off', 'Off')}"
    assert isinstance(action, CubeAction)
    return f"Doubles => {action.value}" if action.word == "double" else action.word.capitalize() + "s"


def main() -> None:
    """Write all samples."""
    quiet = Odd(double=0.12, drop=0.5, resign=0.0, condone=0.0, leave=0.0, withdraw=0.0)
    plain = sample(4, 5, ("Ann Lee", "Bob"), quiet)
    DATA.mkdir(exist_ok=True)
    (DATA / "club.mat").write_text(write_mat(plain).text)
    (DATA / "club.sgf").write_text(write_sgf(plain).text)
    (DATA / "club.json").write_text(write_json(plain).text)
    foreign = sample(9, 3, ("Zoë", "Łukasz"), quiet)
    (DATA / "site.txt").write_bytes(site_dialect(foreign).encode("utf-8"))
    latin = sample(300, 3, ("André", "Jürgen"), quiet)
    (DATA / "latin.txt").write_bytes(site_dialect(latin).encode("latin-1"))
    odd = sample(31, 7, ("Carla", "Dan"), Odd(double=0.12, drop=0.5, condone=0.05, resign=0.05))
    (DATA / "odd.mat").write_text(write_mat(odd).text)
    assert replay_match(odd).problems


if __name__ == "__main__":
    main()
