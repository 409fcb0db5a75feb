"""The desk and the wizard in a real browser: plays and corrections by dragging, questions, cube, corners."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from controller.board import START_BOARD, Scene, site_at
from controller.ports import BarEdges, Finding, Part, Pressed
from controller.rules import BAR, OFF, Color, Point, Roll, legal_plays
from controller.session.events import Chosen, Correct, Scanned
from controller.session.facts import ClockSet, Played, Resigned
from tests.api.scripted import with_clock
from tests.pages.camera import TRUE_BAR, TRUE_CORNERS
from tests.pages.conftest import PHONE, Hall, wait_for_seq
from vision.field import Field
from vision.simulated import SimulatedCamera, SimulatedSource
from vision.wizard import Tapped, Wizard


def spot(page: Page, place: int | str, player: str) -> tuple[float, float]:
    """Return where a place of the board lies in the window: a site, "bar" or "off"."""
    found = page.evaluate(
        """async ([place, player]) => {
            const at = await import("/static/js/geometry.js");
            const view = { bottom: "white", home: "right" };
            const point = place === "bar" ? at.barAt(player, 0, view)
                : place === "off" ? at.trayMiddle(player, view) : at.checkerAt(place, 0, view);
            const matrix = document.querySelector("svg.board").getScreenCTM();
            const seen = new DOMPoint(point.x, point.y).matrixTransform(matrix);
            return [seen.x, seen.y];
        }""",
        [place, player],
    )
    return float(found[0]), float(found[1])


def drag(page: Page, source: int | str, target: int | str, player: str) -> None:
    page.evaluate("scrollTo(0, 0)")
    page.mouse.move(*spot(page, source, player))
    page.mouse.down()
    page.mouse.move(*spot(page, target, player), steps=4)
    page.mouse.up()


def place_of(point: int, player: Color) -> int | str:
    if point == BAR:
        return "bar"
    return "off" if point == OFF else int(site_at(Point(point), player))


def open_desk(hall: Hall, size: tuple[int, int] = (1366, 900)) -> Page:
    page = hall.open("/desk", size)
    wait_for_seq(page, hall.table.snapshot().seq)
    return page


def test_a_play_is_entered_by_dice_and_dragging_and_every_page_follows(hall: Hall) -> None:
    viewer = hall.open("/")
    page = open_desk(hall)
    turn = hall.table.snapshot().turn
    assert turn is not None
    plays = legal_plays(hall.table.snapshot().board.seen_by(turn), _roll(3, 1))
    play = next(iter(plays.values()))
    page.locator("[data-die='0'][data-face='3']").click()
    page.locator("[data-die='1'][data-face='1']").click()
    page.locator(f"body[data-legal='{hall.table.snapshot().seq}:31']").wait_for(state="attached")
    for move in play:
        drag(page, place_of(move.source, turn), place_of(move.target, turn), turn.value)
    expect(page.locator("#play-text")).not_to_have_value("")
    before = hall.table.snapshot().seq
    page.locator("#save").click()
    wait_for_seq(viewer, before + 2)
    played = hall.table.submitted[-1]
    assert isinstance(played, Played)
    assert not played.illegal


def _roll(high: int, low: int) -> Roll:

    return Roll.of(high, low)


def test_legal_places_are_lit_while_a_checker_is_held(hall: Hall) -> None:
    page = open_desk(hall)
    turn = hall.table.snapshot().turn
    assert turn is not None
    hall.call(hall.table.put({"type": "roll", "player": turn.value, "roll": [3, 1]}, roll=_roll(3, 1)))
    page.locator(f"body[data-legal='{hall.table.snapshot().seq}:31']").wait_for(state="attached")
    play = next(iter(legal_plays(hall.table.snapshot().board.seen_by(turn), _roll(3, 1)).values()))
    page.mouse.move(*spot(page, place_of(play[0].source, turn), turn.value))
    page.mouse.down()
    lit = page.locator(".lit [data-to]")
    expect(lit.first).to_be_visible()
    targets = {element.get_attribute("data-to") for element in lit.all()}
    assert str(place_of(play[0].target, turn)) in targets
    page.mouse.up()


def test_a_play_is_corrected_by_dragging_and_every_open_page_follows(hall: Hall) -> None:
    viewers = [hall.open(path) for path in ("/", "/tv")]
    page = open_desk(hall)
    event = [event for event in hall.table.events(0, 500) if event["type"] == "play"][-1]
    before = hall.table.snapshot_at(event["seq"] - 1)
    player = Color(event["player"])
    plays = legal_plays(before.board.seen_by(player), _roll(*event["roll"]))
    now = hall.table.snapshot_at(event["seq"]).board.seen_by(player)
    play = next(play for after, play in plays.items() if after != now)
    page.locator(f".moves button[data-seq='{event['seq']}']").click()
    rolled = "".join(map(str, event["roll"]))
    page.locator(f"body[data-legal='{event['seq'] - 1}:{rolled}']").wait_for(state="attached")
    for move in play:
        drag(page, place_of(move.source, player), place_of(move.target, player), player.value)
    page.locator("#save").click()
    expect(page.locator("#said")).to_have_text("Done.")
    order = hall.table.submitted[-1]
    assert isinstance(order, Correct)
    assert order.of == event["seq"]
    assert order.by == "Eve"
    for viewer in viewers:
        wait_for_seq(viewer, hall.table.snapshot().seq)
        expect(viewer.locator("body")).to_have_attribute("data-seq", str(hall.table.snapshot().seq))


def test_cube_actions_are_changed_and_corrections_undone_from_the_list(hall: Hall) -> None:
    turn = hall.table.snapshot().turn
    assert turn is not None
    double = hall.call(hall.table.put({"type": "cube", "player": turn.value, "action": "double", "value": 2}))
    take = hall.call(hall.table.put({"type": "cube", "player": turn.opponent.value, "action": "take", "value": 2}))
    page = open_desk(hall)
    page.locator(f".moves button[data-seq='{take}']").click()
    page.get_by_role("button", name="Instead: Drops").click()
    expect(page.locator("#said")).to_have_text("Done.")
    order = hall.table.submitted[-1]
    assert isinstance(order, Correct)
    assert (order.of, order.content) == (take, {"action": "drop"})
    page.locator(f".moves button[data-seq='{double}']").click()
    page.get_by_role("button", name="Undo the correction").click()
    expect(page.locator("#said")).to_have_text("Done.")
    undone = hall.table.submitted[-1]
    assert isinstance(undone, Correct)
    assert (undone.of, undone.content) == (take + 1, None)


def test_clocks_are_set_and_the_director_is_called(hall: Hall) -> None:
    hall.call(hall.table.put({"type": "clock"}, clock=with_clock()))
    page = open_desk(hall)
    page.get_by_role("button", name="Call the director").click()
    wait_for_seq(page, hall.table.snapshot().seq)
    expect(page.locator("#said")).to_have_text("Done.")
    assert isinstance(hall.table.submitted[-1], Pressed)
    page.locator("summary", has_text="Match").first.click()
    page.locator("#reserves input[name=white]").fill("90")
    page.locator("#reserves input[name=black]").fill("45")
    before = hall.table.snapshot().seq
    page.locator("#reserves button").click()
    wait_for_seq(page, before + 1)
    edited = hall.table.submitted[-1]
    assert isinstance(edited, ClockSet)
    assert (edited.action, edited.reserve_s) == ("edit", (90.0, 45.0))


def test_a_question_is_answered_by_one_click(hall: Hall) -> None:
    page = open_desk(hall, PHONE)
    hall.call(hall.table.ask())
    page.locator("#question button").nth(1).click()
    expect(page.locator("#question")).to_be_hidden()
    answer = hall.table.submitted[-1]
    assert isinstance(answer, Chosen)
    assert answer.choice == 1


def test_the_director_lets_the_game_go_on_from_the_board(hall: Hall) -> None:
    page = open_desk(hall)
    page.locator("[data-command=scan]").click()
    expect(page.locator("#question")).to_be_visible()
    assert isinstance(hall.table.submitted[-1], Scanned)


def test_the_cube_is_turned_and_a_match_is_started_and_viewers_follow(hall: Hall) -> None:
    viewer = hall.open("/")
    viewer.locator(".moves button").first.wait_for()
    page = open_desk(hall)
    page.locator("[data-command=cube]").first.click()
    page.locator(".cube.offered").wait_for()
    page.locator("[data-command=cube]").first.click()
    expect(page.locator(".cube.offered")).to_have_count(0)
    assert hall.table.snapshot().cube_value == 2
    page.locator("summary").first.click()
    page.locator("#start [name=white]").fill("Dora")
    page.locator("#start [name=black]").fill("Emil")
    page.locator("#start button").click()
    expect(page.locator(".side[data-player=white]")).to_contain_text("Dora")
    assert hall.table.snapshot().players == ("Dora", "Emil")
    expect(viewer.locator(".side[data-player=white]")).to_contain_text("Dora")
    expect(viewer.locator(".moves button")).to_have_count(0)


def test_the_director_delays_the_viewers_while_the_match_goes_on(hall: Hall) -> None:
    viewer = hall.open("/")
    shown = hall.table.snapshot().seq
    wait_for_seq(viewer, shown)
    page = open_desk(hall)
    page.locator("#sight-panel summary").click()
    expect(page.locator("#sight-now")).to_contain_text("everything at once")
    page.locator("#sight [name=delay_s]").fill("900")
    page.locator("#sight button").click()
    expect(page.locator("#sight-now")).to_contain_text("900 s behind")
    newest = int(hall.call(hall.table.play()))
    wait_for_seq(page, newest)
    expect(page.locator("#sight-now")).to_contain_text(f"{newest - shown} events wait")
    expect(viewer.locator("body")).to_have_attribute("data-seq", str(shown))
    page.locator("#sight [name=delay_s]").fill("0")
    page.locator("#sight button").click()
    wait_for_seq(viewer, newest)
    hall.table.tournament = True
    expect(page.locator("#sight-now")).to_contain_text("never see a hint")
    expect(page.locator("#sight [name=aids]")).to_be_disabled()


def test_the_desk_shows_what_the_camera_sees(hall: Hall) -> None:
    page = open_desk(hall)
    expect(page.locator("#picture")).to_be_visible()
    assert page.locator("#picture").evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280


def test_nobody_enters_the_desk_with_a_wrong_token(hall: Hall) -> None:
    hall.allow("401")
    hall.token = "wrong"
    page = hall.open("/desk")
    expect(page.locator("#login")).to_be_visible()
    expect(page.locator("#login-error")).to_contain_text("token")
    expect(page.locator("#desk")).to_be_hidden()


def test_an_admin_makes_a_token_for_a_scorer(hall: Hall) -> None:
    page = open_desk(hall)
    page.locator("#people-panel summary").click()
    page.locator("#add-person [name=name]").fill("Finn")
    page.locator("#add-person button").click()
    expect(page.locator("#new-token")).to_contain_text("barpoint_")
    expect(page.locator("#people")).to_contain_text("Finn")


def test_the_wizard_calibrates_by_dragging_the_corners(hall: Hall) -> None:
    hall.allow("422")
    page = hall.open("/setup")
    page.locator("body[data-ready]").wait_for(state="attached")
    expect(page.locator(".findings li[data-ok=false]")).to_have_count(1)
    page.locator("#use").click()
    expect(page.locator("#said")).to_contain_text("do not fit")
    drag_corners(page, TRUE_CORNERS)
    page.locator("#use").click()
    expect(page.locator("#said")).to_contain_text("edges of the bar")
    drag_bar(page, TRUE_BAR)
    page.locator("[data-grip='edge-1']").focus()
    page.keyboard.press("ArrowLeft")
    page.locator("[data-grip='corner-0']").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#use").click()
    expect(page.locator("body")).to_have_attribute("data-calibrated", "true")
    assert hall.drawn.corners is not None
    assert hall.drawn.bar is not None
    assert 0.2 < TRUE_BAR[1][0] - hall.drawn.bar[1][0] < 3
    page.locator("[data-part=link]").click()
    expect(page.locator(".parts li[data-ok=true]")).to_contain_text("link looked at")
    page.locator("[data-part=dice]").click()
    expect(page.locator(".parts li[data-ok=false]")).to_contain_text("dice looked at")


def drag_corners(page: Page, corners: Sequence[tuple[float, float]]) -> None:
    """Drag the four corners to these pixels of a capture 1280 pixels wide."""
    drag_grips(page, {f"corner-{index}": corner for index, corner in enumerate(corners)})


def drag_bar(page: Page, bar: BarEdges) -> None:
    """Drag both edges of the bar to these pixels."""
    drag_grips(page, {f"edge-{index}": edge for index, edge in enumerate(bar)})


def drag_grips(page: Page, targets: Mapping[str, tuple[float, float]]) -> None:
    for name, (x, y) in targets.items():
        grip = page.locator(f"[data-grip='{name}']").bounding_box()
        picture = page.locator("#corners").bounding_box()
        assert grip is not None
        assert picture is not None
        scale = picture["width"] / 1280
        page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
        page.mouse.down()
        page.mouse.move(picture["x"] + x * scale, picture["y"] + y * scale, steps=3)
        page.mouse.up()


def test_a_rendered_frame_is_calibrated_by_the_real_eyes(browser: Browser) -> None:
    camera = SimulatedCamera(seed=5)
    source = Tapped(SimulatedSource(camera, lambda: Scene(START_BOARD)))
    source.read()
    adopted: list[Field] = []

    async def attempt(part: Part) -> Finding:
        return Finding(part, True, "answers")

    hall = Hall(browser, Wizard(source, lambda: START_BOARD, lambda: None, adopted.append, attempt))
    page = hall.open("/setup", (1366, 900))
    page.locator("body[data-ready]").wait_for(state="attached")
    drag_corners(page, camera.corners_px)
    page.locator("#home").select_option("bottom-right")
    page.locator("#use").click()
    page.locator("body[data-calibrated]").wait_for(state="attached")
    expect(page.locator(".findings li")).to_have_count(5, timeout=60_000)
    assert len(adopted) == 1
    worst = max(math.dist(one, true) for one, true in zip(adopted[0].corners_px, camera.corners_px, strict=True))
    assert worst < 12
    hall.close()
    source.close()


def test_the_overlay_starter_waits_for_a_server_that_starts_later(hall: Hall, tmp_path: Path) -> None:
    page = open_desk(hall)
    with page.expect_download() as saved:
        page.locator("#launcher").click()
    file = tmp_path / "overlay.html"
    text = Path(saved.value.path()).read_text(encoding="utf-8")
    file.write_text(text.replace(hall.served.url_of(1), hall.served.url_of(0)), encoding="utf-8")
    page.close()
    hall.stop()
    waiting = hall.contexts[0].new_page()
    waiting.goto(file.as_uri())
    waiting.wait_for_timeout(300)
    hall.start_again()
    waiting.wait_for_url("**/overlay*", timeout=15_000)
    wait_for_seq(waiting, hall.table.snapshot().seq)


def test_a_resignation_is_offered_and_answered(hall: Hall) -> None:
    page = open_desk(hall)
    player = hall.table.snapshot().turn
    assert player is not None
    page.locator("[data-command=resign]").nth(1).click()
    expect(page.locator("[data-command=resign]")).to_have_count(2)
    assert hall.table.submitted[-1] == Resigned(
        at_s=hall.table.submitted[-1].at_s, player=player, action="offer", level=2
    )
    page.locator("[data-command=resign]").nth(1).click()
    expect(page.locator("[data-command=resign]")).to_have_count(3)
