"""Pictures that are not clear: waited for, asked about, and never taken for a play by what comes later."""

from __future__ import annotations

from dataclasses import replace

from controller.board import START_BOARD, Board, DieReading
from controller.ports import Watched
from controller.reconcile import Ambiguous, Completed, Evidence, InProgress, reconcile
from controller.rules import Color, Roll, parse_position
from controller.session import events, plays
from controller.session.doubts import doubtful
from controller.session.facts import Asked
from controller.session.standing import standing_board
from controller.session.state import Draft
from tests.scenarios.runner import Scenario
from tests.session.misreading import misread, see, types
from tests.simulated import after, observe, thrown

WHITE, BLACK = Color.WHITE, Color.BLACK


def evening(*options: str) -> Scenario:
    """Return a table at which White has played 6-2 and Black is to roll."""
    table = Scenario()
    table.match("3", *options)
    table.look()
    table.opening("6", "2")
    table.move("white", "24/18", "13/11")
    table.press("clock", "white")
    table.look()
    return table


def with_a_hit(site: int, count: int, by: float) -> Scenario:
    """Return a table at which Black has hit and pressed the clock, and the first picture since misreads a site."""
    table = evening("dice=keyed")
    table.roll("black", "61")
    table.slide("black", "13/7*", "8/7")
    table.press("clock", "black")
    see(table, site, count, by)
    return table


def with_an_unclear_play() -> Scenario:
    """Return a table at which Black has hit, and the site he left has looked wrong for a second."""
    table = with_a_hit(17, -3, 7.0)
    table.wait("1")
    return table


def test_one_unclear_picture_is_not_asked_about_when_the_next_one_is_clear() -> None:
    table = evening("dice=keyed")
    table.roll("black", "61")
    table.slide("black", "13/7", "8/7")
    table.bar("white", "1")
    table.press("clock", "black")
    see(table, 24, 1, 8.0)
    assert "question" not in types(table)
    table.look()
    assert types(table)[-2:] == ["roll", "play"]


def test_what_stays_unclear_is_asked_about() -> None:
    table = with_an_unclear_play()
    assert types(table)[-1] == "question"


def test_a_misread_site_is_asked_about_once_and_not_in_every_turn() -> None:
    table = with_an_unclear_play()
    table.choose("1")
    table.roll("white", "31")
    table.slide("white", "bar/24", "13/10")
    table.press("clock", "white")
    see(table, 17, -3, 7.0)
    assert types(table)[-3:] == ["play", "roll", "play"]


def test_what_was_misread_before_says_nothing_until_the_site_looks_otherwise() -> None:
    seen = misread(observe(START_BOARD, 0.0), 6, 4, 5.0)
    points = START_BOARD.seen_by(WHITE).points
    earlier = Evidence.of(seen)
    assert earlier.rows[6][5] < -4.0
    again = earlier.relative_to(earlier, points)
    assert again.rows[6][5] == again.rows[6][4] == 0.0
    assert again.rows[:6] == earlier.rows[:6]
    moved = Evidence.of(observe(after(START_BOARD, WHITE, "6/3 6/5"), 1.0))
    assert moved.relative_to(earlier, points).rows[6][5] == moved.rows[6][5]


def test_a_checker_that_a_tall_stack_may_hide_is_doubted_where_its_site_looks_as_before() -> None:
    old = Board((0, 4, 3, 3, 0, -1, 3, 0, 2, 0, -2, 0, 0, 0, 0, 0, 0, -2, 0, -2, 0, -5, -2, -1))
    said = after(old, WHITE, "7/2 3/2")
    made = after(old, WHITE, "7/2")
    earlier = Evidence.of(misread(observe(old, 0.0), 3, 2, -0.1))
    seen = Evidence.of(misread(observe(made, 1.0), 3, 2, -0.1))
    assert doubtful(old, said, seen, earlier)
    assert not doubtful(old, said, Evidence.of(observe(said, 1.0)), earlier)


def test_what_was_unclear_before_and_is_not_used_is_not_doubted() -> None:
    old = Board((0, 4, 3, 3, 0, -1, 3, 0, 2, 0, -2, 0, 0, 0, 0, 0, 0, -2, 0, -2, 0, -5, -2, -1))
    said = after(old, WHITE, "7/2 3/2")
    earlier = Evidence.of(misread(observe(old, 0.0), 1, 1, -0.1))
    seen = Evidence.of(misread(observe(said, 1.0), 1, 1, -0.1))
    assert not doubtful(old, said, seen, earlier)
    assert doubtful(old, said, seen)


