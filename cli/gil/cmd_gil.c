/* cmd_gil.c: `ringsim gil`: is it better to have threads or processes? The same work under one lock that
 * all threads share, and under a lock for each process; simulated, and really run on this machine.
 *
 *     options --> rs_gil, three times --> rc_gil_measure --> JSON | story --> 0
 *                                     `-> rc_gil_begin --> story, walked at once; measured times come when they are there
 */
#include "base/units.h"
#include "run/show.h"
#include "story/story_gil.h"
#include "gil/gil.h"
#include "base/json_file.h"

/* Options of its own. */
enum { WORK = RC_OWN, SLICES, CORES };

static const int64_t most_work_ps = 60000000000000;

/* ------------------------------------------------------------------ what is asked for */

static rc_exit check_work(rc_session *session, const rc_gil *gil) {
    if (gil->work_ps >= 1000000 && gil->work_ps <= most_work_ps / gil->n_workers) return RC_GOOD;
    return rc_fail(session->error, RC_USAGE,
                   _("--work %.60s: from 1us to 60s for all %d workers together"),
                   session->options.value[WORK].text, (int)gil->n_workers);
}

static rc_exit read_gil(rc_session *session, rc_gil *gil) {
    const rc_value *value = session->options.value;
    gil->n_workers = (int32_t)value[RC_GPUS].number;
    gil->n_slices = (int32_t)value[SLICES].number;
    gil->n_cores =
        rc_given(&session->options, CORES) ? (int32_t)value[CORES].number : gil->n_workers;
    gil->n_runs = (int32_t)value[RC_ITERS].number;
    gil->share_num = value[RC_PYTHON_SHARE].num;
    gil->share_den = value[RC_PYTHON_SHARE].den;
    gil->work_ps = value[WORK].number;
    return rc_given(&session->options, WORK) ? check_work(session, gil) : RC_GOOD;
}

/* ------------------------------------------------------------------ the story */

static int64_t python_of_slice(const rc_gil *gil, int64_t slice_ps) {
    if (gil->share_num == 0) return 0;
    return rs_wire_ps(slice_ps, 1000000000000, gil->share_num, gil->share_den);
}

static rc_exit simulate(rc_session *session, rc_gil *gil) {
    const int64_t slice_ps = gil->work_ps / gil->n_slices,
                  python_ps = python_of_slice(gil, slice_ps);
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        const rs_gil_job job = {.n_workers = way == RC_GIL_ALONE ? 1 : gil->n_workers,
                                .n_slices = gil->n_slices,
                                .n_cores = gil->n_cores,
                                .python_ps = python_ps,
                                .native_ps = slice_ps - python_ps,
                                .processes = way == RC_GIL_PROCESSES};
        rs_gil_report *report = &gil->simulated[way];
        const rs_status status = rs_gil(&job, session->arena, session->error, report);
        if (status != RS_OK) return rc_exit_of(status);
        if (way == RC_GIL_ALONE) report->makespan_ps *= gil->n_workers; /* one after the other */
    }
    return RC_GOOD;
}

static void take_side(const rc_gil *gil, int way, rv_gil_side *side) {
    const rc_gil_run *measured = &gil->measured[way];
    *side = (rv_gil_side){.simulated = &gil->simulated[way],
                          .measured = measured->pieces,
                          .n_measured = measured->n_pieces,
                          .measured_ps = measured->makespan_ps};
}

/* Takes what was measured into the story's facts. */
static void take_measured(const rc_gil *gil, rv_gil_story *of) {
    take_side(gil, RC_GIL_THREADS, &of->threads);
    take_side(gil, RC_GIL_PROCESSES, &of->processes);
    of->measured_alone_ps = gil->measured[RC_GIL_ALONE].makespan_ps;
    of->start_thread_ps = gil->start_thread_ps;
    of->start_process_ps = gil->start_process_ps;
    of->core_percent = gil->core_percent;
}

/* What is on its way from another process; the story's facts. */
typedef struct awaited {
    const rc_gil *gil;
    rc_gil_beside *beside;
} awaited;

static bool has_arrived(rv_gil_story *of) {
    const awaited *from = of->from;
    if (!rc_gil_arrived(from->beside)) return false;
    take_measured(from->gil, of);
    return true;
}

static rc_exit make_story(rc_session *session, const rc_gil *gil, rc_gil_beside *beside,
                          rv_story *story) {
    rv_gil_story *of = rs_alloc(session->arena, 1, sizeof *of);
    awaited *from = rs_alloc(session->arena, 1, sizeof *from);
    if (of == NULL || from == NULL) return rc_no_memory(session->error);
    *from = (awaited){gil, beside};
    *of = (rv_gil_story){.alone_ps = gil->simulated[RC_GIL_ALONE].makespan_ps,
                         .python_share = (double)gil->share_num / (double)gil->share_den,
                         .work_ps = gil->work_ps,
                         .cores_here = gil->n_cores < rc_cores() ? gil->n_cores : rc_cores(),
                         .arrived = beside != NULL ? has_arrived : NULL,
                         .from = from};
    take_measured(gil, of);
    return rc_exit_of(rv_story_gil(of, session->arena, session->error, story));
}

/* ------------------------------------------------------------------ JSON */

static void put_ways(rs_json *json, const char *key, const int64_t times_ps[RC_GIL_N_WAYS]) {
    rs_json_object(json, key);
    rs_json_integers(json, {"alone_ps", times_ps[0]}, {"threads_ps", times_ps[1]},
                     {"processes_ps", times_ps[2]});
}

