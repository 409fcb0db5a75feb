#include "frame.h"

#include "../hal.h"

uint16_t crc16(uint16_t crc, const uint8_t *bytes, uint8_t count) {
    for (uint8_t i = 0; i < count; i++) {
        crc = (uint16_t)(crc >> 8 | crc << 8);
        crc ^= bytes[i];
        crc ^= (uint8_t)(crc & 0xff) >> 4;
        crc ^= (uint16_t)(crc << 12);
        crc ^= (uint16_t)((crc & 0xff) << 5);
    }
    return crc;
}

static void receiver_restart(struct receiver *r) {
    r->length = 0;
    r->block_left = 0;
    r->begun = false;
    r->zero_due = false;
    r->overlong = false;
}

static void receiver_put(struct receiver *r, uint8_t byte) {
    if (r->length == FRAME_BODY) {
        r->overlong = true;
        return;
    }
    r->body[r->length++] = byte;
}

static bool receiver_finish(struct receiver *r, struct frame *frame) {
    if (!r->begun) return false;
    if (r->overlong) {
        count_up(&r->overlong_count);
        return false;
    }
    uint8_t covered = (uint8_t)(r->length - FRAME_CRC);
    if (r->block_left != 0 || r->length < FRAME_HEAD + FRAME_CRC) {
        count_up(&r->damaged_count);
        return false;
    }
    uint16_t sent = (uint16_t)(r->body[covered] | (uint16_t)r->body[covered + 1] << 8);
    if (crc16(0xffff, r->body, covered) != sent) {
        count_up(&r->damaged_count);
        return false;
    }
    frame->kind = r->body[0];
    frame->seq = r->body[1];
    frame->length = (uint8_t)(covered - FRAME_HEAD);
    frame->payload = r->body + FRAME_HEAD;
    frame->crc = sent;
    return true;
}

bool receiver_take(struct receiver *r, uint8_t byte, struct frame *frame) {
    if (byte == 0) {
        bool complete = receiver_finish(r, frame);
        receiver_restart(r);
        return complete;
    }
    r->begun = true;
    if (r->overlong) return false;
    if (r->block_left != 0) {
        receiver_put(r, byte);
        r->block_left--;
        return false;
    }
    if (r->zero_due) receiver_put(r, 0);
    r->zero_due = byte != 0xff;
    r->block_left = (uint8_t)(byte - 1);
    return false;
}

uint8_t frame_write(uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length, uint8_t *out) {
    BOARD_ASSERT(length <= PROTOCOL_MAX_REPLY);
    uint8_t head[FRAME_HEAD] = {kind, seq};
    uint16_t crc = crc16(crc16(0xffff, head, FRAME_HEAD), payload, length);
    uint8_t total = (uint8_t)(FRAME_HEAD + length + FRAME_CRC);
    uint8_t code_at = 0;
    uint8_t at = 1;
    for (uint8_t i = 0; i < total; i++) {
        uint8_t byte;
        if (i < FRAME_HEAD) {
            byte = head[i];
        } else if (i < FRAME_HEAD + length) {
            byte = payload[i - FRAME_HEAD];
        } else {
            byte = (uint8_t)(i == total - 1 ? crc >> 8 : crc);
        }
        if (byte != 0) {
            out[at++] = byte;
            continue;
        }
        out[code_at] = (uint8_t)(at - code_at);
        code_at = at++;
    }
    out[code_at] = (uint8_t)(at - code_at);
    out[at++] = 0;
    return at;
}