def alike(roll: str) -> tuple[DieReading, ...]:
    """Return a throw whose dice could be anybody's."""
    return tuple(replace(die, dice_set=None) for die in thrown(Roll(int(roll[0]), int(roll[1]))))


def test_a_throw_is_the_own_one_of_who_has_not_moved_whatever_one_picture_seemed_to_show() -> None:
    table = evening("dice=camera")
    table.lift("white")
    table.lift("black")
    see(table, 6, 4, 4.0)
    see(table, 6, 5, -9.0, alike("31"))
    assert types(table)[-1] == "roll"
    assert table.lines[-1]["player"] == "black"


def test_dice_thrown_after_a_play_do_not_tell_which_play_it_was() -> None:
    table = evening("dice=camera")
    table.position("-EACD-A-----------------h-", "white")
    table.slide("white", "6/1", "1/off")
    table.lift("white")
    see(table, 24, -5, -9.0, alike("51"))
    assert "play" not in types(table)[types(table).index("position_set") :]
    table.wait("3")
    assert types(table)[-1] == "question"


def test_a_site_whose_counts_no_sensor_can_tell_apart_is_not_doubted_in_every_turn() -> None:
    old = Board((0, 4, 3, 3, 0, -1, 3, 0, 2, 0, -2, 0, 0, 0, 0, 0, 0, -2, 0, -2, 0, -5, -2, -1))
    said = after(old, WHITE, "7/2 3/2")
    earlier = Evidence.of(misread(observe(old, 0.0), 3, 2, 0.0))
    seen = Evidence.of(misread(observe(said, 1.0), 3, 1, 0.0))
    assert not doubtful(old, said, seen, earlier)


def test_a_checker_that_a_tall_stack_beside_its_site_may_have_taken_is_doubted() -> None:
    old = after(START_BOARD, WHITE, "13/6")
    said = after(old, WHITE, "8/5")
    begun = Evidence.of(misread(observe(old, 0.0), 5, 1, 6.0))
    seen = Evidence.of(misread(observe(after(old, WHITE, "8/6"), 1.0), 5, 1, 6.0))
    assert doubtful(old, said, seen.relative_to(begun, old.seen_by(WHITE).points), begun)


def test_a_checker_on_its_way_to_a_tall_stack_may_be_one_that_has_come_to_look_like_none() -> None:
    said, made = after(START_BOARD, WHITE, "24/13"), after(START_BOARD, WHITE, "24/18")
    begun = Evidence.of(observe(START_BOARD, 0.0))
    assert doubtful(START_BOARD, said, Evidence.of(misread(observe(made, 1.0), 18, 0, 1.9)), begun)
    assert not doubtful(START_BOARD, said, Evidence.of(observe(said, 1.0)), begun)


def test_a_checker_that_looks_as_if_it_had_not_come_may_have_been_borne_off() -> None:
    counts = {1: 3, 2: 3, 3: 3, 4: 3, 6: 2, 13: 1, 20: -1, 21: -1, 22: -3, 23: -5, 24: -4}
    old = Board(tuple(counts.get(site, 0) for site in range(1, 25)))
    said, made = after(old, BLACK, "5/3 2/1"), after(old, BLACK, "5/3 2/off")
    begun = Evidence.of(misread(observe(old, 0.0), 24, -5, -0.8))
    assert doubtful(old, said, Evidence.of(misread(observe(made, 1.0), 24, -5, -0.8)), begun)
    assert not doubtful(old, said, Evidence.of(observe(said, 1.0)), begun)


def test_a_checker_that_a_tall_stack_may_have_given_to_a_site_that_looks_fuller_is_doubted() -> None:
    counts = {1: 4, 2: 2, 3: 2, 16: -1, 21: -3, 22: -4, 23: -7}
    old = Board(tuple(counts.get(site, 0) for site in range(1, 25)))
    said, made = after(old, BLACK, "9/1"), after(old, BLACK, "9/3 2/1")
    begun = Evidence.of(observe(old, 0.0))
    assert doubtful(old, said, Evidence.of(misread(observe(made, 1.0), 22, -4, -0.9)), begun)
    assert not doubtful(old, said, Evidence.of(observe(said, 1.0)), begun)


