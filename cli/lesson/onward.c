/* onward.c: which lesson comes next: the one in order, or on the short way, the ring in an hour. */
#include "lesson/shelf.h"

#include <string.h>

static const int hour[] = {1, 5, 6};
enum { N_HOUR = sizeof hour / sizeof *hour };

static bool in_hour(int number) {
    for (int i = 0; i < N_HOUR; i++) {
        if (hour[i] == number) return true;
    }
    return false;
}

rc_onward rc_find_onward(const rc_shelf *shelf, const rc_progress *progress, int now) {
    const int last = hour[N_HOUR - 1];
    rc_onward on = {.hour_done = true};
    int missing = 0, follows = 0;
    for (int i = 0; i < N_HOUR; i++) {
        if (hour[i] == now || rc_is_done(rc_find_place(progress, hour[i]))) continue;
        if (on.hour == 0) on.hour = hour[i];
        on.hour_done = false;
    }
    for (int i = 0; i < shelf->n; i++) {
        const int number = rc_lesson_number(shelf, i);
        const rc_place_in *place = rc_find_place(progress, number);
        const bool begun = place != NULL && (place->most > 0 || place->n_points > 0);
        if (begun && number < last && !in_hour(number)) on.hour = 0; /* he reads all of them */
        if (missing == 0 && number != now && !rc_is_done(place)) missing = number;
        if (follows == 0 && number > now) follows = number;
    }
    if (on.hour < now || (now != 0 && !in_hour(now))) on.hour = 0;
    on.hour_done = on.hour_done && (now == 0 || now == last);
    on.next = now == 0 || (on.hour_done && missing != 0) ? missing : follows;
    return on;
}

const char *rc_onward_text(const rc_session *session, rc_onward on, char *out, size_t n_out) {
    rc_lesson_command(session, on.hour != 0 ? on.hour : on.next, out, n_out);
    if (on.hour == 0 || on.hour == on.next) return out;
    const size_t n = strlen(out);
    snprintf(out + n, n_out - n, _(" (the ring in an hour) or %d (all)"), on.next);
    return out;
}
