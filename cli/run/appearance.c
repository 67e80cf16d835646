/* appearance.c: how the window and its pictures look: --theme, --scale, --size, --show, --moment, --compare,
 * --sheet.
 *
 * None of these changes what is simulated; a view in characters ignores what it has no use for (all but some
 * of --show), so that one command line serves on a desktop and on a server.
 */
#include "run/show.h"
#include "run/typed.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 320, LEAST_HEIGHT = 240, MOST_WIDTH = 7680, MOST_HEIGHT = 4320 };

static rc_exit read_scale(const char *text, rs_error *error, double *scale) {
    rs_error ignored;
    uint64_t num = 1, den = 1;
    const bool good = text == NULL || rc_parse_factor(text, &ignored, &num, &den) == RC_GOOD;
    if (!good || num * 2 < den || num > den * 4) {
        return rc_fail(error, RC_USAGE, _("--scale %.60s: write a number in 0.5..4"), text);
    }
    *scale = (double)num / (double)den;
    return RC_GOOD;
}

/* Reads the digits at *at and moves behind them; -1: there are none, or far too many. */
static int read_pixels(const char **at) {
    int number = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        if (number > MOST_WIDTH) return -1;
        number = number * 10 + (**at - '0');
    }
    return *at > start ? number : -1;
}

static rc_exit read_size(const char *text, rs_error *error, int *width, int *height) {
    if (text == NULL) return RC_GOOD;
    const char *at = text;
    const int w = read_pixels(&at);
    const int h = w >= 0 && *at == 'x' ? (at++, read_pixels(&at)) : -1;
    if (*at != '\0' || w < LEAST_WIDTH || w > MOST_WIDTH || h < LEAST_HEIGHT || h > MOST_HEIGHT) {
        return rc_fail(error, RC_USAGE,
                       _("--size %.60s: write width x height in pixels, such as 1280x720, from "
                         "%dx%d to %dx%d"),
                       text, LEAST_WIDTH, LEAST_HEIGHT, MOST_WIDTH, MOST_HEIGHT);
    }
    *width = w;
    *height = h;
    return RC_GOOD;
}

static rc_exit read_views(const char *text, rs_error *error, unsigned *views) {
    const char *names[RV_MOST_VIEWS + 2] = {NULL};
    int n = 0;
    for (; n < RV_MOST_VIEWS && rv_view_word(n) != NULL; n++) names[n] = rv_view_word(n);
    names[n] = "all";
    *views = 0;
    for (const char *at = text; at != NULL;) {
        const size_t length = strcspn(at, ",");
        char word[32];
        int index;
        snprintf(word, sizeof word, "%.*s", length < 31 ? (int)length : 31, at);
        const rc_exit status = rc_parse_choice("--show", word, names, error, &index);
        if (status != RC_GOOD) return status;
        *views |= index < n ? 1u << index : RV_VIEW_ALL;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return RC_GOOD;
}

/* How far a step has come, 0..1 as the stage counts it: 0.12 is where chunks have left their cell,
   0.80 where they stand at the receiver's door; 0: the step is done. */
static rc_exit read_moment(const rc_options *options, rs_error *error, double *progress) {
    static const double places[] = {0.12, 0.46, 0.80, 0};
    rc_reader read = {options, error, RC_GOOD};
    const int at = rc_read_choice(&read, RC_MOMENT);
    if (read.status != RC_GOOD) return read.status;
    if (options->value[RC_MOMENT] != NULL && options->value[RC_AT] == NULL) {
        return rc_fail(error, RC_USAGE, _("--moment is a part of a step; choose one with --at"));
    }
    *progress = places[at];
    return RC_GOOD;
}

static rc_exit read_rival(const rc_options *options, const char *algorithm, rs_error *error,
                          const char **name) {
    rc_reader read = {options, error, RC_GOOD};
    if (options->value[RC_AGAINST] == NULL) return RC_GOOD;
    const char *rival = rs_algorithms[rc_read_choice(&read, RC_AGAINST)]->name;
    if (read.status != RC_GOOD) return read.status;
    if (strcmp(algorithm, rival) == 0) {
        return rc_fail(error, RC_USAGE, _("--compare %s: that is the run itself; name another"),
                       rival);
    }
    *name = rival;
    return RC_GOOD;
}

/* A race can only be seen. */
static rc_exit check_rival(const rc_options *options, rs_error *error) {
    static const char *const blind[] = {"text", "terminal", "none"};
    if (options->value[RC_AGAINST] == NULL || options->value[RC_EXPORT] != NULL) return RC_GOOD;
    const char *view = options->value[RC_VIEW];
    bool seen = options->value[RC_JSON] == NULL;
    for (int i = 0; i < 3; i++) seen = seen && (view == NULL || strcmp(view, blind[i]) != 0);
    if (seen) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("--compare is a race in the window; in numbers: ringsim compare"));
}

static bool wants_stillness(const rc_options *options) {
    const char *wish = getenv("RINGSIM_REDUCED_MOTION");
    return options->value[RC_REDUCED_MOTION] != NULL ||
           (wish != NULL && wish[0] != '\0' && strcmp(wish, "0") != 0);
}

/* All steps on one sheet: asked for, or a document of which no step was chosen. */
static bool wants_sheet(const rc_options *options) {
    const char *path = options->value[RC_EXPORT];
    const size_t n = path != NULL ? strlen(path) : 0;
    const bool document = n > 4 && strcmp(path + n - 4, ".pdf") == 0;
    return options->value[RC_SHEET] != NULL || (document && options->value[RC_AT] == NULL);
}

rc_exit rc_read_look(const rc_options *options, const char *algorithm, rs_error *error,
                     rv_options *view) {
    rc_reader read = {options, error, RC_GOOD};
    view->dark = rc_read_choice(&read, RC_THEME) == 1;
    rc_exit status = read.status;
    if (status == RC_GOOD) status = read_scale(options->value[RC_SCALE], error, &view->scale);
    if (status == RC_GOOD) {
        status = read_size(options->value[RC_SIZE], error, &view->pixel_width, &view->pixel_height);
    }
    if (status == RC_GOOD) status = read_views(options->value[RC_SHOW], error, &view->views);
    if (status == RC_GOOD) status = read_moment(options, error, &view->progress);
    if (status == RC_GOOD) status = check_rival(options, error);
    if (status == RC_GOOD) status = read_rival(options, algorithm, error, &view->compare);
    view->reduced_motion = wants_stillness(options);
    view->sheet = wants_sheet(options);
    return status;
}
