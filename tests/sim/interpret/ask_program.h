/* ask_program.h: interprets a text and asks it. */
#pragma once

#include "ringsim_interpret.h"

enum { ASKED_BYTES = 4096 };
extern const char asked_header[]; /* what ring.h declares here */
/* the last answer; what was printed */
extern char asked_answer[ASKED_BYTES], asked_said[ASKED_BYTES];

/* Asks a program a question; returns its answer, or "line 3: what is wrong", until the next call. */
const char *ask_program(const char *text, const char *question);
/* The same of the body of world_size(a, b, c), with a = 7, b = -3, c = 2; it begins in line 4. */
const char *run_body(const char *body);
