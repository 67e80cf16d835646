/* compose.c: the whole picture: which part gets how many lines, from the most to the least
 * important.
 *
 * The caption gets the same lines at every step, so that the table below it does not move.
 */
#include "terminal/compose.h"
#include "stage/panel.h"
#include "text/say.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 512 };

static void compose_title(const rv_playback *playback, rv_screen *screen) {
    const rv_model *model = playback->subject.model;
    const rs_request *request = &model->report->request;
    const char *dot = rv_glyphs_of(playback)->dot;
    char text[TEXT], size[32];
    const rs_collective of = model->schedule->collective;
    rv_format_bytes(rs_size_count(model->schedule, request->job.count) * request->job.elem_bytes,
                    size, sizeof size);
    rv_say say = rv_say_to(text, sizeof text);
    if (of == RS_COLL_ALL_REDUCE) {
        rv_say_more(&say, _("%s all-reduce"), model->schedule->name);
    } else {
        rv_say_more(&say, "%s %s", model->schedule->name, rv_collective_word(of));
    }
    rv_say_more(&say, " %s ", dot);
    if (model->n_ranks == 1) {
        rv_say_more(&say, "%s", _("1 GPU"));
    } else {
        rv_say_more(&say, _("%d GPUs"), (int)model->n_ranks);
    }
    rv_say_more(&say, " %s ", dot);
    rv_say_more(&say, _("%s each"), size);
    rv_say_more(&say, " %s %s", dot, rs_dtype_name(request->dtype));
    if (rs_collective_reduces(of)) rv_say_more(&say, " %s", rs_op_name(request->op));
    if (request->job.net.machine != NULL) {
        rv_say_more(&say, " %s %.40s", dot, request->job.net.machine->name);
    }
    if (request->values == RS_VALUES_SAMPLE) {
        rv_say_more(&say, " %s ", dot);
        rv_say_more(&say, "%s", _("one value a chunk"));
    }
    rv_fill_row(screen, 0, 0, screen->width, RV_TITLE);
    rv_put_words(screen, 1, 0, screen->width - 2, RV_TITLE, text);
}

/* Tells whether all phases' names fit beside the step. */
static bool names_fit(const rs_schedule *s, int room) {
    for (int32_t i = 0; i < s->n_phases; i++) {
        room -= rv_text_width(rv_phase_title(s->phases[i].phase)) + 3;
    }
    return room >= 0;
}

/* Returns how many steps a square stands for, so that names and squares fit; 0: no squares. */
static int32_t steps_a_square(const rs_schedule *s, int room) {
    for (int32_t i = 0; i < s->n_phases; i++) {
        room -= rv_text_width(rv_phase_title(s->phases[i].phase)) + 4;
    }
    return room < s->n_phases ? 0 : (s->n_steps + room - 1) / room;
}

/* Draws a square for each step, or for several, phase after phase. */
static void compose_phases(const rv_playback *playback, rv_screen *screen, int y) {
    const rv_model *model = playback->subject.model;
    const rs_schedule *s = model->schedule;
    const rv_glyphs *glyphs = rv_glyphs_of(playback);
    char text[96];
    rv_step_text(playback, text, sizeof text);
    const int end = screen->width - rv_text_width(text) - 2;
    rv_put(screen, end < 1 ? 1 : end + 1, y, TEXT, RV_BOLD, text);
    const bool all = names_fit(s, end - 1);
    const int32_t per = all ? steps_a_square(s, end - 1) : 0;
    const int32_t executed = rv_steps_executed(model); /* a question stands before its step */
    const int32_t still = rv_still_from(model);        /* the squares after a stall stay empty */
    int x = 1;
    for (int32_t i = 0; i < s->n_phases; i++) {
        const int32_t first = s->phases[i].first_step;
        const int32_t last = i + 1 < s->n_phases ? s->phases[i + 1].first_step : s->n_steps;
        const bool here = model->step >= first && model->step < last;
        if (!all && !here) continue;
        x = rv_put(screen, x, y, end - x, here ? RV_BOLD : RV_DIM,
                   rv_phase_title(s->phases[i].phase));
        x = rv_put(screen, x, y, end - x, RV_PLAIN, " ");
        for (int32_t step = first; step < last && per > 0; step += per) {
            const bool done = step < executed && step < still;
            x = rv_put(screen, x, y, end - x, done ? RV_OWN : RV_DIM,
                       done ? glyphs->done : glyphs->to_do);
        }
        x = rv_put(screen, x, y, end - x, RV_PLAIN, "  ");
    }
}

