#include "lights.h"

#include "../hal.h"

#define REFRESH_US 1000000UL    /* a light that took a spark is right again a second later */
#define LATCH_US 1000UL         /* the chain must rest 280 us between two frames */
#define LOST_HALF_US 500000UL   /* a lost link: the turn lights in turn, twice a second */
#define CHASE_REST 4u           /* dark steps between two runs */
#define DEFAULT_LIMIT_MA 1000u

void lights_init(struct lights *l, uint32_t now_us) {
    memset(l, 0, sizeof *l);
    l->brightness = 255;
    l->limit_ma = DEFAULT_LIMIT_MA;
    l->show.blink_ms = 1000;
    l->show.step_ms = 100;
    l->blink_on = true;
    l->alone = LIGHT_NONE;
    l->dirty = true;
    l->frame_us = now_us - LATCH_US;
}

bool lights_set(struct lights *l, uint8_t first, const uint8_t *rgb, uint8_t count) {
    if (first * 3u + count > sizeof l->staged) return false;
    memcpy(l->staged + first * 3u, rgb, count);
    return true;
}

void lights_show(struct lights *l, const struct show *show, uint32_t now_us) {
    l->show = *show;
    memcpy(l->wanted, l->staged, sizeof l->wanted);
    memcpy(l->chases, l->staged_chases, sizeof l->chases);
    l->blink_on = true;
    l->step = 0;
    l->blink_us = now_us + show->blink_ms * 500UL;
    l->step_us = now_us + show->step_ms * 1000UL;
    l->dirty = true;
}

void lights_limit(struct lights *l, uint8_t brightness, uint16_t limit_ma) {
    l->brightness = brightness;
    l->limit_ma = limit_ma;
    l->dirty = true;
}

void lights_link(struct lights *l, bool lost, uint32_t now_us) {
    if (lost == l->lost) return;
    l->lost = lost;
    l->lost_phase = false;
    l->lost_us = now_us + LOST_HALF_US;
    l->dirty = true;
}

void lights_test(struct lights *l, uint8_t alone) {
    l->testing = true;
    l->alone = alone;
    l->dirty = true;
}

void lights_test_end(struct lights *l) {
    l->testing = false;
    l->alone = LIGHT_NONE;
    l->dirty = true;
}

/* Points by their number; the bar and trays stand where a checker comes from or goes to: 0 or 25. */
static int8_t place_of(uint8_t light) {
    if (light < LIGHT_BAR_WHITE) return (int8_t)(light - LIGHT_POINTS + 1);
    bool high = (light < LIGHT_BAR_BLACK) || (light >= LIGHT_TRAY_BLACK && light < LIGHT_TURN_WHITE);
    return high ? 25 : 0; /* White enters from 25 and bears off to 0, Black the other way */
}

uint8_t chase_light(uint8_t origin, uint8_t target, uint8_t step, uint8_t *steps) {
    int8_t from = place_of(origin);
    int8_t to = place_of(target);
    uint8_t distance = (uint8_t)(from < to ? to - from : from - to);
    *steps = (uint8_t)(distance + 1);
    if (step == 0) return origin;
    if (step == distance) return target;
    if (step > distance) return LIGHT_NONE;
    return (uint8_t)((from < to ? from + step : from - step) - 1 + LIGHT_POINTS);
}

static bool due(uint32_t now_us, uint32_t at_us) { return (int32_t)(now_us - at_us) >= 0; }

static uint8_t longest_chase(const struct lights *l) {
    uint8_t longest = 0;
    for (uint8_t i = 0; i < CHASE_COUNT; i++) {
        if (!(l->show.chases & 1u << i)) continue;
        uint8_t steps;
        chase_light(l->chases[i].origin, l->chases[i].target, 0, &steps);
        if (steps > longest) longest = steps;
    }
    return longest;
}

