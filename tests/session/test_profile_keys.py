"""Every key of a rule profile acts at the table: two values, two courses of the same evening."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from controller.board import DieReading
from controller.ports import Pressed, Watched
from controller.rules import Color, Roll
from controller.rules.profiles import KEYS, profile
from controller.session import events, facts
from controller.session.settings import Settings, settings_of
from tests.scenarios.runner import Scenario
from tests.simulated import thrown

W, B = Color.WHITE, Color.BLACK
START = "-b----E-C---eE---c-e----B-"


def begun(rules: str = "international", length: int = 3, *, start: bool = True, **keys: Any) -> Scenario:
    """Return a table at which a match has begun under these rules, with the table's settings as they say."""
    chosen = {
        name: keys.pop(name) for name in tuple(keys) if name in Settings.__dataclass_fields__ and name not in KEYS
    }
    in_force = profile(rules, **keys)
    table = Scenario()
    table.happen(
        facts.MatchStarted(
            match_id="m",
            players=("Ann", "Bob"),
            length=length,
            rules=rules,
            keys={name: list(v) if isinstance(v, tuple) else v for name, v in keys.items()},
            settings=settings_of(in_force, **{"dice": "keyed", **chosen}),
        )
    )
    if start and not table.refused and in_force.opening == "both_dice":
        table.opening("3", "1")
    table.queue.clear()
    return table


def told(table: Scenario) -> list[str]:
    """Return the types of what the table has said since it was asked last, clocks and links aside."""
    said = [str(body["type"]) for body in table.queue if body["type"] not in ("clock", "link")]
    table.queue.clear()
    return said


def phase(table: Scenario) -> str:
    game = table.state.ledger.game
    assert game is not None
    return game.phase.value


def moved(table: Scenario, text: str, player: str = "white") -> list[str]:
    table.move(player, *text.split())
    return told(table)


def ended(table: Scenario, player: str = "white") -> list[str]:
    table.press("clock", player)
    table.look()
    return told(table)


def allowed(table: Scenario, event: events.Event) -> bool:
    table.refused.clear()
    table.happen(event)
    return not table.refused


def doubled(table: Scenario, player: Color = W, action: Any = "double") -> bool:
    return allowed(table, facts.CubeTurned(player=player, action=action))


def borne_off_all(table: Scenario, text: str = "-A------------------o-----") -> tuple[str, int]:
    """Let White bear off his last checker; return what he has won."""
    table.position(text, "white")
    table.roll("white", "65")
    table.move("white", "1/off")
    ended(table)
    result = table.state.ledger.match.results[-1] if table.state.ledger.match else None
    assert result is not None
    return result.kind, result.points


def test_opening() -> None:
    assert phase(begun(start=False)) == "opening"
    table = begun(start=False, opening="white_first")
    assert (phase(table), table.turn_light()) == ("to_roll", W)


def test_roll_again() -> None:
    assert (phase(begun()), phase(begun(roll_again=True))) == ("to_play", "to_roll")


def test_automatic_doubles() -> None:
    for most, value in ((0, 1), (1, 2)):
        table = begun(length=0, start=False, automatic_doubles=most)
        for _ in range(2):
            table.opening("4", "4")
        assert table.state.ledger.game is not None
        assert table.state.ledger.game.cube.value == value


@pytest.mark.parametrize(("must_use", "said"), [("strict", "illegal"), ("old_english", "play")])
def test_must_use(must_use: str, said: str) -> None:
    table = begun(must_use=must_use)
    table.position("--db----A-A----b-----b----", "white")
    table.roll("white", "53")
    told(table)
    moved(table, "10/7")
    assert said in ended(table)


@pytest.mark.parametrize(("may_pass", "said"), [("forced", "illegal"), ("any_time", "play")])
@pytest.mark.parametrize("moves", ["", "8/5"])
def test_may_pass(may_pass: str, said: str, moves: str) -> None:
    table = begun(may_pass=may_pass)
    table.move("white", *moves.split())
    assert ended(table) == [said]
    if said == "play":
        assert table.lines[-1 if table.lines[-1]["type"] == "play" else -2]["play"] == (moves or "Cannot Move")


@pytest.mark.parametrize(
    ("commit", "said"), [("explicit", []), ("last_die", ["play"]), ("each_checker", ["play"])]
)
def test_commit(commit: str, said: list[str]) -> None:
    table = begun(commit=commit)
    assert moved(table, "8/5") == []
    assert moved(table, "6/5") == said


