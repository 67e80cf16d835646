/* compose_cost.c: what the run has cost: time (latency apart from transfer), bytes, the lower
 * bound.
 *
 * At the start it compares the times of the run and of its rival, both of them simulated.
 */
#include "model/cost_words.h"
#include "terminal/compose.h"
#include "text/say.h"

#include <stdio.h>

enum { TEXT = 256, BAR = 20, NAME = 9, TIME = 9 };

/* Draws part / whole as a bar of n columns; `rest`: draws also what is missing to the whole. */
static void put_bar(const rv_playback *playback, rv_screen *screen, int x, int y, int n,
                    rv_style style, int64_t part, int64_t whole, bool rest) {
    const rv_glyphs *glyphs = rv_glyphs_of(playback);
    int64_t filled = whole > 0 ? (rv_permille(part, whole) * n + 500) / 1000 : 0;
    if (filled == 0 && part > 0) filled = 1;
    for (int i = 0; i < n; i++) {
        if (i < filled) {
            rv_put(screen, x + i, y, 1, style, glyphs->bar);
        } else if (rest) {
            rv_put(screen, x + i, y, 1, RV_DIM, glyphs->no_bar);
        }
    }
}

static void put_label(rv_screen *screen, int y, const char *label) {
    rv_put(screen, 1, y, NAME - 2, RV_BOLD, label);
}

/* ---------------------------------------------------------------------------------- at the start */

/* Returns the column behind both names. */
static int behind_names(const rv_model *model) {
    const int own = rv_text_width(rv_algorithm_said(model->own.name)),
              rival = rv_text_width(rv_algorithm_said(model->rival.name));
    const int longest = own > rival ? own : rival;
    return longest < NAME ? NAME : longest + 2; /* 8 letters just fit */
}

/* Returns how long the race's bars may be, so that the words beside them fit; 0: no bars. */
static int bar_room(const rv_model *model, int width) {
    int room = width - 1 - behind_names(model) - 1 - TIME - 3;
    const rv_cost *const both[] = {&model->own, &model->rival};
    int words = 0;
    for (int i = 0; i < 2; i++) {
        char text[TEXT] = "";
        if (both[i]->has_split) rv_split_text(&both[i]->split, text, sizeof text);
        if (rv_text_width(text) > words) words = rv_text_width(text);
    }
    room -= words;
    return room < 4 ? 0 : room < BAR ? room : BAR;
}

static void race_line(const rv_playback *playback, rv_screen *screen, int y, const rv_cost *cost,
                      int64_t longest_ps, rv_style style) {
    char text[TEXT], time[32];
    int x = behind_names(playback->subject.model);
    rv_put(screen, 1, y, x - 1, RV_BOLD, rv_algorithm_said(cost->name));
    const int bar = bar_room(playback->subject.model, screen->width);
    put_bar(playback, screen, x, y, bar, style, cost->time_ps, longest_ps, false);
    if (bar > 0) x += bar + 1;
    rv_format_time(cost->time_ps, time, sizeof time);
    snprintf(text, sizeof text, "%*s", TIME, time);
    x = rv_put(screen, x, y, TEXT, RV_BOLD, text);
    if (!cost->has_split) return;
    x = rv_put(screen, x, y, TEXT, RV_PLAIN, " = ");
    rv_split_text(&cost->split, text, sizeof text);
    rv_put_words(screen, x, y, TEXT, RV_PLAIN, text);
}

static void compare_line(const rv_model *model, rv_screen *screen, int y) {
    char text[TEXT];
    rv_race_text(model, &model->rival, RV_RACE_WHY, text, sizeof text);
    if (rv_text_width(text) > screen->width - 2)
        rv_race_text(model, &model->rival, RV_RACE_SENT, text, sizeof text);
    rv_put_words(screen, 1, y, screen->width - 1, RV_PLAIN, text);
}

static void say_share(rv_say *say, const rv_model *model, const rv_cost *cost) {
    char bytes[32], time[32];
    rv_format_percent(model->bound_bytes, cost->most_bytes, bytes, sizeof bytes);
    rv_format_percent(model->report->lower_bound_ps, cost->time_ps, time, sizeof time);
    rv_say_more(say, _("%s %s in bytes, %s in time"), rv_algorithm_said(cost->name), bytes, time);
}

