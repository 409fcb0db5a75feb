"""An evening in virtual time: nothing waits, and everything happens in the same order every time.

An event loop and the threads that sleep by the same clock take turns, one at a time; time goes on only when all of
them have nothing left to do, and then at once to where the next one wants to go on. So the link runs as it is, in
its own thread and with its time-outs, and an hour of play takes seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import selectors
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from controller.hardware.link import SerialLink
from controller.hardware.peer import Peer

NAP_S = 0.25
"""Whoever sleeps shorter than this waits for something to happen: he sleeps so long, or until something has."""

T = TypeVar("T")


class _Sleeper:
    """A thread that waits for its turn."""

    def __init__(self, wakes_s: float, *, naps: bool) -> None:
        self.thread = threading.current_thread()
        self.wakes_s = wakes_s
        self.naps = naps
        self.gate = threading.Lock()
        self.gate.acquire()


class VirtualClock:
    """Seconds that pass only when nobody has anything left to do. Belongs to the thread that makes it."""

    def __init__(self) -> None:
        self.now = 1000.0
        self._owner = threading.current_thread()
        self._sleepers: list[_Sleeper] = []
        self._turn = threading.Lock()
        self._turn.acquire()

    def now_s(self) -> float:
        return self.now

    def sleep(self, duration_s: float) -> None:
        """Let time pass: at once where the owner calls, else when nobody has anything left to do before."""
        if threading.current_thread() is self._owner:
            self.now += duration_s
            return
        sleeper = _Sleeper(self.now + max(duration_s, NAP_S), naps=duration_s < NAP_S)
        self._sleepers.append(sleeper)
        self._turn.release()
        sleeper.gate.acquire()

    def begin(self, thread: threading.Thread) -> None:
        """Start a thread, and let it run until it sleeps."""
        thread.start()
        self._turn.acquire()

    def leave(self) -> None:
        """Pass the turn on for good: the last that a thread does."""
        self._turn.release()

    def finish(self, thread: threading.Thread) -> None:
        """Let a thread that has been told to end do so, however long it sleeps until then."""
        while sleeper := next((each for each in self._sleepers if each.thread is thread), None):
            self.now = max(self.now, sleeper.wakes_s)
            self._wake(sleeper)
        thread.join()

    def stir(self) -> None:
        """Something has happened: whoever naps looks whether it concerns him."""
        for sleeper in [each for each in self._sleepers if each.naps]:
            self._wake(sleeper)

    def pass_time(self, at_most_s: float | None) -> bool:
        """Go to where the next one wakes, or as far as `at_most_s`; tell whether there is anything to wait for."""
        first = min(self._sleepers, key=lambda each: each.wakes_s, default=None)
        until_s = math.inf if at_most_s is None else self.now + at_most_s
        if first is not None and first.wakes_s <= until_s:
            self.now = max(self.now, first.wakes_s)
            self._wake(first)
        elif at_most_s is not None:
            self.now = until_s
        return first is not None or at_most_s is not None

    def _wake(self, sleeper: _Sleeper) -> None:
        """Let a thread run until it sleeps again, or leaves."""
        self._sleepers.remove(sleeper)
        sleeper.gate.release()
        self._turn.acquire()


class _Selector(selectors.DefaultSelector):
    """Lets the threads run, and then time pass, instead of waiting."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock
        self._stirred = False

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if ready or timeout == 0:
            self._stirred = False
            return ready
        if not self._stirred:
            self._stirred = True
            self._clock.stir()
        elif not self._clock.pass_time(timeout):
            ready = super().select(20.0)
            assert ready, "the loop waits for nothing"
            return ready
        return super().select(0)


class _Inline(ThreadPoolExecutor):
    """Does the work of threads at once."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def virtual_loop(clock: VirtualClock) -> asyncio.AbstractEventLoop:
    """Return an event loop that lives by this clock."""
    loop = asyncio.SelectorEventLoop(_Selector(clock))
    loop.time = clock.now_s  # type: ignore[method-assign]  # its time is virtual
    loop.set_default_executor(_Inline())
    return loop


def run_virtually(evening: Callable[[VirtualClock], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end in virtual time."""
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=lambda: virtual_loop(clock)) as runner:
        return runner.run(evening(clock))


class VirtualLink(SerialLink):
    """The link to a simulated board, in a thread that lives by the clock."""

    def __init__(self, peer: Peer, clock: VirtualClock) -> None:
        super().__init__(peer.devices, peer.open, now_s=clock.now_s, sleep=clock.sleep)
        self._clock = clock

    def start(self) -> None:
        self._clock.begin(self._thread)

    def close(self) -> None:
        self._stopped.set()
        self._clock.finish(self._thread)

    def _run(self) -> None:
        try:
            super()._run()
        finally:
            self._clock.leave()


@contextlib.contextmanager
def virtual_link(peer: Peer, clock: VirtualClock) -> Iterator[SerialLink]:
    """Have a link to a simulated board, started."""
    link = VirtualLink(peer, clock)
    link.start()
    try:
        yield link
    finally:
        link.close()
