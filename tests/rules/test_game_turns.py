"""One game: opening, turns, steps, undo, passing, condoned plays, winning at once."""

import pytest

from controller.errors import IllegalActionError
from controller.rules import (
    ALL_ROLLS,
    START,
    Color,
    Cube,
    EndTurn,
    Game,
    MakePlay,
    MakeStep,
    Move,
    Pass,
    Phase,
    RollDice,
    TakeBack,
    act,
    allowed,
    game_at,
    new_game,
    parse_position,
    parse_roll,
    profile,
)
from controller.rules import game as games

LAST_TWO = parse_position("-AA------------------ccde-")


def opened(rules: str = "international", white: int = 3, black: int = 1, **keys) -> Game:
    return games.roll_opening(new_game(profile(rules, **keys)), white, black)


def to_play(board: str, roll: str, rules: str = "international", **keys) -> Game:
    game = game_at(profile(rules, **keys), parse_position(board), Color.WHITE)
    return games.roll(game, parse_roll(roll))


def test_the_higher_die_begins_with_both_numbers():
    game = opened(white=2, black=5)
    assert (game.turn, game.roll, game.phase, game.turns) == (Color.BLACK, (5, 2), Phase.TO_PLAY, 1)


def test_equal_opening_dice_are_rolled_again():
    game = opened(white=4, black=4)
    assert game.phase is Phase.OPENING
    assert game.cube == Cube()


def test_automatic_doubles_turn_the_cube_in_money_play_as_often_as_agreed():
    game = new_game(profile(automatic_doubles=2), money=True)
    for _ in range(3):
        game = games.roll_opening(game, 6, 6)
    assert (game.cube, game.automatic) == (Cube(4), 2)
    assert games.roll_opening(new_game(profile(automatic_doubles=2)), 6, 6).cube == Cube()


def test_the_starter_may_roll_again_where_the_rules_say_so():
    game = opened(roll_again=True)
    assert (game.phase, game.turn, game.roll) == (Phase.TO_ROLL, Color.WHITE, None)
    assert games.roll(game, parse_roll("66")).phase is Phase.TO_PLAY


def test_old_english_white_begins_and_may_open_with_a_double():
    game = new_game(profile("old-english"))
    assert (game.phase, game.turn) == (Phase.TO_ROLL, Color.WHITE)
    assert games.roll(game, parse_roll("55")).roll == (5, 5)


def test_a_play_passes_the_turn_and_turns_the_board():
    game = games.play(opened(), (Move(8, 5), Move(6, 5)))
    assert (game.turn, game.phase, game.turns, game.roll) == (Color.BLACK, Phase.TO_ROLL, 2, None)
    assert str(game.seen_by(Color.WHITE)) == "-b---BD-B---eE---c-e----B-"
    assert game.position == game.seen_by(Color.WHITE).turned()
    assert game.last_turn.how == "played"
    assert game.last_turn.player is Color.WHITE


def test_hits_are_worked_out_whatever_the_moves_say():
    game = games.play(to_play("-----A-a----------------a-", "51"), (Move(5, 4), Move(4, 0)))
    assert game.phase is Phase.OVER
    hit = games.play(to_play("---a-A--A---------------e-", "21"), (Move(5, 3), Move(8, 7)))
    assert hit.last_turn.play[0].hit
    assert hit.position.points[25] == 1


def test_an_illegal_play_is_refused_and_the_game_stands():
    game = opened()
    for moves in (((Move(8, 5)),), (Move(13, 8), Move(6, 5)), (Move(7, 4), Move(6, 5)), (Move(24, 19),)):
        with pytest.raises(IllegalActionError, match="play of 31"):
            games.play(game, moves)
    assert game.position == START


def test_a_position_no_legal_play_leads_to_is_refused():
    with pytest.raises(IllegalActionError, match="no legal play of 31 leads to"):
        games.play_to(opened(), START)


def test_each_legal_result_is_accepted_from_a_board():
    game = opened()
    for result in games.plays(game):
        assert games.play_to(game, result).seen_by(Color.WHITE) == result


def test_nobody_may_roll_twice_or_play_before_the_roll():
    with pytest.raises(IllegalActionError, match="the dice have been rolled"):
        games.roll(opened(), parse_roll("11"))
    after = games.play(opened(), (Move(8, 5), Move(6, 5)))
    with pytest.raises(IllegalActionError, match="the dice have not been rolled"):
        games.play(after, (Move(8, 5),))
    with pytest.raises(IllegalActionError, match="the opening roll has not been made"):
        games.roll(new_game(profile()), parse_roll("11"))
    with pytest.raises(IllegalActionError, match="the dice have been rolled"):
        games.roll_opening(opened(), 1, 2)


def test_a_dance_passes_and_only_a_dance_does():
    game = to_play("-----E-----------A-bbbbbbA", "65")
    assert games.must_pass(game)
    assert allowed(game)[1:] == (Pass,)
    after = games.pass_turn(game)
    assert (after.last_turn.how, after.turn) == ("danced", Color.BLACK)
    with pytest.raises(IllegalActionError, match="there is a legal play of 31, and it must be made"):
        games.pass_turn(opened())


def test_old_english_lets_a_player_pass_at_any_time_and_notes_it():
    game = games.roll(new_game(profile("old-english")), parse_roll("31"))
    assert games.pass_turn(game).last_turn.how == "passed"
    half = games.pass_turn(games.step(game, 8, 5))
    assert half.last_turn.how == "passed"
    assert half.seen_by(Color.WHITE).points[5] == 1


