#include "dice.h"

#include "../hal.h"

#define TUMBLE_MIN_US 40000UL  /* time between two faces at the start of a roll */
#define TUMBLE_MAX_US 140000UL /* and near its end */

uint8_t die_lines(uint8_t face) {
    static const IN_FLASH uint8_t lines[7] = {
        0,
        PIP_CENTER,
        PIP_DIAGONAL,
        PIP_DIAGONAL | PIP_CENTER,
        PIP_DIAGONAL | PIP_ANTIDIAGONAL,
        PIP_DIAGONAL | PIP_ANTIDIAGONAL | PIP_CENTER,
        PIP_DIAGONAL | PIP_ANTIDIAGONAL | PIP_MIDDLE,
    };
    BOARD_ASSERT(face < 7);
    return lines[face];
}

static void light(const struct dice *dice) {
    const uint8_t *s = dice->shown;
    hal_dice((uint8_t)(die_lines(s[0]) | die_lines(s[1]) << 4), (uint8_t)(die_lines(s[2]) | die_lines(s[3]) << 4));
}

void dice_init(struct dice *dice) {
    memset(dice, 0, sizeof *dice);
    dice->tumble = 0x2545f491UL;
    light(dice);
}

void dice_show(struct dice *dice, uint32_t roll_id, const uint8_t *values) {
    dice->roll_id = roll_id;
    dice->rolling = false;
    memcpy(dice->values, values, DIE_COUNT);
    memcpy(dice->shown, values, DIE_COUNT);
    light(dice);
}

static uint8_t other_face(struct dice *dice, uint8_t face) {
    dice->tumble ^= dice->tumble << 13;
    dice->tumble ^= dice->tumble >> 17;
    dice->tumble ^= dice->tumble << 5;
    uint8_t next = (uint8_t)(dice->tumble % 5 + 1); /* 1 to 5 stand for the five other faces */
    return (uint8_t)(next >= face ? next + 1 : next);
}

static void tumble(struct dice *dice) {
    for (uint8_t i = 0; i < DIE_COUNT; i++) {
        if (dice->values[i] != 0) {
            uint8_t face = dice->shown[i];
            dice->shown[i] = face == 0 ? (uint8_t)(dice->tumble % 6 + 1) : other_face(dice, face);
        } else {
            dice->shown[i] = 0;
        }
    }
    light(dice);
}

void dice_roll(struct dice *dice, uint32_t roll_id, const uint8_t *values, uint16_t duration_ms, uint32_t now_us) {
    if (roll_id == dice->roll_id) return;
    dice->roll_id = roll_id;
    memcpy(dice->values, values, DIE_COUNT);
    dice->rolling = true;
    dice->end_us = now_us + duration_ms * 1000UL;
    dice->next_us = now_us + TUMBLE_MIN_US;
    dice->tumble ^= now_us | 1u;
    if (duration_ms != 0) tumble(dice);
}

bool dice_step(struct dice *dice, uint32_t now_us) {
    if (!dice->rolling) return false;
    if ((int32_t)(now_us - dice->end_us) >= 0) {
        dice_show(dice, dice->roll_id, dice->values);
        return true;
    }
    if ((int32_t)(now_us - dice->next_us) >= 0) {
        uint32_t left_us = dice->end_us - now_us;
        dice->next_us = now_us + (left_us < 300000UL ? TUMBLE_MAX_US : TUMBLE_MIN_US);
        tumble(dice);
    }
    return false;
}
