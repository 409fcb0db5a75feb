/* A ring of bytes between an interrupt and the main loop: one side puts, the other takes, neither waits. */
#ifndef RING_H
#define RING_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

struct receive_ring {
    uint8_t bytes[RECEIVE_RING];
    volatile uint8_t head; /* next free place */
    volatile uint8_t tail; /* next byte to take */
};

struct send_ring {
    uint8_t bytes[SEND_RING];
    volatile uint8_t head;
    volatile uint8_t tail;
};

#define RING_NEXT(index, size) ((uint8_t)(((index) + 1u) & ((size) - 1u)))

#endif
