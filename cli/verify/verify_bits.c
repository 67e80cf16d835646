/* verify_bits.c: the bits that NCCL's own collective should give, by what NCCL was told, and where they are others.
 *
 *     --order nccl | NCCL_ALGO, NCCL_PROTO, NCCL_MIN_CTAS = NCCL_MAX_CTAS --> what it takes --> each row's orders
 *
 *   - What is not told is not guessed: then nothing is predicted, and the verdict says what lacks.
 *   - Rings and trees are those of ranks in a row, 0, 1, 2, ...
 */
#include "base/units.h"
#include "nccl/nccl_files.h"
#include "verify/verify.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ what NCCL was told */

/* Finds a number that two variables both say; false: they do not. */
static bool both_say(const char *a, const char *b, int32_t *n) {
    const char *const names[2] = {a, b};
    int64_t said[2] = {0, 0};
    rs_error ignored;
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        if (text == NULL || rc_parse_integer(text, 1, RN_NCCL_MOST_CHANNELS, &ignored, &said[i]))
            return false;
    }
    *n = (int32_t)said[0];
    return said[0] == said[1];
}

/* What this NCCL takes, given what it was told; says what lacks. */
static void find_told(const rc_verify_plan *plan, bool ring_asked, rc_verify_told *told) {
    static const char *const others[] = {"NCCL_BUFFSIZE", "NCCL_LL_BUFFSIZE", "NCCL_LL128_BUFFSIZE",
                                         "NCCL_TUNER_PLUGIN"};
    const rs_collective of = plan->choice.collective;
    const char *algorithm = getenv("NCCL_ALGO"), *protocol = getenv("NCCL_PROTO");
    rn_nccl_filter filter;
    rs_error ignored;
    int n_algorithms = 0, n_protocols = 0;
    if (algorithm == NULL && ring_asked) algorithm = "Ring";
    if (protocol == NULL && ring_asked) protocol = "Simple";
    rn_nccl_filter_open(&filter);
    if (algorithm != NULL)
        rn_nccl_filter_set(&filter, told->library.version, "NCCL_ALGO", algorithm, &ignored);
    if (protocol != NULL)
        rn_nccl_filter_set(&filter, told->library.version, "NCCL_PROTO", protocol, &ignored);
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
        if (!filter.algorithms[of][a] || !rn_nccl_has(of, (rn_nccl_algorithm)a, RN_NCCL_SIMPLE))
            continue;
        told->algorithm = (rn_nccl_algorithm)a;
        n_algorithms++;
    }
    for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
        if (!filter.protocols[of][p] || !rn_nccl_has(of, told->algorithm, (rn_nccl_protocol)p))
            continue;
        told->protocol = (rn_nccl_protocol)p;
        n_protocols++;
    }
    told->n_channels = 1;
    if (n_algorithms != 1) told->lacks = N_("NCCL_ALGO does not leave one algorithm");
    if (n_protocols != 1) told->lacks = N_("NCCL_PROTO does not leave one protocol");
    if (!ring_asked && !both_say("NCCL_MIN_CTAS", "NCCL_MAX_CTAS", &told->n_channels) &&
        !both_say("NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", &told->n_channels))
        told->lacks = N_("NCCL_MIN_CTAS and NCCL_MAX_CTAS do not say one number of channels");
    if (told->library.n_nodes == 0) told->lacks = N_("NCCL_HOSTID says who is where");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (getenv(others[i]) != NULL)
            told->lacks = N_("a buffer's size or a tuner is set, which cut otherwise");
    }
}

void rc_verify_ask(const rc_verify_plan *plan, rg_library library, rc_verify_told *told) {
    const rs_collective of = plan->choice.collective;
    /* nccl_oracle.c gives that one its own communicator: one channel, ring and Simple unless told otherwise. */
    const bool ring_asked =
        plan->choice.algorithm == rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring") &&
        plan->choice.spec.order == RS_ORDER_NCCL;
    *told = (rc_verify_told){.library = library};
    if (library.version == 0 || (of != RS_COLL_ALL_REDUCE && of != RS_COLL_REDUCE_SCATTER)) return;
    told->asked = ring_asked || getenv("NCCL_ALGO") != NULL || getenv("NCCL_PROTO") != NULL;
    if (told->asked) find_told(plan, ring_asked, told);
}

