/* window.c: a lesson in the window, or as a picture of one of its stops.
 *
 *     page's command --> words --> options --> request --> rs_run --> report    kept until the end: a
 *                            `--> view FILE.trace ----------------^            page's run is made once
 *
 *   - A command is read by the same functions as one that was typed, but writes nothing.
 *   - What shows no run (compare, verify, a shell's command), or cannot be run here, is no scene.
 */
#include "course.h"
#include "lesson/shelf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_WORDS = 32,
    MOST_SCENES = 256,    /* of all lessons that are read */
    TRACE_LIMIT = 1 << 22 /* a view shows times step by step up to so many transfers */
};

/* A command that was run. */
typedef struct scene {
    char words[1024]; /* without where it is looked at */
    rs_report reports[2];
    int n; /* 0: it shows no run */
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

/* ------------------------------------------------------------------ a command as options */

/* A session of its own with the words' options; the first word may name the command. */
typedef struct typed {
    rc_session session;
    char text[1024];
    char *words[MOST_WORDS + 2];
    bool recorded;
} typed;

static bool read_words(const player *p, const char *command, typed *t, rs_error *error) {
    static char program[] = "ringsim";
    snprintf(t->text, sizeof t->text, "%s", command);
    char **words = t->words;
    words[0] = program;
    int n = 1 + rc_scene_words(t->text, words + 1, MOST_WORDS);
    t->recorded = n > 1 && strcmp(words[1], "view") == 0;
    if (n > 1 && (t->recorded || strcmp(words[1], "run") == 0)) {
        memmove(words + 1, words + 2, (size_t)(--n - 1) * sizeof *words);
    } else if (n > 1 && words[1][0] != '-') {
        return false;
    }
    words[n] = NULL;
    t->session = *p->session;
    t->session.error = error;
    return rc_options_parse(n, words, t->recorded ? "view" : "run",
                            t->recorded ? RC_VIEW_FILE : RC_RUN, p->session->arena, error,
                            &t->session.options) == RC_GOOD;
}

/* The words that make the run what it is, put together again. */
static void name_run(const player *p, const typed *t, char *out, size_t n_out) {
    size_t used = 0;
    snprintf(out, n_out, t->recorded ? "%d: view" : "%d: run", p->index);
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        const char *value = t->session.options.value[i];
        const bool look = i == RC_AT || i == RC_MOMENT || i == RC_SHOW || i == RC_PREDICT;
        if (value == NULL || look || rc_option_table[i].repeats) continue;
        used = strlen(out);
        snprintf(out + used, n_out - used, " %d=%s", i, value);
    }
    for (int i = 0; i < t->session.options.n_repeated; i++) {
        used = strlen(out);
        snprintf(out + used, n_out - used, " %d=%s", (int)t->session.options.repeated[i].id,
                 t->session.options.repeated[i].text);
    }
    for (int i = 0; i < t->session.options.n_operands; i++) {
        used = strlen(out);
        snprintf(out + used, n_out - used, " %s", t->session.options.operands[i]);
    }
}

/* ------------------------------------------------------------------ running it */

static bool run_it(typed *t, scene *made) {
    rc_asked *asked = rs_alloc(t->session.arena, 1, sizeof *asked); /* the report points into it */
    if (asked == NULL || rc_make_request(&t->session, asked) != RC_GOOD) return false;
    if (asked->request.trace_limit == 0) asked->request.trace_limit = TRACE_LIMIT;
    made->n =
        rs_run(&asked->request, t->session.arena, t->session.error, &made->reports[0]) == RS_OK;
    return made->n > 0;
}

/* Recordings and tables of links lie in the lesson's folder. */
static bool run_in_folder(const player *p, typed *t, scene *made) {
    char folder[PATH_MAX + RC_NAME_BYTES];
    snprintf(folder, sizeof folder, "%s/%s", p->shelf->folder, p->shelf->names[p->index]);
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (here < 0) return false;
    bool good = chdir(folder) == 0;
    if (good && t->recorded) {
        good = rc_read_recorded(&t->session, made->reports, &made->n) == RC_GOOD;
    } else if (good) {
        good = run_it(t, made);
    }
    if (fchdir(here) != 0) good = false;
    close(here);
    return good;
}

static scene *scene_of(player *p, typed *t) {
    char words[sizeof p->scenes[0].words];
    name_run(p, t, words, sizeof words);
    for (int i = 0; i < p->n_scenes; i++) {
        if (strcmp(p->scenes[i].words, words) == 0) return &p->scenes[i];
    }
    if (p->n_scenes == MOST_SCENES) return NULL;
    scene *made = &p->scenes[p->n_scenes++];
    memcpy(made->words, words, sizeof words);
    made->n = 0;
    if (!run_in_folder(p, t, made)) made->n = 0;
    return made;
}

