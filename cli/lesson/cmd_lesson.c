/* cmd_lesson.c: `ringsim lesson [ID]`: the course, in the window, on a terminal or on a pipe.
 *
 *     no ID     the table of contents        --json    as data; with --key the answers too
 *     ID        the lesson: walked through in the window or on a terminal, printed whole on a pipe
 *               --export F [--at STOP]  a picture of the window there
 *               --class  for the projector   --gift F  its quizzes for Moodle (no ID: all)
 *     --reset   forgets where the learner stands, in one lesson or in all
 */
#include "lesson/shelf.h"
#include "run/show.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of its own. */
enum { CLASS = RC_OWN, GIFT, RESET, KEY };

enum { PIPE_WIDTH = 80 };

static rc_exit read_operand(rc_session *session, const rc_shelf *shelf, int *index) {
    const rc_options *options = &session->options;
    *index = -1;
    if (options->n_operands == 0) return RC_GOOD;
    if (options->n_operands > 1) {
        return rc_fail(session->error, RC_USAGE, _("one lesson at a time: ringsim lesson 5"));
    }
    return rc_find_lesson(shelf, options->operands[0], session->error, index);
}

/* One purpose at a time, and those that want a lesson have one. */
static rc_exit check_options(const rc_options *options, int index, rs_error *error) {
    static const int purposes[] = {RC_JSON, CLASS, GIFT, RESET};
    int n = 0;
    for (size_t i = 0; i < sizeof purposes / sizeof *purposes; i++) {
        n += rc_given(options, purposes[i]);
    }
    if (n > 1) return rc_fail(error, RC_USAGE, _("--json, --class, --gift, --reset: one of them"));
    if (rc_given(options, KEY) && (!rc_given(options, RC_JSON) || index < 0)) {
        return rc_fail(error, RC_USAGE, _("--key wants a lesson and --json"));
    }
    if (rc_given(options, CLASS) && index < 0) {
        return rc_fail(error, RC_USAGE, _("--class wants a lesson: ringsim lesson 5 --class"));
    }
    return RC_GOOD;
}

static rc_exit reset(rc_session *session, const rc_shelf *shelf, int index) {
    rc_progress progress;
    rs_error note;
    rc_read_progress(&progress, &note);
    if (note.text[0] != '\0') return rc_fail(session->error, RC_USAGE, "%.400s", note.text);
    int kept = 0;
    for (int i = 0; i < progress.n; i++) {
        const bool gone = index < 0 || progress.places[i].number == rc_lesson_number(shelf, index);
        if (!gone) progress.places[kept++] = progress.places[i];
    }
    const bool changed = kept < progress.n;
    progress.n = kept;
    return changed ? rc_write_progress(&progress, session->error) : RC_GOOD;
}

static rc_exit write_gift(rc_session *session, const rc_shelf *shelf, int index) {
    rc_file file;
    rc_exit status = rc_file_open("gift", session->options.value[GIFT].text, session->error, &file);
    for (int i = 0; status == RC_GOOD && i < shelf->n; i++) {
        rv_lesson lesson;
        bool translated;
        if (index >= 0 && i != index) continue;
        status = rc_read_text(shelf, i, session->arena, session->error, &lesson, &translated);
        if (status == RC_GOOD && !rc_write_gift(&lesson, file.stream))
            status = rc_no_memory(session->error);
    }
    return rc_file_deliver(&file, status, session->error);
}

static rc_exit read_on_terminal(rc_session *session, const rc_shelf *shelf, int index,
                                const rv_lesson *lesson, rc_progress *progress) {
    char folder[PATH_MAX + RC_NAME_BYTES];
    snprintf(folder, sizeof folder, "%s/%s", shelf->folder, shelf->names[index]);
    return rc_read_lesson(session, shelf, lesson, folder, progress);
}

static rc_exit print_lesson(rc_session *session, const rv_lesson *lesson) {
    rc_printer to = {.lesson = lesson, .type = {.width = PIPE_WIDTH}, .out = stdout};
    rc_print_lesson(&to);
    return to.lacks ? rc_no_memory(session->error) : RC_GOOD;
}

/* In the window where there is a display, else on the terminal; where there is neither, the whole
   lesson is printed. */
