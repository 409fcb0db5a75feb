#include "selftest.h"

#include "../hal.h"

#define SAMPLES 3 /* the first may have begun before the light changed */

static void measure(struct selftest *test, struct lights *lights, uint8_t light) {
    test->light = light;
    test->samples_left = SAMPLES;
    lights_test(lights, light);
}

void selftest_start(struct selftest *test, struct lights *lights) {
    memset(test, 0, sizeof *test);
    test->running = true;
    measure(test, lights, LIGHT_NONE);
}

static void take(struct selftest *test) {
    uint16_t counts = hal_current_counts();
    if (test->light == LIGHT_NONE) {
        test->dark_counts = counts;
    } else if (counts < test->dark_counts + LIGHT_DARK_COUNTS) {
        test->dark[test->light / 8] |= (uint8_t)(1u << test->light % 8);
        test->dark_total++;
    }
}

bool selftest_step(struct selftest *test, struct lights *lights) {
    if (!test->running) return false;
    if (lights->dirty) { /* the light is not shown yet */
        test->sample_seen = hal_current_sample();
        return false;
    }
    if (hal_current_sample() == test->sample_seen) return false;
    test->sample_seen = hal_current_sample();
    if (--test->samples_left != 0) return false;
    take(test);
    uint8_t next = test->light == LIGHT_NONE ? 0 : (uint8_t)(test->light + 1);
    if (next < LIGHT_COUNT) {
        measure(test, lights, next);
        return false;
    }
    lights_test_end(lights);
    test->running = false;
    return true;
}

uint8_t selftest_report(const struct selftest *test, struct events *events, uint32_t now_us) {
    if (test->dark_total == LIGHT_COUNT) {
        fault_event(events, FAULT_LIGHTS_UNMEASURED, 0, true, now_us);
        return 0;
    }
    for (uint8_t i = 0; i < LIGHT_COUNT; i++) {
        if (test->dark[i / 8] & 1u << i % 8) fault_event(events, FAULT_LIGHT_DARK, i, true, now_us);
    }
    return 1;
}
