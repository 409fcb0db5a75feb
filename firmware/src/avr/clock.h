/* Time since the reset from a free-running timer: a missed tick cannot slow it down. */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

void clock_init(void);

/* Microseconds; wraps after 71.6 minutes. */
uint32_t clock_us(void);

#endif
