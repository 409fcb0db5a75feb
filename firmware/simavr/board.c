/* barpoint-simavr ELF: the emulated board behind a pseudo terminal, in real time.

   Prints one line per thing that changes, and takes one line per thing that is done to the board:

       port /dev/pts/7              the terminal to open; again after plug
       lights ff0000... (52 colors)  dice 3 1 0 0   tone 1500   reset     on stdout

       press N, release N           a button, by its number in protocol.toml
       tap N                        the same, held for 50 ms of the chip's time however late the orders come
       cell N empty|white|black|open|short
       dead N, alive N              a light
       reset, brownout, hang        what can happen to the chip
       unplug, plug                 the cable; it comes back under another name
       drop PPM, garble PPM         lost bytes and flipped bits per million, both ways
       silent 0|1                   the board hears, but nothing comes back
       slow MS                      every byte comes so much later, both ways
       quit                         (or end of input)

   Options: --chip NAME (atmega2560), --eeprom FILE (read at the start, written at the end). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "protocol_gen.h"

#define CYCLES_PER_MS 16000u
#define EEPROM_SIZE 4096u
#define TAP_MS 50
#define BEHIND_MOST_MS 200 /* after a longer pause the board does not run to catch up */

#define UNDER_WAY_MOST 65536u

/* Bytes under way on a slow line, and when each arrives. */
struct line {
    uint8_t bytes[UNDER_WAY_MOST];
    uint64_t due_ms[UNDER_WAY_MOST];
    uint32_t head, tail;
};

struct program {
    struct bench *bench;
    size_t eeprom_size;
    int terminal; /* our side; -1 when unplugged */
    int far_side; /* kept open, so that a closing host is no hang-up */
    uint32_t drop_ppm, garble_ppm;
    uint32_t slow_ms;
    bool silent;
    struct line to_board, from_board;
    uint64_t ran_ms;
    uint64_t chance;
    uint8_t lights[LIGHT_COUNT * 3];
    uint8_t dice[DIE_COUNT];
    uint32_t tone, resets;
    uint64_t let_go_ms[BUTTON_COUNT]; /* when a tapped button is let go; 0: none was tapped */
    bool ended;
};

static void say(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    fflush(stdout);
}

static bool strikes(struct program *p, uint32_t ppm) {
    p->chance ^= p->chance << 13;
    p->chance ^= p->chance >> 7;
    p->chance ^= p->chance << 17;
    return p->chance % 1000000u < ppm;
}

/* Does to bytes under way what a bad cable does; returns how many are left. */
static size_t spoil(struct program *p, uint8_t *bytes, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (strikes(p, p->drop_ppm)) continue;
        uint8_t byte = bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            if (strikes(p, p->garble_ppm)) byte ^= (uint8_t)(1u << bit);
        }
        bytes[left++] = byte;
    }
    return left;
}

static bool plug(struct program *p) {
    char name[128];
    struct termios raw;
    if (openpty(&p->terminal, &p->far_side, name, NULL, NULL) != 0) return false;
    tcgetattr(p->far_side, &raw);
    cfmakeraw(&raw);
    tcsetattr(p->far_side, TCSANOW, &raw);
    fcntl(p->terminal, F_SETFL, O_NONBLOCK);
    say("port %s", name);
    return true;
}

static void unplug(struct program *p) {
    if (p->terminal < 0) return;
    close(p->far_side);
    close(p->terminal);
    p->terminal = -1;
}

static void depart(struct program *p, struct line *line, uint8_t *bytes, size_t count) {
    count = spoil(p, bytes, count);
    for (size_t i = 0; i < count && line->head - line->tail < UNDER_WAY_MOST; i++) {
        line->bytes[line->head % UNDER_WAY_MOST] = bytes[i];
        line->due_ms[line->head++ % UNDER_WAY_MOST] = p->ran_ms + p->slow_ms;
    }
}

static size_t arrive(struct program *p, struct line *line, uint8_t *bytes, size_t most) {
    size_t count = 0;
    while (count < most && line->tail != line->head && line->due_ms[line->tail % UNDER_WAY_MOST] <= p->ran_ms) {
        bytes[count++] = line->bytes[line->tail++ % UNDER_WAY_MOST];
    }
    return count;
}

