/* Electronic dice: two per player, seven pips each on four lines; the values always come from the host. */
#ifndef DICE_H
#define DICE_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

/* The lines of one die. */
enum pip_line {
    PIP_CENTER = 0x01,
    PIP_DIAGONAL = 0x02, /* top left and bottom right */
    PIP_ANTIDIAGONAL = 0x04, /* top right and bottom left */
    PIP_MIDDLE = 0x08, /* middle left and middle right */
};

struct dice {
    uint32_t roll_id;
    uint8_t values[DIE_COUNT]; /* White's two, Black's two; 0 dark */
    uint8_t shown[DIE_COUNT];
    bool rolling;
    uint32_t end_us;
    uint32_t next_us;
    uint32_t tumble; /* state of the generator of faces to tumble through; not of values */
};

void dice_init(struct dice *dice);

/* Shows values at once. */
void dice_show(struct dice *dice, uint32_t roll_id, const uint8_t *values);

/* Tumbles, then ends on the values; a roll already known goes on undisturbed. */
void dice_roll(struct dice *dice, uint32_t roll_id, const uint8_t *values, uint16_t duration_ms, uint32_t now_us);

/* Moves the tumbling on; returns true when the dice have just come to rest. */
bool dice_step(struct dice *dice, uint32_t now_us);

/* Returns the lines of one face, 0 to 6. */
uint8_t die_lines(uint8_t face);

#endif
