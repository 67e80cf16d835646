/* appearance.c: how the window and its pictures look: --theme, --scale, --size, --show, --moment, --compare,
 * --sheet.
 *
 * None of these changes what is simulated; a view in characters ignores what it has no use for (all but some
 * of --show), so that one command line serves on a desktop and on a server.
 */
#include "base/units.h"
#include "run/show.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 320, LEAST_HEIGHT = 240, MOST_WIDTH = 7680, MOST_HEIGHT = 4320 };

rc_exit rc_as_scale(const rc_typed *typed, rc_value *value) {
    rs_error ignored;
    const bool good = rc_parse_factor(typed->text, &ignored, &value->num, &value->den) == RC_GOOD &&
                      value->num * 2 >= value->den && value->num <= value->den * 4;
    if (good) return RC_GOOD;
    return rc_fail(typed->error, RC_USAGE, _("--scale %.60s: write a number in 0.5..4"),
                   typed->text);
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

rc_exit rc_as_pixels(const rc_typed *typed, rc_value *value) {
    const char *at = typed->text;
    const int w = read_pixels(&at);
    const int h = w >= 0 && *at == 'x' ? (at++, read_pixels(&at)) : -1;
    if (*at != '\0' || w < LEAST_WIDTH || w > MOST_WIDTH || h < LEAST_HEIGHT || h > MOST_HEIGHT) {
        return rc_fail(typed->error, RC_USAGE,
                       _("--size %.60s: write width x height in pixels, such as 1280x720, from "
                         "%dx%d to %dx%d"),
                       typed->text, LEAST_WIDTH, LEAST_HEIGHT, MOST_WIDTH, MOST_HEIGHT);
    }
    value->list = rs_alloc(typed->arena, 2, sizeof *value->list);
    if (value->list == NULL) return rc_no_memory(typed->error);
    value->list[0] = w;
    value->list[1] = h;
    value->n = 2;
    return RC_GOOD;
}

static unsigned views_of(const rc_value *show) {
    unsigned views = 0;
    for (int64_t i = 0; i < show->n; i++) {
        const bool all = rv_view_word((int)show->list[i]) == NULL;
        views |= all ? RV_VIEW_ALL : 1u << show->list[i];
    }
    return views;
}

/* How far a step has come, 0..1 as the stage counts it: 0.12 is where chunks have left their cell,
   0.66 where they have reached the receiver; 0: the step is done. */
static rc_exit read_moment(const rc_options *options, rs_error *error, double *progress) {
    static const double places[] = {0.12, 0.39, 0.66, 0};
    const bool chosen = rc_given(options, RC_AT) || rc_given(options, RC_SLIDES);
    if (rc_given(options, RC_MOMENT) && !chosen) {
        return rc_fail(error, RC_USAGE, _("--moment is a part of a step; choose one with --at"));
    }
    *progress = places[options->value[RC_MOMENT].number];
    return RC_GOOD;
}

/* A race has another algorithm; it, and a fork, can only be seen. */
static rc_exit read_rival(const rc_options *options, const char *algorithm, rs_error *error,
                          const char **name) {
    const bool fork = rc_given(options, RC_BEFORE);
    if (!rc_given(options, RC_AGAINST) && !fork) return RC_GOOD;
    const rc_view view = (rc_view)options->value[RC_VIEW].number;
    const bool seen =
        (view == RC_VIEW_AUTO || view == RC_VIEW_WINDOW || view == RC_VIEW_TERMINAL) &&
        !rc_given(options, RC_JSON);
    if (!seen && !rc_given(options, RC_EXPORT)) {
        return rc_fail(
            error, RC_USAGE,
            fork
                ? _("--before is a fork in the window or the terminal")
                : _("--compare is a race in the window or the terminal; in numbers: ringsim compare"));
    }
    if (fork && rc_given(options, RC_AGAINST)) {
        return rc_fail(error, RC_USAGE, _("--compare and --before: choose one"));
    }
    if (fork) return RC_GOOD;
    const rs_collective of = (rs_collective)options->value[RC_COLLECTIVE].number;
    *name = rc_any_algorithm_at((int)options->value[RC_AGAINST].number);
    if (rs_find_algorithm(of, *name) == NULL) {
        return rc_fail(error, RC_USAGE, _("--compare %s: the %s has no algorithm of that name"),
                       *name, rs_collective_name(of));
    }
    if (strcmp(algorithm, *name) != 0) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--compare %s: that is the run itself; name another"), *name);
}

static bool wants_stillness(const rc_options *options) {
    const char *wish = getenv("RINGSIM_REDUCED_MOTION");
    return rc_given(options, RC_REDUCED_MOTION) ||
           (wish != NULL && wish[0] != '\0' && strcmp(wish, "0") != 0);
}

/* All steps on one sheet: asked for, or a document of which no step was chosen. */
static bool wants_sheet(const rc_options *options) {
    const rc_value *export = &options->value[RC_EXPORT];
    const bool document = export->text != NULL && export->number < RV_N_PICTURES &&
                          rv_pictures[export->number].medium == RV_PAGES;
    if (rc_given(options, RC_SLIDES)) return false;
    return rc_given(options, RC_SHEET) || (document && !rc_given(options, RC_AT));
}

rc_exit rc_read_look(const rc_options *options, const char *algorithm, rs_error *error,
                     rv_options *view) {
    const rc_value *value = options->value, *size = &value[RC_SIZE];
    assert(value[RC_SCALE].den > 0 && (size->n == 0 || size->n == 2));
    view->desktop_theme = value[RC_THEME].number == 0;
    view->dark = value[RC_THEME].number == 2;
    view->scale = (double)value[RC_SCALE].num / (double)value[RC_SCALE].den;
    if (size->n > 0) {
        view->pixel_width = (int)size->list[0];
        view->pixel_height = (int)size->list[1];
    }
    view->views = views_of(&value[RC_SHOW]);
    view->reduced_motion = wants_stillness(options);
    view->sheet = wants_sheet(options);
    view->slides = rc_given(options, RC_SLIDES);
    view->bare = rc_given(options, RC_BARE);
    const rc_exit status = read_moment(options, error, &view->progress);
    return status == RC_GOOD ? read_rival(options, algorithm, error, &view->compare) : status;
}
