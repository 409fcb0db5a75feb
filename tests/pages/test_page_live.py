"""Every page in a real browser: it draws the table, follows it, fits its screen, and stays on its own server."""

from __future__ import annotations

import itertools

import pytest
from playwright.sync_api import expect

from tests.pages.conftest import LAPTOP, PHONE, TV, Hall, drawn_ms, lateness_ms, turn_around_ms, wait_for_seq

LIVE_PAGES = ("/", "/tv", "/overlay", "/desk")
ALL_PAGES = (*LIVE_PAGES, "/report", "/setup")


def checkers(hall: Hall) -> int:
    """Return how many round checkers a page draws for the position on the table."""
    board = hall.table.snapshot().board
    return sum(min(abs(count), 5) for count in board.points) + sum(min(count, 4) for count in board.bar)


@pytest.mark.parametrize("lang", ["en", "he"])
@pytest.mark.parametrize("path", ALL_PAGES)
def test_a_page_fits_every_screen_in_both_themes(hall: Hall, path: str, lang: str) -> None:
    page = hall.open(path, lang=lang)
    ready = "body[data-ready]" if path == "/setup" else "body[data-seq]"
    page.locator(ready).wait_for(state="attached")
    assert page.locator("html").get_attribute("dir") == ("rtl" if lang == "he" else "ltr")
    for size in (PHONE, LAPTOP, TV):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{path} is {wide} px too wide at {size}"
        if path in ("/tv", "/overlay"):
            tall = page.evaluate("document.documentElement.scrollHeight - innerHeight")
            assert tall <= 0, f"{path} scrolls at {size}"
        if path in LIVE_PAGES:
            box = page.locator("svg.board").bounding_box()
            assert box is not None
            assert box["width"] > 80
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= size[0] + 1
    if path in LIVE_PAGES:
        expect(page.locator(".checker")).to_have_count(checkers(hall))
        assert page.locator("svg.board").evaluate("board => getComputedStyle(board).direction") == "ltr"


@pytest.mark.parametrize("lang", ["en", "he"])
@pytest.mark.parametrize("path", LIVE_PAGES)
def test_a_play_appears_within_half_a_second_of_its_event(hall: Hall, path: str, lang: str) -> None:
    page = hall.open(path, lang=lang)
    wait_for_seq(page, hall.table.snapshot().seq)
    screens = itertools.cycle(itertools.product((PHONE, LAPTOP, TV), ("light", "dark")))

    def play() -> int:
        size, scheme = next(screens)
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]  # one of the two
        return int(hall.call(hall.table.play()))

    before = turn_around_ms(page)
    late = lateness_ms(hall, page, 6, play)
    assert late <= 500 + 5 * max(before, turn_around_ms(page))
    expect(page.locator(".checker")).to_have_count(checkers(hall))


def test_the_page_says_simulated_whose_turn_it_is_and_what_was_played(hall: Hall) -> None:
    page = hall.open("/", PHONE)
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("#simulated")).to_be_visible()
    expect(page.locator("#badge")).to_have_attribute("data-state", "live")
    now = hall.table.snapshot()
    assert now.turn is not None
    assert now.last_play is not None
    expect(page.locator(".side[data-turn=true]")).to_have_attribute("data-player", now.turn.value)
    expect(page.locator("#last")).to_contain_text(now.last_play.text.replace("Cannot Move", "no legal play"))
    expect(page.get_by_role("img", name="Backgammon board")).to_have_count(1)
    spoken = page.locator("svg.board desc").text_content() or ""
    assert "on point" in spoken


