"""A table that plays random legal plays by itself: what the API is tested on, with no camera and no journal."""

from __future__ import annotations

import dataclasses
import random
import time
from typing import Any

from controller.board import START_BOARD, Board, site_at
from controller.errors import IllegalActionError
from controller.ports import Pressed, Publisher
from controller.records import MatchRecord, record_from_events
from controller.rules import BAR, OFF, Color, Move, Play, Roll, apply_play, legal_plays, parse_steps, write_play
from controller.session.events import Chosen, Correct, Event, Scanned
from controller.session.facts import ClockSet, CubeTurned, MatchStarted, Played, Resigned, Rolled, ScoreSet
from controller.session.snapshot import ClockSnapshot, LastPlay, SiteMove, Snapshot, snapshot_json


def site_move(move: Move, player: Color) -> SiteMove:
    """Return a move of the rules by sites."""
    source = "bar" if move.source == BAR else int(site_at(move.source, player))
    target = "off" if move.target == OFF else int(site_at(move.target, player))
    return SiteMove(source, target, move.hit)


class ScriptedTable:
    """Satisfies `api.source.TableSource`; `play` makes the next thing happen."""

    def __init__(self, seed: int = 1, names: tuple[str, str] = ("Ann", "Bob"), table_id: str = "table-1") -> None:
        self.table_id = table_id
        self.simulated = True
        self.tournament = False
        self.log: list[dict[str, Any]] | None = None
        self.submitted: list[Any] = []
        self.put_at: dict[int, float] = {}
        self._random = random.Random(seed)
        self.publishers: list[Publisher] = []
        first = Snapshot(
            seq=0,
            match_id="01TESTMATCH",
            phase="opening",
            players=names,
            length=7,
            score=(0, 0),
            game=1,
            rules="international",
            crawford=False,
            board=START_BOARD,
            turn=None,
            roll=None,
            cube_value=1,
            cube_owner=None,
            offered_by=None,
            last_play=None,
            clock=None,
            question=None,
            link={"camera": "ok", "board": "simulated"},
            simulated=True,
        )
        self._snapshots = [first]
        self._events: list[dict[str, Any]] = []

    def snapshot(self) -> Snapshot:
        return self._snapshots[-1]

    def snapshot_at(self, seq: int) -> Snapshot:
        if not 0 <= seq < len(self._snapshots):
            raise IllegalActionError(f"there is no event {seq}")
        return self._snapshots[seq]

    def events(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        return self._events[after : after + limit]

    def record(self) -> MatchRecord:
        now = self.snapshot()
        return record_from_events(self._events, now.players, now.length)

    def rolls(self) -> list[dict[str, Any]] | None:
        return self.log

    def add_publisher(self, publisher: Publisher) -> None:
        self.publishers.append(publisher)

    async def put(self, body: dict[str, Any], **changes: Any) -> int:
        """Let one event happen, with the changes it makes to the snapshot; return its number."""
        before = self.snapshot()
        seq = before.seq + 1
        after = dataclasses.replace(before, seq=seq, **changes)
        event = {"seq": seq, "game": after.game, "at_s": 100.0 + 4.0 * seq, **body}
        self.put_at[seq] = time.time()
        self._snapshots.append(after)
        self._events.append(event)
        seen = snapshot_json(after)
        for publisher in self.publishers:
            await publisher.publish(event, seen)
        return seq

    async def submit(self, event: Event) -> int:
        """Take a command as the session does: note it, refuse what is not allowed, let the rest happen."""
        self.submitted.append(event)
        now = self.snapshot()
        match event:
            case MatchStarted():
                self._snapshots = [dataclasses.replace(now, seq=0)]
                self._events = []
                return await self.put(
                    {"type": "match_start", "players": list(event.players), "length": event.length},
                    match_id=event.match_id, players=event.players, length=event.length, score=event.score,
                    board=START_BOARD, turn=None, roll=None, phase="opening", last_play=None,
                )  # fmt: skip
            case Rolled() if now.turn is event.player and now.roll is None:
                body = {"type": "roll", "player": event.player.value, "roll": list(event.roll)}
                return await self.put(body, roll=event.roll, phase="moving")
            case Played() if now.turn is event.player:
                moves = tuple(site_move(Move(m.source, m.target, m.hit), Color.WHITE) for m in event.moves)
                body = {"type": "play", "player": event.player.value, "play": event.play, "illegal": event.illegal}
                return await self.put(
                    body, board=event.position, turn=event.player.opponent, roll=None, phase="rolling",
                    last_play=LastPlay(event.player, event.roll, event.play, moves),
                )  # fmt: skip
            case CubeTurned(action="double") if now.turn is event.player and now.offered_by is None:
                body = {
                    "type": "cube",
                    "player": event.player.value,
                    "action": "double",
                    "value": now.cube_value * 2,
                }
                return await self.put(body, offered_by=event.player, phase="offered")
            case CubeTurned(action="take") if now.offered_by is event.player.opponent:
                body = {"type": "cube", "player": event.player.value, "action": "take"}
                value = now.cube_value * 2
                changes = {"cube_value": value, "cube_owner": event.player, "offered_by": None, "phase": "rolling"}
                return await self.put(body, **changes)
            case Resigned():
                body = {"type": "resignation", "player": event.player.value, "action": event.action}
                return await self.put({**body, "level": event.level})
            case ClockSet() if now.clock is not None:
                paused = (event.reason or "pause") if event.action == "pause" else None
                clock = dataclasses.replace(now.clock, paused=paused)
                return await self.put({"type": "clock", "action": event.action}, clock=clock)
            case Correct() if 0 < event.of <= now.seq:
                return await self.correct(event.of, event.content)
            case Scanned():
                return await self.ask()
            case Pressed(button="director"):
                return await self.put({"type": "link", "part": "director", "state": "called"})
            case ScoreSet():
                return await self.put({"type": "score_set", "score": list(event.score)}, score=event.score)
            case Chosen() if now.question is not None and event.choice < len(now.question["choices"]):
                return await self.put({"type": "settled", "how": "answered"}, question=None)
        raise IllegalActionError(f"{type(event).__name__} is not allowed now")

    async def ask(self) -> int:
        """Ask about the play on the board."""
        question = {
            "type": "question", "about": "play", "text": "Which of these was played?", "player": "white",
            "sites": [8, 13], "choices": [{"text": "13/7 8/7"}, {"text": "13/7 13/12"}],
        }  # fmt: skip
        return await self.put(question, question=question)

    async def play(self) -> int:
        """Make one random legal play, or begin the next game; return the number of the newest event."""
        now = self.snapshot()
        if now.turn is None or max(now.board.off(color) for color in Color) == 15:
            return await self._begin()
        roll = Roll.of(self._random.randint(1, 6), self._random.randint(1, 6))
        await self.put({"type": "roll", "player": now.turn.value, "roll": list(roll)}, roll=roll, phase="moving")
        return await self._commit(now.turn, roll)

    async def _begin(self) -> int:
        player = self._random.choice(list(Color))
        roll = Roll.of(*self._random.sample(range(1, 7), 2))
        game = self.snapshot().game + (0 if self.snapshot().turn is None else 1)
        await self.put(
            {"type": "opening_roll", "player": player.value, "roll": list(roll), "game": game},
            board=START_BOARD, turn=player, roll=roll, phase="moving", last_play=None, game=game,
        )  # fmt: skip
        return await self._commit(player, roll)

    async def _commit(self, player: Color, roll: Roll) -> int:
        board = self.snapshot().board
        before = board.seen_by(player)
        results = legal_plays(before, roll)
        play: Play = self._random.choice(list(results.values())) if results else ()
        after = Board.of(apply_play(before, play), player)
        text = write_play(play)
        seq = await self.put(
            {
                "type": "play", "player": player.value, "roll": list(roll), "play": text,
                "position": after.to_json(), "confidence": 0.99,
            },
            board=after, turn=player.opponent, roll=None, phase="rolling",
            last_play=LastPlay(player, roll, text, tuple(site_move(move, player) for move in play)),
        )  # fmt: skip
        if after.off(player) == 15:
            score = list(self.snapshot().score)
            score[0 if player is Color.WHITE else 1] += 1
            body = {"type": "game_end", "winner": player.value, "points": 1, "kind": "single"}
            return await self.put(body, score=tuple(score), phase="game_over")
        return seq

    async def play_many(self, turns: int) -> int:
        """Make several plays; return the number of the newest event."""
        seq = 0
        for _ in range(turns):
            seq = await self.play()
        return seq

    async def go_stale(self, why: str = "lost") -> int:
        """Lose the camera."""
        link = {**self.snapshot().link, "camera": why}
        return await self.put({"type": "link", "part": "camera", "state": why}, link=link)

    async def correct(self, of: int, content: Any = None) -> int:
        """Go back to before event `of`, and say there what `content` says; the line after it follows again."""
        back = self.snapshot_at(of - 1)
        kept = {f.name: getattr(back, f.name) for f in dataclasses.fields(back) if f.name != "seq"}
        event = self._events[of - 1]
        await self.put({"type": "correction", "of": of}, **kept)
        if content is None or event["type"] != "play":
            return self.snapshot().seq
        player = Color(event["player"])
        board = Board.of(apply_play(back.board.seen_by(player), _play(content["play"])), player)
        moves = tuple(site_move(move, player) for move in _play(content["play"]))
        return await self.put(
            {**event, "play": content["play"], "position": board.to_json()},
            board=board, turn=player.opponent, roll=None, phase="rolling",
            last_play=LastPlay(player, back.roll, content["play"], moves),
        )  # fmt: skip


def _play(text: str) -> Play:
    return tuple(Move(source, target) for source, target in parse_steps(text))


def with_clock(reserve_s: tuple[float, float] = (720.0, 655.0), running: Color = Color.WHITE) -> ClockSnapshot:
    """Return clocks of which one runs."""
    return ClockSnapshot(reserve_s, 8.0, running)