static void move_bytes(struct program *p) {
    uint8_t bytes[4096];
    ssize_t count = p->terminal < 0 ? 0 : read(p->terminal, bytes, sizeof bytes);
    if (count > 0) depart(p, &p->to_board, bytes, (size_t)count);
    bench_send(p->bench, bytes, arrive(p, &p->to_board, bytes, sizeof bytes));
    depart(p, &p->from_board, bytes, bench_receive(p->bench, bytes, NULL, sizeof bytes));
    size_t back = arrive(p, &p->from_board, bytes, sizeof bytes);
    if (back == 0 || p->terminal < 0 || p->silent) return;
    /* A host that does not read loses what is sent, as on a real line. */
    if (write(p->terminal, bytes, back) < 0 && errno != EAGAIN) unplug(p);
}

static uint8_t shown_face(uint8_t lines) {
    static const uint8_t faces[16] = {[1] = 1, [2] = 2, [3] = 3, [6] = 4, [7] = 5, [14] = 6};
    return faces[lines & 15];
}

static void tell_changes(struct program *p) {
    uint8_t lights[LIGHT_COUNT * 3];
    uint8_t lines[DIE_COUNT];
    bench_lights(p->bench, lights);
    if (memcmp(lights, p->lights, sizeof lights) != 0) {
        memcpy(p->lights, lights, sizeof lights);
        char text[sizeof lights * 2 + 1];
        for (size_t i = 0; i < sizeof lights; i++) snprintf(text + i * 2, 3, "%02x", lights[i]);
        say("lights %s", text);
    }
    bench_dice(p->bench, lines);
    if (memcmp(lines, p->dice, sizeof lines) != 0) {
        memcpy(p->dice, lines, sizeof lines);
        say("dice %d %d %d %d", shown_face(lines[0]), shown_face(lines[1]), shown_face(lines[2]), shown_face(lines[3]));
    }
    if (bench_tone_hz(p->bench) != p->tone) {
        p->tone = bench_tone_hz(p->bench);
        say("tone %u", p->tone);
    }
    if (bench_resets(p->bench) != p->resets) {
        p->resets = bench_resets(p->bench);
        say("reset");
    }
}

static bool set_cell(struct program *p, unsigned cell, const char *what) {
    static const struct {
        const char *name;
        uint16_t millivolts;
    } states[] = {{"empty", 2500}, {"white", 3600}, {"black", 1400}, {"open", 0}, {"short", 5000}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (strcmp(what, states[i].name) == 0 && cell < CELL_COUNT) {
            bench_cell(p->bench, (uint8_t)cell, states[i].millivolts);
            return true;
        }
    }
    return false;
}

static bool numbered(struct program *p, const char *word, unsigned n) {
    if (strcmp(word, "press") == 0 && n < BUTTON_COUNT) {
        bench_button(p->bench, (uint8_t)n, true);
    } else if (strcmp(word, "release") == 0 && n < BUTTON_COUNT) {
        bench_button(p->bench, (uint8_t)n, false);
    } else if (strcmp(word, "tap") == 0 && n < BUTTON_COUNT) {
        bench_button(p->bench, (uint8_t)n, true);
        p->let_go_ms[n] = p->ran_ms + TAP_MS;
    } else if (strcmp(word, "dead") == 0 && n < LIGHT_COUNT) {
        bench_light_dead(p->bench, (uint8_t)n, true);
    } else if (strcmp(word, "alive") == 0 && n < LIGHT_COUNT) {
        bench_light_dead(p->bench, (uint8_t)n, false);
    } else if (strcmp(word, "drop") == 0) {
        p->drop_ppm = n;
    } else if (strcmp(word, "garble") == 0) {
        p->garble_ppm = n;
    } else if (strcmp(word, "slow") == 0) {
        p->slow_ms = n;
    } else if (strcmp(word, "silent") == 0) {
        p->silent = n != 0;
    } else {
        return false;
    }
    return true;
}

static bool plain(struct program *p, const char *word) {
    if (strcmp(word, "reset") == 0) {
        bench_reset(p->bench, BENCH_EXTERNAL);
    } else if (strcmp(word, "brownout") == 0) {
        bench_reset(p->bench, BENCH_BROWN_OUT);
    } else if (strcmp(word, "hang") == 0) {
        bench_hang(p->bench);
    } else if (strcmp(word, "unplug") == 0) {
        unplug(p);
    } else if (strcmp(word, "plug") == 0) {
        if (p->terminal < 0 && !plug(p)) return false;
    } else if (strcmp(word, "quit") == 0) {
        p->ended = true;
    } else {
        return false;
    }
    return true;
}