def test_a_dance_stays_a_dance_where_passing_is_free():
    game = to_play("-----E-----------A-bbbbbbA", "65", "old-english")
    assert games.pass_turn(game).last_turn.how == "danced"


def test_explicit_turns_wait_for_their_end_and_can_be_taken_back():
    game = games.step(opened("shesh-besh"), 8, 5)
    assert games.steps(game) == [(24, 23, 1), (8, 7, 1), (6, 5, 1), (5, 4, 1)]
    with pytest.raises(IllegalActionError, match="no whole play"):
        games.end_turn(game)
    game = games.step(game, 6, 5)
    assert (game.phase, len(game.moves)) == (Phase.TO_PLAY, 2)
    assert games.take_back(game).moves == (Move(8, 5),)
    assert games.take_back(game, all_moves=True).position == START
    assert games.end_turn(game).turn is Color.BLACK


def test_touch_move_makes_each_checker_final_and_ends_the_turn_by_itself():
    game = games.step(opened("touch-move"), 8, 5)
    with pytest.raises(IllegalActionError, match="a moved checker is final under touch-move rules"):
        games.take_back(game)
    assert TakeBack not in allowed(game)
    assert games.step(game, 6, 5).turn is Color.BLACK


def test_match_play_ends_the_turn_with_the_last_playable_die():
    game = games.step(opened("match-play"), 8, 5)
    assert games.take_back(game).position == START
    after = games.step(game, 6, 5)
    assert after.turn is Color.BLACK
    with pytest.raises(IllegalActionError, match="the dice have not been rolled"):
        games.take_back(after)


def test_undo_while_dice_are_left_ends_with_the_last_die_also_where_the_turn_does_not():
    game = games.step(games.step(opened("match-play", commit="explicit"), 8, 5), 6, 5)
    with pytest.raises(IllegalActionError, match="only while a die is left"):
        games.take_back(game)


def test_the_turn_ends_early_by_itself_when_no_further_number_can_be_played():
    game = to_play("------------b-------A--ef-", "53", "touch-move")
    assert games.step(game, 20, 15).turn is Color.BLACK


def test_a_step_that_begins_no_legal_play_is_refused():
    with pytest.raises(IllegalActionError, match="no legal play of 53 goes on with 20/17"):
        games.step(to_play("------------b-------A--ef-", "53"), 20, 17)
    with pytest.raises(IllegalActionError, match="nothing has been moved"):
        games.take_back(opened())


def test_a_play_begun_step_by_step_is_completed_as_a_play():
    game = games.play(games.step(opened(), 8, 5), (Move(6, 5),))
    assert len(game.last_turn.play) == 2


def test_the_last_checker_wins_at_once_and_the_rest_is_not_played():
    game = games.roll(game_at(profile("shesh-besh"), LAST_TWO, Color.BLACK), parse_roll("33"))
    game = games.step(games.step(game, 2, 0), 1, 0)
    assert game.phase is Phase.OVER
    assert (game.result.winner, game.result.ending) == (Color.BLACK, "borne_off")


def test_either_way_of_winning_is_accepted_where_engines_differ():
    board, roll = "-aA---------------------m-", "41"
    assert games.step(to_play(board, roll), 2, 0).result.kind == "single"
    assert games.play(to_play(board, roll), (Move(2, 1), Move(1, 0))).phase is Phase.OVER
    assert (2, 0, 4) not in games.steps(to_play(board, roll))


def test_a_condoned_play_stands_and_the_game_goes_on_from_the_board():
    wrong = parse_position("-b----E-C---eE---cAe---A--")
    game = games.condone(opened(), wrong)
    assert (game.turn, game.seen_by(Color.WHITE), game.last_turn.how) == (Color.BLACK, wrong, "condoned")


def test_a_condoned_bear_off_can_win_but_not_for_the_other_side():
    game = to_play("-BB------------------ccde-", "11")
    assert games.condone(game, parse_position("---------------------ccde-")).phase is Phase.OVER
    with pytest.raises(IllegalActionError, match="the opponent cannot bear off in this turn"):
        games.condone(game, parse_position("-BB-----------------------"))


def test_a_roll_that_does_not_count_is_withdrawn_with_its_moves():
    game = games.withdraw_roll(games.step(opened(white=1, black=3), 8, 5))
    assert (game.phase, game.turn, game.position, game.moves) == (Phase.OPENING, None, START, ())
    later = games.withdraw_roll(games.roll(games.play(opened(), (Move(8, 5), Move(6, 5))), parse_roll("21")))
    assert (later.phase, later.turn, later.roll) == (Phase.TO_ROLL, Color.BLACK, None)


def test_actions_as_values_do_what_the_functions_do():
    game = opened()
    whole = act(game, MakePlay((Move(8, 5), Move(6, 5))))
    stepped = act(act(act(game, MakeStep(8, 5)), MakeStep(6, 5)), EndTurn())
    assert whole == stepped
    assert act(whole, RollDice(parse_roll("64"))).roll == (6, 4)


def test_allowed_lists_exactly_what_does_not_raise():
    game = opened()
    assert MakePlay in allowed(game)
    assert EndTurn not in allowed(game)
    assert RollDice not in allowed(game)
    assert EndTurn in allowed(games.step(games.step(game, 8, 5), 6, 5))


def test_every_roll_can_be_played_to_each_of_its_results():
    for roll in ALL_ROLLS:
        game = games.roll(game_at(profile(), START, Color.BLACK), roll)
        for result, play in games.plays(game).items():
            assert games.play(game, play).seen_by(Color.BLACK) == result
