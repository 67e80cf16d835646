/* plain_text.c: a whole run as plain text, and one screen as text or SVG.
 *
 * For pipes, logs, screen readers and tests. Up to MOST_TABLE ranks every step shows its table; up
 * to MOST_TOLD ranks a sentence for each GPU that sends, beyond that one for the followed GPU.
 */
#include "stage/panel.h"
#include "terminal/compose.h"
#include "text/say.h"
#include "terminal/plain_story.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TABLE = 16, MOST_TOLD = 9, FEW_TOLD = 4, LINE = 1024, WIDE = 80 };

/* Writes a panel in at most `most` lines; the costs take all of them. */
static rs_status write_panel(const rv_panel *panel, rv_composition *page, int most,
                             const rv_text_sink *to, rs_error *error) {
    const bool keeps = panel->always && !panel->fills;
    const int n_lines = keeps ? most : panel->lines(page, most);
    rv_screen screen;
    if (n_lines < 1) return RS_OK;
    if (!rv_text_screen_new(page->width, n_lines, &screen)) return rs_no_memory(error);
    page->screen = &screen;
    panel->compose(page, 0, n_lines);
    rv_screen_text(&screen, to->write, to->context);
    rv_screen_free(&screen);
    return RS_OK;
}

static rs_status write_legend(const rv_composition *page, const rv_text_sink *to, rs_error *error) {
    rv_screen screen;
    if (!rv_text_screen_new(page->width, 1, &screen)) return rs_no_memory(error);
    rv_compose_legend(page->playback, &page->plan, &screen, 0);
    rv_screen_text(&screen, to->write, to->context);
    rv_screen_free(&screen);
    return RS_OK;
}

/* Writes the panels on the page. With many GPUs it leaves out the table, and the costs but at start
   and end. */
static rs_status write_panels(const rv_playback *playback, const rv_text_sink *to,
                              rs_error *error) {
    const rv_model *model = playback->subject.model;
    const bool start = model->step < 0, step = !start && model->step < model->n_steps;
    const bool table = model->cells && model->n_ranks <= MOST_TABLE;
    rv_composition page = {.playback = playback, .width = to->width};
    rs_status status = RS_OK;
    for (int i = 0; rv_view(i) != NULL && status == RS_OK; i++) {
        const rv_panel *panel = rv_panels[i];
        if (!rv_is_on_page(&page, i)) continue;
        if (panel->always && !table && (step || panel->fills)) continue;
        const int most = panel->fills ? 2 * model->n_ranks + 1
                         : step       ? (panel->always ? 2 : 4)
                         : start      ? 4
                                      : 3;
        status = write_panel(panel, &page, most, to, error);
        if (panel->fills && start && status == RS_OK) status = write_legend(&page, to, error);
    }
    return status;
}

static void write_heading(const rv_playback *playback, const rv_text_sink *to) {
    const rv_model *model = playback->subject.model;
    char text[LINE];
    rv_say_text(text, sizeof text, _("Step %d of 0..%d"), (int)model->step,
                (int)model->n_steps - 1);
    rv_write_line(to, "");
    rv_write_line(to, text);
}

/* Writes, at the end of a run that stalled, why each GPU waits; of many GPUs only the first
   ones. */
static void write_waits(const rv_playback *playback, const rv_text_sink *to) {
    const rs_outcome *outcome = &playback->subject.model->report->outcome;
    char text[LINE], one[LINE - 8];
    for (int32_t i = 0; i < outcome->n_stalled; i++) {
        if (outcome->n_stalled > MOST_TOLD && i == FEW_TOLD) {
            rv_say_text(text, sizeof text, _("  and %d more wait"),
                        (int)(outcome->n_stalled - FEW_TOLD));
            rv_write_line(to, text);
            return;
        }
        rv_stall_text(outcome, outcome->stalled[i].rank, one, sizeof one);
        snprintf(text, sizeof text, "  %s", one);
        rv_name_ranks(playback->subject.model, text, sizeof text);
        rv_write_line(to, text);
    }
}

