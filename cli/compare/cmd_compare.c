/* cmd_compare.c: `ringsim compare`: algorithms x world sizes x sizes, side by side.
 *
 * Without sizes it sweeps 1KiB..1GiB for one world size; with sizes it takes several world sizes.
 */
#include "base/units.h"
#include "compare/compare.h"
#include "run/request.h"
#include "story/frame.h"

#include <assert.h>
#include <string.h>

/* Options of its own. */
enum { PLOT = RC_OWN };

enum { MOST_ALGORITHMS = 64, MOST_ROWS = 1000000, CURVES_BYTES = 100000000 };

typedef struct comparison {
    const rs_algorithm *algorithms[MOST_ALGORITHMS];
    int64_t n_algorithms;
    rs_collective collective;
    int32_t root, n_pieces;
    const int64_t *gpus;
    int64_t n_gpus;
    int64_t *counts, n_counts;
    rs_order order;
    rs_engine engine;
} comparison;

/* Those named, else all of the collective that are of use here. */
static rc_exit take_algorithms(const rc_options *options, const rs_machine *machine,
                               rs_error *error, comparison *plan) {
    const rc_value *named = &options->value[RC_ALGO];
    const rs_algorithm *const *all = rs_algorithms_of(plan->collective);
    int64_t n = 0;
    for (; n < named->n; n++) {
        const rc_value one = {.text = named->text, .number = named->list[n]};
        const rc_exit status = rc_algorithm_of(plan->collective, &one, error, &plan->algorithms[n]);
        if (status != RC_GOOD) return status;
    }
    for (int i = 0; named->n == 0 && n < MOST_ALGORITHMS && all[i] != NULL; i++) {
        if (rs_algorithm_serves(all[i], &(rs_net){.machine = machine}))
            plan->algorithms[n++] = all[i];
    }
    plan->n_algorithms = n;
    return RC_GOOD;
}

static rc_exit as_worlds(const rc_typed *typed, rc_value *value) {
    rs_error *error = typed->error;
    const rc_exit status = rc_parse_numbers(typed->text, 1, RS_MAX_RANKS, typed->arena, error,
                                            &value->list, &value->n);
    if (status != RC_USAGE) return rc_blame("gpus", status, error);
    rs_error reason = *error;
    return rc_fail(error, status, _("--gpus: %.300s; write 2,4,8 or 2..10"), rc_said(&reason));
}

/* Without sizes it is one world size of many sizes, with them many world sizes; of a machine, all its GPUs. */
static rc_exit take_gpus(rc_session *session, const rs_machine *machine, comparison *plan) {
    const rc_options *options = &session->options;
    static const int64_t one[] = {8}, many[] = {2, 4, 5, 8, 16, 64};
    const bool sizes = rc_given(options, RC_BYTES) || rc_given(options, RC_COUNT);
    plan->gpus = sizes ? many : one;
    plan->n_gpus = sizes ? 6 : 1;
    if (rc_given(options, RC_GPUS)) {
        plan->gpus = options->value[RC_GPUS].list;
        plan->n_gpus = options->value[RC_GPUS].n;
    } else if (machine != NULL) {
        int64_t *all = rs_alloc(session->arena, 1, sizeof *all);
        if (all == NULL) return rc_no_memory(session->error);
        *all = machine->n_gpus;
        plan->gpus = all;
        plan->n_gpus = 1;
    }
    return RC_GOOD;
}

/* Reads the network: links of their own for the fewest ranks, or a machine that holds the most. */
static rc_exit take_net(rc_session *session, const rs_machine *machine, const comparison *plan,
                        rs_net *net) {
    int64_t fewest = RS_MAX_RANKS, most = 1;
    for (int64_t i = 0; i < plan->n_gpus; i++) {
        if (plan->gpus[i] < fewest) fewest = plan->gpus[i];
        if (plan->gpus[i] > most) most = plan->gpus[i];
    }
    *net = (rs_net){0};
    const rc_exit status = rc_read_net(session, (int32_t)fewest, net);
    if (status != RC_GOOD || machine == NULL) return status;
    net->machine = machine;
    return rc_take_place(session, machine, (int32_t)most, &net->place);
}

/* Turns sizes in bytes into counts, in place. */
static rc_exit to_counts(const comparison *plan, int32_t elem_bytes, rs_error *error) {
    for (int64_t i = 0; i < plan->n_counts; i++) {
        if (plan->counts[i] % elem_bytes != 0) {
            return rc_fail(error, RC_USAGE,
                           _("--bytes: %lld bytes are no whole number of elements of %d bytes"),
                           (long long)plan->counts[i], (int)elem_bytes);
        }
        plan->counts[i] /= elem_bytes;
    }
    return RC_GOOD;
}