@pytest.mark.parametrize(
    ("undo", "after_one", "after_all"),
    [("until_end_turn", [], []), ("while_dice_left", [], ["illegal"]), ("none", ["illegal"], ["illegal"])],
)
def test_undo(undo: str, after_one: list[str], after_all: list[str]) -> None:
    for played, said in (("8/5", after_one), ("8/5 6/5", after_all)):
        table = begun(undo=undo)
        before = table.board
        assert moved(table, played) == []
        table.happen(Watched("moving", table.tick()))
        table.board = before
        table.look()
        assert told(table) == said


def test_gammon_and_backgammon() -> None:
    assert borne_off_all(begun(length=0)) == ("gammon", 2)
    assert borne_off_all(begun(length=0, gammon=1)) == ("single", 1)
    in_home = "-A--o---------------------"
    assert borne_off_all(begun(length=0), in_home) == ("backgammon", 3)
    assert borne_off_all(begun(length=0, backgammon=2), in_home)[1] == 2


def test_cube_and_cube_lengths() -> None:
    for keys, may in (({}, True), ({"cube": False}, False), ({"cube_lengths": (5,)}, False)):
        table = begun(**keys)
        table.position(START, "white")
        assert doubled(table) is may


def test_cube_cap() -> None:
    for cap, may in ((2, False), (4, True)):
        table = begun(length=9, cube_cap=cap)
        table.position(START, "white")
        assert doubled(table)
        assert doubled(table, B, "take")
        table.position(START, "black")
        assert doubled(table, B) is may


def test_dead_cube() -> None:
    for dead, may in ((True, True), (False, False)):
        table = begun(length=2, dead_cube=dead)
        table.position(START, "white")
        assert doubled(table)
        assert doubled(table, B, "take")
        table.position(START, "black")
        assert doubled(table, B) is may


def test_crawford() -> None:
    for crawford, may in ((True, False), (False, True)):
        table = begun(crawford=crawford)
        table.happen(facts.ScoreSet(score=(2, 0)))
        table.position(START, "white")
        assert doubled(table) is may


def test_jacoby() -> None:
    assert borne_off_all(begun(length=0, jacoby=False)) == ("gammon", 2)
    assert borne_off_all(begun(length=0, jacoby=True)) == ("single", 1)


def test_beavers_and_raccoons() -> None:
    for keys, beaver, raccoon in (
        ({}, False, False),
        ({"beavers": True}, True, False),
        ({"beavers": True, "raccoons": True}, True, True),
    ):
        table = begun(length=0, **keys)
        table.position(START, "white")
        assert doubled(table)
        assert doubled(table, B, "beaver") is beaver
        assert doubled(table, W, "raccoon") is raccoon


def test_lengths_single_game_and_money() -> None:
    for length, keys, plays in (
        (4, {}, True),
        (4, {"lengths": "3,5"}, False),
        (0, {"money": True}, True),
        (0, {"money": False}, True),
        (0, {"money": False, "single_game": False}, False),
    ):
        assert bool(begun(length=length, start=False, **keys).refused) is not plays
    kinds = {begun(length=0, money=money).state.ledger.match.kind for money in (True, False)}
    assert kinds == {"money", "single"}


def test_clock_and_its_times() -> None:
    for keys, setting in (
        ({"clock": "none"}, ("none", 0.0, 0.0)),
        ({"clock": "delay", "delay_s": 10, "reserve_s_per_point": 60}, ("delay", 10.0, 180.0)),
        ({"clock": "delay", "delay_s": 12, "reserve_s_per_point": 120}, ("delay", 12.0, 360.0)),
        ({"clock": "turn", "turn_times_s": "20"}, ("turn", 20.0, 0.0)),
        ({"clock": "turn", "turn_times_s": "20,40"}, ("turn", 40.0, 0.0)),
    ):
        clock = begun(**keys).state.ledger.clock
        kind, delay_s, reserve_s = setting
        assert clock.setting.kind == kind
        assert kind == "none" or clock.setting.delay_s == delay_s
        assert clock.reserve_s == (reserve_s, reserve_s)
        assert (clock.running is None) is (kind == "none")


@pytest.mark.parametrize(("turn_times_s", "flagged"), [("20", True), ("20,40", False)])
def test_the_limit_of_a_turn_is_called_when_it_is_over(turn_times_s: str, flagged: bool) -> None:
    table = begun("touch-move", turn_times_s=turn_times_s)
    table.wait("25")
    assert ("game_end" in told(table)) is flagged


@pytest.mark.parametrize(
    ("flag", "costs", "ends"),
    [("none", "nothing", []), ("event", "event", []), ("game", "game", ["game_end"])],
)
def test_flag(flag: str, costs: str, ends: list[str]) -> None:
    table = begun(clock="delay", delay_s=1, reserve_s_per_point=1, flag=flag)
    table.wait("10")
    (fallen,) = [body for body in table.lines if body.get("action") == "flag"]
    assert fallen["reason"] == costs
    assert told(table) == ends


