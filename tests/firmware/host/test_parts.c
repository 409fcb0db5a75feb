/* The parts one by one: contacts, dice, lights, cells, EEPROM, buzzer. */
#include <string.h>

#include "check.h"
#include "core/buttons.h"
#include "core/buzzer.h"
#include "core/dice.h"
#include "core/lights.h"
#include "core/sensors.h"
#include "core/store.h"
#include "host/hal_host.h"

/* ---- contacts ---- */

/* Plays a contact whose level changes at the times given; one step per 200 us; counts what comes out. */
static void play_contact(
    struct contact *c, const uint32_t *changes_us, int count, uint32_t end_us, int *presses, int *releases) {
    bool closed = c->pressed;
    int next = 0;
    *presses = *releases = 0;
    for (uint32_t now_us = 0; now_us <= end_us; now_us += 200) {
        bool edge = false;
        uint32_t edge_us = 0;
        while (next < count && changes_us[next] <= now_us) {
            if (!edge) edge_us = changes_us[next];
            edge = true;
            closed = !closed;
            next++;
        }
        enum contact_change change = contact_step(c, closed, edge, edge_us, now_us);
        *presses += change == CONTACT_PRESSED;
        *releases += change == CONTACT_RELEASED;
    }
}

static void a_clean_press_is_timed_by_its_edge(void) {
    struct contact c;
    int presses, releases;
    contact_init(&c, false, 0);
    const uint32_t changes[] = {10123};
    play_contact(&c, changes, 1, 14800, &presses, &releases);
    CHECK(presses == 0);
    contact_init(&c, false, 0);
    play_contact(&c, changes, 1, 15200, &presses, &releases);
    CHECK(presses == 1 && releases == 0 && c.first_us == 10123);
}

static void ten_ms_of_bounce_are_one_press_at_the_first_edge(void) {
    uint32_t random = 12345;
    for (int round = 0; round < 2000; round++) {
        uint32_t longest_us = round % 2 ? 6500 : 4800; /* some bounces are longer than the debounce time */
        uint32_t changes[401];
        int count = 0;
        uint32_t at = 30000 + (uint32_t)round;
        uint32_t first = at;
        while (at < first + 10000 && count < 400) {
            changes[count++] = at;
            random = random * 1664525u + 1013904223u;
            at += 20 + random % longest_us;
        }
        if (count % 2 == 0) changes[count++] = first + 10000; /* it ends closed */
        struct contact c;
        int presses, releases;
        contact_init(&c, false, 0);
        play_contact(&c, changes, count, 80000, &presses, &releases);
        CHECK(presses == 1 && releases == 0);
        CHECK(c.first_us == first || (longest_us > DEBOUNCE_US && c.first_us <= first + 10000));
    }
}

static void a_spark_of_two_ms_is_no_press(void) {
    struct contact c;
    int presses, releases;
    contact_init(&c, false, 0);
    const uint32_t changes[] = {10000, 12000};
    play_contact(&c, changes, 2, 60000, &presses, &releases);
    CHECK(presses == 0 && releases == 0);
}

static void a_finger_on_the_button_at_the_start_is_no_press(void) {
    struct contact c;
    int presses, releases;
    contact_init(&c, true, 0);
    const uint32_t changes[] = {50000};
    play_contact(&c, changes, 1, 100000, &presses, &releases);
    CHECK(presses == 0 && releases == 1);
}

static void a_button_held_for_ten_seconds_is_stuck_until_it_is_let_go(void) {
    struct contact c;
    contact_init(&c, false, 0);
    int stuck = 0, freed = 0;
    for (uint32_t now_us = 0; now_us < 13000000; now_us += 1000) {
        bool closed = now_us >= 1000000 && now_us < 12000000;
        enum contact_change change = contact_step(&c, closed, false, 0, now_us);
        stuck += change == CONTACT_STUCK;
        freed += change == CONTACT_FREED;
        CHECK(now_us > 11000000 || stuck == 0);
    }
    CHECK(stuck == 1 && freed == 1);
}

