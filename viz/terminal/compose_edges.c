/* compose_edges.c: what every screen has at its edges: a run's title and phases, the step, what the table's signs
 * mean, the message or question, and the keys that work now; the help, over the whole screen.
 */
#include "stage/panel.h"
#include "terminal/compose.h"
#include "text/say.h"
#include "text/words.h"

enum { TEXT = 512 };

void rv_step_text(const rv_playback *playback, char *out, size_t n_out) {
    const rv_position at = rv_position_of(playback);
    const int32_t n_steps = playback->subject.n_steps;
    rv_say say = rv_say_to(out, n_out);
    if (at.step < 0) {
        rv_say_more(&say, _("start (%d steps)"), (int)n_steps);
    } else if (at.step >= n_steps) {
        rv_say_more(&say, _("end (%d steps)"), (int)n_steps);
    } else {
        static const char *const moments[] = {N_(": send"), N_(": arrive"), ""};
        rv_say_more(&say, _("step %d of 0..%d"), (int)at.step, (int)n_steps - 1);
        if (at.moment < RV_DONE && !rv_is_hidden(playback)) {
            rv_say_more(&say, "%s", _(moments[at.moment]));
        }
    }
}

/* Says how to answer: "Type a number, then Enter: 0, 1, 2, 3", or if that is too wide the numbers; what is
   chosen. */
static void say_choices(rv_say *say, const rv_playback *playback, int width) {
    const rv_question *q = &playback->question;
    char text[64] = "";
    rv_say numbers = rv_say_to(text, sizeof text);
    if (playback->chosen >= 0) {
        rv_say_choice(q, playback->chosen, text, sizeof text);
        rv_say_more(say, _("%s: Enter commits it; another number changes it"), text);
        return;
    }
    for (int32_t i = 0; i < q->n_choices; i++)
        rv_say_more(&numbers, "%s%d", i > 0 ? ", " : "", (int)q->choices[i]);
    rv_say_more(say, _("Type a number, then Enter: %s"), text);
    if (rv_text_width(say->out) <= width - 2) return;
    *say = rv_say_to(say->out, say->n_out);
    rv_say_more(say, "%s", text);
}

void rv_compose_message(const rv_playback *playback, rv_screen *screen, int y, int n_lines) {
    char text[TEXT];
    rv_say say = rv_say_to(text, sizeof text);
    if (playback->mode == RV_TYPING) {
        rv_say_more(&say, _("Go to step (0..%d, Enter): %s_"), (int)playback->subject.n_steps - 1,
                    playback->typed);
    } else if (playback->message[0] != '\0') {
        rv_say_more(&say, "%s", playback->message);
    } else if (rv_is_hidden(playback)) {
        say_choices(&say, playback, screen->width);
    } else if (playback->playing) {
        rv_say_more(&say, "%s", _("Playing; Space pauses"));
    }
    rv_name_ranks(playback->subject.model, text, sizeof text);
    if (n_lines > 0 && rv_text_width(text) > n_lines * (screen->width - 2) && y > 3) {
        y--; /* above it is only the legend */
        n_lines++;
    }
    for (int i = 0; i < n_lines && text[0] != '\0';
         i++) { /* what a story says of its lines gives way */
        rv_fill_row(screen, 0, y + i, screen->width, RV_PLAIN);
    }
    if (n_lines > 0) {
        rv_put_wrapped(screen, 1, y, n_lines, RV_CHOSEN, text);
    } else if (text[0] != '\0') { /* no line of its own: write over the keys */
        rv_fill_row(screen, 0, screen->height - 1, screen->width, RV_PLAIN);
        rv_put_words(screen, 1, screen->height - 1, screen->width - 1, RV_CHOSEN, text);
    }
}

void rv_compose_hint(const rv_playback *playback, rv_screen *screen, int y, bool cramped) {
    char text[TEXT];
    rv_say say = rv_say_to(text, sizeof text);
    if (cramped) {
        rv_say_more(&say, _("%dx%d is small; 80x24 shows all. "), screen->width, screen->height);
    }
    int x = rv_put_words(screen, 1, y, screen->width - 1, RV_DIM, text);
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        const char *hint = row.hint != NULL ? rv_gettext(row.hint) : "";
        if (!rv_takes(&playback->subject, row.action)) continue;
        if (*hint == '\0' || x + rv_text_width(hint) > screen->width) continue;
        x = rv_put(screen, x, y, screen->width, RV_DIM, hint) + 2;
    }
}

/* ------------------------------------------------------------------ title and phases */

