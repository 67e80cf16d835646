/* train_join.c: an exchange that each rank joins when it is ready, in the middle of a step. */
#include "systems/train/train_time.h"

/* Returns the plan's faults, and one for each rank that comes late. */
static rs_fault *faults_of(const rs_step_plan *plan, const int64_t at_ps[], int64_t base_ps,
                           rs_arena *scratch, int32_t *n_faults) {
    const size_t most = (size_t)plan->n_faults + (size_t)plan->n_ranks;
    rs_fault *list = rs_alloc(scratch, most + 1, sizeof *list);
    int32_t n = 0;
    if (list == NULL) return NULL;
    for (; n < plan->n_faults; n++) list[n] = plan->faults[n];
    for (int32_t r = 0; r < plan->n_ranks; r++) {
        if (at_ps[r] == base_ps) continue;
        list[n++] = (rs_fault){.kind = RS_LATE,
                               .rank = r,
                               .time_ps = at_ps[r] - base_ps,
                               .factor_num = 1,
                               .factor_den = 1};
    }
    *n_faults = n;
    return list;
}

int64_t rs_first_ps(const rs_step_run *run, const int64_t at_ps[]) {
    int64_t first = at_ps[0];
    for (int32_t r = 1; r < run->plan->n_ranks; r++) first = at_ps[r] < first ? at_ps[r] : first;
    return first;
}

int64_t rs_last_ps(const rs_step_run *run, const int64_t at_ps[]) {
    int64_t last = at_ps[0];
    for (int32_t r = 1; r < run->plan->n_ranks; r++) last = at_ps[r] > last ? at_ps[r] : last;
    return last;
}

void rs_join(rs_step_run *run, const rs_schedule *schedule, int64_t count, const rs_sink *sink,
             int64_t at_ps[]) {
    const rs_step_plan *plan = run->plan;
    if (count == 0 || schedule->n_steps == 0) return; /* nothing to send: nobody waits */
    const int64_t base_ps = rs_first_ps(run, at_ps);
    rs_arena scratch; /* of this exchange alone: so many buckets take no more memory than one */
    rs_arena_init(&scratch, run->arena->host);
    rs_outcome outcome = {0};
    rs_job job = {
        .schedule = schedule, .count = count, .elem_bytes = RS_ELEMENT_BYTES, .net = plan->net};
    job.faults = faults_of(plan, at_ps, base_ps, &scratch, &job.n_faults);
    run->status = job.faults == NULL
                      ? rs_no_memory(run->error)
                      : rs_simulate(&job, RS_ENGINE_AUTO, sink, &scratch, run->error, &outcome);
    if (run->status == RS_OK && !outcome.completed) {
        run->status = rs_fail(run->error, RS_BAD_INPUT,
                              "an exchange of gradients never ends: GPU %d dies in it",
                              (int)outcome.killed[0]);
    }
    for (int32_t r = 0; run->status == RS_OK && r < plan->n_ranks; r++) {
        at_ps[r] = base_ps + outcome.finish_ps[r];
        run->sent_bytes[r] += outcome.bytes_sent[r];
    }
    rs_arena_free(&scratch);
}

/* Notes an exchange: a rank waits until the last one comes; then the exchange runs. */
static void note_exchange(rs_step_run *run, rs_work work, int32_t bucket) {
    const rs_network *net = &run->network;
    const int64_t all_ps = rs_last_ps(run, net->join_ps);
    for (int32_t r = 0; r < run->plan->n_ranks; r++) {
        const int64_t join = net->join_ps[r], end = net->free_ps[r];
        const int64_t start = all_ps < end ? all_ps : end;
        rs_note_piece(run, (rs_train_span){RS_LANE_NETWORK, RS_WORK_WAIT, r, bucket, join, start});
        rs_note_piece(run, (rs_train_span){RS_LANE_NETWORK, work, r, bucket, start, end});
    }
}

void rs_exchange(rs_step_run *run, const rs_schedule *schedule, rs_work work, int32_t bucket,
                 const int64_t ready_ps[], rs_bucket_time *time) {
    rs_exchange_count(run, schedule, work, bucket, run->plan->buckets[bucket].count, ready_ps,
                      time);
}

void rs_exchange_count(rs_step_run *run, const rs_schedule *schedule, rs_work work, int32_t index,
                       int64_t count, const int64_t ready_ps[], rs_bucket_time *time) {
    const int32_t n = run->plan->n_ranks;
    rs_network *net = &run->network;
    if (run->status != RS_OK) return;
    for (int32_t r = 0; r < n; r++) {
        net->join_ps[r] = ready_ps[r] > net->free_ps[r] ? ready_ps[r] : net->free_ps[r];
        net->free_ps[r] = net->join_ps[r];
    }
    rs_join(run, schedule, count, NULL, net->free_ps);
    if (run->status != RS_OK) return;
    note_exchange(run, work, index);
    for (int32_t r = 0; r < n; r++) net->busy_ps[r] += net->free_ps[r] - net->join_ps[r];
    if (time == NULL) return;
    *time = (rs_bucket_time){rs_last_ps(run, ready_ps), rs_last_ps(run, net->join_ps),
                             rs_last_ps(run, net->free_ps)};
}

void rs_wait_for(rs_step_run *run, const int64_t at_ps[]) {
    for (int32_t r = 0; r < run->plan->n_ranks && run->status == RS_OK; r++) {
        const int64_t at = at_ps != NULL ? at_ps[r] : run->network.free_ps[r];
        if (at <= run->now_ps[r]) continue;
        run->waits_ps[r] += at - run->now_ps[r];
        run->now_ps[r] = at;
    }
}
