"""The first play of a game, where pictures hardly show it: no later throw is taken for its roll."""

from __future__ import annotations

from controller.rules import Color, Roll
from controller.session import facts
from controller.session.throwers import Habit
from tests.scenarios.runner import Scenario
from tests.session.misreading import see, types
from tests.simulated import die

WHITE, BLACK = Color.WHITE, Color.BLACK


def recorded(table: Scenario) -> list[tuple[object, object]]:
    """Return the two dice of the opening roll, White's first, and each play with its player."""
    names = {"opening_roll": ("white", "black"), "play": ("player", "play")}
    found = [(line, names[str(line["type"])]) for line in table.lines if line["type"] in names]
    return [(line[one], line[other]) for line, (one, other) in found]


def test_a_first_play_that_is_not_seen_is_found_when_the_other_one_has_played() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("6", "5")
    table.slide("white", "24/18", "18/13")
    table.press("clock", "white")
    see(table, 24, 2, 0.4)
    table.dice.clear()
    see(table, 24, 2, 0.4)
    table.throw(BLACK, Roll.of(3, 2))
    see(table, 24, 2, 0.4, table.dice[BLACK])
    assert types(table) == ["match_start", "game_start"]
    table.slide("black", "24/21", "6/4")
    table.press("clock", "black")
    see(table, 24, 2, -0.6, table.dice[BLACK])
    assert recorded(table) == [(6, 5), ("white", "24/13"), ("black", "24/21 6/4")]


def test_equal_dice_after_the_clock_was_pressed_are_no_tie() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("6", "5")
    table.slide("white", "24/18", "18/13")
    table.press("clock", "white")
    see(table, 24, 2, 0.4)
    table.dice.clear()
    table.throw(BLACK, Roll.of(3, 3))
    see(table, 24, 2, 0.4, table.dice[BLACK])
    assert types(table) == ["match_start", "game_start"]


def test_a_first_play_that_is_hardly_seen_and_ended_by_lifting_a_die_is_no_throw_of_the_other_player() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("6", "1")
    table.slide("white", "13/7", "7/6")
    table.dice.pop(WHITE)
    see(table, 13, 5, -0.9, table.dice[BLACK])
    table.throw(BLACK, Roll.of(2, 1))
    see(table, 13, 5, -0.9, table.dice[BLACK])
    table.slide("black", "6/4", "8/7")
    see(table, 13, 5, -0.9, table.dice[BLACK])
    table.press("clock", "black")
    see(table, 13, 5, -0.9, table.dice[BLACK])
    assert recorded(table) == [(6, 1), ("white", "13/6"), ("black", "8/7 6/4")]


def test_a_throw_of_which_one_die_lies_where_an_opening_die_lay_is_no_opening_roll() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("4", "3")
    (x, y), half = table.dice[BLACK][0].xy_px, table.dice[BLACK][0].half
    table.dice.clear()
    table.slide("white", "13/9", "9/6")
    reply = (die(4, (x + 10, y - 5), dice_set=1, half=half), die(2, (x + 70, y + 20), dice_set=1, half=half))
    see(table, 13, 5, -1.1, reply)
    table.slide("black", "24/20", "13/11")
    see(table, 13, 5, -1.1, reply)
    table.press("clock", "black")
    see(table, 13, 5, -1.1, reply)
    assert recorded(table) == [(4, 3), ("white", "13/6"), ("black", "24/20 13/11")]


def test_a_first_play_from_a_site_that_says_nothing_to_a_tall_stack_is_no_throw_of_the_other_player() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("2", "5")
    table.slide("black", "13/8", "8/6")
    see(table, 12, -5, 0.0, (*table.dice[WHITE], *table.dice[BLACK]))
    table.dice.clear()
    see(table, 12, -5, 0.0)
    table.throw(WHITE, Roll.of(5, 3))
    see(table, 12, -5, 0.0, table.dice[WHITE])
    table.slide("white", "24/21", "21/16")
    see(table, 12, -5, 0.0, table.dice[WHITE])
    table.throw(BLACK, Roll.of(5, 4))
    see(table, 12, -5, 0.0, (*table.dice[WHITE], *table.dice[BLACK]))
    table.wait("5")
    assert (5, 3) not in recorded(table)


def test_a_half_made_first_play_is_no_whole_one_because_the_other_player_pressed_the_clock() -> None:
    table = Scenario()
    table.match("3", "dice=manual")
    table.look()
    table.press("clock", "black")
    table.look()
    table.move("white", "24/18")
    assert types(table) == ["match_start", "game_start"]
    table.slide("white", "13/11")
    table.press("clock", "white")
    table.look()
    assert table.lines[-1]["play"] == "24/18 13/11"


def test_one_site_that_is_misread_when_the_players_roll_is_no_whole_first_play_to_a_tall_stack() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    for player, value in ((WHITE, 5), (BLACK, 6)):
        table.throw(player, Roll.of(value, value))
        table.dice[player] = table.dice[player][:1]
    see(table, 24, 1, 7.8, (*table.dice[WHITE], *table.dice[BLACK]))
    assert types(table) == ["match_start", "game_start"]
    table.slide("black", "13/7", "13/8")
    table.press("clock", "black")
    table.look()
    assert recorded(table) == [(5, 6), ("black", "13/8 13/7")]


def test_whose_dice_are_whose_is_open_again_when_the_director_sets_the_position_in_the_first_turn() -> None:
    table = Scenario()
    table.match("3")
    table.look()
    table.opening("6", "1")
    table.slide("white", "13/7", "8/7")
    table.look()
    assert types(table)[-1] == "opening_roll"
    assert table.state.sight.habits == (Habit(0, (0, 1)), Habit(1, (1, 0)))
    table.happen(facts.PositionSet(position=table.board, turn=BLACK))
    assert table.state.sight.habits == (Habit(), Habit())
