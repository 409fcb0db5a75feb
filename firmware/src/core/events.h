/* Events: kept in order until the host has acknowledged them, and sent again until then. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

#define EVENT_HEADER 8
#define EVENT_DATA 8 /* most bytes an event has behind its header */

struct event {
    uint8_t kind;
    uint8_t length; /* bytes of data used */
    uint32_t at_us;
    uint8_t data[EVENT_DATA];
};

struct events {
    struct event ring[EVENT_DEPTH];
    uint8_t first; /* slot of the oldest */
    uint8_t count;
    uint8_t sent;            /* of the oldest, how many are in flight */
    uint16_t oldest_number;
    uint16_t boot;
    uint32_t sent_us; /* when the last one left */
    uint16_t lost_presses;
    uint16_t lost_others;
    uint32_t made;
    uint16_t lost_total;
    uint16_t resent_total;
    uint8_t again; /* how many of those in flight next have been sent before */
};

void events_init(struct events *events, uint16_t boot);

/* Adds an event; when there is no room it is counted, and an overflow event tells later. */
void events_add(struct events *events, uint8_t kind, uint32_t at_us, const uint8_t *data, uint8_t length);

/* Adds a fault event. */
void fault_event(struct events *events, uint8_t fault, uint8_t index, bool active, uint32_t now_us);

/* Takes the host's acknowledgement of all events up to `number`. */
void events_acknowledge(struct events *events, uint16_t boot, uint16_t number);

/* Sends what is due, as far as the wire takes it. */
void events_send(struct events *events, uint32_t now_us, bool link_lost);

#endif
