/* bits_over.c: over which sizes an element keeps its order, which variables make it keep it, and what they cost.
 *
 *     range of bytes --rn_nccl_crossing--> stretches that NCCL handles alike --both ends--> one order, or by place
 *     settings, or a range --each pin in turn--> those under which all bits are the same --times--> the cheapest
 *
 *   - Over a stretch channels only grow in number. So one order at its end, where all of them are in use, is that of every
 *     smaller size; where orders go by place, another size moves the places.
 *   - A pin is checked as a comparison is, by what its variables make NCCL choose. None may end at a switch that adds, for nobody
 *     promises its bits; LL128 is none, for to name it switches it on where it is not known to be safe.
 */
#include "base/containers.h"
#include "bits/bits.h"

#include <math.h>

enum { FREE = -1 };

/* ------------------------------------------------------------------ stretches */

/* Bytes by which sizes grow: elements, every rank's part and units must be whole. */
static int64_t grain_of(const rc_bits_setting *s, int64_t unit) {
    const int32_t parts = s->collective == RS_COLL_REDUCE_SCATTER ? s->n_ranks : 1;
    const int64_t whole = (int64_t)rs_dtype_bytes(s->dtype) * parts;
    int64_t a = whole, b = unit;
    while (b != 0) {
        const int64_t rest = a % b;
        a = b, b = rest;
    }
    return whole / a * unit;
}

/* The last multiple of the grain that NCCL handles as it does this size. */
static rc_exit last_alike(const rc_bits_setting *s, int64_t most, int64_t grain, rs_error *error,
                          int64_t *last) {
    rn_nccl_comm comm;
    rn_nccl_table table;
    bool known = false;
    const rc_exit status = rc_bits_model(s, error, &comm, &table, &known);
    *last = most;
    if (status == RC_GOOD && known && s->own == NULL &&
        rn_nccl_crossing(&comm, &table, s->collective, s->n_bytes, most, last)) {
        *last = (*last - 1) / grain * grain;
    }
    return status;
}

/* The one order that a whole stretch has. */
static int32_t order_of(const rc_bits_answer *first, const rc_bits_answer *last) {
    const char *why = last->bits.undefined;
    const bool one = first->n_orders == 1 && last->n_orders == 1 && first->bits.undefined == why &&
                     (why == NULL || why == rc_bits_one_tree);
    return one && first->orders[0].sum == last->orders[0].sum ? last->orders[0].sum
                                                              : RC_BITS_BY_PLACE;
}

