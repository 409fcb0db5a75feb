"""Pictures by address: the same board as SVG and PNG, and what a chat shows of a link."""

from __future__ import annotations

import re
from collections.abc import Iterator

import cv2
import httpx
import numpy as np
import pytest

from api.app import create_app
from api.door import Limits
from api.drawing import HEIGHT, THEMES, WIDTH
from api.raster import KEPT, Rasters
from tests.api.scripted import ScriptedTable
from tests.api.serving import Served

TABLE = ScriptedTable(names=('Ann "A" <b>Lee</b>', "Bob"))


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    served = Served(create_app(TABLE, limits=Limits(burst=100_000, per_s=100_000)))
    served.call(TABLE.play_many(6))
    with httpx.Client(base_url=served.url, timeout=60) as made:
        yield made
    served.close()


def pixels(picture: bytes) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)[:, :, ::-1]


def rgb(text: str) -> tuple[int, ...]:
    digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
    return tuple(int(digits[at : at + 2], 16) for at in (0, 2, 4))


@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
def test_the_png_shows_what_the_svg_draws(client: httpx.Client, theme: str) -> None:
    svg = client.get(f"/api/v1/position.svg?theme={theme}").text
    answer = client.get(f"/api/v1/position.png?theme={theme}&width={WIDTH}")
    assert answer.headers["Content-Type"] == "image/png"
    drawn = pixels(answer.content)
    assert drawn.shape[1] == WIDTH
    assert abs(drawn.shape[0] - HEIGHT) <= 1
    colors = THEMES[theme]  # type: ignore[index]  # a name of one of them
    assert tuple(drawn[2, WIDTH // 2]) == rgb(colors.page)
    discs = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="18" fill="(#\w+)"', svg)
    assert len(discs) >= 20
    for x, y, fill in discs:
        spots = [drawn[round(float(y)) + dy, round(float(x)) + dx] for dx, dy in ((-15, 0), (15, 0), (0, -15))]
        assert any(tuple(spot) == rgb(fill) for spot in spots)  # an arrow may cross one of them


def test_the_words_of_the_picture_are_drawn(client: httpx.Client) -> None:
    drawn = pixels(client.get(f"/api/v1/position.png?width={WIDTH}").content)
    strip = drawn[HEIGHT - 30 : HEIGHT - 4, 40:200]
    assert (strip.max(axis=2) > 180).mean() > 0.03


def test_an_earlier_position_keeps_its_picture(client: httpx.Client) -> None:
    first = client.get("/api/v1/position.png?seq=0&width=200")
    assert first.content != client.get("/api/v1/position.png?width=200").content
    again = client.get("/api/v1/position.png?seq=0&width=200", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert client.get("/api/v1/position.png?seq=9999").status_code == 404
    assert client.get("/api/v1/position.png?width=4001").status_code == 422


def test_only_so_many_pictures_are_kept_and_waited_for() -> None:
    served = Served(create_app(ScriptedTable()))
    rasters = Rasters()
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10"/></svg>'
    for number in range(KEPT + 3):
        served.call(rasters.png(str(number), 20, lambda: svg))
    assert len(rasters._kept) == KEPT
    served.close()


def test_a_chat_shows_names_score_and_board_of_a_link(client: httpx.Client) -> None:
    text = client.get("/").text
    told = dict(re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)">', text))
    assert told["og:title"] == "Ann &quot;A&quot; &lt;b&gt;Lee&lt;/b&gt; – Bob  0–0"
    assert told["og:description"] == "SIMULATED. Match to 7, game 1"
    picture = client.get(told["og:image"].replace("&amp;", "&"))
    assert picture.headers["Content-Type"] == "image/png"
    assert pixels(picture.content).shape[1] == 1200
    assert "<b>" not in text
    assert "<!--part" not in text
