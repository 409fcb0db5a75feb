/* The cells and the current of the lights: conversions follow each other without a pause, 52 us each. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../hal.h"
#include "chip.h"
#include "pins_gen.h"

#define SUPPLY_REFERENCE _BV(REFS0)
#define START (_BV(ADEN) | _BV(ADSC) | _BV(ADIE) | _BV(ADPS2) | _BV(ADPS1)) /* 250 kHz */

static volatile uint8_t current_sample;

#if TARGET_SENSORS

#define CURRENT_CHANNEL (8 + CURRENT_SENSE_BIT) /* port K is ADC8 to ADC15 */

#define SLOTS (CELL_COUNT + 1u) /* the last is the current of the lights, once per pass */

static volatile uint16_t counts[SLOTS];
static volatile uint8_t passes;
static volatile uint16_t pass_ticks; /* of 0.5 us */
static uint16_t pass_began;

/* The conversion that runs now, and what the next one needs: prepared, so that it starts without delay. */
static uint8_t slot_now;
static struct {
    uint8_t slot;
    uint8_t mux;
    uint8_t select;
    uint8_t admux;
    uint8_t adcsrb;
} next;

static inline __attribute__((always_inline)) void choose(uint8_t mux, uint8_t slot) {
    next.mux = mux;
    next.slot = slot;
    next.admux = SUPPLY_REFERENCE | (mux & 7u);
    next.adcsrb = mux & 8u ? _BV(MUX5) : 0;
}

/* Select lines outside, muxes inside: most muxes have had a whole conversion to settle. */
static inline __attribute__((always_inline)) void prepare_next(void) {
    uint8_t mux = (uint8_t)(next.mux + 1u);
    if (mux >= MUX_COUNT) { /* also after the current of the lights */
        mux = 0;
        if (next.slot != CELL_COUNT && ++next.select == CELLS_PER_MUX) {
            next.select = 0;
            choose(CURRENT_CHANNEL, CELL_COUNT);
            return;
        }
    }
    choose(mux, (uint8_t)(mux * CELLS_PER_MUX + next.select));
}

#if MUX_SELECT_BIT != 0
#error "the select lines are written as a whole port"
#endif

static volatile uint16_t converted;

/* The rest of the interrupt; its name must begin like that of a vector. */
void __vector_converted(void) __attribute__((signal, used, externally_visible));

/* Keeps the result and starts the next conversion before any other register is saved: 28 cycles sooner, so that a
   pass stays below 12 ms even while a frame of lights holds the interrupts off. None of this touches SREG. */
ISR(ADC_vect, ISR_NAKED) {
    __asm__ volatile(
        "push r24\n"
        "lds r24, %[adcl]\n"
        "sts %[result], r24\n"
        "lds r24, %[adch]\n"
        "sts %[result] + 1, r24\n"
        "lds r24, %[select]\n"
        "out %[port], r24\n" /* nothing else is on this port */
        "lds r24, %[admux]\n"
        "sts %[to_admux], r24\n"
        "lds r24, %[adcsrb]\n"
        "sts %[to_adcsrb], r24\n"
        "ldi r24, %[start]\n"
        "sts %[to_adcsra], r24\n"
        "pop r24\n"
        "jmp __vector_converted\n"
        :
        : [adcl] "n"(_SFR_MEM_ADDR(ADCL)), [adch] "n"(_SFR_MEM_ADDR(ADCH)), [result] "i"(&converted),
          [select] "i"(&next.select), [port] "I"(_SFR_IO_ADDR(MUX_SELECT_PORT)), [admux] "i"(&next.admux),
          [to_admux] "n"(_SFR_MEM_ADDR(ADMUX)), [adcsrb] "i"(&next.adcsrb), [to_adcsrb] "n"(_SFR_MEM_ADDR(ADCSRB)),
          [start] "M"(START), [to_adcsra] "n"(_SFR_MEM_ADDR(ADCSRA)));
}

void __vector_converted(void) {
    counts[slot_now] = converted;
    if (slot_now == CELL_COUNT) {
        uint16_t now = TCNT1;
        pass_ticks = now - pass_began;
        pass_began = now;
        current_sample++;
        passes++;
    }
    slot_now = next.slot;
    prepare_next();
}

void analog_init(void) {
    MUX_SELECT_DDR |= MUX_SELECT_MASK;
    DIDR0 = 0xff;
    DIDR2 = (uint8_t)(MUX_HIGH_MASK | CURRENT_SENSE_MASK);
    choose(0, 0);
    ADMUX = next.admux;
    ADCSRA = START;
    prepare_next();
}

uint8_t hal_passes(void) { return passes; }

uint16_t hal_pass_us(void) {
    uint16_t ticks;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { ticks = pass_ticks; }
    return ticks / 2;
}

uint16_t hal_cell_counts(uint8_t cell) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = counts[cell]; }
    return now;
}

uint16_t hal_current_counts(void) { return hal_cell_counts(CELL_COUNT); }

#else

static volatile uint16_t current_counts;

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

uint16_t hal_current_counts(void) {
    uint16_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = current_counts; }
    return now;
}

#endif

uint8_t hal_current_sample(void) { return current_sample; }
