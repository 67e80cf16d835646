/* explain_draw.h: what the files of `ringsim explain` show, drawn as a run or as a machine. */
#pragma once

#include "explain/explain.h"

/* What is drawn; any: the first of these that there is. */
typedef enum rc_draw { RC_DRAW_ANY, RC_DRAW_RINGS, RC_DRAW_TREES, RC_DRAW_MACHINE } rc_draw;

typedef struct rc_drawing {
    rc_draw what;
    bool has_schedule;
    bool own_rings; /* that ringsim searched on the box */
    rs_schedule schedule;
    char *text; /* the schedule as .sched, n_bytes */
    size_t n_bytes;
    const rc_explained *box; /* a topology or a matrix; NULL: there is none */
} rc_drawing;

/* Finds what d->what names in the files; RC_USAGE: there is nothing of it. */
rc_exit rc_find_drawing(rc_session *session, const rc_explained files[], int n_files,
                        rc_drawing *d);
/* Makes what is drawn a subject; where it is nothing, the ring on --machine. */
rc_exit rc_drawing_subject(rc_session *session, const rc_drawing *d, rv_subject *subject);
/* Draws --export's file, and if it walks shows it as `run` does; a ring lies on the box among the files that has as many
   GPUs, or on --machine. Tells of --save, too, where it runs. */
rc_exit rc_show_drawing(rc_session *session, const rc_drawing *d, bool walks);
