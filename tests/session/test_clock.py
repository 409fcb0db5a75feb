"""The clock: exact, monotonic, never negative; reports of FEATURES (b) 32 to 40."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.errors import IllegalActionError
from controller.rules import Color
from controller.session import clock as c

W, B = Color.WHITE, Color.BLACK


def _clock(reserve_s: float = 60.0, delay_s: float = 12.0) -> c.Clock:
    return c.Clock(c.ClockSetting("delay", delay_s=delay_s), (reserve_s, reserve_s))


@pytest.mark.parametrize(
    ("setting", "length", "score", "minutes"),
    [
        (c.SINGLES, 11, (0, 0), 22),
        (c.SINGLES, 11, (4, 3), 15),
        (c.SINGLES, 7, (0, 0), 14),
        (c.DOUBLES, 7, (0, 0), 17.5),
        (c.DOUBLES, 7, (2, 1), 13.75),
        (c.ClockSetting("turn", delay_s=20), 5, (0, 0), 0),
        (c.SINGLES, 0, (5, 8), 30),
    ],
)
def test_reserve_follows_length_and_score(
    setting: c.ClockSetting, length: int, score: tuple[int, int], minutes: float
) -> None:
    """Features 54 and 55."""
    assert setting.reserve_s(length, score) == minutes * 60


def test_the_delay_is_used_before_the_reserve_and_comes_back_whole_each_turn() -> None:
    clock = c.started(_clock(), W, 100.0)
    clock = c.started(clock, B, 110.0)
    assert clock.reserve_s == (60.0, 60.0)
    clock = c.started(clock, W, 137.0)
    assert clock.reserve_s == (60.0, 45.0)
    assert clock.delay_left_s == 12.0


def test_ten_thousand_fast_hits_sum_to_the_wall_time() -> None:
    rng = random.Random(5)
    clock, at_s = c.started(_clock(reserve_s=1e6, delay_s=0.2), W, 3.0), 3.0
    for _ in range(10_000):
        at_s += rng.uniform(0.01, 0.6)
        assert clock.running is not None
        clock = c.started(clock, clock.running.opponent, at_s)
    assert sum(clock.used_s) == pytest.approx(at_s - 3.0, abs=0.010)
    assert sum(clock.used_s) < 1e6


def test_time_that_runs_backwards_charges_nothing() -> None:
    clock = c.started(_clock(), W, 100.0)
    assert c.charged(clock, 40.0) == clock
    assert c.started(clock, B, 90.0).since_s == 100.0


def test_the_flag_falls_once_and_the_reserve_never_goes_below_zero() -> None:
    clock = c.started(_clock(reserve_s=5.0, delay_s=2.0), W, 0.0)
    assert c.flag_at_s(clock) == 7.0
    assert c.fallen(clock, 6.99) is None
    assert c.fallen(clock, 7.0) is W
    later = c.charged(clock, 500.0)
    assert later.reserve_s == (0.0, 5.0)
    called = c.replace(later, flagged=W)
    assert c.fallen(called, 900.0) is None


def test_a_pause_inside_the_delay_with_no_reserve_keeps_the_delay() -> None:
    """simenheg/simple-chess-clock#9: pausing failed with a delay and an empty reserve."""
    clock = c.started(_clock(reserve_s=0.0), B, 50.0)
    still = c.paused(clock, "fallen dice", 53.0)
    assert (still.running, still.paused, still.delay_left_s) == (None, "fallen dice", 9.0)
    assert c.charged(still, 500.0) == still
    again = c.resumed(still, 200.0)
    assert (again.running, again.delay_left_s, c.flag_at_s(again)) == (B, 9.0, 209.0)


def test_only_the_reasons_of_the_rules_stop_both_clocks() -> None:
    for reason in ("concession", "break", "fallen dice", "contest", "early dice", "director"):
        assert c.paused(c.started(_clock(), W, 0.0), reason, 1.0).paused == reason
    with pytest.raises(IllegalActionError, match="cocked dice"):
        c.paused(_clock(), "cocked dice", 1.0)


def test_a_power_cut_is_charged_to_nobody() -> None:
    clock = c.restarted(c.started(_clock(), W, 10.0))
    assert clock.reserve_s == (60.0, 60.0)
    assert c.resumed(clock, 5.0).running is W


def test_a_clock_started_during_a_pause_waits_for_its_end() -> None:
    clock = c.started(c.paused(c.started(_clock(), W, 0.0), "director", 3.0), B, 4.0)
    assert clock.running is None
    assert c.resumed(clock, 10.0).running is B


def test_the_director_sets_the_reserves_and_the_flag_can_fall_again() -> None:
    clock = c.replace(c.started(_clock(), W, 0.0), flagged=W)
    assert c.edited(clock, (30.0, 90.0), 2.0).reserve_s == (30.0, 90.0)
    assert c.edited(clock, (30.0, 90.0), 2.0).flagged is None
    with pytest.raises(IllegalActionError):
        c.edited(clock, (-1.0, 0.0), 2.0)


def test_without_a_clock_nothing_is_shown_and_nothing_charged() -> None:
    clock = c.started(c.new_clock(c.ClockSetting(), 7), W, 1.0)
    assert c.seen_at(clock, 100.0) is None
    assert c.paused(clock, "director", 2.0).paused is None


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["white", "black", "pause", "resume", "look"]), st.floats(-5, 40)), max_size=60
)


@given(ACTIONS)
def test_reserves_only_fall_and_charged_time_equals_running_time(actions: list[tuple[str, float]]) -> None:
    clock, at_s, latest_s, ran_s = _clock(), 100.0, 100.0, 0.0
    for action, step_s in actions:
        at_s += step_s
        if clock.running is not None:
            ran_s += max(0.0, at_s - clock.since_s) if action != "resume" else 0.0
        before = clock
        if action in ("white", "black"):
            clock = c.started(clock, Color(action), at_s)
        elif action == "pause":
            clock = c.paused(clock, "director", at_s)
        elif action == "resume":
            clock = c.resumed(clock, at_s)
        else:
            clock = c.charged(clock, at_s)
        latest_s = max(latest_s, at_s)
        assert all(0.0 <= now <= then for now, then in zip(clock.reserve_s, before.reserve_s, strict=True))
    assert sum(clock.used_s) == pytest.approx(ran_s)