static rc_exit read_or_print(rc_session *session, const rc_shelf *shelf, int index,
                             const rv_lesson *lesson) {
    static rc_progress progress;
    rs_error note;
    rc_view view;
    if (rc_given(&session->options, RC_EXPORT)) return rc_draw_lesson(session, shelf, index, false);
    rc_exit status = rc_choose_view(session, &note, &view);
    if (status != RC_GOOD || view == RC_VIEW_NONE) return status;
    if (view == RC_VIEW_TEXT) return print_lesson(session, lesson);
    if (note.text[0] != '\0') rc_complain(&note);
    rc_read_progress(&progress, &note);
    if (note.text[0] != '\0') rc_complain(&note);
    if (view == RC_VIEW_WINDOW) {
        const rc_picture none = {.wanted = false};
        rc_warn_of_fonts(session, view, &none);
        status = rc_show_lesson(session, shelf, index, &progress);
        if (status != RC_LACKS || rc_given(&session->options, RC_VIEW)) return status;
        rc_complain(session->error); /* the display has gone since we looked */
        session->error->text[0] = '\0';
    }
    if (rc_view_without_window() == RC_VIEW_TERMINAL) {
        return read_on_terminal(session, shelf, index, lesson, &progress);
    }
    return print_lesson(session, lesson);
}

/* In the window where there is one, else in lines of text. */
static rc_exit class_mode(rc_session *session, const rc_shelf *shelf, int index,
                          const rv_lesson *lesson) {
    rs_error note;
    rc_view view;
    if (rc_given(&session->options, RC_EXPORT)) return rc_draw_lesson(session, shelf, index, true);
    const rc_exit status = rc_choose_view(session, &note, &view);
    if (status != RC_GOOD || view == RC_VIEW_NONE) return status;
    if (view == RC_VIEW_WINDOW) return rc_show_lesson(session, shelf, index, NULL);

    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool terminal = isatty(STDOUT_FILENO) == 1 && term != NULL && strcmp(term, "dumb") != 0;
    rc_printer to = {.lesson = lesson,
                     .type = {.width = PIPE_WIDTH,
                              .attributes = terminal && (no_color == NULL || *no_color == '\0')},
                     .out = stdout};
    rc_ask_class(&to, stdin);
    return RC_GOOD;
}

static rc_exit cmd_lesson(rc_session *session) {
    static rc_shelf shelf;
    const rc_options *options = &session->options;
    int index;
    rc_exit status = rc_open_shelf(session, &shelf);
    if (status == RC_GOOD) status = read_operand(session, &shelf, &index);
    if (status == RC_GOOD) status = check_options(options, index, session->error);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RESET)) return reset(session, &shelf, index);
    if (rc_given(options, GIFT)) return write_gift(session, &shelf, index);
    if (index < 0) {
        return rc_given(options, RC_JSON) ? rc_json_contents(session, &shelf)
                                          : rc_print_contents(session, &shelf);
    }
    rv_lesson lesson;
    bool translated;
    shelf.dotted = rc_typed_name(session)[0] == '.' && !rc_given(options, RC_JSON) &&
                   !rc_given(options, RC_EXPORT);
    status = rc_read_text(&shelf, index, session->arena, session->error, &lesson, &translated);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        const bool whole =
            rc_json_lesson(shelf.names[index], &lesson, translated, rc_given(options, KEY), stdout);
        return whole ? RC_GOOD : rc_no_memory(session->error);
    }
    if (rc_wants_page(options)) return rc_export_page(session, session->arguments + 1, NULL, NULL);
    return rc_given(options, CLASS) ? class_mode(session, &shelf, index, &lesson)
                                    : read_or_print(session, &shelf, index, &lesson);
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {.id = RC_AT,
     .help = N_("begin at a stop: 0 the start, 1 the prediction, 2 its answer, then pages")},
    {CLASS, "class", 0, NULL,
     N_("before a class, large: pages, and quizzes with votes, typed in as counts"), NULL},
    {GIFT, "gift", 0, "FILE", N_("write the quizzes for Moodle (GIFT), of one lesson or of all"),
     NULL},
    {RESET, "reset", 0, NULL, N_("forget where you are, in one lesson or in all"), NULL},
    {KEY, "key", 0, NULL, N_("with --json: the answers, too"), NULL},
    {RC_EXPORT, NULL, 0, "FILE.png|svg|pdf|html",
     N_("write a picture of stop --at; pdf: of all stops, a page each; html: for a browser"),
     RC_TYPE(rc_as_page, NULL)},
};

const rc_command rc_command_lesson = {
    .name = "lesson",
    .operands = "[ID]",
    .summary = N_("the course"),
    RC_TAKES(RC_STEP, RC_AT, RC_VIEW, RC_THEME, RC_SCALE, RC_SIZE, RC_REDUCED_MOTION, CLASS, GIFT,
             RESET, KEY, RC_LANG, RC_JSON, RC_EXPORT, RC_BARE),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_VIEW, CLASS, GIFT, RESET, KEY, RC_LANG, RC_JSON, RC_EXPORT, RC_AT),
    .run = cmd_lesson};
