/* What each request does. Bad input gets an answer that says why. */
#include "../hal.h"
#include "board.h"

/* Carries out one request: returns 0 with the payload of the reply written, or why it is refused. */
typedef uint8_t handler(struct board *b, const struct frame *frame, uint32_t now_us);

static uint8_t on_hello(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct hello hello;
    uint8_t refusal = hello_read(&hello, f->payload, f->length);
    if (refusal != 0) return refusal;
    b->greeted = hello.major == PROTOCOL_MAJOR;
    b->refused_major = !b->greeted;
    struct hello_reply reply = {
        .major = PROTOCOL_MAJOR,
        .minor = PROTOCOL_MINOR,
        .chip = TARGET_CHIP,
        .parts = TARGET_PARTS,
        .lights = LIGHT_COUNT,
        .cells = TARGET_SENSORS ? CELL_COUNT : 0,
        .buttons = BUTTON_COUNT,
        .max_payload = PROTOCOL_MAX_PAYLOAD,
        .event_depth = EVENT_DEPTH,
        .boot_id = b->boot_id,
        .reset_cause = hal_reset_cause(),
        .calibration = b->calibration,
        .oldest_event = b->events.oldest_number,
        .uptime_ms = b->uptime_ms,
        .build = BUILD_REVISION,
    };
    b->reply.length = hello_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_ping(struct board *b, const struct frame *f, uint32_t now_us) {
    struct ping ping;
    uint8_t refusal = ping_read(&ping, f->payload, f->length);
    if (refusal != 0) return refusal;
    struct ping_reply reply = {.token = ping.token, .at_us = now_us};
    b->reply.length = ping_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_stats(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)f;
    (void)now_us;
    struct receive_losses losses = hal_receive_losses();
    struct stats_reply reply = {
        .executed = b->counters.executed,
        .repeated = b->counters.repeated,
        .refused = b->counters.refused,
        .damaged = b->receiver.damaged_count,
        .overlong = b->receiver.overlong_count,
        .overruns = losses.overruns,
        .ring_full = losses.ring_full,
        .events = b->events.made,
        .events_lost = b->events.lost_total,
        .events_resent = b->events.resent_total,
        .light_frames = b->lights.frames,
#if TARGET_SENSORS
        .passes = b->sensors.passes,
#endif
        .pass_us = hal_pass_us(),
        .loop_us = b->counters.loop_us,
        .links_lost = b->counters.links_lost,
        .stack_free = hal_stack_free(),
    };
    b->reply.length = stats_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_state(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)f;
    (void)now_us;
    struct state_reply reply = {
        .generation = b->lights.show.generation,
        .roll_id = b->dice.roll_id,
        .rolling = b->dice.rolling,
#if TARGET_SENSORS
        .changes = b->sensors.changes,
#endif
        .brightness = b->lights.brightness,
        .limit_ma = b->lights.limit_ma,
        .drawn_ma = b->lights.drawn_ma,
        .silent = b->buzzer.silent,
    };
    memcpy(reply.dice, b->dice.values, DIE_COUNT);
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        if (b->contacts[i].pressed) reply.pressed |= (uint8_t)(1u << i);
    }
    b->reply.length = state_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_config(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct config config;
    uint8_t refusal = config_read(&config, f->payload, f->length);
    if (refusal != 0) return refusal;
    if (config.sensors && !TARGET_SENSORS) return REFUSAL_UNSUPPORTED;
    lights_limit(&b->lights, config.brightness, config.limit_ma);
    buzzer_silence(&b->buzzer, config.silent);
#if TARGET_SENSORS
    sensors_enable(&b->sensors, config.sensors);
#endif
    return 0;
}

static uint8_t on_self_test(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)f;
    (void)now_us;
    if (b->selftest.running) return REFUSAL_BUSY;
    selftest_start(&b->selftest, &b->lights);
    return 0;
}

static uint8_t on_lights_set(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct lights_set set;
    uint8_t refusal = lights_set_read(&set, f->payload, f->length);
    if (refusal != 0) return refusal;
    return lights_set(&b->lights, set.first, set.rgb, set.rgb_count) ? 0 : REFUSAL_RANGE;
}

static uint8_t on_chase_set(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct chase_set set;
    uint8_t refusal = chase_set_read(&set, f->payload, f->length);
    if (refusal != 0) return refusal;
    b->lights.staged_chases[set.slot] =
        (struct chase){.origin = set.origin, .target = set.target, .rgb = {set.red, set.green, set.blue}};
    return 0;
}