/* ------------------------------------------------------------------ a row's orders */

/* Channels that NCCL uses for so many bytes. */
static int32_t used_channels(const rc_verify_told *told, int32_t n_ranks, int64_t n_bytes) {
    /* Blocks have fewer threads where a ring is slow: between nodes of a GPU each, that is, through sockets. */
    static const float fast = 100;
    const bool inside = told->library.n_nodes < n_ranks;
    rn_nccl_comm comm = {.version = told->library.version,
                         .n_ranks = n_ranks,
                         .n_nodes = told->library.n_nodes,
                         .n_channels = told->n_channels};
    comm.graphs[RN_NCCL_RING] = (rn_nccl_graph){.n_channels = 1, .bw_intra = inside ? fast : 0};
    rn_nccl_choice choice = {.algorithm = told->algorithm, .protocol = told->protocol};
    rn_nccl_trim(&comm, n_bytes, &choice);
    return choice.n_channels;
}

/* Puts into the table every order there is of few ranks: what NCCL did instead is found among them. */
static void add_every_order(rs_sums *sums, const int32_t parts[], int n) {
    enum { MOST = 5 };
    int32_t fewer[MOST];
    for (int i = 0; n <= MOST && i < n; i++) {
        for (int k = i + 1; k < n; k++) {
            int n_fewer = 0;
            for (int p = 0; p < n; p++) {
                if (p != i && p != k) fewer[n_fewer++] = parts[p];
            }
            fewer[n_fewer++] = rs_sum_of(sums, parts[i], parts[k], -1);
            add_every_order(sums, fewer, n_fewer);
        }
    }
}

rc_exit rc_verify_predict(rc_session *session, const rc_verify_plan *plan, rc_verify_told *told,
                          rc_verify_row *row) {
    const int32_t n = plan->setup.n_ranks, n_nodes = told->library.n_nodes;
    const bool floats = rs_dtype_is_float(row->dtype) && row->op != RS_AVG;
    if (!told->asked || told->lacks != NULL || !floats || row->count == 0 || n < 2) return RC_GOOD;
    if (n > RG_MOST_PREDICTED || n % n_nodes != 0) return RC_GOOD;
    rs_arena *arena = session->arena;
    int32_t *ring = rs_alloc(arena, (size_t)n, sizeof *ring);
    rs_sums *sums = rs_sums_begin(n, arena);
    rs_bits *bits = rs_alloc(arena, 1, sizeof *bits);
    for (int32_t i = 0; ring != NULL && i < n; i++) ring[i] = i;
    int32_t *trees = ring == NULL ? NULL : rn_bits_trees(ring, 1, n, n_nodes, arena);
    if (sums == NULL || bits == NULL || trees == NULL) return rc_no_memory(session->error);
    const rn_bits_job job = {.collective = plan->choice.collective,
                             .algorithm = told->algorithm,
                             .protocol = told->protocol,
                             .version = told->library.version,
                             .n_ranks = n,
                             .n_nodes = n_nodes,
                             .n_channels = told->n_channels,
                             .used_channels = used_channels(told, n, row->n_bytes),
                             .rings = ring,
                             .n_rings = 1,
                             .trees = trees,
                             .n_trees = 2,
                             .count = row->count / rc_verify_shards(plan),
                             .dtype = row->dtype};
    const rs_status status = rn_bits_of_nccl(&job, sums, arena, session->error, bits);
    if (status == RS_BAD_INPUT) { /* its rule has not been read: no reason not to run */
        snprintf(told->unread, sizeof told->unread, "%s", rc_said(session->error));
        told->lacks = told->unread;
        session->error->text[0] = '\0';
        return RC_GOOD;
    }
    if (status == RS_OK && bits->undefined != NULL) told->lacks = bits->undefined;
    if (status != RS_OK || bits->undefined != NULL) return rc_exit_of(status);
    add_every_order(sums, ring, n);
    row->bits = bits;
    row->sums = sums;
    return RC_GOOD;
}

/* ------------------------------------------------------------------ what came of it */

static void print_value(rs_dtype dtype, uint64_t bits) {
    const int bytes = rs_dtype_bytes(dtype);
    printf("%.*g (0x%0*llx)", dtype == RS_F64 ? 17 : 9, rs_read_float(dtype, &bits, 0), 2 * bytes,
           (unsigned long long)bits);
}

