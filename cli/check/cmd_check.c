/* cmd_check.c: `ringsim check FILE.sched`: is it the collective that it says, and what does it cost?
 *
 * Exit status 0: sound, 1: unsound, 2: no schedule at all. The cost is told too, since a plan that
 * passes whole arrays around may be sound and is still no ring.
 */
#include "base/files.h"
#include "base/text.h"
#include "ringsim_msccl.h"
#include "ringsim_text.h"
#include "run/request.h"
#include "run/run_json.h"
#include "run/show.h"

#include <string.h>

/* Writes thousandths with three decimals at the most: 1.6, 1.333, 2. */
static char *print_thousandths(int64_t thousandths, char out[32]) {
    const int n = snprintf(out, 32, "%lld.%03lld", (long long)(thousandths / 1000),
                           (long long)(thousandths % 1000));
    char *end = out + n;
    while (end[-1] == '0') end--;
    if (end[-1] == '.') end--;
    *end = '\0';
    return out;
}

static void print_cost(const rs_schedule *schedule) {
    const int64_t n = schedule->n_ranks, chunks = schedule->n_chunks;
    char sent[32], least[32];
    int64_t most = 0;
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const int64_t chunks_sent = rs_elements_sent(schedule, chunks, r);
        if (chunks_sent > most) most = chunks_sent;
    }
    const int64_t array = rs_size_count(schedule, chunks);
    print_thousandths((most * 1000 + array / 2) / array, sent);
    if (schedule->collective != RS_COLL_ALL_REDUCE) {
        printf(_("the busiest GPU sends %s times the array\n"), sent);
        return;
    }
    printf(_("the busiest GPU sends %s times the array; no all-reduce needs less than %s\n"), sent,
           print_thousandths((2 * (n - 1) * 1000 + n / 2) / n, least));
}

static void print_verdict(const char *path, const rs_schedule *schedule,
                          const rs_verdict *verdict) {
    char text[1024], name[4096];
    const rs_source *source = schedule->source;
    if (source != NULL && source->why != NULL)
        snprintf(text, sizeof text, "%s", source->why);
    else
        rv_verdict_text(verdict, text, sizeof text);
    rc_plain(path, true, name, sizeof name);
    printf(_("%s: GPUs %d, chunks %d, steps %d, transfers %lld\n"), name, (int)schedule->n_ranks,
           (int)schedule->n_chunks, (int)schedule->n_steps, (long long)schedule->n_transfers);
    if (verdict->sound) puts(text);
    if (!verdict->sound) printf(_("unsound (%s): %s\n"), rs_fault_name(verdict->fault), text);
    print_cost(schedule);
}

/* A program of MSCCL's may be right, and yet no schedule: that is said, and why. *is_one: it is such. */
static rc_exit check_program(rc_session *session, const char *path, bool *is_one) {
    char *text, name[4096];
    size_t n_bytes;
    rn_msccl program;
    rn_msccl_verdict verdict;
    rs_error why = *session->error;
    rc_exit status =
        rc_read_file(path, RC_TEXT_LIMIT, session->arena, session->error, &text, &n_bytes);
    *is_one = status == RC_GOOD && rn_find_root(text, n_bytes, NULL) == RN_ROOT_ALGO;
    if (!*is_one) return status;
    why.file[0] = '\0'; /* it is said once */
    status = rc_exit_of_reader(
        rn_parse_msccl(path, text, n_bytes, session->arena, session->error, &program));
    if (status == RC_GOOD) {
        status = rc_exit_of(rn_judge_msccl(&program, session->arena, session->error, &verdict));
    }
    if (status != RC_GOOD || verdict.fault != RN_MSCCL_RIGHT) return RC_LACKS;
    printf(_("%s: GPUs %d, steps of all blocks %d, messages %lld\n"),
           rc_plain(path, true, name, sizeof name), (int)program.n_gpus, (int)verdict.n_steps,
           (long long)verdict.n_messages);
    printf(
        _("sound as a program of MSCCL's: each message is received, nothing waits for ever, no race, and the result is "
          "the collective's. Not to be shown or timed here: %s\n"),
        rc_said(&why));
    session->error->text[0] = '\0';
    return RC_GOOD;
}

static rc_exit cmd_check(rc_session *session) {
    const rc_options *options = &session->options;
    if (options->n_operands != 1) {
        return rc_fail(session->error, RC_USAGE,
                       _("check judges one file at a time: ringsim check FILE.sched"));
    }
    const char *path = options->operands[0];
    rs_schedule schedule;
    rs_verdict verdict;
    const int32_t n_ranks =
        rc_given(options, RC_GPUS) ? (int32_t)options->value[RC_GPUS].number : 0;
    rc_exit status = rc_read_schedule(session, path, n_ranks, &schedule);
    if (status == RC_LACKS && !rc_given(options, RC_JSON) && strcmp(path, "-") != 0) {
        const rs_error why = *session->error;
        bool is_one;
        status = check_program(session, path, &is_one);
        if (is_one && status == RC_GOOD) return status;
        *session->error = why;
        status = RC_LACKS;
    }
    if (status != RC_GOOD) return status;
    rc_host_watch(session->host, true);
    status = rc_exit_of(rs_check(&schedule, session->arena->host, session->error, &verdict));
    status = rc_host_end(session->host, status, session->error);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        rc_json_check(path, &schedule, &verdict, session->sandbox, stdout);
    } else {
        print_verdict(path, &schedule, &verdict);
        rc_print_sandbox(session, "");
    }
    return verdict.sound ? RC_GOOD : RC_NO;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {.id = RC_GPUS, .help = N_("world size; of a file of learner's C, 5")},
};

const rc_command rc_command_check = {.name = "check",
                                     .operands = "FILE.sched",
                                     .summary = N_("judge a schedule from a file"),
                                     RC_TAKES(RC_GPUS, RC_SANDBOX, RC_INTERPRET, RC_LANG, RC_JSON),
                                     RC_OWN_OPTIONS(own_options),
                                     .run = cmd_check};