static uint8_t on_lights_show(struct board *b, const struct frame *f, uint32_t now_us) {
    struct lights_show message;
    uint8_t refusal = lights_show_read(&message, f->payload, f->length);
    if (refusal != 0) return refusal;
    struct show show = {
        .generation = message.generation,
        .blink_ms = message.blink_ms,
        .chases = message.chases,
        .step_ms = message.step_ms,
    };
    memcpy(show.blink, message.blink, BLINK_BYTES);
    lights_show(&b->lights, &show, now_us);
    struct lights_show_reply reply = {.generation = show.generation};
    b->reply.length = lights_show_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t reply_roll(struct board *b) {
    struct dice_roll_reply reply = {.roll_id = b->dice.roll_id};
    b->reply.length = dice_roll_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_dice_show(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct dice_show message;
    uint8_t refusal = dice_show_read(&message, f->payload, f->length);
    if (refusal != 0) return refusal;
    dice_show(&b->dice, message.roll_id, message.dice);
    return reply_roll(b);
}

static uint8_t on_dice_roll(struct board *b, const struct frame *f, uint32_t now_us) {
    struct dice_roll message;
    uint8_t refusal = dice_roll_read(&message, f->payload, f->length);
    if (refusal != 0) return refusal;
    dice_roll(&b->dice, message.roll_id, message.dice, message.duration_ms, now_us);
    return reply_roll(b);
}

static uint8_t on_buzz(struct board *b, const struct frame *f, uint32_t now_us) {
    struct buzz buzz;
    uint8_t refusal = buzz_read(&buzz, f->payload, f->length);
    if (refusal != 0) return refusal;
    buzzer_play(&b->buzzer, buzz.pattern, now_us);
    return 0;
}

#if TARGET_SENSORS

static uint8_t on_snapshot(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)f;
    (void)now_us;
    struct snapshot_reply reply = {.changes = b->sensors.changes};
    for (uint8_t cell = 0; cell < CELL_COUNT; cell++) {
        reply.cells[cell / 4] |= (uint8_t)(sensors_cell(&b->sensors, cell) << 2 * (cell % 4));
    }
    b->reply.length = snapshot_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_raw(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct raw raw;
    uint8_t refusal = raw_read(&raw, f->payload, f->length);
    if (refusal != 0) return refusal;
    struct raw_reply reply = {.mux = raw.mux};
    for (uint8_t i = 0; i < CELLS_PER_MUX; i++) {
        reply.counts[i] = hal_cell_counts((uint8_t)(raw.mux * CELLS_PER_MUX + i));
    }
    b->reply.length = raw_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_baselines(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)now_us;
    struct baselines message;
    uint8_t refusal = baselines_read(&message, f->payload, f->length);
    if (refusal != 0) return refusal;
    struct baselines_reply reply = {.mux = message.mux};
    memcpy(reply.counts, b->sensors.baseline + message.mux * CELLS_PER_MUX, sizeof reply.counts);
    b->reply.length = baselines_reply_write(&reply, b->reply.payload);
    return 0;
}

static uint8_t on_calibrate(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)f;
    (void)now_us;
    if (b->sensors.calibrating != CALIBRATING_NOT || b->store.saving) return REFUSAL_BUSY;
    sensors_calibrate(&b->sensors);
    return 0;
}

#else

static uint8_t unsupported(struct board *b, const struct frame *f, uint32_t now_us) {
    (void)b;
    (void)f;
    (void)now_us;
    return REFUSAL_UNSUPPORTED;
}
#define on_snapshot unsupported
#define on_raw unsupported
#define on_baselines unsupported
#define on_calibrate unsupported

#endif

static handler *handler_of(uint8_t kind) {
    switch (kind) {
        case KIND_HELLO: return on_hello;
        case KIND_PING: return on_ping;
        case KIND_STATS: return on_stats;
        case KIND_STATE: return on_state;
        case KIND_CONFIG: return on_config;
        case KIND_SELF_TEST: return on_self_test;
        case KIND_LIGHTS_SET: return on_lights_set;
        case KIND_CHASE_SET: return on_chase_set;
        case KIND_LIGHTS_SHOW: return on_lights_show;
        case KIND_DICE_SHOW: return on_dice_show;
        case KIND_DICE_ROLL: return on_dice_roll;
        case KIND_SNAPSHOT: return on_snapshot;
        case KIND_RAW: return on_raw;
        case KIND_BASELINES: return on_baselines;
        case KIND_CALIBRATE: return on_calibrate;
        case KIND_BUZZ: return on_buzz;
        default: return 0;
    }
}

static uint8_t carry_out(struct board *b, const struct frame *frame, uint32_t now_us) {
    handler *handle = handler_of(frame->kind);
    if (handle == 0) return REFUSAL_UNKNOWN;
    if (!b->greeted && frame->kind != KIND_HELLO) return b->refused_major ? REFUSAL_VERSION : REFUSAL_HELLO_FIRST;
    return handle(b, frame, now_us);
}

void board_request(struct board *b, const struct frame *frame, uint32_t now_us) {
    b->reply.length = 0;
    b->reply.kind = frame->kind | 0x80;
    uint8_t refusal = carry_out(b, frame, now_us);
    if (refusal == 0) {
        b->counters.executed++;
        return;
    }
    count_up(&b->counters.refused);
    struct refused refused = {.kind = frame->kind, .reason = refusal};
    b->reply.kind = KIND_REFUSED;
    b->reply.length = refused_write(&refused, b->reply.payload);
}
