/* suspects.c: why a table is slower than its machine: each usual cause is simulated over all sizes, and the one whose curve
 * lies nearest to what was measured is named.
 *
 *     estimate, cause --estimate_of--> estimate, rows --distance--> the least: named; two alike: both; far: none
 *
 *   - The distance is the mean of |ln(simulated / measured)| over the rows.
 *   - Where a cause has a speed that nobody can know (sockets, host memory), that is looked for; such a cause must lie
 *     clearly nearer than one that has none.
 */
#include "base/text.h"
#include "explain/explain.h"

#include <math.h>
#include <string.h>

enum { LOOKED_FOR = -1, ONE_NIC = -2 };
typedef struct usual_cause {
    const char *id, *words;
    double network, inside; /* factors on the bandwidth between nodes, inside them; 0: 1 */
    double latency_us;      /* more of the network's */
    bool staged;            /* GPU and NIC meet in the host's memory: no LL128 */
    const char *algorithms, *protocols; /* as NCCL_ALGO, NCCL_PROTO; NULL: all */
    int32_t n_channels;                 /* 0: all */
} usual_cause;

static const usual_cause causes[] = {
    {.id = "sockets",
     .words = N_(
         "the network is not used as such: NET/Socket in NCCL's log, NCCL_IB_DISABLE, a plugin that is missing"),
     .network = LOOKED_FOR,
     .latency_us = 10, /* through two kernels */
     .staged = true},
    {.id = "one-nic",
     .words = N_(
         "one NIC of a node carries all: NCCL_IB_HCA, or NICs that are down or are not seen in a container"),
     .network = ONE_NIC},
    {.id = "half-nics",
     .words = N_(
         "half of the NICs carry all, or all run at half their speed: NCCL_IB_HCA, links that came up slower"),
     .network = 0.5},
    /* Data cross the GPU's PCIe into memory and the NIC's out of it, where both share x16: 63 / 2 GB/s of 50 with Gen5, 31.5 / 2 of
       25 with Gen4. */
    {.id = "no-gpudirect",
     .words = N_(
         "data take a detour to the NIC: NET lines without GDRDMA, nvidia-peermem or dmabuf that is missing"),
     .network = 0.63,
     .staged = true},
    {.id = "host-memory",
     .words = N_(
         "data go through host memory: SHM in NCCL's log, NCCL_P2P_DISABLE, ACS or a container without access to peers"),
     .inside = LOOKED_FOR},
    {.id = "no-nvls",
     .words = N_(
         "NVLS is not used: 0 NVLS channels in NCCL's log, NCCL_NVLS_ENABLE=0, a Fabric Manager that is down"),
     .algorithms = "^NVLS,NVLSTree"},
    {.id = "ring-only", .words = N_("only the ring is used: NCCL_ALGO=Ring"), .algorithms = "Ring"},
    {.id = "ll-only", .words = N_("protocol LL is forced: NCCL_PROTO"), .protocols = "LL"},
    {.id = "ll128-only", .words = N_("protocol LL128 is forced: NCCL_PROTO"), .protocols = "LL128"},
    {.id = "simple-only",
     .words = N_("protocol Simple is forced: NCCL_PROTO"),
     .protocols = "Simple"},
    {.id = "few-channels",
     .words = N_("few channels are used: NCCL_MAX_CTAS, NCCL_MAX_NCHANNELS"),
     .n_channels = 4},
};
enum { N_CAUSES = sizeof causes / sizeof causes[0] };

/* Can the cause be at work on this machine at all? */
static bool applies(const usual_cause *c, const rc_estimate *e) {
    const bool between = c->network != 0 && e->site.n_nodes == 1;
    const bool few = (c->network == ONE_NIC || c->network == 0.5) && e->site.n_nics < 2;
    const bool same = c->network == 0.5 && e->site.n_nics == 2; /* that is one NIC */
    const bool no_nvls =
        strcmp(c->id, "no-nvls") == 0 && e->comm.graphs[RN_NCCL_NVLS].n_channels == 0;
    const bool no_inside =
        c->inside != 0 && (e->site.n_ranks == e->site.n_nodes || e->facts->host_memory);
    return !between && !few && !same && !no_nvls && !no_inside;
}

