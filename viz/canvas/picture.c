/* picture.c: makes the file of one moment; sheet.c draws all steps, film.c plays them. */
#include "canvas/paper.h"
#include "lesson/course.h"
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 1280, HEIGHT = 720, MOST_SLIDES = 1100 };

/* Where a picture goes, and how it is made. */
typedef struct making {
    rv_stage *stage;
    rv_paper paper;
    const rs_host *host;
} making;

static rs_status draw_moment(making *m, rs_error *error) {
    (void)error;
    rv_paper_draw(&m->paper, m->stage);
    return RS_OK;
}

/* Draws the stage as it is now on a page of its own. */
static void draw_page(making *m) {
    rv_paper_draw(&m->paper, m->stage);
    rv_paper_turn(&m->paper);
}

/* A page for each screen of each stop of the lesson, as the window shows it. */
static rs_status draw_stops(making *m, rs_error *error) {
    rv_stage *stage = m->stage;
    rv_reading *reading = &stage->course->reading;
    const int n_stops = rv_stop_count(reading->lesson);
    for (int stop = 0; stop < n_stops; stop++) {
        if (!rs_go_on(m->host, _("drawing"), stop, n_stops))
            return rs_fail(error, RS_CANCELLED, "cancelled");
        *reading = rv_open_reading(reading->lesson);
        if (stop > RV_STOP_PREDICTION) reading->prediction = reading->lesson->prediction.answer;
        reading->at = reading->most = stop;
        const rs_status status = rv_lesson_enter(stage, error);
        if (status != RS_OK) return status;
        for (stage->screen = 0, stage->n_screens = 1; stage->screen < stage->n_screens;
             stage->screen++) {
            draw_page(m);
        }
    }
    return RS_OK;
}

/* A page for the start, each step and the end; of two runs, for each end of a step of one of them. */
static rs_status draw_slides(making *m, rs_error *error) {
    rv_stage *stage = m->stage;
    const int32_t n_steps = stage->playback.subject.n_steps;
    const double moment = stage->options->progress > 0 ? stage->options->progress : 1;
    rs_status status = rv_stage_act(stage, RV_HOME, error);
    for (int32_t step = -1; step <= MOST_SLIDES && status == RS_OK; step++) {
        const int64_t before_ps = stage->now_ps;
        if (!rs_go_on(m->host, _("drawing"), step, n_steps)) {
            status = rs_fail(error, RS_CANCELLED, "cancelled");
        } else if (stage->other == NULL) {
            if (step > n_steps) break;
            const bool inside = step >= 0 && step < n_steps;
            status = rv_stage_show(stage, step, inside ? moment : 1, error);
        } else if (step >= 0) {
            status = rv_stage_act(stage, RV_NEXT, error);
            if (stage->now_ps == before_ps) break;
        }
        if (status == RS_OK) draw_page(m);
    }
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
    making m = {.host = host};
    char title[256];
    rs_status status = rv_stage_new(subject, &still, host, error, &m.stage);
    if (status != RS_OK) return status;
    rv_stage_enlarge_figure(m.stage);
    const bool stops = options->sheet && m.stage->course != NULL;
    if (options->sheet && !stops && !options->slides) {
        status = rv_draw_sheet(m.stage, kind, write, context, error);
    } else {
        rs_status (*draw)(making * m, rs_error * error) = stops             ? draw_stops
                                                          : options->slides ? draw_slides
                                                                            : draw_moment;
        const rv_subject *shown = &m.stage->playback.subject;
        rv_stage_title(m.stage, title, sizeof title);
        if (stops) snprintf(title, sizeof title, "%s", m.stage->course->reading.lesson->title);
        if (draw == draw_slides) shown->kind->title(shown, title, sizeof title);
        status = rv_paper_open(&m.paper, kind, m.stage->width, m.stage->height, title, error);
        if (status == RS_OK) status = draw(&m, error);
        if (status == RS_OK) status = rv_paper_write(&m.paper, write, context, error);
        rv_paper_free(&m.paper);
    }
    rv_stage_free(m.stage);
    return status;
}
