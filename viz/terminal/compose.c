/* compose.c: the whole picture: which part gets how many lines, from the most to the least
 * important.
 *
 * The caption gets the same lines at every step, so that the table below it does not move.
 */
#include "terminal/compose.h"
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/say.h"

#include <assert.h>

enum { TEXT = 512, ALL_LINES = 1000 };

static void compose_caption(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    char text[TEXT];
    if (rv_is_hidden(playback)) {
        rv_question_text(&playback->question, text, sizeof text);
        rv_name_ranks(playback->subject.model, text, sizeof text);
    } else {
        rv_caption(playback->subject.model, playback->rank, text, sizeof text);
    }
    const int used = rv_put_wrapped(screen, 1, y, n_lines, RV_BOLD, text);
    if (rv_is_hidden(playback)) return;
    if (rv_trouble_text(playback->subject.model, text, sizeof text) > 0) {
        rv_put_wrapped(screen, 1, y + used, n_lines - used, RV_WARNING, text);
    } else if (rv_gain_text(playback->subject.model, text, sizeof text) > 0) {
        rv_put_wrapped(screen, 1, y + used, n_lines - used, RV_PLAIN, text);
    }
}

/* How many lines each part gets. */
typedef struct layout {
    int title, phases, caption, legend, message, hint;
    int views[RV_MOST_VIEWS], n_views; /* of each view on the page; of all of them */
} layout;

bool rv_is_on_page(const rv_composition *page, int index) {
    const rv_panel *panel = rv_panels[index];
    assert((panel->lines == NULL) == (panel->compose == NULL));
    const bool open = page->stage != NULL ? (page->stage->views & 1u << index) != 0
                                          : panel->always || (page->playback->views & 1u << index);
    return panel->lines != NULL && open && rv_view_fits(index, &page->playback->subject);
}

static int at_most(int wanted, int *left) {
    const int given = wanted < *left ? wanted : *left > 0 ? *left : 0;
    *left -= given;
    return given;
}

/* Gives each view on the page at most `most` more lines; with `fill` those views that take what is
   left, else the others. */
static void share_views(rv_composition *page, bool fill, int most, int *left, layout *l) {
    for (int i = 1; rv_view(i) != NULL; i++) { /* the ring has its lines already */
        if (rv_panels[i]->fills != fill || !rv_is_on_page(page, i)) continue;
        const int wanted = rv_panels[i]->lines(page, l->views[i] + most) - l->views[i];
        const int given = fill ? wanted : at_most(wanted < most ? wanted : most, left);
        if (fill) *left -= given;
        l->views[i] += given;
        l->n_views += given;
    }
}

/* Gives the ring its lines, if the table below it keeps one for each GPU. */
static void give_ring(rv_composition *page, int *left, layout *l) {
    enum { OTHERS = 5 }; /* phases, the table's header, a line of costs, the legend, a message */
    const int most = *left - OTHERS - page->playback->subject.model->n_ranks;
    if (!rv_is_on_page(page, 0)) return;
    l->views[0] = rv_panels[0]->lines(page, most);
    page->ring = l->views[0] > 0;
    *left -= l->views[0];
    l->n_views += l->views[0];
}

/* Tells whether a view has fewer lines than it wants; the table of cells says so itself. */
static bool is_short(rv_composition *page, const layout *l, int index) {
    const rv_panel *panel = rv_panels[index];
    return index > 0 && !panel->fills && rv_is_on_page(page, index) &&
           panel->lines(page, ALL_LINES) > l->views[index];
}

/* Takes a line from the table of cells, so that there is one to say which views are short. */
static void make_room_to_say(rv_composition *page, layout *l) {
    enum { LEAST = 4 };
    bool any = false;
    for (int i = 1; rv_view(i) != NULL; i++) any = any || is_short(page, l, i);
    for (int i = 1; rv_view(i) != NULL && any && l->message == 0; i++) {
        if (!rv_panels[i]->fills || l->views[i] < LEAST) continue;
        const int kept = rv_panels[i]->lines(page, l->views[i] - 1);
        int left = l->views[i] - kept - 1;
        l->n_views -= l->views[i] - kept;
        l->views[i] = kept;
        l->message = 1;
        share_views(page, false, left, &left, l);
    }
}

