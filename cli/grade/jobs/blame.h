/* blame.h: broken jobs: their dumps are handed out, and handed in is who broke them.
 *
 *     secret, student --> seed --rc_hand_out--> FOLDER/job1 ... job5, a dump a rank
 *                          |
 *     my.ranks --rc_read_blame--> named ranks --rc_judge_blame--> points, and what a wrong answer has overlooked
 */
#pragma once

#include "ringsim_hang.h"
#include "run/command.h"

enum { RC_BLAME_TEXT = 400, RC_BLAME_BYTES = 65536 /* of a file, at the most */ };

/* What is said of one job. */
typedef struct rc_blame_line {
    bool given;
    int rank, line; /* line: of train.py; -1: none was named */
} rc_blame_line;

bool rc_is_ranks(const char *path); /* its name ends in .ranks */
/* Reads "1 3 train.py:45" for each job: its number, the rank, the line, which may be left out. The text is cut into
   pieces. trouble: what is wrong with the first wrong line, "" if nothing is. */
void rc_read_blame(char *text, size_t n_bytes, rc_blame_line said[RN_BROKEN_JOBS],
                   char trouble[RC_BLAME_TEXT]);
/* Judges what is said of the job of that number, from 0. `most` points are for all of it, half of them for the rank alone;
   why: what it overlooked, "" if nothing. */
rs_status rc_judge_blame(uint64_t seed, int job, const rc_blame_line *said, int most,
                         rs_arena *arena, rs_error *error, int *points, char why[RC_BLAME_TEXT]);

/* Writes the dumps of the jobs of this seed, FOLDER/job1 to job5, and FOLDER/example; dumps of earlier ones there go
   first. */
rc_exit rc_hand_out(rc_session *session, uint64_t seed, const char *folder);