/* Changes a copy of the estimate, whose hops are `hops`; `factor` stands for what is looked for. */
static bool change(const usual_cause *c, double factor, rn_ring_hop hops[], rc_estimate *e) {
    rs_error ignored;
    rn_site *site = &e->site;
    const double network = c->network == LOOKED_FOR ? factor
                           : c->network == ONE_NIC  ? 1.0 / site->n_nics
                           : c->network != 0        ? c->network
                                                    : 1;
    const double inside = c->inside == LOOKED_FOR ? factor : 1;
    memcpy(hops, site->hops, (size_t)site->n_hops * sizeof *hops);
    for (int32_t i = 0; i < site->n_hops; i++) {
        hops[i].GBps *= hops[i].kind == RN_HOP_NET ? network : inside;
        if (hops[i].kind == RN_HOP_NET) hops[i].alpha_us += c->latency_us;
        if (inside != 1 && hops[i].kind != RN_HOP_NET) hops[i].kind = RN_HOP_HOST;
    }
    site->hops = hops;
    site->nic_GBps *= network;
    site->port_GBps *= inside;
    if (c->network == ONE_NIC) site->n_nics = 1;
    if (inside != 1) site->adds = false; /* nor does NVLink */
    const rn_nccl_filter kept = e->comm.filter;
    rn_nccl_guess(site, e->facts, e->fabric, &e->rings, e->comm.version, &e->comm);
    e->comm.filter = kept;
    for (int a = 0; a < RN_NCCL_N_ALGORITHMS && (c->staged || inside != 1); a++) {
        e->comm.graphs[a].type_inter = RN_PATH_SYS;
        if (inside != 1) e->comm.graphs[a].type_intra = RN_PATH_SYS;
    }
    if (c->n_channels > 0) e->comm.n_channels = e->comm.n_nvls_channels = c->n_channels;
    rn_nccl_filter *filter = &e->comm.filter;
    if (c->algorithms != NULL &&
        rn_nccl_filter_set(filter, e->comm.version, "NCCL_ALGO", c->algorithms, &ignored) != RS_OK)
        return false;
    if (c->protocols != NULL &&
        rn_nccl_filter_set(filter, e->comm.version, "NCCL_PROTO", c->protocols, &ignored) != RS_OK)
        return false;
    return rn_nccl_tune(&e->comm, &ignored, &e->tuned) == RS_OK;
}

/* The mean of |ln(simulated / measured)|; huge where nothing can be simulated. */
static double distance(const rc_estimate *e) {
    double sum = 0;
    int64_t n = 0;
    rs_error ignored;
    for (int64_t i = 0; i < e->n_rows; i++) {
        rc_estimate_row row = e->rows[i];
        if (rc_estimate_row_of(e, &ignored, &row) != RC_GOOD || !(row.simulated_us > 0)) continue;
        sum += fabs(log(row.simulated_us / row.measured_us));
        n++;
    }
    return n > 0 ? sum / (double)n : HUGE_VAL;
}

/* How far a cause is, by the speed that suits it best: 50 MB/s to 12 GB/s of a node by sockets, 6 to 30 GB/s of a GPU through
   the host's memory. */
static double distance_of(const usual_cause *c, const rc_estimate *e) {
    rn_ring_hop hops[RN_MOST_HOPS];
    const bool sockets = c->network == LOOKED_FOR, looked_for = sockets || c->inside == LOOKED_FOR;
    const double now_GBps = sockets ? e->site.nic_GBps : e->site.port_GBps, step = 1.15;
    const double least = sockets ? 0.05 : 6, most = fmin(sockets ? 12 : 30, 0.9 * now_GBps);
    double best = HUGE_VAL;
    for (double GBps = looked_for ? least : most; GBps <= most; GBps *= step) {
        const double factor = GBps / now_GBps;
        rc_estimate changed = *e;
        if (!change(c, factor, hops, &changed)) continue;
        const double now = distance(&changed);
        if (now < best) best = now;
    }
    return best;
}

void rc_find_suspects(const rc_estimate *e, rc_suspects *found) {
    const double alike = 0.05, far = 0.35, healthy = distance(e);
    const double for_a_speed =
        0.1 + 0.2 / (double)e->n_rows; /* of one row any speed can be found */
    double of[N_CAUSES], best = HUGE_VAL;
    *found = (rc_suspects){0};
    for (int i = 0; i < N_CAUSES; i++) {
        const bool free = causes[i].network == LOOKED_FOR || causes[i].inside == LOOKED_FOR;
        of[i] = applies(&causes[i], e) ? distance_of(&causes[i], e) : HUGE_VAL;
        if (of[i] > far || of[i] > 0.75 * healthy) of[i] = HUGE_VAL;
        if (free) of[i] += for_a_speed;
        if (of[i] < best) best = of[i];
    }
    while (best < HUGE_VAL && found->n < RC_MOST_SUSPECTS) { /* the nearest first */
        int at = -1;
        for (int i = 0; i < N_CAUSES; i++) {
            bool taken = false;
            for (int k = 0; k < found->n; k++) taken |= found->ids[k] == causes[i].id;
            if (!taken && of[i] <= best + alike && (at < 0 || of[i] < of[at])) at = i;
        }
        if (at < 0) return;
        found->ids[found->n] = causes[at].id;
        found->words[found->n++] = causes[at].words;
    }
}
