/* WS2812 by hand-counted cycles at 16 MHz. Interrupts are off for the whole frame, 1.6 ms; between two lights the
   receiver is asked twice, so that no byte is lost up to 500000 baud and no gap is long enough to latch. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "../hal.h"
#include "pins_gen.h"
#include "uart.h"

#if F_CPU != 16000000UL
#error "the cycles are counted for 16 MHz"
#endif

/* One bit is 18 cycles, 1.125 us: high for 5 (312 ns) is a zero, for 12 (750 ns) a one; the low that is left, 812 or
   375 ns, is within the datasheets of all revisions. */
static inline __attribute__((always_inline)) void send_byte(uint8_t byte, uint8_t high, uint8_t low) {
    uint8_t bits = 8;
    __asm__ volatile(
        "1: out %[port], %[high]\n"
        "   nop\n nop\n nop\n"
        "   sbrs %[byte], 7\n"
        "   out %[port], %[low]\n"
        "   lsl %[byte]\n"
        "   nop\n nop\n nop\n nop\n nop\n"
        "   out %[port], %[low]\n"
        "   dec %[bits]\n"
        "   nop\n nop\n"
        "   brne 1b\n"
        : [byte] "+&r"(byte), [bits] "+&r"(bits)
        : [port] "I"(_SFR_IO_ADDR(LIGHTS_PORT)), [high] "r"(high), [low] "r"(low));
}

void hal_lights(const uint8_t *grb, uint8_t count) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        uint8_t low = (uint8_t)(LIGHTS_PORT & ~LIGHTS_MASK);
        uint8_t high = low | LIGHTS_MASK;
        do {
            uint8_t green = *grb++;
            uint8_t red = *grb++;
            uint8_t blue = *grb++;
            send_byte(green, high, low);
            send_byte(red, high, low);
            send_byte(blue, high, low);
            uart_keep();
            uart_keep();
        } while (--count);
    }
}
