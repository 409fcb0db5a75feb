/* The whole board: requests and their refusals, repeats, events until acknowledged, the lost link. */
#include <string.h>

#include "check.h"
#include "core/board.h"
#include "host/hal_host.h"

static struct board board;
static uint32_t now_us;
static size_t read_up_to;
static uint8_t body[FRAME_BODY]; /* of the frame read last */
static struct frame got;

static void step(uint32_t duration_us) {
    for (uint32_t end_us = now_us + duration_us; now_us != end_us;) {
        now_us += 500;
        board_step(&board, now_us);
    }
}

static void start(void) {
    now_us = 0;
    read_up_to = 0;
    board_init(&board, now_us);
}

/* Frames from the host may be longer than those frame_write makes. */
static void send(uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length) {
    uint8_t raw[FRAME_BODY] = {kind, seq}, out[FRAME_BODY + 4];
    memcpy(raw + 2, payload, length);
    uint16_t crc = crc16(0xffff, raw, (uint8_t)(length + 2));
    raw[length + 2] = (uint8_t)crc;
    raw[length + 3] = (uint8_t)(crc >> 8);
    size_t at = 1, code_at = 0;
    for (int i = 0; i < length + 4; i++) {
        if (raw[i]) {
            out[at++] = raw[i];
        } else {
            out[code_at] = (uint8_t)(at - code_at);
            code_at = at++;
        }
    }
    out[code_at] = (uint8_t)(at - code_at);
    out[at++] = 0;
    host_feed(out, at);
}

/* Reads the next frame the board has sent; false when there is none. */
static bool receive(void) {
    static struct receiver receiver;
    while (read_up_to < host.out_count) {
        if (!receiver_take(&receiver, host.out[read_up_to++], &got)) continue;
        memcpy(body, receiver.body, sizeof body);
        got.payload = body + FRAME_HEAD;
        return true;
    }
    return false;
}

static bool receive_kind(uint8_t kind) {
    while (receive()) {
        if (got.kind == kind) return true;
    }
    return false;
}

static void ask(uint8_t kind, uint8_t seq, const void *payload, uint8_t length) {
    send(kind, seq, payload, length);
    step(1000);
}

static void greet(void) {
    const uint8_t version[2] = {PROTOCOL_MAJOR, PROTOCOL_MINOR};
    ask(KIND_HELLO, 1, version, 2);
    CHECK(receive_kind(KIND_HELLO_REPLY));
}

static uint8_t refusal_of(uint8_t kind, uint8_t seq, const void *payload, uint8_t length) {
    ask(kind, seq, payload, length);
    CHECK(receive_kind(KIND_REFUSED));
    CHECK(got.seq == seq && got.payload[0] == kind);
    return got.payload[1];
}

static void nothing_is_done_before_hello(void) {
    start();
    CHECK(refusal_of(KIND_STATE, 5, "", 0) == REFUSAL_HELLO_FIRST);
    greet();
    ask(KIND_STATE, 6, "", 0);
    CHECK(receive_kind(KIND_STATE_REPLY) && got.seq == 6);
}

static void another_major_version_is_told_ours_and_refused(void) {
    start();
    const uint8_t version[2] = {PROTOCOL_MAJOR + 1, 0};
    ask(KIND_HELLO, 1, version, 2);
    CHECK(receive_kind(KIND_HELLO_REPLY) && got.payload[0] == PROTOCOL_MAJOR);
    CHECK(refusal_of(KIND_STATE, 2, "", 0) == REFUSAL_VERSION);
    greet();
    ask(KIND_STATE, 3, "", 0);
    CHECK(receive_kind(KIND_STATE_REPLY));
}

static void another_minor_version_is_served(void) {
    start();
    const uint8_t version[3] = {PROTOCOL_MAJOR, PROTOCOL_MINOR + 7, 99};
    ask(KIND_HELLO, 1, version, 3);
    CHECK(receive_kind(KIND_HELLO_REPLY));
    const uint8_t ping[6] = {1, 2, 3, 4, 5, 6}; /* two bytes a later version has appended */
    ask(KIND_PING, 2, ping, 6);
    CHECK(receive_kind(KIND_PING_REPLY) && memcmp(got.payload, ping, 4) == 0);
}

