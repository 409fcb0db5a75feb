"""At a simulated table with a computer one player sits alone: he moves what the table says for the other."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from controller.board import Board
from controller.hardware.players import Hearing, Moment, games
from controller.rules import Color, Move, apply_play, legal_plays
from controller.rules.position import Roll

W, B = Color.WHITE, Color.BLACK


def hear(hearing: Hearing, **event: Any) -> None:
    asyncio.run(hearing.publish(event, {}))


def test_he_waits_until_the_table_has_thrown_and_moves_what_it_announces() -> None:
    hearing = Hearing(B)
    moments = games(3, 0.0, hearing=hearing)
    first = list(itertools.islice(moments, 5))
    assert {moment.scene.board for moment in first} == {first[0].scene.board}
    hear(hearing, type="opening_roll", white=1, black=3)
    assert all(moment.scene.hand is None for moment in itertools.islice(moments, 4))
    moves = [{"source": 17, "target": 20, "hit": False}, {"source": 19, "target": 20, "hit": False}]
    hear(hearing, type="announced", player="black", moves=moves)
    moved = list(itertools.islice(moments, 12))
    after = Board.of(apply_play(first[0].scene.board.seen_by(B), (Move(8, 5), Move(6, 5))), B)
    assert moved[-1].scene.board == after
    assert all(moment.press is None for moment in moved)
    hear(hearing, type="play", player="black")
    mine = until_pressed(moments)
    assert mine.player is W
    assert mine.scene.board.seen_by(W) in {
        end for high in range(1, 7) for low in range(1, high + 1) for end in ends(after, Roll(high, low))
    }


def ends(board: Board, roll: Roll) -> list[Any]:
    return list(legal_plays(board.seen_by(W), roll)) or [board.seen_by(W)]


def until_pressed(moments: Any) -> Moment:
    found: Moment = next(moment for moment in moments if moment.press == "clock")
    return found


def test_a_turn_of_the_computer_without_a_play_is_over_when_the_table_says_so() -> None:
    hearing = Hearing(W)
    hear(hearing, type="opening_roll", white=2, black=2)
    assert hearing.begun() is None
    hear(hearing, type="opening_roll", white=5, black=2)
    assert hearing.begun() == (W, Roll(5, 2))
    assert hearing.said() is None
    hear(hearing, type="roll", player="white")
    hear(hearing, type="play", player="white")
    assert hearing.said() == "over"
