"""The sensor array on the real ELF: every cell, both colors, faults, calibration in EEPROM."""

import random
from collections.abc import Callable

from emulated import BLACK_MV, EMPTY_MV, OPEN_MV, SHORT_MV, WHITE_MV, Bench, Host

from controller.protocol import (
    CELL_COUNT,
    CELLS_PER_MUX,
    MUX_COUNT,
    Baselines,
    Calibrate,
    Calibrated,
    Calibration,
    Cell,
    CellChanged,
    Config,
    Fault,
    FaultChanged,
    LightsShow,
    Overflow,
    Raw,
    Refusal,
    Refused,
    SelfTest,
    SelfTested,
    Snapshot,
    Stats,
)

MV_OF = {Cell.EMPTY: EMPTY_MV, Cell.WHITE: WHITE_MV, Cell.BLACK: BLACK_MV}
REPORT = Config(255, 1000, 0, 1)


def watching(bench: Bench) -> Host:
    host = Host(bench, step_s=0.001)
    host.greet()
    host.ask(REPORT)
    host.run(0.08)
    return host


def cells_of(host: Host) -> list[Cell]:
    packed = host.ask(Snapshot()).cells
    return [Cell(packed[cell // 4] >> 2 * (cell % 4) & 3) for cell in range(CELL_COUNT)]


def test_all_192_cells_report_both_colors_and_empty_one_by_one(bench: Bench) -> None:
    host = watching(bench)
    for white in range(CELL_COUNT + 1):  # a white checker walks over the cells, a black one behind it
        expected = [Cell.EMPTY] * CELL_COUNT
        for cell, what in ((white, Cell.WHITE), (white - 1, Cell.BLACK)):
            if 0 <= cell < CELL_COUNT:
                expected[cell] = what
        for cell in range(max(0, white - 2), min(white + 1, CELL_COUNT)):
            bench.cell(cell, MV_OF[expected[cell]])
        host.run(0.047)
        assert cells_of(host) == expected
    changes = [event for event in host.of(CellChanged) if isinstance(event, CellChanged)]
    for cell in range(CELL_COUNT):
        seen = [(event.before, event.after) for event in changes if event.index == cell]
        assert seen[:2] == [(Cell.EMPTY, Cell.WHITE), (Cell.WHITE, Cell.BLACK)]
    assert host.ask(Stats()).events_lost == 0


def test_a_whole_board_set_at_once_is_in_the_snapshot_even_when_events_overflow(bench: Bench) -> None:
    host = watching(bench)
    rng = random.Random(3)
    cells = [rng.choice(list(MV_OF)) for _ in range(CELL_COUNT)]
    bench.cells(MV_OF[cell] for cell in cells)
    host.run(1.0)
    assert cells_of(host) == cells
    told = len(host.of(CellChanged))
    lost = sum(event.others for event in host.of(Overflow) if isinstance(event, Overflow))
    assert told + lost == sum(cell != Cell.EMPTY for cell in cells) == host.ask(Snapshot()).changes


def test_noise_of_a_quarter_volt_makes_no_event(bench: Bench) -> None:
    host = watching(bench)
    rng = random.Random(4)
    for _ in range(25):
        bench.cells(EMPTY_MV + rng.randint(-250, 250) for _ in range(CELL_COUNT))
        host.run(0.012)
    assert host.of(CellChanged) == []


def test_a_cell_that_dies_is_named_and_the_others_go_on(bench: Bench) -> None:
    host = watching(bench)
    bench.cell(191, OPEN_MV)
    bench.cell(3, SHORT_MV)
    bench.cell(4, WHITE_MV)
    host.run(0.1)
    faults = {(e.fault, e.index, e.active) for e in host.of(FaultChanged) if isinstance(e, FaultChanged)}
    assert faults == {(Fault.CELL_OPEN, 191, 1), (Fault.CELL_SHORT, 3, 1)}
    assert [cells_of(host)[cell] for cell in (191, 3, 4)] == [Cell.FAULT, Cell.FAULT, Cell.WHITE]
    bench.cell(191, EMPTY_MV)
    host.run(0.1)
    assert host.of(FaultChanged)[-1].active == 0
    host.ask(SelfTest())
    host.run_until(lambda: bool(host.of(SelfTested)), most_s=6.0)
    assert host.of(SelfTested)[0].cells == 1


def test_an_array_that_is_not_fitted_says_nothing(bench: Bench) -> None:
    bench.cells([OPEN_MV] * CELL_COUNT)
    host = Host(bench)
    host.greet()
    host.run(0.5)
    assert host.of(FaultChanged) == host.of(CellChanged) == []


def test_a_changed_cell_is_confirmed_within_60_ms_and_a_pass_takes_12_ms_at_most(bench: Bench) -> None:
    host = watching(bench)
    rng = random.Random(5)
    latencies = []
    for cell in rng.sample(range(CELL_COUNT), 40):
        host.run(rng.random() * 0.02)
        bench.cell(cell, WHITE_MV)
        host.events.clear()
        latencies.append(host.run_until(lambda: bool(host.events), most_s=0.2))
    assert max(latencies) <= 0.060
    passes_us = []
    for generation in range(30):  # a frame of lights holds the conversions up in each of these passes
        host.run(rng.random() * 0.012)
        host.ask(LightsShow(generation, bytes(7), 1000, 0, 100))
        host.run(0.0125)
        passes_us.append(host.ask(Stats()).pass_us)
    assert max(passes_us) <= 12000


def nulls() -> list[int]:
    return [2300 + 7 * cell % 400 for cell in range(CELL_COUNT)]


def baselines(host: Host) -> list[int]:
    return [counts for mux in range(MUX_COUNT) for counts in host.ask(Baselines(mux)).counts]


def calibrated(bench: Bench) -> tuple[Host, list[int]]:
    bench.cells(nulls())
    host = watching(bench)
    host.ask(Calibrate())
    answer = host.answer(Calibrate())
    assert isinstance(answer, Refused)
    assert answer.reason is Refusal.BUSY
    host.run_until(lambda: bool(host.of(Calibrated)), most_s=6.0)
    [done] = host.of(Calibrated)
    assert isinstance(done, Calibrated)
    assert (done.good, done.bad) == (CELL_COUNT, 0)
    learned = baselines(host)
    assert all(abs(counts - mv * 1023 / 5000) <= 1 for counts, mv in zip(learned, nulls(), strict=True))
    return host, learned


def test_calibration_survives_reset_and_power_off(bench: Bench, new_bench: Callable[..., Bench]) -> None:
    host, learned = calibrated(bench)
    bench.reset()
    assert host.greet().calibration is Calibration.VALID
    assert baselines(host) == learned
    later = Host(new_bench(eeprom=bench.eeprom))
    assert later.greet().calibration is Calibration.VALID
    assert baselines(later) == learned


def test_one_damaged_copy_of_the_calibration_does_no_harm_and_two_are_told(
    bench: Bench, new_bench: Callable[..., Bench]
) -> None:
    _, learned = calibrated(bench)
    content = bytearray(bench.eeprom)
    content[0x100] ^= 0x10
    other = new_bench(eeprom=bytes(content))
    host = Host(other)
    assert host.greet().calibration is Calibration.VALID
    assert baselines(host) == learned
    content[0x300] ^= 0x10
    host = Host(new_bench(eeprom=bytes(content)))
    assert host.greet().calibration is Calibration.DAMAGED
    assert set(baselines(host)) == {512}


def test_power_cut_while_the_calibration_is_saved_leaves_the_old_or_the_new_one(
    bench: Bench, new_bench: Callable[..., Bench]
) -> None:
    host, old = calibrated(bench)
    bench.cells(mv + 60 for mv in nulls())
    host.ask(Calibrate())
    seen = set()
    for _ in range(10):
        host.run(0.08)
        later = Host(new_bench(eeprom=bench.eeprom))
        assert later.greet().calibration is Calibration.VALID
        seen.add(baselines(later) == old)
    assert seen == {True, False}


def test_a_cell_with_a_checker_on_it_is_named_by_the_calibration(bench: Bench) -> None:
    host = watching(bench)
    bench.cell(50, 4000)
    host.ask(Calibrate())
    host.run_until(lambda: bool(host.of(Calibrated)), most_s=6.0)
    assert host.of(Calibrated)[0].bad == 1
    assert (Fault.CELL_STUCK, 50) in {(e.fault, e.index) for e in host.of(FaultChanged)}


def test_raw_voltages_are_those_of_the_right_mux_and_channel(bench: Bench) -> None:
    bench.cells(1000 + 15 * cell for cell in range(CELL_COUNT))
    host = Host(bench)
    host.greet()
    for mux in range(MUX_COUNT):
        counts = host.ask(Raw(mux)).counts
        for channel in range(CELLS_PER_MUX):
            millivolts = 1000 + 15 * (mux * CELLS_PER_MUX + channel)
            assert abs(counts[channel] - millivolts * 1023 / 5000) <= 1


def test_the_small_chip_refuses_what_it_has_no_sensors_for(new_bench: Callable[..., Bench]) -> None:
    host = Host(new_bench("atmega328p"))
    host.greet()
    for request in (Snapshot(), Raw(0), Baselines(0), Calibrate(), REPORT):
        answer = host.answer(request)
        assert isinstance(answer, Refused)
        assert answer.reason is Refusal.UNSUPPORTED
