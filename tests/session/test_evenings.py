"""Whole games with human-like handling and a camera's noise; the benchmark plays many more of them."""

from __future__ import annotations

import pytest

from tests.handling import Counts, Evening


@pytest.mark.parametrize("policy", ["legal", "responsible", "condoned"])
def test_no_wrong_play_is_recorded_and_no_wrong_play_absorbed(policy: str) -> None:
    counts = Counts()
    for seed in range(5):
        counts.add(Evening(4_000 + seed, policy=policy).play())
    assert counts.games == 5
    assert (counts.wrong, counts.illegal_absorbed) == (0, 0)
    assert counts.illegal_reported == counts.illegal
    assert counts.asked <= 0.02 * counts.turns


def test_the_same_seed_plays_the_same_game() -> None:
    one, two = Evening(99), Evening(99)
    assert one.play() == two.play()
    assert one.emitted == two.emitted
