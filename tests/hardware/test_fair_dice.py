"""Electronic dice: fair, made once, and open to anyone's check."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.errors import IllegalActionError, InvalidNotationError
from controller.hardware.fair_dice import FairDice, read_log, roll_of, verify
from controller.rules import Color

SEED = bytes(range(32))


def played(count: int = 60) -> FairDice:
    dice = FairDice("m1", SEED)
    for number in range(1, count + 1):
        dice.roll(number, Color.WHITE if number % 2 else Color.BLACK, entropy_us=number * 7919)
    dice.mark(5, counts=False, reason="cocked")
    dice.reveal()
    return dice


def test_a_true_log_verifies_and_keeps_its_voided_roll() -> None:
    found = verify(played().lines)
    assert found.problems == ()
    assert (found.rolls, found.voided, sum(found.faces)) == (60, 1, 120)


def changed_roll(lines: list[dict[str, Any]]) -> None:
    dice = lines[10]["dice"]
    dice[0] = dice[0] % 6 + 1


def dropped_roll(lines: list[dict[str, Any]]) -> None:
    del lines[10]


def dropped_last_roll(lines: list[dict[str, Any]]) -> None:
    del lines[60]


def wrong_seed(lines: list[dict[str, Any]]) -> None:
    lines[-1]["seed"] = bytes(32).hex()


def changed_commitment(lines: list[dict[str, Any]]) -> None:
    lines[0]["sha256"] = "0" * 64


def changed_button_time(lines: list[dict[str, Any]]) -> None:
    lines[20]["entropy_us"] += 1


def no_reveal(lines: list[dict[str, Any]]) -> None:
    lines.pop()


@pytest.mark.parametrize(
    "forge",
    [
        changed_roll,
        dropped_roll,
        dropped_last_roll,
        wrong_seed,
        changed_commitment,
        changed_button_time,
        no_reveal,
    ],
)
def test_a_forged_log_is_found_out(forge: Any) -> None:
    lines = json.loads(json.dumps(played().lines))
    forge(lines)
    assert verify(lines).problems


def test_a_retry_never_rolls_twice() -> None:
    dice = FairDice("m1", SEED)
    first = dice.roll(1, Color.WHITE, 123)
    assert dice.roll(1, Color.WHITE, 456) == first
    assert dice.rolls == 1
    with pytest.raises(IllegalActionError):
        dice.roll(3, Color.WHITE, 1)


def test_a_roll_after_the_reveal_is_refused() -> None:
    dice = played(3)
    with pytest.raises(IllegalActionError):
        dice.roll(4, Color.WHITE, 1)


def test_two_matches_draw_different_seeds_and_do_not_show_them() -> None:
    one, other = FairDice("m1"), FairDice("m1")
    assert one.seed != other.seed
    assert one.seed.hex() not in json.dumps(one.lines)
    assert one.seed.hex() not in repr(one)


def test_360_000_rolls_are_uniform_over_the_36_ordered_pairs() -> None:
    count = 360_000
    pairs = Counter(roll_of(SEED, "uniform", number, number * 31) for number in range(count))
    chi_square = sum((pairs[a, b] - count / 36) ** 2 / (count / 36) for a in range(1, 7) for b in range(1, 7))
    assert chi_square < 66.62, "35 degrees of freedom, 99.9 %"
    doubles = sum(pairs[a, a] for a in range(1, 7)) / count
    assert abs(doubles - 1 / 6) < 3.3 * (1 / 6 * 5 / 6 / count) ** 0.5


def test_the_command_says_in_plain_words_whether_every_roll_follows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "rolls.jsonl"
    lines = played().lines
    log.write_text("\n".join(json.dumps(line) for line in lines))
    assert main(["dice", "verify", str(log)]) == 0
    assert "Every one of the 60 rolls follows" in capsys.readouterr().out
    lines[3]["dice"] = [1, 1] if lines[3]["dice"] != [1, 1] else [2, 2]
    log.write_text("\n".join(json.dumps(line) for line in lines))
    assert main(["dice", "verify", str(log)]) == 1
    assert "roll 3 was shown as" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "not json", "[1]", '{"roll": 1}'])
def test_a_file_that_is_no_log_is_one_clear_line(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "rolls.jsonl"
    log.write_text(text)
    with pytest.raises(InvalidNotationError):
        read_log(text)
    assert main(["dice", "verify", str(log)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["dice", "verify", str(tmp_path / "none")]) == 1
