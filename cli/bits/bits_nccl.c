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

int rc_bits_n_pins(const rc_bits_pins *pins) {
    int n = 0;
    for (int i = 0; i < RC_BITS_N_PINS; i++) n += pins->of[i] != RC_BITS_FREE;
    return n;
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

/* ------------------------------------------------------------------ rings and trees */

/* Takes the rings and trees of channels 0, 1, ... as far as the log has each whole. */
static rc_exit take_lines(rc_session *session, const rn_nccl_log *log, rn_bits_job *job) {
    const size_t n = (size_t)log->n_ranks;
    int32_t *rings = rs_alloc(session->arena, (size_t)log->n_rings * n + 1, sizeof *rings);
    int32_t *trees = rs_alloc(session->arena, (size_t)log->n_trees * 3 * n + 1, sizeof *trees);
    int32_t i = 0;
    if (rings == NULL || trees == NULL) return rc_no_memory(session->error);
    for (i = 0; i < log->n_rings && log->rings[i].whole && log->rings[i].channel == i; i++)
        memcpy(rings + (size_t)i * n, log->rings[i].ranks, n * sizeof *rings);
    job->rings = rings;
    job->n_rings = i;
    for (i = 0; i < log->n_trees && log->trees[i].whole && log->trees[i].channel == i; i++)
        memcpy(trees + (size_t)i * 3 * n, log->trees[i].below, 3 * n * sizeof *trees);
    job->trees = trees;
    job->n_trees = i;
    return RC_GOOD;
}

/* Rings over all ranks, node behind node; without a machine one, in a row. */
rc_exit rc_bits_rings(rc_session *session, rc_bits_setting *s) {
    rn_bits_job *job = &s->job;
    const rn_rings *known = s->machine != NULL ? &s->machine->rings : NULL;
    const bool has = known != NULL && known->n_rings > 0;
    const int32_t g = has ? known->n_gpus : job->n_ranks, n = job->n_ranks;
    if (s->log != NULL) return take_lines(session, &s->log->log, job);
    job->n_rings = has ? known->n_rings : 1;
    job->n_trees = 2 * job->n_rings;
    int32_t *rings = rs_alloc(session->arena, (size_t)job->n_rings * (size_t)n, sizeof *rings);
    if (rings == NULL) return rc_no_memory(session->error);
    for (int32_t r = 0; r < job->n_rings; r++) {
        for (int32_t i = 0; i < n; i++)
            rings[r * n + i] = has ? i / g * g + known->order[r * g + i % g] : i;
    }
    job->rings = rings;
    job->trees = rn_bits_trees(rings, job->n_rings, n, job->n_nodes, session->arena);
    return job->trees != NULL ? RC_GOOD : rc_no_memory(session->error);
}

/* ------------------------------------------------------------------ what NCCL chooses */

rc_exit rc_bits_model_of(const rc_bits_setting *s, rs_error *error, rc_bits_model *model) {
    static const rn_nccl_graph wide = {.n_channels = 1, .bw_intra = 100, .bw_inter = 100};
    const int algorithm = s->asked.of[RC_BITS_ALGORITHM], protocol = s->asked.of[RC_BITS_PROTOCOL];
    const rc_estimate *e = s->machine;
    rn_nccl_comm *comm = &model->comm;
    model->known = e != NULL || (s->log != NULL && s->log->has_fit);
    *comm = model->known && e == NULL ? s->log->fit.comm
                                      : (rn_nccl_comm){.n_ranks = s->job.n_ranks,
                                                       .n_nodes = s->job.n_nodes,
                                                       .n_channels = s->job.n_channels,
                                                       .graphs = {[RN_NCCL_RING] = wide}};
    comm->version = s->job.version; /* as this one meets it */
    if (!model->known) return RC_GOOD;
    if (e != NULL) rn_nccl_guess(&e->site, e->facts, e->fabric, &e->rings, comm->version, comm);
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS && algorithm >= 0; a++)
        comm->filter.algorithms[s->job.collective][a] = a == algorithm;
    for (int p = 0; p < RN_NCCL_N_PROTOCOLS && protocol >= 0; p++)
        comm->filter.protocols[s->job.collective][p] = p == protocol;
    return rc_exit_of(rn_nccl_tune(comm, error, &model->table));
}

