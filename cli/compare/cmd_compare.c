/* cmd_compare.c: `ringsim compare`: algorithms x world sizes x sizes, side by side.
 *
 * Without sizes it sweeps 1KiB..1GiB for one world size; with sizes it takes several world sizes.
 */
#include "compare/compare.h"

#include <string.h>

enum { MOST_ALGORITHMS = 64, MOST_ROWS = 1000000 };

typedef struct comparison {
    const rs_algorithm *algorithms[MOST_ALGORITHMS];
    int64_t n_algorithms;
    int64_t *gpus, n_gpus;
    int64_t *counts, n_counts;
    rs_order order;
    rs_engine engine;
} comparison;

static rc_exit read_algorithms(const rc_options *options, rs_error *error, comparison *plan) {
    const char *text = options->value[RC_ALGO];
    int64_t n = 0;
    if (text == NULL) {
        for (; n < MOST_ALGORITHMS && rs_algorithms[n] != NULL; n++) {
            plan->algorithms[n] = rs_algorithms[n];
        }
    }
    while (text != NULL) {
        char name[64];
        const size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name),
                 text);
        if (n == MOST_ALGORITHMS) return rc_fail(error, RC_USAGE, _("--algo: too many names"));
        const rc_exit status = rc_find_algorithm(name, error, &plan->algorithms[n++]);
        if (status != RC_GOOD) return status;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    plan->n_algorithms = n;
    return RC_GOOD;
}

static rc_exit read_gpus(rc_session *session, comparison *plan) {
    const rc_options *options = &session->options;
    const bool sizes = options->value[RC_BYTES] != NULL || options->value[RC_COUNT] != NULL;
    const char *text = options->value[RC_GPUS];
    if (text == NULL) text = sizes ? "2,4,5,8,16,64" : "8";
    rs_error reason;
    const rc_exit status = rc_parse_numbers(text, 1, RS_MAX_RANKS, session->arena, &reason,
                                            &plan->gpus, &plan->n_gpus);
    if (status != RC_USAGE) return status;
    return rc_fail(session->error, status, _("--gpus: %.300s; write 2,4,8 or 2..10"), reason.text);
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

static rc_exit read_sizes(rc_session *session, int32_t elem_bytes, comparison *plan) {
    const rc_options *options = &session->options;
    const char *bytes = options->value[RC_BYTES], *count = options->value[RC_COUNT];
    if (bytes != NULL && count != NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--count and --bytes say the same thing; give one"));
    }
    const char *text = count != NULL ? count : bytes != NULL ? bytes : "1KiB..1GiB";
    rs_error reason;
    const rc_exit status = rc_parse_sweep(text, count == NULL, session->arena, &reason,
                                          &plan->counts, &plan->n_counts);
    if (status != RC_GOOD) {
        return rc_blame(count != NULL ? RC_COUNT : RC_BYTES, &reason, status, session->error);
    }
    return count == NULL ? to_counts(plan, elem_bytes, session->error) : RC_GOOD;
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
    rc_reader read = rc_reader_of(session);
    table->dtype = (rs_dtype)rc_read_choice(&read, RC_DTYPE);
    const int32_t elem_bytes = rs_dtype_bytes(table->dtype);
    rc_exit status = read.status;
    if (status == RC_GOOD) status = read_algorithms(options, error, plan);
    if (status == RC_GOOD) status = read_gpus(session, plan);
    if (status == RC_GOOD) status = read_sizes(session, elem_bytes, plan);
    if (status == RC_GOOD) status = check_volume(plan, elem_bytes, error);
    read.status = status;
    plan->order = (rs_order)rc_read_choice(&read, RC_ORDER);
    plan->engine = (rs_engine)rc_read_choice(&read, RC_ENGINE);
    status = read.status;
    int32_t fewest = RS_MAX_RANKS;
    for (int64_t i = 0; status == RC_GOOD && i < plan->n_gpus; i++) {
        if (plan->gpus[i] < fewest) fewest = (int32_t)plan->gpus[i];
    }
    if (status == RC_GOOD) status = rc_read_net(session, fewest, &table->net);
    const bool plot = options->value[RC_PLOT] != NULL;
    if (status == RC_GOOD && plot && plan->n_counts < 2) {
        return rc_fail(error, RC_USAGE,
                       _("--plot needs several sizes, such as --bytes 1KiB..1GiB"));
    }
    const int forms = plot + (options->value[RC_CSV] != NULL) + (options->value[RC_JSON] != NULL);
    if (status == RC_GOOD && forms > 1) {
        return rc_fail(error, RC_USAGE, _("--csv, --json and --plot: choose one"));
    }
    return status;
}

/* Marks the fastest of one group, and tells each the ring's time. */
static void rank_group(rc_row group[], int64_t n) {
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
                status = rc_measure(session, table, plan->order, plan->engine, row++);
            }
            if (status != RC_GOOD) return status;
            rank_group(row - plan->n_algorithms, plan->n_algorithms);
        }
    }
    return status;
}

static rc_exit cmd_compare(rc_session *session) {
    const rc_options *options = &session->options;
    comparison plan = {0};
    rc_table table = {0};
    rc_exit status = read_plan(session, &table, &plan);
    if (status != RC_GOOD) return status;
    table.n_sizes = plan.n_counts;
    table.n_algorithms = plan.n_algorithms;
    table.n_rows = plan.n_gpus * plan.n_counts * plan.n_algorithms;
    table.rows = rs_alloc(session->arena, (size_t)table.n_rows, sizeof *table.rows);
    if (table.rows == NULL) return rc_fail(session->error, RC_LACKS, _("no memory for the table"));
    rc_host_watch(session->host, true);
    status = measure_all(session, &plan, &table);
    rc_host_watch(session->host, false);
    rc_host_quiet(session->host);
    status = rc_host_heed(status, session->error);
    if (status != RC_GOOD) return status;
    if (options->value[RC_CSV] != NULL) {
        rc_print_csv(&table);
    } else if (options->value[RC_JSON] != NULL) {
        rc_print_json(&table);
    } else if (options->value[RC_PLOT] != NULL) {
        rc_print_plot(&table);
    } else {
        rc_print_table(&table);
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ its row */

static const rc_taken takes[] = {
    {.id = RC_GPUS},        {.id = RC_ALGO},     {.id = RC_ORDER}, {.id = RC_COUNT},
    {.id = RC_BYTES},       {.id = RC_DTYPE},    {.id = RC_ALPHA}, {.id = RC_BANDWIDTH},
    {.id = RC_REDUCE_RATE}, {.id = RC_PROTOCOL}, {.id = RC_LINKS}, {.id = RC_ENGINE},
    {.id = RC_LANG},        {.id = RC_JSON},     {.id = RC_CSV},   {.id = RC_PLOT},
    RC_TAKE_HELP,
};

const rc_command rc_command_compare = {.name = "compare",
                                       .operands = "",
                                       .summary =
                                           N_("algorithms, world sizes and sizes side by side"),
                                       RC_TAKES(takes),
                                       .run = cmd_compare};