def test_a_start_position_that_is_misread_at_one_site_is_no_beginning() -> None:
    table = Scenario()
    table.match("3")
    see(table, 12, -4, 8.0)
    for player, face in ((WHITE, 1), (BLACK, 6)):
        table.throw(player, Roll(face, face))
    dice = [table.dice[player][0] for player in (WHITE, BLACK)]
    see(table, 12, -4, 8.0, dice)
    assert types(table) == ["match_start", "game_start"]
    table.slide("black", "13/7", "8/7")
    table.press("clock", "black")
    table.happen(events.Observed(observe(table.board, table.tick(), dice=dice)))
    assert table.lines[-1]["play"] == "13/7 8/7"


def test_what_was_misread_before_a_wrong_play_is_no_part_of_it() -> None:
    table = bearing_off("moves=condoned", misread=(18, -2))
    table.slide("white", "6/4", "5/4")
    table.press("clock", "white")
    for _ in range(2):
        see(table, 18, -2, 4.0)
    assert (table.lines[-1]["play"], table.lines[-1]["illegal"]) == ("6/4 5/4", True)
    assert table.lines[-1]["position"]["points"][17] == -3


def with_a_stray_checker() -> Scenario:
    """Return a table at which Black has played, and the first picture since shows a checker of his too many."""
    table = with_a_hit(14, -1, 12.0)
    assert types(table)[-1] == "roll"
    return table


def test_a_site_that_looks_wrong_on_one_picture_is_read_again_before_the_play_is_called_wrong() -> None:
    table = with_a_stray_checker()
    table.look()
    assert table.lines[-1]["play"] == "13/7* 8/7"


def test_a_site_that_looks_wrong_twice_makes_a_wrong_play() -> None:
    table = with_a_stray_checker()
    see(table, 14, -1, 12.0)
    assert (table.lines[-1]["type"], table.lines[-1]["sites"]) == ("illegal", [14])


def test_a_site_that_looks_wrong_on_the_one_picture_there_is_makes_a_wrong_play_after_a_moment() -> None:
    table = with_a_stray_checker()
    table.wait("3")
    assert (table.lines[-1]["type"], table.lines[-1]["sites"]) == ("illegal", [14])


def test_a_checker_bumped_as_the_turn_ends_does_not_make_another_play() -> None:
    table = Scenario()
    table.match("3", "dice=manual")
    table.look()
    table.move("white", "24/18", "13/11")
    table.press("clock", "white")
    table.look()
    table.move("black", "13/8", "6/3")
    table.press("clock", "black")
    table.put("22", "0", "21", "-1")
    table.look()
    assert [line["player"] for line in table.lines if line["type"] == "play"] == ["white"]
    table.put("22", "-1", "21", "0")
    table.look()
    assert [line["play"] for line in table.lines if line["type"] == "play"][1:] == ["13/8 6/3"]


def test_a_checker_bumped_as_the_opponent_rolls_does_not_make_another_play() -> None:
    table = evening()
    table.lift("white")
    table.slide("black", "13/8", "6/3")
    table.look()
    table.throw(WHITE, Roll(4, 1))
    table.put("22", "0", "21", "-1")
    table.look()
    assert (types(table)[-1], table.lines[-1]["player"]) == ("play", "white")
    table.put("22", "-1", "21", "0")
    table.look()
    table.wait("4")
    question = table.state.ledger.question
    assert isinstance(question, Asked)
    assert [choice.text for choice in question.choices] == ["13/8 6/3"]
    table.choose("1")
    black, roll = table.lines[-2:]
    assert (black["play"], roll["player"], roll["roll"]) == ("13/8 6/3", "white", [4, 1])


def test_a_play_whose_roll_the_camera_has_not_seen_is_asked_about() -> None:
    table = evening("dice=camera")
    table.lift("white")
    table.move("black", "13/8", "6/3")
    table.press("clock", "black")
    table.look()
    table.wait("2")
    assert types(table)[-1] == "play"
    assert table.lines[-1]["player"] == "white"
    table.wait("2")
    question = table.state.ledger.question
    assert isinstance(question, Asked)
    assert [choice.text for choice in question.choices] == ["13/8 6/3"]
    table.choose("1")
    assert table.lines[-1]["play"] == "13/8 6/3"


