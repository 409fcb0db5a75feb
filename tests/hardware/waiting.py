"""Waiting for what another thread does, with a generous limit: timings never decide a test."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any


def wait_for(holds: Callable[[], bool], timeout_s: float = 30.0) -> None:
    """Return once something holds; fail when it never does."""
    until_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < until_s, "did not happen in time"
        time.sleep(0.005)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine to its end."""
    asyncio.run(work)
