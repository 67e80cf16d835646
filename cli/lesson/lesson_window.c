/* lesson_window.c: a lesson in the window, or as a picture of one of its stops.
 *
 *     page's command --> words --> options --> the command's subject     kept until the end: a page's run
 *                                                                        is made once
 *
 *   - A command is read by the same functions as one that was typed, but writes nothing.
 *   - What shows no subject (compare, verify, a shell's command), or cannot be run here, is no scene.
 */
#include "lesson/course.h"
#include "lesson/shelf.h"
#include "run/show.h"

#include <string.h>
#include <unistd.h>

enum { MOST_SCENES = 256 }; /* of all lessons that are read */

/* A command that was run. */
typedef struct scene {
    /* without where it is looked at; of one that is refused as they stand */
    char words[RC_SCENE_BYTES];
    rv_subject subject;
    bool shows; /* it can be shown */
} scene;

typedef struct player {
    rc_session *session;
    const rc_shelf *shelf;
    int index; /* of the lesson */
    rc_progress *progress;
    rc_place_in *place;
    rv_course course;
    rv_lesson lessons[2]; /* in the two languages, as they are asked for */
    const char *languages[2];
    scene scenes[MOST_SCENES];
    int n_scenes;
} player;

/* ------------------------------------------------------------------ running a command */

static scene *scene_of(player *p, rc_scene *read) {
    char words[sizeof p->scenes[0].words];
    rc_name_run(read, p->index, words, sizeof words);
    for (int i = 0; i < p->n_scenes; i++) {
        if (strcmp(p->scenes[i].words, words) == 0) return &p->scenes[i];
    }
    if (p->n_scenes == MOST_SCENES) return NULL;
    scene *made = &p->scenes[p->n_scenes++];
    memcpy(made->words, words, sizeof words);
    char folder[PATH_MAX + RC_NAME_BYTES];
    snprintf(folder, sizeof folder, "%s/%s", p->shelf->folder, p->shelf->names[p->index]);
    made->shows = rc_run_scene(read, folder, &made->subject);
    return made;
}

static bool was_refused(const player *p, const char *words) {
    for (int i = 0; i < p->n_scenes; i++) {
        if (!p->scenes[i].shows && strcmp(p->scenes[i].words, words) == 0) return true;
    }
    return false;
}

static bool plays(void *context, const char *words) {
    return rc_is_scene(words) && !was_refused(context, words);
}

/* A click on it would do nothing: it is not offered again. */
static rs_status refuse(player *p, const char *words, rs_error *error) {
    if (p->n_scenes < MOST_SCENES && !was_refused(p, words)) {
        snprintf(p->scenes[p->n_scenes++].words, RC_SCENE_BYTES, "%s", words);
    }
    return rs_fail(error, RS_UNSUPPORTED, "'%.200s' shows no run", words);
}