static void time_may_wrap_under_a_press(void) {
    struct contact c;
    uint32_t start = UINT32_MAX - 40000;
    contact_init(&c, false, start);
    contact_step(&c, false, false, 0, start + 30000);
    contact_step(&c, true, true, start + 38000, start + 38100);
    CHECK(contact_step(&c, true, false, 0, start + 43100) == CONTACT_PRESSED);
    CHECK(c.first_us == start + 38000);
}

/* ---- dice ---- */

static void every_face_has_as_many_pips_as_its_number(void) {
    for (uint8_t face = 0; face <= 6; face++) {
        uint8_t lines = die_lines(face);
        int pips = (lines & PIP_CENTER ? 1 : 0) + (lines & PIP_DIAGONAL ? 2 : 0) +
                   (lines & PIP_ANTIDIAGONAL ? 2 : 0) + (lines & PIP_MIDDLE ? 2 : 0);
        CHECK(pips == face);
    }
}

static void a_roll_tumbles_and_ends_on_its_values(void) {
    struct dice dice;
    dice_init(&dice);
    const uint8_t values[4] = {6, 1, 0, 0};
    dice_roll(&dice, 9, values, 700, 1000);
    int rests = 0, faces = 0;
    uint8_t before = host.dice[0];
    for (uint32_t now_us = 1000; now_us < 1001000; now_us += 1000) {
        if (dice_step(&dice, now_us)) {
            rests++;
            CHECK(now_us == 701000);
        }
        faces += host.dice[0] != before;
        before = host.dice[0];
        CHECK(host.dice[1] == 0); /* Black's dice stay dark */
    }
    CHECK(rests == 1 && faces >= 8);
    CHECK(host.dice[0] == (die_lines(6) | die_lines(1) << 4));
}

static void the_same_roll_again_changes_nothing(void) {
    struct dice dice;
    dice_init(&dice);
    const uint8_t values[4] = {3, 4, 0, 0}, others[4] = {1, 1, 0, 0};
    dice_roll(&dice, 9, values, 100, 0);
    dice_roll(&dice, 9, others, 100, 50000);
    CHECK(dice_step(&dice, 100000));
    dice_roll(&dice, 9, others, 100, 200000);
    CHECK(!dice.rolling && memcmp(dice.shown, values, 4) == 0);
}

/* ---- lights ---- */

static void pixel(uint8_t light, uint8_t red, uint8_t green, uint8_t blue) {
    const uint8_t *grb = host.grb + light * 3;
    if (grb[0] != green || grb[1] != red || grb[2] != blue) {
        fprintf(stderr, "light %d is %d %d %d\n", light, grb[1], grb[0], grb[2]);
    }
    CHECK(grb[0] == green && grb[1] == red && grb[2] == blue);
}

static struct lights lights;
static const struct show steady = {.generation = 1, .blink_ms = 1000, .step_ms = 100};

static void nothing_is_shown_before_it_is_latched(void) {
    lights_init(&lights, 0);
    const uint8_t red[3] = {200, 0, 0};
    CHECK(lights_set(&lights, 51, red, 3));
    lights_step(&lights, 2000);
    pixel(51, 0, 0, 0);
    lights_show(&lights, &steady, 3000);
    lights_step(&lights, 4000);
    pixel(51, 200, 0, 0);
    pixel(50, 0, 0, 0);
    CHECK(!lights_set(&lights, 51, (const uint8_t *)"aaaaaa", 6));
}

static uint32_t shown_ma_x255(void) {
    uint32_t sum = 0;
    for (int i = 0; i < LIGHT_COUNT * 3; i++) sum += host.grb[i];
    return sum * 20 + LIGHT_COUNT * 255;
}

