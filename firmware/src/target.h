/* What differs between the builds: parts that are there, and how much memory they may take. */
#ifndef TARGET_H
#define TARGET_H

#include "protocol_gen.h"

#if defined(__AVR_ATmega328P__)
#define TARGET_CHIP CHIP_ATMEGA328P
#define TARGET_SENSORS 0
#define EVENT_DEPTH 16   /* events kept until acknowledged */
#define EVENT_RESERVED 8 /* of these, kept free for buttons */
#define RECEIVE_RING 128 /* bytes, a power of two */
#define SEND_RING 128
#else
#if defined(__AVR_ATmega2560__)
#define TARGET_CHIP CHIP_ATMEGA2560
#else
#define TARGET_CHIP CHIP_HOST
#endif
#define TARGET_SENSORS 1
#define EVENT_DEPTH 64
#define EVENT_RESERVED 24
#define RECEIVE_RING 256
#define SEND_RING 256
#endif

#define TARGET_PARTS                                                                                  \
    (PART_LIGHTS | PART_DICE | PART_BUTTONS | PART_BUZZER | PART_CURRENT_SENSE |                      \
     (TARGET_SENSORS ? PART_SENSORS : 0u))

/* Tables that stay in flash instead of taking RAM. */
#if defined(__AVR__)
#define IN_FLASH __flash
#else
#define IN_FLASH
#endif

#ifndef BUILD_REVISION
#define BUILD_REVISION 0x0UL
#endif

#endif
