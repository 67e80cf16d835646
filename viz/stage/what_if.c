/* what_if.c: see what_if.h. */
#include "stage/what_if.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRACE_LIMIT = 1 << 22, /* transfers whose times are kept for a view */
    QUICK_LIMIT = 1 << 14, /* in a drag, a run with more transfers has its time computed alone */
    VALUED_RANKS = 256     /* with more ranks the views show no cells and no values */
};

bool rv_is_fault_between(const rv_link_fault *fault, int32_t a, int32_t b) {
    return (fault->a == a && fault->b == b) || (fault->a == b && fault->b == a);
}

static void free_arena(rs_arena *arena) {
    if (arena == NULL) return;
    rs_arena_free(arena);
    free(arena);
}

/* Takes in what has been done to a machine's links, so that a click can mend it; returns how many
   that are: none if there are more than a reader may have. */
static int32_t take_link_faults(const rs_machine *machine,
                                rv_link_fault link_faults[RV_MAX_FAULTS]) {
    int32_t n = 0;
    for (int32_t i = 0; machine != NULL && i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        for (int k = 0; k < 2; k++) {
            const rv_link_fault fault = {link->a, link->b, k == 0, link->slow_num, link->slow_den};
            if (k == 0 ? !link->cut : link->slow_num == link->slow_den) continue;
            bool known = false; /* from another link between the two devices */
            for (int32_t j = 0; j < n && !known; j++) {
                known = link_faults[j].cut == fault.cut &&
                        rv_is_fault_between(&link_faults[j], link->a, link->b);
            }
            if (!known && n == RV_MAX_FAULTS) return 0;
            if (!known) link_faults[n++] = fault;
        }
    }
    return n;
}

static void take_setup(rv_what_if *what_if) {
    const rs_job *job = &what_if->base.job;
    what_if->setup = (rv_setup){.algorithm = job->schedule->algorithm,
                                .order = job->schedule->order,
                                .n_ranks = job->schedule->n_ranks,
                                .count = rs_size_count(job->schedule, job->count),
                                .elem_bytes = job->elem_bytes,
                                .link = job->net.link,
                                .machine = job->net.machine,
                                .fixed = what_if->report->recording != NULL};
    what_if->setup.n_link_faults = take_link_faults(job->net.machine, what_if->setup.link_faults);
    for (int32_t i = 0; i < job->n_faults && i < RV_MAX_FAULTS; i++) {
        what_if->setup.faults[what_if->setup.n_faults++] = job->faults[i];
    }
}

static rs_status take_run(rv_what_if *what_if, const rs_report *report, rs_error *error) {
    what_if->base = report->request;
    what_if->report = report;
    what_if->arena = calloc(1, sizeof *what_if->arena);
    if (what_if->arena == NULL) return rs_no_memory(error);
    rs_arena_init(what_if->arena, what_if->host);
    take_setup(what_if);
    const rs_status status = rv_model_new(report, what_if->arena, error, &what_if->model);
    if (status == RS_OK) what_if->counts = rv_counts_new(what_if->model);
    return status;
}

