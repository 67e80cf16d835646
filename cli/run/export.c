/* export.c: --export: which kind of picture it is, who draws it, and whether that can be done here.
 *
 *     FILE.png, FILE.pdf ... (RV_PICTURES)        the window's picture
 *     FILE.html                                   a page: export_page.c
 *     FILE.svg, -                                 the same; the terminal's picture with --view text or
 *                                                 terminal, and in a build without the window
 */
#include "base/json_file.h"
#include "run/show.h"

#include <assert.h>
#include <string.h>

static bool ends_with(const char *text, const char *end) {
    const size_t n = strlen(text), m = strlen(end);
    return n > m + 1 && text[n - m - 1] == '.' && strcmp(text + n - m, end) == 0;
}

static bool is_of(int kind, bool films) {
    return films || rv_pictures[kind].medium != RV_FILM;
}

/* Lists them: "svg, png, pdf, mp4 or gif". */
static void list_endings(bool films, char *out, size_t n_out) {
    size_t used = (size_t)snprintf(out, n_out, "%s", rv_pictures[RV_SVG].ending);
    int last = RV_N_PICTURES - 1;
    while (!is_of(last, films)) last--;
    for (int i = 0; i <= last && used < n_out; i++) {
        if (i == RV_SVG || !is_of(i, films)) continue;
        used += (size_t)snprintf(out + used, n_out - used, "%s%s", i < last ? _(", ") : _(" or "),
                                 rv_pictures[i].ending);
    }
}

static rc_exit read_picture(const rc_typed *typed, bool films, rc_value *value) {
    char endings[128];
    value->number = RV_SVG;
    if (strcmp(typed->text, "-") == 0) return RC_GOOD;
    if (ends_with(typed->text, "html")) {
        value->number = RC_AS_HTML;
        return RC_GOOD;
    }
    for (int i = 0; i < RV_N_PICTURES; i++) {
        if (!is_of(i, films) || !ends_with(typed->text, rv_pictures[i].ending)) continue;
        value->number = i;
        return RC_GOOD;
    }
    list_endings(films, endings, sizeof endings);
    return rc_fail(typed->error, RC_USAGE, _("--export %.200s: write FILE.%s"), typed->text,
                   endings);
}

bool rc_wants_page(const rc_options *options) {
    return rc_given(options, RC_EXPORT) && options->value[RC_EXPORT].number == RC_AS_HTML;
}

rc_exit rc_as_picture(const rc_typed *typed, rc_value *value) {
    return read_picture(typed, true, value);
}

rc_exit rc_as_page(const rc_typed *typed, rc_value *value) {
    return read_picture(typed, false, value);
}

static bool wants_characters(const rc_options *options) {
    const int64_t view = options->value[RC_VIEW].number;
    return view == RC_VIEW_TEXT || view == RC_VIEW_TERMINAL;
}

/* A page a step: of a document, and of all steps. */
static rc_exit check_slides(const rc_options *options, const rc_picture *picture, rs_error *error) {
    if (!rc_given(options, RC_SLIDES)) return RC_GOOD;
    if (rv_pictures[picture->kind].medium != RV_PAGES) {
        return rc_fail(error, RC_USAGE, _("--slides: a page for each step; write FILE.pdf"));
    }
    if (!rc_given(options, RC_AT) && !rc_given(options, RC_SHEET)) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--slides, --sheet, --at: choose one"));
}

static rc_exit check_sheet(const rc_options *options, const rc_picture *picture, rs_error *error) {
    if (!rc_given(options, RC_SHEET)) return RC_GOOD;
    if (picture->in_characters) {
        return rc_fail(error, RC_USAGE,
                       _("--sheet: the terminal's picture shows one step; choose it with --at"));
    }
    if (rv_pictures[picture->kind].medium != RV_FILM) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("--sheet: a film shows all steps one after another; write "
                     "FILE.pdf, png or svg"));
}

/* Drawing libraries end the program where memory is short, or draw boxes for letters: fonts, their caches
   and threads take so much address space, half of it when they are loaded (view: not NULL); a picture takes
   three copies of its pixels at the most. */
