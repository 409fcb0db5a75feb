"""Several watchers as one: nothing stale, nothing while anybody sees movement, nobody waited for without end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from controller.board import START_BOARD, Board, Observation, SiteReading
from controller.hardware.merged import MergedWatcher, merged
from controller.ports import Watched
from controller.rules import Color, Roll
from tests.simulated import after, observe, thrown

MOVED = after(START_BOARD, Color.WHITE, "13/7 8/7")
Item = Observation | Watched


class Scripted:
    """Yields what a test puts in."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Item | None] = asyncio.Queue()
        self.confirmed: list[Board] = []
        self.asked = 0
        self.closed = False

    async def watch(self) -> AsyncIterator[Item]:
        while (item := await self.queue.get()) is not None:
            yield item

    def confirm(self, board: Board) -> None:
        self.confirmed.append(board)

    def read_again(self) -> None:
        self.asked += 1

    async def close(self) -> None:
        self.closed = True


def reading(source: str, board: Board, at_s: float) -> Observation:
    return replace(observe(board, at_s), source=source)


def watch(script: list[tuple[int, Item | None] | float], patience_s: float = 5.0) -> list[Item]:
    """Let watchers 0 and 1 see what a script says, numbers being pauses; return what they say together."""

    async def evening() -> list[Item]:
        watchers = Scripted(), Scripted()
        together = MergedWatcher(*watchers, patience_s=patience_s)
        seen: list[Item] = []

        async def take() -> None:
            async for item in together.watch():
                seen.append(item)

        task = asyncio.create_task(take())
        for step in script:
            if isinstance(step, float):
                await asyncio.sleep(step)
            else:
                watchers[step[0]].queue.put_nowait(step[1])
                await asyncio.sleep(0.01)
        for each in watchers:
            each.queue.put_nowait(None)
        await asyncio.wait_for(task, 10)
        together.confirm(START_BOARD)
        together.read_again()
        await together.close()
        assert all(each.closed and each.confirmed == [START_BOARD] and each.asked == 1 for each in watchers)
        return seen

    return asyncio.run(evening())


def boards(seen: list[Item]) -> list[tuple[int, ...]]:
    return [tuple(site.best for site in item.sites) for item in seen if isinstance(item, Observation)]


def test_what_one_does_not_see_the_other_tells_and_dice_come_from_whoever_reads_them() -> None:
    dice = thrown(Roll(6, 1))
    camera = replace(observe(MOVED, 1.0, dice=dice, hidden=frozenset({7, 13})), source="camera", frame="f1")
    both = merged([camera, reading("sensors", MOVED, 1.5)])
    assert tuple(site.best for site in both.sites) == MOVED.points
    assert all(site.seen for site in both.sites)
    assert (both.dice, both.frame, both.at_s, both.source) == (dice, "f1", 1.0, "merged")
    assert not merged([replace(camera, sites=(SiteReading(),) * 24)]).sites[0].seen


def test_a_new_reading_of_one_waits_for_the_other_so_that_nothing_stale_contradicts_it() -> None:
    seen = watch(
        [
            (0, reading("camera", START_BOARD, 1.0)),
            (1, reading("sensors", START_BOARD, 1.1)),
            (1, Watched("moving", 2.0)),
            (1, reading("sensors", MOVED, 2.3)),
            0.05,
            (0, Watched("moving", 2.2)),
            (0, reading("camera", MOVED, 2.6)),
            0.05,
            (1, reading("sensors", MOVED, 3.0)),
        ]
    )
    assert boards(seen)[-1] == MOVED.points
    assert set(boards(seen)) == {START_BOARD.points, MOVED.points}
    last_start = max(i for i, board in enumerate(boards(seen)) if board == START_BOARD.points)
    assert all(board == MOVED.points for board in boards(seen)[last_start + 1 :])


def test_the_board_stands_still_until_the_moment_that_all_have_seen_it() -> None:
    seen = watch(
        [
            (0, reading("camera", START_BOARD, 1.0)),
            (1, reading("sensors", START_BOARD, 1.1)),
            0.05,
            (1, Watched("still", 2.0)),
            (0, Watched("still", 1.6)),
            (0, Watched("still", 1.9)),
            (1, Watched("moving", 2.1)),
            (0, Watched("still", 2.0)),
            0.05,
        ]
    )
    assert [item.at_s for item in seen if isinstance(item, Watched) and item.kind == "still"] == [1.6, 1.9]


def test_one_that_saw_no_movement_is_not_waited_for_without_end_and_its_old_reading_is_left_out() -> None:
    seen = watch(
        [
            (0, reading("camera", START_BOARD, 1.0)),
            (1, Watched("moving", 2.0)),
            (1, reading("sensors", MOVED, 2.3)),
            0.3,
        ],
        patience_s=0.1,
    )
    assert boards(seen)[-1] == MOVED.points


def test_a_lost_watcher_is_told_and_the_other_goes_on_alone() -> None:
    seen = watch(
        [
            (0, reading("camera", START_BOARD, 1.0)),
            (1, reading("sensors", START_BOARD, 1.1)),
            (0, Watched("lost", 2.0, "no pictures")),
            (1, Watched("moving", 3.0)),
            (1, reading("sensors", MOVED, 3.5)),
            0.05,
        ]
    )
    assert boards(seen)[-1] == MOVED.points
    assert [item.detail for item in seen if isinstance(item, Watched) and item.kind == "lost"] == ["no pictures"]


def test_while_a_hand_rests_on_the_board_no_reading_goes_out_but_the_hand() -> None:
    hand = replace(observe(START_BOARD, 1.0, hand=True), source="camera")
    seen = watch([(0, hand), (1, reading("sensors", MOVED, 1.2)), 0.05])
    assert [item.hand for item in seen if isinstance(item, Observation)][:1] == [True]