static void print_first(const rc_verify_row *row, int which) {
    const rg_unlike *unlike = &row->results[which].unlike;
    char order[72];
    printf(_("; first: %s %s, %lld elements, %s, element %lld on rank %d: "),
           rs_dtype_name(row->dtype), rs_op_name(row->op), (long long)row->count,
           which == 0 ? _("out of place") : _("in place"), (long long)unlike->element,
           (int)unlike->rank);
    print_value(row->dtype, unlike->got);
    rs_sum_text(row->sums, rs_bits_at(row->bits, unlike->element), order, sizeof order);
    printf(_(", predicted by %s: "), order);
    print_value(row->dtype, unlike->wanted);
    if (unlike->like < 0) {
        printf(_("; no one order gives it and those behind it"));
        return;
    }
    rs_sum_text(row->sums, unlike->like, order, sizeof order);
    printf(_("; %s gives it"), order);
}

void rc_verify_print_bits(const rc_verify_report *report, const rc_verify_backend *b) {
    const rc_verify_told *told = &b->told;
    const rc_verify_row *bad = NULL;
    int64_t n_runs = 0, n_other = 0;
    int bad_which = 0;
    char version[16];
    if (!told->asked) return;
    if (told->lacks != NULL) printf(_("; its bits are not predicted: %s"), _(told->lacks));
    for (int64_t i = 0; i < b->n_rows; i++) {
        for (int which = 0; which < 2; which++) {
            const rg_result *r = &b->rows[i].results[which];
            n_runs += r->has_unlike;
            if (!r->has_unlike || r->unlike.n == 0) continue;
            if (n_other++ > 0) continue;
            bad = &b->rows[i];
            bad_which = which;
        }
    }
    if (n_runs == 0) return;
    printf(_("; predicted bits (NCCL %s, %s, %s, channels %d, nodes %d): "),
           rn_nccl_version_text(told->library.version, version),
           rn_nccl_algorithm_title(told->algorithm), rn_nccl_protocol_title(told->protocol),
           (int)told->n_channels, (int)told->library.n_nodes);
    if (bad == NULL) {
        printf(_("the same in %lld runs"), (long long)n_runs);
    } else {
        printf(_("others in %lld of %lld runs"), (long long)n_other, (long long)n_runs);
        print_first(bad, bad_which);
    }
    const rn_bits_shown asked = {.version = told->library.version,
                                 .collective = report->plan->choice.collective,
                                 .algorithm = told->algorithm,
                                 .protocol = told->protocol,
                                 .n_ranks = report->n_ranks,
                                 .n_per_node = report->n_ranks / told->library.n_nodes};
    char shown[RC_SHOWN_TEXT];
    rc_shown_text(rn_bits_shown_rows(), &asked, shown, sizeof shown);
    printf(_("; %s"), shown);
}

/* ------------------------------------------------------------------ JSON */

static void json_value(rs_json *json, const char *key, rs_dtype dtype, uint64_t bits) {
    char text[24];
    snprintf(text, sizeof text, "0x%0*llx", 2 * rs_dtype_bytes(dtype), (unsigned long long)bits);
    rs_json_text(json, key, text);
}

void rc_verify_json_bits(const rc_verify_row *row, int which, rs_json *json) {
    const rg_result *r = &row->results[which];
    const rg_unlike *unlike = &r->unlike;
    if (!r->has_unlike) {
        rs_json_null(json, "predicted");
        return;
    }
    rs_json_object(json, "predicted");
    rs_json_integers(json, {"elements", r->n_elements}, {"differ", unlike->n});
    if (unlike->n > 0) {
        char order[1024];
        rs_json_integers(json, {"element", unlike->element}, {"rank", unlike->rank});
        json_value(json, "got", row->dtype, unlike->got);
        json_value(json, "wanted", row->dtype, unlike->wanted);
        rs_sum_text(row->sums, rs_bits_at(row->bits, unlike->element), order, sizeof order);
        rs_json_text(json, "order", order);
        if (unlike->like >= 0) rs_sum_text(row->sums, unlike->like, order, sizeof order);
        rs_json_text(json, "like", unlike->like >= 0 ? order : NULL);
    }
    rs_json_close(json);
}
