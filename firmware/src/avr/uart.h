/* The serial line: both directions through rings, so that neither side ever waits for the other. */
#ifndef UART_H
#define UART_H

#include <avr/io.h>
#include <stdint.h>

#include "../hal.h"
#include "ring.h"

extern struct receive_ring received;
extern struct receive_losses losses;

void uart_init(void);

/* Moves one byte from the receiver to the ring, if there is one. Called by the interrupt, and by the driver of the
   lights between two lights, where interrupts are off. */
static inline __attribute__((always_inline)) void uart_keep(void) {
    uint8_t status = UCSR0A;
    if (!(status & _BV(RXC0))) return;
    uint8_t byte = UDR0;
    uint8_t head = received.head;
    uint8_t next = RING_NEXT(head, RECEIVE_RING);
    if (status & _BV(DOR0)) losses.overruns++;
    if (next == received.tail) {
        losses.ring_full++;
        return;
    }
    received.bytes[head] = byte;
    received.head = next;
}

#endif
