"""What people reported about other boards, and what the rules of the table ask for, case by case."""

from __future__ import annotations

from dataclasses import replace

from simulated_eyes import dice_reading, die_reading, observe

from controller.board import START_BOARD, BarReading, Board, SiteReading
from controller.reconcile import (
    Ambiguous,
    Completed,
    InProgress,
    Unexplained,
    Unmoved,
    reconcile,
    roll_log_likelihoods,
)
from controller.reconcile.lines import recover
from controller.rules import (
    Color,
    Move,
    Play,
    Roll,
    apply_move,
    apply_play,
    legal_plays,
    parse_position,
    write_play,
)

WHITE, BLACK = Color.WHITE, Color.BLACK


def board(text: str, mover: Color = WHITE) -> Board:
    return Board.of(parse_position(text), mover)


def played(before: Board, mover: Color, *moves: tuple[int, int]) -> Board:
    """The board after moves of one player, whether legal or not."""
    position = before.seen_by(mover)
    for source, target in moves:
        hit = target > 0 and position.points[target] == -1
        position = apply_move(position, Move(source, target, hit))
    return Board.of(position, mover)


def play_of(before: Board, mover: Color, roll: Roll, text: str) -> Board:
    plays = {write_play(play): position for position, play in legal_plays(before.seen_by(mover), roll).items()}
    return Board.of(plays[text], mover)


def test_a_checker_resting_on_the_point_in_between_is_in_progress() -> None:
    """Report 1: a slid checker registers on the square in between."""
    between = played(START_BOARD, WHITE, (24, 22))
    verdict = reconcile(START_BOARD, WHITE, Roll(2, 2), observe(between))
    assert isinstance(verdict, InProgress)
    assert verdict.done == (Move(24, 22),)


def test_an_earlier_position_seen_again_is_no_undo() -> None:
    """Report 3: a transient reading equal to an earlier position triggered a take-back."""
    after = play_of(START_BOARD, WHITE, Roll(3, 1), "8/5 6/5")
    verdict = reconcile(after, BLACK, Roll(6, 5), observe(START_BOARD))
    assert isinstance(verdict, Unexplained)
    assert not isinstance(verdict, Completed | Unmoved)


def test_a_move_of_the_player_not_on_roll_is_no_play() -> None:
    """Report 4: an out-of-turn move was accepted and an earlier one rewritten."""
    black_moved = played(START_BOARD, BLACK, (8, 5), (6, 5))
    verdict = reconcile(START_BOARD, WHITE, Roll(3, 1), observe(black_moved))
    assert isinstance(verdict, Unexplained)
    assert {17, 19, 20} <= set(verdict.sites)


def test_an_illegal_play_names_the_points_and_a_play_in_progress_gives_no_alarm() -> None:
    """Report 5: no feedback on a wrong move, and false beeps."""
    wrong = played(START_BOARD, WHITE, (13, 7), (6, 4))
    verdict = reconcile(START_BOARD, WHITE, Roll(6, 1), observe(wrong), turn_ended=True)
    assert isinstance(verdict, Unexplained)
    assert verdict.nearest is not None
    assert write_play(verdict.nearest.play) == "13/7 6/5"
    assert verdict.sites == (4, 5)
    half = played(START_BOARD, WHITE, (13, 7))
    assert isinstance(reconcile(START_BOARD, WHITE, Roll(6, 1), observe(half)), InProgress)


def test_four_checkers_in_one_sweep_need_no_order() -> None:
    """Report 6: several stones in quick succession."""
    after = played(START_BOARD, WHITE, (8, 4), (8, 4), (6, 2), (6, 2))
    verdict = reconcile(START_BOARD, WHITE, Roll(4, 4), observe(after))
    assert isinstance(verdict, Completed)
    assert write_play(verdict.play) == "8/4(2) 6/2(2)"


def test_a_start_position_set_up_wrong_explains_no_play() -> None:
    """Report 9: the first move was always read wrong; the start must be 2-5-3-5."""
    points = list(START_BOARD.points)
    points[23], points[22] = 0, 2
    verdict = reconcile(START_BOARD, WHITE, Roll(6, 1), observe(Board(tuple(points))))
    assert isinstance(verdict, Unexplained)
    assert 23 in verdict.sites


