#include "bench.h"

#include <avr_adc.h>
#include <avr_eeprom.h>
#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "avr/pins_gen.h"
#include "protocol_gen.h"

#define FREQUENCY 16000000u
#define FRAME_BITS (LIGHT_COUNT * 24u)
#define ONE_FROM 9u             /* cycles high: more is a one */
#define LATCH 800u              /* cycles low that surely latch: 50 us */
#define REST 4480u              /* cycles that must lie between two frames: 280 us */
#define SUPPLY_MV 5000u
#define SENSE_MV_PER_MA 5u / 2u
#define QUEUE 65536u
#define UNREAD_MOST 3 /* two bytes in the receiver, one in its shift register */

struct pin {
    char port;
    uint8_t bit;
};

struct wire_byte {
    uint8_t byte;
    uint64_t at;
};

struct bench {
    avr_t *avr;
    elf_firmware_t firmware;
    bool mega;
    avr_uart_t *uart;
    avr_adc_t *adc;
    avr_io_addr_t select_port; /* register of the port of the mux select lines */
    void (*core_reset)(avr_t *avr);
    uint8_t to_chip[QUEUE];
    uint32_t to_head, to_tail;
    struct wire_byte from_chip[QUEUE];
    uint32_t from_head, from_tail;
    bool line_busy;
    uint32_t overruns;
    uint8_t closed; /* buttons */
    uint16_t cell_mv[CELL_COUNT];
    bool dead[LIGHT_COUNT];
    uint8_t broken_from;
    /* lights */
    bool line_high;
    uint64_t rise, fall;
    uint32_t bit_count;
    uint8_t incoming[LIGHT_COUNT * 3];
    uint8_t glowing[LIGHT_COUNT * 3]; /* green, red, blue */
    uint64_t frame_end;
    struct light_timing timing;
    /* dice */
    uint8_t dice_white, dice_black;
    uint16_t shift;
    bool shift_data;
    uint64_t dice_at;
    uint32_t dice_changes;
    /* buzzer */
    uint64_t tone_rise;
    uint32_t tone_period;
    bool tone_high;
    /* reset */
    uint32_t resets;
    bool restore;
};

static void silent_logger(avr_t *avr, const int level, const char *format, va_list list) {
    (void)avr;
    (void)level;
    (void)format;
    (void)list;
}

static avr_irq_t *pin_irq(struct bench *b, char port, uint8_t bit) {
    return avr_io_getirq(b->avr, AVR_IOCTL_IOPORT_GETIRQ(port), IOPORT_IRQ_PIN0 + bit);
}

/* ---- the wire ---- */

static int unread(const avr_uart_t *uart) {
    return (int)((uart->input.write - uart->input.read) & (uart_fifo_fifo_size - 1));
}

static avr_cycle_count_t next_byte(avr_t *avr, avr_cycle_count_t when, void *param) {
    struct bench *b = param;
    if (b->to_tail == b->to_head) {
        b->line_busy = false;
        return 0;
    }
    uint8_t byte = b->to_chip[b->to_tail++ % QUEUE];
    if (avr_regbit_get(avr, b->uart->rxen)) {
        if (unread(b->uart) >= UNREAD_MOST) {
            b->overruns++;
        } else {
            avr_raise_irq(b->uart->io.irq + UART_IRQ_INPUT, byte);
        }
    }
    return when + b->uart->cycles_per_byte;
}

/* simavr counts eleven bits per byte; ten are sent. */
static void correct_baud(struct bench *b) {
    avr_t *avr = b->avr;
    uint32_t divisor = avr_regbit_get_raw(avr, b->uart->ubrrl) | avr_regbit_get_raw(avr, b->uart->ubrrh) << 8;
    b->uart->cycles_per_byte = (divisor + 1) * (avr_regbit_get(avr, b->uart->u2x) ? 8 : 16) * 10;
}

