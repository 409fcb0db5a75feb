/* Buzzer: short patterns of tones, played without waiting. */
#ifndef BUZZER_H
#define BUZZER_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

struct buzzer {
    uint8_t pattern;
    uint8_t note;
    bool playing;
    bool silent;
    uint32_t next_us;
};

void buzzer_silence(struct buzzer *buzzer, bool silent);
void buzzer_play(struct buzzer *buzzer, uint8_t pattern, uint32_t now_us);
void buzzer_step(struct buzzer *buzzer, uint32_t now_us);

#endif