def test_a_play_that_is_not_legal_is_marked_where_it_stands(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    body = {"type": "play", "player": "white", "roll": [4, 1], "play": "Cannot Move", "illegal": True}
    seq = int(hall.call(hall.table.put(body)))
    cell = page.locator(f".moves button[data-seq='{seq}']")
    expect(cell).to_contain_text("did not move")
    expect(cell.get_by_role("img", name="not legal, left standing")).to_have_count(1)


def test_names_are_text_and_never_markup(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator(".side b")).to_have_count(0)
    expect(page.locator(".side[data-player=white] .name")).to_contain_text("Ann <b>Lee</b>")


def test_one_steps_back_and_forth_through_the_match_while_it_goes_on(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    plays = [event["seq"] for event in hall.table.events(0, 500) if event["type"] == "play"]
    page.locator(f".moves button[data-seq='{plays[-1]}']").wait_for()
    page.locator("#step-back").click()
    expect(page.locator("body")).to_have_attribute("data-seq", str(plays[-2]))
    expect(page.locator("body")).to_have_attribute("data-past", "true")
    hall.call(hall.table.play())
    expect(page.locator("body")).to_have_attribute("data-seq", str(plays[-2]))
    page.keyboard.press("ArrowRight")
    expect(page.locator("body")).to_have_attribute("data-seq", str(plays[-1]))
    page.keyboard.press("Escape")
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("body")).to_have_attribute("data-past", "false")


def test_turning_the_board_takes_everything_along_that_belongs_to_a_side(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("#side-bottom")).to_have_attribute("data-player", "white")
    before = page.locator("text.number").all_text_contents()
    page.locator("#flip").click()
    expect(page.locator("#side-bottom")).to_have_attribute("data-player", "black")
    expect(page.locator("#side-bottom .clock")).to_have_count(1)
    assert page.locator("text.number").all_text_contents() == before[::-1]


def test_a_correction_takes_back_the_line_on_every_page(hall: Hall) -> None:
    pages = [hall.open(path) for path in ("/", "/tv")]
    for page in pages:
        wait_for_seq(page, hall.table.snapshot().seq)
    plays = [event["seq"] for event in hall.table.events(0, 500) if event["type"] == "play"]
    pages[0].locator(f".moves button[data-seq='{plays[-1]}']").wait_for()
    hall.call(hall.table.correct(plays[-2]))
    for page in pages:
        wait_for_seq(page, hall.table.snapshot().seq)
        expect(page.locator(".checker")).to_have_count(checkers(hall))
    expect(pages[0].locator(f".moves button[data-seq='{plays[-1]}']")).to_have_count(0)
    expect(pages[0].locator(f".moves button[data-seq='{plays[-3]}']")).to_have_count(1)


def test_pages_say_that_the_server_is_gone_and_recover_without_a_reload(hall: Hall) -> None:
    pages = {path: hall.open(path) for path in LIVE_PAGES}
    for page in pages.values():
        wait_for_seq(page, hall.table.snapshot().seq)
        page.evaluate("document.body.dataset.notReloaded = 'yes'")
    hall.stop()
    for page in pages.values():
        page.locator("body[data-conn=offline]").wait_for(state="attached")
        expect(page.locator(".badge")).to_contain_text("Offline since")
    hall.start_again()
    newest = int(hall.call(hall.table.play_many(2)))
    for page in pages.values():
        wait_for_seq(page, newest)
        page.locator("body[data-conn=live]").wait_for(state="attached")
        assert page.locator("body").get_attribute("data-not-reloaded") == "yes"
    missed = [event["seq"] for event in hall.table.events(0, 500) if event["type"] == "play"]
    expect(pages["/"].locator(f".moves button[data-seq='{missed[-1]}']")).to_have_count(1)


def test_pages_say_since_when_the_table_is_stale(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    hall.call(hall.table.go_stale())
    page.locator("body[data-conn=stale]").wait_for(state="attached")
    expect(page.locator("#badge")).to_contain_text("Stale since")
    expect(page.locator("#notice")).to_be_visible()


def test_the_overlay_is_transparent_and_shows_what_the_address_asks_for(hall: Hall) -> None:
    page = hall.open("/overlay?show=names,score,last&place=top-right", TV)
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("svg.board")).to_be_hidden()
    expect(page.locator(".side .score").first).to_be_visible()
    expect(page.locator(".side .pips").first).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.body).backgroundImage") == "none"


def test_the_tv_shows_several_tables_as_tiles(hall: Hall) -> None:
    page = hall.open("/tv?tables=table-1,table-1", TV)
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("svg.board")).to_have_count(2)
    boxes = [page.locator("svg.board").nth(index).bounding_box() for index in range(2)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]


