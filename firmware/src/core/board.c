#include "board.h"

#include "../hal.h"

void board_init(struct board *b, uint32_t now_us) {
    memset(b, 0, sizeof *b);
    b->boot_id = store_count_boot();
    b->calibration = CALIBRATION_NONE;
    events_init(&b->events, (uint16_t)b->boot_id);
    lights_init(&b->lights, now_us);
    dice_init(&b->dice);
#if TARGET_SENSORS
    sensors_init(&b->sensors);
    b->calibration = store_load(&b->store, b->sensors.baseline);
#endif
    struct contacts contacts;
    hal_contacts(&contacts);
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        contact_init(&b->contacts[i], contacts.level >> i & 1u, now_us);
    }
    b->heard_us = now_us;
    b->loop_us = now_us;
    uint8_t data[6] = {
        (uint8_t)b->boot_id,         (uint8_t)(b->boot_id >> 8), (uint8_t)(b->boot_id >> 16),
        (uint8_t)(b->boot_id >> 24), hal_reset_cause(),          b->calibration,
    };
    events_add(&b->events, KIND_BOOTED, now_us, data, sizeof data);
}

static void keep_time(struct board *b, uint32_t now_us) {
    bool started = b->uptime_ms != 0 || b->uptime_rest_us != 0; /* the first turn measures board_init */
    uint32_t turn_us = now_us - b->loop_us;
    b->loop_us = now_us;
    if (started && turn_us > b->counters.loop_us) {
        b->counters.loop_us = (uint16_t)(turn_us > UINT16_MAX ? UINT16_MAX : turn_us);
    }
    uint32_t rest_us = b->uptime_rest_us + turn_us;
    while (rest_us >= 1000u) {
        rest_us -= 1000u;
        b->uptime_ms++;
    }
    b->uptime_rest_us = (uint16_t)rest_us;
}

static void heard(struct board *b, uint32_t now_us) {
    b->heard_us = now_us;
    if (b->link_lost) {
        b->link_lost = false;
        lights_link(&b->lights, false, now_us);
    }
}

static bool is_repeat(const struct reply *reply, const struct frame *frame) {
    return reply->repeatable && reply->seq == frame->seq && reply->request_kind == frame->kind &&
           reply->request_crc == frame->crc;
}

static void take_frame(struct board *b, const struct frame *frame, uint32_t now_us) {
    heard(b, now_us);
    if (frame->kind == KIND_EVENTS_ACK) {
        struct events_ack ack;
        if (events_ack_read(&ack, frame->payload, frame->length) == 0) {
            events_acknowledge(&b->events, ack.boot, ack.number);
        }
        return;
    }
    if (is_repeat(&b->reply, frame)) {
        count_up(&b->counters.repeated);
        b->reply.due = true;
        return;
    }
    board_request(b, frame, now_us);
    b->reply.seq = frame->seq;
    b->reply.request_kind = frame->kind;
    b->reply.request_crc = frame->crc;
    b->reply.repeatable = frame->kind != KIND_HELLO;
    b->reply.due = true;
}

static void send_reply(struct board *b) {
    if (!b->reply.due || hal_send_room() < FRAME_SENT) return;
    uint8_t out[FRAME_SENT];
    hal_send(out, frame_write(b->reply.kind, b->reply.seq, b->reply.payload, b->reply.length, out));
    b->reply.due = false;
}

/* Reads until a reply waits to be sent: the next request stays in the ring until there is room. */
static void receive(struct board *b, uint32_t now_us) {
    uint8_t byte;
    struct frame frame;
    while (!b->reply.due && hal_receive(&byte)) {
        if (receiver_take(&b->receiver, byte, &frame)) take_frame(b, &frame, now_us);
    }
}

static void watch_link(struct board *b, uint32_t now_us) {
    if (b->link_lost || now_us - b->heard_us < PROTOCOL_LINK_LOST_MS * 1000UL) return;
    b->link_lost = true;
    count_up(&b->counters.links_lost);
    lights_link(&b->lights, true, now_us);
}

