"""Rule profiles in plain words, for the command line and for pages."""

from __future__ import annotations

from collections.abc import Mapping

from controller.rules.profiles import DEFAULT, KEYS, Profile

_CHOICES: Mapping[str, Mapping[str, str]] = {
    "opening": {
        "both_dice": "Each player rolls one die; the higher begins.",
        "white_first": "White begins every game and rolls both dice, so that it may open with a double.",
    },
    "must_use": {
        "strict": "Both numbers must be played where that is possible; where only either is, the higher.",
        "old_english": "Each number must be played at its turn, but the first may strand the second.",
    },
    "may_pass": {
        "forced": "A player passes only when he has no legal play.",
        "any_time": "A player may pass at any time; it is noted when he had a legal play.",
    },
    "commit": {
        "explicit": "A turn ends when the player ends it.",
        "each_checker": "A moved checker is final, and the turn ends by itself.",
        "last_die": "The turn ends with the last die that can be played.",
    },
    "undo": {
        "until_end_turn": "Moves may be taken back until the turn ends.",
        "none": "No move may be taken back.",
        "while_dice_left": "Moves may be taken back while a die is left to play.",
    },
    "clock": {
        "none": "There is no clock.",
        "turn": "A clock may limit each turn as a whole; whoever answers a double has a time of his own.",
        "delay": "Each player has a free delay in every turn and a reserve for the match.",
    },
    "flag": {
        "none": "",
        "game": "Out of time loses the game at the cube's value, twice that when only the opponent has begun "
        "to bear off.",
        "match": "Out of time loses the match.",
        "event": "What running out of time costs is the event's decision.",
    },
    "leaving": {
        "match": "Leaving the table loses the match.",
        "resignation": "Leaving the table is a resignation of the game.",
    },
    "rematch": {
        "none": "A rematch is not mentioned.",
        "same": "A rematch has the same players, colors and length.",
        "free": "A rematch may have any length.",
    },
    "rating": {
        "none": "Nothing is rated.",
        "elo": "Matches between people are rated in the Elo form, from 1000; a table with a bot is not rated.",
        "fibs": "Matches may be rated, in the FIBS form from 1500 or in the Elo form.",
    },
    "hints": {
        "off": "Displays give no hints.",
        "points": "Displays may show where a touched checker can go.",
        "checkers": "Displays may show which checkers can move.",
        "all": "Displays may show which checkers can move and where they can go, or nothing.",
    },
    "illegal_plays": {
        "strict": "The table says at once that a play is illegal.",
        "legal": "An illegal play must be corrected.",
        "responsible": "The opponent may have an illegal play corrected.",
        "condone": "The opponent chooses whether an illegal play stands.",
    },
    "correction_window": {
        "roll": "An illegal play stands once the opponent has rolled or doubled.",
        "turn": "An illegal play stands once its turn has ended.",
    },
}
_SWITCHES: Mapping[str, tuple[str, str]] = {
    "roll_again": (
        "The winner of the opening roll rolls anew, and may double first.",
        "He plays the opening roll.",
    ),
    "cube": ("The doubling cube is in use.", "There is no doubling cube."),
    "dead_cube": ("A dead cube may be turned.", "A dead cube may not be turned."),
    "crawford": (
        "There is no doubling in the one game after a player first needs a single point (Crawford).",
        "There is no Crawford game.",
    ),
    "jacoby": ("In money play gammons count only when the cube was turned (Jacoby).", "There is no Jacoby rule."),
    "beavers": ("In money play a double may be beavered.", "There are no beavers."),
    "raccoons": ("In money play a beaver may be answered with a raccoon.", "There are no raccoons."),
    "single_game": ("A single game may be played.", "There is no single game but a match to 1."),
    "money": ("Money sessions may be played.", "There is no money play."),
    "dice_on_checkers": (
        "A die that lies flat on a checker counts.",
        "A die that lies on a checker is rolled again.",
    ),
}
_WITH_CUBE = ("cube_lengths", "cube_cap", "dead_cube", "crawford", "jacoby", "beavers", "raccoons")


def describe(rules: Profile) -> dict[str, str]:
    """Return one sentence for each key of a profile that says something, in the order of the keys.

    Keys about the cube are left out where there is none, clock times where there is no clock.
    """
    return {key: words for key in KEYS if _applies(rules, key) and (words := sentence(rules, key))}


def differences(rules: Profile, base: Profile = DEFAULT) -> dict[str, str]:
    """Return one sentence for each key in which a profile differs from `base`, where the key matters in it."""
    return {key: words for key, words in describe(rules).items() if getattr(rules, key) != getattr(base, key)}


def _applies(rules: Profile, key: str) -> bool:
    """Tell whether a key matters beside the others of its profile."""
    if key in _WITH_CUBE and not rules.cube:
        return False
    if key in ("jacoby", "beavers", "raccoons", "automatic_doubles") and not rules.money:
        return False
    if key == "roll_again":
        return rules.opening == "both_dice"
    if key == "turn_times_s":
        return rules.clock == "turn"
    return rules.clock == "delay" if key in ("delay_s", "reserve_s_per_point") else True


def sentence(rules: Profile, key: str) -> str:
    """Return what one key of a profile says, as a sentence; empty where it says nothing.

    Example:
        >>> sentence(DEFAULT, "backgammon")
        'A backgammon counts 3.'
    """
    value = getattr(rules, key)
    if key in _CHOICES:
        return _CHOICES[key][value]
    if key in _SWITCHES:
        return _SWITCHES[key][0 if value else 1]
    if key in ("lengths", "cube_lengths", "turn_times_s", "opponents"):
        return _list_sentence(key, value)
    return {
        "automatic_doubles": f"Equal opening rolls double the cube, {value} times a game at most."
        if value
        else "Equal opening rolls are rolled again and double nothing.",
        "gammon": f"A gammon counts {value}." if value > 1 else "A gammon counts no more than a single game.",
        "backgammon": _backgammon(rules),
        "cube_cap": f"The cube goes up to {value}.",
        "default_length": f"Without another wish a match goes to {value}." if value else "One game is played.",
        "delay_s": f"The delay is {value} s.",
        "reserve_s_per_point": f"The reserve is {value} s for each point of the match.",
    }[key]


def _backgammon(rules: Profile) -> str:
    if rules.backgammon > rules.gammon:
        return f"A backgammon counts {rules.backgammon}."
    return "A backgammon counts no more than a gammon." if rules.gammon > 1 else ""


def _list_sentence(key: str, value: tuple[int | str, ...] | None) -> str:
    words = ", ".join(map(str, value)) if value else ""
    if value is None:
        return "Matches have any length." if key == "lengths" else "Only a match to 1 has no cube."
    if key == "lengths":
        return f"Matches go to {words}." if value else "There are no matches to a length."
    if key == "cube_lengths":
        return f"Only matches to {words} have a cube." if value else "No match to a length has a cube."
    if not value:
        return ""
    if key == "turn_times_s":
        return f"The time of a turn, roll and all checkers, is not limited, or {words} s."
    return f"Built-in opponents: {words}."