def test_without_javascript_the_page_still_shows_the_position(hall: Hall) -> None:
    page = hall.open("/", java_script_enabled=False)
    still = page.locator("noscript img, img.still")
    expect(still).to_be_visible()
    assert still.evaluate("image => image.naturalWidth") > 300


def test_a_slow_page_paints_only_the_newest_position(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    newest = int(hall.call(hall.table.play_many(60)))
    wait_for_seq(page, newest)
    assert len(drawn_ms(page)) < 60


def test_the_report_shows_every_game(hall: Hall) -> None:
    page = hall.open("/report", lang="de")
    page.locator("body[data-seq]").wait_for(state="attached")
    expect(page.locator("#games section")).to_have_count(1)
    assert page.locator(".plot.race polyline").count() == 2
    plays = [event for event in hall.table.events(0, 500) if event["type"] == "play"]
    expect(page.locator(".plot rect.bar")).to_have_count(len(plays))
    expect(page.locator("#fair")).to_be_hidden()
    expect(page.locator("#dice tr")).to_have_count(3)


def test_a_money_session_that_is_over_says_who_owes_whom(hall: Hall) -> None:
    over = {"length": 0, "phase": "match_over", "score": (2, 8), "settlement": (-6, 6), "turn": None}
    hall.call(hall.table.put({"type": "match_end", "winner": None, "score": [2, 8], "reason": "closed"}, **over))
    owed = "Ann <b>Lee</b> owes Bob points: 6"
    expect(hall.open("/report").locator("#settled")).to_have_text(owed)
    for path in ("/", "/tv", "/desk"):
        expect(hall.open(path).get_by_text(owed)).to_be_visible()
    hall.call(hall.table.put({"type": "score_set", "score": [2, 2]}, score=(2, 2), settlement=(0, 0)))
    expect(hall.open("/report").locator("#settled")).to_have_text("Nobody owes anything")


def test_the_report_tells_how_to_check_the_electronic_dice(hall: Hall) -> None:
    hall.table.log = [
        {"type": "commitment", "match_id": "01TESTMATCH", "sha256": "ab" * 32},
        {"type": "roll", "roll": 1, "dice": [3, 1], "roll_id": 2},
    ]
    viewer = hall.open("/")
    viewer.locator("#fair").click()
    viewer.wait_for_url("**/report*")
    expect(viewer.locator("#fair")).to_contain_text("ab" * 32)
    expect(viewer.locator("#fair")).to_contain_text("told after the match")
    expect(viewer.locator("#fair a")).to_have_attribute("href", "/api/v1/dice.jsonl")
    hall.table.log = [*hall.table.log, {"type": "reveal", "seed": "cd" * 32}]
    viewer.reload()
    expect(viewer.locator("#fair")).to_contain_text("cd" * 32)


def test_the_tv_shows_several_tables_in_turn(hall: Hall) -> None:
    page = hall.open("/tv?tables=table-1,table-1&mode=rotate&every=3", TV)
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("section.table").nth(1)).to_be_hidden()
    expect(page.locator("section.table").nth(1)).to_be_visible()
    expect(page.locator("section.table").nth(0)).to_be_hidden()


def test_the_picture_to_keep_is_the_one_that_is_shown(hall: Hall) -> None:
    page = hall.open("/")
    wait_for_seq(page, hall.table.snapshot().seq)
    page.locator("#flip").click()
    page.locator("#step-back").click()
    expect(page.locator("body")).to_have_attribute("data-past", "true")
    seq = page.locator("body").get_attribute("data-seq")
    address = page.locator("#still").get_attribute("href") or ""
    assert f"seq={seq}&bottom=black" in address
    assert page.request.get(hall.url(address)).headers["content-type"] == "image/png"


def test_a_page_that_was_seen_opens_without_the_server_and_says_so(hall: Hall) -> None:
    page = hall.open("/?offline=1")
    wait_for_seq(page, hall.table.snapshot().seq)
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    wait_for_seq(page, hall.table.snapshot().seq)
    hall.stop()
    page.goto(hall.url("/?offline=1"))
    page.locator("body[data-conn=offline]").wait_for(state="attached")
    expect(page.locator("#notice")).to_contain_text("does not answer")
    hall.start_again()
    wait_for_seq(page, hall.table.snapshot().seq)