static void from_chip(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    struct bench *b = param;
    correct_baud(b);
    struct wire_byte *slot = &b->from_chip[b->from_head++ % QUEUE];
    slot->byte = (uint8_t)value;
    slot->at = b->avr->cycle + b->uart->cycles_per_byte;
}

void bench_send(struct bench *b, const uint8_t *bytes, size_t count) {
    correct_baud(b);
    for (size_t i = 0; i < count; i++) b->to_chip[b->to_head++ % QUEUE] = bytes[i];
    if (!b->line_busy && count != 0) {
        b->line_busy = true;
        avr_cycle_timer_register(b->avr, b->uart->cycles_per_byte, next_byte, b);
    }
}

size_t bench_unsent(const struct bench *b) { return b->to_head - b->to_tail; }

size_t bench_receive(struct bench *b, uint8_t *bytes, uint64_t *at, size_t most) {
    size_t count = 0;
    while (count < most && b->from_tail != b->from_head) {
        struct wire_byte *slot = &b->from_chip[b->from_tail % QUEUE];
        if (slot->at > b->avr->cycle) break;
        bytes[count] = slot->byte;
        if (at) at[count] = slot->at;
        count++;
        b->from_tail++;
    }
    return count;
}

uint32_t bench_overruns(const struct bench *b) { return b->overruns; }

/* ---- lights ---- */

static void light_takes_bits(struct bench *b) {
    uint32_t whole = b->bit_count / 24;
    for (uint32_t light = 0; light < whole; light++) {
        if (b->dead[light] || light >= b->broken_from) {
            memset(b->glowing + light * 3, 0, 3);
        } else {
            memcpy(b->glowing + light * 3, b->incoming + light * 3, 3);
        }
    }
    b->bit_count = 0;
}

static void rising(struct bench *b, uint64_t now) {
    uint64_t low = now - b->fall;
    if (b->bit_count != 0 && low >= LATCH) {
        b->timing.partial++;
        light_takes_bits(b);
    }
    if (b->bit_count == 0) {
        if (b->timing.frames != 0 && now - b->frame_end < REST) b->timing.crowded++;
    } else {
        if (low > b->timing.low_max) b->timing.low_max = (uint32_t)low;
        uint32_t period = (uint32_t)(now - b->rise);
        if (period < b->timing.period_min) b->timing.period_min = period;
    }
    b->rise = now;
}

static void falling(struct bench *b, uint64_t now) {
    uint32_t high = (uint32_t)(now - b->rise);
    bool one = high >= ONE_FROM;
    uint32_t *least = one ? &b->timing.one_min : &b->timing.zero_min;
    uint32_t *most = one ? &b->timing.one_max : &b->timing.zero_max;
    if (high < *least) *least = high;
    if (high > *most) *most = high;
    uint8_t *byte = &b->incoming[b->bit_count / 8];
    *byte = (uint8_t)(*byte << 1 | one);
    b->bit_count++;
    b->timing.bits++;
    b->fall = now;
    if (b->bit_count != FRAME_BITS) return;
    b->timing.frames++;
    b->frame_end = now;
    light_takes_bits(b);
}

static void light_line(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    struct bench *b = param;
    bool high = value & 1;
    if (high == b->line_high) return;
    b->line_high = high;
    if (high) {
        rising(b, b->avr->cycle);
    } else {
        falling(b, b->avr->cycle);
    }
}

static void clear_timing(struct bench *b) {
    memset(&b->timing, 0, sizeof b->timing);
    b->timing.zero_min = b->timing.one_min = b->timing.period_min = UINT32_MAX;
}

void bench_light_timing(struct bench *b, struct light_timing *timing) {
    *timing = b->timing;
    clear_timing(b);
}

void bench_lights(const struct bench *b, uint8_t *rgb) {
    for (int light = 0; light < LIGHT_COUNT; light++) {
        rgb[light * 3] = b->glowing[light * 3 + 1];
        rgb[light * 3 + 1] = b->glowing[light * 3];
        rgb[light * 3 + 2] = b->glowing[light * 3 + 2];
    }
}

