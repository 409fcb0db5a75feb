/* Dice, buttons, buzzer and EEPROM. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../hal.h"
#include "chip.h"
#include "clock.h"
#include "pins_gen.h"

#if defined(__AVR_ATmega2560__)
#define BUTTONS_CHANGE_MASK PCMSK0
#define BUTTONS_CHANGE_ENABLE _BV(PCIE0)
#define BUTTONS_CHANGE_vect PCINT0_vect
#define BUZZER_OUTPUT _BV(COM2B0)
#else
#define BUTTONS_CHANGE_MASK PCMSK2
#define BUTTONS_CHANGE_ENABLE _BV(PCIE2)
#define BUTTONS_CHANGE_vect PCINT2_vect
#define BUZZER_OUTPUT _BV(COM2A0)
#endif

/* ---- buttons ---- */

static volatile uint8_t last_level;
static volatile uint8_t edges;
static volatile uint32_t first_edge_us[BUTTON_COUNT];

static uint8_t closed_now(void) { return (uint8_t)(~BUTTONS_PIN & BUTTONS_MASK) >> BUTTONS_BIT; }

/* Keeps the time of the first edge of each contact, nothing else. */
ISR(BUTTONS_CHANGE_vect) {
    uint8_t level = closed_now();
    uint8_t fresh = (uint8_t)((level ^ last_level) & ~edges);
    last_level = level;
    if (fresh == 0) return;
    uint32_t now_us = clock_us();
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        if (fresh & _BV(i)) first_edge_us[i] = now_us;
    }
    edges |= fresh;
}

static void buttons_init(void) {
    BUTTONS_DDR &= (uint8_t)~BUTTONS_MASK;
    BUTTONS_PORT |= BUTTONS_MASK; /* pull-ups */
    for (uint8_t wait = 0; wait < 100; wait++) __asm__ volatile("nop");
    last_level = closed_now();
    BUTTONS_CHANGE_MASK = BUTTONS_MASK;
    PCICR = BUTTONS_CHANGE_ENABLE;
}

void hal_contacts(struct contacts *contacts) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        contacts->level = closed_now();
        contacts->edges = edges;
        edges = 0;
    }
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        if (!(contacts->edges & _BV(i))) continue;
        ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { contacts->first_edge_us[i] = first_edge_us[i]; }
    }
}

/* ---- dice ---- */

#if defined(__AVR_ATmega2560__)

static void dice_pins_init(void) {
    DICE_WHITE_DDR = DICE_WHITE_MASK;
    DICE_BLACK_DDR = DICE_BLACK_MASK;
}

void hal_dice(uint8_t white, uint8_t black) {
    DICE_WHITE_PORT = white;
    DICE_BLACK_PORT = black;
}

#else

#define SHIFT_DATA _BV(DICE_SHIFT_BIT)
#define SHIFT_CLOCK _BV(DICE_SHIFT_BIT + 1)
#define SHIFT_LATCH _BV(DICE_SHIFT_BIT + 2)

static void dice_pins_init(void) { DICE_SHIFT_DDR |= DICE_SHIFT_MASK; }

static void shift_out(uint8_t byte) {
    for (uint8_t bit = 0x80; bit != 0; bit >>= 1) {
        if (byte & bit) {
            DICE_SHIFT_PORT |= SHIFT_DATA;
        } else {
            DICE_SHIFT_PORT &= (uint8_t)~SHIFT_DATA;
        }
        DICE_SHIFT_PORT |= SHIFT_CLOCK;
        DICE_SHIFT_PORT &= (uint8_t)~SHIFT_CLOCK;
    }
}

/* The byte that is sent first ends in the register further away. */
void hal_dice(uint8_t white, uint8_t black) {
    shift_out(black);
    shift_out(white);
    DICE_SHIFT_PORT |= SHIFT_LATCH;
    DICE_SHIFT_PORT &= (uint8_t)~SHIFT_LATCH;
}

#endif

/* ---- buzzer ---- */

static void buzzer_init(void) { BUZZER_DDR |= BUZZER_MASK; }

void hal_tone(uint16_t hz) {
    if (hz == 0) {
        TCCR2A = 0;
        TCCR2B = 0;
        BUZZER_PORT &= (uint8_t)~BUZZER_MASK;
        return;
    }
    BOARD_ASSERT(hz >= 500); /* the slowest that eight bits at this prescaler reach */
    OCR2A = (uint8_t)(F_CPU / 64UL / 2UL / hz - 1UL);
    OCR2B = OCR2A; /* whichever output is used toggles once per round */
    TCNT2 = 0;
    TCCR2A = BUZZER_OUTPUT | _BV(WGM21);
    TCCR2B = _BV(CS22);
}

/* ---- EEPROM ---- */

bool hal_eeprom_ready(void) { return !(EECR & _BV(EEPE)); }

uint8_t hal_eeprom_read(uint16_t address) {
    EEAR = address;
    EECR |= _BV(EERE);
    return EEDR;
}

void hal_eeprom_write(uint16_t address, uint8_t byte) {
    EEAR = address;
    EEDR = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        EECR |= _BV(EEMPE); /* the write must follow within four cycles */
        EECR |= _BV(EEPE);
    }
}

void parts_init(void) {
    LIGHTS_DDR |= LIGHTS_MASK;
    dice_pins_init();
    buttons_init();
    buzzer_init();
}