static bool is_free_or(int pinned, int what) {
    return pinned == RC_BITS_FREE || pinned == what;
}

/* The line that says what NCCL chose for this call; NULL: none does. Lines with channels tell the bytes of a rank's own part. */
static const rn_nccl_call *find_call(rc_bits_setting *s) {
    const rn_nccl_call *found = NULL;
    if (s->log == NULL || s->job.version != s->log->log.version) return NULL;
    for (int32_t i = 0; i < s->log->log.n_calls; i++) {
        const rn_nccl_call *call = &s->log->log.calls[i];
        const bool part = call->collective == RS_COLL_REDUCE_SCATTER && call->n_channels > 0;
        if (call->collective != s->job.collective ||
            call->n_bytes != (part ? s->n_bytes / s->job.n_ranks : s->n_bytes) ||
            !is_free_or(s->asked.of[RC_BITS_ALGORITHM], (int)call->algorithm) ||
            !is_free_or(s->asked.of[RC_BITS_PROTOCOL], (int)call->protocol))
            continue;
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
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const rn_nccl_setting *set = find_set(log, others[i]);
        if (set == NULL) continue;
        rs_fail(next_note(s), RS_OK, "line %lld sets %s: what that changes is not modelled",
                (long long)set->line, set->name);
    }
    if (log->version == 0) {
        rs_fail(next_note(s), RS_OK, "assumed: NCCL's version, which no line says");
    } else if (log->version != s->job.version) {
        rs_fail(next_note(s), RS_OK, "assumed: rings and trees as NCCL %s found them",
                rn_nccl_version_text(log->version, version));
    }
    if (log->n_nodes == 0 && s->job.algorithm != RN_NCCL_RING)
        rs_fail(next_note(s), RS_OK, "assumed: one node, for no line says how many");
    if (rc_bits_n_pins(&s->asked) == RC_BITS_N_PINS) return;
    if (call != NULL) {
        rs_fail(next_note(s), RS_OK, "algorithm and protocol as line %lld says",
                (long long)call->line);
    } else if (modelled) {
        rs_fail(next_note(s), RS_OK, "what is not asked as the table of line %lld says",
                (long long)log->table_line);
    } else if (s->asked.of[RC_BITS_ALGORITHM] < 0 || s->asked.of[RC_BITS_PROTOCOL] < 0) {
        rs_fail(next_note(s), RS_OK,
                "assumed: algorithm and protocol; NCCL_DEBUG_SUBSYS=INIT,TUNING writes what NCCL "
                "chooses");
    }
}

/* A line says how many channels had data: NCCL planned with as many, or with more. */
static void plan_as_printed(rs_arena *arena, rc_bits_setting *s, int32_t printed) {
    rn_bits_job job = s->job;
    if (printed == 0 || rn_bits_channels(&job, arena) == printed) return;
    for (int32_t n = printed; n <= s->job.n_channels; n++) {
        job.used_channels = n;
        if (rn_bits_channels(&job, arena) != printed) continue;
        s->job.used_channels = n;
        rs_fail(next_note(s), RS_OK, "assumed: NCCL planned with channels: %d", (int)n);
        return;
    }
}