static void no_picture_draws_more_than_the_cap(void) {
    uint32_t random = 7;
    for (int round = 0; round < 3000; round++) {
        uint8_t rgb[LIGHT_COUNT * 3];
        for (size_t i = 0; i < sizeof rgb; i++) {
            random = random * 1664525u + 1013904223u;
            rgb[i] = round == 0 ? 255 : (uint8_t)(random >> 24);
        }
        uint16_t limit_ma = (uint16_t)(100 + random % 3101);
        lights_init(&lights, 0);
        lights_limit(&lights, round % 2 ? 255 : (uint8_t)(random >> 8), limit_ma);
        lights_set(&lights, 0, rgb, sizeof rgb);
        lights_show(&lights, &steady, 0);
        lights_step(&lights, 2000);
        CHECK(shown_ma_x255() <= limit_ma * 255u);
        CHECK(lights.drawn_ma <= limit_ma);
        CHECK(lights.drawn_ma * 255u >= shown_ma_x255());
    }
}

static void brightness_scales_and_full_brightness_changes_nothing(void) {
    const uint8_t color[3] = {255, 128, 1};
    lights_init(&lights, 0);
    lights_set(&lights, 0, color, 3);
    lights_show(&lights, &steady, 0);
    lights_step(&lights, 2000);
    pixel(0, 255, 128, 1);
    lights_limit(&lights, 127, 1000);
    lights_step(&lights, 4000);
    pixel(0, 127, 64, 0);
    lights_limit(&lights, 0, 1000);
    lights_step(&lights, 6000);
    pixel(0, 0, 0, 0);
}

static void a_blinking_light_is_on_for_half_its_period(void) {
    const uint8_t color[6] = {10, 20, 30, 40, 50, 60};
    struct show show = steady;
    show.blink[1] = 1u << 1; /* light 9 */
    show.blink_ms = 400;
    lights_init(&lights, 0);
    lights_set(&lights, 8, color, 6);
    lights_show(&lights, &show, 0);
    int on = 0;
    for (uint32_t now_us = 2000; now_us < 4002000; now_us += 2000) {
        lights_step(&lights, now_us);
        pixel(8, 10, 20, 30);
        on += host.grb[9 * 3] != 0;
    }
    CHECK(on > 980 && on < 1020);
}

static void a_chase_runs_along_the_points(void) {
    uint8_t steps;
    CHECK(chase_light(12, 7, 0, &steps) == 12 && steps == 6);
    CHECK(chase_light(12, 7, 3, &steps) == 9);
    CHECK(chase_light(12, 7, 5, &steps) == 7);
    CHECK(chase_light(12, 7, 6, &steps) == LIGHT_NONE);
    CHECK(chase_light(LIGHT_BAR_WHITE, 21, 0, &steps) == LIGHT_BAR_WHITE && steps == 4);
    CHECK(chase_light(LIGHT_BAR_WHITE, 21, 1, &steps) == 23);
    CHECK(chase_light(LIGHT_BAR_BLACK, 2, 2, &steps) == 1);
    CHECK(chase_light(3, LIGHT_TRAY_WHITE, 4, &steps) == LIGHT_TRAY_WHITE && steps == 5);
    CHECK(chase_light(20, LIGHT_TRAY_BLACK, 3, &steps) == 23);
    for (uint8_t from = 0; from < LIGHT_TURN_WHITE; from++) {
        for (uint8_t to = 0; to < LIGHT_TURN_WHITE; to++) {
            for (uint8_t step = 0; step < 30; step++) {
                uint8_t light = chase_light(from, to, step, &steps);
                CHECK(light == LIGHT_NONE || light < LIGHT_TURN_WHITE);
            }
        }
    }
}

static void a_running_chase_shows_one_light_at_a_time(void) {
    struct show show = steady;
    show.chases = 1;
    show.step_ms = 50;
    lights_init(&lights, 0);
    lights.staged_chases[0] = (struct chase){.origin = 5, .target = 3, .rgb = {0, 0, 99}};
    lights_show(&lights, &show, 0);
    static const uint8_t expected[] = {5, 4, 3, 255, 255, 255, 255, 5, 4};
    for (uint32_t i = 0; i < sizeof expected; i++) {
        lights_step(&lights, 2000 + i * 50000);
        for (uint8_t light = 0; light < 24; light++) pixel(light, 0, 0, light == expected[i] ? 99 : 0);
    }
}

