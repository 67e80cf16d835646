/* viewed.h: a run that is ready to be looked at, for the tests of the views. */
#ifndef TESTS_VIEWED_H
#define TESTS_VIEWED_H

#include "terminal/compose.h"
#include "model/model.h"

typedef struct viewed {
    rs_arena arena;
    rs_error error;
    rs_schedule schedule;
    rs_request request;
    rs_report report;
    rv_model *model;
} viewed;

/* Fills in the defaults: i32 sum, 100 MB a rank, 5 us, 20 GB/s; request may be changed afterwards. */
void viewed_prepare(viewed *v, const char *algorithm, int32_t n_ranks);
/* The same for a schedule from text. */
void viewed_prepare_text(viewed *v, const char *text);
/* Runs it and makes the model; false: v->error says why. */
bool viewed_run(viewed *v);
void viewed_free(viewed *v);

/* The text that a test looks at: what the views write, and screens as lines. */
typedef struct viewed_text {
    char bytes[1 << 20];
    size_t used;
} viewed_text;
extern viewed_text viewed_shown;
/* An rs_write that appends to a viewed_text. */
void viewed_collect(void *context, const char *bytes, size_t n_bytes);
/* Puts the screen's lines into viewed_shown, and returns them. */
const char *viewed_lines(const rv_screen *screen);
rv_screen viewed_screen(int width, int height);
/* Wants every line to be as wide as the screen. */
void viewed_expect_full_width(const rv_screen *screen, const char *name);

/* Switches to Chinese; false where no catalogue was built. */
bool viewed_chinese(void);

#endif
