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
    case RV_ONE_LINE: rv_say_more(say, _("0%s2 whose data are inside"), glyphs->outside); break;
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

void rv_compose_legend(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y) {
    char text[TEXT];
    rv_say say = rv_say_to(text, sizeof text);
    if (plan->detail == RV_NO_CELLS) {
        rv_say_more(&say, "%s", _("sends: + is added there  = is copied there  x does not happen"));
    } else {
        rv_say_more(&say, "%s", _("> leaves  < arrived  + added  = copied  * complete"));
        rv_say_more(&say, "  ");
        say_cell(&say, playback, plan->detail);
    }
    rv_put_words(screen, 1, y, screen->width - 1, RV_DIM, text);
}
