#include "sensors.h"

#include "../hal.h"

#define SLICE 16 /* cells looked at per turn of the main loop */

static uint8_t reading_of(uint8_t state) { return state & 7u; }
static uint8_t candidate_of(uint8_t state) { return (uint8_t)(state >> 3 & 7u); }
static uint8_t equal_of(uint8_t state) { return (uint8_t)(state >> 6); }

static uint8_t state_of(uint8_t reading, uint8_t candidate, uint8_t equal) {
    return (uint8_t)(reading | candidate << 3 | equal << 6);
}

void sensors_init(struct sensors *s) {
    memset(s, 0, sizeof *s);
    for (uint8_t i = 0; i < CELL_COUNT; i++) s->baseline[i] = CELL_CENTER;
    s->next_cell = CELL_COUNT;
    s->pass_seen = hal_passes();
}

void sensors_enable(struct sensors *s, bool enabled) {
    if (enabled && !s->enabled) {
        memset(s->cells, 0, sizeof s->cells);
        s->settling = CONFIRM_PASSES + 1;
    }
    s->enabled = enabled;
}

void sensors_calibrate(struct sensors *s) {
    memset(s->sums, 0, sizeof s->sums);
    s->calibrating = CALIBRATING_SUMMING;
    s->passes_left = CALIBRATION_PASSES + 1; /* the pass under way began before the request */
}

uint8_t cell_reading(uint16_t counts, uint16_t baseline, uint8_t before) {
    if (counts < CELL_OPEN_COUNTS) return READING_OPEN;
    if (counts > CELL_SHORT_COUNTS) return READING_SHORT;
    int16_t off = (int16_t)(counts - baseline);
    if (off >= (before == READING_WHITE ? CELL_OFF_COUNTS : CELL_ON_COUNTS)) return READING_WHITE;
    if (-off >= (before == READING_BLACK ? CELL_OFF_COUNTS : CELL_ON_COUNTS)) return READING_BLACK;
    return READING_EMPTY;
}

static uint8_t cell_of(uint8_t reading) { return reading >= READING_OPEN ? CELL_FAULT : reading; }

uint8_t sensors_cell(const struct sensors *s, uint8_t cell) { return cell_of(reading_of(s->cells[cell])); }

static uint8_t fault_of(uint8_t reading) { return reading == READING_OPEN ? FAULT_CELL_OPEN : FAULT_CELL_SHORT; }

void sensors_tell_fault(const struct sensors *s, struct events *events, uint8_t cell, uint32_t now_us) {
    fault_event(events, fault_of(reading_of(s->cells[cell])), cell, true, now_us);
}

static void cell_changed(
    struct sensors *s, struct events *events, uint8_t cell, uint8_t before, uint8_t after, uint32_t now_us) {
    if (before >= READING_OPEN) fault_event(events, fault_of(before), cell, false, now_us);
    if (after >= READING_OPEN) fault_event(events, fault_of(after), cell, true, now_us);
    if (cell_of(before) == cell_of(after)) return;
    s->changes++;
    if (s->settling != 0) return;
    uint8_t data[5] = {cell, cell_of(before), cell_of(after), (uint8_t)s->changes, (uint8_t)(s->changes >> 8)};
    events_add(events, KIND_CELL_CHANGED, now_us, data, sizeof data);
}

static void look_at(struct sensors *s, struct events *events, uint8_t cell, uint32_t now_us) {
    uint8_t state = s->cells[cell];
    uint8_t before = reading_of(state);
    uint8_t reading = cell_reading(hal_cell_counts(cell), s->baseline[cell], before);
    if (reading == before) {
        s->cells[cell] = state_of(before, before, 0);
        return;
    }
    uint8_t equal = reading == candidate_of(state) ? (uint8_t)(equal_of(state) + 1) : 1;
    if (equal < CONFIRM_PASSES) {
        s->cells[cell] = state_of(before, reading, equal);
        return;
    }
    s->cells[cell] = state_of(reading, reading, 0);
    cell_changed(s, events, cell, before, reading, now_us);
}

static void learn(struct sensors *s, struct events *events, uint32_t now_us) {
    s->good = 0;
    s->bad = 0;
    for (uint8_t cell = 0; cell < CELL_COUNT; cell++) {
        uint16_t mean = (s->sums[cell] + CALIBRATION_PASSES / 2) / CALIBRATION_PASSES;
        if (mean >= CELL_CENTER - CELL_CENTER_OFF && mean <= CELL_CENTER + CELL_CENTER_OFF) {
            s->baseline[cell] = mean;
            s->good++;
        } else {
            s->bad++;
            fault_event(events, FAULT_CELL_STUCK, cell, true, now_us);
        }
    }
    s->calibrating = CALIBRATING_DONE;
}

static void pass_ended(struct sensors *s, struct events *events, uint32_t now_us) {
    s->passes++;
    if (s->settling != 0) s->settling--;
    if (s->calibrating == CALIBRATING_SUMMING && --s->passes_left == 0) learn(s, events, now_us);
}

void sensors_step(struct sensors *s, struct events *events, uint32_t now_us) {
    if (s->next_cell == CELL_COUNT) {
        if (hal_passes() == s->pass_seen) return;
        s->pass_seen = hal_passes();
        s->next_cell = 0;
    }
    uint8_t end = (uint8_t)(s->next_cell + SLICE);
    bool summing = s->calibrating == CALIBRATING_SUMMING;
    for (; s->next_cell < end; s->next_cell++) {
        uint8_t cell = s->next_cell;
        if (summing) {
            if (s->passes_left <= CALIBRATION_PASSES) s->sums[cell] += hal_cell_counts(cell);
        } else if (s->enabled) {
            look_at(s, events, cell, now_us);
        }
    }
    if (s->next_cell == CELL_COUNT) pass_ended(s, events, now_us);
}
