/* bits_nccl.c: what NCCL is asked: rings and trees, algorithm, protocol and channels as a log of the job says them, or as the model
 * finds them for a machine; without either ranks in a row. What nobody said is assumed, and noted.
 *
 *   - A line of the log that tells what NCCL chose at this size goes before the model.
 */
#include "bits/bits.h"

#include <string.h>

static rs_error *next_note(rc_bits_setting *s) {
    return s->n_notes < RC_BITS_NOTES ? &s->notes[s->n_notes++] : NULL;
}

rc_exit rc_bits_log(rc_session *session, const char *path, rc_explained *log) {
    const rc_exit status = rc_explain_file(session, path, log);
    if (status != RC_GOOD) return status;
    if (log->kind != RC_KIND_LOG || log->log.n_ranks < 2) {
        return rc_fail(session->error, RC_USAGE,
                       _("--log %.200s: no log that says a communicator's ranks: NCCL_DEBUG=INFO "
                         "writes one"),
                       path);
    }
    if (log->log.rccl) {
        return rc_fail(session->error, RC_USAGE,
                       _("--log %.200s: RCCL's; its rules have not been read"), path);
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ what NCCL chooses */

/* The communicator as the setting's version meets it; false: its table is not known. */
static bool find_comm(const rc_bits_setting *s, rn_nccl_comm *comm) {
    static const rn_nccl_graph wide = {.n_channels = 1, .bw_intra = 100, .bw_inter = 100};
    if (s->machine != NULL) {
        const rc_estimate *e = s->machine;
        rn_nccl_guess(&e->site, e->facts, e->fabric, &e->rings, s->version, comm);
        return true;
    }
    const bool known = s->log != NULL && s->log->has_fit;
    *comm = known ? s->log->fit.comm
                  : (rn_nccl_comm){.n_ranks = s->n_ranks,
                                   .n_nodes = s->n_nodes,
                                   .n_channels = s->n_channels,
                                   .graphs = {[RN_NCCL_RING] = wide}};
    comm->version = s->version;
    return known;
}

/* What is asked, as NCCL_ALGO and NCCL_PROTO would ask for it. */
static void narrow(const rc_bits_setting *s, rn_nccl_filter *filter) {
    uint8_t *algorithms = filter->algorithms[s->collective];
    uint8_t *protocols = filter->protocols[s->collective];
    for (int a = 0; s->asked_algorithm && a < RN_NCCL_N_ALGORITHMS; a++) {
        algorithms[a] = a == (int)s->nccl;
    }
    for (int p = 0; s->asked_protocol && p < RN_NCCL_N_PROTOCOLS; p++) {
        protocols[p] = p == (int)s->protocol;
    }
}

rc_exit rc_bits_model(const rc_bits_setting *s, rs_error *error, rn_nccl_comm *comm,
                      rn_nccl_table *table, bool *known) {
    *known = find_comm(s, comm);
    if (!*known) return RC_GOOD;
    narrow(s, &comm->filter);
    return rc_exit_of(rn_nccl_tune(comm, error, table));
}

static rc_exit choose_by_model(rs_error *error, const rc_bits_setting *s, const rn_nccl_comm *comm,
                               const rn_nccl_table *table, rn_nccl_choice *choice) {
    if (rn_nccl_choose(comm, table, s->collective, s->n_bytes, choice)) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("NCCL has no algorithm left for this collective"));
}

/* The line that says what NCCL chose for this call; NULL: none does. Lines with channels tell the bytes of a rank's own part. */
static const rn_nccl_call *find_call(rc_bits_setting *s) {
    const rn_nccl_call *found = NULL;
    if (s->log == NULL || s->version != s->log->log.version) return NULL;
    for (int32_t i = 0; i < s->log->log.n_calls; i++) {
        const rn_nccl_call *call = &s->log->log.calls[i];
        const bool part = s->collective == RS_COLL_REDUCE_SCATTER && call->n_channels > 0;
        if (call->collective != s->collective ||
            call->n_bytes != (part ? s->n_bytes / s->n_ranks : s->n_bytes) ||
            (s->asked_algorithm && s->nccl != call->algorithm) ||
            (s->asked_protocol && s->protocol != call->protocol)) {
            continue;
        }
        if (found == NULL) {
            found = call;
        } else if (found->algorithm != call->algorithm || found->protocol != call->protocol ||
                   found->n_channels != call->n_channels) {
            rs_fail(next_note(s), RS_OK, "line %lld chose otherwise than line %lld at this size",
                    (long long)call->line, (long long)found->line);
            break;
        }
    }
    return found;
}

static const rn_nccl_setting *find_set(const rn_nccl_log *log, const char *name) {
    for (int32_t i = 0; i < log->n_settings; i++) {
        if (strcmp(log->settings[i].name, name) == 0) return &log->settings[i];
    }
    return NULL;
}

static void note_log(rc_bits_setting *s, const rn_nccl_call *call, bool modelled) {
    static const char *const others[] = {"NCCL_BUFFSIZE",       "NCCL_LL_BUFFSIZE",
                                         "NCCL_LL128_BUFFSIZE", "NCCL_LOCAL_REGISTER",
                                         "NCCL_GRAPH_REGISTER", "NCCL_TUNER_PLUGIN"};
    const rn_nccl_log *log = &s->log->log;
    char version[16];
    for (int i = 0; i < 6; i++) {
        const rn_nccl_setting *set = find_set(log, others[i]);
        if (set == NULL) continue;
        rs_fail(next_note(s), RS_OK, "line %lld sets %s: what that changes is not modelled",
                (long long)set->line, set->name);
    }
    if (log->version == 0) {
        rs_fail(next_note(s), RS_OK, "assumed: NCCL's version, which no line says");
    } else if (log->version != s->version) {
        rs_fail(next_note(s), RS_OK, "assumed: rings and trees as NCCL %s found them",
                rn_nccl_version_text(log->version, version));
    }
    if (log->n_nodes == 0 && s->nccl != RN_NCCL_RING)
        rs_fail(next_note(s), RS_OK, "assumed: one node, for no line says how many");
    if (s->asked_algorithm && s->asked_protocol && s->asked_channels) return;
    if (call != NULL) {
        rs_fail(next_note(s), RS_OK, "algorithm and protocol as line %lld says",
                (long long)call->line);
    } else if (modelled) {
        rs_fail(next_note(s), RS_OK, "what is not asked as the table of line %lld says",
                (long long)log->table_line);
    } else if (!s->asked_algorithm || !s->asked_protocol) {
        rs_fail(next_note(s), RS_OK,
                "assumed: algorithm and protocol; NCCL_DEBUG_SUBSYS=INIT,TUNING writes what NCCL "
                "chooses");
    }
}

static rn_bits_job job_of(const rc_bits_setting *s) {
    const int64_t count = s->n_bytes / rs_dtype_bytes(s->dtype);
    return (rn_bits_job){.collective = s->collective,
                         .algorithm = s->nccl,
                         .protocol = s->protocol,
                         .version = s->version,
                         .n_ranks = s->n_ranks,
                         .n_nodes = s->n_nodes,
                         .n_channels = s->n_channels,
                         .used_channels = s->used_channels,
                         .n_threads = s->n_threads,
                         .count =
                             s->collective == RS_COLL_REDUCE_SCATTER ? count / s->n_ranks : count,
                         .dtype = s->dtype};
}

/* A line says how many channels had data: NCCL planned with as many, or with more. */
static void plan_as_printed(rs_arena *arena, rc_bits_setting *s, int32_t printed) {
    rn_bits_job job = job_of(s);
    if (printed == 0 || rn_bits_channels(&job, arena) == printed) return;
    for (int32_t n = printed; n <= s->n_channels; n++) {
        job.used_channels = n;
        if (rn_bits_channels(&job, arena) != printed) continue;
        s->used_channels = n;
        rs_fail(next_note(s), RS_OK, "assumed: NCCL planned with channels: %d", (int)n);
        return;
    }
}

rc_exit rc_bits_choose(rc_session *session, rc_bits_setting *s) {
    if (s->own != NULL) return RC_GOOD;
    const bool by_ranks = s->nccl == RN_NCCL_RING || s->nccl == RN_NCCL_TREE;
    if (s->asked_algorithm && !by_ranks && s->asked_protocol && s->protocol != RN_NCCL_SIMPLE) {
        return rc_fail(session->error, RC_USAGE, _("NCCL's %s has one protocol, simple"),
                       rn_nccl_algorithm_title(s->nccl));
    }
    rn_nccl_comm comm;
    rn_nccl_table table;
    bool modelled;
    rn_nccl_choice choice = {.algorithm = s->nccl, .protocol = s->protocol};
    if (s->log != NULL && !s->asked_channels) {
        const int32_t said = s->log->log.n_coll_channels;
        s->n_channels = said > 0 ? said : s->log->log.n_rings;
        if (said <= 0) rs_fail(next_note(s), RS_OK, "assumed: as many channels as there are rings");
    }
    if (!rn_nccl_checked(s->version))
        rs_fail(next_note(s), RS_OK, "assumed: the rules of 2.30; newer ones have not been read");
    rc_exit status = rc_bits_model(s, session->error, &comm, &table, &modelled);
    if (status != RC_GOOD) return status;
    const rn_nccl_call *call = find_call(s);
    if (call != NULL) {
        choice.algorithm = call->algorithm, choice.protocol = call->protocol;
    } else if (modelled) {
        status = choose_by_model(session->error, s, &comm, &table, &choice);
        if (status != RC_GOOD) return status;
    }
    rn_nccl_trim(&comm, s->n_bytes, &choice);
    s->nccl = choice.algorithm;
    s->protocol = choice.protocol;
    s->n_threads = choice.n_threads;
    if (s->log != NULL) note_log(s, call, modelled);
    if (!modelled && s->log == NULL &&
        !(s->asked_algorithm && s->asked_protocol && s->asked_channels)) {
        rs_fail(next_note(s), RS_OK,
                "assumed if not asked: Ring, Simple, one channel; --machine or --log knows more");
    }
    if (s->asked_channels || (s->machine == NULL && s->log == NULL)) return RC_GOOD;
    s->n_channels = s->nccl == RN_NCCL_NVLS ? comm.n_nvls_channels : rn_nccl_channels(&comm);
    s->used_channels = choice.n_channels;
    if (s->n_channels < s->used_channels) s->n_channels = s->used_channels;
    if (call != NULL) plan_as_printed(session->arena, s, call->n_channels);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ rings and trees */

/* Rings over all ranks, node behind node; without a machine one, in a row. */
static int32_t *make_rings(rs_arena *arena, const rc_bits_setting *s, int32_t *n_rings) {
    const rn_rings *known = s->machine != NULL ? &s->machine->rings : NULL;
    const bool has = known != NULL && known->n_rings > 0;
    const int32_t g = has ? known->n_gpus : s->n_ranks, n = s->n_ranks;
    *n_rings = has ? known->n_rings : 1;
    int32_t *rings = rs_alloc(arena, (size_t)*n_rings * (size_t)n, sizeof *rings);
    for (int32_t r = 0; rings != NULL && r < *n_rings; r++) {
        for (int32_t i = 0; i < n; i++) {
            const int32_t in_node = has ? known->order[r * g + i % g] : i;
            rings[r * n + i] = has ? i / g * g + in_node : i;
        }
    }
    return rings;
}

/* The rings of channels 0, 1, ... as far as the log has each whole. */
static int32_t *take_rings(rs_arena *arena, const rn_nccl_log *log, int32_t *n_rings) {
    const size_t n = (size_t)log->n_ranks;
    int32_t *rings = rs_alloc(arena, (size_t)log->n_rings * n + 1, sizeof *rings);
    *n_rings = 0;
    for (int32_t i = 0; rings != NULL && i < log->n_rings; i++) {
        if (!log->rings[i].whole || log->rings[i].channel != *n_rings) break;
        memcpy(rings + (size_t)(*n_rings)++ * n, log->rings[i].ranks, n * sizeof *rings);
    }
    return rings;
}

static int32_t *take_trees(rs_arena *arena, const rn_nccl_log *log, int32_t *n_trees) {
    const size_t n = (size_t)log->n_ranks * 3;
    int32_t *trees = rs_alloc(arena, (size_t)log->n_trees * n + 1, sizeof *trees);
    *n_trees = 0;
    for (int32_t i = 0; trees != NULL && i < log->n_trees; i++) {
        if (!log->trees[i].whole || log->trees[i].channel != *n_trees) break;
        memcpy(trees + (size_t)(*n_trees)++ * n, log->trees[i].below, n * sizeof *trees);
    }
    return trees;
}

const char rc_bits_no_lines[] =
    N_("not known: the log lacks lines of these channels' rings or trees; "
       "lines of all ranks say them");
const char rc_bits_one_tree[] =
    N_("each element goes along one tree; which one, lines of all ranks would say");
static const char other_chunks[] =
    N_("not known: with another buffer's size chunks are of another size");

/* Why the log does not say it; NULL: it does. Each channel that is used must have its own ring or tree; beyond those that there
   are NCCL copies them. Chunks go by the buffer's size where a ring is cut into them. */
static const char *unsaid(rc_bits_setting *s, const rn_bits_job *job, int32_t used) {
    static const char *const sizes[RN_NCCL_N_PROTOCOLS] = {[RN_NCCL_LL] = "NCCL_LL_BUFFSIZE",
                                                           [RN_NCCL_LL128] = "NCCL_LL128_BUFFSIZE",
                                                           [RN_NCCL_SIMPLE] = "NCCL_BUFFSIZE"};
    const rn_nccl_log *log = &s->log->log;
    const bool ring = s->nccl == RN_NCCL_RING;
    const int32_t has = ring ? job->n_rings : job->n_trees;
    if (used == 0) return NULL; /* a switch's */
    if ((ring || s->version < 22000) && find_set(log, sizes[s->protocol]) != NULL)
        return other_chunks;
    if (used <= has || (has > 0 && has == log->n_coll_channels)) return NULL;
    rs_fail(next_note(s), RS_OK, "channels used: %d; of the first %d the log has all lines",
            (int)used, (int)has);
    return used == 1 && !ring ? rc_bits_one_tree : rc_bits_no_lines;
}

rc_exit rc_bits_of_nccl(rc_session *session, rc_bits_setting *s, rs_sums *sums, rs_bits *bits) {
    rs_arena *arena = session->arena;
    const char *why = NULL;
    rn_bits_job job = job_of(s);
    if (s->log != NULL) {
        job.rings = take_rings(arena, &s->log->log, &job.n_rings);
        job.trees = take_trees(arena, &s->log->log, &job.n_trees);
    } else {
        job.rings = make_rings(arena, s, &job.n_rings);
        if (job.rings == NULL) return rc_no_memory(session->error);
        job.trees = rn_bits_trees(job.rings, job.n_rings, s->n_ranks, s->n_nodes, arena);
        job.n_trees = 2 * job.n_rings;
    }
    if (job.rings == NULL || job.trees == NULL) return rc_no_memory(session->error);
    if (s->log != NULL) {
        const int32_t used = rn_bits_channels(&job, arena);
        if (used < 0) return rc_no_memory(session->error);
        why = unsaid(s, &job, used);
    }
    *bits = (rs_bits){.undefined = why};
    if (why != NULL) {
        const int64_t count = s->n_bytes / rs_dtype_bytes(s->dtype);
        const bool added = rs_add_run(bits, arena, count, RC_BITS_ONE_TREE);
        return added ? RC_GOOD : rc_no_memory(session->error);
    }
    return rc_exit_of(rn_bits_of_nccl(&job, sums, arena, session->error, bits));
}
