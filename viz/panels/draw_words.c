/* draw_words.c: the caption: one sentence about the moment, in the picture's largest type; before
 * it an answer, a message, or what goes wrong. Or the question, with buttons for its choices.
 *
 *   - A part that means good or bad has a sign beside its colour.
 *   - While chunks fly, the sentence is already that of the moment at their goal: it does not
 *     change on the way. All parts shrink together until they fit: nothing is cut.
 */
#include "model/cost_words.h"
#include "panels/draw.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double height_of(const char *text, double width, double size) {
    return rv_measure(NULL, text, size, fmax(1, width), 0).height;
}

/* ---------------------------------------------------------------------------------------- parts */

typedef struct part {
    char text[RV_SENTENCE_BYTES];
    double size; /* of type, in units, before all parts shrink */
    rv_colour ink;
    int sign; /* rv_sign; -1: none */
} part;
enum { MAX_PARTS = 3 };

static void draw_parts(const rv_stage *stage, rv_scene *scene, rv_box box, const part parts[],
                       int n) {
    const double u = stage->look.unit;
    double shrunk = 1, height = 0;
    for (; shrunk > 0.3; shrunk *= 0.97) {
        height = 0;
        for (int i = 0; i < n; i++) {
            const double size = shrunk * parts[i].size * u;
            height += height_of(parts[i].text, box.w - (parts[i].sign >= 0 ? 1.6 * size : 0), size);
        }
        if (height <= box.h) break;
    }
    rv_cut_top(&box, fmax(0, (box.h - height) / 2));
    for (int i = 0; i < n; i++) {
        const double size = shrunk * parts[i].size * u;
        const double indent = parts[i].sign >= 0 ? 1.6 * size : 0;
        rv_box line = rv_cut_top(&box, height_of(parts[i].text, box.w - indent, size));
        if (indent > 0) {
            const rv_box sign = {line.x + 0.1 * size, line.y + 0.23 * size, size, size};
            rv_draw_sign(scene, sign, (rv_sign)parts[i].sign, parts[i].ink);
            rv_cut_left(&line, indent);
        }
        rv_scene_label(scene, line, RV_LEFT, size, parts[i].ink, parts[i].text)->wrap = true;
    }
}

/* Adds the message: the judgement of an answer, or anything else to say. */
static int add_message(const rv_stage *stage, part parts[]) {
    const rv_playback *playback = &stage->playback;
    const rv_look *look = &stage->look;
    if (playback->message[0] == '\0') return 0;
    *parts = (part){.size = 1.15, .ink = look->accent, .sign = -1};
    snprintf(parts->text, sizeof parts->text, "%s", playback->message);
    if (playback->reply == RV_REPLY_RIGHT) parts->ink = look->good, parts->sign = RV_SIGN_CHECK;
    if (playback->reply == RV_REPLY_WRONG) parts->ink = look->bad, parts->sign = RV_SIGN_CROSS;
    return 1;
}

/* Returns the moment of the caption: the one to which the chunks fly. */
static rv_position told_at(const rv_stage *stage) {
    rv_position at = rv_position_of(&stage->playback);
    if (stage->landing != RV_NO_LANDING) return (rv_position){stage->landing, RV_DONE};
    if (stage->goal != stage->progress) at.moment = rv_moment_of(stage->goal);
    return at;
}

/* Tells whether the caption is about the other run: in a race, when the main run is over. */
static bool other_runs_on(const rv_stage *stage) {
    if (!stage->pairing->races) return false;
    const rv_model *model = stage->what_if->model, *other = stage->other->model;
    return model->step >= model->n_steps && other->step < other->n_steps;
}

static int add_other(const rv_stage *stage, part *out) {
    const rv_shown_run other = rv_other_run(stage);
    char text[512];
    *out = (part){.size = 1.4, .ink = stage->look.ink, .sign = -1};
    rv_caption(other.model, stage->playback.rank, text, sizeof text);
    snprintf(out->text, sizeof out->text, _("%s: %s"), other.title, text);
    return 1;
}

/* Says who has won a race when both are over, and why; 0: there is no such word. */
static int add_winner(const rv_stage *stage, part *out) {
    const rv_model *model = stage->what_if->model;
    if (!stage->pairing->races) return 0;
    const rv_model *other = stage->other->model;
    if (model->step < 0 && other->step < 0 && !stage->playback.playing) {
        *out = (part){.size = 1.4, .ink = stage->look.ink, .sign = -1};
        rv_say_text(out->text, sizeof out->text, "%s", _("Space starts the race"));
        return 1;
    }
    if (model->step < model->n_steps) return 0;
    if (other->step < other->n_steps || !model->own.known || !other->own.known) return 0;
    if (rv_result_is_wrong(model->report) || rv_result_is_wrong(other->report)) return 0;
    *out = (part){.size = 1.4, .ink = stage->look.ink, .sign = RV_SIGN_CHECK};
    return rv_race_text(model, &other->own, RV_RACE_WHY, out->text, sizeof out->text) > 0;
}

