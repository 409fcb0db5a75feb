"""The firmware is built once; every test gets a board of its own in virtual time."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "firmware" / "simavr"))

from emulated import Bench, Host, build


@pytest.fixture(scope="session")
def built() -> Path:
    """The folder with both ELFs, the test bench and barpoint-simavr."""
    build("all", "simavr")
    return build("host")


@pytest.fixture
def new_bench(built: Path) -> Iterator[Callable[..., Bench]]:
    """Make boards; all of them are freed at the end."""
    made: list[Bench] = []

    def make(chip: str = "atmega2560", eeprom: bytes | None = None, elf: Path | None = None) -> Bench:
        made.append(Bench(chip, eeprom, elf))
        return made[-1]

    yield make
    for bench in made:
        bench.close()


@pytest.fixture
def bench(new_bench: Callable[..., Bench]) -> Bench:
    """An ATmega2560 that has just been switched on."""
    return new_bench()


@pytest.fixture
def host(bench: Bench) -> Host:
    """A host that has said hello to `bench`."""
    made = Host(bench)
    made.greet()
    return made
