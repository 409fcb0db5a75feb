/* Sensor array: what stands on each cell, told by the polarity of the magnet in the checker. */
#ifndef SENSORS_H
#define SENSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"
#include "events.h"

#define CELL_ON_COUNTS 60     /* further from the baseline: a checker */
#define CELL_OFF_COUNTS 35    /* nearer: none; between the two nothing changes */
#define CELL_OPEN_COUNTS 12   /* below: wire off, the pull-down wins */
#define CELL_SHORT_COUNTS 1011
#define CELL_CENTER 512       /* half the supply, before a calibration */
#define CELL_CENTER_OFF 120   /* an empty cell is never further from the center: twice the part's spread */
#define CONFIRM_PASSES 3      /* equal readings before a change counts */
#define CALIBRATION_PASSES 8  /* averaged into a baseline */

/* What one reading of a cell says. */
enum reading { READING_EMPTY, READING_WHITE, READING_BLACK, READING_OPEN, READING_SHORT };

enum calibrating { CALIBRATING_NOT, CALIBRATING_SUMMING, CALIBRATING_DONE, CALIBRATING_SAVING };

struct sensors {
    uint16_t baseline[CELL_COUNT];
    uint16_t sums[CELL_COUNT];
    uint8_t cells[CELL_COUNT]; /* reading | candidate << 3 | equal passes << 6 */
    uint16_t changes;
    uint8_t pass_seen;
    uint8_t next_cell;  /* CELL_COUNT: waits for the next pass */
    uint8_t settling;   /* passes left in which changes make no events */
    bool enabled;
    uint8_t calibrating;
    uint8_t passes_left;
    uint8_t good;
    uint8_t bad;
    uint32_t passes;
};

void sensors_init(struct sensors *sensors);

/* Starts or stops reporting; the first readings after a start make no events, the host reads a snapshot. */
void sensors_enable(struct sensors *sensors, bool enabled);

/* Begins to learn the empty voltages. */
void sensors_calibrate(struct sensors *sensors);

/* Looks at a few cells, as long as a finished pass has some left. */
void sensors_step(struct sensors *sensors, struct events *events, uint32_t now_us);

/* Returns one value of enum cell. */
uint8_t sensors_cell(const struct sensors *sensors, uint8_t cell);

/* Makes the fault event of a cell that has one. */
void sensors_tell_fault(const struct sensors *sensors, struct events *events, uint8_t cell, uint32_t now_us);

/* Returns one value of enum reading: what one voltage says, given what was there before. */
uint8_t cell_reading(uint16_t counts, uint16_t baseline, uint8_t before);

#endif
