/* bits_print.c: the answers of `ringsim bits` in words: the same or not, what was asked, tables, what to set. */
#include "base/text.h"
#include "base/units.h"
#include "bits/bits.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 80, MOST_ROWS = 16, ORDER = 24, LONG_ORDER = 72, CELL = 64 };

static const char *const verdicts[] = {
    [RC_BITS_NEVER_ROUNDS] =
        N_("the same bits in any order: it never matters to this type and operation"),
    [RC_BITS_SAME] = N_("the same bits, whatever the data"),
    [RC_BITS_SEEN] = N_("the same bits as far as was seen, whatever the data"),
    [RC_BITS_UNKNOWN] = N_("not known to be the same bits"),
    [RC_BITS_OTHER] = N_("not the same bits")};

const char *rc_bits_algorithm(const rc_bits_setting *s) {
    return s->own != NULL ? s->own->name : rn_nccl_algorithm_title(s->job.algorithm);
}

rn_bits_shown rc_bits_asked_shown(const rc_bits_setting *s) {
    return (rn_bits_shown){.version = s->job.version,
                           .collective = s->job.collective,
                           .algorithm = s->job.algorithm,
                           .protocol = s->job.protocol,
                           .n_ranks = s->job.n_ranks,
                           .n_per_node = s->job.n_ranks / s->job.n_nodes};
}

/* How an element is added, in words where it is no sum of ranks; until the next call. */
static const char *order_text(const rs_sums *sums, int32_t sum, size_t most) {
    static char out[LONG_ORDER];
    if (sum == RC_BITS_ONE_TREE) return _("a sum along one tree");
    rs_sum_text(sums, sum, out, most);
    return strcmp(out, "exact") == 0 ? _("exact, rounded once") : out;
}

/* What was asked, and where rings, trees and rules come from, line by line. */
static void print_head(const rc_bits_answer *a) {
    const rc_bits_setting *s = &a->setting;
    const rn_bits_job *job = &s->job;
    char version[16], size[RC_UNIT_TEXT], shown[RC_SHOWN_TEXT];
    printf(_("%s of %s, %lld x %s, %d ranks: "), rs_collective_name(job->collective),
           rc_exact_size(s->n_bytes, size), (long long)a->bits.count, rs_dtype_name(job->dtype),
           (int)job->n_ranks);
    if (s->own != NULL) {
        printf(_("ringsim's %s\n"), s->own->name);
        return;
    }
    printf(_("NCCL %s, %s, %s, channels %d of %d\n"), rn_nccl_version_text(job->version, version),
           rc_bits_algorithm(s), rn_nccl_protocol_title(job->protocol), (int)job->used_channels,
           (int)job->n_channels);
    puts(s->log != NULL       ? _("rings, trees and channels as the log says")
         : s->machine != NULL ? _("rings as found for the machine; a log of the job shows its own")
                              : _("one ring, and one chain as its tree: 0, 1, 2, ...; a log of the "
                                  "job shows its own"));
    for (int i = 0; i < s->n_notes; i++) {
        rs_error note = s->notes[i];
        puts(rc_said(&note));
    }
    if (rc_bits_seen(s) != NULL) puts(_(rc_bits_seen(s)));
    rn_bits_shown asked = rc_bits_asked_shown(s);
    if (!rn_nccl_checked(job->version)) asked.version = RN_NCCL_NEWEST; /* whose rules they are */
    rc_shown_text(rn_bits_shown_rows(), &asked, shown, sizeof shown);
    puts(shown);
}

/* ------------------------------------------------------------------ tables */

/* Heads of columns of that width, below 0 to the right. */
static void print_heads(int n, const int widths[], const char *const heads[]) {
    for (int i = 0; i < n; i++) {
        if (widths[i] >= 0) printf("  ");
        rc_print_padded(heads[i], widths[i]);
    }
    puts("");
}

/* Orders and elements of one setting. */
static void print_orders(const rc_bits_answer *a) {
    static const int widths[] = {-14, -15, 0};
    printf(_("\norders: %lld\n\n"), (long long)a->n_orders);
    print_heads(3, widths, (const char *const[]){_("from element"), _("elements"), _("added as")});
    for (int64_t i = 0; i < a->n_orders && i < MOST_ROWS; i++) {
        const rs_bits_run *o = &a->orders[i];
        printf("%14lld %14lld  %s\n", (long long)o->first, (long long)o->count,
               order_text(a->sums, o->sum, LONG_ORDER));
    }
    if (a->n_orders > MOST_ROWS)
        printf(_("... and orders more: %lld\n"), (long long)(a->n_orders - MOST_ROWS));
    if (a->measured.n == 0) return;
    printf(
        _("\nfrom the exact sum: %.2f units in the last place on average (data evenly from [-1, 1), "
          "elements: %lld)\n"),
        a->measured.mean, (long long)a->measured.n);
}