def test_a_compound_play_with_one_wrong_checker_is_flagged_on_that_checker() -> None:
    """Report 19: an invalid move was silent, or the wrong piece was checked."""
    wrong = played(START_BOARD, WHITE, (13, 9), (13, 9), (6, 2), (6, 3))
    verdict = reconcile(START_BOARD, WHITE, Roll(4, 4), observe(wrong), turn_ended=True)
    assert isinstance(verdict, Unexplained)
    assert set(verdict.sites) == {2, 3}


def test_special_plays_are_read_from_the_board() -> None:
    """Report 21: every special play can be entered from the board."""
    off = board("--B-A---------------------")
    verdict = reconcile(off, WHITE, Roll(6, 5), observe(played(off, WHITE, (4, 0), (2, 0))))
    assert isinstance(verdict, Completed)
    assert write_play(verdict.play) == "4/off 2/off"
    bar = board("-b----E-C---eE---c-d---a-A")
    verdict = reconcile(bar, WHITE, Roll(2, 1), observe(played(bar, WHITE, (25, 23), (6, 5))))
    assert isinstance(verdict, Completed)
    assert verdict.play[0] == Move(25, 23, True)
    assert verdict.board.bar == (0, 1)


def test_a_dance_is_a_play_without_moves() -> None:
    closed = board("-----------------A-bbbbbbA")
    verdict = reconcile(closed, WHITE, Roll(6, 5), observe(closed))
    assert isinstance(verdict, Completed)
    assert verdict.play == ()


def test_a_dance_with_dice_seen_needs_no_roll_told() -> None:
    four_points = board("-----------------A-b-bbbbA")
    dance = reconcile(four_points, WHITE, None, observe(four_points, dice=dice_reading((6, 4))), turn_ended=True)
    assert isinstance(dance, Completed)
    assert dance.play == ()
    waiting = reconcile(four_points, WHITE, None, observe(four_points, dice=dice_reading((5, 4))))
    assert isinstance(waiting, Unmoved)


def test_an_unmoved_board_without_dice_is_not_guessed_to_be_a_dance() -> None:
    five_points = board("-----------------A-bbbbb-A")
    assert isinstance(reconcile(five_points, WHITE, None, observe(five_points), turn_ended=True), Unmoved)


def test_a_closed_out_player_still_ends_his_turn() -> None:
    closed = board("-----------------A-bbbbbbA")
    verdict = reconcile(closed, WHITE, None, observe(closed), turn_ended=True)
    assert isinstance(verdict, Completed)
    assert (verdict.play, verdict.roll) == ((), None)


def test_a_hit_checker_left_where_it_was_is_reported() -> None:
    before = board("-b----E-C---eE---c-d-a--B-")
    hit = played(before, WHITE, (24, 21), (24, 23))
    left = replace(hit, bar=(0, 0))
    verdict = reconcile(before, WHITE, Roll(3, 1), observe(left), turn_ended=True)
    assert isinstance(verdict, Unexplained)
    assert verdict.bars == (BLACK,)


def test_a_second_number_skipped_is_not_a_whole_play() -> None:
    verdict = reconcile(
        START_BOARD, WHITE, Roll(6, 1), observe(played(START_BOARD, WHITE, (13, 7))), turn_ended=True
    )
    assert isinstance(verdict, InProgress)


def test_the_bar_may_be_out_of_sight() -> None:
    before = board("-b----E-C---eE---c-d-a--B-")
    after = played(before, WHITE, (24, 21), (24, 23))
    seen = replace(observe(after), bar=(BarReading(), BarReading()))
    verdict = reconcile(before, WHITE, Roll(3, 1), seen)
    assert isinstance(verdict, Completed)
    assert verdict.board.bar == (0, 1)


