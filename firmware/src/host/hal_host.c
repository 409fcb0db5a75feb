#include "hal_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host_hal host;

void host_reset(void) {
    memset(&host, 0, sizeof host);
    memset(host.eeprom, 0xff, sizeof host.eeprom);
    for (int i = 0; i < CELL_COUNT; i++) host.cells[i] = 512;
    host.room = 255;
    host.eeprom_writes_left = -1;
}

void host_feed(const uint8_t *bytes, size_t count) {
    if (host.in_taken == host.in_count) host.in_taken = host.in_count = 0;
    if (host.in_count + count > sizeof host.in) hal_panic();
    memcpy(host.in + host.in_count, bytes, count);
    host.in_count += count;
}

bool hal_receive(uint8_t *byte) {
    if (host.in_taken == host.in_count) return false;
    *byte = host.in[host.in_taken++];
    return true;
}

struct receive_losses hal_receive_losses(void) { return (struct receive_losses){0, 0}; }

uint16_t hal_send_room(void) { return host.room; }

void hal_send(const uint8_t *bytes, uint8_t count) {
    BOARD_ASSERT(count <= host.room);
    if (host.out_count + count > sizeof host.out) host.out_count = 0; /* the tests that send so much do not read */
    memcpy(host.out + host.out_count, bytes, count);
    host.out_count += count;
}

void hal_lights(const uint8_t *grb, uint8_t count) {
    BOARD_ASSERT(count == LIGHT_COUNT);
    memcpy(host.grb, grb, sizeof host.grb);
    host.light_frames++;
}

void hal_dice(uint8_t white, uint8_t black) {
    host.dice[0] = white;
    host.dice[1] = black;
}

void hal_contacts(struct contacts *contacts) {
    *contacts = host.contacts;
    host.contacts.edges = 0;
}

void hal_tone(uint16_t hz) { host.hz = hz; }
uint16_t hal_current_counts(void) { return host.current_counts; }
uint8_t hal_current_sample(void) { return host.current_sample; }
uint8_t hal_passes(void) { return host.passes; }
uint16_t hal_pass_us(void) { return 11000; }

uint16_t hal_cell_counts(uint8_t cell) {
    BOARD_ASSERT(cell < CELL_COUNT);
    return host.cells[cell];
}

bool hal_eeprom_ready(void) { return true; }

uint8_t hal_eeprom_read(uint16_t address) {
    BOARD_ASSERT(address < sizeof host.eeprom);
    return host.eeprom[address];
}

void hal_eeprom_write(uint16_t address, uint8_t byte) {
    BOARD_ASSERT(address < sizeof host.eeprom);
    if (host.eeprom_writes_left == 0) return;
    if (host.eeprom_writes_left > 0) host.eeprom_writes_left--;
    host.eeprom[address] = byte;
    host.eeprom_writes++;
}

uint8_t hal_reset_cause(void) { return host.cause; }
uint16_t hal_stack_free(void) { return 1000; }

void hal_panic(void) {
    fprintf(stderr, "BOARD_ASSERT failed\n");
    abort();
}