static void move_effects(struct lights *l, uint32_t now_us) {
    if (l->lost) {
        if (due(now_us, l->lost_us)) {
            l->lost_us += LOST_HALF_US;
            l->lost_phase = !l->lost_phase;
            l->dirty = true;
        }
        return;
    }
    bool blinking = false;
    for (uint8_t i = 0; i < BLINK_BYTES; i++) blinking |= l->show.blink[i] != 0;
    if (blinking && due(now_us, l->blink_us)) {
        l->blink_us += l->show.blink_ms * 500UL;
        l->blink_on = !l->blink_on;
        l->dirty = true;
    }
    if (l->show.chases != 0 && due(now_us, l->step_us)) {
        l->step_us += l->show.step_ms * 1000UL;
        l->step = (uint8_t)(l->step + 1u >= longest_chase(l) + CHASE_REST ? 0 : l->step + 1);
        l->dirty = true;
    }
}

static void put(struct lights *l, uint8_t light, const uint8_t *rgb) {
    uint8_t *grb = l->out + light * 3u;
    grb[0] = rgb[1];
    grb[1] = rgb[0];
    grb[2] = rgb[2];
}

static void render_wanted(struct lights *l) {
    for (uint8_t i = 0; i < LIGHT_COUNT; i++) {
        bool dark = !l->blink_on && (l->show.blink[i / 8] & 1u << i % 8);
        if (!dark) put(l, i, l->wanted + i * 3u);
    }
    for (uint8_t i = 0; i < CHASE_COUNT; i++) {
        if (!(l->show.chases & 1u << i)) continue;
        uint8_t steps;
        uint8_t light = chase_light(l->chases[i].origin, l->chases[i].target, l->step, &steps);
        if (light != LIGHT_NONE) put(l, light, l->chases[i].rgb);
    }
}

static void render_lost(struct lights *l) {
    static const uint8_t amber[3] = {60, 24, 0};
    uint8_t first = l->lost_phase ? LIGHT_TURN_BLACK : LIGHT_TURN_WHITE;
    uint8_t count = l->lost_phase ? LIGHT_TURN_BLACK_COUNT : LIGHT_TURN_WHITE_COUNT;
    for (uint8_t i = 0; i < count; i++) put(l, (uint8_t)(first + i), amber);
}

static void scale(struct lights *l, uint16_t factor) {
    for (uint8_t i = 0; i < sizeof l->out; i++) l->out[i] = (uint8_t)((uint32_t)l->out[i] * factor >> 8);
}

static uint16_t channel_sum(const struct lights *l) {
    uint16_t sum = 0;
    for (uint8_t i = 0; i < sizeof l->out; i++) sum = (uint16_t)(sum + l->out[i]);
    return sum;
}

/* Scales all lights alike, so that their colors stay what they are. */
static void limit_current(struct lights *l) {
    const uint16_t idle_ma = LIGHT_COUNT * LIGHT_IDLE_MA;
    if (l->brightness != 255) scale(l, (uint16_t)(l->brightness + (l->brightness != 0)));
    uint16_t sum = channel_sum(l);
    uint32_t allowed = (uint32_t)(l->limit_ma - idle_ma) * 255u / CHANNEL_FULL_MA;
    if (sum > allowed) {
        scale(l, (uint16_t)(allowed * 256u / sum));
        sum = channel_sum(l);
    }
    l->drawn_ma = (uint16_t)(idle_ma + ((uint32_t)sum * CHANNEL_FULL_MA + 254u) / 255u);
}

static void render(struct lights *l) {
    memset(l->out, 0, sizeof l->out);
    if (l->testing) {
        static const uint8_t white[3] = {255, 255, 255};
        if (l->alone != LIGHT_NONE) put(l, l->alone, white);
        l->drawn_ma = LIGHT_COUNT * LIGHT_IDLE_MA + (l->alone != LIGHT_NONE ? 3 * CHANNEL_FULL_MA : 0);
        return;
    }
    if (l->lost) {
        render_lost(l);
    } else {
        render_wanted(l);
    }
    limit_current(l);
}

void lights_step(struct lights *l, uint32_t now_us) {
    if (!l->testing) move_effects(l, now_us);
    uint32_t since_us = now_us - l->frame_us;
    if (since_us < LATCH_US || (!l->dirty && since_us < REFRESH_US)) return;
    render(l);
    hal_lights(l->out, LIGHT_COUNT);
    l->dirty = false;
    l->frame_us = now_us;
    l->frames++;
}