uint64_t bench_lights_cycle(const struct bench *b) { return b->frame_end; }

uint32_t bench_lights_ma(const struct bench *b) {
    uint32_t channels = 0;
    for (size_t i = 0; i < sizeof b->glowing; i++) channels += b->glowing[i];
    return LIGHT_COUNT + channels * 20 / 255;
}

void bench_light_dead(struct bench *b, uint8_t light, bool dead) { b->dead[light] = dead; }
void bench_chain_broken(struct bench *b, uint8_t light) { b->broken_from = light; }

/* ---- cells ---- */

static uint32_t channel_mv(struct bench *b, uint8_t channel) {
    uint8_t sense = b->mega ? 8 + ATMEGA2560_CURRENT_SENSE_BIT : ATMEGA328P_CURRENT_SENSE_BIT;
    if (channel == sense) return bench_lights_ma(b) * SENSE_MV_PER_MA;
    if (!b->mega || channel >= MUX_COUNT) return 0;
    uint8_t select = b->avr->data[b->select_port] >> ATMEGA2560_MUX_SELECT_BIT & (CELLS_PER_MUX - 1);
    return b->cell_mv[channel * CELLS_PER_MUX + select];
}

/* simavr 1.6 has values for ADC0 to ADC7 only: the voltage is given as a reference instead. */
static void conversion(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    (void)value;
    struct bench *b = param;
    uint8_t index = avr_regbit_get_array(b->avr, b->adc->mux, 6);
    uint8_t channel = (uint8_t)((index & 7) + (index & 32 ? 8 : 0));
    b->adc->muxmode[index] =
        (avr_adc_mux_t){.kind = ADC_MUX_REF, .src = channel_mv(b, channel)};
}

void bench_cell(struct bench *b, uint8_t cell, uint16_t millivolts) { b->cell_mv[cell] = millivolts; }

/* ---- dice, buttons, buzzer ---- */

static void dice_moved(struct bench *b) {
    b->dice_at = b->avr->cycle;
    b->dice_changes++;
}

static void dice_port(struct avr_irq_t *irq, uint32_t value, void *param) {
    struct bench *b = param;
    bool white = irq == avr_io_getirq(b->avr, AVR_IOCTL_IOPORT_GETIRQ(ATMEGA2560_DICE_WHITE_LETTER), IOPORT_IRQ_REG_PORT);
    uint8_t *lines = white ? &b->dice_white : &b->dice_black;
    if (*lines == (uint8_t)value) return;
    *lines = (uint8_t)value;
    dice_moved(b);
}

static void shift_data(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    ((struct bench *)param)->shift_data = value & 1;
}

static void shift_clock(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    struct bench *b = param;
    if (value & 1) b->shift = (uint16_t)(b->shift << 1 | b->shift_data);
}

static void shift_latch(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    struct bench *b = param;
    if (!(value & 1)) return;
    uint8_t white = (uint8_t)b->shift, black = (uint8_t)(b->shift >> 8);
    if (white == b->dice_white && black == b->dice_black) return;
    b->dice_white = white;
    b->dice_black = black;
    dice_moved(b);
}

void bench_dice(const struct bench *b, uint8_t *lines) {
    lines[0] = b->dice_white & 15;
    lines[1] = b->dice_white >> 4;
    lines[2] = b->dice_black & 15;
    lines[3] = b->dice_black >> 4;
}

uint64_t bench_dice_cycle(const struct bench *b) { return b->dice_at; }
uint32_t bench_dice_changes(const struct bench *b) { return b->dice_changes; }

static void tone_line(struct avr_irq_t *irq, uint32_t value, void *param) {
    (void)irq;
    struct bench *b = param;
    if ((value & 1) == b->tone_high) return; /* another pin of the port was written */
    b->tone_high = value & 1;
    if (!b->tone_high) return;
    b->tone_period = (uint32_t)(b->avr->cycle - b->tone_rise);
    b->tone_rise = b->avr->cycle;
}