static void bound_line(const rv_model *model, rv_screen *screen, int y, bool rival) {
    char text[TEXT], bytes[32], time[32];
    rv_say say = rv_say_to(text, sizeof text);
    if (!model->own.known || model->own.most_bytes == 0) return;
    if (rv_say_too_little(&say, model)) {
        rv_put_words(screen, 1, y, screen->width - 1, RV_PLAIN, text);
        return;
    }
    rv_format_bytes(model->bound_bytes, bytes, sizeof bytes);
    rv_format_time(model->report->lower_bound_ps, time, sizeof time);
    rv_say_more(&say, _("Lower bound (%s, %s) reached: "), bytes, time);
    say_share(&say, model, &model->own);
    const rv_say alone = say;
    if (rival && model->rival.known) {
        rv_say_more(&say, "%s", _("; "));
        say_share(&say, model, &model->rival);
    }
    if (rv_text_width(text) > screen->width - 2) text[alone.used] = '\0';
    rv_put_words(screen, 1, y, screen->width - 1, RV_PLAIN, text);
}

static void compose_race(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    const rv_model *model = playback->subject.model;
    const rv_cost *own = &model->own, *rival = &model->rival;
    const int64_t longest_ps = own->time_ps > rival->time_ps ? own->time_ps : rival->time_ps;
    if (n_lines > 0) race_line(playback, screen, y, own, longest_ps, RV_OWN);
    if (n_lines > 1) race_line(playback, screen, y + 1, rival, longest_ps, RV_RIVAL);
    if (n_lines > 2) compare_line(model, screen, y + 2);
    if (n_lines > 3) bound_line(model, screen, y + 3, true);
}

/* ------------------------------------------------------------------------------------- on the way */

static void time_line(const rv_playback *playback, rv_screen *screen, int y) {
    const rv_model *model = playback->subject.model;
    char text[TEXT], number[32];
    put_label(screen, y, _("Time"));
    const int64_t now_ps = rv_time_now_ps(model);
    int x = NAME;
    if (now_ps >= 0) {
        rv_format_time(now_ps, number, sizeof number);
        x = rv_put(screen, x, y, TEXT, RV_BOLD, number);
        if (model->own.has_split && now_ps > 0 && model->moment != RV_ARRIVE) {
            const rs_time_split split = rv_split_now(model);
            rv_split_text(&split, text, sizeof text);
            x = rv_put(screen, x, y, TEXT, RV_PLAIN, " = ");
            x = rv_put_words(screen, x, y, TEXT, RV_PLAIN, text);
        }
        x += 3;
    }
    rv_format_time(model->own.time_ps, number, sizeof number);
    snprintf(text, sizeof text, model->own.known ? _("(whole run %s)") : _("(stalled at %s)"),
             number);
    const bool fits = x + rv_text_width(text) <= screen->width || now_ps < 0;
    if (fits && (model->step < model->n_steps || now_ps < 0 || !model->own.known)) {
        rv_put_words(screen, x, y, TEXT, RV_DIM, text);
    }
}

static void bytes_line(const rv_playback *playback, rv_screen *screen, int y) {
    const rv_model *model = playback->subject.model;
    char text[TEXT];
    const int64_t n_bytes = model->sent_bytes[rv_named_sender(playback)];
    const bool wasteful = model->bound_bytes > 0 && rv_is_wasteful(model, n_bytes);
    const rv_style style = wasteful ? RV_WARNING : RV_PLAIN;
    put_label(screen, y, _("Bytes"));
    rv_bytes_text(playback, text, sizeof text);
    const int x = rv_put_words(screen, NAME, y, TEXT, style, text) + 2;
    const int room = screen->width - 1 - x;
    if (room < 6 || model->bound_bytes == 0) return;
    put_bar(playback, screen, x, y, room < BAR ? room : BAR, wasteful ? style : RV_OWN, n_bytes,
            model->bound_bytes, true);
}

static void run_line(const rv_model *model, rv_screen *screen, int y) {
    char text[TEXT];
    if (rv_run_text(model, text, sizeof text) == 0) return;
    put_label(screen, y, _("Run"));
    rv_put_words(screen, NAME, y, TEXT, RV_PLAIN, text);
}

int rv_cost_lines(rv_composition *page, int most) {
    const int wanted = rv_races(page->playback->subject.model) ? 4 : 3;
    return wanted < most ? wanted : most;
}

void rv_compose_cost(const rv_composition *page, int y, int n_lines) {
    const rv_playback *playback = page->playback;
    rv_screen *screen = page->screen;
    const rv_model *model = playback->subject.model;
    if (rv_races(model)) {
        compose_race(playback, screen, y, n_lines);
        return;
    }
    if (n_lines > 0) time_line(playback, screen, y);
    if (n_lines > 1) bytes_line(playback, screen, y + 1);
    if (n_lines > 2) run_line(model, screen, y + 2);
}