static void bad_requests_are_refused_with_the_reason(void) {
    start();
    greet();
    CHECK(refusal_of(0x3e, 2, "", 0) == REFUSAL_UNKNOWN);
    CHECK(refusal_of(KIND_PING, 3, "abc", 3) == REFUSAL_LENGTH);
    CHECK(refusal_of(KIND_LIGHTS_SET, 4, "\x34" "abc", 4) == REFUSAL_RANGE);
    CHECK(refusal_of(KIND_LIGHTS_SET, 5, "\x33" "abcdef", 7) == REFUSAL_RANGE);
    CHECK(refusal_of(KIND_LIGHTS_SET, 6, "\x01" "abcd", 5) == REFUSAL_LENGTH);
    CHECK(refusal_of(KIND_DICE_SHOW, 7, "\1\0\0\0\1\2\3\7", 8) == REFUSAL_RANGE);
    CHECK(refusal_of(KIND_CONFIG, 8, "\xff\x63\0\0\0", 5) == REFUSAL_RANGE);
    CHECK(refusal_of(KIND_BUZZ, 9, "\5", 1) == REFUSAL_RANGE);
    ask(KIND_CALIBRATE, 10, "", 0);
    CHECK(receive_kind(KIND_CALIBRATE_REPLY));
    CHECK(refusal_of(KIND_CALIBRATE, 11, "", 0) == REFUSAL_BUSY);
    CHECK(board.counters.refused == 9);
}

static void a_repeated_request_is_answered_but_not_carried_out_again(void) {
    start();
    greet();
    const uint8_t roll[10] = {1, 0, 0, 0, 6, 5, 0, 0, 100, 0};
    ask(KIND_DICE_ROLL, 2, roll, sizeof roll);
    CHECK(receive_kind(KIND_DICE_ROLL_REPLY));
    step(150000);
    uint32_t executed = board.counters.executed;
    for (int i = 0; i < 3; i++) {
        ask(KIND_DICE_ROLL, 2, roll, sizeof roll);
        CHECK(receive_kind(KIND_DICE_ROLL_REPLY) && got.seq == 2);
    }
    CHECK(board.counters.executed == executed && board.counters.repeated == 3);
    CHECK(!board.dice.rolling);
    const uint8_t other[10] = {2, 0, 0, 0, 1, 1, 0, 0, 100, 0}; /* a new host that counts from the same number */
    ask(KIND_DICE_ROLL, 2, other, sizeof other);
    CHECK(receive_kind(KIND_DICE_ROLL_REPLY) && board.dice.roll_id == 2 && board.dice.rolling);
}

static void requests_wait_until_their_replies_find_room(void) {
    start();
    greet();
    host.room = 0;
    for (uint8_t i = 0; i < 5; i++) {
        const uint8_t ping[4] = {i, 0, 0, 0};
        send(KIND_PING, (uint8_t)(10 + i), ping, 4);
    }
    step(5000);
    host.room = 255;
    step(5000);
    for (uint8_t i = 0; i < 5; i++) CHECK(receive_kind(KIND_PING_REPLY) && got.payload[0] == i);
}

static void acknowledge(uint16_t number) {
    const uint8_t ack[4] = {(uint8_t)board.boot_id, (uint8_t)(board.boot_id >> 8), (uint8_t)number, (uint8_t)(number >> 8)};
    send(KIND_EVENTS_ACK, 0, ack, sizeof ack);
    step(500);
}

static void press(uint8_t button, bool closed) {
    host.contacts.level = (uint8_t)(closed ? host.contacts.level | 1u << button : host.contacts.level & ~(1u << button));
    host.contacts.edges |= (uint8_t)(1u << button);
    host.contacts.first_edge_us[button] = now_us;
    step(30000);
}

static void events_are_sent_again_until_they_are_acknowledged(void) {
    start();
    greet();
    host.out_count = read_up_to = 0;
    step(220000);
    int booted = 0;
    while (receive()) booted += got.kind == KIND_BOOTED;
    CHECK(booted == 4 && board.events.count == 1);
    acknowledge(0);
    CHECK(board.events.count == 0);
    acknowledge(0); /* again */
    acknowledge(1); /* never made */
    acknowledge(40000);
    press(2, true);
    CHECK(receive_kind(KIND_BUTTON_CHANGED));
    CHECK(got.payload[2] == 1 && got.payload[8] == BUTTON_ROLL_WHITE && got.payload[9] == EDGE_PRESSED);
    CHECK(board.events.count == 1 && board.events.resent_total >= 3);
}

static void an_acknowledgement_of_another_boot_is_left_out(void) {
    start();
    greet();
    const uint8_t ack[4] = {(uint8_t)(board.boot_id + 1), 0, 0, 0};
    send(KIND_EVENTS_ACK, 0, ack, sizeof ack);
    step(500);
    CHECK(board.events.count == 1);
}