uint32_t bench_tone_hz(const struct bench *b) {
    if (b->tone_period == 0 || b->avr->cycle - b->tone_rise > FREQUENCY / 200) return 0;
    return FREQUENCY / b->tone_period;
}

static void show_button(struct bench *b, uint8_t button) {
    char port = b->mega ? ATMEGA2560_BUTTONS_LETTER : ATMEGA328P_BUTTONS_LETTER;
    uint8_t bit = (uint8_t)(button + (b->mega ? ATMEGA2560_BUTTONS_BIT : ATMEGA328P_BUTTONS_BIT));
    uint32_t level = !(b->closed >> button & 1);
    avr_ioport_external_t external = {.name = (unsigned char)port, .mask = 0, .value = 0};
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        uint8_t shift = (uint8_t)(i + bit - button);
        external.mask |= 1u << shift;
        if (!(b->closed >> i & 1)) external.value |= 1u << shift;
    }
    avr_ioctl(b->avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &external);
    avr_irq_t *pin = pin_irq(b, port, bit);
    pin->value = !level; /* a level that simavr thinks is known would not reach a chip that was reset */
    avr_raise_irq(pin, level);
}

void bench_button(struct bench *b, uint8_t button, bool closed) {
    b->closed = (uint8_t)((b->closed & ~(1u << button)) | (uint32_t)closed << button);
    show_button(b, button);
}

/* ---- power, reset, memory ---- */

static void was_reset(avr_t *avr) {
    struct bench *b = avr->custom.data;
    if (b->core_reset) b->core_reset(avr);
    b->resets++;
    b->restore = true;
    b->line_busy = false;
    b->bit_count = 0;
    b->line_high = false;
}

/* What a reset of simavr took from the world outside, which does not know of it. */
static void restore(struct bench *b) {
    b->restore = false;
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) show_button(b, i);
    if (b->to_head != b->to_tail) {
        b->line_busy = true;
        avr_cycle_timer_register(b->avr, 640, next_byte, b);
    }
}

void bench_reset(struct bench *b, enum bench_reset cause) {
    avr_reset(b->avr);
    if (cause != BENCH_EXTERNAL) { /* RAM and everything on the supply forgets; the bytes under way are noise */
        memset(b->avr->data + b->avr->ioend + 1, 0xa5, b->avr->ramend - b->avr->ioend);
        memset(b->glowing, 0, sizeof b->glowing);
        b->to_tail = b->to_head;
    }
    avr_regbit_t flag = cause == BENCH_POWER_ON   ? b->avr->reset_flags.porf
                        : cause == BENCH_EXTERNAL ? b->avr->reset_flags.extrf
                                                  : b->avr->reset_flags.borf;
    if (flag.reg) avr_regbit_set(b->avr, flag);
    restore(b);
}

uint32_t bench_resets(const struct bench *b) { return b->resets; }

bool bench_hang(struct bench *b) {
    for (uint32_t at = 0; at + 1 < b->firmware.flashsize; at += 2) {
        if (b->avr->flash[at] == 0xff && b->avr->flash[at + 1] == 0xcf) { /* rjmp to itself */
            b->avr->pc = at;
            return true;
        }
    }
    return false;
}

/* simavr 1.6 answers -1 although it has done it. */
void bench_eeprom_get(struct bench *b, uint8_t *bytes, size_t count) {
    avr_eeprom_desc_t block = {.ee = bytes, .offset = 0, .size = (uint32_t)count};
    avr_ioctl(b->avr, AVR_IOCTL_EEPROM_GET, &block);
}

void bench_eeprom_set(struct bench *b, const uint8_t *bytes, size_t count) {
    avr_eeprom_desc_t block = {.ee = (uint8_t *)bytes, .offset = 0, .size = (uint32_t)count};
    avr_ioctl(b->avr, AVR_IOCTL_EEPROM_SET, &block);
}

/* ---- start ---- */