static rs_status show_scene(void *context, const char *words, const rs_report **report,
                            rv_options *look, rs_error *error) {
    player *p = context;
    rs_error reason;
    typed *t = rs_alloc(p->session->arena, 1, sizeof *t); /* a report may point into its words */
    if (t == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for the lesson's command");
    const bool good = read_words(p, words, t, &reason);
    const scene *made = good ? scene_of(p, t) : NULL;
    if (made == NULL || made->n == 0 ||
        rc_check_view_options(&t->session.options, made->reports[0].request.job.schedule,
                              &reason) != RC_GOOD) {
        return rs_fail(error, RS_UNSUPPORTED, "'%.200s' shows no run", words);
    }
    *report = &made->reports[0];
    *look = rc_view_options(&t->session, *report);
    if (made->n > 1) look->beside = &made->reports[1];
    return RS_OK;
}

/* ------------------------------------------------------------------ what else the course asks for */

static void keep(void *context) {
    player *p = context;
    rs_error ignored; /* it was said at the start if nothing can be kept */
    if (p->place == NULL) return;
    rc_keep(p->place, &p->course.reading);
    rc_write_progress(p->progress, &ignored);
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
    p->course.last = index + 1 == p->shelf->n;
    return true;
}

/* Opens the next lesson that can be read. */
static bool follow(void *context) {
    player *p = context;
    const int before = p->index;
    for (int next = before + 1; next < p->shelf->n; next++) {
        if (take_lesson(p, next)) return true;
    }
    take_lesson(p, before);
    p->course.last = true;
    return false;
}

/* The run that the window opens with: the first that the lesson shows. */
static rs_status first_run(player *p, const rs_report **report, rs_error *error) {
    rv_options look;
    const rv_lesson *lesson = p->course.reading.lesson;
    for (int i = 0; i < lesson->n_pages; i++) {
        const char *words = lesson->pages[i].scene;
        if (words != NULL && show_scene(p, words, report, &look, error) == RS_OK) return RS_OK;
    }
    return show_scene(p, "--gpus 4", report, &look, error);
}

static rc_exit open_player(rc_session *session, const rc_shelf *shelf, int index, player **made,
                           const rs_report **report) {
    player *p = rs_alloc(session->arena, 1, sizeof *p);
    if (p == NULL) return rc_fail(session->error, RC_LACKS, _("no memory for the lesson"));
    memset(p, 0, sizeof *p); /* it is large */
    p->session = session;
    p->shelf = shelf;
    p->index = index;
    const rv_lesson *lesson = translate(p);
    if (lesson == NULL) return rc_fail(session->error, RC_LACKS, _("the lesson cannot be read"));
    p->course = (rv_course){.reading = rv_open_reading(lesson),
                            .context = p,
                            .scene = show_scene,
                            .kept = keep,
                            .translated = translate};
    *made = p;
    rc_host_hush(session->host);
    return rc_exit_of(first_run(p, report, session->error));
}

rc_exit rc_show_lesson(rc_session *session, const rc_shelf *shelf, int index,
                       rc_progress *progress) {
    const rs_report *report;
    player *p;
    rc_exit status = open_player(session, shelf, index, &p, &report);
    if (status != RC_GOOD) return status;
    rv_options look = {.at = -1, .colour = true, .course = &p->course};
    status = rc_read_look(&session->options, report->request.job.schedule, session->error, &look);
    if (status != RC_GOOD) return status;
    p->progress = progress;
    p->place = rc_place_of(progress, p->course.reading.lesson->number);
    p->course.reading = rc_resume(p->place, p->course.reading.lesson);
    p->course.follow = follow;
    p->course.last = index + 1 == shelf->n;
    keep(p);
    return rc_show_window(session, report, &look);
}

/* ------------------------------------------------------------------ a picture of a stop */

static rc_exit read_stop(const rc_options *options, const rv_lesson *lesson, rs_error *error,
                         rv_reading *reading) {
    const int last = rv_stop_count(lesson) - 1;
    const char *text = options->value[RC_AT];
    int64_t stop = 0;
    rs_error reason;
    if (text != NULL && rc_parse_integer(text, 0, last, &reason, &stop) != RC_GOOD) {
        return rc_fail(error, RC_USAGE, _("--at %.60s: the lesson's stops are 0..%d"), text, last);
    }
    *reading = rv_open_reading(lesson);
    if (stop > RV_STOP_PREDICTION) reading->prediction = lesson->prediction.answer;
    reading->at = reading->most = (int)stop;
    return RC_GOOD;
}

rc_exit rc_draw_lesson(rc_session *session, const rc_shelf *shelf, int index) {
    const rs_report *report;
    rc_outputs outputs;
    player *p;
    rc_exit status = open_player(session, shelf, index, &p, &report);
    if (status != RC_GOOD) return status;
    rv_options look = {.at = -1, .colour = true, .course = &p->course};
    status = rc_read_look(&session->options, report->request.job.schedule, session->error, &look);
    if (status == RC_GOOD) {
        status = read_stop(&session->options, p->course.reading.lesson, session->error,
                           &p->course.reading);
    }
    if (status != RC_GOOD) return status;
    status = rc_outputs_open(session, report->request.job.schedule, &outputs);
    if (status != RC_GOOD) return status;
    look.sheet = false;
    const bool still = !outputs.picture.in_characters && outputs.picture.kind != RV_MP4 &&
                       outputs.picture.kind != RV_GIF;
    if (still) return rc_outputs_write(session, report, &look, &outputs);
    rc_outputs_discard(&outputs);
    return rc_fail(session->error, RC_USAGE,
                   _("--export: a lesson's picture is a PNG, SVG or PDF of the window"));
}