static rc_exit take_sizes(rc_session *session, int32_t elem_bytes, comparison *plan) {
    const rc_options *options = &session->options;
    const bool counts = rc_given(options, RC_COUNT);
    if (counts && rc_given(options, RC_BYTES)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--count and --bytes say the same thing; give one"));
    }
    const rc_value *sizes = &options->value[counts ? RC_COUNT : RC_BYTES];
    plan->counts = sizes->list;
    plan->n_counts = sizes->n;
    if (plan->n_gpus > 1 && sizes->text == NULL && rc_curves_wanted(options)) {
        plan->counts[0] = CURVES_BYTES; /* curves are over one of the two */
        plan->n_counts = 1;
    }
    return counts ? RC_GOOD : to_counts(plan, elem_bytes, session->error);
}

/* What is asked for must stay countable: the root of the naive way sends (N - 1) K. */
static rc_exit check_volume(const comparison *plan, int32_t elem_bytes, rs_error *error) {
    if (plan->n_gpus * plan->n_counts * plan->n_algorithms > MOST_ROWS) {
        return rc_fail(error, RC_USAGE, _("more than %d rows; take fewer sizes"), MOST_ROWS);
    }
    int64_t gpus = 1;
    for (int64_t i = 0; i < plan->n_gpus; i++) {
        if (plan->gpus[i] > gpus) gpus = plan->gpus[i];
    }
    for (int64_t i = 0; i < plan->n_counts; i++) {
        if (plan->counts[i] <= INT64_MAX / 2 / gpus / elem_bytes) continue;
        return rc_fail(error, RC_USAGE, _("%lld elements a rank are too many for %lld GPUs"),
                       (long long)plan->counts[i], (long long)gpus);
    }
    return RC_GOOD;
}

static rc_exit read_plan(rc_session *session, rc_table *table, comparison *plan) {
    const rc_options *options = &session->options;
    rs_error *error = session->error;
    table->dtype = (rs_dtype)options->value[RC_DTYPE].number;
    const int32_t elem_bytes = rs_dtype_bytes(table->dtype);
    plan->collective = (rs_collective)options->value[RC_COLLECTIVE].number;
    plan->root = table->root = (int32_t)options->value[RC_ROOT].number;
    plan->n_pieces = (int32_t)options->value[RC_PIECES].number;
    rs_machine *machine;
    rc_exit status = rc_check_collective(options, plan->collective, error);
    if (status == RC_GOOD) status = rc_take_machine(session, &machine);
    if (status == RC_GOOD) status = take_algorithms(options, machine, error, plan);
    if (status == RC_GOOD) status = take_gpus(session, machine, plan);
    if (status != RC_GOOD) return status;
    plan->order = (rs_order)options->value[RC_ORDER].number;
    plan->engine = (rs_engine)options->value[RC_ENGINE].number;
    status = take_sizes(session, elem_bytes, plan);
    if (status == RC_GOOD) status = check_volume(plan, elem_bytes, error);
    if (status == RC_GOOD) status = take_net(session, machine, plan, &table->net);
    const bool plot = rc_given(options, PLOT);
    if (status == RC_GOOD && plot && plan->n_counts < 2) {
        return rc_fail(error, RC_USAGE,
                       _("--plot needs several sizes, such as --bytes 1KiB..1GiB"));
    }
    const bool seen = rc_given(options, RC_VIEW) && options->value[RC_VIEW].number != RC_VIEW_NONE;
    const bool step = seen || rc_given(options, RC_STEP) || rc_given(options, RC_AT);
    const int forms = plot + step + (rc_given(options, RC_CSV)) + (rc_given(options, RC_JSON));
    if (status == RC_GOOD && forms > 1) {
        return rc_fail(error, RC_USAGE, _("--csv, --json, --plot and --step: choose one"));
    }
    return status;
}

/* Marks the fastest of one group, and tells each the ring's time. */
static void rank_group(rc_row group[], int64_t n) {
    assert(n > 0);
    int64_t ring_ps = -1, least_ps = INT64_MAX;
    for (int64_t i = 0; i < n; i++) {
        if (strcmp(group[i].algorithm->name, "ring") == 0) ring_ps = group[i].time_ps;
        if (group[i].time_ps < least_ps) least_ps = group[i].time_ps;
    }
    for (int64_t i = 0; i < n; i++) {
        group[i].ring_ps = ring_ps;
        group[i].best = group[i].time_ps == least_ps;
    }
}

static rc_exit measure_all(rc_session *session, const comparison *plan, rc_table *table) {
    const int32_t elem_bytes = rs_dtype_bytes(table->dtype);
    rc_exit status = RC_GOOD;
    rc_row *row = table->rows;
    for (int64_t g = 0; g < plan->n_gpus; g++) {
        for (int64_t c = 0; c < plan->n_counts; c++) {
            for (int64_t a = 0; a < plan->n_algorithms && status == RC_GOOD; a++) {
                *row = (rc_row){.algorithm = plan->algorithms[a],
                                .n_ranks = (int32_t)plan->gpus[g],
                                .count = plan->counts[c],
                                .n_bytes = plan->counts[c] * elem_bytes};
                rs_spec spec = {.n_ranks = row->n_ranks,
                                .order = plan->order,
                                .root = plan->root,
                                .n_pieces = plan->algorithms[a]->pipelined ? plan->n_pieces : 0,
                                .n_channels = rc_channels(&session->options, table->net.machine,
                                                          plan->algorithms[a])};
                if (plan->algorithms[a]->accepts != NULL) {
                    status = rc_take_nodes(session, &table->net, plan->algorithms[a], &spec);
                    if (status != RC_GOOD) return status;
                }
                status = rc_measure(session, table, &spec, plan->engine, row++);
            }
            if (status != RC_GOOD) return status;
            assert(row <= table->rows + table->n_rows);
            rank_group(row - plan->n_algorithms, plan->n_algorithms);
        }
    }
    return status;
}

