/* compose_legend.c: what the table's signs mean: on the screen if there is a line for it, and
 * always in the help.
 */
#include "terminal/compose.h"
#include "text/say.h"

#include <stdio.h>

enum { TEXT = 256 };

/* Says how to read a cell's text; its marks are explained elsewhere. */
static void say_cell(rv_say *say, const rv_playback *playback, rv_detail detail) {
    const rv_glyphs *glyphs = rv_glyphs_of(playback);
    switch (detail) {
    case RV_TWO_LINES:
    case RV_ONE_LINE: rv_say_more(say, _("A%sC data of GPU 0, 2"), glyphs->outside); break;
    case RV_RANGES: rv_say_more(say, "%s", _("7..1 whose data are inside")); break;
    case RV_COUNTS: rv_say_more(say, "%s", _("12 how many GPUs are inside")); break;
    case RV_SIGNS:
        rv_say_more(say, _("%s own  %s..%s more inside"), glyphs->own, glyphs->partly[0],
                    glyphs->partly[6]);
        break;
    case RV_VALUES:
    case RV_NO_CELLS: break;
    }
}

/* Says what the marks mean. Where it is tight, those of other moments are left out. */
static void say_marks(rv_say *say, const rv_model *model, bool tight) {
    if (!tight || model->moment == RV_SEND) rv_say_more(say, "%s", _("> leaves  "));
    if (!tight || model->moment == RV_ARRIVE) rv_say_more(say, "%s", _("< arrived  "));
    rv_say_more(say, "%s", _("+ added  = copied  * complete  "));
    if (rv_result_is_wrong(model->report)) rv_say_more(say, "%s", _("! wrong  "));
    if (rv_troubled(model)) rv_say_more(say, "%s", _("x dead, or not sent  "));
    if (model->schedule->max_sends > 1) rv_say_more(say, "%s", _("& and more  "));
}

void rv_compose_legend(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y) {
    char text[TEXT];
    for (int tight = 0; tight < 2; tight++) {
        rv_say say = rv_say_to(text, sizeof text);
        if (plan->detail == RV_NO_CELLS) {
            rv_say_more(&say, "%s",
                        _("sends: + is added there  = is copied there  x does not happen"));
        } else {
            say_marks(&say, playback->subject.model, tight == 1);
            say_cell(&say, playback, plan->detail);
        }
        rv_name_ranks(playback->subject.model, text, sizeof text);
        if (rv_text_width(text) <= screen->width - 1) break;
    }
    rv_put_words(screen, 1, y, screen->width - 1, RV_DIM, text);
}
