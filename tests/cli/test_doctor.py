"""`barpoint doctor` names what is wrong and what to do; its bundle holds no secrets."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from controller.cli import checks, doctor, main
from controller.cli.masking import masked
from controller.config import BoardSettings, Settings, TableSettings
from controller.hardware.checkup import Checkup, Finding, fault_name
from controller.hardware.link import SerialLink
from controller.hardware.peer import Peer
from controller.hardware.sensors import CELLS
from controller.hardware.simavr import EmulatedBoard, build
from controller.protocol import MAJOR, Cell, Fault
from controller.storage import Journal

LIGHTS = 52


def settings(folder: Path) -> Settings:
    return Settings(table=TableSettings(journal=str(folder / "journal/x.sqlite")))


def states(found: list[Finding]) -> dict[str, str]:
    return {each.part: each.state for each in found}


def checked(peer: Peer, *, sensors: bool = True, answer_s: float = 12.0) -> list[Finding]:
    link = SerialLink(peer.devices, peer.open, bauds=(250_000,))
    try:
        return Checkup(link, answer_s).run(sensors=sensors)
    finally:
        link.close()


def test_a_board_in_order_is_said_to_be() -> None:
    found = checked(Peer())
    assert {each.state for each in found} == {"ok"}
    assert set(states(found)) == {"board", "wire", "counters", "self-test", "cells"}


def test_a_broken_cell_is_named() -> None:
    peer = Peer()
    peer.set_cell(12, Cell.FAULT)
    (line,) = [each for each in checked(peer) if each.part == "self-test"]
    assert (line.state, line.text) == ("fail", "cell 1 of point 3 has no contact")


def test_no_board_and_an_old_firmware_say_what_to_do() -> None:
    gone = Peer()
    gone.unplug()
    (line,) = checked(gone, answer_s=0.5)
    assert (line.state, "cable" in line.todo) == ("fail", True)
    (line,) = checked(Peer(major=MAJOR + 1), answer_s=1.0)
    assert (line.state, line.todo) == ("fail", "run barpoint flash")


def test_every_fault_has_words_of_its_own() -> None:
    names = [fault_name(Fault.LIGHT_DARK, i) for i in range(LIGHTS)]
    names += [
        fault_name(f, i) for f in (Fault.CELL_OPEN, Fault.CELL_SHORT, Fault.CELL_STUCK) for i in range(CELLS)
    ]
    names += [fault_name(Fault.BUTTON_STUCK, i) for i in range(6)]
    names += [fault_name(Fault.LIGHTS_UNMEASURED, 0), fault_name(Fault.EEPROM_FAILED, 0)]
    assert len(set(names)) == len(names)


def test_the_real_firmware_names_a_dead_light_a_stuck_button_and_learns_its_cells() -> None:
    build()
    board = EmulatedBoard()
    link = SerialLink(board.devices, board.open, bauds=(250_000,))
    try:
        board.order("dead 16")
        board.order("press 1")
        checkup = Checkup(link, answer_s=30.0)
        found = checkup.run(sensors=True)
        learned = checkup.calibrate()
    finally:
        link.close()
        board.close()
    failing = [each.text for each in found if each.state == "fail"]
    assert "the light at point 17 stays dark" in failing
    assert "Black's clock button is held down" in failing
    assert states(found)["cells"] == "warn", "a new board is not calibrated"
    assert (learned.state, learned.text) == ("ok", f"{CELLS} cells learned what empty is")


def test_a_sound_journal_is_counted_and_a_folder_that_cannot_be_written_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "journal").mkdir()
    book = Journal.open(tmp_path / "journal/x.sqlite")
    book.append({"seq": 1, "type": "match_start"}, match_id="m1")
    book.close()
    found = list(checks.journal(settings(tmp_path)))
    assert any("holds 1 matches" in each.text for each in found)
    assert all(each.state != "fail" for each in found)
    assert not list((tmp_path / "journal").glob(".barpoint-doctor*"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    (line,) = checks.journal(settings(tmp_path))
    assert (line.state, "cannot be written" in line.text) == ("fail", True)


def test_a_camera_that_is_not_there_is_said(tmp_path: Path) -> None:
    from controller.config import CameraSettings

    assert checks.camera(Settings(camera=CameraSettings(source="none"))).state == "fail"
    sensors = Settings(camera=CameraSettings(source="none"), board=BoardSettings(sensors=True))
    assert checks.camera(sensors).state == "ok"
    assert checks.camera(Settings(camera=CameraSettings(source=str(tmp_path / "none")))).state == "fail"


@pytest.mark.parametrize(
    "secret", ["hunter2", "b8:27:eb:aa:bb:cc", "Casa Rossa", "ann", "s3cr3t", "0123456789abcdef"]
)
def test_secrets_do_not_leave_the_house(secret: str) -> None:
    text = "\n".join(
        [
            'password = "hunter2"',
            "mqtt://club:s3cr3t@example.org/tables",
            "desk token: barpoint_0123456789abcdefXYZ",
            "Authorization: Bearer 0123456789abcdef.x",
            "wlan0 UP b8:27:eb:aa:bb:cc",
            'wpa: ssid="Casa Rossa" psk=hunter2',
            "SSID: Casa Rossa",
            '{"api_key": "hunter2", "journal": "/home/ann/barpoint/journal.sqlite"}',
        ]
    )
    assert secret not in masked(text)
    assert "barpoint/journal.sqlite" in masked(text), "what is no secret stays readable"


def test_the_bundle_holds_report_and_settings_without_secrets(tmp_path: Path) -> None:
    config = tmp_path / "barpoint.toml"
    config.write_text('[table]\njournal = "/home/ann/j.sqlite"\n# token = "hunter2"\n')
    found = [Finding("board", "fail", "no board found", "is its cable in?")]
    doctor._write_bundle(tmp_path / "b.zip", found, config)
    with zipfile.ZipFile(tmp_path / "b.zip") as bundle:
        assert {"report.txt", "report.json", "settings.toml"} <= set(bundle.namelist())
        everything = "".join(bundle.read(name).decode() for name in bundle.namelist())
    assert "no board found" in everything
    assert "hunter2" not in everything
    assert "/home/ann" not in everything


def test_the_command_checks_a_simulated_board_and_prints_one_json_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["doctor", "--simulate", "--json", "--bundle", "b.zip"])
    report = json.loads(capsys.readouterr().out)
    assert status == (1 if report["state"] == "fail" else 0)
    assert {"programs", "computer", "clock", "journal", "disk", "speed", "board", "self-test"} <= {
        line["part"] for line in report["findings"]
    }
    assert next(line for line in report["findings"] if line["part"] == "board")["state"] == "ok"
    assert (tmp_path / "b.zip").exists()


def test_lines_for_people_say_what_to_do_below_what_is_wrong() -> None:
    text = doctor._plainly([Finding("disk", "ok", "9 GB free"), Finding("heat", "warn", "81 °C", "give it air")])
    assert text.splitlines()[1:3] == ["WARN  heat  81 °C", "            -> give it air"]
    assert text.endswith("1 of 2 lines need a look.")
