#include "clock.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

static volatile uint32_t wraps_us; /* 32768 us each */

void clock_init(void) {
    TCCR1A = 0;
    TCCR1B = _BV(CS11); /* 2 MHz: wraps every 32.768 ms, far longer than interrupts are ever off */
    TIMSK1 = _BV(TOIE1);
}

ISR(TIMER1_OVF_vect) { wraps_us += 32768UL; }

uint32_t clock_us(void) {
    uint32_t base_us;
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        base_us = wraps_us;
        count = TCNT1;
        /* The timer has wrapped and its interrupt is still waiting. */
        if ((TIFR1 & _BV(TOV1)) && count < 0x8000u) base_us += 32768UL;
    }
    return base_us + (count >> 1);
}