static rs_status show_scene(void *context, const char *words, rv_subject *subject, rv_options *look,
                            rs_error *error) {
    player *p = context;
    rs_error reason;
    /* reports point into its words */
    rc_scene *read = rs_alloc(p->session->arena, 1, sizeof *read);
    if (read == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the lesson's command");
    const bool good = rc_read_scene(p->session, words, &reason, read);
    const scene *made = good ? scene_of(p, read) : NULL;
    rv_options options;
    if (made == NULL || !made->shows ||
        rc_read_view(&read->session.options, made->subject.n_steps, made->subject.n_ranks,
                     made->subject.algorithm, &reason, &options) != RC_GOOD) {
        return refuse(p, words, error);
    }
    *subject = made->subject;
    *look = options;
    return RS_OK;
}

/* ------------------------------------------------------------------ what else the course asks for */

static void keep(void *context) {
    player *p = context;
    rs_error ignored; /* it was said at the start if nothing can be kept */
    if (p->place == NULL) return;
    rc_keep(p->place, &p->course.reading);
    rc_keep_progress(p->progress, &ignored);
}

static void find_onward(player *p) {
    const int number = rc_lesson_number(p->shelf, p->index);
    const rc_onward on = rc_find_onward(p->shelf, p->progress, number);
    p->course.next = on.next;
    p->course.other = on.other;
    p->course.hour_done = on.hour_done;
    p->course.ungraded =
        p->place != NULL && (p->place->n_points == 0 || p->place->points < p->place->n_points);
}

static const rv_lesson *translate(void *context) {
    player *p = context;
    rs_error ignored;
    bool translated;
    for (int i = 0; i < 2; i++) {
        if (p->languages[i] == NULL) {
            const rc_exit read = rc_read_text(p->shelf, p->index, p->session->arena, &ignored,
                                              &p->lessons[i], &translated);
            if (read != RC_GOOD) return NULL;
            p->languages[i] = rv_language();
        }
        if (strcmp(p->languages[i], rv_language()) == 0) return &p->lessons[i];
    }
    return NULL;
}

static bool take_lesson(player *p, int index) {
    p->index = index;
    p->languages[0] = p->languages[1] = NULL; /* the texts were another lesson's */
    const rv_lesson *lesson = translate(p);
    if (lesson == NULL) return false;
    p->place = rc_place_of(p->progress, lesson->number);
    p->course.reading = rc_resume(p->place, lesson);
    find_onward(p);
    return true;
}

/* Opens the lesson, or the next that can be read. */
static bool follow(void *context, int wanted) {
    player *p = context;
    const int before = p->index;
    for (int next = 0; next < p->shelf->n; next++) {
        if (rc_lesson_number(p->shelf, next) >= wanted && take_lesson(p, next)) return true;
    }
    take_lesson(p, before);
    p->course.next = p->course.other = 0;
    return false;
}

/* What the window opens with: the first run, or story, that the lesson shows. */
static rs_status first_scene(player *p, rv_subject *subject, rs_error *error) {
    rv_options look; /* it opens at its start */
    const rv_lesson *lesson = p->course.reading.lesson;
    rs_error reason; /* that a page shows nothing is no error */
    for (int i = 0; i < lesson->n_pages; i++) {
        const char *words = lesson->pages[i].scene;
        if (words != NULL && show_scene(p, words, subject, &look, &reason) == RS_OK) return RS_OK;
    }
    return show_scene(p, "--gpus 4", subject, &look, error);
}

static void close_player(player *p) {
    for (int i = 0; i < p->n_scenes; i++) {
        if (p->scenes[i].shows) rv_subject_free(&p->scenes[i].subject);
    }
}

/* *look is filled in but for what was typed behind `lesson`. */
static rc_exit open_player(rc_session *session, const rc_shelf *shelf, int index, player **made,
                           rv_subject *subject, rv_options *look) {
    player *p = rs_alloc(session->arena, 1, sizeof *p);
    if (p == NULL) return rc_no_memory(session->error);
    memset(p, 0, sizeof *p); /* it is large */
    p->session = session;
    p->shelf = shelf;
    p->index = index;
    const rv_lesson *lesson = translate(p);
    if (lesson == NULL) return rc_fail(session->error, RC_LACKS, _("the lesson cannot be read"));
    p->course = (rv_course){.reading = rv_open_reading(lesson),
                            .context = p,
                            .scene = show_scene,
                            .plays = plays,
                            .kept = keep,
                            .translated = translate};
    *made = p;
    rc_host_hush(session->host);
    const rs_status status = first_scene(p, subject, session->error);
    *look = (rv_options){.at = -1, .colour = true, .course = &p->course};
    if (status != RS_OK) close_player(p);
    return rc_exit_of(status);
}

/* Before a class nothing is resumed, and nothing kept. */
static void begin_class(player *p, int stop) {
    rv_reading *reading = &p->course.reading;
    *reading = rv_open_reading(reading->lesson);
    p->course.poll.on = true;
    rv_poll_begin(&p->course.poll);
    if (stop == RV_STOP_ANSWER) stop = RV_STOP_PREDICTION;
    reading->at = reading->most = stop;
}

/* Who leaves a lesson at its exercise types it next: its text stays behind on the terminal. */
static void leave_exercise(const rv_reading *reading) {
    enum { WIDTH = 80 };
    rc_printer to = {.lesson = reading->lesson, .type = {.width = WIDTH}, .out = stdout};
    if (reading->at == rv_stop_count(reading->lesson) - 1 && isatty(STDOUT_FILENO)) {
        rc_write_stop(&to, reading->at);
    }
}

rc_exit rc_show_lesson(rc_session *session, const rc_shelf *shelf, int index,
                       rc_progress *progress) {
    rv_subject subject;
    rv_options look;
    player *p;
    rc_exit status = open_player(session, shelf, index, &p, &subject, &look);
    if (status != RC_GOOD) return status;
    status = rc_read_look(&session->options, subject.algorithm, session->error, &look);
    if (status == RC_GOOD) {
        if (progress == NULL) {
            p->course.reading.at = RV_STOP_PREDICTION;
            status = rc_go_to_stop(session, &p->course.reading);
            begin_class(p, p->course.reading.at);
        } else {
            p->progress = progress;
            p->place = rc_place_of(progress, p->course.reading.lesson->number);
            p->course.reading = rc_resume(p->place, p->course.reading.lesson);
            p->course.follow = follow;
            find_onward(p);
            status = rc_go_to_stop(session, &p->course.reading);
            rv_mend_reading(&p->course.reading);
            keep(p);
        }
        if (status == RC_GOOD) status = rc_show_window(session, &subject, &look);
        if (status == RC_GOOD && progress != NULL) leave_exercise(&p->course.reading);
    }
    close_player(p);
    return status;
}

/* ------------------------------------------------------------------ a picture of a stop */

static rc_exit draw_stop(rc_session *session, const rv_subject *subject, rv_options *look) {
    rc_outputs outputs;
    const rc_exit status = rc_outputs_open(session, NULL, &outputs);
    if (status != RC_GOOD) return status;
    /* all stops on the pages of a PDF, unless one was chosen */
    look->sheet =
        !rc_given(&session->options, RC_AT) && rv_pictures[outputs.picture.kind].medium == RV_PAGES;
    look->reduced_motion = true; /* the page's step is done */
    if (!outputs.picture.in_characters) return rc_outputs_write(session, subject, look, &outputs);
    rc_outputs_discard(&outputs);
    return rc_fail(session->error, RC_USAGE,
                   _("--export: a lesson's picture is a PNG, SVG or PDF of the window"));
}

rc_exit rc_draw_lesson(rc_session *session, const rc_shelf *shelf, int index, bool in_class) {
    rv_subject subject;
    rv_options look;
    player *p;
    rc_exit status = open_player(session, shelf, index, &p, &subject, &look);
    if (status != RC_GOOD) return status;
    status = rc_read_look(&session->options, subject.algorithm, session->error, &look);
    if (status == RC_GOOD) {
        rv_reading *reading = &p->course.reading;
        status = rc_go_to_stop(session, reading);
        if (reading->at > RV_STOP_PREDICTION)
            reading->prediction = reading->lesson->prediction.answer;
        if (in_class) begin_class(p, reading->at);
    }
    if (status == RC_GOOD) status = draw_stop(session, &subject, &look);
    close_player(p);
    return status;
}