/* The first setting's orders, and how each other one differs. */
static void print_compared(const rc_bits_found *found) {
    const rc_bits_answer *first = &found->answers[0];
    bool unlike = false;
    if (first->bits.undefined != NULL) {
        puts("");
        rc_print_wrapped(_(first->bits.undefined), WIDTH);
    } else if (found->element >= 0) {
        printf(_("\nelement %lld: %s\n"), (long long)found->element,
               order_text(first->sums, rs_bits_at(&first->bits, found->element), LONG_ORDER));
    } else {
        print_orders(first);
    }
    for (int64_t i = 1; i < found->n; i++) {
        const rc_bits_answer *a = &found->answers[i];
        unlike = unlike || a->bits.count != first->bits.count;
        printf(i == 1 ? "\n%s: " : "%s: ", a->setting.text);
        if (a->verdict == RC_BITS_UNKNOWN) {
            puts(_(a->unknown));
        } else if (a->verdict == RC_BITS_OTHER) {
            printf(
                _("another order for %.1f %% of the elements; %.2f %% of all differ on random data, "
                  "by %.3g at most\n"),
                100 * (double)a->measured.moved / (double)a->measured.of, 100 * a->measured.differ,
                a->measured.largest);
        } else {
            puts(_(verdicts[a->verdict]));
        }
    }
    if (!unlike) return;
    rc_print_wrapped(
        _("arrays of unlike length: an element is compared with the one of the same number; an "
          "array that lies elsewhere in a larger one is what --over looks at"),
        WIDTH);
}

/* A size, or how many units. */
static const char *size_text(int64_t unit, int64_t n_bytes, char out[RC_UNIT_TEXT]) {
    if (unit == 1) return rc_exact_size(n_bytes, out);
    snprintf(out, RC_UNIT_TEXT, "%lld", (long long)(n_bytes / unit));
    return out;
}

/* What NCCL takes over a stretch, and what each element is: "((1+2)+3)+0", "by place, orders: 8". */
static void print_stretch(const rc_bits_found *found, const rc_bits_answer *first,
                          const rc_bits_answer *last) {
    const rc_bits_setting *s = &last->setting;
    const rs_bits *start = &found->answers[0].bits;
    const bool known = last->bits.undefined == NULL && start->undefined == NULL;
    const int least = first->setting.job.used_channels, most = s->job.used_channels;
    const int32_t one = rc_bits_one_order(first, last);
    char from[RC_UNIT_TEXT], to[RC_UNIT_TEXT], takes[CELL], channels[CELL] = "-", moved[CELL] = "-",
                                                            order[CELL];
    snprintf(takes, sizeof takes, s->own != NULL ? "%s" : "%s, %s", rc_bits_algorithm(s),
             rn_nccl_protocol_title(s->job.protocol));
    if (s->own == NULL)
        snprintf(channels, sizeof channels, least == most ? "%d" : "%d-%d", least, most);
    if (known) {
        snprintf(moved, sizeof moved, "%.0f %%",
                 100 * (double)rs_bits_moved(start, &last->bits) / (double)start->count);
    }
    snprintf(order, sizeof order, _("by place, orders: %lld"), (long long)last->n_orders);
    printf("%11s%12s  %-16s%9s%7s  %s\n", size_text(found->unit, first->setting.n_bytes, from),
           size_text(found->unit, s->n_bytes, to), takes, channels, moved,
           one != RC_BITS_BY_PLACE        ? order_text(last->sums, one, ORDER)
           : last->bits.undefined != NULL ? _("not known")
                                          : order);
}

static void print_sizes(const rc_bits_found *found) {
    static const int widths[] = {-11, -12, 16, -9, -7, 0};
    const char *undefined = NULL, *seen = NULL;
    char size[RC_UNIT_TEXT];
    if (found->unit > 1) printf(_("sizes are tokens of %s\n"), rc_exact_size(found->unit, size));
    puts("");
    print_heads(6, widths,
                (const char *const[]){_("from size"), _("to"), _("takes"), _("channels"),
                                      _("moved"), _("each element is")});
    for (int64_t i = 0; i < found->n; i += 2) {
        const rc_bits_answer *last = &found->answers[i + 1];
        print_stretch(found, last - 1, last);
        if (last->bits.undefined != NULL) undefined = last->bits.undefined;
        if (i > 0 && rc_bits_seen(&last->setting) != NULL) seen = rc_bits_seen(&last->setting);
    }
    puts("");
    rc_print_wrapped(_("moved: of the first size's elements, those that have another order at a "
                       "line's last size"),
                     WIDTH);
    if (undefined != NULL) rc_print_wrapped(_(undefined), WIDTH);
    if (seen != NULL) rc_print_wrapped(_(seen), WIDTH);
}

