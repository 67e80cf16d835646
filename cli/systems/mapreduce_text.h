/* mapreduce_text.h: the text of `mapreduce`, wherever it lies. */
#ifndef RC_MAPREDUCE_TEXT_H
#define RC_MAPREDUCE_TEXT_H

#include "ringsim_mapreduce.h"
#include "run/command.h"

typedef struct rc_text {
    rs_mr_text source;
    const char *file; /* NULL: it was typed */
    int descriptor;   /* -1: it is in memory */
} rc_text;

/* Opens what was typed behind --text. *text must stay where it is until it is closed. */
rc_exit rc_text_open(rc_session *session, const char *typed, rc_text *text);
/* Closes the file, if there is one. */
void rc_text_close(rc_text *text);

#endif