rc_exit rc_bits_over(rc_session *session, const rc_bits_setting *asked, const int64_t ends[2],
                     int64_t unit, rs_sums *sums, rc_bits_range *range) {
    const int64_t grain = grain_of(asked, unit);
    const int64_t from = (ends[0] + grain - 1) / grain * grain, to = ends[1] / grain * grain;
    int64_t room = 0;
    *range = (rc_bits_range){.asked = *asked, .unit = unit, .same = true};
    if (from < grain || from >= to) {
        return rc_fail(session->error, RC_USAGE,
                       _("--over: fewer than two sizes of whole elements lie between %lld and %lld "
                         "bytes"),
                       (long long)ends[0], (long long)ends[1]);
    }
    for (int64_t at = from; at <= to; at = range->list[range->n - 1].to + grain) {
        rc_bits_stretch here = {.from = at};
        rc_bits_answer both[2] = {{.setting = *asked}, {.setting = *asked}};
        both[0].setting.n_bytes = at;
        rc_exit status = last_alike(&both[0].setting, to, grain, session->error, &here.to);
        both[1].setting.n_bytes = here.to;
        for (int i = 0; i < 2 && status == RC_GOOD; i++) {
            status = rc_bits_orders(session, sums, &both[i]);
        }
        if (status != RC_GOOD) return status;
        if (range->n == 0) range->first = both[0].bits;
        here.last = both[1].setting;
        here.least_channels = both[0].setting.used_channels;
        here.n_orders = both[1].n_orders;
        here.undefined = both[1].bits.undefined;
        here.order = order_of(&both[0], &both[1]);
        if (here.undefined == NULL && range->first.undefined == NULL)
            here.moved = rs_bits_moved(&range->first, &both[1].bits);
        if (!rs_reserve(session->arena, &range->list, range->n + 1, &room))
            return rc_no_memory(session->error);
        range->list[range->n++] = here;
        range->undefined = range->undefined || here.undefined != NULL;
        range->differs = range->differs || here.moved > 0;
        range->same =
            range->same && here.order != RC_BITS_BY_PLACE && here.order == range->list[0].order;
    }
    range->same = range->same || rs_never_rounds(asked->dtype, asked->op);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ pins */

static void pin(const rc_bits_pin *p, rc_bits_setting *s) {
    s->n_notes = 0;
    s->own = NULL;
    if (p->algorithm != FREE) {
        s->asked_algorithm = true;
        s->nccl = (rn_nccl_algorithm)p->algorithm;
    }
    if (p->protocol != FREE) {
        s->asked_protocol = true;
        s->protocol = (rn_nccl_protocol)p->protocol;
    }
    if (p->channels != FREE) {
        s->asked_channels = true;
        s->n_channels = s->used_channels = p->channels;
    }
}

/* Do ranks add, as NCCL's code says, and no switch? */
static bool is_promised(const rs_bits *bits, rs_sums *sums, rc_bits_keep *keep) {
    const int32_t exact = rs_sum_exact(sums);
    bool promised = bits->undefined == NULL || bits->undefined == rc_bits_one_tree;
    keep->lacks_lines = keep->lacks_lines || bits->undefined == rc_bits_no_lines;
    for (int64_t i = 0; i < bits->n_runs; i++) promised = promised && bits->runs[i].sum != exact;
    return promised;
}

/* Do all of them have the same bits, and in which order? The largest has every element. */
static rc_exit compare_under(rc_session *session, const rc_bits_pin *p,
                             const rc_bits_answer answers[], int n, const rc_bits_range *range,
                             rs_sums *sums, rc_bits_keep *keep, bool *good) {
    rc_bits_answer largest = {.n_orders = 0};
    *good = true;
    keep->order = RC_BITS_BY_PLACE;
    if (range != NULL) {
        rc_bits_range under;
        rc_bits_setting s = range->asked;
        pin(p, &s);
        const int64_t ends[2] = {range->list[0].from, range->list[range->n - 1].to};
        const rc_exit status = rc_bits_over(session, &s, ends, range->unit, sums, &under);
        *good = status == RC_GOOD && under.same && is_promised(&under.first, sums, keep);
        if (*good) keep->order = under.list[0].order;
        return status;
    }
    rc_bits_answer *under = rs_alloc(session->arena, (size_t)n, sizeof *under);
    if (under == NULL) return rc_no_memory(session->error);
    for (int i = 0; i < n; i++) {
        under[i].setting = answers[i].setting;
        pin(p, &under[i].setting);
        const rc_exit status = rc_bits_orders(session, sums, &under[i]);
        if (status != RC_GOOD) return status;
        if (under[i].bits.count > largest.bits.count) largest = under[i];
    }
    for (int i = 0; i < n; i++) {
        *good = is_promised(&under[i].bits, sums, keep) && *good &&
                rs_bits_moved(&under[i].bits, &largest.bits) == 0;
    }
    if (*good && largest.n_orders == 1) keep->order = largest.orders[0].sum;
    return RC_GOOD;
}

/* The same where NCCL may take any protocol, a size this one, a size that: all must give one order. */
static rc_exit keeps(rc_session *session, bool any_protocol, const rc_bits_answer answers[], int n,
                     const rc_bits_range *range, rs_sums *sums, rc_bits_keep *keep, bool *good) {
    rc_bits_pin p = keep->pin;
    int32_t order = RC_BITS_BY_PLACE;
    if (!any_protocol) return compare_under(session, &p, answers, n, range, sums, keep, good);
    for (p.protocol = 0; p.protocol < RN_NCCL_N_PROTOCOLS; p.protocol++) {
        const rc_exit status = compare_under(session, &p, answers, n, range, sums, keep, good);
        if (p.protocol == 0) order = keep->order;
        *good = *good && keep->order != RC_BITS_BY_PLACE && keep->order == order;
        if (status != RC_GOOD || !*good) return status;
    }
    return RC_GOOD;
}

/* What a size takes under a setting; -1: not known. Fewer channels than NCCL would use carry what is theirs at the speed that each
   has among all: so long at most. */
static double time_of(rc_session *session, rc_bits_setting s, bool *at_most) {
    rc_estimate e = *s.machine;
    rc_estimate_row row = {.n_bytes = s.n_bytes};
    rc_bits_setting all = s;
    bool known;
    all.asked_channels = false;
    if (rc_bits_choose(session, &s) != RC_GOOD || rc_bits_choose(session, &all) != RC_GOOD)
        return -1;
    *at_most = all.used_channels > s.used_channels;
    if (*at_most) row.n_bytes = row.n_bytes * all.used_channels / s.used_channels;
    s.asked_algorithm = s.asked_protocol = true;
    s.asked_channels = false;
    if (rc_bits_model(&s, session->error, &e.comm, &e.tuned, &known) != RC_GOOD ||
        rc_estimate_row_of(&e, session->error, &row) != RC_GOOD) {
        return -1;
    }
    return row.simulated_us;
}

/* The sizes whose cost is said: those that are compared, or of a range both ends and some between. */
static int sizes_of(const rc_bits_answer answers[], int n, const rc_bits_range *range,
                    rc_bits_cost costs[]) {
    enum { APART = 8 };
    int n_costs = 0;
    if (range != NULL) {
        const int64_t to = range->list[range->n - 1].to;
        for (int64_t at = range->list[0].from; at < to && n_costs < RC_BITS_COSTS - 1; at *= APART)
            costs[n_costs++].n_bytes = at;
        costs[n_costs++].n_bytes = to;
    }
    for (int i = 0; range == NULL && i < n && n_costs < RC_BITS_COSTS; i++) {
        bool new = true;
        for (int k = 0; k < n_costs; k++)
            new = new &&costs[k].n_bytes != answers[i].setting.n_bytes;
        if (new) costs[n_costs++].n_bytes = answers[i].setting.n_bytes;
    }
    return n_costs;
}

/* Fills in the costs of a pin; returns the mean of their logarithms, 0: not known. */
static double cost_of(rc_session *session, const rc_bits_setting *asked, rc_bits_keep *keep) {
    double sum = 0;
    for (int i = 0; i < keep->n_costs; i++) {
        rc_bits_cost *cost = &keep->costs[i];
        rc_bits_setting s = *asked;
        s.n_bytes = cost->n_bytes;
        cost->us = time_of(session, s, &cost->at_most);
        pin(&keep->pin, &s);
        cost->pinned_us = time_of(session, s, &cost->at_most);
        if (cost->us > 0 && cost->pinned_us > 0) sum += log(cost->pinned_us / cost->us);
    }
    return keep->n_costs > 0 ? sum / keep->n_costs : 0;
}

static int variables_of(const rc_bits_pin *p) {
    return (p->algorithm != FREE) + (p->protocol != FREE) + (p->channels != FREE);
}

/* Does a pin set all that another one sets? */
static bool has_all(const rc_bits_pin *p, const rc_bits_pin *other) {
    return (other->algorithm == FREE || other->algorithm == p->algorithm) &&
           (other->protocol == FREE || other->protocol == p->protocol) &&
           (other->channels == FREE || other->channels == p->channels);
}

rc_exit rc_bits_keep_same(rc_session *session, const rc_bits_answer answers[], int n,
                          const rc_bits_range *range, rs_sums *sums, rc_bits_keep *keep) {
    enum { ALGORITHMS = 3, PROTOCOLS = 3, CHANNELS = 3 };
    static const int algorithms[ALGORITHMS] = {FREE, RN_NCCL_TREE, RN_NCCL_RING},
                     protocols[PROTOCOLS] = {FREE, RN_NCCL_SIMPLE, RN_NCCL_LL};
    rc_bits_pin good_pins[ALGORITHMS * PROTOCOLS * CHANNELS];
    int channels[CHANNELS] = {FREE, 1, 1}, n_channels = 2, n_good = 0;
    const double alike = 0.001;
    const rc_bits_setting *asked = range != NULL ? &range->asked : &answers[0].setting;
    rc_bits_keep tried = {.order = RC_BITS_BY_PLACE, .oldest = asked->version};
    double least = 0;
    rn_nccl_comm comm;
    rn_nccl_table table;
    bool known = false, one_version = true;
    *keep = tried;
    for (int i = 0; i < n; i++) {
        const rc_bits_setting *s = &answers[i].setting;
        keep->is_other = s->own != NULL;
        if (keep->is_other) return RC_GOOD;
        if (s->version < tried.oldest) tried.oldest = s->version;
        if (s->used_channels > channels[2]) channels[2] = s->used_channels;
        one_version = one_version && s->version == asked->version;
    }
    if (asked->own != NULL) return RC_GOOD;
    keep->is_sought = true;
    const int n_sizes = sizes_of(answers, n, range, tried.costs);
    tried.n_costs = asked->machine != NULL ? n_sizes : 0;
    if (n_sizes == 1) n_channels = 3; /* that uses as many whatever another size does */
    const bool one_call = n_sizes == 1 && one_version; /* which NCCL always treats alike */
    rc_exit status = rc_bits_model(asked, session->error, &comm, &table, &known);
    const int n_pins = ALGORITHMS * PROTOCOLS * n_channels;
    for (int i = 0; i < n_pins && status == RC_GOOD; i++) {
        bool good = false, more = false;
        tried.pin = (rc_bits_pin){algorithms[i % ALGORITHMS], protocols[i / ALGORITHMS % PROTOCOLS],
                                  channels[i / ALGORITHMS / PROTOCOLS]};
        if (!rs_go_on(session->arena->host, "trying settings", i, n_pins)) {
            return rc_exit_of(
                rs_fail(session->error, RS_CANCELLED, "stopped while trying settings"));
        }
        const rc_bits_pin *p = &tried.pin;
        for (int k = 0; k < n_good; k++) more = more || has_all(p, &good_pins[k]);
        const bool guess = !known && !one_call; /* what is not set may be anything */
        if (more || variables_of(p) == 0 ||
            (guess && (p->algorithm == FREE || p->channels == FREE)))
            continue;
        status =
            keeps(session, guess && p->protocol == FREE, answers, n, range, sums, &tried, &good);
        if (status == RC_USAGE) { /* the collective has no such algorithm */
            *session->error = (rs_error){.text = ""};
            status = RC_GOOD;
            continue;
        }
        if (status != RC_GOOD || !good) continue;
        good_pins[n_good++] = *p;
        const double cost = cost_of(session, asked, &tried);
        const bool fewer = variables_of(&tried.pin) < variables_of(&keep->pin);
        if (!keep->found || cost < least - alike || (cost < least + alike && fewer)) {
            least = cost;
            *keep = tried;
            keep->found = keep->is_sought = true;
        }
    }
    keep->lacks_lines = tried.lacks_lines;
    return status;
}
