/* Generated from protocol.toml by generate_protocol.py; do not edit. */
#ifndef PROTOCOL_GEN_H
#define PROTOCOL_GEN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PROTOCOL_MAJOR 1UL
#define PROTOCOL_MINOR 0UL
#define PROTOCOL_MAX_PAYLOAD 160UL
#define PROTOCOL_MAX_REPLY 64UL
#define PROTOCOL_BAUD 250000UL
#define PROTOCOL_EVENT_WINDOW 4UL
#define PROTOCOL_EVENT_RESEND_MS 50UL
#define PROTOCOL_LINK_LOST_MS 2000UL
#define PROTOCOL_HEARTBEAT_MS 500UL
#define LIGHT_COUNT 52
#define CELL_COUNT 192
#define CELLS_PER_MUX 16
#define MUX_COUNT 12
#define BUTTON_COUNT 6
#define DIE_COUNT 4
#define CHASE_COUNT 4
#define BLINK_BYTES 7
#define SNAPSHOT_BYTES 48
#define LIGHT_POINTS 0
#define LIGHT_POINTS_COUNT 24
#define LIGHT_BAR_WHITE 24
#define LIGHT_BAR_WHITE_COUNT 2
#define LIGHT_BAR_BLACK 26
#define LIGHT_BAR_BLACK_COUNT 2
#define LIGHT_TRAY_WHITE 28
#define LIGHT_TRAY_WHITE_COUNT 4
#define LIGHT_TRAY_BLACK 32
#define LIGHT_TRAY_BLACK_COUNT 4
#define LIGHT_TURN_WHITE 36
#define LIGHT_TURN_WHITE_COUNT 8
#define LIGHT_TURN_BLACK 44
#define LIGHT_TURN_BLACK_COUNT 8
#define PART_LIGHTS 0x0001u
#define PART_DICE 0x0002u
#define PART_BUTTONS 0x0004u
#define PART_BUZZER 0x0008u
#define PART_SENSORS 0x0010u
#define PART_CURRENT_SENSE 0x0020u

enum chip {
    CHIP_ATMEGA2560 = 1,
    CHIP_ATMEGA328P = 2,
    CHIP_HOST = 3,
};

enum reset_cause {
    RESET_CAUSE_POWER_ON = 0,
    RESET_CAUSE_EXTERNAL = 1,
    RESET_CAUSE_BROWN_OUT = 2,
    RESET_CAUSE_WATCHDOG = 3,
    RESET_CAUSE_ASSERTION = 4,
};

enum calibration {
    CALIBRATION_NONE = 0,
    CALIBRATION_VALID = 1,
    CALIBRATION_DAMAGED = 2,
};

enum button {
    BUTTON_CLOCK_WHITE = 0,
    BUTTON_CLOCK_BLACK = 1,
    BUTTON_ROLL_WHITE = 2,
    BUTTON_ROLL_BLACK = 3,
    BUTTON_DOUBLE_WHITE = 4,
    BUTTON_DOUBLE_BLACK = 5,
};

enum edge {
    EDGE_RELEASED = 0,
    EDGE_PRESSED = 1,
};

enum cell {
    CELL_EMPTY = 0,
    CELL_WHITE = 1,
    CELL_BLACK = 2,
    CELL_FAULT = 3,
};

enum fault {
    FAULT_CELL_OPEN = 1,
    FAULT_CELL_SHORT = 2,
    FAULT_CELL_STUCK = 3,
    FAULT_BUTTON_STUCK = 4,
    FAULT_LIGHT_DARK = 5,
    FAULT_LIGHTS_UNMEASURED = 6,
    FAULT_EEPROM_FAILED = 7,
};

enum pattern {
    PATTERN_QUIET = 0,
    PATTERN_OK = 1,
    PATTERN_WRONG = 2,
    PATTERN_CALL = 3,
    PATTERN_FLAG = 4,
};

enum refusal {
    REFUSAL_UNKNOWN = 1,
    REFUSAL_LENGTH = 2,
    REFUSAL_RANGE = 3,
    REFUSAL_VERSION = 4,
    REFUSAL_HELLO_FIRST = 5,
    REFUSAL_BUSY = 6,
    REFUSAL_UNSUPPORTED = 7,
};

enum kind {
    KIND_HELLO = 0x01,
    KIND_HELLO_REPLY = 0x81,
    KIND_PING = 0x02,
    KIND_PING_REPLY = 0x82,
    KIND_STATS = 0x03,
    KIND_STATS_REPLY = 0x83,
    KIND_STATE = 0x04,
    KIND_STATE_REPLY = 0x84,
    KIND_CONFIG = 0x05,
    KIND_CONFIG_REPLY = 0x85,
    KIND_SELF_TEST = 0x06,
    KIND_SELF_TEST_REPLY = 0x86,
    KIND_LIGHTS_SET = 0x10,
    KIND_LIGHTS_SET_REPLY = 0x90,
    KIND_CHASE_SET = 0x11,
    KIND_CHASE_SET_REPLY = 0x91,
    KIND_LIGHTS_SHOW = 0x12,
    KIND_LIGHTS_SHOW_REPLY = 0x92,
    KIND_DICE_SHOW = 0x18,
    KIND_DICE_SHOW_REPLY = 0x98,
    KIND_DICE_ROLL = 0x19,
    KIND_DICE_ROLL_REPLY = 0x99,
    KIND_SNAPSHOT = 0x20,
    KIND_SNAPSHOT_REPLY = 0xA0,
    KIND_RAW = 0x21,
    KIND_RAW_REPLY = 0xA1,
    KIND_BASELINES = 0x22,
    KIND_BASELINES_REPLY = 0xA2,
    KIND_CALIBRATE = 0x23,
    KIND_CALIBRATE_REPLY = 0xA3,
    KIND_BUZZ = 0x28,
    KIND_BUZZ_REPLY = 0xA8,
    KIND_EVENTS_ACK = 0x3F,
    KIND_BOOTED = 0xC1,
    KIND_BUTTON_CHANGED = 0xC2,
    KIND_CELL_CHANGED = 0xC3,
    KIND_ROLLED = 0xC4,
    KIND_FAULT_CHANGED = 0xC5,
    KIND_OVERFLOW = 0xC6,
    KIND_CALIBRATED = 0xC7,
    KIND_SELF_TESTED = 0xC8,
    KIND_REFUSED = 0xFF,
};