class TestDice:
    """Evidence for the roll."""

    def test_cocked_dice_and_dice_beside_the_board_do_not_count(self) -> None:
        idle = (die_reading(6, half=None), die_reading(6, 30.0, half=None))
        cocked = (die_reading(5, 60.0, cocked=True), die_reading(5, 90.0, cocked=True))
        assert set(roll_log_likelihoods((*idle, *cocked)).values()) == {0.0}

    def test_one_flat_die_speaks_for_the_rolls_that_hold_it(self) -> None:
        seen = roll_log_likelihoods([die_reading(5)])
        assert min(seen[r] for r in seen if 5 in r) > max(seen[r] for r in seen if 5 not in r)

    def test_the_pair_that_looks_alike_on_one_half_is_the_roll(self) -> None:
        dice = (*dice_reading((6, 1)), die_reading(3, 200.0, half=0, dice_set=1))
        seen = roll_log_likelihoods(dice)
        assert max(seen, key=seen.__getitem__) == Roll(6, 1)

    def test_a_wrong_roll_never_overrides_the_board(self) -> None:
        after = play_of(START_BOARD, WHITE, Roll(3, 1), "8/5 6/5")
        faint = tuple(die_reading(v, 30.0 * i, sure=1.0) for i, v in enumerate((3, 2)))
        verdict = reconcile(START_BOARD, WHITE, None, observe(after, dice=faint))
        assert isinstance(verdict, Completed)
        assert (verdict.board, verdict.roll) == (after, Roll(3, 1))

    def test_dice_that_clearly_contradict_the_board_are_asked_about(self) -> None:
        after = play_of(START_BOARD, WHITE, Roll(3, 1), "8/5 6/5")
        verdict = reconcile(START_BOARD, WHITE, None, observe(after, dice=dice_reading((6, 5))))
        assert not isinstance(verdict, Completed)
        assert isinstance(verdict, Ambiguous)
        assert verdict.choices[0].board == after

    def test_no_double_opens_a_game(self) -> None:
        after = played(START_BOARD, WHITE, (13, 11), (6, 4))
        verdict = reconcile(START_BOARD, WHITE, None, observe(after), opening=True)
        assert isinstance(verdict, Unexplained | Completed)
        if isinstance(verdict, Completed):
            assert not any(roll.is_double for roll in verdict.rolls)


class TestSeveralPlays:
    """Feature 23: the opponent moves before the first play was committed."""

    def test_both_plays_are_recovered_in_order(self) -> None:
        first = play_of(START_BOARD, WHITE, Roll(3, 1), "8/5 6/5")
        second = play_of(first, BLACK, Roll(6, 5), "24/13")
        line = recover(START_BOARD, WHITE, observe(second))
        assert line is not None
        assert (line.first.board, line.second.board) == (first, second)

    def test_plays_that_a_site_speaks_against_are_not_recovered(self) -> None:
        first = play_of(START_BOARD, WHITE, Roll(3, 1), "8/5 6/5")
        seen = observe(play_of(first, BLACK, Roll(6, 5), "24/13"))
        sites = list(seen.sites)
        values = list(sites[0].log_likelihoods)
        values[15 - 1] = -7.0
        values[15 - 2] = 0.0
        sites[0] = SiteReading(tuple(values), True)
        assert recover(START_BOARD, WHITE, replace(seen, sites=tuple(sites))) is None

    def test_plays_that_can_have_come_about_in_two_ways_are_not_recovered(self) -> None:
        before = board("-------A----------------a-")
        after = board("-A----------------------a-"[::1])
        assert recover(before, WHITE, observe(after)) is None

    def test_a_missed_dance_counts_as_a_play(self) -> None:
        before = board("-----A-----------A-bbbbb-A")
        black = board("-----A-----------A-bbbbb-A")
        plays = legal_plays(black.seen_by(BLACK), Roll(2, 1))
        after = Board.of(next(iter(plays)), BLACK)
        line = recover(before, WHITE, observe(after))
        assert line is not None
        assert line.first.play == ()

    def test_a_hit_checker_that_entered_again_is_followed(self) -> None:
        blot = board("-a----E-C---eE---c-e---aB-")
        hit = Board.of(apply_play(blot.seen_by(WHITE), _hit(blot)), WHITE)
        plays = legal_plays(hit.seen_by(BLACK), Roll(6, 5))
        entered = next(Board.of(p, BLACK) for p, play in plays.items() if play and play[0].source == 25)
        line = recover(blot, WHITE, observe(entered))
        assert line is not None
        assert line.second.board == entered


def _hit(before: Board) -> Play:
    plays = legal_plays(before.seen_by(WHITE), Roll(5, 1)).values()
    return next(play for play in plays if any(move.hit for move in play))
