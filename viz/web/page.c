/* page.c: the window in a browser: what window.c is for SDL.
 *
 *     page.js --page_main--> the command line --> run: makes a stage, and does not return
 *     page.js --page_key, page_pointer, page_tick ...--> stage (pure) --page_paint--> canvas --> paint.js
 *
 *   - The browser owns the loop: `run` ends in page_opened, which leaves the stack as it is, so that all that
 *     the command has computed stays until the page goes.
 *   - Places are in the screen's pixels, as in the window. On a dense screen type grows with the density, so
 *     that nothing is smaller than on another.
 */
#include "config.h"
#include "web/page.h"
#include "lesson/course.h"
#include "lesson/lesson_flow.h"
#include "stage/panel.h"
#include "text/say.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

static struct page_window {
    rv_canvas *canvas;
    rv_ruler ruler;
    rv_stage *stage;
    double scale;   /* that the reader asked for */
    rv_setup begun; /* the run as it was typed */
    rs_error error;
    char text[4096]; /* what the last function has returned */
} page;

/* ---------------------------------------------------------------------------------------- opening */

static bool has_all(rs_error *error) {
    error->text[0] = '\0';
    return true;
}

static rs_status run(const rv_subject *subject, const rv_options *options, const rs_host *host,
                     rs_error *error) {
    page.canvas = rv_canvas_new();
    if (page.canvas == NULL) return rs_fail(error, RS_NO_MEMORY, _("no memory for the window"));
    const rs_status status = rv_stage_new(subject, options, host, error, &page.stage);
    if (status != RS_OK) return status;
    page.ruler = rv_canvas_ruler(page.canvas);
    page.stage->ruler = &page.ruler;
    page.scale = page.stage->scale;
    page.stage->output = RV_TO_PAGE;
    page.begun = page.stage->what_if->setup;
    page_opened();
}

rs_status rv_gui_load(const char *const dirs[], rs_error *error, const rv_gui **gui) {
    static const rv_gui table = {.abi = RV_GUI_ABI,
                                 .version = RINGSIM_VERSION,
                                 .has_display = has_all,
                                 .has_fonts = has_all,
                                 .run = run};
    (void)dirs, (void)error;
    *gui = &table;
    return RS_OK;
}

/* ---------------------------------------------------------------------------------------- events */

/* Changes the language where the event asked for that. Returns what became of the event. */
static rs_status heed(rs_status status) {
    rv_stage *stage = page.stage;
    if (stage->wish != RV_WISH_LANGUAGE) return status;
    rv_stage_swap_language(stage);
    stage->wish = RV_NO_WISH;
    return status;
}

int EXPORT(page_key)(int key) {
    return heed(rv_stage_key(page.stage, key, &page.error));
}

int EXPORT(page_act)(int action) {
    return heed(rv_stage_act(page.stage, (rv_action)action, &page.error));
}

int EXPORT(page_pointer)(int what, double x, double y) {
    return heed(rv_stage_pointer(page.stage, (rv_pointer)what, x, y, &page.error));
}

/* What the reader has touched the page with last: words speak of keys, or of fingers. */
void EXPORT(page_by_finger)(int finger) {
    page.stage->by_finger = finger != 0;
}

/* Whether the browser wants it dark. */
void EXPORT(page_scheme)(int dark) {
    rv_stage_take_theme(page.stage, dark != 0);
}

/* Turns the wheel, or zooms what is under the pointer where it can be zoomed. */
int EXPORT(page_wheel)(double by, int zooms) {
    if (zooms && rv_stage_zoom(page.stage, by)) return RS_OK;
    return rv_stage_wheel(page.stage, by, &page.error);
}

/* Tells whether a finger that is put down there drags something. */
int EXPORT(page_drags)(double x, double y) {
    const int thing = rv_scene_hit(&page.stage->scene, x, y, rv_slack(page.stage), NULL).thing;
    return thing == RV_TIMELINE || thing == RV_SLIDER || thing == RV_STEP_BAR;
}

int EXPORT(page_tick)(double ms) {
    return heed(rv_stage_tick(page.stage, ms, &page.error));
}

int EXPORT(page_still_ms)(void) {
    return rv_stage_still_ms(page.stage);
}

