"""Claim: a killed table loses nothing, doubles nothing, and goes on from the state it had.

A table plays a scripted match on a real journal in a process of its own and says what it has made durable. The
process is killed (SIGKILL) at random instants and started again on the same journal until the match is over. Then
the write-ahead file is cut at every byte of its last record, as a power cut would.

    python benchmarks/kills.py [--n N] [--seed S]

Prints one JSON line: kills, lost (events said to be durable and not there), doubled (events there twice, or out of
order), differing (states that are not those of an uninterrupted run), cuts; exit 1 when any of them is not 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from controller.board import Board
from controller.errors import IllegalActionError, StorageError
from controller.rules import Color, Roll, legal_plays, write_play
from controller.rules.cube import may_double
from controller.rules.game import Game, Phase
from controller.session import facts
from controller.session.clock import SINGLES
from controller.session.events import Event
from controller.session.ledger import Ledger, replayed
from controller.session.settings import Settings
from controller.session.state import State
from controller.session.step import step
from controller.storage import Journal
from controller.table import Table

MATCH = "kills"


def script_of(seed: int, events: int) -> tuple[list[Event], list[Ledger]]:
    """Return a scripted match as desk commands, and the record after each of them in an uninterrupted run."""
    rng = random.Random(seed)
    state = State()
    script: list[Event] = []
    ledgers: list[Ledger] = []
    while len(script) < events:
        at_s = float(len(script) + 1)
        event = _next_event(state, at_s, rng)
        after, effects = step(state, event)
        if after.ledger.seq == state.ledger.seq:
            raise IllegalActionError(f"the script is wrong at {event}: {effects}")
        state = after
        script.append(event)
        ledgers.append(state.ledger)
    return script, ledgers


def _next_event(state: State, at_s: float, rng: random.Random) -> Event:
    """Return something that is allowed now."""
    ledger = state.ledger
    game = ledger.game
    if game is None or ledger.match is None:
        settings = Settings(dice="keyed", clock=SINGLES)
        return facts.MatchStarted(at_s=at_s, match_id=MATCH, players=("A", "B"), length=99, settings=settings)
    if not ledger.playing:
        return facts.GameStarted(at_s=at_s)
    if game.phase is Phase.OPENING:
        white, black = rng.sample(range(1, 7), 2)
        return facts.OpeningRolled(at_s=at_s, white=white, black=black, source="keyed")
    player = game.to_act
    assert player is not None
    return _action(game, player, at_s, rng)


def _action(game: Game, player: Color, at_s: float, rng: random.Random) -> Event:
    """Return an action of the player who has to act."""
    if game.phase is Phase.OFFERED:
        return facts.CubeTurned(at_s=at_s, player=player, action=rng.choice(("take", "take", "drop")))
    if game.phase is Phase.TO_ROLL:
        if may_double(game) and rng.random() < 0.05:
            return facts.CubeTurned(at_s=at_s, player=player, action="double")
        return facts.Rolled(at_s=at_s, player=player, roll=Roll.of(rng.randint(1, 6), rng.randint(1, 6)))
    assert game.roll is not None
    plays = legal_plays(game.before, game.roll) or {game.before: ()}
    after = rng.choice(sorted(plays, key=str))
    return facts.Played(
        at_s=at_s, player=player, roll=game.roll, play=write_play(plays[after]), position=Board.of(after, player)
    )


def run_table(path: Path, script: Sequence[Event], ledgers: Sequence[Ledger], said: int) -> None:
    """Go on with the script where the journal ends, and say on `said` what is durable; runs in a child process."""
    journal = Journal.open(path)
    seqs = [ledger.seq for ledger in ledgers]
    now = [0.0]

    async def go_on() -> None:
        table = Table(journal, now_s=lambda: now[0])
        at = table.state.ledger.seq
        if at and at not in seqs:
            os._exit(3)  # a step was torn in two
        for index in range(seqs.index(at) + 1 if at else 0, len(script)):
            now[0] = float(index + 1)
            seq = await table.submit(script[index])
            os.write(said, struct.pack("<I", seq))

    asyncio.run(go_on())
    os._exit(0)


def kill_once(path: Path, script: Sequence[Event], ledgers: Sequence[Ledger], after_s: float) -> tuple[int, bool]:
    """Run a table and kill it; return the last event it said was durable, and whether it was torn."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            run_table(path, script, ledgers, writer)
        finally:
            os._exit(4)
    os.close(writer)
    time.sleep(after_s)
    os.kill(child, signal.SIGKILL)
    said = b""
    while chunk := os.read(reader, 65536):
        said += chunk
    os.close(reader)
    _, status = os.waitpid(child, 0)
    whole = len(said) // 4 * 4
    last = struct.unpack("<I", said[whole - 4 : whole])[0] if whole else 0
    failed = os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0
    return last, failed


