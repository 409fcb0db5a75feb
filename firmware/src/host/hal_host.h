/* A board without a chip, for tests: what the core asks of it is set here, what it does is kept here. */
#ifndef HAL_HOST_H
#define HAL_HOST_H

#include <stddef.h>

#include "../hal.h"

struct host_hal {
    uint8_t in[65536]; /* bytes that wait for hal_receive */
    size_t in_count, in_taken;
    uint8_t out[1 << 20]; /* bytes sent */
    size_t out_count;
    uint16_t room; /* what hal_send_room answers */
    uint8_t grb[LIGHT_COUNT * 3];
    uint32_t light_frames;
    uint8_t dice[2];
    struct contacts contacts;
    uint16_t hz;
    uint16_t current_counts;
    uint8_t current_sample;
    uint8_t passes;
    uint16_t cells[CELL_COUNT];
    uint8_t eeprom[4096];
    uint32_t eeprom_writes;
    int32_t eeprom_writes_left; /* negative: as many as you like; at 0 the power is gone */
    uint8_t cause;
};

extern struct host_hal host;

/* Everything as on a new board: EEPROM blank, cells at half the supply. */
void host_reset(void);

/* Puts bytes where hal_receive finds them. */
void host_feed(const uint8_t *bytes, size_t count);

#endif
