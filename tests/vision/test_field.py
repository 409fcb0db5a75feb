"""The field: corners in, a flat picture and the places of the 24 points out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.errors import CalibrationError
from vision.field import WHITE_HOMES, Field, rectify

SIZE = (1280, 720)
UPRIGHT = [(300.0, 100.0), (950.0, 110.0), (980.0, 620.0), (280.0, 610.0)]


@pytest.mark.parametrize(
    ("corners", "complaint"),
    [
        (UPRIGHT[:3], "four points"),
        ([(float("nan"), 0.0), *UPRIGHT[1:]], "four points"),
        ([(-900.0, 100.0), *UPRIGHT[1:]], "outside"),
        ([(300.0, 100.0), (950.0, 110.0), (980.0, 620.0), (2800.0, 610.0)], "outside"),
        (UPRIGHT[::-1], "counter-clockwise"),
        ([UPRIGHT[0], UPRIGHT[2], UPRIGHT[1], UPRIGHT[3]], "cross"),
        ([(300.0, 100.0), (320.0, 100.0), (320.0, 110.0), (300.0, 110.0)], "hardly"),
    ],
)
def test_corners_that_span_no_field_are_refused_with_a_reason(corners: list, complaint: str) -> None:
    with pytest.raises(CalibrationError, match=complaint):
        Field.of(corners, SIZE)


def test_a_home_that_is_no_corner_is_refused() -> None:
    with pytest.raises(CalibrationError, match="bottom-right"):
        Field.of(UPRIGHT, SIZE, "left")


@given(
    lens=st.floats(-0.2, 0.05),
    x=st.floats(60, 620),
    y=st.floats(60, 520),
)
def test_field_coordinates_and_picture_points_are_inverse(lens: float, x: float, y: float) -> None:
    field = Field.of(UPRIGHT, SIZE).with_(lens=lens)
    there = field.to_picture([[x, y]])
    assert np.allclose(field.to_field(there), [[x, y]], atol=0.05)


def test_the_corners_are_the_corners_of_the_rectified_field_with_and_without_lens() -> None:
    for lens in (0.0, -0.15):
        field = Field.of(UPRIGHT, SIZE).with_(lens=lens)
        flat = field.to_field(UPRIGHT)
        assert np.allclose(flat[0], (40, 40), atol=0.01)
        assert np.allclose(flat[2], (640, 40 + field.height_px), atol=0.01)


@pytest.mark.parametrize("home", WHITE_HOMES)
def test_every_site_has_its_own_place_and_one_lies_at_whites_home(home: str) -> None:
    field = Field.of(UPRIGHT, SIZE, home)
    assert len({field.place(site) for site in range(1, 25)}) == 24
    assert all(field.site(*field.place(site)) == site for site in range(1, 25))
    row, column = field.place(1)
    assert (("top", "bottom")[row], ("left", "right")[column == 11]) == tuple(home.split("-"))
    assert field.place(12)[0] == row
    assert field.place(12)[1] == 11 - column
    assert field.place(24) == (1 - row, column)


def test_columns_leave_the_bar_free_and_may_have_none() -> None:
    field = Field.of(UPRIGHT, SIZE).with_(bar=(0.45, 0.55))
    boxes = field.columns()
    left, right = field.bar_px
    assert all(x1 <= left + 0.01 or x0 >= right - 0.01 for x0, _, x1, _ in boxes)
    assert Field.of(UPRIGHT, SIZE).with_(bar=(0.5, 0.5)).column_px == 50.0


def test_a_point_above_the_field_is_seen_away_from_the_camera() -> None:
    low_camera = Field.of([(400.0, 150.0), (880.0, 150.0), (1100.0, 650.0), (180.0, 650.0)], SIZE)
    _, up, _ = low_camera.lifted(0.2)
    assert up < 0
    straight = Field.of([(300.0, 100.0), (900.0, 100.0), (900.0, 610.0), (300.0, 610.0)], SIZE)
    center = np.array(straight.center_px)
    lift = straight.lifted(0.2)
    seen = (center + lift[:2]) / (1 + lift[2])
    assert np.linalg.norm(seen - center) < 2.0


def test_a_picture_of_another_size_is_refused() -> None:
    with pytest.raises(CalibrationError, match="640x480"):
        rectify(np.zeros((480, 640, 3), np.uint8), Field.of(UPRIGHT, SIZE))


def test_something_that_is_no_colour_picture_is_refused() -> None:
    field = Field.of(UPRIGHT, SIZE)
    for wrong in (
        np.zeros((720, 1280), np.uint8),
        np.zeros((720, 1280, 3), np.float32),
        np.zeros((8, 8, 3), np.uint8),
    ):
        with pytest.raises(CalibrationError):
            rectify(wrong, field)
