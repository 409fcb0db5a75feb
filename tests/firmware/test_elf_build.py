"""Both ELFs build within their budgets, the core passes its host tests, the stack fits, pins are current."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from emulated import FIRMWARE, Bench, Host, build

from controller.protocol import DiceRoll, Hello, LightsSet, LightsShow, Ping, Stats

MAKE = ["make", "-C", str(FIRMWARE)]


def pins() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_pins", FIRMWARE / "generate_pins.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_both_elfs_are_within_their_flash_and_ram_budgets(built: Path) -> None:
    done = subprocess.run(MAKE, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
    shares = dict(re.findall(r"(atmega\w+): .*RAM \d+ of \d+ B \(([\d.]+)%", done.stdout))
    assert float(shares["atmega2560"]) <= 60.0
    assert float(shares["atmega328p"]) <= 75.0


def test_an_elf_over_its_budget_fails_the_build(built: Path, tmp_path: Path) -> None:
    too_big = tmp_path / "barpoint-atmega328p.elf"
    too_big.write_bytes((built / "barpoint-atmega2560.elf").read_bytes())
    done = subprocess.run(
        [sys.executable, FIRMWARE / "size.py", too_big], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "OVER BUDGET" in done.stdout


def test_the_core_passes_its_tests_on_the_host_under_sanitizers(built: Path) -> None:
    done = subprocess.run([built / "host-tests"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "ok a_board_survives_any_bytes" in done.stdout
    assert done.stdout.rstrip().endswith("all host tests passed")


def test_the_slower_baud_works_too(new_bench: Callable[..., Bench], tmp_path: Path) -> None:
    elf = tmp_path / "barpoint-atmega2560.elf"
    build(f"BUILD={tmp_path}", "BAUD=115200", str(elf))
    bench = new_bench(elf=elf)
    host = Host(bench)
    host.greet()
    before = bench.now_s
    for generation in range(20):
        host.ask(LightsSet(0, bytes(156)))
        host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        host.ask(Ping(generation))
    assert bench.now_s - before > 20 * 190 * 10 / 115200
    assert (bench.overruns, host.exchange.counters.resent) == (0, 0)


@pytest.mark.parametrize("chip", ["atmega2560", "atmega328p"])
def test_the_stack_never_reaches_the_data(new_bench: Callable[..., Bench], chip: str) -> None:
    bench = new_bench(chip)
    host = Host(bench)
    host.greet()
    host.ask(LightsSet(0, bytes(range(156))))
    host.ask(DiceRoll(1, bytes((1, 2, 3, 4)), 100))
    for button in range(6):
        bench.button(button, True)
    host.run(0.3)
    host.answer(Hello(9, 0))
    host.greet()
    assert host.ask(Stats()).stack_free >= 128


def test_the_pin_header_is_current() -> None:
    done = subprocess.run(
        [sys.executable, FIRMWARE / "generate_pins.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        ('port = "H"\nbit = 6', 'port = "E"\nbit = 3', "PE3 already belongs to lights"),
        ('port = "A"\nbit = 0', 'port = "A"\nbit = 5', "port A has no bit 8"),
        ('printed = ["D9"]', 'printed = ["D9", "D8"]', "1 wires, 2 printed names"),
        ('printed = ["D9"]', 'printed = ["D5"]', "a printed name stands twice"),
        ('direction = "serial"', 'direction = "both"', "direction is one of in, out, analog, serial"),
    ],
)
def test_pins_that_contradict_each_other_are_refused(
    tmp_path: Path, before: str, after: str, complaint: str
) -> None:
    module = pins()
    text = module.SOURCE.read_text(encoding="utf-8")
    assert before in text
    changed = tmp_path / "pins.toml"
    changed.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(module.PinError, match=complaint):
        module.load(changed)
