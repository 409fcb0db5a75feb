/* The cells and the current of the lights: conversions follow each other without a pause, 52 us each. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../hal.h"
#include "chip.h"
#include "clock.h"
#include "pins_gen.h"

#define SUPPLY_REFERENCE _BV(REFS0)
#define START (_BV(ADEN) | _BV(ADSC) | _BV(ADIE) | _BV(ADPS2) | _BV(ADPS1)) /* 250 kHz */

static volatile uint16_t current_counts;
static volatile uint8_t current_sample;

#if TARGET_SENSORS

#define CURRENT_CHANNEL (8 + CURRENT_SENSE_BIT) /* port K is ADC8 to ADC15 */

static volatile uint16_t counts[CELL_COUNT];
static volatile uint8_t passes;
static volatile uint16_t pass_us;
static uint8_t select_now;
static uint8_t mux_now; /* MUX_COUNT: the current of the lights, once per pass */
static uint32_t pass_began_us;

static inline void choose(uint8_t channel) {
    ADMUX = SUPPLY_REFERENCE | (channel & 7u);
    ADCSRB = channel & 8u ? _BV(MUX5) : 0;
}

static inline void pass_ended(void) {
    uint32_t now_us = clock_us();
    pass_us = (uint16_t)(now_us - pass_began_us);
    pass_began_us = now_us;
    passes++;
}

/* Select lines outside, channels inside: the muxes have a whole conversion to settle. */
ISR(ADC_vect) {
    uint16_t value = ADC;
    if (mux_now == MUX_COUNT) {
        current_counts = value;
        current_sample++;
        mux_now = 0;
        pass_ended();
    } else {
        counts[mux_now * CELLS_PER_MUX + select_now] = value;
        mux_now++;
    }
    if (mux_now == MUX_COUNT) {
        select_now = (select_now + 1u) % CELLS_PER_MUX;
        MUX_SELECT_PORT = (uint8_t)((MUX_SELECT_PORT & ~MUX_SELECT_MASK) | select_now << MUX_SELECT_BIT);
        if (select_now != 0) mux_now = 0;
    }
    choose(mux_now == MUX_COUNT ? CURRENT_CHANNEL : mux_now);
    ADCSRA = START;
}

void analog_init(void) {
    MUX_SELECT_DDR |= MUX_SELECT_MASK;
    MUX_SELECT_PORT &= (uint8_t)~MUX_SELECT_MASK;
    DIDR0 = 0xff;
    DIDR2 = (uint8_t)(MUX_HIGH_MASK | CURRENT_SENSE_MASK);
    choose(0);
    ADCSRA = START;
}

uint8_t hal_passes(void) { return passes; }

uint16_t hal_pass_us(void) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = pass_us; }
    return now;
}

uint16_t hal_cell_counts(uint8_t cell) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = counts[cell]; }
    return now;
}

#else

ISR(ADC_vect) {
    current_counts = ADC;
    current_sample++;
    ADCSRA = START;
}

void analog_init(void) {
    DIDR0 = (uint8_t)CURRENT_SENSE_MASK;
    ADMUX = SUPPLY_REFERENCE | CURRENT_SENSE_BIT;
    ADCSRA = START;
}

uint16_t hal_pass_us(void) { return 0; }

#endif

uint16_t hal_current_counts(void) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = current_counts; }
    return now;
}

uint8_t hal_current_sample(void) { return current_sample; }