static rc_exit make_table(rc_session *session, const comparison *plan, rc_table *table) {
    table->n_sizes = plan->n_counts;
    table->n_algorithms = plan->n_algorithms;
    table->n_rows = plan->n_gpus * plan->n_counts * plan->n_algorithms;
    table->rows = rs_alloc(session->arena, (size_t)table->n_rows, sizeof *table->rows);
    if (table->rows == NULL) return rc_no_memory(session->error);
    rc_host_watch(session->host, true);
    const rc_exit status = measure_all(session, plan, table);
    return rc_host_end(session->host, status, session->error);
}

/* The curves alone, to be shown beside a lesson. */
static rc_exit compare_subject(rc_session *session, rv_subject *subject) {
    comparison plan = {0};
    rc_table table = {0};
    rv_story story;
    rc_exit status = read_plan(session, &table, &plan);
    if (status == RC_GOOD) {
        status =
            rc_curves_check(plan.counts, plan.n_counts, plan.gpus, plan.n_gpus, session->error);
    }
    if (status == RC_GOOD) status = make_table(session, &plan, &table);
    if (status == RC_GOOD) status = rc_curves_story(session, &table, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

static rc_exit cmd_compare(rc_session *session) {
    const rc_options *options = &session->options;
    comparison plan = {0};
    rc_table table = {0};
    rc_curves curves;
    rc_exit status = read_plan(session, &table, &plan);
    if (status == RC_GOOD) {
        status =
            rc_curves_open(session, plan.counts, plan.n_counts, plan.gpus, plan.n_gpus, &curves);
    }
    if (status != RC_GOOD) return status;
    status = make_table(session, &plan, &table);
    if (status == RC_GOOD) status = rc_curves_write(session, &table, &curves);
    rc_curves_discard(&curves);
    if (status != RC_GOOD || rc_outputs_take_stdout(options)) return status;
    if (rc_given(options, RC_CSV)) {
        rc_print_csv(&table, stdout);
    } else if (rc_given(options, RC_JSON)) {
        rc_print_json(&table);
    } else if (rc_given(options, PLOT)) {
        rc_print_plot(&table);
    } else if (!curves.walked) {
        rc_print_table(&table);
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ its row */

static const rc_option own_options[] = {
    {RC_GPUS, NULL, 0, "LIST",
     N_("world sizes, 8 or several: a list or range such as 2,4,8 or 2..10"),
     RC_TYPE(as_worlds, NULL)},
    {RC_ALGO, NULL, 0, "LIST", N_("the algorithms to compare, all; see list"),
     RC_TYPE(rc_as_words, NULL, .name_at = rc_any_algorithm_at)},
    {RC_COUNT, NULL, 0, "LIST", N_("elements per rank: a list or range such as 1,1000 or 1..1024"),
     RC_TYPE(rc_as_counts, NULL)},
    {RC_BYTES, NULL, 0, "LIST",
     N_("bytes per rank: a list or range, by factors of four; 1KiB..1GiB"),
     RC_TYPE(rc_as_sizes, "1KiB..1GiB")},
    {RC_EXPORT, NULL, 0, "FILE.svg|png|pdf|csv",
     N_("write the curves as a picture, with the sizes where another one becomes the fastest; "
        "csv: the rows"),
     RC_TYPE(rc_as_curves, NULL)},
    {PLOT, "plot", 0, NULL, N_("a plot of time against size, in characters"), NULL},
};

const rc_command rc_command_compare = {
    .name = "compare",
    .operands = "",
    .summary = N_("algorithms, world sizes and sizes side by side"),
    RC_TAKES(RC_GPUS, RC_COLLECTIVE, RC_ROOT, RC_ALGO, RC_PIECES, RC_CHANNELS, RC_ORDER,
             RC_PER_NODE, RC_COUNT, RC_BYTES, RC_DTYPE, RC_ALPHA, RC_BANDWIDTH, RC_REDUCE_RATE,
             RC_PROTOCOL, RC_LINKS, RC_MACHINE, RC_PLACE, RC_CUT, RC_ENGINE, RC_LANG, RC_JSON,
             RC_CSV, RC_EXPORT, RC_BARE, RC_TAKE_WALK, PLOT),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_GPUS, RC_COLLECTIVE, RC_ALGO, RC_COUNT, RC_BYTES, RC_ALPHA, RC_BANDWIDTH,
             RC_MACHINE, RC_STEP, RC_VIEW, RC_LANG, RC_JSON, RC_CSV, PLOT, RC_EXPORT),
    .run = cmd_compare,
    .subject = compare_subject};
