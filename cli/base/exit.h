/* exit.h: exit.c: how things end here: a status, and the reason in one line. */
#pragma once

#include "ringsim.h"
#include "ringsim_viz.h"

#include <stdio.h>

#define _(text) rv_gettext(text)
#define ngettext(one, many, n) rv_ngettext(one, many, n)
#define N_(text) text /* marks a text of a table for translation */

/* The program's exit status; what a function of this room returns. */
typedef enum rc_exit {
    RC_GOOD = 0,
    RC_NO = 1,          /* the answer is "no" */
    RC_USAGE = 2,       /* wrong usage or bad input; nothing was written */
    RC_LACKS = 3,       /* this machine or build lacks what was asked for by name */
    RC_CANCELLED = 130, /* Ctrl-C */
} rc_exit;

/* Writes the message into *error and returns `code`. */
rc_exit rc_fail(rs_error *error, rc_exit code, const char *format, ...) RS_PRINTF(3, 4);
/* Puts what the format makes before the reason in *error, "FILE: line 3: ...", unless all is well. Returns the status. */
rc_exit rc_prefix(rs_error *error, rc_exit status, const char *format, ...) RS_PRINTF(3, 4);
/* Says that there is no memory, and what to do. */
rc_exit rc_no_memory(rs_error *error);
/* Puts the message into the reader's language, where it stays. Returns its text. */
const char *rc_said(rs_error *error);
/* Returns what a status of the libraries means to the shell. */
rc_exit rc_exit_of(rs_status status);
/* The same of a reader of files, which needs a library that this build may lack. */
rc_exit rc_exit_of_reader(rs_status status);
/* Prints the reason on one line of stderr, whatever bytes were typed. Only for main.c and commands. */
void rc_complain(const rs_error *error);
