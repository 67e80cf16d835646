/* compose_help.c: the help, over the whole screen: the keys, from the one table, and the table's
   signs. */
#include "stage/panel.h"
#include "terminal/compose.h"
#include "text/say.h"
#include "text/words.h"

static bool is_here(const rv_playback *playback, const rv_key_row *row) {
    return row->not_here == NULL && !row->lesson_only &&
           rv_takes(&playback->subject, row->action) &&
           !rv_is_of_others(&playback->subject, row->action);
}

/* Returns the n-th row that means something here; RV_NO_ACTION: there are no more. */
static rv_key_row row_here(const rv_playback *playback, int n) {
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (is_here(playback, &row) && n-- == 0) break;
    }
    return row;
}

static void compose_heading(rv_screen *screen, int y, int n_rows, int n_seen) {
    char text[128];
    rv_say say = rv_say_to(text, sizeof text);
    if (n_seen < n_rows) {
        rv_say_more(&say, _("Keys %d-%d of %d (Down, PgDn: more; any other key but q closes this)"),
                    screen->first + 1, screen->first + n_seen, n_rows);
    } else {
        rv_say_more(&say, "%s", _("Keys (any key but q closes this)"));
    }
    rv_fill_row(screen, 0, y, screen->width, RV_TITLE);
    rv_put_words(screen, 2, y, screen->width - 2, RV_TITLE, text);
}

void rv_compose_help(const rv_playback *playback, const rv_plan *plan, rv_screen *screen) {
    int names = 0, n_rows = 0;
    for (rv_key_row row; (row = row_here(playback, n_rows)).action != RV_NO_ACTION; n_rows++) {
        const int width = rv_text_width(rv_gettext(row.names));
        if (width > names) names = width;
    }
    const int height = n_rows + 3 < screen->height ? n_rows + 3 : screen->height;
    const int top = (screen->height - height) / 2, room = height - (height < 4 ? 1 : 2);
    const int n_seen = n_rows < room ? n_rows : room, below = n_rows - n_seen;
    screen->first = playback->first < below ? playback->first : below;
    screen->n_below = below - screen->first;
    for (int y = top; y < top + height; y++) rv_fill_row(screen, 0, y, screen->width, RV_PLAIN);
    compose_heading(screen, top, n_rows, n_seen);
    for (int i = 0; i < n_seen; i++) {
        const rv_key_row row = row_here(playback, screen->first + i);
        rv_put_words(screen, 2, top + 1 + i, screen->width - 3, RV_BOLD, rv_gettext(row.names));
        rv_put_words(screen, names + 4, top + 1 + i, screen->width - names - 4, RV_PLAIN,
                     rv_help_of(&playback->subject, &row));
    }
    if (height > 3 && plan != NULL) rv_compose_legend(playback, plan, screen, top + height - 1);
}
