"""Whole games with human-like handling and a camera's noise; the benchmark plays many more of them.

The noise is the measured one, and one that hides and blurs sites.
"""

from __future__ import annotations

import pytest

from tests.handling import Counts, Evening

CHUNKS, GAMES = 4, 75
"""Three hundred games, in parts that run side by side."""


def played(first: int, games: int, **options: object) -> Counts:
    counts = Counts()
    for seed in range(first, first + games):
        counts.add(Evening(seed, **options).play())  # type: ignore[arg-type]  # as `Evening` names them
    return counts


@pytest.mark.parametrize("noise", ["measured", "blurred"])
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_three_hundred_evenings_are_recorded_without_a_wrong_play_and_hardly_a_question(
    chunk: int, noise: str
) -> None:
    counts = played(7_000_000 + chunk * GAMES, GAMES, noise=noise)
    assert counts.games == GAMES
    assert (counts.wrong, counts.missed, counts.illegal_absorbed) == (0, 0, 0)
    assert counts.illegal_reported == counts.illegal > 0
    assert counts.asked <= 0.01 * counts.turns


@pytest.mark.parametrize("policy", ["legal", "responsible", "condoned"])
def test_no_wrong_play_is_recorded_and_no_wrong_play_absorbed(policy: str) -> None:
    counts = played(4_000, 5, policy=policy)
    assert counts.games == 5
    assert (counts.wrong, counts.illegal_absorbed) == (0, 0)
    assert counts.illegal_reported == counts.illegal
    assert counts.asked <= 0.02 * counts.turns


@pytest.mark.parametrize("lag_s", [0.5, 1.5, 4.0])
def test_pictures_that_come_late_change_the_order_of_nothing(lag_s: float) -> None:
    """Players who wait for nobody, before a camera whose pictures take up to `lag_s` to arrive."""
    counts = played(100, 8, lag_s=lag_s, illegal=0.0, noise="blurred")
    assert counts.games == 8
    assert (counts.wrong, counts.missed, counts.false_calls) == (0, 0, 0)
    assert counts.asked <= 0.02 * counts.turns


def test_wrong_plays_are_reported_before_a_late_camera_too() -> None:
    counts = played(300, 8, lag_s=1.5, illegal=0.03)
    assert (counts.wrong, counts.illegal_absorbed) == (0, 0)
    assert counts.illegal_reported == counts.illegal > 0


def test_the_same_seed_plays_the_same_game() -> None:
    one, two = Evening(99), Evening(99)
    assert one.play() == two.play()
    assert one.emitted == two.emitted