rs_status rv_what_if_new(const rv_subject *subject, const rs_host *host, rs_error *error,
                         rv_what_if **what_if) {
    rv_what_if *made = calloc(1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    made->host = host;
    made->setup.fixed = true;
    const rs_status status =
        subject->report != NULL ? take_run(made, subject->report, error) : RS_OK;
    if (status != RS_OK) {
        rv_what_if_free(made);
        return status;
    }
    *what_if = made;
    return RS_OK;
}

/* Keeps the overrides and faults whose ranks and steps the new run has. */
static rs_status fit_to(const rv_setup *setup, const rs_schedule *schedule, rs_arena *arena,
                        rs_error *error, rs_job *job) {
    rs_link_override *links = rs_alloc(arena, (size_t)job->net.n_overrides + 1, sizeof *links);
    rs_fault *faults = rs_alloc(arena, RV_MAX_FAULTS, sizeof *faults);
    if (links == NULL || faults == NULL) return rs_no_memory(error);
    int32_t n = 0;
    for (int32_t i = 0; i < job->net.n_overrides; i++) {
        const rs_link_override *link = &job->net.overrides[i];
        if (link->src < setup->n_ranks && link->dst < setup->n_ranks) links[n++] = *link;
    }
    job->net.overrides = links;
    assert(n <= job->net.n_overrides);
    job->net.n_overrides = n;
    job->n_faults = 0;
    for (int32_t i = 0; i < setup->n_faults; i++) {
        if (setup->faults[i].rank >= setup->n_ranks) continue;
        if (setup->faults[i].step >= schedule->n_steps && setup->faults[i].step > 0) continue;
        faults[job->n_faults++] = setup->faults[i];
    }
    assert(job->n_faults <= setup->n_faults && setup->n_faults <= RV_MAX_FAULTS);
    job->faults = faults;
    return RS_OK;
}

/* Mends what take_link_faults takes in. */
static bool mend_links(rs_machine *machine, rs_arena *arena) {
    rs_machine_link *links = rs_alloc(arena, (size_t)machine->n_links, sizeof *links);
    if (links == NULL) return false;
    for (int32_t i = 0; i < machine->n_links; i++) {
        links[i] = machine->links[i];
        links[i].cut = false;
        links[i].slow_num = links[i].slow_den = 1;
    }
    machine->links = links;
    return true;
}

/* Gives the job a machine with the faults of links that the reader sees, those of the command line too. */
static rs_status hurt_machine(const rv_setup *setup, rs_arena *arena, rs_error *error,
                              rs_job *job) {
    rv_link_fault given[RV_MAX_FAULTS];
    const int32_t n_given = take_link_faults(job->net.machine, given);
    if (setup->n_link_faults == 0 && n_given == 0) return RS_OK;
    rs_machine *machine = rs_alloc(arena, 1, sizeof *machine);
    if (machine == NULL) return rs_no_memory(error);
    *machine = *job->net.machine;
    if (n_given > 0 && !mend_links(machine, arena)) {
        return rs_no_memory(error);
    }
    for (int32_t i = 0; i < setup->n_link_faults; i++) {
        const rv_link_fault *fault = &setup->link_faults[i];
        const rs_status status = fault->cut
                                     ? rs_machine_cut(machine, fault->a, fault->b, arena, error)
                                     : rs_machine_slow(machine, fault->a, fault->b, fault->num,
                                                       fault->den, arena, error);
        if (status != RS_OK) return status;
    }
    job->net.machine = machine;
    return RS_OK;
}

rs_status rv_what_if_job(const rv_what_if *what_if, const rv_setup *setup, rs_arena *arena,
                         rs_error *error, rs_job *job) {
    rs_schedule *schedule = rs_alloc(arena, 1, sizeof *schedule);
    if (schedule == NULL) return rs_no_memory(error);
    *schedule = *what_if->base.job.schedule;
    const rs_collective of = schedule->collective;
    const int64_t n = setup->n_ranks;
    const int64_t count = of == RS_COLL_ALL_TO_ALL ? setup->count - setup->count % n : setup->count;
    if (setup->algorithm != NULL) {
        rs_spec spec = rs_spec_of(schedule); /* as it was given, where it still fits */
        spec.n_ranks = setup->n_ranks;
        spec.order = setup->order;
        if (spec.gpus_per_node > 0 && spec.n_ranks % spec.gpus_per_node != 0)
            spec.gpus_per_node = 0;
        if (spec.root >= spec.n_ranks) spec.root = 0;
        const rs_status status =
            rs_schedule_from_spec(setup->algorithm, &spec, count, error, schedule);
        if (status != RS_OK) return status;
    }
    rs_job made = what_if->base.job;
    made.schedule = schedule;
    made.count = rs_array_count(of, setup->n_ranks, count);
    made.net.link = setup->link;
    rs_status status = fit_to(setup, schedule, arena, error, &made);
    if (status == RS_OK) status = hurt_machine(setup, arena, error, &made);
    if (status == RS_OK) *job = made;
    return status;
}

static bool skimps(const rv_what_if *what_if, const rs_schedule *schedule) {
    return what_if->quick && schedule->n_transfers > QUICK_LIMIT;
}

/* Tells whether the run before has judged the same schedule: faults and links change no verdict. */
static bool is_judged(const rv_what_if *what_if, const rv_setup *setup) {
    const rv_setup *before = &what_if->setup;
    return what_if->report->judged && setup->algorithm == before->algorithm &&
           setup->order == before->order && setup->n_ranks == before->n_ranks &&
           setup->count == before->count;
}

/* Runs `setup` in the arena; the schedule, report and model live there. */
static rs_status run(const rv_what_if *what_if, const rv_setup *setup, rs_arena *arena,
                     rs_error *error, const rs_report **report, rv_model **model) {
    rs_report *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    rs_request request = what_if->base;
    rs_status status = rv_what_if_job(what_if, setup, arena, error, &request.job);
    if (status != RS_OK) return status;
    const bool resized = setup->n_ranks != what_if->base.job.schedule->n_ranks ||
                         request.job.count != what_if->base.job.count;
    if (resized) { /* the given input no longer fits */
        request.input = NULL;
        if (request.data != RS_DATA_RANDOM) request.data = RS_DATA_AUTO;
    }
    if (setup->algorithm != what_if->base.job.schedule->algorithm &&
        request.data == RS_DATA_DIGITS) {
        request.data = RS_DATA_AUTO; /* the digits name chunks, of which there may be others now */
    }
    if (setup->n_ranks > VALUED_RANKS) {
        request.values = RS_VALUES_NONE;
    } else if (request.input == NULL && request.values != RS_VALUES_NONE) {
        request.values = RS_VALUES_SAMPLE;
    }
    request.engine = RS_ENGINE_AUTO;
    request.trace_limit = TRACE_LIMIT;
    if (skimps(what_if, request.job.schedule)) {
        request.trace_limit = 0;
        request.values = RS_VALUES_NONE;
        request.check = RS_NEVER;
    }
    const bool judged = is_judged(what_if, setup);
    if (judged) request.check = RS_NEVER;
    status = rs_run(&request, arena, error, made);
    if (status != RS_OK) return status;
    if (judged) made->verdict = what_if->report->verdict;
    made->judged |= judged;
    *report = made;
    return rv_model_new(made, arena, error, model);
}

rs_status rv_what_if_change(rv_what_if *what_if, const rv_setup *setup, rs_error *error) {
    const rs_report *report = NULL;
    rv_model *model = NULL;
    rs_arena *arena = calloc(1, sizeof *arena); /* the model keeps its address */
    if (arena == NULL) return rs_no_memory(error);
    assert(!what_if->setup.fixed);
    rs_arena_init(arena, what_if->host);
    const rs_status status = run(what_if, setup, arena, error, &report, &model);
    if (status != RS_OK) {
        free_arena(arena);
        return status;
    }
    rv_counts_free(what_if->counts);
    free_arena(what_if->arena);
    what_if->arena = arena;
    what_if->report = report;
    what_if->model = model;
    what_if->version++;
    what_if->skimped = skimps(what_if, model->schedule);
    what_if->counts = rv_counts_new(model);
    what_if->setup = *setup;
    return RS_OK;
}

rs_status rv_what_if_copy(const rv_what_if *what_if, const rv_setup *setup, rs_error *error,
                          rv_what_if **copy) {
    rv_what_if *made = calloc(1, sizeof *made);
    if (made == NULL) return rs_no_memory(error);
    *made = (rv_what_if){.setup = what_if->setup, .base = what_if->base, .host = what_if->host};
    made->report = what_if->report;
    const rs_status status = rv_what_if_change(made, setup, error);
    if (status != RS_OK) {
        rv_what_if_free(made);
        return status;
    }
    *copy = made;
    return RS_OK;
}

void rv_what_if_free(rv_what_if *what_if) {
    if (what_if == NULL) return;
    rv_counts_free(what_if->counts);
    free_arena(what_if->arena);
    free(what_if);
}

const rs_algorithm *rv_usual_rival(const rs_schedule *schedule) {
    const rs_algorithm *const *all = rs_algorithms_of(schedule->collective);
    const bool whole = schedule->collective == RS_COLL_ALL_REDUCE;
    const rs_algorithm *naive = rs_find_algorithm(schedule->collective, "naive");
    if (whole && strcmp(schedule->name, naive->name) != 0) return naive;
    return strcmp(schedule->name, all[0]->name) == 0 ? all[1] : all[0];
}