def test_a_play_seen_whole_before_the_next_roll_is_not_called_wrong_for_what_is_seen_after_it() -> None:
    table = evening("dice=keyed")
    table.position("-GBB-B-----------------bf-", "white")
    table.roll("white", "61")
    table.move("white", "5/off", "1/off")
    table.roll("black", "52")
    see(table, 9, 1, 20.0)
    table.wait("1")
    assert "illegal" not in types(table)
    question = table.state.ledger.question
    assert isinstance(question, Asked)
    assert (question.sites, [choice.text for choice in question.choices]) == ((9,), ["5/off 1/off"])
    table.choose("1")
    assert [body["type"] for body in table.lines if body["type"] in ("play", "roll")][-2:] == ["play", "roll"]
    assert table.lines[-1]["player"] == "black"


def test_a_play_seen_whole_before_the_opponents_dice_is_not_called_wrong_for_what_is_seen_after_them() -> None:
    table = evening("dice=camera")
    table.lift("white")
    table.position("-GBB-B-----------------bf-", "white")
    table.roll("white", "61")
    table.move("white", "5/off", "1/off")
    table.throw(BLACK, Roll(5, 2))
    see(table, 9, 1, 20.0, table.dice[BLACK])
    table.wait("3")
    assert "illegal" not in types(table)
    question = table.state.ledger.question
    assert isinstance(question, Asked)
    assert (question.sites, [choice.text for choice in question.choices]) == ((9,), ["5/off 1/off"])
    table.choose("1")
    assert [body["type"] for body in table.lines if body["type"] in ("play", "roll")][-2:] == ["play", "roll"]


def test_who_has_rolled_and_not_moved_since_has_not_hit_on_top_of_another_play() -> None:
    table = evening("dice=camera")
    table.lift("white")
    table.position("-aECCBB---b-----a---babcc-", "white")

    def see_sharply(sharpness: float) -> None:
        dice = [die for player in Color for die in table.dice.get(player, ())]
        table.happen(events.Observed(observe(table.board, table.tick(), dice=dice, sharpness=sharpness)))

    table.throw(WHITE, Roll(5, 1))
    see_sharply(9.0)
    table.put("6", "1", "5", "1", "4", "4")
    see_sharply(9.0)
    table.press("clock", "white")
    see_sharply(9.0)
    table.dice.pop(WHITE)
    table.throw(BLACK, Roll(6, 1))
    see_sharply(9.0)
    table.wait("4")
    assert types(table)[-1] == "question"
    see_sharply(14.0)
    assert types(table)[-1] == "question"


def test_dice_seen_first_with_a_play_of_another_roll_may_be_either_players() -> None:
    table = evening()
    table.lift("white")
    table.throw(BLACK, Roll(4, 1))
    table.dice[BLACK] = tuple(replace(die, dice_set=None) for die in table.dice[BLACK])
    table.slide("black", "13/8", "6/3")
    table.look()
    assert (types(table)[-1], table.lines[-1]["player"]) == ("play", "white")
    table.press("clock", "black")
    table.wait("4")
    assert table.lines[-1]["type"] == "question"
    assert "13/8 6/3" in [choice["text"] for choice in table.lines[-1]["choices"]]


def test_dice_seen_first_with_a_play_are_nobodys_where_a_tall_stack_leaves_it_another_roll() -> None:
    table = evening("dice=camera")
    table.lift("white")
    text = "-BC---CBB------BA---aaece-"
    table.put()
    table.board = Board.of(parse_position(text), WHITE)
    table.look()
    table.position(text, "black")
    table.put("20", "0", "21", "0")
    dice = [replace(each, dice_set=None) for each in thrown(Roll(4, 2))]
    table.happen(events.Observed(observe(table.board, table.tick(), dice=dice)))
    assert types(table)[-1] == "position_set"


def test_a_roll_thrown_after_the_opponent_has_moved_is_not_the_roll_of_that_move() -> None:
    table = evening("signals=clock,dice")
    table.lift("white")
    table.roll("black", "61")
    table.slide("black", "13/7*", "8/7")
    table.look()
    table.slide("white", "bar/22", "6/5")
    table.look()
    table.throw(WHITE, Roll(6, 4))
    table.look()
    table.wait("3")
    assert (table.lines[-1]["type"], table.lines[-1]["about"]) == ("question", "position")


