#include "events.h"

#include "../hal.h"
#include "frame.h"

#define SLOW_RESEND_US 500000UL /* while nobody listens */

void events_init(struct events *events, uint16_t boot) {
    memset(events, 0, sizeof *events);
    events->boot = boot;
}

static void append(struct events *events, uint8_t kind, uint32_t at_us, const uint8_t *data, uint8_t length) {
    BOARD_ASSERT(length <= EVENT_DATA && events->count < EVENT_DEPTH);
    struct event *event = &events->ring[(uint8_t)(events->first + events->count) % EVENT_DEPTH];
    event->kind = kind;
    event->length = length;
    event->at_us = at_us;
    memcpy(event->data, data, length);
    events->count++;
    events->made++;
}

static void tell_overflow(struct events *events, uint32_t at_us) {
    uint8_t data[4] = {
        (uint8_t)events->lost_presses, (uint8_t)(events->lost_presses >> 8),
        (uint8_t)events->lost_others, (uint8_t)(events->lost_others >> 8),
    };
    append(events, KIND_OVERFLOW, at_us, data, sizeof data);
    events->lost_presses = 0;
    events->lost_others = 0;
}

void events_add(struct events *events, uint8_t kind, uint32_t at_us, const uint8_t *data, uint8_t length) {
    bool press = kind == KIND_BUTTON_CHANGED;
    bool overflowed = events->lost_presses != 0 || events->lost_others != 0;
    uint8_t needed = (uint8_t)(1 + (overflowed ? 1 : 0) + (press ? 0 : EVENT_RESERVED));
    if (EVENT_DEPTH - events->count < needed) {
        count_up(press ? &events->lost_presses : &events->lost_others);
        count_up(&events->lost_total);
        return;
    }
    if (overflowed) tell_overflow(events, at_us);
    append(events, kind, at_us, data, length);
}

void fault_event(struct events *events, uint8_t fault, uint8_t index, bool active, uint32_t now_us) {
    uint8_t data[3] = {fault, index, active};
    events_add(events, KIND_FAULT_CHANGED, now_us, data, sizeof data);
}

void events_acknowledge(struct events *events, uint16_t boot, uint16_t number) {
    if (boot != events->boot) return;
    uint16_t done = (uint16_t)(number - events->oldest_number + 1);
    if (done == 0 || done > events->count) return; /* an old acknowledgement, or one of events we never made */
    events->first = (uint8_t)((events->first + done) % EVENT_DEPTH);
    events->count = (uint8_t)(events->count - done);
    events->oldest_number = (uint16_t)(events->oldest_number + done);
    events->sent = events->sent > done ? (uint8_t)(events->sent - done) : 0;
    events->again = events->again > done ? (uint8_t)(events->again - done) : 0;
}

static void send_one(struct events *events, uint8_t index) {
    const struct event *event = &events->ring[(uint8_t)(events->first + index) % EVENT_DEPTH];
    uint16_t number = (uint16_t)(events->oldest_number + index);
    uint8_t payload[EVENT_HEADER + EVENT_DATA];
    payload[0] = (uint8_t)events->boot;
    payload[1] = (uint8_t)(events->boot >> 8);
    payload[2] = (uint8_t)number;
    payload[3] = (uint8_t)(number >> 8);
    for (uint8_t i = 0; i < 4; i++) payload[4 + i] = (uint8_t)(event->at_us >> 8 * i);
    memcpy(payload + EVENT_HEADER, event->data, event->length);
    uint8_t out[FRAME_SENT];
    uint8_t length =
        frame_write(event->kind, (uint8_t)number, payload, (uint8_t)(EVENT_HEADER + event->length), out);
    hal_send(out, length);
}

void events_send(struct events *events, uint32_t now_us, bool link_lost) {
    if (events->count == 0) {
        if (events->lost_presses != 0 || events->lost_others != 0) tell_overflow(events, now_us);
        return;
    }
    uint32_t patience_us = link_lost ? SLOW_RESEND_US : PROTOCOL_EVENT_RESEND_MS * 1000UL;
    if (events->sent != 0 && now_us - events->sent_us >= patience_us) {
        events->again = events->sent > events->again ? events->sent : events->again;
        events->sent = 0;
    }
    while (events->sent < events->count && events->sent < PROTOCOL_EVENT_WINDOW) {
        if (hal_send_room() < FRAME_SENT) return;
        if (events->sent < events->again) count_up(&events->resent_total);
        send_one(events, events->sent++);
        events->sent_us = now_us;
    }
}
