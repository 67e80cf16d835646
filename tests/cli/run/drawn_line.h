/* drawn_line.h: a command line that nobody would think of: a command and options of its own table, each with a value of
 * its own type, drawn by chance (support/session.h has the seed).
 *
 *     session_begin(7);  draw_line(0, line);        "run --gpus 4 --bytes 64KiB --late 2:40us --algo tree"
 */
#pragma once

enum { LINE = 600 };

/* How many kinds of line there are: commands with what always stands behind them. */
extern const int n_line_kinds;
/* Draws a line of that kind, words between single blanks: its command, an operand, what the kind always has, then up to
   four options. It reads {four,slow,dead,zero}.trace, {tree,short}.sched, learner.c, links.csv, perf.txt, jobs/,
   assets/, lessons/ and tests/; it writes out.* and out/. */
void draw_line(int kind, char line[LINE]);