def test_one_reading_among_others_between_which_nothing_moved_does_not_bear_off_a_checker() -> None:
    table = bearing_off()
    table.slide("white", "5/off")
    table.look()
    table.press("clock", "white")
    see(table, 4, 0, 3.0)
    assert types(table)[-1] == "roll"
    table.move("white", "4/off")
    table.press("clock", "white")
    table.look()
    assert table.lines[-1]["play"] == "5/off 4/off"


def test_a_site_that_was_misread_before_tells_nothing_of_the_play_that_used_it() -> None:
    table = bearing_off()
    table.slide("white", "6/2")
    table.press("clock", "white")
    see(table, 5, 1, 4.0)
    assert types(table)[-1] == "roll"
    table.wait("4")
    assert table.lines[-1]["type"] == "question"


def bearing_off(*options: str, misread: tuple[int, int] = (5, 1)) -> Scenario:
    """Return a table at which White has rolled 5-4, and one site has looked as if it held one checker less."""
    table = Scenario()
    table.match("3", "dice=keyed", *options)
    table.position("-FBCABA----------bb-----h-", "black")
    table.look()
    table.roll("black", "61")
    table.slide("black", "8/2", "8/7")
    table.press("clock", "black")
    see(table, *misread, 4.0)
    table.roll("white", "54")
    return table


def test_what_means_the_same_is_one_answer() -> None:
    table = Scenario()
    table.match("3", "dice=keyed")
    table.opening("3", "1")
    table.put("8", "2", "6", "4", "5", "1")
    table.look()
    table.press("clock", "white")
    table.look()
    table.wait("2")
    assert [choice["text"] for choice in table.lines[-1]["choices"]] == ["8/5 6/5", "not finished"]


def test_missed_plays_are_told_though_a_site_is_misread_as_it_was_before_them() -> None:
    table = Scenario()
    table.match("3", "dice=manual")
    table.look()
    table.slide("white", "24/18", "13/8")
    table.press("clock", "white")
    see(table, 1, -3, 4.8)
    assert types(table)[-1] == "play"
    table.camera("lost")
    table.slide("black", "13/7*", "8/7")
    table.slide("white", "bar/21", "13/8")
    table.camera("found")
    table.press("clock", "black")
    see(table, 1, -3, 7.0)
    assert [body["play"] for body in table.lines if body["type"] == "play"][1:] == ["13/7* 8/7"]


def test_a_checker_that_is_gone_may_stand_on_a_stack_too_tall_to_be_counted() -> None:
    old = Board((0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -2, 0, 0, -2, -5, -4, -2))
    made = after(old, BLACK, "7/2 7/2 4/1 4/off")
    assert standing_board(old, BLACK, Evidence.of(observe(made, 0.0))) is None
    lower = after(old, BLACK, "7/6 7/5 4/1")
    assert standing_board(old, BLACK, Evidence.of(observe(lower, 0.0))) == lower


def test_a_lone_checker_that_may_be_overlooked_is_not_taken_for_borne_off() -> None:
    table = Scenario()
    table.match("3", "dice=keyed")
    table.position("-A---AA----------------bf-", "white")
    table.look()
    table.roll("white", "61")
    table.slide("white", "6/5", "5/off")
    table.press("clock", "white")
    see(table, 1, 0, 6.0)
    see(table, 1, 0, 6.0)
    table.wait("4")
    question = table.state.ledger.question
    assert isinstance(question, Asked)
    assert [choice.text for choice in question.choices] == ["6/off 1/off"]


def test_a_wrong_play_does_not_explain_a_checker_more_than_the_opponent_has() -> None:
    made = observe(after(START_BOARD, WHITE, "24/18 13/11"), 0.0)
    whose, gone = (misread(made, 18, count, 5.5) for count in (-1, 0))
    assert isinstance(reconcile(START_BOARD, WHITE, Roll(6, 2), whose, turn_ended=True), Completed)
    assert isinstance(reconcile(START_BOARD, WHITE, Roll(6, 2), gone, turn_ended=True), Ambiguous)