/* density: the screen's pixels in one of the page's. */
void EXPORT(page_resize)(double width, double height, double density) {
    rv_stage *stage = page.stage;
    const double least = 0.8; /* as in look.c */
    const double here = fmin(width / 1280, height / 720), plain = here / density;
    stage->density = density;
    stage->scale = page.scale * density * fmax(least, plain) / fmax(least, here);
    rv_stage_resize(stage, width, height);
}

/* What the reader asks of the browser, a bit each: a PNG, an SVG, to quit, full screen, to copy a page's code; from 32
   on the number of the lesson whose exercise it is. */
int EXPORT(page_wishes)(void) {
    rv_stage *stage = page.stage;
    const int wishes =
        (stage->wish == RV_WISH_PNG) | (stage->wish == RV_WISH_SVG) << 1 |
        stage->playback.quit << 2 | stage->full_screen << 3 | (stage->wish == RV_WISH_COPY) << 4 |
        (stage->wish == RV_WISH_LAB ? stage->course->reading.lesson->number << 5 : 0);
    stage->wish = RV_NO_WISH;
    stage->playback.quit = false;
    return wishes;
}

void EXPORT(page_full_screen)(int full) {
    page.stage->full_screen = full != 0;
}

/* ---------------------------------------------------------------------------------------- painting */

void rv_copy_box(cairo_surface_t *to, cairo_surface_t *from, rv_box box) {
    page_copy_box(to, from, box.x, box.y, box.w, box.h);
}

void EXPORT(page_paint)(cairo_surface_t *image) {
    rv_stage_draw(page.stage);
    rv_canvas_frame(page.canvas, image, &page.stage->scene);
}

/* Paints the picture to take away: without what the pointer lights up, and without a message. */
void EXPORT(page_picture)(cairo_surface_t *image) {
    rv_stage *stage = page.stage;
    const rv_target hover = stage->hover;
    stage->hover = (rv_target){0};
    stage->playback.message[0] = '\0';
    rv_stage_draw(stage);
    stage->hover = hover;
    cairo_t *cr = cairo_create(image);
    rv_canvas_paint(page.canvas, cr, &stage->scene);
    cairo_destroy(cr);
}

/* ---------------------------------------------------------------------------------------- words */

int EXPORT(page_hand)(void) {
    const rv_target at = page.stage->hover;
    return at.thing != RV_NOTHING && at.thing != RV_AREA;
}

unsigned EXPORT(page_ground)(void) {
    return page.stage->look.ground;
}

const char *EXPORT(page_title)(void) {
    rv_stage_title(page.stage, page.text, sizeof page.text);
    return page.text;
}

/* What stands in a box of the scene, label by label, on that layer (-1: on all); buttons have a list of their own. */
static void read_box(rv_say *say, rv_box box, int layer) {
    const rv_scene *scene = &page.stage->scene;
    for (int32_t i = 0; i < scene->n_items; i++) {
        const rv_item *item = &scene->items[i];
        const rv_point at = rv_centre(item->box);
        if (item->shape != RV_LABEL || !rv_inside(box, at.x, at.y)) continue;
        if (layer >= 0 ? item->layer != (rv_layer)layer
                       : i > 0 && item[-1].target.thing == RV_BUTTON)
            continue;
        for (const char *c = rv_label_text(scene, item); *c != '\0'; c++) {
            if (!rv_is_style(*c)) rv_say_more(say, "%c", *c);
        }
        rv_say_more(say, " ");
    }
}

static void read_question(rv_say *say, const rv_question *question) {
    char text[RV_SENTENCE_BYTES];
    rv_question_text(question, text, sizeof text);
    rv_say_more(say, "%s", text);
    for (int i = 0; i < question->n_choices; i++) {
        rv_say_choice(question, question->choices[i], text, sizeof text);
        rv_say_more(say, "%s%s", _("; "), text);
    }
}