enum payload_size {
    SIZE_HELLO = 2,
    SIZE_HELLO_REPLY = 26,
    SIZE_PING = 4,
    SIZE_PING_REPLY = 8,
    SIZE_STATS = 0,
    SIZE_STATS_REPLY = 40,
    SIZE_STATE = 0,
    SIZE_STATE_REPLY = 20,
    SIZE_CONFIG = 5,
    SIZE_CONFIG_REPLY = 0,
    SIZE_SELF_TEST = 0,
    SIZE_SELF_TEST_REPLY = 0,
    SIZE_LIGHTS_SET = 4,
    SIZE_LIGHTS_SET_REPLY = 0,
    SIZE_CHASE_SET = 6,
    SIZE_CHASE_SET_REPLY = 0,
    SIZE_LIGHTS_SHOW = 14,
    SIZE_LIGHTS_SHOW_REPLY = 2,
    SIZE_DICE_SHOW = 8,
    SIZE_DICE_SHOW_REPLY = 4,
    SIZE_DICE_ROLL = 10,
    SIZE_DICE_ROLL_REPLY = 4,
    SIZE_SNAPSHOT = 0,
    SIZE_SNAPSHOT_REPLY = 50,
    SIZE_RAW = 1,
    SIZE_RAW_REPLY = 33,
    SIZE_BASELINES = 1,
    SIZE_BASELINES_REPLY = 33,
    SIZE_CALIBRATE = 0,
    SIZE_CALIBRATE_REPLY = 0,
    SIZE_BUZZ = 1,
    SIZE_BUZZ_REPLY = 0,
    SIZE_EVENTS_ACK = 4,
    SIZE_BOOTED = 14,
    SIZE_BUTTON_CHANGED = 10,
    SIZE_CELL_CHANGED = 13,
    SIZE_ROLLED = 16,
    SIZE_FAULT_CHANGED = 11,
    SIZE_OVERFLOW = 12,
    SIZE_CALIBRATED = 10,
    SIZE_SELF_TESTED = 12,
    SIZE_REFUSED = 2,
};

