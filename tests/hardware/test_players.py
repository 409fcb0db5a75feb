"""The scripted players handle checkers as people do and play legal backgammon."""

import asyncio
import itertools

import pytest

from controller.board import START_BOARD, Board
from controller.hardware.players import Moment, games
from controller.hardware.simulated import SimulatedTable
from controller.rules import Color, Roll, legal_plays


def turns(seed: int, count: int, hesitation: float = 0.0) -> list[tuple[Board, Moment]]:
    """Return the boards before `count` turns, each with the moment in which its player hits the clock."""
    found: list[tuple[Board, Moment]] = []
    before = START_BOARD
    for moment in games(seed, hesitation):
        if moment.new_game:
            before = moment.scene.board
        if moment.press == "clock":
            found.append((before, moment))
            before = moment.scene.board
            if len(found) == count:
                break
    return found


@pytest.mark.parametrize("hesitation", [0.0, 1.0])
def test_every_turn_ends_with_a_legal_play_of_the_dice_on_the_field(hesitation: float) -> None:
    for before, moment in turns(seed=5, count=120, hesitation=hesitation):
        roll = Roll.of(*(die.face for die in moment.scene.dice if 0 < die.x < 1))
        plays = legal_plays(before.seen_by(moment.player), roll)
        after = moment.scene.board.seen_by(moment.player)
        assert after in plays or (not plays and after == before.seen_by(moment.player))


def test_the_same_seed_gives_the_same_evening() -> None:
    assert list(itertools.islice(games(7), 300)) == list(itertools.islice(games(7), 300))
    assert list(itertools.islice(games(7), 300)) != list(itertools.islice(games(8), 300))


def test_a_game_ends_when_a_player_has_borne_off_all_and_the_next_begins_at_the_start() -> None:
    moments = list(itertools.islice(games(2), 3000))
    starts = [i for i, moment in enumerate(moments) if moment.new_game]
    assert len(starts) >= 2
    for start in starts[1:]:
        assert max(moments[start - 1].scene.board.off(color) for color in Color) == 15
        assert moments[start].scene.board == START_BOARD


def test_while_a_checker_is_in_the_hand_the_hand_is_over_the_board() -> None:
    before = START_BOARD
    for moment in itertools.islice(games(4), 500):
        if sum(moment.scene.board.off(color) for color in Color) > sum(before.off(color) for color in Color):
            assert moment.scene.hand is not None
        before = moment.scene.board


def test_presses_arrive_once_and_in_order() -> None:
    async def evening() -> list[Color]:
        moments = [Moment(0.001, m.scene, m.press, m.player) for m in itertools.islice(games(1), 200)]
        table = SimulatedTable(iter(moments), clock=lambda: 0.0)
        running = asyncio.create_task(table.run())
        pressed = [press.player async for press in table.presses()]
        await running
        return pressed

    expected = [m.player for m in itertools.islice(games(1), 200) if m.press]
    assert asyncio.run(evening()) == expected
