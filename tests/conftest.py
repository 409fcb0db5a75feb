"""Fixtures that every test folder shares."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("barpoint", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("barpoint")  # timings never decide a test


def shared_folder() -> Path | None:
    """Return the folder of shared data, or None in a clone that has none."""
    name = os.environ.get("BARPOINT_SHARED", "")
    return Path(name).resolve() if name and Path(name).is_dir() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if shared_folder() is not None:
        return
    without = [item for item in items if item.get_closest_marker("needs_shared")]
    if without:
        config.hook.pytest_deselected(items=without)
        items[:] = [item for item in items if item not in without]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data."""
    folder = shared_folder()
    assert folder is not None, "a test that reads shared data must be marked needs_shared"
    return folder