def test_a_checker_that_no_stack_can_have_given_is_not_doubted() -> None:
    old = Board((0, 0, 0, 0, -2, 0, 0, 0, -1, 0, 3, 0, 0, 3, 3, 3, 3, 0, 0, -3, -4, 0, -1, -4))
    said = after(old, BLACK, "20/16 2/1")
    assert not doubtful(old, said, Evidence.of(misread(observe(said, 0.0), 23, -1, 0.6)))
    higher = Board((0, 0, 0, 0, -2, 0, 0, 0, -1, 0, 3, 0, 0, 3, 3, 3, 3, 0, 0, -3, -3, 0, -1, -5))
    said = after(higher, BLACK, "20/16 2/1")
    assert doubtful(higher, said, Evidence.of(misread(observe(said, 0.0), 23, -1, 0.6)))
    assert not doubtful(higher, said, Evidence.of(misread(observe(said, 0.0), 5, -2, 0.6)))


def test_a_play_is_doubted_where_its_last_move_looks_as_if_it_were_not_made() -> None:
    said = after(START_BOARD, WHITE, "13/9 8/7")
    one = misread(observe(said, 0.0), 8, 3, 0.7)
    both = misread(one, 7, 0, 1.2)
    assert doubtful(START_BOARD, said, Evidence.of(both))
    assert not doubtful(START_BOARD, said, Evidence.of(one))
    begun = Evidence.of(misread(misread(observe(START_BOARD, 0.0), 13, 6, 0.7), 17, -2, 1.2))
    assert not doubtful(START_BOARD, START_BOARD, begun, begun)


def test_what_stands_is_not_certain_where_a_lone_checker_was_misread_and_may_be_gone() -> None:
    old = Board.of(parse_position("-ABCABA----------------ad-"), WHITE)
    assert old.points[22:] == (-1, -4)
    gone = Board((*old.points[:22], 0, -4))
    begun = Evidence.of(misread(observe(old, 0.0), 23, 0, 0.5))
    seen = Evidence.of(misread(observe(old, 1.0), 23, 0, 0.5)).relative_to(begun, old.seen_by(WHITE).points)
    assert standing_board(old, BLACK, seen) is None
    assert standing_board(old, BLACK, Evidence.of(observe(gone, 1.0))) == gone
    assert standing_board(old, BLACK, Evidence.of(observe(old, 1.0))) == old


def test_one_place_read_wrong_once_makes_no_wrong_play_that_stands_when_the_next_roll_is_entered() -> None:
    table = Scenario()
    table.match("3", "dice=keyed")
    table.look()
    table.opening("4", "1")
    table.slide("white", "13/9", "6/5")
    seen = misread(misread(observe(table.board, table.tick()), 9, 2, 12.0), 5, 0, -0.3)
    table.happen(events.Observed(seen))
    table.roll("black", "61")
    table.happen(Watched("still", table.tick()))
    assert "play" not in types(table)
    table.look()
    table.roll("black", "61")
    table.look()
    played = [line for line in table.lines if line["type"] == "play"]
    assert [(line["play"], line["illegal"]) for line in played] == [("13/9 6/5", False)]


def borne_off_unseen() -> Scenario:
    """Return a table at which White's last checker is gone, which neither dice nor the site tell for certain."""
    table = Scenario()
    table.match("1")
    table.position("-A----------------------g-", "white")
    table.look()
    table.slide("white", "1/off")
    see(table, 1, 1, 0.0)
    see(table, 1, 1, -1.4)
    for _ in range(3):
        table.wait("1")
        see(table, 1, 1, -1.4)
    return table


def test_a_last_checker_that_may_have_been_borne_off_unseen_is_asked_about() -> None:
    table = borne_off_unseen()
    assert [choice["text"] for choice in table.lines[-1]["choices"]] == ["1/off", "nothing moved"]
    table.choose("1")
    assert types(table)[-1] == "match_end"


def test_what_was_denied_to_have_moved_is_not_asked_about_again() -> None:
    table = borne_off_unseen()
    table.choose("2")
    asked = types(table).count("question")
    table.wait("5")
    see(table, 1, 1, -1.4)
    table.wait("5")
    assert types(table).count("question") == asked == 1


def test_a_checker_borne_off_from_a_site_that_says_nothing_is_asked_about() -> None:
    table = Scenario()
    table.match("1", "dice=keyed")
    table.position("-DBC--------------------a-", "white")
    see(table, 1, 3, 0.0)
    table.roll("white", "61")
    table.put("3", "2")
    table.press("clock", "white")
    for _ in range(4):
        see(table, 1, 3, 0.0)
        table.wait("1")
    assert "play" not in types(table)
    assert "3/off 1/off" in [choice["text"] for choice in table.lines[-1]["choices"]]