/* Introduce the host. The board answers even when the major versions differ, and then refuses the rest. */
struct hello {
    uint8_t major; /* protocol version of the host */
    uint8_t minor; /* additive revision */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t hello_read(
    struct hello *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_HELLO) return REFUSAL_LENGTH;
    m->major = *(p + 0);
    m->minor = *(p + 1);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t hello_write(const struct hello *m, uint8_t *p) {
    p[0] = (uint8_t)(m->major);
    p[1] = (uint8_t)(m->minor);
    return SIZE_HELLO;
}

/* Answer hello. */
struct hello_reply {
    uint8_t major; /* protocol version of the board */
    uint8_t minor; /* additive revision */
    uint8_t chip; /* which one the build is for */
    uint16_t parts; /* bits of the table parts */
    uint8_t lights; /* length of the chain */
    uint8_t cells; /* sensor cells; 0 without the array */
    uint8_t buttons; /* contacts */
    uint8_t max_payload; /* longest request payload, bytes */
    uint8_t event_depth; /* events the board can hold */
    uint32_t boot_id; /* differs after every reset */
    uint8_t reset_cause; /* why the board last started */
    uint8_t calibration; /* what was found in EEPROM */
    uint16_t oldest_event; /* number of the oldest event not yet acknowledged */
    uint32_t uptime_ms; /* since the reset, ms */
    uint32_t build; /* first eight digits of the source revision; 0 when unknown */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t hello_reply_read(
    struct hello_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_HELLO_REPLY) return REFUSAL_LENGTH;
    m->major = *(p + 0);
    m->minor = *(p + 1);
    m->chip = *(p + 2);
    if (m->chip < 1 || m->chip > 3) return REFUSAL_RANGE;
    m->parts = (uint16_t)((uint16_t)((p + 3)[0]) << 0 | (uint16_t)((p + 3)[1]) << 8);
    m->lights = *(p + 5);
    m->cells = *(p + 6);
    m->buttons = *(p + 7);
    m->max_payload = *(p + 8);
    m->event_depth = *(p + 9);
    m->boot_id = (uint32_t)((uint32_t)((p + 10)[0]) << 0 | (uint32_t)((p + 10)[1]) << 8 | (uint32_t)((p + 10)[2]) << 16 | (uint32_t)((p + 10)[3]) << 24);
    m->reset_cause = *(p + 14);
    if (m->reset_cause > 4) return REFUSAL_RANGE;
    m->calibration = *(p + 15);
    if (m->calibration > 2) return REFUSAL_RANGE;
    m->oldest_event = (uint16_t)((uint16_t)((p + 16)[0]) << 0 | (uint16_t)((p + 16)[1]) << 8);
    m->uptime_ms = (uint32_t)((uint32_t)((p + 18)[0]) << 0 | (uint32_t)((p + 18)[1]) << 8 | (uint32_t)((p + 18)[2]) << 16 | (uint32_t)((p + 18)[3]) << 24);
    m->build = (uint32_t)((uint32_t)((p + 22)[0]) << 0 | (uint32_t)((p + 22)[1]) << 8 | (uint32_t)((p + 22)[2]) << 16 | (uint32_t)((p + 22)[3]) << 24);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t hello_reply_write(const struct hello_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->major);
    p[1] = (uint8_t)(m->minor);
    p[2] = (uint8_t)(m->chip);
    p[3] = (uint8_t)(m->parts);
    p[4] = (uint8_t)(m->parts >> 8);
    p[5] = (uint8_t)(m->lights);
    p[6] = (uint8_t)(m->cells);
    p[7] = (uint8_t)(m->buttons);
    p[8] = (uint8_t)(m->max_payload);
    p[9] = (uint8_t)(m->event_depth);
    p[10] = (uint8_t)(m->boot_id);
    p[11] = (uint8_t)(m->boot_id >> 8);
    p[12] = (uint8_t)(m->boot_id >> 16);
    p[13] = (uint8_t)(m->boot_id >> 24);
    p[14] = (uint8_t)(m->reset_cause);
    p[15] = (uint8_t)(m->calibration);
    p[16] = (uint8_t)(m->oldest_event);
    p[17] = (uint8_t)(m->oldest_event >> 8);
    p[18] = (uint8_t)(m->uptime_ms);
    p[19] = (uint8_t)(m->uptime_ms >> 8);
    p[20] = (uint8_t)(m->uptime_ms >> 16);
    p[21] = (uint8_t)(m->uptime_ms >> 24);
    p[22] = (uint8_t)(m->build);
    p[23] = (uint8_t)(m->build >> 8);
    p[24] = (uint8_t)(m->build >> 16);
    p[25] = (uint8_t)(m->build >> 24);
    return SIZE_HELLO_REPLY;
}

/* Be heard, and read the board's clock. */
struct ping {
    uint32_t token; /* comes back unchanged */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t ping_read(
    struct ping *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_PING) return REFUSAL_LENGTH;
    m->token = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t ping_write(const struct ping *m, uint8_t *p) {
    p[0] = (uint8_t)(m->token);
    p[1] = (uint8_t)(m->token >> 8);
    p[2] = (uint8_t)(m->token >> 16);
    p[3] = (uint8_t)(m->token >> 24);
    return SIZE_PING;
}

/* Answer ping. */
struct ping_reply {
    uint32_t token; /* of the request */
    uint32_t at_us; /* board time when the request was read; wraps after 71.6 minutes, us */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t ping_reply_read(
    struct ping_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_PING_REPLY) return REFUSAL_LENGTH;
    m->token = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t ping_reply_write(const struct ping_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->token);
    p[1] = (uint8_t)(m->token >> 8);
    p[2] = (uint8_t)(m->token >> 16);
    p[3] = (uint8_t)(m->token >> 24);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    return SIZE_PING_REPLY;
}

/* Read the counters; all start at 0 with a reset and stop at their greatest value. */
struct stats {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t stats_read(
    struct stats *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t stats_write(const struct stats *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Answer stats. */
struct stats_reply {
    uint32_t executed; /* requests carried out, repeats not counted */
    uint16_t repeated; /* repeated requests answered from the cache */
    uint16_t refused; /* requests refused */
    uint16_t damaged; /* frames with a wrong checksum or stuffing */
    uint16_t overlong; /* frames longer than allowed */
    uint16_t overruns; /* bytes the receiver lost */
    uint16_t ring_full; /* bytes lost because the receive ring was full */
    uint32_t events; /* events made */
    uint16_t events_lost; /* events that found no room; each is told by an overflow event */
    uint16_t events_resent; /* events sent more than once */
    uint32_t light_frames; /* frames sent down the chain */
    uint32_t passes; /* complete sensor passes */
    uint16_t pass_us; /* length of the last sensor pass, us */
    uint16_t loop_us; /* longest turn of the main loop, us */
    uint16_t links_lost; /* times the host fell silent */
    uint16_t stack_free; /* never touched between data and stack, bytes */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t stats_reply_read(
    struct stats_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_STATS_REPLY) return REFUSAL_LENGTH;
    m->executed = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    m->repeated = (uint16_t)((uint16_t)((p + 4)[0]) << 0 | (uint16_t)((p + 4)[1]) << 8);
    m->refused = (uint16_t)((uint16_t)((p + 6)[0]) << 0 | (uint16_t)((p + 6)[1]) << 8);
    m->damaged = (uint16_t)((uint16_t)((p + 8)[0]) << 0 | (uint16_t)((p + 8)[1]) << 8);
    m->overlong = (uint16_t)((uint16_t)((p + 10)[0]) << 0 | (uint16_t)((p + 10)[1]) << 8);
    m->overruns = (uint16_t)((uint16_t)((p + 12)[0]) << 0 | (uint16_t)((p + 12)[1]) << 8);
    m->ring_full = (uint16_t)((uint16_t)((p + 14)[0]) << 0 | (uint16_t)((p + 14)[1]) << 8);
    m->events = (uint32_t)((uint32_t)((p + 16)[0]) << 0 | (uint32_t)((p + 16)[1]) << 8 | (uint32_t)((p + 16)[2]) << 16 | (uint32_t)((p + 16)[3]) << 24);
    m->events_lost = (uint16_t)((uint16_t)((p + 20)[0]) << 0 | (uint16_t)((p + 20)[1]) << 8);
    m->events_resent = (uint16_t)((uint16_t)((p + 22)[0]) << 0 | (uint16_t)((p + 22)[1]) << 8);
    m->light_frames = (uint32_t)((uint32_t)((p + 24)[0]) << 0 | (uint32_t)((p + 24)[1]) << 8 | (uint32_t)((p + 24)[2]) << 16 | (uint32_t)((p + 24)[3]) << 24);
    m->passes = (uint32_t)((uint32_t)((p + 28)[0]) << 0 | (uint32_t)((p + 28)[1]) << 8 | (uint32_t)((p + 28)[2]) << 16 | (uint32_t)((p + 28)[3]) << 24);
    m->pass_us = (uint16_t)((uint16_t)((p + 32)[0]) << 0 | (uint16_t)((p + 32)[1]) << 8);
    m->loop_us = (uint16_t)((uint16_t)((p + 34)[0]) << 0 | (uint16_t)((p + 34)[1]) << 8);
    m->links_lost = (uint16_t)((uint16_t)((p + 36)[0]) << 0 | (uint16_t)((p + 36)[1]) << 8);
    m->stack_free = (uint16_t)((uint16_t)((p + 38)[0]) << 0 | (uint16_t)((p + 38)[1]) << 8);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t stats_reply_write(const struct stats_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->executed);
    p[1] = (uint8_t)(m->executed >> 8);
    p[2] = (uint8_t)(m->executed >> 16);
    p[3] = (uint8_t)(m->executed >> 24);
    p[4] = (uint8_t)(m->repeated);
    p[5] = (uint8_t)(m->repeated >> 8);
    p[6] = (uint8_t)(m->refused);
    p[7] = (uint8_t)(m->refused >> 8);
    p[8] = (uint8_t)(m->damaged);
    p[9] = (uint8_t)(m->damaged >> 8);
    p[10] = (uint8_t)(m->overlong);
    p[11] = (uint8_t)(m->overlong >> 8);
    p[12] = (uint8_t)(m->overruns);
    p[13] = (uint8_t)(m->overruns >> 8);
    p[14] = (uint8_t)(m->ring_full);
    p[15] = (uint8_t)(m->ring_full >> 8);
    p[16] = (uint8_t)(m->events);
    p[17] = (uint8_t)(m->events >> 8);
    p[18] = (uint8_t)(m->events >> 16);
    p[19] = (uint8_t)(m->events >> 24);
    p[20] = (uint8_t)(m->events_lost);
    p[21] = (uint8_t)(m->events_lost >> 8);
    p[22] = (uint8_t)(m->events_resent);
    p[23] = (uint8_t)(m->events_resent >> 8);
    p[24] = (uint8_t)(m->light_frames);
    p[25] = (uint8_t)(m->light_frames >> 8);
    p[26] = (uint8_t)(m->light_frames >> 16);
    p[27] = (uint8_t)(m->light_frames >> 24);
    p[28] = (uint8_t)(m->passes);
    p[29] = (uint8_t)(m->passes >> 8);
    p[30] = (uint8_t)(m->passes >> 16);
    p[31] = (uint8_t)(m->passes >> 24);
    p[32] = (uint8_t)(m->pass_us);
    p[33] = (uint8_t)(m->pass_us >> 8);
    p[34] = (uint8_t)(m->loop_us);
    p[35] = (uint8_t)(m->loop_us >> 8);
    p[36] = (uint8_t)(m->links_lost);
    p[37] = (uint8_t)(m->links_lost >> 8);
    p[38] = (uint8_t)(m->stack_free);
    p[39] = (uint8_t)(m->stack_free >> 8);
    return SIZE_STATS_REPLY;
}

/* Read what the board shows now. */
struct state {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t state_read(
    struct state *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t state_write(const struct state *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Answer state. */
struct state_reply {
    uint16_t generation; /* of the lights shown */
    uint32_t roll_id; /* of the dice shown; 0 when none */
    uint8_t dice[4]; /* White's two dice, Black's two; 0 dark; final values */
    uint8_t rolling; /* 1 while the dice still tumble */
    uint16_t changes; /* cell changes since the reset, modulo 65536 */
    uint8_t brightness; /* as configured */
    uint16_t limit_ma; /* as configured, mA */
    uint16_t drawn_ma; /* computed for the lights now shown, mA */
    uint8_t silent; /* as configured */
    uint8_t pressed; /* bit n: button n is held */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t state_reply_read(
    struct state_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_STATE_REPLY) return REFUSAL_LENGTH;
    m->generation = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->roll_id = (uint32_t)((uint32_t)((p + 2)[0]) << 0 | (uint32_t)((p + 2)[1]) << 8 | (uint32_t)((p + 2)[2]) << 16 | (uint32_t)((p + 2)[3]) << 24);
    for (uint8_t i = 0; i < 4; i++) {
        m->dice[i] = *(p + 6 + 1 * i);
        if (m->dice[i] > 6) return REFUSAL_RANGE;
    }
    m->rolling = *(p + 10);
    if (m->rolling > 1) return REFUSAL_RANGE;
    m->changes = (uint16_t)((uint16_t)((p + 11)[0]) << 0 | (uint16_t)((p + 11)[1]) << 8);
    m->brightness = *(p + 13);
    m->limit_ma = (uint16_t)((uint16_t)((p + 14)[0]) << 0 | (uint16_t)((p + 14)[1]) << 8);
    m->drawn_ma = (uint16_t)((uint16_t)((p + 16)[0]) << 0 | (uint16_t)((p + 16)[1]) << 8);
    m->silent = *(p + 18);
    if (m->silent > 1) return REFUSAL_RANGE;
    m->pressed = *(p + 19);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t state_reply_write(const struct state_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->generation);
    p[1] = (uint8_t)(m->generation >> 8);
    p[2] = (uint8_t)(m->roll_id);
    p[3] = (uint8_t)(m->roll_id >> 8);
    p[4] = (uint8_t)(m->roll_id >> 16);
    p[5] = (uint8_t)(m->roll_id >> 24);
    for (uint8_t i = 0; i < 4; i++) {
        p[6 + 1 * i + 0] = (uint8_t)(m->dice[i]);
    }
    p[10] = (uint8_t)(m->rolling);
    p[11] = (uint8_t)(m->changes);
    p[12] = (uint8_t)(m->changes >> 8);
    p[13] = (uint8_t)(m->brightness);
    p[14] = (uint8_t)(m->limit_ma);
    p[15] = (uint8_t)(m->limit_ma >> 8);
    p[16] = (uint8_t)(m->drawn_ma);
    p[17] = (uint8_t)(m->drawn_ma >> 8);
    p[18] = (uint8_t)(m->silent);
    p[19] = (uint8_t)(m->pressed);
    return SIZE_STATE_REPLY;
}

/* Set brightness, current cap, silence and sensors; not kept over a reset, the host sends it again. */
struct config {
    uint8_t brightness; /* scales every light, 255 is full */
    uint16_t limit_ma; /* cap on the current of all lights, mA */
    uint8_t silent; /* 1: the buzzer stays quiet */
    uint8_t sensors; /* 1: a sensor array is fitted; report its cells and faults */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t config_read(
    struct config *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_CONFIG) return REFUSAL_LENGTH;
    m->brightness = *(p + 0);
    m->limit_ma = (uint16_t)((uint16_t)((p + 1)[0]) << 0 | (uint16_t)((p + 1)[1]) << 8);
    if (m->limit_ma < 100 || m->limit_ma > 3200) return REFUSAL_RANGE;
    m->silent = *(p + 3);
    if (m->silent > 1) return REFUSAL_RANGE;
    m->sensors = *(p + 4);
    if (m->sensors > 1) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t config_write(const struct config *m, uint8_t *p) {
    p[0] = (uint8_t)(m->brightness);
    p[1] = (uint8_t)(m->limit_ma);
    p[2] = (uint8_t)(m->limit_ma >> 8);
    p[3] = (uint8_t)(m->silent);
    p[4] = (uint8_t)(m->sensors);
    return SIZE_CONFIG;
}

/* Answer config. */
struct config_reply {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t config_reply_read(
    struct config_reply *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t config_reply_write(const struct config_reply *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Measure the current of every light alone, look for stuck buttons and cells; ends with event self_tested. */
struct self_test {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t self_test_read(
    struct self_test *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t self_test_write(const struct self_test *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Answer self_test. */
struct self_test_reply {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t self_test_reply_read(
    struct self_test_reply *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t self_test_reply_write(const struct self_test_reply *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Prepare the colors of some lights; nothing changes before lights_show. */
struct lights_set {
    uint8_t first; /* index of the first light */
    const uint8_t *rgb; uint8_t rgb_count; /* red, green, blue of each light */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t lights_set_read(
    struct lights_set *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_LIGHTS_SET) return REFUSAL_LENGTH;
    m->first = *(p + 0);
    if (m->first > 51) return REFUSAL_RANGE;
    m->rgb = p + 1;
    m->rgb_count = (uint8_t)(length - 1);
    if (m->rgb_count > 156 || m->rgb_count % 3 != 0)
        return REFUSAL_LENGTH;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t lights_set_write(const struct lights_set *m, uint8_t *p) {
    p[0] = (uint8_t)(m->first);
    memcpy(p + 1, m->rgb, m->rgb_count);
    return (uint8_t)(SIZE_LIGHTS_SET - 3 + m->rgb_count);
}

/* Answer lights_set. */
struct lights_set_reply {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t lights_set_reply_read(
    struct lights_set_reply *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t lights_set_reply_write(const struct lights_set_reply *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Prepare one running light between two lights along the points; the bar and trays are their ends. */
struct chase_set {
    uint8_t slot; /* which chase */
    uint8_t origin; /* light where it starts */
    uint8_t target; /* light where it ends */
    uint8_t red; /* 0 to 255 */
    uint8_t green; /* 0 to 255 */
    uint8_t blue; /* 0 to 255 */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t chase_set_read(
    struct chase_set *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_CHASE_SET) return REFUSAL_LENGTH;
    m->slot = *(p + 0);
    if (m->slot > 3) return REFUSAL_RANGE;
    m->origin = *(p + 1);
    if (m->origin > 35) return REFUSAL_RANGE;
    m->target = *(p + 2);
    if (m->target > 35) return REFUSAL_RANGE;
    m->red = *(p + 3);
    m->green = *(p + 4);
    m->blue = *(p + 5);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t chase_set_write(const struct chase_set *m, uint8_t *p) {
    p[0] = (uint8_t)(m->slot);
    p[1] = (uint8_t)(m->origin);
    p[2] = (uint8_t)(m->target);
    p[3] = (uint8_t)(m->red);
    p[4] = (uint8_t)(m->green);
    p[5] = (uint8_t)(m->blue);
    return SIZE_CHASE_SET;
}

/* Answer chase_set. */
struct chase_set_reply {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t chase_set_reply_read(
    struct chase_set_reply *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t chase_set_reply_write(const struct chase_set_reply *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Show what was prepared, all at once. */
struct lights_show {
    uint16_t generation; /* comes back in state */
    uint8_t blink[7]; /* bit n of byte n / 8: light n blinks */
    uint16_t blink_ms; /* one period: half on, half off, ms */
    uint8_t chases; /* bit n: chase slot n runs */
    uint16_t step_ms; /* time per step of a chase, ms */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t lights_show_read(
    struct lights_show *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_LIGHTS_SHOW) return REFUSAL_LENGTH;
    m->generation = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    for (uint8_t i = 0; i < 7; i++) {
        m->blink[i] = *(p + 2 + 1 * i);
    }
    m->blink_ms = (uint16_t)((uint16_t)((p + 9)[0]) << 0 | (uint16_t)((p + 9)[1]) << 8);
    if (m->blink_ms < 100 || m->blink_ms > 5000) return REFUSAL_RANGE;
    m->chases = *(p + 11);
    if (m->chases > 15) return REFUSAL_RANGE;
    m->step_ms = (uint16_t)((uint16_t)((p + 12)[0]) << 0 | (uint16_t)((p + 12)[1]) << 8);
    if (m->step_ms < 20 || m->step_ms > 1000) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t lights_show_write(const struct lights_show *m, uint8_t *p) {
    p[0] = (uint8_t)(m->generation);
    p[1] = (uint8_t)(m->generation >> 8);
    for (uint8_t i = 0; i < 7; i++) {
        p[2 + 1 * i + 0] = (uint8_t)(m->blink[i]);
    }
    p[9] = (uint8_t)(m->blink_ms);
    p[10] = (uint8_t)(m->blink_ms >> 8);
    p[11] = (uint8_t)(m->chases);
    p[12] = (uint8_t)(m->step_ms);
    p[13] = (uint8_t)(m->step_ms >> 8);
    return SIZE_LIGHTS_SHOW;
}

/* Answer lights_show. */
struct lights_show_reply {
    uint16_t generation; /* of the request */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t lights_show_reply_read(
    struct lights_show_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_LIGHTS_SHOW_REPLY) return REFUSAL_LENGTH;
    m->generation = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t lights_show_reply_write(const struct lights_show_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->generation);
    p[1] = (uint8_t)(m->generation >> 8);
    return SIZE_LIGHTS_SHOW_REPLY;
}

/* Show dice at once, without a roll; four zeros put them out. */
struct dice_show {
    uint32_t roll_id; /* of the roll; 0 for none */
    uint8_t dice[4]; /* White's two dice, Black's two; 0 dark */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t dice_show_read(
    struct dice_show *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_DICE_SHOW) return REFUSAL_LENGTH;
    m->roll_id = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    for (uint8_t i = 0; i < 4; i++) {
        m->dice[i] = *(p + 4 + 1 * i);
        if (m->dice[i] > 6) return REFUSAL_RANGE;
    }
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t dice_show_write(const struct dice_show *m, uint8_t *p) {
    p[0] = (uint8_t)(m->roll_id);
    p[1] = (uint8_t)(m->roll_id >> 8);
    p[2] = (uint8_t)(m->roll_id >> 16);
    p[3] = (uint8_t)(m->roll_id >> 24);
    for (uint8_t i = 0; i < 4; i++) {
        p[4 + 1 * i + 0] = (uint8_t)(m->dice[i]);
    }
    return SIZE_DICE_SHOW;
}

/* Answer dice_show. */
struct dice_show_reply {
    uint32_t roll_id; /* of the dice now shown */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t dice_show_reply_read(
    struct dice_show_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_DICE_SHOW_REPLY) return REFUSAL_LENGTH;
    m->roll_id = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t dice_show_reply_write(const struct dice_show_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->roll_id);
    p[1] = (uint8_t)(m->roll_id >> 8);
    p[2] = (uint8_t)(m->roll_id >> 16);
    p[3] = (uint8_t)(m->roll_id >> 24);
    return SIZE_DICE_SHOW_REPLY;
}

/* Tumble the dice that have a value and end on it, with event rolled; a roll_id known changes nothing. */
struct dice_roll {
    uint32_t roll_id; /* of the roll */
    uint8_t dice[4]; /* White's two dice, Black's two; 0 stays dark */
    uint16_t duration_ms; /* how long they tumble, ms */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t dice_roll_read(
    struct dice_roll *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_DICE_ROLL) return REFUSAL_LENGTH;
    m->roll_id = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    if (m->roll_id < 1) return REFUSAL_RANGE;
    for (uint8_t i = 0; i < 4; i++) {
        m->dice[i] = *(p + 4 + 1 * i);
        if (m->dice[i] > 6) return REFUSAL_RANGE;
    }
    m->duration_ms = (uint16_t)((uint16_t)((p + 8)[0]) << 0 | (uint16_t)((p + 8)[1]) << 8);
    if (m->duration_ms > 3000) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t dice_roll_write(const struct dice_roll *m, uint8_t *p) {
    p[0] = (uint8_t)(m->roll_id);
    p[1] = (uint8_t)(m->roll_id >> 8);
    p[2] = (uint8_t)(m->roll_id >> 16);
    p[3] = (uint8_t)(m->roll_id >> 24);
    for (uint8_t i = 0; i < 4; i++) {
        p[4 + 1 * i + 0] = (uint8_t)(m->dice[i]);
    }
    p[8] = (uint8_t)(m->duration_ms);
    p[9] = (uint8_t)(m->duration_ms >> 8);
    return SIZE_DICE_ROLL;
}

/* Answer dice_roll. */
struct dice_roll_reply {
    uint32_t roll_id; /* of the dice now tumbling or shown */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t dice_roll_reply_read(
    struct dice_roll_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_DICE_ROLL_REPLY) return REFUSAL_LENGTH;
    m->roll_id = (uint32_t)((uint32_t)((p + 0)[0]) << 0 | (uint32_t)((p + 0)[1]) << 8 | (uint32_t)((p + 0)[2]) << 16 | (uint32_t)((p + 0)[3]) << 24);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t dice_roll_reply_write(const struct dice_roll_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->roll_id);
    p[1] = (uint8_t)(m->roll_id >> 8);
    p[2] = (uint8_t)(m->roll_id >> 16);
    p[3] = (uint8_t)(m->roll_id >> 24);
    return SIZE_DICE_ROLL_REPLY;
}

/* Read every cell. */
struct snapshot {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t snapshot_read(
    struct snapshot *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t snapshot_write(const struct snapshot *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Answer snapshot. */
struct snapshot_reply {
    uint16_t changes; /* cell changes since the reset, modulo 65536 */
    uint8_t cells[48]; /* two bits per cell of table cell, cell 0 in the lowest bits of byte 0 */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t snapshot_reply_read(
    struct snapshot_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_SNAPSHOT_REPLY) return REFUSAL_LENGTH;
    m->changes = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    for (uint8_t i = 0; i < 48; i++) {
        m->cells[i] = *(p + 2 + 1 * i);
    }
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t snapshot_reply_write(const struct snapshot_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->changes);
    p[1] = (uint8_t)(m->changes >> 8);
    for (uint8_t i = 0; i < 48; i++) {
        p[2 + 1 * i + 0] = (uint8_t)(m->cells[i]);
    }
    return SIZE_SNAPSHOT_REPLY;
}

/* Read the voltages of one mux, for the calibration page. */
struct raw {
    uint8_t mux; /* cells mux x 16 to mux x 16 + 15 */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t raw_read(
    struct raw *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_RAW) return REFUSAL_LENGTH;
    m->mux = *(p + 0);
    if (m->mux > 11) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t raw_write(const struct raw *m, uint8_t *p) {
    p[0] = (uint8_t)(m->mux);
    return SIZE_RAW;
}

/* Answer raw. */
struct raw_reply {
    uint8_t mux; /* of the request */
    uint16_t counts[16]; /* newest conversion, 1023 is the supply */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t raw_reply_read(
    struct raw_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_RAW_REPLY) return REFUSAL_LENGTH;
    m->mux = *(p + 0);
    if (m->mux > 11) return REFUSAL_RANGE;
    for (uint8_t i = 0; i < 16; i++) {
        m->counts[i] = (uint16_t)((uint16_t)((p + 1 + 2 * i)[0]) << 0 | (uint16_t)((p + 1 + 2 * i)[1]) << 8);
        if (m->counts[i] > 1023) return REFUSAL_RANGE;
    }
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t raw_reply_write(const struct raw_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->mux);
    for (uint8_t i = 0; i < 16; i++) {
        p[1 + 2 * i + 0] = (uint8_t)(m->counts[i]);
        p[1 + 2 * i + 1] = (uint8_t)(m->counts[i] >> 8);
    }
    return SIZE_RAW_REPLY;
}

/* Read the calibrated empty voltages of one mux. */
struct baselines {
    uint8_t mux; /* cells mux x 16 to mux x 16 + 15 */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t baselines_read(
    struct baselines *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_BASELINES) return REFUSAL_LENGTH;
    m->mux = *(p + 0);
    if (m->mux > 11) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t baselines_write(const struct baselines *m, uint8_t *p) {
    p[0] = (uint8_t)(m->mux);
    return SIZE_BASELINES;
}

/* Answer baselines. */
struct baselines_reply {
    uint8_t mux; /* of the request */
    uint16_t counts[16]; /* empty voltage of each cell */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t baselines_reply_read(
    struct baselines_reply *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_BASELINES_REPLY) return REFUSAL_LENGTH;
    m->mux = *(p + 0);
    if (m->mux > 11) return REFUSAL_RANGE;
    for (uint8_t i = 0; i < 16; i++) {
        m->counts[i] = (uint16_t)((uint16_t)((p + 1 + 2 * i)[0]) << 0 | (uint16_t)((p + 1 + 2 * i)[1]) << 8);
        if (m->counts[i] > 1023) return REFUSAL_RANGE;
    }
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t baselines_reply_write(const struct baselines_reply *m, uint8_t *p) {
    p[0] = (uint8_t)(m->mux);
    for (uint8_t i = 0; i < 16; i++) {
        p[1 + 2 * i + 0] = (uint8_t)(m->counts[i]);
        p[1 + 2 * i + 1] = (uint8_t)(m->counts[i] >> 8);
    }
    return SIZE_BASELINES_REPLY;
}

/* Learn the empty voltage of every cell of an empty board and keep it; ends with event calibrated. */
struct calibrate {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t calibrate_read(
    struct calibrate *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t calibrate_write(const struct calibrate *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Answer calibrate. */
struct calibrate_reply {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t calibrate_reply_read(
    struct calibrate_reply *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t calibrate_reply_write(const struct calibrate_reply *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Play a pattern; silent mode ignores it. */
struct buzz {
    uint8_t pattern; /* which */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t buzz_read(
    struct buzz *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_BUZZ) return REFUSAL_LENGTH;
    m->pattern = *(p + 0);
    if (m->pattern > 4) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t buzz_write(const struct buzz *m, uint8_t *p) {
    p[0] = (uint8_t)(m->pattern);
    return SIZE_BUZZ;
}

/* Answer buzz. */
struct buzz_reply {
    uint8_t unused;
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t buzz_reply_read(
    struct buzz_reply *m, const uint8_t *p, uint8_t length) {
    (void)p;
    (void)length;
    m->unused = 0;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t buzz_reply_write(const struct buzz_reply *m, uint8_t *p) {
    (void)m;
    (void)p;
    return 0;
}

/* Confirm all events up to a number; gets no reply. */
struct events_ack {
    uint16_t boot; /* low half of the boot id the events belong to */
    uint16_t number; /* of the newest event taken in order */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t events_ack_read(
    struct events_ack *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_EVENTS_ACK) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t events_ack_write(const struct events_ack *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    return SIZE_EVENTS_ACK;
}

/* The board has started; always event 0. */
struct booted {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint32_t boot_id; /* differs after every reset */
    uint8_t reset_cause; /* why */
    uint8_t calibration; /* what was found in EEPROM */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t booted_read(
    struct booted *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_BOOTED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->boot_id = (uint32_t)((uint32_t)((p + 8)[0]) << 0 | (uint32_t)((p + 8)[1]) << 8 | (uint32_t)((p + 8)[2]) << 16 | (uint32_t)((p + 8)[3]) << 24);
    m->reset_cause = *(p + 12);
    if (m->reset_cause > 4) return REFUSAL_RANGE;
    m->calibration = *(p + 13);
    if (m->calibration > 2) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t booted_write(const struct booted *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->boot_id);
    p[9] = (uint8_t)(m->boot_id >> 8);
    p[10] = (uint8_t)(m->boot_id >> 16);
    p[11] = (uint8_t)(m->boot_id >> 24);
    p[12] = (uint8_t)(m->reset_cause);
    p[13] = (uint8_t)(m->calibration);
    return SIZE_BOOTED;
}

/* A button was pressed or let go; at_us is the first edge of the bounce. */
struct button_changed {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint8_t button; /* which */
    uint8_t edge; /* what happened */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t button_changed_read(
    struct button_changed *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_BUTTON_CHANGED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->button = *(p + 8);
    if (m->button > 5) return REFUSAL_RANGE;
    m->edge = *(p + 9);
    if (m->edge > 1) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t button_changed_write(const struct button_changed *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->button);
    p[9] = (uint8_t)(m->edge);
    return SIZE_BUTTON_CHANGED;
}

/* A cell settled on something else; a trigger, the snapshot is the truth. */
struct cell_changed {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint8_t index; /* mux x 16 + channel */
    uint8_t before; /* what it was */
    uint8_t after; /* what it is */
    uint16_t changes; /* the counter of snapshot after this change */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t cell_changed_read(
    struct cell_changed *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_CELL_CHANGED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->index = *(p + 8);
    if (m->index > 191) return REFUSAL_RANGE;
    m->before = *(p + 9);
    if (m->before > 3) return REFUSAL_RANGE;
    m->after = *(p + 10);
    if (m->after > 3) return REFUSAL_RANGE;
    m->changes = (uint16_t)((uint16_t)((p + 11)[0]) << 0 | (uint16_t)((p + 11)[1]) << 8);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t cell_changed_write(const struct cell_changed *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->index);
    p[9] = (uint8_t)(m->before);
    p[10] = (uint8_t)(m->after);
    p[11] = (uint8_t)(m->changes);
    p[12] = (uint8_t)(m->changes >> 8);
    return SIZE_CELL_CHANGED;
}

/* The dice have come to rest. */
struct rolled {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint32_t roll_id; /* of the roll */
    uint8_t dice[4]; /* as shown */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t rolled_read(
    struct rolled *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_ROLLED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->roll_id = (uint32_t)((uint32_t)((p + 8)[0]) << 0 | (uint32_t)((p + 8)[1]) << 8 | (uint32_t)((p + 8)[2]) << 16 | (uint32_t)((p + 8)[3]) << 24);
    for (uint8_t i = 0; i < 4; i++) {
        m->dice[i] = *(p + 12 + 1 * i);
        if (m->dice[i] > 6) return REFUSAL_RANGE;
    }
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t rolled_write(const struct rolled *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->roll_id);
    p[9] = (uint8_t)(m->roll_id >> 8);
    p[10] = (uint8_t)(m->roll_id >> 16);
    p[11] = (uint8_t)(m->roll_id >> 24);
    for (uint8_t i = 0; i < 4; i++) {
        p[12 + 1 * i + 0] = (uint8_t)(m->dice[i]);
    }
    return SIZE_ROLLED;
}

/* Something is broken, or works again. */
struct fault_changed {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint8_t fault; /* what */
    uint8_t index; /* of the part, see table fault */
    uint8_t active; /* 1 broken, 0 works again */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t fault_changed_read(
    struct fault_changed *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_FAULT_CHANGED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->fault = *(p + 8);
    if (m->fault < 1 || m->fault > 7) return REFUSAL_RANGE;
    m->index = *(p + 9);
    m->active = *(p + 10);
    if (m->active > 1) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t fault_changed_write(const struct fault_changed *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->fault);
    p[9] = (uint8_t)(m->index);
    p[10] = (uint8_t)(m->active);
    return SIZE_FAULT_CHANGED;
}

/* Events found no room and are gone; read snapshot and state. */
struct overflow {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint16_t presses; /* button events lost */
    uint16_t others; /* other events lost */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t overflow_read(
    struct overflow *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_OVERFLOW) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->presses = (uint16_t)((uint16_t)((p + 8)[0]) << 0 | (uint16_t)((p + 8)[1]) << 8);
    m->others = (uint16_t)((uint16_t)((p + 10)[0]) << 0 | (uint16_t)((p + 10)[1]) << 8);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t overflow_write(const struct overflow *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->presses);
    p[9] = (uint8_t)(m->presses >> 8);
    p[10] = (uint8_t)(m->others);
    p[11] = (uint8_t)(m->others >> 8);
    return SIZE_OVERFLOW;
}

/* Calibration ended and both copies are in EEPROM. */
struct calibrated {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint8_t good; /* cells learned */
    uint8_t bad; /* cells that did not read empty; each has a fault event */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t calibrated_read(
    struct calibrated *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_CALIBRATED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->good = *(p + 8);
    m->bad = *(p + 9);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t calibrated_write(const struct calibrated *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->good);
    p[9] = (uint8_t)(m->bad);
    return SIZE_CALIBRATED;
}

/* The self-test ended; what it found came before as fault events. */
struct self_tested {
    uint16_t boot; /* low half of the boot id */
    uint16_t number; /* 0 after a reset, one more each */
    uint32_t at_us; /* board time, us */
    uint8_t measured; /* 1 when the current of the lights could be measured */
    uint8_t dark; /* lights that drew no current */
    uint8_t stuck; /* buttons held down */
    uint8_t cells; /* cells with a fault */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t self_tested_read(
    struct self_tested *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_SELF_TESTED) return REFUSAL_LENGTH;
    m->boot = (uint16_t)((uint16_t)((p + 0)[0]) << 0 | (uint16_t)((p + 0)[1]) << 8);
    m->number = (uint16_t)((uint16_t)((p + 2)[0]) << 0 | (uint16_t)((p + 2)[1]) << 8);
    m->at_us = (uint32_t)((uint32_t)((p + 4)[0]) << 0 | (uint32_t)((p + 4)[1]) << 8 | (uint32_t)((p + 4)[2]) << 16 | (uint32_t)((p + 4)[3]) << 24);
    m->measured = *(p + 8);
    if (m->measured > 1) return REFUSAL_RANGE;
    m->dark = *(p + 9);
    m->stuck = *(p + 10);
    m->cells = *(p + 11);
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t self_tested_write(const struct self_tested *m, uint8_t *p) {
    p[0] = (uint8_t)(m->boot);
    p[1] = (uint8_t)(m->boot >> 8);
    p[2] = (uint8_t)(m->number);
    p[3] = (uint8_t)(m->number >> 8);
    p[4] = (uint8_t)(m->at_us);
    p[5] = (uint8_t)(m->at_us >> 8);
    p[6] = (uint8_t)(m->at_us >> 16);
    p[7] = (uint8_t)(m->at_us >> 24);
    p[8] = (uint8_t)(m->measured);
    p[9] = (uint8_t)(m->dark);
    p[10] = (uint8_t)(m->stuck);
    p[11] = (uint8_t)(m->cells);
    return SIZE_SELF_TESTED;
}

/* The request was not carried out. */
struct refused {
    uint8_t kind; /* of the request */
    uint8_t reason; /* why */
};

/* Returns 0, or why the payload is refused; a tail keeps pointing into the payload. */
static inline uint8_t refused_read(
    struct refused *m, const uint8_t *p, uint8_t length) {
    if (length < SIZE_REFUSED) return REFUSAL_LENGTH;
    m->kind = *(p + 0);
    m->reason = *(p + 1);
    if (m->reason < 1 || m->reason > 7) return REFUSAL_RANGE;
    return 0;
}

/* Returns the length of the payload. */
static inline uint8_t refused_write(const struct refused *m, uint8_t *p) {
    p[0] = (uint8_t)(m->kind);
    p[1] = (uint8_t)(m->reason);
    return SIZE_REFUSED;
}

#endif
