/* Start, watchdog and main loop. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/wdt.h>

#include "../core/board.h"
#include "../hal.h"
#include "chip.h"
#include "clock.h"
#include "uart.h"

#define PANIC_MARK 0xb0a4d1e5UL
#define STACK_PAINT 0xc5

static struct board board;
static uint8_t cause;

/* These survive a reset; a power cut leaves anything in them. */
static uint32_t panic_mark __attribute__((section(".noinit")));
static uint8_t reset_flags __attribute__((section(".noinit")));

extern uint8_t __heap_start;

void keep_reset_flags(void) __attribute__((naked, used, section(".init3")));

/* Before anything else: after a watchdog reset the watchdog is still on, at its shortest. */
void keep_reset_flags(void) {
    reset_flags = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

void paint_stack(void) __attribute__((naked, used, section(".init5")));

void paint_stack(void) {
    __asm__ volatile(
        "   ldi r30, lo8(__heap_start)\n"
        "   ldi r31, hi8(__heap_start)\n"
        "   ldi r24, %[paint]\n"
        "   ldi r25, hi8(%[end])\n"
        "1: st Z+, r24\n"
        "   cpi r30, lo8(%[end])\n"
        "   cpc r31, r25\n"
        "   brlo 1b\n"
        :
        : [paint] "i"(STACK_PAINT), [end] "i"(RAMEND + 1));
}

uint16_t hal_stack_free(void) {
    const uint8_t *at = &__heap_start;
    while (at < (const uint8_t *)RAMEND && *at == STACK_PAINT) at++;
    return (uint16_t)(at - &__heap_start);
}

static uint8_t find_cause(void) {
    bool panicked = panic_mark == PANIC_MARK;
    panic_mark = 0;
    if (reset_flags & _BV(WDRF)) return panicked ? RESET_CAUSE_ASSERTION : RESET_CAUSE_WATCHDOG;
    if (reset_flags & _BV(PORF)) return RESET_CAUSE_POWER_ON;
    if (reset_flags & _BV(BORF)) return RESET_CAUSE_BROWN_OUT;
    return RESET_CAUSE_EXTERNAL; /* also when a boot loader has already cleared the flags */
}

uint8_t hal_reset_cause(void) { return cause; }

void hal_panic(void) {
    cli();
    panic_mark = PANIC_MARK;
    wdt_enable(WDTO_250MS); /* a bug may come before the main loop has started it */
    for (;;) {
    }
}

int main(void) {
    cause = find_cause();
    parts_init();
    clock_init();
    uart_init();
    analog_init();
    sei();
    board_init(&board, clock_us());
#if !defined(WITHOUT_WATCHDOG)
    wdt_enable(WDTO_250MS);
#endif
    for (;;) {
        wdt_reset();
        board_step(&board, clock_us());
    }
}
