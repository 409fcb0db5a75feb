/* Millions of random bytes into the whole board: nothing is read or written out of bounds, no assertion fails, and a
   good request in between is always answered. */
#include <string.h>

#include "check.h"
#include "core/board.h"
#include "host/hal_host.h"

#define FUZZED_BYTES 6000000u

static uint64_t state = 0x853c49e6748fea9bu;

static uint32_t chance(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static uint8_t good_frame(uint8_t kind, uint8_t *out) {
    uint8_t payload[PROTOCOL_MAX_REPLY];
    uint8_t length = (uint8_t)(chance() % (PROTOCOL_MAX_REPLY + 1));
    for (uint8_t i = 0; i < length; i++) payload[i] = (uint8_t)(chance() % 4 ? chance() % 8 : chance());
    return frame_write(kind, (uint8_t)chance(), payload, length, out);
}

static uint32_t noise(void) {
    uint8_t bytes[600];
    uint32_t count = 1 + chance() % sizeof bytes;
    uint32_t zeros = chance() % 2 ? 16 : 400; /* with many, most stretches are as long as frames; with few, too long */
    for (uint32_t i = 0; i < count; i++) bytes[i] = (uint8_t)(chance() % zeros ? chance() : 0);
    host_feed(bytes, count);
    return count;
}

static uint32_t spoiled_frame(void) {
    uint8_t out[FRAME_SENT];
    uint8_t count = good_frame((uint8_t)(chance() % 4 ? 1 + chance() % 0x3f : chance()), out);
    if (chance() % 4 == 0) out[chance() % count] ^= (uint8_t)(1u << chance() % 8);
    host_feed(out, count);
    return count;
}

static void say_hello(void) {
    host_feed((const uint8_t *)"", 1); /* one delimiter ends what is half open */
    uint8_t hello[FRAME_SENT];
    const uint8_t version[2] = {PROTOCOL_MAJOR, PROTOCOL_MINOR};
    host_feed(hello, frame_write(KIND_HELLO, 1, version, 2, hello));
}

static void a_board_survives_any_bytes(void) {
    static struct board board;
    uint32_t now_us = 0, fed = 0;
    board_init(&board, now_us);
    while (fed < FUZZED_BYTES) {
        if (chance() % 64 == 0) say_hello();
        fed += chance() % 2 ? noise() : spoiled_frame();
        if (chance() % 8 == 0) {
            host.contacts.level = (uint8_t)(chance() & 63);
            host.contacts.edges = (uint8_t)(chance() & 63);
            host.cells[chance() % CELL_COUNT] = (uint16_t)(chance() % 1024);
            host.current_counts = (uint16_t)(chance() % 1024);
        }
        host.passes++;
        host.current_sample++;
        now_us += chance() % 3000;
        board_step(&board, now_us);
        host.out_count = 0;
    }
    say_hello();
    for (int i = 0; i < 20; i++) board_step(&board, now_us += 500);
    CHECK(board.greeted);
    CHECK(board.counters.executed > 1000 && board.counters.refused > 1000);
    CHECK(board.receiver.damaged_count > 1000 && board.receiver.overlong_count > 1000);
}

void fuzz_tests(void) { RUN(a_board_survives_any_bytes); }