static rc_exit check_room(rc_session *session, rv_picture kind, const rv_options *view) {
    const double least = view == NULL ? 400e6 : 200e6, pixel_bytes = 3 * 4;
    double pixels = 0;
    if (view != NULL && rv_pictures[kind].medium != RV_PAGES) {
        const bool sheet = view->sheet && view->pixel_width == 0;
        pixels = sheet ? 7680.0 * 4320 : (double)view->pixel_width * view->pixel_height;
    }
    return rc_need_memory(session->host, least + pixels * pixel_bytes, _("a picture"),
                          _("raise the limit (ulimit -v), or write an SVG with --view text"),
                          session->error);
}

/* The module must be there, and what makes films. */
static rc_exit check_painter(rc_session *session, const char *path, rv_picture kind) {
    const rc_exit fits = check_room(session, kind, NULL);
    if (fits != RC_GOOD) return fits;
    if (rc_gui(session, session->error) != RC_GOOD)
        return rc_prefix(session->error, RC_LACKS, "--export %.200s", path);
    if (session->gui->picture == NULL) {
        return rc_fail(session->error, RC_LACKS,
                       _("--export %.200s: a page saves its picture by s (PNG) or Shift+S (SVG); "
                         "the program on a computer writes all kinds, films too"),
                       path);
    }
    if (rv_pictures[kind].medium != RV_FILM || rc_in_path("ffmpeg")) return RC_GOOD;
    return rc_fail(
        session->error, RC_LACKS,
        _("--export %.200s: films are made by ffmpeg, which is not installed; see ringsim "
          "doctor"),
        path);
}

rc_exit rc_choose_picture(rc_session *session, rc_picture *picture) {
    const rc_options *options = &session->options;
    const char *path = options->value[RC_EXPORT].text;
    *picture =
        (rc_picture){.wanted = path != NULL, .kind = (rv_picture)options->value[RC_EXPORT].number};
    if (path == NULL && rc_given(options, RC_SHEET)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--sheet is a kind of picture; add --export FILE"));
    }
    if (path == NULL && rc_given(options, RC_BARE)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--bare is a kind of picture; add --export FILE"));
    }
    if (path == NULL && rc_given(options, RC_SLIDES)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--slides is a kind of picture; add --export FILE.pdf"));
    }
    if (path == NULL) return RC_GOOD;
    if (rc_wants_page(options)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--export %.200s: a page shows a run, a story or a lesson"), path);
    }
    picture->in_characters =
        picture->kind == RV_SVG && (wants_characters(options) || !rc_gui_built());
    rc_exit status = check_sheet(options, picture, session->error);
    if (status == RC_GOOD) status = check_slides(options, picture, session->error);
    if (status == RC_GOOD && picture->in_characters && rc_given(options, RC_BARE)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--bare: the terminal's picture has no buttons; leave it out"));
    }
    if (status != RC_GOOD || picture->in_characters) return status;
    return check_painter(session, path, picture->kind);
}

static rc_exit draw_characters(rc_session *session, rv_subject subject, rv_options options,
                               FILE *out) {
    options.colour = true;
    rs_status status = rv_subject_walk(&subject, session->arena, session->error);
    if (status == RS_OK)
        status = rv_write_svg(&subject, &options, rc_write_to_file, out, session->error);
    return rc_exit_of(status);
}

rc_exit rc_draw_picture(rc_session *session, const rv_subject *subject, const rc_picture *picture,
                        const rv_options *view, FILE *out) {
    assert(picture->wanted && picture->kind < RV_N_PICTURES);
    if (picture->in_characters) return draw_characters(session, *subject, *view, out);
    const rc_exit fits = check_room(session, picture->kind, view);
    if (fits != RC_GOOD) return fits;
    rc_host_watch(session->host, true);
    const rs_status status =
        session->gui->picture(subject, view, picture->kind, rc_write_to_file, out,
                              rc_host_face(session->host), session->error);
    return rc_host_end(session->host, rc_gui_exit(status), session->error);
}
