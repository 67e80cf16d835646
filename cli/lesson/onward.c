/* onward.c: which lesson comes next, for grade, list, terminal and window alike.
 *
 *     on the short way, the ring in an hour     its next one, or the one in order
 *     the hour is done                          what was left out, or the ring in training, with DDP
 *     else                                      the one in order
 */
#include "lesson/shelf.h"

#include <string.h>

static const int hour[] = {1, 5, 6};
enum { N_HOUR = sizeof hour / sizeof *hour, DDP = 12 };

static bool in_hour(int number) {
    for (int i = 0; i < N_HOUR; i++) {
        if (hour[i] == number) return true;
    }
    return false;
}

rc_onward rc_find_onward(const rc_shelf *shelf, const rc_progress *progress, int now) {
    const int last = hour[N_HOUR - 1];
    rc_onward on = {.hour_done = true};
    int missing = 0, follows = 0, short_way = 0;
    for (int i = 0; i < N_HOUR; i++) {
        if (hour[i] == now || rc_is_done(rc_find_place(progress, hour[i]))) continue;
        if (short_way == 0) short_way = hour[i];
        on.hour_done = false;
    }
    for (int i = 0; i < shelf->n; i++) {
        const int number = rc_lesson_number(shelf, i);
        const rc_place_in *place = rc_find_place(progress, number);
        const bool begun = place != NULL && (place->most > 0 || place->n_points > 0);
        if (begun && number < last && !in_hour(number)) short_way = 0; /* he reads all of them */
        if (missing == 0 && number != now && !rc_is_done(place)) missing = number;
        if (follows == 0 && number > now) follows = number;
    }
    if (short_way < now || (now != 0 && !in_hour(now))) short_way = 0;
    on.hour_done = on.hour_done && (now == 0 || now == last);
    on.next = now == 0 || (on.hour_done && missing != 0) ? missing : follows;
    if (short_way != 0 && short_way != on.next) on.other = on.next, on.next = short_way;
    if (on.hour_done && missing < last && !rc_is_done(rc_find_place(progress, DDP))) on.other = DDP;
    return on;
}

const char *rc_onward_text(const rc_session *session, rc_onward on, char *out, size_t n_out) {
    rc_lesson_command(session, on.next, out, n_out);
    if (on.other == 0) return out;
    const size_t n = strlen(out);
    snprintf(out + n, n_out - n,
             on.hour_done ? _(" (what you left out) or %d (training with DDP)")
                          : _(" (the ring in an hour) or %d (all)"),
             on.other);
    return out;
}
