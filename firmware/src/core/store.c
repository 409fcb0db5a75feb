#include "store.h"

#include "../hal.h"
#include "frame.h"

#define BOOT_SLOT 8 /* two slots of count u32, CRC u16 */

static void read_bytes(uint16_t address, uint8_t *bytes, uint8_t count) {
    for (uint8_t i = 0; i < count; i++) bytes[i] = hal_eeprom_read(address + i);
}

static uint32_t boot_slot(uint8_t slot) {
    uint8_t raw[6];
    read_bytes(slot * BOOT_SLOT, raw, sizeof raw);
    if (crc16(0xffff, raw, 4) != (uint16_t)(raw[4] | (uint16_t)raw[5] << 8)) return 0;
    return (uint32_t)raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
}

uint32_t store_count_boot(void) {
    uint32_t counts[2] = {boot_slot(0), boot_slot(1)};
    uint8_t older = counts[0] > counts[1] ? 1 : 0;
    uint32_t boot = counts[1 - older] + 1;
    if (boot == 0) boot = 1;
    uint8_t raw[6];
    for (uint8_t i = 0; i < 4; i++) raw[i] = (uint8_t)(boot >> 8 * i);
    uint16_t crc = crc16(0xffff, raw, 4);
    raw[4] = (uint8_t)crc;
    raw[5] = (uint8_t)(crc >> 8);
    for (uint8_t i = 0; i < sizeof raw; i++) {
        while (!hal_eeprom_ready()) {
        }
        hal_eeprom_write((uint16_t)(older * BOOT_SLOT + i), raw[i]);
    }
    while (!hal_eeprom_ready()) {
    }
    return boot;
}

#if TARGET_SENSORS

static uint16_t copy_start(uint8_t copy) { return copy == 0 ? 0x020 : 0x200; }

static uint16_t stored_crc(uint8_t copy) {
    uint16_t crc = 0xffff;
    for (uint16_t i = 0; i < STORE_IMAGE - 2; i++) {
        uint8_t byte = hal_eeprom_read(copy_start(copy) + i);
        crc = crc16(crc, &byte, 1);
    }
    return crc;
}

static uint16_t stored_word(uint8_t copy, uint16_t at) {
    uint8_t raw[2];
    read_bytes(copy_start(copy) + at, raw, 2);
    return (uint16_t)(raw[0] | (uint16_t)raw[1] << 8);
}

static bool copy_valid(uint8_t copy) { return stored_crc(copy) == stored_word(copy, STORE_IMAGE - 2); }

static bool copy_blank(uint8_t copy) {
    for (uint16_t i = 0; i < STORE_IMAGE; i++) {
        if (hal_eeprom_read(copy_start(copy) + i) != 0xff) return false;
    }
    return true;
}

uint8_t store_load(struct store *store, uint16_t *baseline) {
    memset(store, 0, sizeof *store);
    bool valid[STORE_COPIES] = {copy_valid(0), copy_valid(1)};
    if (!valid[0] && !valid[1]) return copy_blank(0) && copy_blank(1) ? CALIBRATION_NONE : CALIBRATION_DAMAGED;
    uint8_t newest = valid[0] ? 0 : 1;
    if (valid[0] && valid[1] && (int16_t)(stored_word(1, 0) - stored_word(0, 0)) > 0) newest = 1;
    store->generation = stored_word(newest, 0);
    for (uint8_t cell = 0; cell < CELL_COUNT; cell++) baseline[cell] = stored_word(newest, (uint16_t)(2 + 2 * cell));
    if (!valid[0] || !valid[1] || stored_word(0, 0) != stored_word(1, 0)) store_save(store, baseline);
    return CALIBRATION_VALID;
}

static uint8_t image_byte(const struct store *store, const uint16_t *baseline, uint16_t at) {
    uint16_t word = store->crc;
    if (at < 2) {
        word = store->generation;
    } else if (at < STORE_IMAGE - 2) {
        word = baseline[(at - 2) / 2];
    }
    return (uint8_t)(at % 2 == 0 ? word : word >> 8);
}

void store_save(struct store *store, const uint16_t *baseline) {
    store->generation++;
    store->crc = 0xffff;
    for (uint16_t i = 0; i < STORE_IMAGE - 2; i++) {
        uint8_t byte = image_byte(store, baseline, i);
        store->crc = crc16(store->crc, &byte, 1);
    }
    store->saving = true;
    store->copy = 0;
    store->at = 0;
    store->failed = 0;
}

bool store_step(struct store *store, const uint16_t *baseline) {
    if (!store->saving || !hal_eeprom_ready()) return false;
    if (store->at < STORE_IMAGE) {
        uint16_t address = copy_start(store->copy) + store->at;
        uint8_t byte = image_byte(store, baseline, store->at);
        if (hal_eeprom_read(address) != byte) hal_eeprom_write(address, byte);
        store->at++;
        return false;
    }
    if (!copy_valid(store->copy)) store->failed |= (uint8_t)(1u << store->copy);
    store->at = 0;
    if (++store->copy < STORE_COPIES) return false;
    store->saving = false;
    return true;
}

#endif