static void lost_events_are_told_and_presses_have_room_when_cells_have_none(void) {
    start();
    greet();
    host.room = 0; /* nothing leaves */
    for (int i = 0; i < 200; i++) fault_event(&board.events, FAULT_CELL_OPEN, (uint8_t)i, true, now_us);
    CHECK(board.events.count == EVENT_DEPTH - EVENT_RESERVED);
    press(0, true);
    CHECK(board.events.lost_presses == 0 && board.events.count == EVENT_DEPTH - EVENT_RESERVED + 2);
    for (int i = 0; i < 40; i++) press(0, i % 2 != 0);
    CHECK(board.events.count <= EVENT_DEPTH && board.events.lost_presses > 0);
    host.room = 255;
    unsigned presses = 0, faults = 0, lost_presses = 0, lost_others = 0;
    uint16_t expected = 0;
    for (int i = 0; i < 400; i++) {
        step(1000);
        while (receive()) {
            if (got.kind < KIND_BOOTED) continue;
            uint16_t number = (uint16_t)(got.payload[2] | got.payload[3] << 8);
            if (number != expected) continue;
            expected++;
            presses += got.kind == KIND_BUTTON_CHANGED;
            faults += got.kind == KIND_FAULT_CHANGED;
            if (got.kind == KIND_OVERFLOW) {
                lost_presses += (unsigned)(got.payload[8] | got.payload[9] << 8);
                lost_others += (unsigned)(got.payload[10] | got.payload[11] << 8);
            }
            acknowledge(number);
        }
    }
    CHECK(presses + lost_presses == 41);
    CHECK(faults + lost_others == 200);
    CHECK(board.events.count == 0);
}

static void a_lost_link_shows_after_two_seconds_and_keeps_the_dice(void) {
    start();
    greet();
    const uint8_t roll[8] = {1, 0, 0, 0, 6, 5, 0, 0};
    ask(KIND_DICE_SHOW, 2, roll, sizeof roll);
    step(1990000);
    CHECK(!board.link_lost);
    step(20000);
    CHECK(board.link_lost && board.counters.links_lost == 1);
    CHECK(host.grb[LIGHT_TURN_WHITE * 3] == 24 || host.grb[LIGHT_TURN_BLACK * 3] == 24);
    CHECK(host.dice[0] == (die_lines(6) | die_lines(5) << 4));
    ask(KIND_STATE, 3, "", 0);
    CHECK(!board.link_lost && receive_kind(KIND_STATE_REPLY));
}

static void self_test_names_dead_lights_and_a_stuck_button(void) {
    start();
    greet();
    acknowledge(0);
    press(3, true);
    acknowledge(1);
    ask(KIND_SELF_TEST, 2, "", 0);
    bool dead[LIGHT_COUNT] = {[7] = true, [40] = true};
    for (int i = 0; i < 5000 && board.selftest.running; i++) {
        unsigned sum = 0;
        for (int light = 0; light < LIGHT_COUNT; light++) {
            for (int c = 0; c < 3 && !dead[light]; c++) sum += host.grb[light * 3 + c];
        }
        host.current_counts = (uint16_t)((LIGHT_COUNT + sum * 20 / 255) * 512 / 1000);
        host.current_sample++;
        step(2000);
    }
    CHECK(board.events.count == 4);
    const struct event *e = board.events.ring + board.events.first;
    CHECK(e[0].data[0] == FAULT_LIGHT_DARK && e[0].data[1] == 7);
    CHECK(e[1].data[0] == FAULT_LIGHT_DARK && e[1].data[1] == 40);
    CHECK(e[2].data[0] == FAULT_BUTTON_STUCK && e[2].data[1] == 3);
    CHECK(e[3].kind == KIND_SELF_TESTED && memcmp(e[3].data, "\1\2\1\0", 4) == 0);
}

static void calibration_is_kept_and_reported(void) {
    start();
    greet();
    for (int cell = 0; cell < CELL_COUNT; cell++) host.cells[cell] = (uint16_t)(480 + cell % 60);
    ask(KIND_CALIBRATE, 2, "", 0);
    for (int i = 0; i < 12; i++) {
        host.passes++;
        step(12000);
    }
    step(500000);
    CHECK(board.calibration == CALIBRATION_VALID);
    start(); /* the power was off */
    CHECK(board.calibration == CALIBRATION_VALID && board.sensors.baseline[59] == 539);
}

void board_tests(void) {
    RUN(nothing_is_done_before_hello);
    RUN(another_major_version_is_told_ours_and_refused);
    RUN(another_minor_version_is_served);
    RUN(bad_requests_are_refused_with_the_reason);
    RUN(a_repeated_request_is_answered_but_not_carried_out_again);
    RUN(requests_wait_until_their_replies_find_room);
    RUN(events_are_sent_again_until_they_are_acknowledged);
    RUN(an_acknowledgement_of_another_boot_is_left_out);
    RUN(lost_events_are_told_and_presses_have_room_when_cells_have_none);
    RUN(a_lost_link_shows_after_two_seconds_and_keeps_the_dice);
    RUN(self_test_names_dead_lights_and_a_stuck_button);
    RUN(calibration_is_kept_and_reported);
}