static void watch(struct bench *b, char port, uint8_t bit, avr_irq_notify_t notify) {
    avr_irq_register_notify(pin_irq(b, port, bit), notify, b);
}

static void solder(struct bench *b) {
    for (avr_io_t *io = b->avr->io_port; io; io = io->next) {
        if (strcmp(io->kind, "uart") == 0 && ((avr_uart_t *)io)->name == '0') b->uart = (avr_uart_t *)io;
        if (strcmp(io->kind, "adc") == 0) b->adc = (avr_adc_t *)io;
        if (strcmp(io->kind, "port") == 0 && ((avr_ioport_t *)io)->name == ATMEGA2560_MUX_SELECT_LETTER) {
            b->select_port = ((avr_ioport_t *)io)->r_port;
        }
    }
    uint32_t flags = 0; /* neither print the bytes nor sleep while polling */
    avr_ioctl(b->avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(b->uart->io.irq + UART_IRQ_OUTPUT, from_chip, b);
    avr_irq_register_notify(b->adc->io.irq + ADC_IRQ_OUT_TRIGGER, conversion, b);
    if (b->mega) {
        watch(b, ATMEGA2560_LIGHTS_LETTER, ATMEGA2560_LIGHTS_BIT, light_line);
        watch(b, ATMEGA2560_BUZZER_LETTER, ATMEGA2560_BUZZER_BIT, tone_line);
        watch(b, ATMEGA2560_DICE_WHITE_LETTER, IOPORT_IRQ_REG_PORT, dice_port);
        watch(b, ATMEGA2560_DICE_BLACK_LETTER, IOPORT_IRQ_REG_PORT, dice_port);
    } else {
        watch(b, ATMEGA328P_LIGHTS_LETTER, ATMEGA328P_LIGHTS_BIT, light_line);
        watch(b, ATMEGA328P_BUZZER_LETTER, ATMEGA328P_BUZZER_BIT, tone_line);
        watch(b, ATMEGA328P_DICE_SHIFT_LETTER, ATMEGA328P_DICE_SHIFT_BIT, shift_data);
        watch(b, ATMEGA328P_DICE_SHIFT_LETTER, ATMEGA328P_DICE_SHIFT_BIT + 1, shift_clock);
        watch(b, ATMEGA328P_DICE_SHIFT_LETTER, ATMEGA328P_DICE_SHIFT_BIT + 2, shift_latch);
    }
}

struct bench *bench_new(const char *elf, const char *chip) {
    struct bench *b = calloc(1, sizeof *b);
    avr_global_logger_set(silent_logger);
    if (!b || elf_read_firmware(elf, &b->firmware) != 0) {
        free(b);
        return NULL;
    }
    b->avr = avr_make_mcu_by_name(chip);
    if (!b->avr) {
        free(b);
        return NULL;
    }
    b->mega = strcmp(chip, "atmega2560") == 0;
    b->broken_from = UINT8_MAX;
    for (int cell = 0; cell < CELL_COUNT; cell++) b->cell_mv[cell] = SUPPLY_MV / 2;
    avr_init(b->avr);
    b->firmware.frequency = FREQUENCY;
    b->firmware.vcc = b->firmware.avcc = b->firmware.aref = SUPPLY_MV;
    avr_load_firmware(b->avr, &b->firmware);
    b->avr->custom.data = b;
    b->core_reset = b->avr->reset;
    b->avr->reset = was_reset;
    solder(b);
    clear_timing(b);
    bench_reset(b, BENCH_POWER_ON);
    b->resets = 0;
    return b;
}

void bench_free(struct bench *b) {
    avr_terminate(b->avr);
    free(b);
}

uint64_t bench_cycle(const struct bench *b) { return b->avr->cycle; }

bool bench_run_until(struct bench *b, uint64_t cycle) {
    while (b->avr->cycle < cycle) {
        int state = avr_run(b->avr);
        if (state == cpu_Done || state == cpu_Crashed) return false;
        if (b->restore) restore(b);
    }
    return true;
}
