/* compose_help.c: the help, over the whole screen: the keys, from the one table, and the table's
   signs. */
#include "stage/panel.h"
#include "terminal/compose.h"
#include "text/words.h"

static bool is_here(const rv_playback *playback, const rv_key_row *row) {
    const bool parts = playback->subject.kind->next_part != NULL && row->action == RV_SHOW_ALL;
    return (!row->window_only || parts) && rv_takes(&playback->subject, row->action) &&
           !rv_is_of_others(&playback->subject, row->action);
}

void rv_compose_help(const rv_playback *playback, const rv_plan *plan, rv_screen *screen) {
    int names = 0, n = 0;
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (!is_here(playback, &row)) continue;
        const int width = rv_text_width(rv_gettext(row.names));
        if (width > names) names = width;
        n++;
    }
    const int height = n + 3 < screen->height ? n + 3 : screen->height;
    const int top = (screen->height - height) / 2;
    const int width = screen->width, left = 0;
    for (int y = top; y < top + height; y++) rv_fill_row(screen, left, y, width, RV_PLAIN);
    rv_fill_row(screen, left, top, width, RV_TITLE);
    rv_put_words(screen, left + 2, top, width - 2, RV_TITLE, _("Keys (any key but q closes this)"));
    int y = top + 1;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION && y < top + height; i++) {
        if (!is_here(playback, &row)) continue;
        rv_put_words(screen, left + 2, y, width - 3, RV_BOLD, rv_gettext(row.names));
        rv_put_words(screen, left + names + 4, y, width - names - 4, RV_PLAIN,
                     playback->subject.kind->help(&row));
        y++;
    }
    if (height < n + 2) {
        rv_fill_row(screen, left, top + height - 1, width, RV_PLAIN);
        rv_put(screen, left + 2, top + height - 1, width - 3, RV_DIM, "...");
    }
    if (y < top + height && plan != NULL)
        rv_compose_legend(playback, plan, screen, top + height - 1);
}
