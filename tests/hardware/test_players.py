"""The scripted players handle checkers as people do and play legal backgammon."""

import asyncio
import itertools

import pytest

from controller.board import START_BOARD, Board
from controller.hardware.peer import Peer
from controller.hardware.players import Moment, games
from controller.hardware.sensors import cells_for
from controller.hardware.simulated import SimulatedTable
from controller.protocol import Button, Cell
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


def test_the_players_press_the_buttons_of_the_board_and_their_checkers_lie_on_its_cells() -> None:
    async def evening() -> tuple[list[Button], list[Cell]]:
        moments = [Moment(0.001, m.scene, m.press, m.player) for m in itertools.islice(games(1), 200)]
        peer = Peer()
        pressed: list[Button] = []
        peer.press = pressed.append  # type: ignore[method-assign]  # to listen in
        await SimulatedTable(iter(moments), peer, cells=True).run()
        return pressed, peer._cells

    moments = list(itertools.islice(games(1), 200))
    clocks = {Color.WHITE: Button.CLOCK_WHITE, Color.BLACK: Button.CLOCK_BLACK}
    pressed, cells = asyncio.run(evening())
    assert pressed == [clocks[m.player] for m in moments if m.press]
    assert cells == cells_for(moments[-1].scene.board)
