/* The board: requests in, replies and events out, and everything that moves by itself. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"
#include "buttons.h"
#include "buzzer.h"
#include "dice.h"
#include "events.h"
#include "frame.h"
#include "lights.h"
#include "selftest.h"
#include "sensors.h"
#include "store.h"

/* The newest reply, kept so that a repeated request is answered without being carried out again. */
struct reply {
    uint8_t kind;
    uint8_t seq;
    uint8_t length;
    uint8_t payload[PROTOCOL_MAX_REPLY];
    bool due;         /* not sent yet */
    bool repeatable;  /* request_* say what it answers */
    uint8_t request_kind;
    uint16_t request_crc;
};

struct counters {
    uint32_t executed;
    uint16_t repeated;
    uint16_t refused;
    uint16_t links_lost;
    uint16_t loop_us;
};

struct board {
    struct receiver receiver;
    struct reply reply;
    struct events events;
    struct lights lights;
    struct dice dice;
    struct contact contacts[BUTTON_COUNT];
    struct buzzer buzzer;
    struct selftest selftest;
#if TARGET_SENSORS
    struct sensors sensors;
    struct store store;
#endif
    struct counters counters;
    uint32_t boot_id;
    uint8_t calibration;
    bool greeted;       /* a host of our major version has said hello */
    bool refused_major; /* the last one was of another */
    uint32_t heard_us;  /* when the last undamaged frame came */
    bool link_lost;
    uint32_t loop_us; /* when the last turn of the main loop began */
    uint32_t uptime_ms;
    uint16_t uptime_rest_us;
};

/* Starts the board; waits up to 25 ms for the EEPROM, so the watchdog is started afterwards. */
void board_init(struct board *board, uint32_t now_us);

/* One turn of the main loop; `now_us` wraps after 71.6 minutes. */
void board_step(struct board *board, uint32_t now_us);

/* Carries out one request and prepares its reply (requests.c). */
void board_request(struct board *board, const struct frame *frame, uint32_t now_us);

#endif
