/* Frames: COBS( kind | seq | payload | crc ) 0x00, see protocol.toml. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "../target.h"

#define FRAME_HEAD 2
#define FRAME_CRC 2
#define FRAME_BODY (FRAME_HEAD + PROTOCOL_MAX_PAYLOAD + FRAME_CRC)
#define FRAME_SENT (FRAME_HEAD + PROTOCOL_MAX_REPLY + FRAME_CRC + 2) /* with stuffing and delimiter */

/* One undamaged frame; the payload lies in the receiver and is gone with the next byte. */
struct frame {
    uint8_t kind;
    uint8_t seq;
    uint8_t length;
    const uint8_t *payload;
    uint16_t crc; /* tells two requests with the same seq apart */
};

/* Takes bytes one at a time and undoes the stuffing as they come. */
struct receiver {
    uint8_t body[FRAME_BODY];
    uint8_t length;
    uint8_t block_left; /* bytes until the next stuffing code */
    bool begun;         /* something came since the delimiter */
    bool zero_due;      /* the block that ends here stands for a zero */
    bool overlong;
    uint16_t damaged_count;
    uint16_t overlong_count;
};

uint16_t crc16(uint16_t crc, const uint8_t *bytes, uint8_t count);

/* Returns true when `byte` completes an undamaged frame. */
bool receiver_take(struct receiver *receiver, uint8_t byte, struct frame *frame);

/* Writes one frame with its delimiter to `out` (FRAME_SENT bytes); returns its length. */
uint8_t frame_write(uint8_t kind, uint8_t seq, const uint8_t *payload, uint8_t length, uint8_t *out);

/* Counts up and stays at the greatest value. */
static inline void count_up(uint16_t *counter) {
    if (*counter != UINT16_MAX) (*counter)++;
}

#endif
