/* compose_ring.h: the figure of ranks, wires and what travels on them, above the table.
 *
 *     > GPU 0 --c0 1 +--> GPU 1 --c1 20 +-> GPU 2       a loop, where all send to their neighbours
 *         ^                                   |         (compose_ring.c)
 *     c4 50005 +                           c2 300 +
 *         |                                   v
 *         +-------------- GPU 4 <-c3 4000 +-GPU 3
 *
 *       GPU 0      GPU 1      GPU 2      GPU 3          arcs, for all others (compose_arcs.c)
 *         <---c0 10 +--o        <---c0 1000 +-o
 *
 *   - It is as high at every step of a run, so that nothing below it moves.
 */
#ifndef RV_COMPOSE_RING_H
#define RV_COMPOSE_RING_H

#include "terminal/compose.h"

enum { RV_MOST_SENT = 32, RV_SENT_BYTES = 64, RV_LOOP_LINES = 5 };

/* What one rank sends to another in a step, as a wire shows it. */
typedef struct rv_sent {
    int32_t src, dst, chunk;
    bool both;                      /* the same goes the other way */
    char text[RV_SENT_BYTES];       /* "c0 50005 +" */
    char short_text[RV_SENT_BYTES]; /* "c0+" */
    rv_style style;
} rv_sent;

typedef struct rv_sent_list {
    rv_sent sent[RV_MOST_SENT];
    int n;
} rv_sent_list;

/* The signs that lines are made of. */
typedef struct rv_line_signs {
    const char *across, *down, *to_right, *to_left, *to_top, *to_bottom, *corner, *from;
} rv_line_signs;
const rv_line_signs *rv_line_signs_of(const rv_playback *playback);

/* Lists what is sent in a step; false: it is more than a figure can show. */
bool rv_list_sent(const rv_playback *playback, int32_t step, rv_sent_list *list);
/* Writes a rank's name, as the table does; `wide`: "GPU 3", else "3". Returns its width. */
int rv_put_rank(const rv_playback *playback, rv_screen *screen, int x, int y, int32_t rank,
                bool wide);
/* Writes in the middle of n columns what fits: the text, the short one, or nothing. */
void rv_put_sent(rv_screen *screen, int x, int y, int n, const rv_sent *sent, rv_moment moment);

/* How many lines the arcs of all steps need at most, with the names above them; 0: they do not fit. */
int rv_arcs_lines(const rv_playback *playback, int width, int most);
/* Draws the arcs of what is sent in a step; `bare`: without a word of it. */
void rv_compose_arcs(const rv_composition *page, const rv_sent_list *list, bool bare, int y,
                     int n_lines);

#endif
