"""Plays that hang on one reading of one site: the board is read once more, or the next picture awaited."""

from __future__ import annotations

from tests.scenarios.runner import Scenario
from tests.session.misreading import see, types


def bearing_off_the_last_six() -> Scenario:
    """Return a table at which White bears off the last six checkers."""
    table = Scenario()
    table.match("3", "dice=keyed")
    table.position("-CBA-------------------bf-", "white")
    table.look()
    return table


def test_a_play_that_one_wrong_reading_may_have_made_of_another_waits_for_the_next_one() -> None:
    table = bearing_off_the_last_six()
    table.watcher.rereads = False
    table.roll("white", "52")
    table.slide("white", "3/off", "2/off")
    table.press("clock", "white")
    see(table, 1, 4, 11.0)
    assert types(table)[-1] == "roll"
    for _ in range(4):
        table.look()
    assert table.lines[-1]["play"] == "3/off 2/off"


def test_a_play_that_one_wrong_reading_may_have_made_of_another_is_read_again() -> None:
    table = bearing_off_the_last_six()
    table.roll("white", "52")
    table.slide("white", "3/off", "2/off")
    table.press("clock", "white")
    see(table, 1, 4, 5.0, once=True)
    table.wait("2.5")
    assert table.lines[-1]["play"] == "3/off 2/off"


def three_of_four_threes() -> Scenario:
    """Return a table at which Black has played 3-3 but for one checker, which stands on a stack."""
    table = Scenario()
    table.match("3", "dice=keyed")
    table.position("-DDEA------------a--bbcbe-", "black")
    table.look()
    table.roll("black", "33")
    table.put("17", "0", "21", "-1", "23", "-3", "24", "-6")
    return table


def test_a_wrong_play_that_one_reading_shows_as_a_legal_one_is_read_again() -> None:
    table = three_of_four_threes()
    see(table, 21, 0, 9.9, once=True)
    table.press("clock", "black")
    table.look()
    table.wait("4")
    assert (table.lines[-1]["type"], table.lines[-1]["sites"]) == ("question", [21, 24])


def test_a_wrong_play_that_every_reading_shows_as_a_legal_one_cannot_be_told() -> None:
    table = three_of_four_threes()
    see(table, 21, 0, 9.9)
    table.press("clock", "black")
    see(table, 21, 0, 9.9)
    assert table.lines[-1]["play"] == "8/2 4/1(2)"


def test_a_play_that_is_told_by_one_site_is_recorded_when_nothing_moves_for_a_while() -> None:
    table = bearing_off_the_last_six()
    table.watcher.rereads = False
    table.roll("white", "52")
    table.slide("white", "3/off", "2/off")
    table.press("clock", "white")
    table.look()
    assert types(table)[-1] == "roll"
    table.wait("3")
    assert table.lines[-1]["play"] == "3/off 2/off"
