/* The board in emulation: the real ELF in simavr, with everything that is soldered to the chip.
   This links libsimavr (GPL-3): it is built on the user's machine, run as a process of its own, and never shipped.
   Voltages in millivolts, time in cycles of 62.5 ns; all of it is deterministic. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_reset { BENCH_POWER_ON, BENCH_EXTERNAL, BENCH_BROWN_OUT };

/* What was seen on the data line of the lights since the last call of bench_light_timing. */
struct light_timing {
    uint32_t bits;
    uint32_t frames;
    uint32_t partial;  /* frames that stopped before the last light */
    uint32_t crowded;  /* frames that began less than 280 us after the last */
    uint32_t zero_min, zero_max; /* cycles high of a zero */
    uint32_t one_min, one_max;   /* cycles high of a one */
    uint32_t period_min;         /* cycles from rise to rise inside a frame */
    uint32_t low_max;            /* longest low inside a frame, in cycles */
};

struct bench;

/* Returns NULL when the ELF cannot be read. `chip` is "atmega2560" or "atmega328p". */
struct bench *bench_new(const char *elf, const char *chip);
void bench_free(struct bench *bench);

uint64_t bench_cycle(const struct bench *bench);
/* Runs until `cycle`; false when the chip has crashed. */
bool bench_run_until(struct bench *bench, uint64_t cycle);

/* Puts bytes on the wire to the chip, behind those still waiting; each takes ten bits. */
void bench_send(struct bench *bench, const uint8_t *bytes, size_t count);
/* Takes the bytes that have arrived from the chip by now. `at`, if given, gets the cycle of each last stop bit. */
size_t bench_receive(struct bench *bench, uint8_t *bytes, uint64_t *at, size_t most);
/* Bytes that still wait on the wire to the chip. */
size_t bench_unsent(const struct bench *bench);
/* Bytes the chip did not fetch in time: a real receiver holds two and the one that arrives. */
uint32_t bench_overruns(const struct bench *bench);

void bench_button(struct bench *bench, uint8_t button, bool closed);
void bench_cell(struct bench *bench, uint8_t cell, uint16_t millivolts);
void bench_light_dead(struct bench *bench, uint8_t light, bool dead);
/* Lights from `light` on get no data, as behind a broken joint; 255 mends it. */
void bench_chain_broken(struct bench *bench, uint8_t light);

/* Red, green, blue of each light as it glows now. */
void bench_lights(const struct bench *bench, uint8_t *rgb);
uint64_t bench_lights_cycle(const struct bench *bench); /* when the last frame ended */
void bench_light_timing(struct bench *bench, struct light_timing *timing);
uint32_t bench_lights_ma(const struct bench *bench);

/* The lines of the four dice, White's first; see core/dice.h. */
void bench_dice(const struct bench *bench, uint8_t *lines);
uint64_t bench_dice_cycle(const struct bench *bench); /* when they last changed */
uint32_t bench_dice_changes(const struct bench *bench);
/* Frequency of the buzzer over its last two rises, 0 when it rests for 5 ms. */
uint32_t bench_tone_hz(const struct bench *bench);

void bench_reset(struct bench *bench, enum bench_reset cause);
uint32_t bench_resets(const struct bench *bench); /* of any cause, the watchdog's among them */
/* Sends the program counter into an endless loop, as a bug would; false when the ELF has none. */
bool bench_hang(struct bench *bench);
void bench_eeprom_get(struct bench *bench, uint8_t *bytes, size_t count);
void bench_eeprom_set(struct bench *bench, const uint8_t *bytes, size_t count);

#endif
