/* program_text.h: a program that a test writes piece by piece, by chance. Each program includes it once.
 *
 *     begin_program("int send_chunk(int step, int rank, int n) {\n");  add("return %d; }\n", draw(4));   ... program ...
 */
#pragma once

#include "ask_program.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PROGRAM_ROOM = 1 << 17 };
static char program[PROGRAM_ROOM];
static size_t n_program;
static uint64_t state;

static inline int draw(int below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % (uint32_t)below);
}

__attribute__((format(printf, 1, 2))) static inline void add(const char *form, ...) {
    va_list list;
    va_start(list, form);
    n_program += (size_t)vsnprintf(program + n_program, PROGRAM_ROOM - n_program, form, list);
    va_end(list);
    cr_assert_lt(n_program, PROGRAM_ROOM - 1);
}

static inline void begin_program(const char *head) {
    n_program = 0;
    state = 1;
    add("%s", head);
}
