/* picture.c: makes the file of one moment; sheet.c draws all steps, film.c plays them. */
#include "canvas/format.h"
#include "lesson/course.h"
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>

enum { WIDTH = 1280, HEIGHT = 720, MOST_SLIDES = 1100 };

static rs_status draw_moment(rv_stage *stage, rv_picture kind, rs_write write, void *context,
                             rs_error *error) {
    rv_paper paper = {0};
    char title[256];
    rv_stage_title(stage, title, sizeof title);
    rv_canvas *canvas = rv_canvas_new();
    if (canvas == NULL) return rs_no_memory(error);
    const rv_ruler ruler = rv_canvas_ruler(canvas);
    stage->ruler = &ruler;
    rv_stage_draw(stage);
    rs_status status =
        rv_paper_open(&paper, rv_format_of(kind), stage->width, stage->height, title, error);
    if (status == RS_OK) {
        rv_canvas_paint(canvas, paper.cr, &stage->scene);
        status = rv_paper_write(&paper, write, context, error);
    }
    rv_paper_free(&paper);
    stage->ruler = NULL;
    rv_canvas_free(canvas);
    return status;
}

/* Draws the stage as it is now on a page of its own. */
static void draw_page(rv_stage *stage, rv_canvas *canvas, rv_paper *paper) {
    const rv_ruler ruler = rv_canvas_ruler(canvas);
    stage->ruler = &ruler;
    rv_stage_draw(stage);
    rv_canvas_paint(canvas, paper->cr, &stage->scene);
    rv_paper_turn(paper);
    stage->ruler = NULL;
}

/* A page for each screen of each stop of the lesson, as the window shows it. */
static rs_status draw_stops(rv_stage *stage, rv_picture kind, rs_write write, void *context,
                            const rs_host *host, rs_error *error) {
    rv_paper paper = {0};
    rv_reading *reading = &stage->course->reading;
    const int n_stops = rv_stop_count(reading->lesson);
    rv_canvas *canvas = rv_canvas_new();
    if (canvas == NULL) return rs_no_memory(error);
    rs_status status = rv_paper_open(&paper, rv_format_of(kind), stage->width, stage->height,
                                     reading->lesson->title, error);
    for (int stop = 0; stop < n_stops && status == RS_OK; stop++) {
        if (!rs_go_on(host, _("drawing"), stop, n_stops)) {
            status = rs_fail(error, RS_CANCELLED, "cancelled");
            break;
        }
        *reading = rv_open_reading(reading->lesson);
        if (stop > RV_STOP_PREDICTION) reading->prediction = reading->lesson->prediction.answer;
        reading->at = reading->most = stop;
        status = rv_lesson_enter(stage, error);
        if (status != RS_OK) break;
        for (stage->screen = 0, stage->n_screens = 1; stage->screen < stage->n_screens;
             stage->screen++) {
            draw_page(stage, canvas, &paper);
        }
    }
    if (status == RS_OK) status = rv_paper_write(&paper, write, context, error);
    rv_paper_free(&paper);
    rv_canvas_free(canvas);
    return status;
}

/* A page for the start, each step and the end; of two runs, for each end of a step of one of them. */
static rs_status draw_slides(rv_stage *stage, rv_picture kind, rs_write write, void *context,
                             const rs_host *host, rs_error *error) {
    const rv_playback *playback = &stage->playback;
    const int32_t n_steps = playback->subject.n_steps;
    const double moment = stage->options->progress > 0 ? stage->options->progress : 1;
    rv_paper paper = {0};
    char title[256];
    playback->subject.kind->title(&playback->subject, title, sizeof title);
    rv_canvas *canvas = rv_canvas_new();
    if (canvas == NULL) return rs_no_memory(error);
    rs_status status =
        rv_paper_open(&paper, rv_format_of(kind), stage->width, stage->height, title, error);
    if (status == RS_OK) status = rv_stage_act(stage, RV_HOME, error);
    for (int32_t step = -1; step <= MOST_SLIDES && status == RS_OK; step++) {
        const int64_t before_ps = stage->now_ps;
        if (!rs_go_on(host, _("drawing"), step, n_steps)) {
            status = rs_fail(error, RS_CANCELLED, "cancelled");
        } else if (stage->other == NULL) {
            if (step > n_steps) break;
            const bool inside = step >= 0 && step < n_steps;
            status = rv_stage_show(stage, step, inside ? moment : 1, error);
        } else if (step >= 0) {
            status = rv_stage_act(stage, RV_NEXT, error);
            if (stage->now_ps == before_ps) break;
        }
        if (status == RS_OK) draw_page(stage, canvas, &paper);
    }
    if (status == RS_OK) status = rv_paper_write(&paper, write, context, error);
    rv_paper_free(&paper);
    rv_canvas_free(canvas);
    return status;
}

/* A scale alone makes the whole picture larger; with a size it makes the type larger in it. */
static rv_options as_picture(const rv_options *options) {
    rv_options still = *options; /* a picture does not play; a sheet asks no question */
    still.play = false;
    still.predict = options->predict && !options->sheet && !options->slides;
    still.reduced_motion = options->reduced_motion || options->slides;
    if (options->pixel_width > 0 || options->scale <= 0) return still;
    if (options->sheet && options->course == NULL) return still;      /* sheet.c */
    still.pixel_width = (int)(2 * round(WIDTH * options->scale / 2)); /* films want even numbers */
    still.pixel_height = (int)(2 * round(HEIGHT * options->scale / 2));
    still.scale = 1;
    return still;
}

rs_status rv_gui_picture(const rv_subject *subject, const rv_options *options, rv_picture kind,
                         rs_write write, void *context, const rs_host *host, rs_error *error) {
    const rv_options still = as_picture(options);
    if (rv_pictures[kind].medium == RV_FILM) {
        return rv_make_film(subject, &still, kind, write, context, host, error);
    }
    if (options->sheet && (options->compare != NULL || subject->beside != NULL)) {
        return rs_fail(
            error, RS_BAD_INPUT,
            _("a sheet shows one run; for a race choose a step with --at, or make a film"));
    }
    rv_stage *stage;
    rs_status status = rv_stage_new(subject, &still, host, error, &stage);
    if (status != RS_OK) return status;
    rv_stage_enlarge_figure(stage);
    if (options->sheet && stage->course != NULL) {
        status = draw_stops(stage, kind, write, context, host, error);
    } else if (options->slides) {
        status = draw_slides(stage, kind, write, context, host, error);
    } else if (options->sheet) {
        status = rv_draw_sheet(stage, kind, write, context, error);
    } else {
        status = draw_moment(stage, kind, write, context, error);
    }
    rv_stage_free(stage);
    return status;
}