static int add_moment(const rv_stage *stage, part parts[]) {
    const rv_look *look = &stage->look;
    const rv_subject *subject = &stage->playback.subject;
    rv_sentence said;
    int n = 0;
    if (other_runs_on(stage)) return add_other(stage, parts);
    if (add_winner(stage, parts) > 0) return 1;
    subject->kind->caption(subject, told_at(stage), stage->playback.rank, &said);
    if (said.trouble[0] != '\0') {
        parts[n] = (part){.size = 1.1, .ink = look->bad, .sign = RV_SIGN_WARNING};
        memcpy(parts[n++].text, said.trouble, sizeof said.trouble);
    }
    parts[n] = (part){.size = said.at_length ? 1.25 : 1.4, .ink = look->ink, .sign = -1};
    memcpy(parts[n].text, said.text, sizeof said.text);
    if (said.good) parts[n].sign = RV_SIGN_CHECK;
    if (said.bad) parts[n].sign = RV_SIGN_CROSS, parts[n].ink = look->bad;
    return n + 1;
}

/* ------------------------------------------------------------------------------------- question */

/* Returns the width of a button for any of the answers, by name or by number alone. */
static double name_answers(const rv_question *q, double u, bool named, char names[][32]) {
    double wide = 24;
    for (int32_t i = 0; i < q->n_choices; i++) {
        if (named) {
            rv_say_choice(q, q->choices[i], names[i], 32);
        } else {
            snprintf(names[i], 32, "%d", (int)q->choices[i]);
        }
        wide = fmax(wide, rv_label_width(names[i], 1.1 * u) + 1.4 * u);
    }
    return wide;
}

static void say_how(const rv_stage *stage, char *out, size_t n_out) {
    const rv_question *q = &stage->playback.question;
    char name[32];
    if (stage->playback.message[0] != '\0') {
        snprintf(out, n_out, "%s", stage->playback.message);
    } else if (stage->playback.chosen >= 0) {
        rv_say_choice(q, stage->playback.chosen, name, sizeof name);
        snprintf(out, n_out,
                 stage->by_finger ? _("%s: a second tap commits it")
                                  : _("%s: Enter commits it; another number changes it"),
                 name);
    } else if (stage->by_finger) {
        snprintf(out, n_out, "%s", _("Tap your choice."));
    } else {
        snprintf(out, n_out,
                 q->ask == RV_ASK_CHUNK
                     ? _("Type its number, or click the chunk in GPU %d's card")
                     : _("Type its number, or click the GPU that GPU %d sends to"),
                 (int)q->rank);
    }
}

static void draw_question(const rv_stage *stage, rv_scene *scene, rv_box box) {
    const rv_playback *playback = &stage->playback;
    const rv_question *q = &playback->question;
    const rv_look *look = &stage->look;
    const double u = look->unit, gap = 0.4 * u;
    const bool told = playback->message[0] != '\0' || playback->chosen >= 0;
    char text[256], names[RV_MAX_CHOICES][32];
    double wide = name_answers(q, u, true, names);
    rv_question_text(q, text, sizeof text);
    rv_name_ranks(stage->what_if->model, text, sizeof text);
    const bool named = q->n_choices * (wide + gap) < 0.5 * box.w;
    if (!named) wide = name_answers(q, u, false, names);
    const double all = q->n_choices * (wide + gap);
    const bool beside = box.w - all > rv_label_width(text, 1.4 * u) * 0.6 && box.w > 2 * all;
    rv_box row = beside ? rv_cut_right(&box, all) : rv_cut_bottom(&box, fmax(24, 0.5 * box.h));
    const double high = fmin(row.h, fmax(24, 2.8 * u));
    row = (rv_box){row.x, row.y + (row.h - high) / 2, row.w, high};
    const double each = beside ? wide : fmax(24, fmin(1.6 * wide, row.w / q->n_choices - gap));
    for (int32_t i = 0; i < q->n_choices; i++) {
        if (beside || i > 0) rv_cut_left(&row, gap);
        rv_draw_choice_button(stage, scene, rv_cut_left(&row, each), names[i],
                              q->choices[i] == playback->chosen,
                              rv_target_of(RV_CHOICE, q->choices[i], 0));
    }
    part parts[2] = {{.size = 1.4, .ink = look->ink, .sign = -1},
                     {.size = 0.9, .ink = told ? look->accent : look->quiet, .sign = -1}};
    memcpy(parts[0].text, text, sizeof text);
    say_how(stage, parts[1].text, sizeof parts[1].text);
    rv_name_ranks(stage->what_if->model, parts[1].text, sizeof parts[1].text);
    draw_parts(stage, scene, box, parts, beside || told ? 2 : 1);
}

void rv_draw_caption(rv_stage *stage, rv_scene *scene, rv_box box) {
    part parts[MAX_PARTS];
    rv_draw_panel(stage, scene, box, NULL);
    const double u = stage->look.unit;
    const rv_box inside = {box.x + 0.8 * u, box.y + 0.35 * u, box.w - 1.6 * u, box.h - 0.7 * u};
    if (stage->playback.mode == RV_ASKING ||
        (stage->playback.mode != RV_LOOKING && stage->playback.behind == RV_ASKING)) {
        draw_question(stage, scene, inside);
        return;
    }
    int n = add_message(stage, parts);
    n += add_moment(stage, parts + n);
    for (int i = 0; i < n; i++)
        rv_name_ranks(stage->playback.subject.model, parts[i].text, sizeof parts[i].text);
    if (n == 3 && inside.h < 4.5 * u) parts[1] = parts[--n]; /* three would be too small to read */
    draw_parts(stage, scene, inside, parts, n);
}

const rv_panel rv_panel_caption = {.place = RV_PLACE_CAPTION, .draw = rv_draw_caption};
