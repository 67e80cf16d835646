/* compare.c: measures one algorithm at one world size and one size.
 *
 *     schedule --> simulate --> time, bytes a rank
 *              --> every transfer --> bytes a link --> the busiest
 */
#include "compare/compare.h"

/* Returns the most elements that cross one link out of `rank`; to[] and peers[] are scratch, to[] all
   zero before and after. */
static int64_t busiest_from(const rs_schedule *schedule, int64_t count, int32_t rank, int64_t to[],
                            int32_t peers[], rs_transfer sends[]) {
    int32_t n_peers = 0;
    int32_t step = 0;
    for (; step < schedule->n_steps; step++) {
        if (schedule->next_step != NULL) step = schedule->next_step(schedule, step, rank);
        if (step >= schedule->n_steps) break;
        const int n = schedule->sends(schedule, step, rank, sends);
        for (int i = 0; i < n; i++) {
            const int32_t dst = sends[i].dst;
            if (to[dst] == 0) peers[n_peers++] = dst; /* an empty message may list it again */
            to[dst] += rs_transfer_count(schedule, count, &sends[i]);
            if (to[dst] == 0) n_peers--;
        }
    }
    int64_t most = 0;
    for (int32_t i = 0; i < n_peers; i++) {
        if (to[peers[i]] > most) most = to[peers[i]];
        to[peers[i]] = 0;
    }
    return most;
}

static rc_exit find_busiest(const rs_schedule *schedule, const rs_outcome *outcome, rc_row *row,
                            const rs_job *job, rs_arena *arena, rs_error *error) {
    const size_t n = (size_t)schedule->n_ranks;
    row->busiest_link = 0;
    if (outcome->wires != NULL) {
        double share;
        const int32_t wire = rs_busiest_wire(job, outcome->wires, row->time_ps, &share);
        if (wire >= 0) row->busiest_link = outcome->wires[wire].n_bytes;
        return RC_GOOD;
    }
    if (schedule->fixed_neighbours) {
        for (size_t r = 0; r < n; r++) {
            if (outcome->bytes_sent[r] > row->busiest_link) {
                row->busiest_link = outcome->bytes_sent[r];
            }
        }
        return RC_GOOD;
    }
    int64_t *to = rs_alloc(arena, n, sizeof *to);
    int32_t *peers = rs_alloc(arena, n, sizeof *peers);
    rs_transfer *sends = rs_alloc(arena, (size_t)schedule->max_sends + 1, sizeof *sends);
    if (to == NULL || peers == NULL || sends == NULL) return rc_no_memory(error);
    for (int32_t r = 0; r < schedule->n_ranks; r++) {
        const int64_t most =
            busiest_from(schedule, job->count, r, to, peers, sends) * job->elem_bytes;
        if (most > row->busiest_link) row->busiest_link = most;
    }
    return RC_GOOD;
}

static rc_exit fill(const rc_table *table, const rs_spec *spec, rs_engine engine, rs_arena *arena,
                    rs_error *error, rc_row *row) {
    rs_schedule schedule;
    rs_outcome outcome;
    const rs_collective of = row->algorithm->collective;
    if (of == RS_COLL_ALL_TO_ALL) row->count -= row->count % row->n_ranks; /* as nccl-tests does */
    row->n_bytes = row->count * rs_dtype_bytes(table->dtype);
    rs_status status = rs_schedule_from_spec(row->algorithm, spec, row->count, error, &schedule);
    if (status != RS_OK) return rc_exit_of(status);
    const rs_job job = {
        .schedule = &schedule,
        .count = rs_array_count(of, row->n_ranks, row->count),
        .elem_bytes = rs_dtype_bytes(table->dtype),
        .net = table->net,
    };
    status = rs_simulate(&job, engine, NULL, arena, error, &outcome);
    if (status != RS_OK) return rc_exit_of(status);
    row->n_steps = schedule.n_steps;
    row->time_ps = outcome.makespan_ps;
    row->closed_form_ps = rs_closed_form_ps(&job);
    row->bound_ps = rs_lower_bound_ps(&job, arena);
    if (row->bound_ps < 0) return rc_no_memory(error);
    row->most_sent = 0;
    for (int32_t r = 0; r < schedule.n_ranks; r++) {
        if (outcome.bytes_sent[r] > row->most_sent) row->most_sent = outcome.bytes_sent[r];
    }
    return find_busiest(&schedule, &outcome, row, &job, arena, error);
}

rc_exit rc_measure(rc_session *session, const rc_table *table, const rs_spec *spec,
                   rs_engine engine, rc_row *row) {
    /* of this row alone: a comparison of hundreds takes no more memory than one */
    rs_arena scratch;
    rs_arena_init(&scratch, session->arena->host);
    scratch.limit_bytes = session->arena->limit_bytes;
    const rc_exit status = fill(table, spec, engine, &scratch, session->error, row);
    rs_arena_free(&scratch);
    return rc_prefix(session->error, status, _("%s, %d GPUs, %lld bytes"), row->algorithm->name,
                     (int)row->n_ranks, (long long)row->n_bytes);
}
