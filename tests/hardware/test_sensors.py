"""The sensor array tells what stands on the board, and what it cannot know."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.board import SITES, START_BOARD, Board, Color, Observation
from controller.hardware.link import SerialLink
from controller.hardware.peer import Peer
from controller.hardware.sensors import (
    CELLS,
    SLOTS,
    SensorWatcher,
    cells_for,
    cells_of,
    observation,
    place_of,
    site_reading,
    unpack,
)
from controller.ports import Watched
from controller.protocol import Cell
from tests.hardware.waiting import wait_for


def boards() -> st.SearchStrategy[Board]:
    """Boards of every kind, with stacks higher than the slots."""

    def build(places: list[tuple[int, bool]], bar: tuple[int, int]) -> Board:
        points = [0] * 24
        left = {True: 15 - bar[0], False: 15 - bar[1]}
        for site, white in places:
            sign = 1 if white else -1
            if points[site] * sign >= 0 and left[white] > 0:
                points[site] += sign
                left[white] -= 1
        return Board(tuple(points), bar)

    place = st.tuples(st.integers(0, 23), st.booleans())
    few = st.tuples(st.integers(0, 5), st.booleans())
    bars = st.tuples(st.integers(0, 3), st.integers(0, 3))
    return st.builds(build, st.lists(place | few, max_size=60), bars)


@given(boards())
def test_the_true_board_is_the_likeliest_and_counts_beyond_the_slots_are_left_open(board: Board) -> None:
    cells = cells_for(board)
    hidden = {1: 15 - cells.count(Cell.WHITE), -1: 15 - cells.count(Cell.BLACK)}
    seen = observation(cells, 0.0)
    for site in SITES:
        count = board.at(site)
        reading = seen.sites[site - 1]
        assert reading.seen
        assert reading.of(count) == max(reading.log_likelihoods)
        if abs(count) < SLOTS:
            assert reading.best == count
        else:
            sign = 1 if count > 0 else -1
            most = SLOTS + hidden[sign]
            assert {reading.of(sign * n) for n in range(SLOTS, most + 1)} == {reading.of(count)}
            assert all(reading.of(sign * n) < reading.of(count) for n in range(most + 1, 16))
    assert (seen.bar[0].best, seen.bar[1].best) == board.bar


def test_a_broken_cell_leaves_open_whether_a_checker_lies_on_it() -> None:
    reading = site_reading([Cell.WHITE, Cell.FAULT, Cell.EMPTY, Cell.EMPTY, Cell.EMPTY, Cell.EMPTY])
    assert reading.of(1) == reading.of(2)
    assert reading.of(3) < reading.of(2)
    assert not site_reading([Cell.FAULT] * SLOTS).seen


def test_no_checker_is_thought_on_a_broken_cell_when_all_of_its_color_lie_elsewhere() -> None:
    cells = cells_for(START_BOARD)
    cells[cells_of(SITES[5])[5]] = Cell.FAULT
    reading = observation(cells, 0.0).sites[5]
    assert reading.best == 5
    assert reading.of(6) < reading.of(5)


def test_checkers_of_both_colors_on_one_point_fit_no_count() -> None:
    reading = site_reading([Cell.WHITE, Cell.BLACK, *[Cell.EMPTY] * 4])
    assert max(reading.log_likelihoods) < 0


def test_every_cell_has_a_place_of_its_own_in_words() -> None:
    assert len({place_of(cell) for cell in range(CELLS)}) == CELLS == 192
    with pytest.raises(ValueError, match="192"):
        place_of(192)


@given(st.lists(st.sampled_from(list(Cell)), min_size=192, max_size=192))
def test_a_packed_snapshot_unpacks_to_the_same_cells(cells: list[Cell]) -> None:
    packed = bytearray(48)
    for index, cell in enumerate(cells):
        packed[index // 4] |= cell << 2 * (index % 4)
    assert unpack(bytes(packed)) == cells


def put(peer: Peer, board: Board) -> None:
    for index, cell in enumerate(cells_for(board)):
        peer.set_cell(index, cell)


def test_a_change_of_cells_becomes_one_settled_reading() -> None:
    async def evening() -> list[Observation | Watched]:
        peer = Peer()
        put(peer, START_BOARD)
        link = SerialLink(peer.devices, peer.open, bauds=(250_000,))
        link.start()
        await asyncio.to_thread(wait_for, lambda: link.state.kind == "ok")
        watcher = SensorWatcher(link)
        seen: list[Observation | Watched] = []
        async with asyncio.timeout(20):
            async for item in watcher.watch():
                seen.append(item)
                if len([each for each in seen if isinstance(each, Observation)]) == 1:
                    await asyncio.to_thread(put, peer, moved)
                if isinstance(item, Observation) and item.sites[5].best == 4:
                    break
        await watcher.close()
        link.close()
        return seen

    points = list(START_BOARD.points)
    points[5] -= 1
    points[4] += 1
    moved = Board(tuple(points))
    seen = asyncio.run(evening())
    last = seen[-1]
    assert isinstance(last, Observation)
    assert [site.best for site in last.sites] == points
    assert last.source == "sensors"


def test_a_cell_that_dies_is_named() -> None:
    async def evening() -> list[str]:
        peer = Peer()
        link = SerialLink(peer.devices, peer.open, bauds=(250_000,))
        link.start()
        told: list[str] = []
        watcher = SensorWatcher(link, tell=lambda state, text: told.append(f"{state}: {text}"))
        async with asyncio.timeout(20):
            async for item in watcher.watch():
                if isinstance(item, Observation):
                    peer.set_cell(cells_of(SITES[12])[2], Cell.FAULT)
                    await asyncio.to_thread(wait_for, lambda: bool(told))
                    break
        await watcher.close()
        link.close()
        return told

    assert asyncio.run(evening()) == ["failing: cell 3 of point 13 does not answer; the game goes on without it"]


def test_the_bar_holds_each_colors_own_checkers() -> None:
    board = Board((*START_BOARD.points[:5], 4, *START_BOARD.points[6:]), (1, 0))
    seen = observation(cells_for(board), 0.0)
    assert (seen.bar[0].best, seen.bar[1].best) == (1, 0)
    assert board.off(Color.WHITE) == 0