static void obey(struct program *p, const char *line) {
    char word[16] = "", third[16] = "";
    unsigned n = 0;
    int parts = sscanf(line, "%15s %u %15s", word, &n, third);
    bool done = parts == 1   ? plain(p, word)
                : parts == 2 ? numbered(p, word, n)
                : parts == 3 ? strcmp(word, "cell") == 0 && set_cell(p, n, third)
                             : parts <= 0;
    if (!done) fprintf(stderr, "barpoint-simavr: cannot do: %s\n", line);
}

static void read_orders(struct program *p) {
    static char line[256];
    static size_t length;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (!p->ended && poll(&input, 1, 0) > 0) {
        char byte;
        if (read(STDIN_FILENO, &byte, 1) != 1) {
            p->ended = true;
        } else if (byte == '\n') {
            line[length] = 0;
            length = 0;
            obey(p, line);
        } else if (length < sizeof line - 1) {
            line[length++] = byte;
        }
    }
}

static void let_go(struct program *p) {
    for (uint8_t i = 0; i < BUTTON_COUNT; i++) {
        if (p->let_go_ms[i] == 0 || p->ran_ms < p->let_go_ms[i]) continue;
        p->let_go_ms[i] = 0;
        bench_button(p->bench, i, false);
    }
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void run(struct program *p) {
    double began_ms = now_ms();
    uint64_t target = bench_cycle(p->bench);
    while (!p->ended) {
        double due_ms = now_ms() - began_ms;
        if (due_ms < (double)p->ran_ms) {
            struct timespec rest = {.tv_nsec = 500000};
            nanosleep(&rest, NULL);
            continue;
        }
        if (due_ms - (double)p->ran_ms > BEHIND_MOST_MS) began_ms += due_ms - (double)p->ran_ms - BEHIND_MOST_MS;
        read_orders(p);
        let_go(p);
        move_bytes(p);
        target += CYCLES_PER_MS;
        if (!bench_run_until(p->bench, target)) {
            fprintf(stderr, "barpoint-simavr: the chip has crashed\n");
            exit(1);
        }
        tell_changes(p);
        p->ran_ms++;
    }
}

static void load_eeprom(struct program *p, const char *path) {
    uint8_t bytes[EEPROM_SIZE];
    FILE *file = fopen(path, "rb");
    if (!file) return; /* a new board */
    if (fread(bytes, 1, p->eeprom_size, file) == p->eeprom_size) bench_eeprom_set(p->bench, bytes, p->eeprom_size);
    fclose(file);
}

static bool save_eeprom(struct program *p, const char *path) {
    uint8_t bytes[EEPROM_SIZE];
    bench_eeprom_get(p->bench, bytes, p->eeprom_size);
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool written = fwrite(bytes, 1, p->eeprom_size, file) == p->eeprom_size;
    return fclose(file) == 0 && written;
}

int main(int count, char **words) {
    const char *elf = NULL, *chip = "atmega2560", *eeprom = NULL;
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--chip") == 0 && i + 1 < count) {
            chip = words[++i];
        } else if (strcmp(words[i], "--eeprom") == 0 && i + 1 < count) {
            eeprom = words[++i];
        } else {
            elf = words[i];
        }
    }
    if (!elf) {
        fprintf(stderr, "usage: barpoint-simavr [--chip NAME] [--eeprom FILE] ELF\n");
        return 2;
    }
    static struct program p = {.terminal = -1, .chance = 0x9e3779b97f4a7c15u};
    p.eeprom_size = strcmp(chip, "atmega2560") == 0 ? 4096 : 1024;
    p.bench = bench_new(elf, chip);
    if (!p.bench) {
        fprintf(stderr, "barpoint-simavr: cannot run %s on %s\n", elf, chip);
        return 1;
    }
    if (eeprom) {
        load_eeprom(&p, eeprom);
        bench_reset(p.bench, BENCH_POWER_ON); /* the boot count is read at the start */
        p.resets = bench_resets(p.bench);
    }
    if (!plug(&p)) {
        fprintf(stderr, "barpoint-simavr: no pseudo terminal: %s\n", strerror(errno));
        return 1;
    }
    run(&p);
    if (eeprom && !save_eeprom(&p, eeprom)) {
        fprintf(stderr, "barpoint-simavr: cannot write %s\n", eeprom);
        return 1;
    }
    return 0;
}
