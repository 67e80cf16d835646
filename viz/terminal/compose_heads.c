/* compose_heads.c: the first two lines of a run: what it is, its phases with a square a step, and where it
 * stands.
 */
#include "terminal/compose.h"
#include "text/say.h"

enum { TEXT = 512 };

void rv_compose_title(const rv_playback *playback, rv_screen *screen) {
    const rv_model *model = playback->subject.model;
    const rs_request *request = &model->report->request;
    const char *dot = rv_glyphs_of(playback)->dot;
    char text[TEXT], size[32];
    const rs_collective of = model->schedule->collective;
    const rs_source *source = model->schedule->source;
    const bool own = source != NULL && source->file != NULL;
    const char *name = own ? source->file : model->schedule->name;
    rv_format_bytes(rs_size_count(model->schedule, request->job.count) * request->job.elem_bytes,
                    size, sizeof size);
    rv_say say = rv_say_to(text, sizeof text);
    if (of == RS_COLL_ALL_REDUCE) {
        rv_say_more(&say, _("%s all-reduce"), name);
    } else {
        rv_say_more(&say, "%s %s", name, rv_collective_word(of));
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
