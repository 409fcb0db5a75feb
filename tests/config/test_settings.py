"""Settings say clearly what is wrong with them, and the documented sample is the truth."""

from pathlib import Path

import pytest

from controller.config import Settings, load_settings
from controller.errors import ConfigError

SAMPLE = Path(__file__).resolve().parents[2] / "deploy/barpoint.toml"


def test_the_documented_sample_holds_every_default() -> None:
    assert load_settings(SAMPLE, {}) == Settings()


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    path = tmp_path / "barpoint.toml"
    path.write_text("[api]\nport = 9000\n[camera]\ncorners = [1, 2, 3, 4, 5, 6, 7, 8]\n")
    settings = load_settings(path, {"BARPOINT_API_PORT": "9001", "BARPOINT_TURN_SIGNALS": "quiet, clock"})
    assert settings.api.port == 9001
    assert settings.turn.signals == ("quiet", "clock")
    assert settings.camera.corners == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0)


@pytest.mark.parametrize(
    ("text", "environment", "names"),
    [
        ("[api]\nprot = 1", {}, ["barpoint.toml", "prot", "port"]),
        ("[apis]\nport = 1", {}, ["barpoint.toml", "apis", "api"]),
        ("[api]\nport = 'x'", {}, ["barpoint.toml", "api.port", "whole number"]),
        ("[turn]\nmoves_policy = 'lax'", {}, ["turn.moves_policy", "responsible"]),
        ("", {"BARPOINT_API_PORT": "many"}, ["BARPOINT_API_PORT", "whole number"]),
        ("", {"BARPOINT_API_PROT": "1"}, ["BARPOINT_API_PROT", "port"]),
        ("[[", {}, ["barpoint.toml", "TOML"]),
    ],
)
def test_a_wrong_setting_names_file_key_and_what_is_accepted(
    tmp_path: Path, text: str, environment: dict[str, str], names: list[str]
) -> None:
    path = tmp_path / "barpoint.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as error:
        load_settings(path, environment)
    assert all(name in str(error.value) for name in names), str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_settings(tmp_path / "none.toml", {})
