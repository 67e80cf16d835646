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

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 80 };

/* What follows the rank; the argument that the help names says so. */
typedef struct fault_form {
    bool step, time, factor;
} fault_form;

static fault_form form_of(const char *argument) {
    return (fault_form){.step = strchr(argument, '@') != NULL,
                        .time = strstr(argument, ":TIME") != NULL,
                        .factor = strstr(argument, ":FACTOR") != NULL};
}

/* Copies the text up to `mark` (0: the rest) and moves *at behind it; false: no mark, or too long. */
static bool cut(const char **at, char mark, char out[LONGEST]) {
    const char *end = mark == 0 ? *at + strlen(*at) : strchr(*at, mark);
    if (end == NULL || end - *at >= LONGEST) return false;
    memcpy(out, *at, (size_t)(end - *at));
    out[end - *at] = '\0';
    *at = mark == 0 ? end : end + 1;
    return true;
}

/* Reads any number; one that no schedule can have stays too large. */
static rc_exit read_number(const char *what, const char *text, rs_error *error, int32_t *number) {
    int64_t read;
    if (rc_parse_integer(text, 0, INT64_MAX, error, &read) != RC_GOOD) {
        const rs_error reason = *error;
        return rc_fail(error, RC_USAGE, _("%s %.200s"), what, reason.text);
    }
    *number = read < INT32_MAX ? (int32_t)read : INT32_MAX;
    return RC_GOOD;
}

/* Reads what comes after the last mark: the time or the factor. */
static rc_exit read_amount(const fault_form *form, const char *text, rs_error *error,
                           rs_fault *fault) {
    if (form->time) return rc_parse_amount(RC_IN_PS, text, error, &fault->time_ps);
    return rc_parse_factor(text, error, &fault->factor_num, &fault->factor_den);
}

static rc_exit read_parts(const char *text, const char *argument, rs_error *error,
                          rs_fault *fault) {
    const fault_form form = form_of(argument);
    assert(form.step || form.time || form.factor);
    const bool amount = form.time || form.factor;
    char rank[LONGEST], step[LONGEST] = "", rest[LONGEST] = "";
    const char *at = text;
    bool whole = cut(&at, form.step ? '@' : ':', rank);
    if (whole && form.step) whole = cut(&at, amount ? ':' : 0, step);
    if (whole && amount) whole = cut(&at, 0, rest);
    if (!whole) return rc_fail(error, RC_USAGE, _("write it %s"), argument);
    rc_exit status = read_number(_("rank"), rank, error, &fault->rank);
    if (status == RC_GOOD && form.step) status = read_number(_("step"), step, error, &fault->step);
    if (status == RC_GOOD && amount) status = read_amount(&form, rest, error, fault);
    return status;
}

bool rc_is_between_devices(const rs_fault *fault) {
    return fault->rank < 0;
}

rc_exit rc_as_fault(const rc_typed *typed, rc_value *value) {
    const rs_fault_kind kind = (rs_fault_kind)typed->option->type->least;
    rc_exit status;
    value->fault = (rs_fault){.kind = kind, .factor_num = 1, .factor_den = 1};
    const char *factor = strrchr(typed->text, ':');
    if (kind == RS_SLOW_LINK && factor != NULL && factor != strchr(typed->text, ':')) {
        value->fault.rank = -1;
        status = rc_parse_factor(factor + 1, typed->error, &value->fault.factor_num,
                                 &value->fault.factor_den);
    } else {
        status = read_parts(typed->text, typed->option->argument, typed->error, &value->fault);
    }
    return rc_prefix(typed->error, status, "--%s %.60s", typed->option->name, typed->text);
}

/* ------------------------------------------------------------------ against a schedule */

/* Refuses a rank or a step that is not there, as it was typed: up to `end`. */
static rc_exit check_number(const char *what, const char *from, const char *end, int32_t number,
                            int32_t n, rs_error *error) {
    char typed[LONGEST];
    rs_error reason;
    if (number < n) return RC_GOOD;
    snprintf(typed, sizeof typed, "%.*s", (int)strcspn(from, end), from);
    rc_outside(typed, 0, (int64_t)n - 1, &reason);
    return rc_fail(error, RC_USAGE, _("%s %.200s"), what, rc_said(&reason));
}

static rc_exit check_place(const char *text, const rs_fault *fault, const rs_schedule *schedule,
                           rs_error *error) {
    assert(fault->rank >= 0 && fault->step >= 0);
    const char *step = strchr(text, '@');
    const rc_exit status =
        check_number(_("rank"), text, "@:", fault->rank, schedule->n_ranks, error);
    if (status != RC_GOOD || step == NULL) return status;
    if (schedule->n_steps == 0) return rc_fail(error, RC_USAGE, _("this run has no steps"));
    return check_number(_("step"), step + 1, ":", fault->step, schedule->n_steps, error);
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

rc_exit rc_check_fault(const rc_repeated *typed, const rs_schedule *schedule, int64_t count,
                       rs_error *error) {
    const rs_fault *fault = &typed->value.fault;
    if (rc_is_between_devices(fault)) {
        return rc_fail(error, RC_USAGE, _("--%s %.60s: say in which --machine"),
                       rc_option_table[typed->id].name, typed->value.text);
    }
    rc_exit status = check_place(typed->value.text, fault, schedule, error);
    if (status == RC_GOOD) status = check_message(schedule, count, fault, error);
    return rc_prefix(error, status, "--%s %.60s", rc_option_table[typed->id].name,
                     typed->value.text);
}
