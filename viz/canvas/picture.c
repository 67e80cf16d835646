/* picture.c: makes the file of one moment; sheet.c draws all steps, film.c plays them. */
#include "canvas/format.h"
#include "lesson/course.h"
#include "stage/stage.h"
#include "text/words.h"

static rs_status draw_moment(rv_stage *stage, rv_picture kind, rs_write write, void *context,
                             rs_error *error) {
    rv_paper paper = {0};
    char title[256];
    rv_stage_title(stage, title, sizeof title);
    rv_canvas *canvas = rv_canvas_new();
    if (canvas == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the picture");
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

/* A page for each stop of the lesson, as the window shows it. */
static rs_status draw_stops(rv_stage *stage, rv_picture kind, rs_write write, void *context,
                            const rs_host *host, rs_error *error) {
    rv_paper paper = {0};
    rv_reading *reading = &stage->course->reading;
    const int n_stops = rv_stop_count(reading->lesson);
    rv_canvas *canvas = rv_canvas_new();
    if (canvas == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the picture");
    const rv_ruler ruler = rv_canvas_ruler(canvas);
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
        stage->ruler = &ruler;
        rv_stage_draw(stage);
        rv_canvas_paint(canvas, paper.cr, &stage->scene);
        rv_paper_turn(&paper);
    }
    if (status == RS_OK) status = rv_paper_write(&paper, write, context, error);
    rv_paper_free(&paper);
    stage->ruler = NULL;
    rv_canvas_free(canvas);
    return status;
}

rs_status rv_gui_picture(const rv_subject *subject, const rv_options *options, rv_picture kind,
                         rs_write write, void *context, const rs_host *host, rs_error *error) {
    if (rv_pictures[kind].medium == RV_FILM) {
        return rv_make_film(subject, options, kind, write, context, host, error);
    }
    if (options->sheet && (options->compare != NULL || subject->beside != NULL)) {
        return rs_fail(
            error, RS_BAD_INPUT,
            _("a sheet shows one run; for a race choose a step with --at, or make a film"));
    }
    rv_stage *stage;
    rv_options still = *options; /* a picture does not play; a sheet asks no question */
    still.play = false;
    still.predict = options->predict && !options->sheet;
    rs_status status = rv_stage_new(subject, &still, host, error, &stage);
    if (status != RS_OK) return status;
    if (options->sheet && stage->course != NULL) {
        status = draw_stops(stage, kind, write, context, host, error);
    } else if (options->sheet) {
        status = rv_draw_sheet(stage, kind, write, context, error);
    } else {
        status = draw_moment(stage, kind, write, context, error);
    }
    rv_stage_free(stage);
    return status;
}