def check(path: Path, said: int, ledgers: Sequence[Ledger]) -> tuple[int, int, int, int]:
    """Compare a journal with the uninterrupted run: lost, doubled, differing, and where it ends."""
    journal = Journal.open(path)
    bodies = journal.events(MATCH, 0, None)
    journal.close()
    doubled = sum(body["seq"] != number for number, body in enumerate(bodies, 1))
    ledger = replayed(bodies)
    right = next((each for each in ledgers if each.seq == ledger.seq), None)
    differing = int(bool(bodies) and ledger != right)
    return max(0, said - len(bodies)), doubled, differing, len(bodies)


def cut_everywhere(folder: Path, seed: int, stride: int = 1) -> tuple[int, int]:
    """Cut the write-ahead file at every byte of its last record; return how many cuts there were, and failures.

    Args:
        folder: where to do it.
        seed: of the script.
        stride: cut only at every so many bytes, and at both ends.
    """
    script, ledgers = script_of(seed, 12)
    path = folder / "cut.sqlite"
    wal = folder / "cut.sqlite-wal"
    journal = Journal.open(path)
    now = [0.0]

    async def play() -> int:
        table = Table(journal, now_s=lambda: now[0])
        size = 0
        for index, event in enumerate(script):
            size = wal.stat().st_size
            now[0] = float(index + 1)
            await table.submit(event)
        return size

    before = asyncio.run(play())
    data, main_file = wal.read_bytes(), path.read_bytes()
    journal.close()
    failures = 0
    sizes = sorted({*range(before, len(data), stride), len(data) - 1, len(data)})
    for size in sizes:
        copy = folder / "copy.sqlite"
        copy.write_bytes(main_file)
        (folder / "copy.sqlite-wal").write_bytes(data[:size])
        expected = ledgers[-1] if size == len(data) else ledgers[-2]
        try:
            torn = Journal.open(copy)
            failures += replayed(torn.events(MATCH, 0, None)) != expected
            failures += (torn.notice is not None) != (before < size < len(data))
            torn.close()
        except StorageError:
            failures += 1
        for name in ("copy.sqlite", "copy.sqlite-wal", "copy.sqlite-shm"):
            (folder / name).unlink(missing_ok=True)
    return len(sizes), failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    script, ledgers = script_of(args.seed, 300)
    lost = doubled = differing = kills = 0
    folder = Path(tempfile.mkdtemp(prefix="barpoint-kills-"))
    path = folder / "journal.sqlite"
    while kills < args.n:
        said, torn = kill_once(path, script, ledgers, rng.uniform(0.0, 0.12))
        kills += 1
        new_lost, new_doubled, new_differing, reached = check(path, said, ledgers)
        lost, doubled = lost + new_lost, doubled + new_doubled
        differing += new_differing + torn
        if reached >= ledgers[-1].seq:
            for each in folder.iterdir():
                each.unlink()
    cuts, failures = cut_everywhere(folder, args.seed)
    shutil.rmtree(folder)
    result = {"benchmark": "kills", "kills": kills, "lost": lost, "doubled": doubled, "differing": differing}
    print(json.dumps({**result, "cuts": cuts, "cuts_failed": failures}))
    return 1 if lost or doubled or differing or failures else 0


if __name__ == "__main__":
    sys.exit(main())
