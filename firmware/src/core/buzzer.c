#include "buzzer.h"

#include "../hal.h"

struct note {
    uint16_t hz; /* 0: a pause */
    uint8_t ticks; /* of 10 ms; 0 ends the pattern */
};

#define MOST_NOTES 8

static const IN_FLASH struct note patterns[][MOST_NOTES] = {
    [PATTERN_QUIET] = {{0, 0}},
    [PATTERN_OK] = {{1500, 6}, {0, 4}, {2000, 8}, {0, 0}},
    [PATTERN_WRONG] = {{600, 40}, {0, 0}},
    [PATTERN_CALL] = {{1000, 10}, {0, 10}, {1000, 10}, {0, 10}, {1000, 10}, {0, 0}},
    [PATTERN_FLAG] = {{2000, 30}, {1000, 30}, {2000, 30}, {1000, 30}, {0, 0}},
};

static void start_note(struct buzzer *b, uint32_t now_us) {
    const IN_FLASH struct note *note = &patterns[b->pattern][b->note];
    if (note->ticks == 0) {
        hal_tone(0);
        b->playing = false;
        return;
    }
    hal_tone(note->hz);
    b->next_us = now_us + note->ticks * 10000UL;
    b->note++;
}

void buzzer_silence(struct buzzer *b, bool silent) {
    b->silent = silent;
    if (silent && b->playing) {
        hal_tone(0);
        b->playing = false;
    }
}

void buzzer_play(struct buzzer *b, uint8_t pattern, uint32_t now_us) {
    BOARD_ASSERT(pattern < sizeof patterns / sizeof *patterns);
    if (b->silent) return;
    b->pattern = pattern;
    b->note = 0;
    b->playing = true;
    start_note(b, now_us);
}

void buzzer_step(struct buzzer *b, uint32_t now_us) {
    if (b->playing && (int32_t)(now_us - b->next_us) >= 0) start_note(b, now_us);
}
