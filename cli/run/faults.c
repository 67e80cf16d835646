/* faults.c: what may go wrong, from the command line.
 *
 *     --slow-link SRC:FACTOR  --slow-reduce RANK:FACTOR  --late RANK:TIME  --straggler RANK:TIME
 *     --kill RANK@STEP  --flip RANK@STEP  --down SRC@STEP:TIME
 *
 * Ranks and steps are checked against the schedule; a flip needs a bit to flip, and a link that goes
 * down a transfer to hold up.
 */
#include "base/units.h"
#include "run/request.h"

#include <string.h>

typedef struct fault_form {
    rc_option_id id;
    rs_fault_kind kind;
    bool step, time, factor; /* what follows the rank */
} fault_form;

static const fault_form forms[] = {
    {RC_SLOW_LINK, RS_SLOW_LINK, false, false, true},
    {RC_LATE, RS_LATE, false, true, false},
    {RC_STRAGGLER, RS_STRAGGLER, false, true, false},
    {RC_KILL, RS_KILL, true, false, false},
    {RC_FLIP, RS_FLIP, true, false, false},
    {RC_SLOW_REDUCE, RS_SLOW_REDUCE, false, false, true},
    {RC_DOWN, RS_DOWN, true, true, false},
};

enum { LONGEST = 80 };

/* Copies the text up to `mark` (0: the rest) and moves *at behind it; false: no mark, or too long. */
static bool cut(const char **at, char mark, char out[LONGEST]) {
    const char *end = mark == 0 ? *at + strlen(*at) : strchr(*at, mark);
    if (end == NULL || end - *at >= LONGEST) return false;
    memcpy(out, *at, (size_t)(end - *at));
    out[end - *at] = '\0';
    *at = mark == 0 ? end : end + 1;
    return true;
}

static rc_exit read_number(const char *what, const char *text, int32_t n, rs_error *error,
                           int32_t *number) {
    rs_error reason;
    int64_t read;
    if (rc_parse_integer(text, 0, (int64_t)n - 1, &reason, &read) != RC_GOOD) {
        return rc_fail(error, RC_USAGE, _("%s %.200s"), what, reason.text);
    }
    *number = (int32_t)read;
    return RC_GOOD;
}

/* Reads what comes after the last mark: the time or the factor. */
static rc_exit read_amount(const fault_form *form, const char *text, rs_error *error,
                           rs_fault *fault) {
    if (form->time) return rc_parse_time(text, error, &fault->time_ps);
    return rc_parse_factor(text, error, &fault->factor_num, &fault->factor_den);
}

static rc_exit read_parts(const fault_form *form, const char *text, const rs_schedule *schedule,
                          rs_error *error, rs_fault *fault) {
    const bool amount = form->time || form->factor;
    char rank[LONGEST], step[LONGEST] = "", rest[LONGEST] = "";
    const char *at = text;
    bool whole = cut(&at, form->step ? '@' : ':', rank);
    if (whole && form->step) whole = cut(&at, amount ? ':' : 0, step);
    if (whole && amount) whole = cut(&at, 0, rest);
    if (!whole) {
        return rc_fail(error, RC_USAGE, _("write it %s"), rc_option_table[form->id].argument);
    }
    rc_exit status = read_number(_("rank"), rank, schedule->n_ranks, error, &fault->rank);
    if (status == RC_GOOD && form->step && schedule->n_steps == 0) {
        return rc_fail(error, RC_USAGE, _("this run has no steps"));
    }
    if (status == RC_GOOD && form->step) {
        status = read_number(_("step"), step, schedule->n_steps, error, &fault->step);
    }
    if (status == RC_GOOD && amount) status = read_amount(form, rest, error, fault);
    return status;
}

/* Returns the most elements in one message that the rank sends in the step; -1: it sends none. */
static int64_t largest_message(const rs_schedule *schedule, int64_t count, const rs_fault *fault,
                               rs_transfer sends[]) {
    int64_t most = -1;
    const int n = schedule->sends(schedule, fault->step, fault->rank, sends);
    for (int i = 0; i < n; i++) {
        const int64_t elements = rs_transfer_count(schedule, count, &sends[i]);
        if (elements > most) most = elements;
    }
    return most;
}

static rc_exit check_message(const rs_schedule *schedule, int64_t count, const rs_fault *fault,
                             rs_error *error) {
    if (fault->kind != RS_FLIP && fault->kind != RS_DOWN) return RC_GOOD;
    rs_arena scratch;
    rs_arena_init(&scratch, NULL);
    rs_transfer *sends = rs_alloc(&scratch, (size_t)schedule->max_sends + 1, sizeof *sends);
    const int64_t most = sends == NULL ? 0 : largest_message(schedule, count, fault, sends);
    rs_arena_free(&scratch);
    if (most < 0) {
        return rc_fail(error, RC_USAGE, _("rank %d sends nothing in step %d"), (int)fault->rank,
                       (int)fault->step);
    }
    if (most > 0 || fault->kind == RS_DOWN) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("what rank %d sends in step %d is empty, there is no bit to flip"),
                   (int)fault->rank, (int)fault->step);
}

rc_exit rc_parse_fault(rc_option_id id, const char *text, const rs_schedule *schedule,
                       int64_t count, rs_error *error, rs_fault *fault) {
    const fault_form *form = forms;
    while (form->id != id) form++;
    rs_fault read = {.kind = form->kind, .factor_num = 1, .factor_den = 1};
    rs_error reason;
    rc_exit status = read_parts(form, text, schedule, &reason, &read);
    if (status == RC_GOOD) status = check_message(schedule, count, &read, &reason);
    if (status != RC_GOOD) {
        return rc_fail(error, status, "--%s %.60s: %.300s", rc_option_table[id].name, text,
                       reason.text);
    }
    *fault = read;
    return RC_GOOD;
}