/* Says what a reader who does not see the picture should hear now. */
const char *EXPORT(page_says)(void) {
    const rv_stage *stage = page.stage;
    const rv_playback *playback = &stage->playback;
    const rv_subject *subject = &playback->subject;
    rv_say say = rv_say_to(page.text, sizeof page.text);
    rv_sentence said;
    page.text[0] = '\0';
    if (playback->message[0] != '\0') rv_say_more(&say, "%s. ", playback->message);
    if (playback->mode == RV_READING_HELP) {
        read_box(&say, (rv_box){0, 0, stage->width, stage->height}, RV_OVER);
    } else if (stage->layout.lesson.w > 0) {
        read_box(&say, stage->layout.lesson, -1);
    } else if (playback->mode == RV_ASKING) {
        read_question(&say, &playback->question);
        if (playback->chosen >= 0) rv_say_more(&say, _("; chosen: %d"), (int)playback->chosen);
    } else {
        subject->kind->caption(subject, rv_position_of(playback), playback->rank, &said);
        rv_say_more(&say, "%s%s%s", said.trouble, said.trouble[0] != '\0' ? ". " : "", said.text);
    }
    return page.text;
}

/* Lists the buttons of what is shown, for ears: a line each, its action and what it does. */
const char *EXPORT(page_buttons)(void) {
    const rv_stage *stage = page.stage;
    bool listed[RV_SCROLL_UP + 1] = {false};
    rv_say say = rv_say_to(page.text, sizeof page.text);
    page.text[0] = '\0';
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        const int32_t action = item->target.a;
        if (item->target.thing != RV_BUTTON || listed[action]) continue;
        listed[action] = true;
        const rv_key_row row = rv_key_row_of((rv_action)action);
        rv_say_more(&say, "%d ", (int)action);
        if (action == RV_QUIT)
            rv_say_more(&say, "%s", _("to the start page"));
        else if (row.action != RV_NO_ACTION)
            rv_say_more(&say, "%s", rv_help_of(&stage->playback.subject, &row));
        else
            read_box(&say, item->box, item->layer);
        rv_say_more(&say, "\n");
    }
    return page.text;
}

/* The matrix, where it is open, as a table for ears: a line a GPU, its name and what each of its chunks is. */
const char *EXPORT(page_matrix)(void) {
    enum { MOST_CELLS = 256 };
    const rv_stage *stage = page.stage;
    const rv_model *model = stage->what_if->model;
    rv_say say = rv_say_to(page.text, sizeof page.text);
    char cell[64];
    page.text[0] = '\0';
    if ((stage->layout.shown & rv_view_bit("matrix")) == 0 || model == NULL || !model->cells ||
        (int64_t)model->n_ranks * model->n_chunks > MOST_CELLS)
        return page.text;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        rv_rank_name(model, r, cell);
        rv_say_more(&say, "%s", cell);
        for (int32_t c = 0; c < model->n_chunks; c++) {
            snprintf(cell, sizeof cell, "%lld",
                     (long long)rs_contents_count(model->contents, r, c));
            if (model->values) rv_value_at(model, r, c, cell, sizeof cell);
            rv_say_more(&say, "\t%s", cell);
        }
        rv_say_more(&say, "\n");
    }
    return page.text;
}

/* Names the picture of what is shown, without its ending. */
const char *EXPORT(page_picture_name)(void) {
    rv_name_picture(&page.stage->playback, page.stage->options, page.text, sizeof page.text);
    return page.text;
}

void EXPORT(page_saved)(const char *name) {
    rv_say_saved(&page.stage->playback, name, NULL);
}

const char *EXPORT(page_code)(void) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    snprintf(page.text, sizeof page.text, "%s", rv_flow_code(page.stage->course, &arena));
    rs_arena_free(&arena);
    return page.text;
}
const char *EXPORT(page_error)(void) {
    return rs_error_said(&page.error, rv_gettext, page.text, sizeof page.text);
}

/* See rv_page_link; its first character says whether the run is another: '!' or ' '. */
const char *EXPORT(page_link)(void) {
    bool runs_anew;
    rv_page_link(page.stage, &page.begun, &runs_anew, page.text + 1, sizeof page.text - 1);
    page.text[0] = runs_anew ? '!' : ' ';
    return page.text;
}

/* ---------------------------------------------------------------------------------------- memory */

void *EXPORT(page_allocate)(size_t n_bytes) {
    return malloc(n_bytes);
}

void EXPORT(page_free)(void *memory) {
    free(memory);
}
