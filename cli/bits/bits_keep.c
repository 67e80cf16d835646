/* bits_keep.c: which variables make all answers keep their bits, and what they cost.
 *
 *     each pins in turn --rc_bits_find--> answers under them --rc_bits_judge--> the same: --times--> the cheapest
 *
 *   - Pins are checked as a comparison is, by what the variables make NCCL choose. None may end at a switch that adds, for nobody
 *     promises its bits; LL128 is none, for to name it switches it on where it is not known to be safe.
 */
#include "bits/bits.h"

#include <math.h>
#include <string.h>

const char rc_bits_not_promised[] =
    N_("another version of NCCL, other GPUs or another number of them, a restart that finds other "
       "rings, calls in one group, NVLS, a tuner plugin");

bool rc_bits_variable(const rc_bits_setting *s, const rc_bits_keep *keep, int which,
                      char out[RC_BITS_VARIABLE]) {
    static const char *const names[] = {"NCCL_ALGO", "NCCL_PROTO"};
    const int value = keep->pins.of[which];
    const bool by_function = keep->oldest >= RN_NCCL_BY_FUNCTION;
    if (which == RC_BITS_CHANNELS) {
        snprintf(out, RC_BITS_VARIABLE, "NCCL_MAX_CTAS=%d", value);
    } else if (value != RC_BITS_FREE) {
        snprintf(out, RC_BITS_VARIABLE, "%s=%s%s%s", names[which],
                 by_function ? rn_nccl_collective_name(s->job.collective) : "",
                 by_function ? ":" : "",
                 which == RC_BITS_ALGORITHM ? rn_nccl_algorithm_name((rn_nccl_algorithm)value)
                                            : rn_nccl_protocol_name((rn_nccl_protocol)value));
    }
    return value != RC_BITS_FREE;
}

/* Lays pins over others. */
static void lay_over(const rc_bits_pins *over, rc_bits_pins *pins) {
    for (int i = 0; i < RC_BITS_N_PINS; i++) {
        if (over->of[i] != RC_BITS_FREE) pins->of[i] = over->of[i];
    }
}

/* Do pins set all that others set? */
static bool has_all(const rc_bits_pins *pins, const rc_bits_pins *others) {
    rc_bits_pins both = *pins;
    lay_over(others, &both);
    return memcmp(&both, pins, sizeof both) == 0;
}

/* Do ranks add, as NCCL's code says, and no switch? */
static bool is_promised(const rc_bits_answer *a) {
    const char *why = a->bits.undefined;
    return (why == NULL || why == rc_bits_one_tree) && a->orders[0].sum != rs_sum_exact(a->sums);
}

/* Have all answers the same bits under pins, and in which order? any_protocol: NCCL may take any, a size this one, a size that. */
static rc_exit try_pins(rc_session *session, const rc_bits_found *found, bool any_protocol,
                        rc_bits_keep *keep, bool *good, bool *lacks_lines) {
    const int64_t n = found->n_settings, n_protocols = any_protocol ? RN_NCCL_N_PROTOCOLS : 1;
    rc_bits_setting *settings =
        rs_alloc(session->arena, (size_t)(n_protocols * n), sizeof *settings);
    rc_bits_found under = *found;
    if (settings == NULL) return rc_no_memory(session->error);
    for (int64_t i = 0; i < n_protocols * n; i++) {
        settings[i] = found->settings[i % n];
        lay_over(&keep->pins, &settings[i].asked);
        if (any_protocol) settings[i].asked.of[RC_BITS_PROTOCOL] = (int)(i / n);
    }
    under.settings = settings;
    under.n_settings = n_protocols * n;
    under.one_order = found->one_order || any_protocol;
    const rc_exit status = rc_bits_find(session, &under);
    if (status != RC_GOOD) return status;
    int64_t base = 0; /* the largest has every element */
    *good = true;
    for (int64_t i = 0; i < under.n; i++) {
        const rc_bits_answer *a = &under.answers[i];
        *lacks_lines = *lacks_lines || a->bits.undefined == rc_bits_no_lines;
        *good = *good && is_promised(a);
        if (a->bits.count > under.answers[base].bits.count) base = i;
    }
    rc_bits_judge(&under, base);
    *good = *good && under.verdict <= RC_BITS_SEEN;
    keep->order = rc_bits_one_order(&under.answers[base], &under.answers[base]);
    return RC_GOOD;
}

