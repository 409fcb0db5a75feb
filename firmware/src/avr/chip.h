/* What main starts, part by part. */
#ifndef CHIP_H
#define CHIP_H

void parts_init(void);
void analog_init(void);

#endif