def test_flag_that_costs_the_match() -> None:
    table = begun(clock="delay", delay_s=1, reserve_s_per_point=1, flag="match")
    table.wait("10")
    assert told(table) == ["game_end", "match_end"]


def test_leaving() -> None:
    for leaving, ends in (("resignation", ["left", "game_end"]), ("match", ["left", "game_end", "match_end"])):
        table = begun(leaving=leaving)
        table.command("leave", "player=white")
        assert told(table) == ends


def test_opponents() -> None:
    assert not begun(opponents="easy,hard", computer=B, level="hard").refused
    assert begun(start=False, opponents="easy,hard", computer=B, level="medium").refused
    assert settings_of(profile("match-play")).level == "beginner"


@pytest.mark.parametrize(
    ("hints", "lit"),
    [
        ("off", []),
        ("checkers", [6, 8, 13, 24]),
        ("points", [4, 5, 6, 7, 11, 22, 23]),
        ("all", [4, 5, 6, 7, 8, 11, 13, 22, 23, 24]),
    ],
)
def test_hints(hints: str, lit: list[int]) -> None:
    table = begun(hints=hints)
    table.position(START, "white")
    table.roll("white", "21")
    table.look()
    assert table.lit() == lit


def test_hints_follow_the_checkers_and_the_one_in_the_hand() -> None:
    table = begun(hints="points")
    table.put("8", "2")
    table.look()
    assert table.lit() == [5, 7]
    table.put("5", "1")
    table.look()
    assert table.lit() == [4, 5, 7, 23]


def test_illegal_plays() -> None:
    said = {}
    for policy in ("strict", "legal", "responsible", "condone"):
        table = begun(illegal_plays=policy)
        moved(table, "8/4 6/5")
        table.wait("3")
        early = told(table)
        table.press("clock", "white")
        table.look()
        late = [(body["type"], body.get("audience", body.get("illegal"))) for body in table.queue]
        said[policy] = (early, [each for each in late if each[0] != "clock"])
    assert said == {
        "strict": (["illegal"], []),
        "legal": ([], [("illegal", "table")]),
        "responsible": ([], [("illegal", "director")]),
        "condone": ([], [("play", True)]),
    }


def test_a_checker_in_the_hand_is_no_illegal_play() -> None:
    table = begun(illegal_plays="strict")
    table.put("8", "2")
    table.look()
    table.wait("3")
    assert told(table) == []


def test_correction_window() -> None:
    for window, stands in (("roll", False), ("turn", True)):
        for policy, presses in (("legal", 2), ("strict", 2), ("responsible", 1)):
            table = begun(correction_window=window, illegal_plays=policy)
            moved(table, "8/4 6/5")
            for _ in range(presses):
                ended(table)
            played = [body for body in table.lines if body["type"] == "play"]
            assert bool(played) is stands, (window, policy)
            assert all(body["illegal"] for body in played)


def test_dice_on_checkers() -> None:
    """Feature 49: each event decides whether a die on a checker counts."""
    for counts in (False, True):
        table = begun(dice="camera", dice_on_checkers=counts, start=False)
        table.position(START, "white")
        told(table)
        table.dice[W] = tuple(map(_on_a_checker, thrown(Roll(6, 4))))
        table.look()
        assert told(table) == (["roll"] if counts else [])


def _on_a_checker(die: DieReading) -> DieReading:
    return replace(die, cocked=True, on_checker=True)


def test_the_computers_clock_does_not_run_out_while_its_checkers_are_moved() -> None:
    table = begun("touch-move", computer=B, level="easy", start=False)
    table.electronic("13")
    table.look()
    assert told(table) == ["opening_roll", "announced"]
    table.wait("60")
    assert told(table) == []


def test_nobody_presses_for_the_computer() -> None:
    table = begun("match-play", computer=B, level="easy")
    table.happen(Pressed("take", B, 1.0))
    assert table.refused


TESTED = {name.removeprefix("test_") for name in tuple(globals()) if name.startswith("test_")}
ELSEWHERE = {
    "default_length": "tests/config/test_table_rules.py",
    "rating": "tests/rules/test_ratings.py",
    "rematch": "tests/rules/test_match_score.py",
    "turn_times_s": "test_clock_and_its_times",
    "delay_s": "test_clock_and_its_times",
    "reserve_s_per_point": "test_clock_and_its_times",
    "clock": "test_clock_and_its_times",
}
"""Keys that are no matter of one match at the table, or tested together with others."""


def test_no_key_is_left_out() -> None:
    named = " ".join(TESTED)
    assert [key for key in KEYS if key not in ELSEWHERE and key not in named] == []
