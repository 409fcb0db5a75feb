/* What the core asks of a chip. Implemented in avr/ on the board and in host/ for tests. */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "target.h"

/* The contacts as they are now, and what they did since the last call. */
struct contacts {
    uint8_t level;                       /* bit n: button n is closed */
    uint8_t edges;                       /* bit n: button n moved since the last call */
    uint32_t first_edge_us[BUTTON_COUNT]; /* when it first moved; valid where its bit in edges is set */
};

/* What the receiver lost since the reset. */
struct receive_losses {
    uint16_t overruns;
    uint16_t ring_full;
};

/* Takes the next received byte; false when there is none. */
bool hal_receive(uint8_t *byte);
struct receive_losses hal_receive_losses(void);

/* How many bytes hal_send takes now without waiting. */
uint16_t hal_send_room(void);
void hal_send(const uint8_t *bytes, uint8_t count);

/* Sends one frame down the chain of lights, green red blue each; returns when the last bit is out. */
void hal_lights(const uint8_t *grb, uint8_t count);

/* Lights the pips; four lines per die, the first die in the low half. See core/dice.h for the lines. */
void hal_dice(uint8_t white, uint8_t black);

void hal_contacts(struct contacts *contacts);

/* Sounds a square wave; 0 Hz is silence. */
void hal_tone(uint16_t hz);

/* Newest conversion of the current of the lights, in counts of 1.95 mA, and a number that grows with each. */
uint16_t hal_current_counts(void);
uint8_t hal_current_sample(void);

/* Complete passes over the cells since the reset, modulo 256; the length of the last; one cell's newest counts. */
uint8_t hal_passes(void);
uint16_t hal_pass_us(void);
uint16_t hal_cell_counts(uint8_t cell);

/* EEPROM byte by byte; a write must only begin when ready, and takes about 3.4 ms. */
bool hal_eeprom_ready(void);
uint8_t hal_eeprom_read(uint16_t address);
void hal_eeprom_write(uint16_t address, uint8_t byte);

/* Why the chip last started; constant until the next reset. */
uint8_t hal_reset_cause(void);

/* Bytes between data and stack that were never touched. */
uint16_t hal_stack_free(void);

/* Stops the board after a bug of ours: it restarts with reset cause `assertion`. Does not return. */
void hal_panic(void) __attribute__((noreturn));

/* A bug stops the board; bad input never does. */
#define BOARD_ASSERT(holds)          \
    do {                             \
        if (!(holds)) hal_panic();   \
    } while (0)

#endif