static void a_lost_link_puts_the_lights_out_and_a_found_one_brings_them_back(void) {
    const uint8_t color[3] = {1, 2, 3};
    lights_init(&lights, 0);
    lights_set(&lights, 0, color, 3);
    lights_show(&lights, &steady, 0);
    lights_step(&lights, 2000);
    lights_link(&lights, true, 10000);
    lights_step(&lights, 12000);
    pixel(0, 0, 0, 0);
    pixel(LIGHT_TURN_WHITE, 60, 24, 0);
    pixel(LIGHT_TURN_BLACK, 0, 0, 0);
    lights_step(&lights, 520000);
    pixel(LIGHT_TURN_WHITE, 0, 0, 0);
    pixel(LIGHT_TURN_BLACK, 60, 24, 0);
    lights_link(&lights, false, 600000);
    lights_step(&lights, 602000);
    pixel(0, 1, 2, 3);
    pixel(LIGHT_TURN_BLACK, 0, 0, 0);
}

static void frames_are_never_crowded_and_come_once_a_second_at_least(void) {
    lights_init(&lights, 0);
    lights_step(&lights, 1000);
    uint32_t frames = host.light_frames;
    lights_limit(&lights, 10, 500);
    lights_step(&lights, 1900);
    CHECK(host.light_frames == frames);
    lights_step(&lights, 2100);
    CHECK(host.light_frames == frames + 1);
    for (uint32_t now_us = 2100; now_us < 5102100; now_us += 500) lights_step(&lights, now_us);
    CHECK(host.light_frames == frames + 6);
}

/* ---- cells ---- */

static void readings_have_hysteresis_and_faults(void) {
    CHECK(cell_reading(512 + 59, 512, READING_EMPTY) == READING_EMPTY);
    CHECK(cell_reading(512 + 60, 512, READING_EMPTY) == READING_WHITE);
    CHECK(cell_reading(512 + 36, 512, READING_WHITE) == READING_WHITE);
    CHECK(cell_reading(512 + 34, 512, READING_WHITE) == READING_EMPTY);
    CHECK(cell_reading(512 - 60, 512, READING_EMPTY) == READING_BLACK);
    CHECK(cell_reading(512 - 36, 512, READING_BLACK) == READING_BLACK);
    CHECK(cell_reading(512 - 60, 512, READING_WHITE) == READING_BLACK);
    CHECK(cell_reading(600, 560, READING_EMPTY) == READING_EMPTY);
    CHECK(cell_reading(11, 512, READING_EMPTY) == READING_OPEN);
    CHECK(cell_reading(1012, 512, READING_WHITE) == READING_SHORT);
}

static struct sensors sensors;
static struct events events;

static void one_pass(void) {
    host.passes++;
    for (int i = 0; i < CELL_COUNT / 16; i++) sensors_step(&sensors, &events, 0);
}

static void a_change_counts_after_three_equal_passes(void) {
    events_init(&events, 1);
    sensors_init(&sensors);
    sensors_enable(&sensors, true);
    for (int i = 0; i < 5; i++) one_pass();
    host.cells[77] = 800;
    one_pass();
    one_pass();
    CHECK(events.count == 0);
    host.cells[77] = 512; /* it was only moved past */
    one_pass();
    host.cells[77] = 800;
    one_pass();
    one_pass();
    CHECK(events.count == 0);
    one_pass();
    CHECK(events.count == 1 && events.ring[0].kind == KIND_CELL_CHANGED && events.ring[0].data[0] == 77);
    CHECK(sensors_cell(&sensors, 77) == CELL_WHITE && sensors.changes == 1);
}

static void what_stands_there_at_the_start_makes_no_events(void) {
    events_init(&events, 1);
    sensors_init(&sensors);
    for (int cell = 0; cell < CELL_COUNT; cell++) host.cells[cell] = cell % 2 ? 300 : 800;
    sensors_enable(&sensors, true);
    for (int i = 0; i < 10; i++) one_pass();
    CHECK(events.count == 0 && sensors.changes == CELL_COUNT);
    for (uint8_t cell = 0; cell < CELL_COUNT; cell++) {
        CHECK(sensors_cell(&sensors, cell) == (cell % 2 ? CELL_BLACK : CELL_WHITE));
    }
}