/* ------------------------------------------------------------------ what it costs */

/* What a size takes under a setting; -1: not known. Fewer channels than NCCL would use carry what is theirs at the speed that each
   has among all: so long at most. */
static double time_of(rc_session *session, rc_bits_setting s, bool *at_most) {
    rc_estimate e = *s.machine;
    rc_estimate_row row = {.n_bytes = s.n_bytes};
    rc_bits_model model;
    const int channels = s.asked.of[RC_BITS_CHANNELS];
    s.asked.of[RC_BITS_CHANNELS] = RC_BITS_FREE;
    if (rc_bits_choose(session, &s) != RC_GOOD) return -1;
    *at_most = channels > 0 && channels < s.job.used_channels;
    if (*at_most) row.n_bytes = row.n_bytes * s.job.used_channels / channels;
    s.asked = (rc_bits_pins){{(int)s.job.algorithm, (int)s.job.protocol, RC_BITS_FREE}};
    if (rc_bits_model_of(&s, session->error, &model) != RC_GOOD) return -1;
    e.comm = model.comm;
    e.tuned = model.table;
    return rc_estimate_row_of(&e, session->error, &row) == RC_GOOD ? row.simulated_us : -1;
}

static void add_size(rc_bits_keep *keep, int64_t n_bytes) {
    bool new = keep->n_costs < RC_BITS_COSTS;
    for (int i = 0; i < keep->n_costs; i++) new = new && keep->costs[i].n_bytes != n_bytes;
    if (new) keep->costs[keep->n_costs++].n_bytes = n_bytes;
}

/* The sizes whose cost is said: those that are compared, or of a range both ends and some between. */
static void find_sizes(const rc_bits_found *found, rc_bits_keep *keep) {
    enum { APART = 8 };
    if (found->kind != RC_BITS_SIZES) {
        for (int64_t i = 0; i < found->n; i++) add_size(keep, found->answers[i].setting.n_bytes);
        return;
    }
    const int64_t to = found->answers[found->n - 1].setting.n_bytes;
    int64_t at = found->answers[0].setting.n_bytes;
    for (; at < to && keep->n_costs < RC_BITS_COSTS - 1; at *= APART) add_size(keep, at);
    add_size(keep, to);
}

/* Fills in the costs of pins; returns the mean of their logarithms, 0: not known. */
static double cost_of(rc_session *session, const rc_bits_setting *asked, rc_bits_keep *keep) {
    double sum = 0;
    for (int i = 0; i < keep->n_costs; i++) {
        rc_bits_cost *cost = &keep->costs[i];
        rc_bits_setting s = *asked;
        s.n_bytes = cost->n_bytes;
        cost->us = time_of(session, s, &cost->at_most);
        lay_over(&keep->pins, &s.asked);
        cost->pinned_us = time_of(session, s, &cost->at_most);
        if (cost->us > 0 && cost->pinned_us > 0) sum += log(cost->pinned_us / cost->us);
    }
    return keep->n_costs > 0 ? sum / keep->n_costs : 0;
}

/* ------------------------------------------------------------------ the search */

/* Why it is not sought; NULL: it is. */
static const char *unsought(const rc_bits_found *found) {
    if (found->kind == RC_BITS_NUMBERS)
        return N_("another number of ranks adds other parts, whatever is set");
    for (int64_t i = 0; i < found->n; i++) {
        if (found->answers[i].setting.own != NULL)
            return N_("no variable of NCCL's reaches what is not NCCL's: leave an engine's own "
                      "kernel out (vLLM, SGLang: --disable-custom-all-reduce), then compare "
                      "NCCL with NCCL");
    }
    return NULL;
}