static void print_numbers(const rc_bits_found *found) {
    static const int widths[] = {-8, -9, -11, 0};
    puts("");
    print_heads(4, widths,
                (const char *const[]){_("ranks"), _("orders"), "ulp", _("the first element is")});
    for (int64_t i = 0; i < found->n; i++) {
        const rc_bits_answer *a = &found->answers[i];
        char ulp[CELL] = "-";
        if (a->measured.n > 0) snprintf(ulp, sizeof ulp, "%.2f", a->measured.mean);
        printf("%8d %8lld %10s  %s\n", (int)a->setting.job.n_ranks, (long long)a->n_orders, ulp,
               a->bits.undefined == NULL ? order_text(a->sums, rs_bits_at(&a->bits, 0), LONG_ORDER)
                                         : _(a->bits.undefined));
    }
    puts(_("ulp: units in the last place from the exact sum, on average"));
}

/* ------------------------------------------------------------------ what to set */

static void print_costs(const rc_bits_setting *s, const rc_bits_keep *keep) {
    static const int widths[] = {-11, -14, -14, -9};
    bool at_most = false;
    if (keep->n_costs == 0) {
        puts(_("what it costs: --machine M estimates it"));
        return;
    }
    puts("");
    print_heads(4, widths,
                (const char *const[]){_("bytes"), _("as it is"), _("with this"), _("cost")});
    for (int i = 0; i < keep->n_costs; i++) {
        const rc_bits_cost *cost = &keep->costs[i];
        const char *sign = cost->at_most ? "<=" : "  ";
        char size[RC_UNIT_TEXT], us[CELL] = "-", pinned[CELL] = "-", share[CELL] = "";
        at_most = at_most || cost->at_most;
        if (cost->us > 0 && cost->pinned_us > 0) {
            snprintf(us, sizeof us, "%.1f us", cost->us);
            snprintf(pinned, sizeof pinned, "%s%8.1f us", sign, cost->pinned_us);
            snprintf(share, sizeof share, "%s%4ld %%", sign,
                     lround(100 * (cost->pinned_us / cost->us - 1)));
        }
        printf("%11s%14s%14s%9s\n", rc_exact_size(cost->n_bytes, size), us, pinned, share);
    }
    printf(_("estimated, as ringsim estimate --machine %s does\n"), s->machine->machine->name);
    if (at_most) puts(_("<=: fewer channels, each no faster than among all of them"));
}

static void print_keep(const rc_bits_setting *s, const rc_bits_keep *keep, const rs_sums *sums) {
    char variable[RC_BITS_VARIABLE], said[RS_ERROR_TEXT];
    puts("");
    if (!keep->found) {
        rc_print_wrapped(_(keep->none), WIDTH);
        return;
    }
    puts(_("to keep the bits, set on every rank:"));
    for (int i = 0; i < RC_BITS_N_PINS; i++) {
        if (rc_bits_variable(s, keep, i, variable)) printf("  %s\n", variable);
    }
    if (keep->order != RC_BITS_BY_PLACE) {
        printf(_("checked: each element is then %s\n"), order_text(sums, keep->order, LONG_ORDER));
    } else {
        puts(_("checked: compared again with this, all have the same bits"));
    }
    if (keep->oldest < RN_NCCL_BY_FUNCTION)
        puts(_("before 2.24 this is for all functions; one that has no tree keeps its ring"));
    if (keep->pins.of[RC_BITS_CHANNELS] >= 0) puts(_("NCCL_MAX_CTAS is for all functions"));
    if (s->job.version >= RN_NCCL_ONLY_NAMED)
        puts(_("from 2.31 on functions that a list leaves out have nothing: name them, too"));
    print_costs(s, keep);
    snprintf(said, sizeof said, _("not promised: %s"), _(rc_bits_not_promised));
    rc_print_wrapped(said, WIDTH);
}

void rc_print_bits(const rc_bits_found *found, const rc_bits_keep *keep) {
    static void (*const tables[])(const rc_bits_found *found) = {[RC_BITS_COMPARED] =
                                                                     print_compared,
                                                                 [RC_BITS_SIZES] = print_sizes,
                                                                 [RC_BITS_NUMBERS] = print_numbers};
    if (found->n > 1 || found->verdict == RC_BITS_NEVER_ROUNDS) puts(_(verdicts[found->verdict]));
    print_head(&found->answers[0]);
    tables[found->kind](found);
    if (keep != NULL) print_keep(&found->settings[0], keep, found->sums);
}