static void a_broken_cell_is_named_and_so_is_its_repair(void) {
    events_init(&events, 1);
    sensors_init(&sensors);
    sensors_enable(&sensors, true);
    for (int i = 0; i < 5; i++) one_pass();
    host.cells[191] = 0;
    for (int i = 0; i < 3; i++) one_pass();
    CHECK(events.count == 2);
    CHECK(events.ring[0].kind == KIND_FAULT_CHANGED && events.ring[0].data[0] == FAULT_CELL_OPEN);
    CHECK(events.ring[0].data[1] == 191 && events.ring[0].data[2] == 1);
    CHECK(sensors_cell(&sensors, 191) == CELL_FAULT);
    host.cells[191] = 512;
    for (int i = 0; i < 3; i++) one_pass();
    CHECK(events.count == 4 && events.ring[2].data[2] == 0);
    CHECK(sensors_cell(&sensors, 191) == CELL_EMPTY);
}

static void calibration_averages_and_names_cells_that_are_not_empty(void) {
    events_init(&events, 1);
    sensors_init(&sensors);
    for (int cell = 0; cell < CELL_COUNT; cell++) host.cells[cell] = (uint16_t)(450 + cell % 100);
    host.cells[5] = 900;
    sensors_calibrate(&sensors);
    for (int pass = 0; pass < 9; pass++) {
        host.cells[6] = (uint16_t)(500 + pass); /* passes 1 to 8 are averaged: 504.5 */
        one_pass();
    }
    CHECK(sensors.calibrating == CALIBRATING_DONE && sensors.good == 191 && sensors.bad == 1);
    CHECK(sensors.baseline[0] == 450 && sensors.baseline[99] == 549 && sensors.baseline[6] == 505);
    CHECK(sensors.baseline[5] == CELL_CENTER);
    CHECK(events.count == 1 && events.ring[0].data[0] == FAULT_CELL_STUCK && events.ring[0].data[1] == 5);
}

/* ---- EEPROM ---- */

static void save_all(struct store *store, const uint16_t *baseline) {
    store_save(store, baseline);
    for (int i = 0; i < 2 * STORE_IMAGE + 2; i++) store_step(store, baseline);
    CHECK(!store->saving);
}

static void every_boot_has_a_number_of_its_own(void) {
    for (uint32_t boot = 1; boot < 300; boot++) CHECK(store_count_boot() == boot);
    host.eeprom[0] ^= 1; /* one slot is damaged: the count goes on from the other */
    uint32_t next = store_count_boot();
    CHECK(next == 300 || next == 299);
    CHECK(store_count_boot() == next + 1);
}

static void calibration_survives_and_a_damaged_copy_is_mended(void) {
    struct store store;
    uint16_t baseline[CELL_COUNT], loaded[CELL_COUNT];
    CHECK(store_load(&store, loaded) == CALIBRATION_NONE);
    for (int cell = 0; cell < CELL_COUNT; cell++) baseline[cell] = (uint16_t)(400 + cell);
    save_all(&store, baseline);
    for (int copy = 0; copy < 2; copy++) {
        host.eeprom[copy == 0 ? 0x30 : 0x210] ^= 4;
        memset(loaded, 0, sizeof loaded);
        CHECK(store_load(&store, loaded) == CALIBRATION_VALID);
        CHECK(memcmp(loaded, baseline, sizeof loaded) == 0 && store.saving);
        for (int i = 0; i < 2 * STORE_IMAGE + 2; i++) store_step(&store, loaded);
        CHECK(store_load(&store, loaded) == CALIBRATION_VALID && !store.saving);
    }
    host.eeprom[0x30] ^= 4;
    host.eeprom[0x210] ^= 4;
    CHECK(store_load(&store, loaded) == CALIBRATION_DAMAGED);
}

