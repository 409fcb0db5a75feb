/* Buttons: one event per press and release, however much the contact bounces; timed by the first edge. */
#ifndef BUTTONS_H
#define BUTTONS_H

#include <stdbool.h>
#include <stdint.h>

#include "../hal.h"

#define DEBOUNCE_US 5000UL      /* a contact counts once it was quiet for so long */
#define HOLD_OFF_US 20000UL     /* after an event a contact is not looked at: nobody presses that fast */
#define STUCK_US 10000000UL     /* held longer than anybody holds a button */

struct contact {
    uint32_t first_us; /* first edge of the bounce under way */
    uint32_t quiet_us; /* last edge seen */
    uint32_t event_us; /* when the last event was made */
    bool pressed : 1;
    bool raw : 1;
    bool moving : 1;
    bool holding_off : 1;
    bool stuck : 1;
};

/* What one contact did. */
enum contact_change { CONTACT_SAME, CONTACT_PRESSED, CONTACT_RELEASED, CONTACT_STUCK, CONTACT_FREED };

/* Begins with the contact as it is, without an event: a reset under a finger is no press. */
void contact_init(struct contact *contact, bool closed, uint32_t now_us);

/* Takes the contact's level, and the time of its first edge since the last call when there was one.
   After CONTACT_PRESSED and CONTACT_RELEASED, first_us holds the instant of the first edge. */
enum contact_change contact_step(
    struct contact *contact, bool closed, bool edge, uint32_t edge_us, uint32_t now_us);

#endif
