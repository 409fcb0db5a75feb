/* The smallest test frame that does: a failed check says where and ends the run. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(holds)                                                              \
    do {                                                                          \
        if (!(holds)) {                                                           \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)

#define RUN(test)                          \
    do {                                   \
        host_reset();                      \
        test();                            \
        printf("ok %s\n", #test);          \
    } while (0)

void frame_tests(void);
void parts_tests(void);
void board_tests(void);
void fuzz_tests(void);

#endif