rc_exit rc_bits_keep_same(rc_session *session, const rc_bits_found *found, rc_bits_keep *keep) {
    enum { VALUES = 3, MOST_PINS = VALUES * VALUES * VALUES };
    int values[RC_BITS_N_PINS][VALUES] = {{RC_BITS_FREE, RN_NCCL_TREE, RN_NCCL_RING},
                                          {RC_BITS_FREE, RN_NCCL_SIMPLE, RN_NCCL_LL},
                                          {RC_BITS_FREE, 1, 1}};
    const double alike = 0.001;
    const rc_bits_setting *asked = &found->settings[0];
    const bool known = asked->machine != NULL || (asked->log != NULL && asked->log->has_fit);
    rc_bits_keep tried = {.none = unsought(found), .oldest = asked->job.version};
    rc_bits_pins good_pins[MOST_PINS];
    bool one_call = true, lacks_lines = false;
    double least = 0;
    int n_good = 0, used = 1;
    rc_exit status = RC_GOOD;
    *keep = tried;
    if (tried.none != NULL) return RC_GOOD;
    if (asked->machine != NULL) find_sizes(found, &tried);
    for (int64_t i = 0; i < found->n; i++) {
        const rc_bits_setting *s = &found->answers[i].setting;
        if (s->job.version < tried.oldest) tried.oldest = s->job.version;
        if (s->job.used_channels > used) used = s->job.used_channels;
        one_call = one_call && s->job.version == asked->job.version &&
                   s->n_bytes == found->answers[0].setting.n_bytes;
    }
    /* NCCL always treats it alike, on as many channels whatever another call does. */
    if (one_call) values[RC_BITS_CHANNELS][2] = used;
    const int n_pins = one_call && used > 1 ? MOST_PINS : MOST_PINS / VALUES * 2;
    const bool guess = !known && !one_call; /* what is not set may be anything */
    for (int i = 0; i < n_pins && status == RC_GOOD; i++) {
        rc_bits_pins *pins = &tried.pins;
        bool good = false, more = false;
        for (int k = 0, at = i; k < RC_BITS_N_PINS; k++, at /= VALUES)
            pins->of[k] = values[k][at % VALUES];
        if (!rs_go_on(session->arena->host, "trying settings", i, n_pins)) {
            return rc_exit_of(
                rs_fail(session->error, RS_CANCELLED, "stopped while trying settings"));
        }
        for (int k = 0; k < n_good; k++) more = more || has_all(pins, &good_pins[k]);
        if (more || rc_bits_n_pins(pins) == 0 ||
            (guess && (pins->of[RC_BITS_ALGORITHM] < 0 || pins->of[RC_BITS_CHANNELS] < 0)))
            continue;
        status = try_pins(session, found, guess && pins->of[RC_BITS_PROTOCOL] < 0, &tried, &good,
                          &lacks_lines);
        if (status == RC_USAGE) { /* the collective has no such algorithm */
            *session->error = (rs_error){.text = ""};
            status = RC_GOOD;
            continue;
        }
        if (status != RC_GOOD || !good) continue;
        good_pins[n_good++] = *pins;
        const double cost = cost_of(session, asked, &tried);
        const bool fewer = rc_bits_n_pins(pins) < rc_bits_n_pins(&keep->pins);
        if (n_good == 1 || cost < least - alike || (cost < least + alike && fewer)) {
            least = cost;
            *keep = tried;
        }
    }
    rc_bits_pins whole = asked->asked;
    lay_over(&keep->pins, &whole);
    keep->pins = whole;
    keep->found = n_good > 0;
    keep->none = lacks_lines ? N_("not known what keeps the bits: the log lacks lines to try all "
                                  "rings and trees; lines of all ranks say them")
                             : N_("no NCCL_ALGO, NCCL_PROTO or NCCL_MAX_CTAS makes them the same: "
                                  "keep what differs, or pad to one size");
    return status;
}