def test_a_blot_that_has_come_to_look_like_none_is_asked_about() -> None:
    table = evening("dice=keyed")
    table.roll("black", "62")
    table.slide("black", "24/18", "13/11")
    table.press("clock", "black")
    table.look()
    table.roll("white", "41")
    table.slide("white", "24/23", "6/2")
    table.press("clock", "white")
    for _ in range(4):
        see(table, 7, 0, 1.4)
        table.wait("1")
    assert types(table)[-2:] == ["roll", "question"]


def test_a_hit_checker_left_in_a_hand_was_not_brought_in_onto_a_site_that_is_hard_to_read() -> None:
    table = evening("signals=clock,dice")
    table.lift("white")
    table.roll("black", "61")
    table.look()
    table.slide("black", "13/7*", "8/7")
    table.bar("white", "0")
    table.press("clock", "black")
    for by in (0.0, 4.0):
        right = observe(table.board, table.tick(), dice=table.dice[BLACK])
        table.happen(events.Observed(misread(misread(right, 21, 1, 0.0), 12, 4, by)))
    table.wait("4")
    assert types(table)[-2:] == ["roll", "question"]


def test_a_hit_checker_left_in_a_hand_was_not_moved_on_to_a_stack_that_cannot_be_counted() -> None:
    table = Scenario()
    table.match("3")
    table.position("--aB-aGBCA-----------bbed-", "white")
    table.look()
    table.throw(WHITE, Roll(4, 2))
    table.put("9", "0", "5", "0", "3", "3")
    see(table, 8, -3, 1.6, table.dice[WHITE])
    table.press("clock", "white")
    table.look()
    table.wait("4")
    assert "play" not in types(table)


def test_a_wrong_play_is_no_legal_one_with_a_reply_because_one_reading_shows_a_checker_too_few() -> None:
    table = Scenario()
    table.match("3", "dice=keyed")
    table.position("-C-DDBB--------------aded-", "white")
    table.look()
    table.roll("white", "61")
    table.put("6", "1")
    table.press("clock", "white")
    see(table, 23, -4, 16.3)
    assert types(table)[-1] == "illegal"
    table.roll("black", "21")
    assert [body for body in table.lines if body["type"] == "play" and not body["illegal"]] == []


def test_what_stands_is_no_half_made_play_that_a_site_speaks_against() -> None:
    table = Scenario()
    table.match("3")
    table.position("--BbB-BcBC--b--a-b-cAC-b--", "white")
    table.look()
    table.throw(WHITE, Roll(5, 1))
    table.look()
    table.put("20", "0", "15", "0", "13", "1")
    table.bar("black", "1")
    right = observe(table.board, table.tick(), dice=table.dice[WHITE])
    table.happen(events.Observed(misread(misread(right, 13, -1, 1.9), 15, 1, -1.2)))
    assert isinstance(table.state.sight.verdict, InProgress)
    assert plays.stands(Draft(table.state)) == table.board


def test_what_stands_is_not_certain_where_a_half_made_play_and_a_wrong_one_look_alike() -> None:
    table = Scenario()
    table.match("3", "dice=keyed")
    table.position("--EB-C-C--c---aA--A--bbdc-", "black")
    table.look()
    table.roll("black", "52")
    table.put("14", "0", "20", "-1")
    right = observe(table.board, table.tick())
    table.happen(events.Observed(misread(misread(right, 19, -1, -0.7), 20, 0, -0.3)))
    assert isinstance(table.state.sight.verdict, InProgress)
    assert plays.stands(Draft(table.state)) is None
    table.happen(events.Observed(right))
    assert plays.stands(Draft(table.state)) == table.board


def test_what_stands_is_not_certain_where_a_checker_may_be_on_a_tall_stack_or_off() -> None:
    table = Scenario()
    table.match("3", "dice=keyed")
    table.position("-cE-DBB-a---b--------ccab-", "white")
    table.look()
    table.roll("white", "21")
    table.put("4", "3")
    table.look()
    assert isinstance(table.state.sight.verdict, InProgress)
    assert plays.stands(Draft(table.state)) is None
