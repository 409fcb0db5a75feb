/* Frames: golden ones, damaged ones, any split, all payloads. */
#include <string.h>

#include "check.h"
#include "core/frame.h"
#include "host/hal_host.h"

static struct receiver receiver;
static struct frame last;

static int feed(const uint8_t *bytes, size_t count) {
    int complete = 0;
    for (size_t i = 0; i < count; i++) complete += receiver_take(&receiver, bytes[i], &last);
    return complete;
}

static const struct frame *golden_decode(const char *bytes, size_t count) {
    memset(&receiver, 0, sizeof receiver);
    CHECK(feed((const uint8_t *)bytes, count) == 1);
    CHECK(receiver.damaged_count == 0 && receiver.overlong_count == 0);
    return &last;
}

static void golden_encode(
    uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length, const char *bytes, size_t count) {
    uint8_t out[FRAME_SENT];
    if (length > PROTOCOL_MAX_REPLY) return; /* only the host sends frames that long */
    CHECK(frame_write(kind, seq, payload, length, out) == count);
    CHECK(memcmp(out, bytes, count) == 0);
}

#include "golden_gen.h"

static void golden_frames_are_read_and_written(void) { golden_messages(); }

static void damaged_frames_are_counted_and_the_next_is_read(void) {
    for (size_t i = 0; i < sizeof golden_damaged / sizeof *golden_damaged; i++) {
        memset(&receiver, 0, sizeof receiver);
        CHECK(feed((const uint8_t *)golden_damaged[i].bytes, golden_damaged[i].length) == 0);
        CHECK(receiver.damaged_count + receiver.overlong_count == 1);
        uint8_t out[FRAME_SENT];
        CHECK(feed(out, frame_write(KIND_PING, 9, (const uint8_t *)"good", 4, out)) == 1);
        CHECK(last.seq == 9 && last.length == 4 && memcmp(last.payload, "good", 4) == 0);
    }
}

static void every_payload_comes_back_as_it_was(void) {
    uint8_t payload[PROTOCOL_MAX_REPLY], out[FRAME_SENT];
    memset(&receiver, 0, sizeof receiver);
    for (unsigned length = 0; length <= PROTOCOL_MAX_REPLY; length++) {
        for (unsigned fill = 0; fill < 256; fill++) {
            for (unsigned i = 0; i < length; i++) payload[i] = (uint8_t)(i % 3 == 0 ? 0 : fill + i);
            uint8_t count = frame_write((uint8_t)fill, (uint8_t)length, payload, (uint8_t)length, out);
            CHECK(memchr(out, 0, count) == out + count - 1);
            CHECK(feed(out, count) == 1);
            CHECK(last.kind == fill && last.seq == length && last.length == length);
            CHECK(memcmp(last.payload, payload, length) == 0);
        }
    }
    CHECK(receiver.damaged_count == 0);
}

static void checksum_has_the_published_check_value(void) {
    CHECK(crc16(0xffff, (const uint8_t *)"123456789", 9) == 0x29b1);
}

static void every_flipped_bit_is_found(void) {
    uint8_t out[FRAME_SENT], payload[20] = {1, 0, 0, 7, 255, 254};
    uint8_t count = frame_write(KIND_STATE, 77, payload, sizeof payload, out);
    for (unsigned bit = 0; bit < 8u * (count - 1u); bit++) {
        uint8_t spoiled[FRAME_SENT];
        memcpy(spoiled, out, count);
        spoiled[bit / 8] ^= (uint8_t)(1u << bit % 8);
        memset(&receiver, 0, sizeof receiver);
        CHECK(feed(spoiled, count) == 0);
    }
}

void frame_tests(void) {
    RUN(golden_frames_are_read_and_written);
    RUN(damaged_frames_are_counted_and_the_next_is_read);
    RUN(every_payload_comes_back_as_it_was);
    RUN(checksum_has_the_published_check_value);
    RUN(every_flipped_bit_is_found);
}