rc_exit rc_bits_choose(rc_session *session, rc_bits_setting *s) {
    rn_bits_job *job = &s->job;
    const int algorithm = s->asked.of[RC_BITS_ALGORITHM], protocol = s->asked.of[RC_BITS_PROTOCOL],
              channels = s->asked.of[RC_BITS_CHANNELS];
    rc_bits_model model;
    if (s->own != NULL) return RC_GOOD;
    if (algorithm > RN_NCCL_RING && !is_free_or(protocol, RN_NCCL_SIMPLE)) {
        return rc_fail(session->error, RC_USAGE, _("NCCL's %s has one protocol, simple"),
                       rn_nccl_algorithm_title((rn_nccl_algorithm)algorithm));
    }
    rn_nccl_choice choice = {
        .algorithm = algorithm >= 0 ? (rn_nccl_algorithm)algorithm : RN_NCCL_RING,
        .protocol = protocol >= 0 ? (rn_nccl_protocol)protocol : RN_NCCL_SIMPLE};
    job->n_channels = job->used_channels = channels > 0 ? channels : 1;
    if (s->log != NULL && channels < 0) {
        const int32_t said = s->log->log.n_coll_channels;
        job->n_channels = said > 0 ? said : s->log->log.n_rings;
        if (said <= 0) rs_fail(next_note(s), RS_OK, "assumed: as many channels as there are rings");
    }
    if (!rn_nccl_checked(job->version))
        rs_fail(next_note(s), RS_OK, "assumed: the rules of 2.30; newer ones have not been read");
    const rn_nccl_call *call = find_call(s);
    const rc_exit status = rc_bits_model_of(s, session->error, &model);
    if (status != RC_GOOD) return status;
    if (call != NULL) {
        choice.algorithm = call->algorithm;
        choice.protocol = call->protocol;
    } else if (model.known &&
               !rn_nccl_choose(&model.comm, &model.table, job->collective, s->n_bytes, &choice)) {
        return rc_fail(session->error, RC_USAGE,
                       _("NCCL has no algorithm left for this collective"));
    }
    rn_nccl_trim(&model.comm, s->n_bytes, &choice);
    job->algorithm = choice.algorithm;
    job->protocol = choice.protocol;
    job->n_threads = choice.n_threads;
    if (s->log != NULL) {
        note_log(s, call, model.known);
    } else if (!model.known && rc_bits_n_pins(&s->asked) < RC_BITS_N_PINS) {
        rs_fail(next_note(s), RS_OK,
                "assumed if not asked: Ring, Simple, one channel; --machine or --log knows more");
    }
    if (channels > 0 || (s->machine == NULL && s->log == NULL)) return RC_GOOD;
    job->n_channels =
        job->algorithm == RN_NCCL_NVLS ? model.comm.n_nvls_channels : rn_nccl_channels(&model.comm);
    job->used_channels = choice.n_channels;
    if (job->n_channels < job->used_channels) job->n_channels = job->used_channels;
    if (call != NULL) plan_as_printed(session->arena, s, call->n_channels);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the orders */

const char rc_bits_no_lines[] =
    N_("not known: the log lacks lines of these channels' rings or trees; "
       "lines of all ranks say them");
const char rc_bits_one_tree[] =
    N_("each element goes along one tree; which one, lines of all ranks would say");

/* Why the log does not say it; NULL: it does. Each channel that is used must have its own ring or tree; beyond those that there
   are NCCL copies them. Chunks go by the buffer's size where a ring is cut into them. */
static const char *unsaid(rc_bits_setting *s, int32_t used) {
    static const char *const sizes[RN_NCCL_N_PROTOCOLS] = {[RN_NCCL_LL] = "NCCL_LL_BUFFSIZE",
                                                           [RN_NCCL_LL128] = "NCCL_LL128_BUFFSIZE",
                                                           [RN_NCCL_SIMPLE] = "NCCL_BUFFSIZE"};
    const rn_nccl_log *log = &s->log->log;
    const bool ring = s->job.algorithm == RN_NCCL_RING;
    const int32_t has = ring ? s->job.n_rings : s->job.n_trees;
    if (used == 0) return NULL; /* a switch's */
    if ((ring || s->job.version < 22000) && find_set(log, sizes[s->job.protocol]) != NULL)
        return N_("not known: with another buffer's size chunks are of another size");
    if (used <= has || (has > 0 && has == log->n_coll_channels)) return NULL;
    rs_fail(next_note(s), RS_OK, "channels used: %d; of the first %d the log has all lines",
            (int)used, (int)has);
    return used == 1 && !ring ? rc_bits_one_tree : rc_bits_no_lines;
}

rc_exit rc_bits_of_nccl(rc_session *session, rc_bits_setting *s, rs_sums *sums, rs_bits *bits) {
    const rn_bits_job *job = &s->job;
    const int64_t count = s->n_bytes / rs_dtype_bytes(job->dtype);
    *bits = (rs_bits){0};
    if (s->log != NULL) {
        const int32_t used = rn_bits_channels(job, session->arena);
        if (used < 0) return rc_no_memory(session->error);
        bits->undefined = unsaid(s, used);
    }
    if (bits->undefined == NULL)
        return rc_exit_of(rn_bits_of_nccl(job, sums, session->arena, session->error, bits));
    return rs_add_run(bits, session->arena, count, RC_BITS_ONE_TREE) ? RC_GOOD
                                                                     : rc_no_memory(session->error);
}
