/* compose_numbers.c: the numbers that a reader sets with keys, in one line; the one that the keys move is
 * marked.
 *
 *      Numbers >GPUs 5   Size 100 MB   Latency 5 us   Bandwidth 20 GB/s   / . ,
 */
#include "stage/stage.h"
#include "terminal/compose.h"
#include "text/words.h"

#include <stdio.h>

enum { HEAD = 9 };

int rv_number_lines(rv_composition *page, int most) {
    return page->stage != NULL && most > 0 ? 1 : 0;
}

void rv_compose_numbers(const rv_composition *page, int y, int n_lines) {
    const rv_stage *stage = page->stage;
    const int width = page->width;
    if (stage == NULL || n_lines < 1) return;
    rv_put_words(page->screen, 1, y, HEAD - 1, RV_DIM, _("Numbers"));
    int x = HEAD;
    for (int knob = 0; knob < RV_N_KNOBS; knob++) {
        const bool chosen = (rv_knob)knob == stage->knob;
        char value[64], text[128];
        rv_knob_text(&stage->what_if->setup, (rv_knob)knob, value, sizeof value);
        snprintf(text, sizeof text, "%s %s", rv_knob_name((rv_knob)knob), value);
        if (chosen) {
            rv_put(page->screen, x, y, 1, RV_CHOSEN, rv_glyphs_of(page->playback)->chosen);
        }
        x = rv_put_words(page->screen, x + 1, y, width - x - 1, chosen ? RV_CHOSEN : RV_PLAIN,
                         text) +
            1;
    }
    const char *keys = _("/ next, . more, , less");
    if (x + 1 + rv_text_width(keys) < width) {
        rv_put(page->screen, x + 1, y, width - x - 1, RV_DIM, keys);
    }
}