static layout lay_out(rv_composition *page) {
    const rv_model *model = page->playback->subject.model;
    const int width = page->width, height = page->height;
    layout l = {0};
    l.title = height < 8 ? 0 : 1; /* on a very small screen the caption is more important */
    int left = height - l.title;
    const int few = height < 8 ? 1 : 3, rows = model->n_ranks < few ? model->n_ranks : few;
    const int trouble = !rv_troubled(model) ? 0 : height < 24 || model->n_ranks > 8 ? 1 : 2;
    const bool ample = height >= 24 && model->n_ranks <= 5; /* what was gained takes two */
    const int lines = height < 6 ? 2 : height < 8 ? 3 : (width < 70 || ample ? 3 : 2) + trouble;
    l.caption = at_most(height < 5 ? 1 : lines, &left);
    const int least = at_most(1 + rows, &left);
    l.hint = at_most(1, &left);
    left += least;
    if (height >= 20) give_ring(page, &left, &l);
    left -= least;
    const bool tight = height < 12 || (page->ring && left < model->n_ranks + 6);
    share_views(page, false, tight ? 1 : 2, &left, &l);
    l.phases = at_most(1, &left);
    left += least;
    if (page->ring) l.legend = at_most(1, &left), l.message = at_most(1, &left);
    share_views(page, true, left, &left, &l);
    if (!page->ring) l.legend = at_most(height < 20 ? 0 : 1, &left);
    if (height >= 12) share_views(page, false, height, &left, &l);
    if (l.message == 0) l.message = at_most(width < 70 ? 2 : 1, &left);
    if (page->stage != NULL) make_room_to_say(page, &l);
    return l;
}

/* Says which of the views have fewer lines than they want: by hand many can be opened. */
static void compose_short(rv_composition *page, const layout *l, int y) {
    char text[TEXT];
    rv_say say = rv_say_to(text, sizeof text);
    for (int i = 1; rv_view(i) != NULL; i++) {
        if (!is_short(page, l, i)) continue;
        rv_say_more(&say, "%s%s",
                    say.used > 0 ? _(", ") : _("Not all lines fit, a taller terminal shows more: "),
                    _(rv_panels[i]->name));
    }
    rv_put_words(page->screen, 1, y, page->width - 2, RV_DIM, text);
}

static void compose_run(const rv_stage *stage, const rv_playback *playback, rv_screen *screen) {
    rv_composition page = {
        .playback = playback, .stage = stage, .width = screen->width, .height = screen->height};
    const layout l = lay_out(&page);
    const int height = page.height;
    const bool cramped = page.width < 60 || height < 16;
    int blanks = height - 1 - l.phases - l.caption - l.n_views - l.legend - l.message - l.hint;
    int y = l.title;
    page.screen = screen;
    if (l.title) rv_compose_title(playback, screen);
    if (l.phases) rv_compose_phases(playback, screen, y++);
    if (blanks > 2) blanks--, y++;
    compose_caption(playback, screen, y, l.caption);
    y += l.caption;
    if (blanks > 1) blanks--, y++;
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (l.views[i] == 0) continue;
        const bool fills = rv_panels[i]->fills, apart = fills && page.n_row_lines && blanks > 1;
        if (apart) blanks--;
        rv_panels[i]->compose(&page, y, l.views[i] + apart);
        y += l.views[i] + apart;
        if (fills && blanks > 0) y++;
    }
    if (l.legend) rv_compose_legend(playback, &page.plan, screen, y);
    if (l.hint) rv_compose_hint(playback, screen, height - 1, cramped);
    if (l.message > 0 && stage != NULL) compose_short(&page, &l, height - l.hint - 1);
    rv_compose_message(playback, screen, height - l.hint - l.message, l.message);
    if (playback->mode == RV_READING_HELP) rv_compose_help(playback, &page.plan, screen);
}

void rv_compose(const rv_playback *playback, rv_screen *screen) {
    if (playback->subject.kind->frame != NULL) {
        rv_compose_story(playback, screen);
    } else {
        compose_run(NULL, playback, screen);
    }
}

void rv_compose_stage(const rv_stage *stage, rv_screen *screen) {
    if (stage->playback.subject.kind->frame != NULL) {
        rv_compose_story(&stage->playback, screen);
    } else if (stage->other != NULL) {
        rv_compose_race(stage, screen);
    } else {
        compose_run(stage, &stage->playback, screen);
    }
}