static void power_may_go_at_any_byte_of_a_save(void) {
    struct store store;
    uint16_t old[CELL_COUNT], fresh[CELL_COUNT], loaded[CELL_COUNT];
    for (int cell = 0; cell < CELL_COUNT; cell++) {
        old[cell] = (uint16_t)(400 + cell % 50);
        fresh[cell] = (uint16_t)(600 - cell % 50);
    }
    int kept = 0;
    for (int32_t writes = 0; writes < 2 * STORE_IMAGE; writes += 7) {
        host_reset();
        store_load(&store, loaded);
        save_all(&store, old);
        host.eeprom_writes_left = writes;
        store_save(&store, fresh);
        for (int i = 0; i < 2 * STORE_IMAGE + 2; i++) store_step(&store, fresh);
        CHECK(store_load(&store, loaded) == CALIBRATION_VALID);
        bool is_old = memcmp(loaded, old, sizeof old) == 0;
        CHECK(is_old || memcmp(loaded, fresh, sizeof fresh) == 0);
        kept += is_old;
    }
    CHECK(kept > 20 && kept < 90);
}

static void a_byte_that_cannot_be_written_is_a_fault(void) {
    struct store store;
    uint16_t baseline[CELL_COUNT];
    memset(baseline, 0, sizeof baseline);
    store_load(&store, baseline);
    host.eeprom_writes_left = STORE_IMAGE + 10;
    store_save(&store, baseline);
    for (int i = 0; i < 2 * STORE_IMAGE + 2; i++) store_step(&store, baseline);
    CHECK(store.failed == 2);
}

/* ---- buzzer ---- */

static void a_pattern_ends_in_silence_and_silent_mode_plays_none(void) {
    struct buzzer buzzer;
    memset(&buzzer, 0, sizeof buzzer);
    for (uint8_t pattern = PATTERN_QUIET; pattern <= PATTERN_FLAG; pattern++) {
        buzzer_play(&buzzer, pattern, 0);
        CHECK((host.hz != 0) == (pattern != PATTERN_QUIET));
        for (uint32_t now_us = 0; now_us < 2000000; now_us += 1000) buzzer_step(&buzzer, now_us);
        CHECK(host.hz == 0 && !buzzer.playing);
    }
    buzzer_play(&buzzer, PATTERN_CALL, 0);
    buzzer_silence(&buzzer, true);
    CHECK(host.hz == 0);
    buzzer_play(&buzzer, PATTERN_CALL, 0);
    CHECK(host.hz == 0);
}

void parts_tests(void) {
    RUN(a_clean_press_is_timed_by_its_edge);
    RUN(ten_ms_of_bounce_are_one_press_at_the_first_edge);
    RUN(a_spark_of_two_ms_is_no_press);
    RUN(a_finger_on_the_button_at_the_start_is_no_press);
    RUN(a_button_held_for_ten_seconds_is_stuck_until_it_is_let_go);
    RUN(time_may_wrap_under_a_press);
    RUN(every_face_has_as_many_pips_as_its_number);
    RUN(a_roll_tumbles_and_ends_on_its_values);
    RUN(the_same_roll_again_changes_nothing);
    RUN(nothing_is_shown_before_it_is_latched);
    RUN(no_picture_draws_more_than_the_cap);
    RUN(brightness_scales_and_full_brightness_changes_nothing);
    RUN(a_blinking_light_is_on_for_half_its_period);
    RUN(a_chase_runs_along_the_points);
    RUN(a_running_chase_shows_one_light_at_a_time);
    RUN(a_lost_link_puts_the_lights_out_and_a_found_one_brings_them_back);
    RUN(frames_are_never_crowded_and_come_once_a_second_at_least);
    RUN(readings_have_hysteresis_and_faults);
    RUN(a_change_counts_after_three_equal_passes);
    RUN(what_stands_there_at_the_start_makes_no_events);
    RUN(a_broken_cell_is_named_and_so_is_its_repair);
    RUN(calibration_averages_and_names_cells_that_are_not_empty);
    RUN(every_boot_has_a_number_of_its_own);
    RUN(calibration_survives_and_a_damaged_copy_is_mended);
    RUN(power_may_go_at_any_byte_of_a_save);
    RUN(a_byte_that_cannot_be_written_is_a_fault);
    RUN(a_pattern_ends_in_silence_and_silent_mode_plays_none);
}