static void put_measured(rs_json *json, const rc_gil *gil, const int64_t times_ps[RC_GIL_N_WAYS]) {
    if (gil->n_runs == 0) {
        rs_json_null(json, "measured");
        return;
    }
    put_ways(json, "measured", times_ps);
    rs_json_integers(json, {"runs", gil->n_runs}, {"start_thread_ps", gil->start_thread_ps},
                     {"start_process_ps", gil->start_process_ps},
                     {"core_percent", gil->core_percent});
    rs_json_close(json);
}

void rc_json_gil(const rc_gil *gil, FILE *out) {
    enum { DIGITS = 9 };
    const double share = (double)gil->share_num / (double)gil->share_den;
    int64_t simulated[RC_GIL_N_WAYS], measured[RC_GIL_N_WAYS];
    for (int way = 0; way < RC_GIL_N_WAYS; way++) {
        simulated[way] = gil->simulated[way].makespan_ps;
        measured[way] = gil->measured[way].makespan_ps;
    }
    rs_json json;
    rc_json_begin(&json, "ringsim.gil/1", out);
    rs_json_integers(&json, {"workers", gil->n_workers}, {"slices", gil->n_slices},
                     {"cores", gil->n_cores});
    rs_json_number(&json, "python_share", share, DIGITS);
    rs_json_integer(&json, "work_ps", gil->work_ps);
    rs_json_number(&json, "limit", rs_gil_limit(gil->n_workers, gil->n_cores, share), DIGITS);
    rs_json_number(&json, "amdahl", rs_gil_amdahl(gil->n_workers, gil->n_cores, share), DIGITS);
    put_ways(&json, "simulated", simulated);
    rs_json_integers(&json, {"lock_ps", gil->simulated[RC_GIL_THREADS].lock_ps},
                     {"waiting_ps", gil->simulated[RC_GIL_THREADS].waiting_ps});
    rs_json_close(&json);
    put_measured(&json, gil, measured);
    rc_json_end(&json);
}

/* ------------------------------------------------------------------ the command */

/* Whoever asks for the story alone is about to show it beside others: nothing is measured for him. */
static rc_exit gil_subject(rc_session *session, rv_subject *subject) {
    rv_story story;
    rc_gil *gil = rs_alloc(session->arena, 1, sizeof *gil);
    if (gil == NULL) return rc_no_memory(session->error);
    rc_exit status = read_gil(session, gil);
    gil->n_runs = 0;
    if (status == RC_GOOD) status = simulate(session, gil);
    if (status == RC_GOOD) status = make_story(session, gil, NULL, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

/* Tells whether somebody walks through the story, who need not wait until all is measured. */
static bool is_walked(const rc_session *session, const rc_showing *showing) {
    return !rc_given(&session->options, RC_EXPORT) &&
           (showing->view == RC_VIEW_WINDOW || showing->view == RC_VIEW_TERMINAL);
}

static rc_exit cmd_gil(rc_session *session) {
    rc_showing showing;
    rc_gil_beside *beside = NULL;
    rv_story story;
    rc_gil *gil = rs_alloc(session->arena, 1, sizeof *gil);
    if (gil == NULL) return rc_no_memory(session->error);
    rc_exit status = read_gil(session, gil);
    if (status == RC_GOOD) status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = simulate(session, gil);
    if (status == RC_GOOD && gil->n_runs > 0 && is_walked(session, &showing)) {
        status = rc_gil_begin(session, gil, &beside);
    } else if (status == RC_GOOD) {
        status = rc_gil_measure(session, gil);
    }
    if (status == RC_GOOD) status = make_story(session, gil, beside, &story);
    status = rc_show_story(session, &showing, status, &story);
    rc_gil_leave(beside);
    if (status == RC_GOOD && showing.view == RC_VIEW_JSON) rc_json_gil(gil, stdout);
    return status == RC_GOOD ? rc_print_figures(session, &showing, &story) : status;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, "N", N_("workers, one a GPU, 4"), RC_INTEGER(1, RS_GIL_MAX_WORKERS, "4")},
    {RC_ITERS, NULL, 0, "N",
     N_("really run so many times, of which the best counts, 3; 0: not at all"),
     RC_INTEGER(0, 100, "3")},
    {.id = RC_PYTHON_SHARE, .type = RC_TYPE(rc_as_share, "0.5", .most = 1)},
    {WORK, "work", 0, "TIME", N_("how long a worker works alone, 100ms"),
     RC_AMOUNT(RC_IN_PS, "100ms")},
    {SLICES, "slices", 0, "K", N_("each worker takes the lock so many times, 10"),
     RC_INTEGER(1, RS_GIL_MAX_SLICES, "10")},
    {CORES, "cores", 0, "C", N_("cores to work on, one a worker"),
     RC_INTEGER(1, RS_GIL_MAX_CORES, NULL)},
};

const rc_command rc_command_gil = {
    .name = "gil",
    .operands = "",
    .summary = N_("threads or processes: the same work under one lock and under many"),
    RC_TAKES(RC_GPUS, RC_ITERS, RC_TAKE_WALK, RC_PYTHON_SHARE, WORK, SLICES, CORES, RC_TAKE_STORY),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_GPUS, RC_ITERS, RC_PYTHON_SHARE, WORK, SLICES, CORES, RC_STEP, RC_VIEW, RC_LANG,
             RC_JSON, RC_EXPORT),
    .run = cmd_gil,
    .subject = gil_subject};