void rv_compose_title(const rv_playback *playback, rv_screen *screen) {
    const rv_model *model = playback->subject.model;
    const rs_request *request = &model->report->request;
    const char *dot = rv_glyphs_of(playback)->dot;
    char text[TEXT], size[32];
    const rs_source *source = model->schedule->source;
    const bool own = source != NULL && source->file != NULL;
    const char *name = own ? source->file : rv_algorithm_said(model->schedule->name);
    rv_format_bytes(rs_size_count(model->schedule, request->job.count) * request->job.elem_bytes,
                    size, sizeof size);
    rv_say say = rv_say_to(text, sizeof text);
    rv_say_more(&say, _("%s %s"), name, rv_collective_word(model->schedule->collective));
    rv_say_more(&say, " %s ", dot);
    if (model->n_ranks == 1) {
        rv_say_more(&say, "%s", _("1 GPU"));
    } else {
        rv_say_more(&say, _("%d GPUs"), (int)model->n_ranks);
    }
    rv_say_more(&say, " %s ", dot);
    rv_say_more(&say, _("%s each"), size);
    rv_say_more(&say, " %s %s", dot, rs_dtype_name(request->dtype));
    if (rs_collective_reduces(model->schedule->collective))
        rv_say_more(&say, " %s", rs_op_name(request->op));
    int mark;
    const char *judgement = rv_judgement(model->report, &mark);
    if (mark <= 0 && judgement[0] != '\0') rv_say_more(&say, " %s %s", dot, judgement);
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
void rv_compose_phases(const rv_playback *playback, rv_screen *screen, int y) {
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
        const bool begins = first < still || model->report->outcome.completed;
        x = rv_put(screen, x, y, end - x, here && begins ? RV_BOLD : RV_DIM,
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

/* ------------------------------------------------------------------ what the signs mean */

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
    if (!tight || model->moment == RV_SEND) rv_say_more(say, "%s", _("> leaves   "));
    if (!tight || model->moment == RV_ARRIVE) rv_say_more(say, "%s", _("< arrived   "));
    rv_say_more(say, "%s",
                rs_collective_reduces(model->schedule->collective)
                    ? _("+ added   = replaced   * complete   ")
                    : _("= stored   * complete   "));
    if (rv_result_is_wrong(model->report)) rv_say_more(say, "%s", _("! wrong   "));
    if (rv_troubled(model)) rv_say_more(say, "%s", _("x dead, or not sent   "));
    if (model->schedule->max_sends > 1) rv_say_more(say, "%s", _("& and more   "));
}

void rv_compose_legend(const rv_playback *playback, const rv_plan *plan, rv_screen *screen, int y) {
    char text[TEXT];
    for (int tight = 0; tight < 2; tight++) {
        rv_say say = rv_say_to(text, sizeof text);
        if (plan->detail == RV_NO_CELLS) {
            rv_say_more(&say, "%s",
                        _("sends: + is added there   = replaces there   x does not happen"));
        } else {
            say_marks(&say, playback->subject.model, tight == 1);
            say_cell(&say, playback, plan->detail);
        }
        rv_name_ranks(playback->subject.model, text, sizeof text);
        if (rv_text_width(text) <= screen->width - 1) break;
    }
    rv_put_words(screen, 1, y, screen->width - 1, RV_DIM, text);
}

/* ------------------------------------------------------------------ the help */

static bool is_here(const rv_playback *playback, const rv_key_row *row) {
    return row->not_here == NULL && !row->lesson_only &&
           rv_takes(&playback->subject, row->action) &&
           !rv_is_of_others(&playback->subject, row->action);
}

/* Returns the n-th line: a group's name (its help is ""), or a row that means something here. names NULL: there
   are no more. */
static rv_key_row row_here(const rv_playback *playback, int n) {
    const char *group = "";
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (!is_here(playback, &row)) continue;
        if (row.group != group && n-- == 0) return (rv_key_row){.names = row.group, .help = ""};
        group = row.group;
        if (n-- == 0) break;
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
    for (rv_key_row row; (row = row_here(playback, n_rows)).names != NULL; n_rows++) {
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
        const bool head = row.help[0] == '\0';
        rv_put_words(screen, head ? 1 : 2, top + 1 + i, screen->width - 3,
                     head ? RV_CHOSEN : RV_BOLD, rv_gettext(row.names));
        if (head) continue;
        rv_put_words(screen, names + 4, top + 1 + i, screen->width - names - 4, RV_PLAIN,
                     rv_help_of(&playback->subject, &row));
    }
    if (height > 3 && plan != NULL) rv_compose_legend(playback, plan, screen, top + height - 1);
}
