/* What outlives a power cut: a count of boots, and the calibration in two checksummed copies. */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

#define STORE_COPIES 2
#define STORE_IMAGE (2 + 2 * CELL_COUNT + 2) /* generation, baselines, CRC */

struct store {
    uint16_t generation;
    uint16_t crc;
    bool saving;
    uint8_t copy;
    uint16_t at; /* next byte of the copy under way */
    uint8_t failed; /* bit n: copy n read back differently */
};

/* Counts this boot and returns its id, never 0; waits for the EEPROM, so only called before the watchdog runs. */
uint32_t store_count_boot(void);

/* Fills in the newest undamaged baselines; returns one value of enum calibration. */
uint8_t store_load(struct store *store, uint16_t *baseline);

/* Begins to save: the first copy is complete before the second is touched. */
void store_save(struct store *store, const uint16_t *baseline);

/* Writes one byte when the EEPROM is ready; returns true when both copies have just been written and checked. */
bool store_step(struct store *store, const uint16_t *baseline);

#endif
