"""What the session recorded, as a record that other programs open."""

from __future__ import annotations

from controller.records.mat_read import read_mat
from controller.records.mat_write import write_mat
from controller.records.replay import replay_match
from controller.session.record import record_of
from tests.handling import Evening


def test_a_condoned_play_is_marked_in_the_record_and_the_rest_replays() -> None:
    """Report 25: an illegal but condoned move made the upload fail."""
    evening = Evening(12, policy="condoned", illegal=0.2, dice="keyed")
    counts = evening.play()
    record = record_of(evening.state.ledger)
    (game,) = record.games
    condoned = [action for action in game.actions if getattr(action, "condoned", False)]
    assert condoned
    assert counts.wrong == 0
    replayed = replay_match(record)
    ends = [moment.after for moment in replayed.games[0].moments]
    assert ends[-1] == evening.truth[-1]
    assert game.winner is not None


def test_a_clean_game_comes_back_from_its_match_text() -> None:
    evening = Evening(31, illegal=0.0, dice="keyed")
    evening.play()
    record = record_of(evening.state.ledger)
    again = read_mat(write_mat(record).text)
    assert not again.problems
    assert [str(a) for a in again.record.games[0].actions] == [str(a) for a in record.games[0].actions]
