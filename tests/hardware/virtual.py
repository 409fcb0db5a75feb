"""An evening in virtual time: an event loop whose clock jumps, and a link without a thread.

Nothing waits: when the loop has nothing to do before its next timer, its clock goes there at once. Link and
simulated board share that clock, so a whole game takes seconds and goes the same way every time.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from controller.hardware.link import HEARTBEAT_S, LinkState, Port, SerialLink
from controller.hardware.peer import Peer
from controller.protocol import Message, Request

POLL_S = 0.02

T = TypeVar("T")
R = TypeVar("R", bound=Message)


class VirtualClock:
    """Seconds that pass only when somebody lets them."""

    def __init__(self) -> None:
        self.now = 1000.0

    def now_s(self) -> float:
        return self.now

    def sleep(self, duration_s: float) -> None:
        self.now += duration_s


class _Selector(selectors.DefaultSelector):
    """Jumps to the next timer instead of waiting for it."""

    clock: VirtualClock

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            ready = super().select(20.0)
            assert ready, "the loop waits for nothing"
            return ready
        ready = super().select(0)
        if not ready:
            self.clock.now += max(0.0, timeout)
        return ready


class _Inline(ThreadPoolExecutor):
    """Does the work of threads at once."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def run_virtually(evening: Callable[[VirtualClock], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end in virtual time."""
    clock = VirtualClock()

    def loop_factory() -> asyncio.AbstractEventLoop:
        selector = _Selector()
        selector.clock = clock
        loop = asyncio.SelectorEventLoop(selector)
        loop.time = clock.now_s  # type: ignore[method-assign]  # its time is virtual
        loop.set_default_executor(_Inline())
        return loop

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(evening(clock))


class InlineLink(SerialLink):
    """A link that does everything where it is called; `poll` has to be called now and then."""

    def __init__(self, peer: Peer, clock: VirtualClock) -> None:
        super().__init__(peer.devices, peer.open, now_s=clock.now_s)
        self._peer = peer
        self._clock = clock
        self._port: Port | None = None
        self._beat_s = 0.0

    def start(self) -> None:
        device = self._peer.devices()[0]
        self._port = self._peer.open(device, 250_000)
        self._adopt(self._greet(self._port))
        self._tell(LinkState("ok", "virtual", device))
        self.poll()

    def close(self) -> None:
        if self._port is not None:
            self._port.close()

    def want(self, name: str, *requests: Any, once: Any = None) -> None:
        super().want(name, *requests, once=once)
        if self._port is not None:
            self._settle(self._port)

    def ask(self, request: Request[R]) -> Future[R]:
        future: Future[R] = Future()
        assert self._port is not None
        self._settle(self._port)
        self._answer(self._port, request, future)  # type: ignore[arg-type]  # the reply of its own kind resolves it
        return future

    def _settle(self, port: Port) -> None:
        if self._boot_id is None:
            self._adopt(self._greet(port))
        while wanted := self._next_wanted():
            for request in wanted:
                self._one(port, request)
        self._tell_restored()

    def poll(self) -> None:
        assert self._port is not None
        self._pump(self._port)
        self._settle(self._port)
        if self._now_s() >= self._beat_s:
            self._beat_s = self._now_s() + HEARTBEAT_S
            self._beat(self._port)

    async def keep_polling(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            while True:
                self.poll()
                await asyncio.sleep(POLL_S)
