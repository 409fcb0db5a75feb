/* Lights: colors per light, blinking and running lights, brightness, and a cap on the current of all together. */
#ifndef LIGHTS_H
#define LIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

#define LIGHT_NONE 0xff
#define LIGHT_IDLE_MA 1     /* a dark WS2812 draws about 1 mA */
#define CHANNEL_FULL_MA 20u /* one channel at 255 */

struct chase {
    uint8_t origin;
    uint8_t target;
    uint8_t rgb[3];
};

/* What is shown apart from the colors. */
struct show {
    uint16_t generation;
    uint8_t blink[BLINK_BYTES];
    uint16_t blink_ms;
    uint8_t chases; /* bit n: chase n runs */
    uint16_t step_ms;
};

struct lights {
    uint8_t staged[LIGHT_COUNT * 3];
    uint8_t wanted[LIGHT_COUNT * 3];
    uint8_t out[LIGHT_COUNT * 3]; /* green, red, blue: as the chain wants it */
    struct chase staged_chases[CHASE_COUNT];
    struct chase chases[CHASE_COUNT];
    struct show show;
    uint8_t brightness;
    uint16_t limit_ma;
    uint16_t drawn_ma;
    uint8_t alone; /* during a self-test: the only light that is lit, LIGHT_NONE for all dark */
    bool testing;
    bool lost; /* shows a lost link instead of what is wanted */
    bool dirty;
    bool blink_on;
    bool lost_phase;
    uint8_t step;
    uint32_t blink_us; /* when the next change of each effect is due */
    uint32_t step_us;
    uint32_t lost_us;
    uint32_t frame_us; /* when the last frame was sent */
    uint32_t frames;
};

void lights_init(struct lights *lights, uint32_t now_us);

/* Prepares colors; `count` bytes of red, green, blue from light `first` on. False when they do not fit. */
bool lights_set(struct lights *lights, uint8_t first, const uint8_t *rgb, uint8_t count);

/* Shows what was prepared, with these effects. */
void lights_show(struct lights *lights, const struct show *show, uint32_t now_us);

void lights_limit(struct lights *lights, uint8_t brightness, uint16_t limit_ma);

/* Shows a lost link, or what was wanted again. */
void lights_link(struct lights *lights, bool lost, uint32_t now_us);

/* For the self-test: `alone` is lit in white and everything else dark, until lights_test_end. */
void lights_test(struct lights *lights, uint8_t alone);
void lights_test_end(struct lights *lights);

/* Moves the effects on and sends a frame when something changed, and once a second in any case. */
void lights_step(struct lights *lights, uint32_t now_us);

/* Returns the light that is lit in step `step` of a chase, and sets `steps` to how many there are. */
uint8_t chase_light(uint8_t origin, uint8_t target, uint8_t step, uint8_t *steps);

#endif
