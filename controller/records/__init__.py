"""Matches and positions as text and back: ``.mat``, ``.sgf``, JSON, and the ids that other programs use."""

from controller.records.events import RecordBuilder, record_from_events
from controller.records.files import ENDINGS, read_record, write_record
from controller.records.ids import (
    MatchState,
    gnubg_id,
    match_from_id,
    match_id,
    parse_gnubg_id,
    position_from_id,
    position_id,
)
from controller.records.mat_read import read_mat
from controller.records.mat_write import write_mat
from controller.records.native import board_of_json, position_json, read_json, record_json, write_json
from controller.records.record import (
    Action,
    CubeAction,
    GameRecord,
    MatchRecord,
    Note,
    Problem,
    Reading,
    Resign,
    SetUp,
    Turn,
    Written,
)
from controller.records.replay import replay_match
from controller.records.sgf_read import read_sgf
from controller.records.sgf_write import write_sgf
from controller.records.xgid import Xgid, parse_xg_text, parse_xgid, write_xgid

__all__ = [
    "ENDINGS",
    "Action",
    "CubeAction",
    "GameRecord",
    "MatchRecord",
    "MatchState",
    "Note",
    "Problem",
    "Reading",
    "RecordBuilder",
    "Resign",
    "SetUp",
    "Turn",
    "Written",
    "Xgid",
    "board_of_json",
    "gnubg_id",
    "match_from_id",
    "match_id",
    "parse_gnubg_id",
    "parse_xg_text",
    "parse_xgid",
    "position_from_id",
    "position_id",
    "position_json",
    "read_json",
    "read_mat",
    "read_record",
    "read_sgf",
    "record_from_events",
    "record_json",
    "replay_match",
    "write_json",
    "write_mat",
    "write_record",
    "write_sgf",
    "write_xgid",
]
