#include "uart.h"

#include <avr/interrupt.h>
#include <util/atomic.h>

#include "../hal.h"

#ifndef BAUD
#define BAUD PROTOCOL_BAUD
#endif
#define DIVISOR ((F_CPU + 4UL * BAUD) / (8UL * BAUD) - 1UL) /* at double speed, rounded */

struct receive_ring received;
struct receive_losses losses;
static struct send_ring sending;

void uart_init(void) {
    UBRR0H = (uint8_t)(DIVISOR >> 8);
    UBRR0L = (uint8_t)DIVISOR;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

/* 40 us apart at 250000 baud: keep the byte, nothing else. */
#if defined(__AVR_ATmega2560__)
ISR(USART0_RX_vect) { uart_keep(); }
ISR(USART0_UDRE_vect) {
#else
ISR(USART_RX_vect) { uart_keep(); }
ISR(USART_UDRE_vect) {
#endif
    uint8_t tail = sending.tail;
    if (tail == sending.head) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
        return;
    }
    UDR0 = sending.bytes[tail];
    sending.tail = RING_NEXT(tail, SEND_RING);
}

bool hal_receive(uint8_t *byte) {
    uint8_t tail = received.tail;
    if (tail == received.head) return false;
    *byte = received.bytes[tail];
    received.tail = RING_NEXT(tail, RECEIVE_RING);
    return true;
}

struct receive_losses hal_receive_losses(void) {
    struct receive_losses now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = losses; }
    return now;
}

uint16_t hal_send_room(void) {
    return (uint16_t)(SEND_RING - 1u - (uint8_t)((uint8_t)(sending.head - sending.tail) & (SEND_RING - 1u)));
}

void hal_send(const uint8_t *bytes, uint8_t count) {
    BOARD_ASSERT(count <= hal_send_room());
    uint8_t head = sending.head;
    for (uint8_t i = 0; i < count; i++) {
        sending.bytes[head] = bytes[i];
        head = RING_NEXT(head, SEND_RING);
    }
    sending.head = head;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { UCSR0B |= _BV(UDRIE0); }
}