static void write_trouble(const rv_playback *playback, const rv_text_sink *to) {
    char text[LINE];
    if (rv_trouble_text(playback->subject.model, text, sizeof text) > 0) rv_write_line(to, text);
}

/* Writes a sentence for each GPU that sends; of many GPUs only for the followed one. */
static void write_captions(const rv_playback *playback, const rv_text_sink *to) {
    const rv_model *model = playback->subject.model;
    char text[LINE];
    const bool rest = model->step < 0 || model->step >= model->n_steps;
    if (rest || model->n_ranks > MOST_TOLD) {
        rv_caption(model, playback->rank, text, sizeof text);
        rv_write_line(to, text);
        if (model->step >= model->n_steps) write_waits(playback, to);
        return;
    }
    rs_transfer list[64];
    for (int32_t r = 0; r < model->n_ranks; r++) {
        if (model->schedule->max_sends <= 64 &&
            model->schedule->sends(model->schedule, model->step, r, list) == 0) {
            continue;
        }
        rv_caption(model, r, text, sizeof text);
        rv_write_line(to, text);
    }
}

static void write_still(int32_t first, int32_t last, const rv_text_sink *to) {
    char text[LINE];
    rv_say_text(text, sizeof text, _("Steps %d to %d: nothing happens any more"), (int)first,
                (int)last);
    rv_write_line(to, "");
    rv_write_line(to, text);
}

static rs_status write_moment(const rv_playback *playback, const rv_text_sink *to,
                              rs_error *error) {
    const rv_model *model = playback->subject.model;
    const bool step = model->step >= 0 && model->step < model->n_steps;
    if (step) write_heading(playback, to);
    if (model->step >= model->n_steps) rv_write_line(to, "");
    write_captions(playback, to);
    write_trouble(playback, to);
    return write_panels(playback, to, error);
}

static rs_status write_run(const rv_playback *playback, const rv_text_sink *to, rs_error *error) {
    rv_model *model = playback->subject.model;
    const int32_t still = rv_still_from(model) + 1; /* shows one step in which all wait, not more */
    rs_status status = RS_OK;
    while (status == RS_OK) {
        status = write_moment(playback, to, error);
        if (model->step >= model->n_steps || status != RS_OK) break;
        int32_t next = model->step + 1;
        if (next >= still && next < model->n_steps - 1) {
            write_still(next, model->n_steps - 1, to);
            next = model->n_steps;
        }
        status = rv_model_seek(model, next, RV_DONE, error);
    }
    return status;
}

rs_status rv_write_text(const rv_subject *subject, const rv_options *options, rs_write write,
                        void *context, rs_error *error) {
    const rv_text_sink to = {write, context, options->width > 0 ? options->width : WIDE};
    rv_options plain = *options;
    plain.predict = false;
    rv_playback playback;
    rs_status status = rv_playback_start(&playback, subject, &plain, error);
    if (status != RS_OK) return status;
    playback.views |= rv_views_at_start(options->views, subject);
    if (subject->kind->frame == NULL) return write_run(&playback, &to, error);
    return options->figures ? rv_write_figures(&to, &playback, error)
                            : rv_write_frames(&to, &playback, error);
}

rs_status rv_write_svg(const rv_subject *subject, const rv_options *options, rs_write write,
                       void *context, rs_error *error) {
    rv_screen screen;
    rv_playback playback;
    rv_options still = *options;
    still.play = false;
    const rs_status status = rv_playback_start(&playback, subject, &still, error);
    if (status != RS_OK) return status;
    playback.views |= rv_views_at_start(options->views, subject);
    const int width = options->width > 0 ? options->width : WIDE;
    if (!rv_screen_new(width, options->height > 0 ? options->height : 24, &screen)) {
        return rs_no_memory(error);
    }
    rv_compose(&playback, &screen);
    rv_screen_svg(&screen, options->colour, write, context);
    rv_screen_free(&screen);
    return RS_OK;
}
