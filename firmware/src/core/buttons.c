#include "buttons.h"

void contact_init(struct contact *c, bool closed, uint32_t now_us) {
    c->first_us = now_us;
    c->quiet_us = now_us;
    c->event_us = now_us;
    c->pressed = closed;
    c->raw = closed;
    c->moving = false;
    c->holding_off = false;
    c->stuck = false;
}

static enum contact_change settled(struct contact *c, bool closed, uint32_t now_us) {
    c->moving = false;
    if (closed == c->pressed) return CONTACT_SAME; /* it bounced and came back */
    c->pressed = closed;
    c->holding_off = true;
    c->event_us = now_us;
    return closed ? CONTACT_PRESSED : CONTACT_RELEASED;
}

enum contact_change contact_step(struct contact *c, bool closed, bool edge, uint32_t edge_us, uint32_t now_us) {
    if (c->holding_off) {
        if (now_us - c->event_us < HOLD_OFF_US) return CONTACT_SAME;
        c->holding_off = false;
        c->raw = c->pressed;
        edge = false; /* it belongs to the bounce that was waited out */
    }
    if (edge || closed != c->raw) {
        if (!c->moving) {
            c->moving = true;
            c->first_us = edge ? edge_us : now_us;
            c->quiet_us = c->first_us;
        } else {
            c->quiet_us = now_us;
        }
        c->raw = closed;
    }
    if (c->moving && now_us - c->quiet_us >= DEBOUNCE_US) return settled(c, closed, now_us);
    if (c->pressed && !c->stuck && now_us - c->event_us >= STUCK_US) {
        c->stuck = true;
        return CONTACT_STUCK;
    }
    if (!c->pressed && c->stuck) {
        c->stuck = false;
        return CONTACT_FREED;
    }
    return CONTACT_SAME;
}
