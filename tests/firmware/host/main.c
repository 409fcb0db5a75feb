#include "check.h"

int main(void) {
    frame_tests();
    parts_tests();
    board_tests();
    fuzz_tests();
    puts("all host tests passed");
    return 0;
}
