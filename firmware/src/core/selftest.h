/* Self-test: every light alone, with its current measured; buttons held down; cells with a fault. */
#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"
#include "events.h"
#include "lights.h"

/* A white light draws 60 mA, 31 counts; one color alone 10. Fewer is a dark light. */
#define LIGHT_DARK_COUNTS 16

struct selftest {
    bool running;
    uint8_t light; /* LIGHT_NONE while the current of the dark chain is measured */
    uint8_t sample_seen;
    uint8_t samples_left;
    uint16_t dark_counts;
    uint8_t dark[BLINK_BYTES]; /* bit n of byte n / 8: light n drew no current */
    uint8_t dark_total;
};

void selftest_start(struct selftest *test, struct lights *lights);

/* Moves on by at most one measurement; returns true when the last light has been measured. */
bool selftest_step(struct selftest *test, struct lights *lights);

/* Makes the events of the lights; returns 1 when any light drew current. */
uint8_t selftest_report(const struct selftest *test, struct events *events, uint32_t now_us);

#endif
