"""Position ID, Match ID, GNUBg ID, XGID and FIBS board, both ways."""

import base64
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.errors import InvalidNotationError, InvalidPositionError
from controller.records import ids
from controller.records.fibs import FibsBoard, parse_fibs_board, write_fibs_board
from controller.records.xgid import Xgid, parse_xg_text, parse_xgid, write_xgid
from controller.rules.position import START, Color, Position, Roll

OWN = Path(__file__).parent / "data" / "ids.json"


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any position that can stand: up to fifteen checkers a side, never both sides on a point."""
    points = [0] * 26
    owners = draw(st.lists(st.sampled_from((1, -1)), min_size=24, max_size=24))
    for sign in (1, -1):
        places = [p for p in range(1, 25) if owners[p - 1] == sign] + [25 if sign == 1 else 0]
        for place in draw(st.lists(st.sampled_from(places), max_size=15)):
            points[place] += sign
    return Position(tuple(points))


colors = st.sampled_from(Color)
rolls = st.builds(Roll.of, st.integers(1, 6), st.integers(1, 6))
match_states = st.builds(
    ids.MatchState,
    on_roll=colors,
    to_decide=colors,
    roll=st.none() | rolls,
    cube_value=st.integers(0, 15).map(lambda n: 1 << n),
    cube_owner=st.none() | colors,
    doubled=st.booleans(),
    resigned=st.integers(0, 3),
    length=st.integers(0, 32767),
    score=st.tuples(st.integers(0, 32767), st.integers(0, 32767)),
    crawford=st.booleans(),
    jacoby=st.booleans(),
    state=st.sampled_from(("none", "playing", "over", "resigned", "dropped")),
)


def check_vectors(data: dict) -> None:
    for vector in data["vectors"]:
        xgid = parse_xgid(vector["xgid"])
        assert write_xgid(xgid) == vector["xgid"]
        assert str(xgid.position) == vector["board_on_roll"]
        assert str(xgid.bottom) == vector["board_bottom"]
        assert (xgid.position.pips, xgid.position.opponent_pips) == (
            vector["pips_on_roll"],
            vector["pips_opponent"],
        )
        assert ids.position_id(xgid.position) == vector["position_id"]
        assert ids.position_from_id(vector["position_id"]) == xgid.position
        assert ids.match_id(xgid.match_state()) == vector["match_id"]
        state = ids.match_from_id(vector["match_id"])
        assert ids.match_id(state) == vector["match_id"]
        assert (state.cube_value, state.length) == (vector["cube"], vector["match_length"])
        assert ids.gnubg_id(*ids.parse_gnubg_id(vector["gnubg_id"])) == vector["gnubg_id"]
        assert (xgid.jacoby, xgid.beavers, xgid.crawford) == (
            vector["jacoby"],
            vector["beavers"],
            vector["crawford"],
        )


@pytest.mark.needs_shared
def test_all_known_vectors_are_exact_both_ways(shared: Path) -> None:
    data = json.loads((shared / "formats" / "ids.json").read_text())
    check_vectors(data)
    for known in data["match_id_states"]:
        state, fields = ids.match_from_id(known["match_id"]), known["fields"]
        assert ids.match_id(state) == known["match_id"]
        player = {Color.WHITE: 0, Color.BLACK: 1, None: "centre"}
        assert (state.cube_value, player[state.cube_owner]) == (fields["cube"], fields["cube_owner"])
        assert (player[state.on_roll], player[state.to_decide]) == (fields["on_roll"], fields["turn"])
        assert (state.doubled, state.resigned, state.crawford) == (
            bool(fields["doubled"]),
            fields["resigned"],
            bool(fields["crawford"]),
        )
        assert list(state.roll or (0, 0)) == fields["dice"]
        assert (state.length, *state.score) == (fields["match_length"], fields["score0"], fields["score1"])
        assert state.jacoby == (not fields["jacoby_off_bit"])
    for refused in data["rejected_by_gnubg"]:
        assert write_xgid(parse_xgid(refused["xgid"])) == refused["xgid"]


def test_own_vectors_are_exact_both_ways() -> None:
    check_vectors(json.loads(OWN.read_text()))


@pytest.mark.needs_shared
def test_position_exports_of_xg_are_read_in_every_language(shared: Path) -> None:
    files = sorted((shared / "formats" / "xg_text").glob("*.txt"))
    assert files
    for file in files:
        read = parse_xg_text(file.read_text(encoding="utf-8", errors="replace"))
        assert write_xgid(read.xgid) in file.read_text(encoding="utf-8", errors="replace")
        assert all(read.players)


@given(positions())
def test_a_position_id_gives_back_its_position(position: Position) -> None:
    assert ids.position_from_id(ids.position_id(position)) == position


@given(match_states)
def test_a_match_id_gives_back_its_state(state: ids.MatchState) -> None:
    assert ids.match_from_id(ids.match_id(state)) == state


@given(
    positions(), st.sampled_from(("bottom", "top")), st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6))
)
def test_an_xgid_gives_back_its_position(position: Position, on_roll: str, dice: tuple[int, int] | None) -> None:
    xgid = Xgid(bottom=position, on_roll=on_roll, dice=dice, length=7, score=(3, 4))
    assert parse_xgid(write_xgid(xgid)) == xgid


@given(
    positions(), st.sampled_from((1, -1)), st.sampled_from((1, -1)), st.none() | st.booleans(), st.none() | rolls
)
def test_a_fibs_board_gives_back_its_position(
    position: Position, color: int, direction: int, your_turn: bool | None, roll: Roll | None
) -> None:
    board = FibsBoard(
        position=position,
        color=color,
        direction=direction,
        your_turn=your_turn,
        dice=(roll, None),
        length=5,
        score=(1, 2),
        did_crawford=True,
    )
    assert parse_fibs_board(write_fibs_board(board)) == board


def test_a_fibs_board_moving_down_from_24_holds_the_places_of_a_position() -> None:
    text = write_fibs_board(FibsBoard(position=START))
    assert text.startswith("board:You:Opponent:9999:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:")
    assert len(text.split(":")) == 53


@given(st.text(max_size=40))
def test_no_text_makes_the_readers_of_ids_fail_otherwise_than_by_name(text: str) -> None:
    for read in (
        ids.position_from_id,
        ids.match_from_id,
        ids.parse_gnubg_id,
        parse_xgid,
        parse_fibs_board,
        parse_xg_text,
    ):
        with pytest.raises((InvalidNotationError, InvalidPositionError)):
            read(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4HPwATDgc/ABM", "14 characters"),
        ("4HPwATDgc/AB!A", "only letters"),
        ("/////////////w", "more than 15 checkers"),
        ("4HPwATDgc/ABMP", "last character"),
    ],
)
def test_a_wrong_position_id_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(InvalidNotationError, match=reason):
        ids.position_from_id(text)


def test_bits_after_the_last_checker_are_refused() -> None:
    text = base64.b64encode((1 << 79).to_bytes(10, "little")).decode().rstrip("=")
    with pytest.raises(InvalidNotationError, match="goes on after"):
        ids.position_from_id(text)


def test_both_sides_on_one_point_are_refused() -> None:
    bits = 1 | 1 << 24 + 1 + 1 + 23  # the opponent's ace point is the mover's 24 point
    text = base64.b64encode(bits.to_bytes(10, "little")).decode().rstrip("=")
    with pytest.raises(InvalidNotationError, match="both sides on point 24"):
        ids.position_from_id(text)


def test_a_match_id_without_the_jacoby_bit_is_read_as_well() -> None:
    with_bit = ids.match_from_id("cIkFAAAAAAAE")
    without = ids.match_from_id("cIkFAAAAAAAA")
    assert replace(without, jacoby=False) == with_bit


@pytest.mark.parametrize(
    "text",
    [
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0",
        "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:0",
        " XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:0:10\n",
    ],
)
def test_an_xgid_may_lack_its_mark_or_its_last_field(text: str) -> None:
    assert parse_xgid(text).position == START
