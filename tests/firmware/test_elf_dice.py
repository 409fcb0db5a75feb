"""The electronic dice on the real ELF: right pips for all rolls, through resets and a lost link."""

import itertools
from collections import Counter
from collections.abc import Callable

import pytest
from emulated import Bench, Host

from controller.protocol import Booted, Buzz, Config, DiceRoll, DiceShow, Pattern, ResetCause, Rolled, State, Stats

ROLLS = list(itertools.product(range(1, 7), repeat=2))


@pytest.mark.parametrize("chip", ["atmega2560", "atmega328p"])
def test_all_36_rolls_end_on_the_right_pips_for_both_players(new_bench: Callable[..., Bench], chip: str) -> None:
    bench = new_bench(chip)
    host = Host(bench)
    host.greet()
    for roll_id, (roll, black) in enumerate(itertools.product(ROLLS, (False, True)), start=1):
        dice = (0, 0, *roll) if black else (*roll, 0, 0)
        before = bench.dice_changes
        assert host.ask(DiceRoll(roll_id, bytes(dice), 90)).roll_id == roll_id
        assert host.ask(State()).rolling == 1
        host.run_until(lambda: len(host.of(Rolled)) == roll_id, most_s=0.3)  # noqa: B023 - called at once
        assert bench.dice == dice
        assert bench.dice_changes - before >= 2  # it tumbled
        assert host.of(Rolled)[-1].dice == bytes(dice)
    assert len(host.of(Rolled)) == 72


def test_the_opening_roll_shows_one_die_per_side(host: Host, bench: Bench) -> None:
    host.ask(DiceShow(1, bytes((6, 0, 0, 2))))
    host.run(0.002)
    assert bench.dice == (6, 0, 0, 2)


def test_a_roll_sent_again_does_not_tumble_again(host: Host, bench: Bench) -> None:
    host.ask(DiceRoll(5, bytes((3, 4, 0, 0)), 200))
    host.run(0.3)
    changes = bench.dice_changes
    host.ask(DiceRoll(5, bytes((3, 4, 0, 0)), 200))
    host.run(0.3)
    assert bench.dice == (3, 4, 0, 0)
    assert bench.dice_changes == changes
    assert len(host.of(Rolled)) == 1


def test_dice_stay_lit_through_a_lost_link_and_a_roll_under_way_ends(host: Host, bench: Bench) -> None:
    host.ask(DiceRoll(5, bytes((6, 6, 0, 0)), 3000))
    bench.run(4.0)
    assert bench.dice == (6, 6, 0, 0)
    bench.run(3.0)
    assert bench.dice == (6, 6, 0, 0)
    host.run(0.6)
    assert [event.roll_id for event in host.of(Rolled)] == [5]


@pytest.mark.parametrize("cause", ["reset", "brown_out", "power_on"])
def test_a_reset_in_mid_roll_ends_on_the_same_dice_once_the_host_is_back(
    host: Host, bench: Bench, cause: str
) -> None:
    host.ask(DiceRoll(7, bytes((0, 0, 5, 2)), 600))
    host.run(0.2)
    getattr(bench, cause)()
    reply = host.greet()
    assert reply.boot_id == 2
    expected = {"reset": ResetCause.EXTERNAL, "brown_out": ResetCause.BROWN_OUT, "power_on": ResetCause.POWER_ON}
    assert reply.reset_cause == expected[cause]
    assert host.ask(State()).roll_id == 0
    host.ask(DiceRoll(7, bytes((0, 0, 5, 2)), 0))
    host.run(0.05)
    assert bench.dice == (0, 0, 5, 2)
    assert [type(event) for _, event in host.events] == [Booted, Booted, Rolled]


def test_a_hanging_firmware_is_restarted_by_the_watchdog_within_half_a_second(host: Host, bench: Bench) -> None:
    host.ask(DiceShow(7, bytes((1, 2, 0, 0))))
    bench.hang()
    bench.run(0.5)
    assert bench.resets == 1
    reply = host.greet()
    assert (reply.reset_cause, reply.boot_id) == (ResetCause.WATCHDOG, 2)


@pytest.mark.parametrize("chip", ["atmega2560", "atmega328p"])
def test_the_buzzer_sounds_its_patterns_and_silent_mode_none(new_bench: Callable[..., Bench], chip: str) -> None:
    bench = new_bench(chip)
    host = Host(bench)
    host.greet()
    heard = {}
    for pattern in (Pattern.OK, Pattern.WRONG, Pattern.CALL, Pattern.FLAG):
        host.ask(Buzz(pattern))
        tones: Counter[int] = Counter()
        for _ in range(280):
            bench.run(0.0049)
            tones[round(bench.tone_hz, -2)] += 1
        heard[pattern] = {tone for tone, count in tones.items() if count >= 5}  # not the edge between two notes
    assert heard == {
        Pattern.OK: {0, 1500, 2000},
        Pattern.WRONG: {0, 600},
        Pattern.CALL: {0, 1000},
        Pattern.FLAG: {0, 1000, 2000},
    }
    host.ask(Config(255, 1000, 1, 0))
    host.ask(Buzz(Pattern.FLAG))
    host.run(0.1)
    assert bench.tone_hz == 0
    assert host.ask(Stats()).refused == 0
