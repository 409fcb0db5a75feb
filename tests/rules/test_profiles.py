"""Rule profiles: the table of the sources, overriding of keys, plain words."""

from dataclasses import FrozenInstanceError, fields, replace

import pytest

from controller.errors import BoardError, RulesError
from controller.rules import PROFILES, Profile, profile, with_keys
from controller.rules.profiles import KEYS
from controller.rules.wording import describe, differences, sentence


def column(key: str) -> dict[str, object]:
    return {name: getattr(rules, key) for name, rules in PROFILES.items()}


def test_there_are_seven_profiles_and_international_is_the_default():
    assert list(PROFILES) == [
        "shesh-besh",
        "old-english",
        "touch-move",
        "match-play",
        "classic",
        "international",
        "tournament",
    ]
    assert profile() == PROFILES["international"]


def test_gammons_and_backgammons_count_as_the_sources_say():
    assert [(r.gammon, r.backgammon) for r in PROFILES.values()] == [
        (2, 3),
        (2, 3),
        (2, 2),
        (2, 3),
        (1, 1),
        (2, 3),
        (2, 3),
    ]


def test_only_old_english_lets_white_begin_strand_and_pass():
    for key, usual, special in (
        ("opening", "both_dice", "white_first"),
        ("must_use", "strict", "old_english"),
        ("may_pass", "forced", "any_time"),
    ):
        expected = dict.fromkeys(PROFILES, usual) | {"old-english": special}
        assert column(key) == expected


def test_the_cube_is_on_only_where_the_source_has_it_on():
    assert [name for name, rules in PROFILES.items() if rules.cube] == [
        "touch-move",
        "international",
        "tournament",
    ]
    assert profile("touch-move").cube_lengths == (3, 5)
    assert {rules.cube_cap for rules in PROFILES.values()} == {64}


def test_lengths_are_those_of_the_sources():
    assert column("lengths") == {
        "shesh-besh": (1, 3, 5, 7),
        "old-english": (),
        "touch-move": (1, 3, 5),
        "match-play": (1, 3, 5, 7, 11),
        "classic": None,
        "international": None,
        "tournament": None,
    }


def test_tournament_is_international_with_the_procedures_of_the_table():
    assert set(differences(profile("tournament"))) == {"clock", "flag"}
    assert profile("tournament").delay_s == 12
    assert profile("tournament").reserve_s_per_point == 120


def test_every_key_is_described_and_every_profile_has_every_key():
    names = {field.name for field in fields(Profile)}
    assert names == {"name", "source", *KEYS}
    for rules in PROFILES.values():
        for key in KEYS:
            assert isinstance(sentence(rules, key), str)
        assert all(words.endswith(".") for words in describe(rules).values())


def test_a_profile_cannot_be_changed_in_place():
    with pytest.raises(FrozenInstanceError):
        profile().gammon = 1


def test_single_keys_are_overridden_by_value_or_by_the_text_of_a_settings_file():
    rules = with_keys(
        profile("match-play"), {"cube": "on", "lengths": "3, 5", "cube_cap": "32", "pass": "any_time"}
    )
    assert (rules.cube, rules.lengths, rules.cube_cap, rules.may_pass) == (True, (3, 5), 32, "any_time")
    assert rules.name == "match-play"
    assert profile("touch-move", cube_lengths=None).cube_lengths is None
    assert profile("touch-move", opponents="easy").opponents == ("easy",)


def test_every_value_that_a_profile_holds_is_accepted_as_an_override():
    for rules in PROFILES.values():
        values = {key: value for key, value in rules.to_json().items() if key in KEYS}
        assert replace(with_keys(profile(), values), name=rules.name, source=rules.source) == rules


def test_an_option_of_a_source_raises_what_depends_on_it():
    rules = profile("classic", gammon=2)
    assert (rules.gammon, rules.backgammon) == (2, 2)
    assert profile("international", lengths=(5, 9)).default_length == 5
    assert profile("match-play", single_game=False).default_length == 1


@pytest.mark.parametrize(
    ("name", "keys", "message"),
    [
        ("fevga", {}, "no rules are named 'fevga'; there are shesh-besh, old-english, touch-move"),
        ("international", {"cubes": True}, "rules have no key 'cubes'; there are opening"),
        ("international", {"cube": "maybe"}, "cube accepts on or off, got 'maybe'"),
        ("international", {"opening": "black_first"}, "opening accepts both_dice or white_first"),
        ("international", {"gammon": 5}, "gammon accepts a number, 1 to 2, got 5"),
        ("international", {"gammon": True}, "gammon accepts a number"),
        ("international", {"lengths": "3,x"}, "lengths accepts numbers, 1 to 99, separated by commas, or any"),
        ("international", {"lengths": 3}, "lengths accepts numbers"),
        ("international", {"cube_cap": 48}, "cube_cap is a power of two, got 48"),
        ("international", {"gammon": 2, "backgammon": 1}, "backgammon counts 1, less than gammon, 2"),
        ("touch-move", {"default_length": 7}, "default_length is 7, which lengths or single_game rule out"),
        ("touch-move", {"lengths": ()}, "lengths and single_game leave nothing to play"),
    ],
)
def test_a_wrong_name_key_or_value_is_named_with_what_is_accepted(name, keys, message):
    with pytest.raises(RulesError, match=message):
        profile(name, **keys)
    assert issubclass(RulesError, BoardError)


def test_words_about_the_cube_are_left_out_where_there_is_none():
    assert "cube_cap" not in describe(profile("shesh-besh"))
    assert "cube_cap" in describe(profile("shesh-besh", cube=True))
    assert "jacoby" not in describe(profile("touch-move"))