static void compose_caption(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    char text[TEXT];
    if (rv_is_hidden(playback)) {
        rv_question_text(&playback->question, text, sizeof text);
    } else {
        rv_caption(playback->subject.model, playback->rank, text, sizeof text);
    }
    const int used = rv_put_wrapped(screen, 1, y, n_lines, RV_BOLD, text);
    if (rv_is_hidden(playback)) return;
    rv_trouble_text(playback->subject.model, text, sizeof text);
    rv_put_wrapped(screen, 1, y + used, n_lines - used, RV_WARNING, text);
}

/* How many lines each part gets. */
typedef struct layout {
    int title, phases, caption, legend, message, hint;
    int views[RV_MOST_VIEWS], n_views; /* of each view on the page; of all of them */
} layout;

bool rv_is_on_page(const rv_composition *page, int index) {
    const rv_panel *panel = rv_panels[index];
    assert((panel->lines == NULL) == (panel->compose == NULL));
    return panel->lines != NULL && (panel->always || (page->playback->views & 1u << index) != 0) &&
           rv_view_fits(index, &page->playback->subject);
}

static int at_most(int wanted, int *left) {
    const int given = wanted < *left ? wanted : *left > 0 ? *left : 0;
    *left -= given;
    return given;
}

/* Gives each view on the page at most `most` more lines; with `fill` those views that take what is
   left, else the others. */
static void share_views(rv_composition *page, bool fill, int most, int *left, layout *l) {
    for (int i = 0; rv_view(i) != NULL; i++) {
        if (rv_panels[i]->fills != fill || !rv_is_on_page(page, i)) continue;
        const int wanted = rv_panels[i]->lines(page, l->views[i] + most) - l->views[i];
        const int given = fill ? wanted : at_most(wanted < most ? wanted : most, left);
        if (fill) *left -= given;
        l->views[i] += given;
        l->n_views += given;
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
    const int lines = height < 6 ? 2 : height < 8 ? 3 : (width < 70 ? 3 : 2) + trouble;
    l.caption = at_most(height < 5 ? 1 : lines, &left);
    const int least = at_most(1 + rows, &left);
    l.hint = at_most(1, &left);
    share_views(page, false, height < 12 ? 1 : 2, &left, &l);
    l.phases = at_most(1, &left);
    left += least;
    share_views(page, true, left, &left, &l);
    l.legend = at_most(height < 20 ? 0 : 1, &left);
    if (height >= 12) share_views(page, false, height, &left, &l);
    l.message = at_most(width < 70 ? 2 : 1, &left);
    return l;
}

void rv_compose(const rv_playback *playback, rv_screen *screen) {
    if (playback->subject.kind->frame != NULL) {
        rv_compose_story(playback, screen);
        return;
    }
    rv_composition page = {.playback = playback, .width = screen->width, .height = screen->height};
    const layout l = lay_out(&page);
    const int height = page.height;
    const bool cramped = page.width < 60 || height < 16;
    int blanks = height - 1 - l.phases - l.caption - l.n_views - l.legend - l.message - l.hint;
    int y = l.title;
    page.screen = screen;
    if (l.title) compose_title(playback, screen);
    if (l.phases) compose_phases(playback, screen, y++);
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
    rv_compose_message(playback, screen, height - l.hint - l.message, l.message);
    if (playback->mode == RV_READING_HELP) rv_compose_help(playback, &page.plan, screen);
}