static void press_event(struct board *b, uint8_t button, uint8_t edge, uint32_t at_us) {
    uint8_t data[2] = {button, edge};
    events_add(&b->events, KIND_BUTTON_CHANGED, at_us, data, sizeof data);
}

static void watch_buttons(struct board *b, uint32_t now_us) {
    struct contacts contacts;
    hal_contacts(&contacts);
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        struct contact *contact = &b->contacts[i];
        bool closed = contacts.level >> i & 1u;
        bool edge = contacts.edges >> i & 1u;
        switch (contact_step(contact, closed, edge, contacts.first_edge_us[i], now_us)) {
            case CONTACT_PRESSED: press_event(b, i, EDGE_PRESSED, contact->first_us); break;
            case CONTACT_RELEASED: press_event(b, i, EDGE_RELEASED, contact->first_us); break;
            case CONTACT_STUCK: fault_event(&b->events, FAULT_BUTTON_STUCK, i, true, now_us); break;
            case CONTACT_FREED: fault_event(&b->events, FAULT_BUTTON_STUCK, i, false, now_us); break;
            case CONTACT_SAME: break;
        }
    }
}

static void finish_selftest(struct board *b, uint32_t now_us) {
    uint8_t measured = selftest_report(&b->selftest, &b->events, now_us);
    uint8_t stuck = 0;
    uint8_t cells = 0;
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        if (!b->contacts[i].pressed) continue;
        stuck++;
        fault_event(&b->events, FAULT_BUTTON_STUCK, i, true, now_us);
    }
#if TARGET_SENSORS
    for (uint8_t i = 0; i < CELL_COUNT; i++) {
        if (b->sensors.enabled && sensors_cell(&b->sensors, i) == CELL_FAULT) {
            cells++;
            sensors_tell_fault(&b->sensors, &b->events, i, now_us);
        }
    }
#endif
    uint8_t data[4] = {measured, measured ? b->selftest.dark_total : 0, stuck, cells};
    events_add(&b->events, KIND_SELF_TESTED, now_us, data, sizeof data);
}

static void rolled_event(struct board *b, uint32_t now_us) {
    uint8_t data[4 + DIE_COUNT];
    for (uint8_t i = 0; i < 4; i++) data[i] = (uint8_t)(b->dice.roll_id >> 8 * i);
    memcpy(data + 4, b->dice.values, DIE_COUNT);
    events_add(&b->events, KIND_ROLLED, now_us, data, sizeof data);
}

#if TARGET_SENSORS
static void watch_cells(struct board *b, uint32_t now_us) {
    sensors_step(&b->sensors, &b->events, now_us);
    if (b->sensors.calibrating == CALIBRATING_DONE && !b->store.saving) {
        b->sensors.calibrating = CALIBRATING_SAVING;
        store_save(&b->store, b->sensors.baseline);
    }
    if (!store_step(&b->store, b->sensors.baseline)) return;
    for (uint8_t copy = 0; copy < STORE_COPIES; copy++) {
        if (b->store.failed >> copy & 1u) fault_event(&b->events, FAULT_EEPROM_FAILED, copy, true, now_us);
    }
    if (b->sensors.calibrating != CALIBRATING_SAVING) return; /* a damaged copy was mended */
    b->sensors.calibrating = CALIBRATING_NOT;
    b->calibration = CALIBRATION_VALID;
    uint8_t data[2] = {b->sensors.good, b->sensors.bad};
    events_add(&b->events, KIND_CALIBRATED, now_us, data, sizeof data);
}
#endif

void board_step(struct board *b, uint32_t now_us) {
    keep_time(b, now_us);
    send_reply(b);
    receive(b, now_us);
    send_reply(b);
    watch_link(b, now_us);
    watch_buttons(b, now_us);
#if TARGET_SENSORS
    watch_cells(b, now_us);
#endif
    if (dice_step(&b->dice, now_us)) rolled_event(b, now_us);
    buzzer_step(&b->buzzer, now_us);
    if (selftest_step(&b->selftest, &b->lights)) finish_selftest(b, now_us);
    lights_step(&b->lights, now_us);
    events_send(&b->events, now_us, b->link_lost);
}
