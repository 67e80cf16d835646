/* hang_words.c: a hang's verdict in one sentence: which rank, at which call of which group, from which line. */
#include "hang/hang_pieces.h"

#include <string.h>

enum { NAME = RC_HANG_NAME };

/* Two calls in different order. */
static void crossed_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *a = &h->culprits[0], *b = h->has_others ? &h->others : &h->culprits[1];
    char first[RC_HANG_CALL], second[RC_HANG_CALL], group[2 * NAME + 8], other[2 * NAME + 8];
    rc_hang_call(a, first);
    rc_hang_call(b, second);
    rc_group_text(a, group, sizeof group);
    rc_group_text(b, other, sizeof other);
    if (h->verdict == RN_HANG_UNDECIDED) {
        snprintf(
            out, RV_HANG_TEXT,
            _("undecided: rank %d launched %.150s (call %lld of group %.100s) and %.150s (call %lld of group "
              "%.100s) in another order than rank %d, but what came before is lost"),
            (int)a->rank, first, (long long)a->seq, group, second, (long long)b->seq, other,
            (int)b->rank);
    } else if (h->has_others) {
        snprintf(
            out, RV_HANG_TEXT,
            _("rank %d launched %.150s (call %lld of group %.100s) before %.150s (call %lld of group %.100s), "
              "%d of %d ranks the other way round: each waits for the other"),
            (int)a->rank, first, (long long)a->seq, group, second, (long long)b->seq, other,
            (int)h->n_agree, (int)h->n_of);
    } else {
        snprintf(
            out, RV_HANG_TEXT,
            _("rank %d launched %.150s (call %lld of group %.100s) before %.150s (call %lld of group %.100s), "
              "rank %d the other way round: each waits for the other"),
            (int)a->rank, first, (long long)a->seq, group, second, (long long)b->seq, other,
            (int)b->rank);
    }
}

/* One rank that is odd, and one that waits for it; or the first two of a circle. */
static void circle_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *a = &h->culprits[0], *b = h->n_culprits > 1 ? &h->culprits[1] : &h->others;
    char first[RC_HANG_CALL], second[RC_HANG_CALL], group[2 * NAME + 8], other[2 * NAME + 8];
    rc_hang_call(a, first);
    rc_hang_call(b, second);
    rc_group_text(a, group, sizeof group);
    rc_group_text(b, other, sizeof other);
    if (h->n_culprits > 1) {
        snprintf(
            out, RV_HANG_TEXT,
            h->knotted
                ? _("undecided: ranks have no dump, but %d others wait for each other in a circle: rank %d is in "
                    "%.150s (call %lld of group %.100s) and waits for rank %d, which is in %.150s (call %lld of "
                    "group %.100s)")
                : _("%d ranks wait for each other in a circle: rank %d is in %.150s (call %lld of group "
                    "%.100s) and waits for rank %d, which is in %.150s (call %lld of group %.100s)"),
            (int)h->n_culprits, (int)a->rank, first, (long long)a->seq, group, (int)b->rank, second,
            (long long)b->seq, other);
    } else {
        snprintf(
            out, RV_HANG_TEXT,
            _("ranks wait for each other in a circle: rank %d went into %.150s (call %lld of group "
              "%.100s), and rank %d waits for it in %.150s (call %lld of group %.100s)"),
            (int)a->rank, first, (long long)a->seq, group, (int)b->rank, second, (long long)b->seq,
            other);
    }
}

/* It may be that the first candidate strayed, or that the silence of others explains all. */
static void strayed_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = &h->culprits[0];
    const int n_gone = h->n_culprits - h->n_strayed;
    char ranks[RC_HANG_LIST], call[RC_HANG_CALL], group[2 * NAME + 8];
    rc_hang_call(c, call);
    rc_group_text(c, group, sizeof group);
    rc_hang_ranks_from(h, h->n_strayed, h->n_culprits, ranks);
    snprintf(
        out, RV_HANG_TEXT,
        h->has_others
            ? ngettext(
                  "undecided: rank %d did not come to %s, call %lld of group %s, as others did after the same calls; "
                  "but it waits for rank %s, which has no dump",
                  "undecided: rank %d did not come to %s, call %lld of group %s, as others did after the same calls; "
                  "but it waits for ranks %s, which have no dump",
                  n_gone)
            : ngettext(
                  "undecided: rank %d went into %s, call %lld of group %s, where others made another call after the "
                  "same calls; but it waits for rank %s, which has no dump",
                  "undecided: rank %d went into %s, call %lld of group %s, where others made another call after the "
                  "same calls; but it waits for ranks %s, which have no dump",
                  n_gone),
        (int)c->rank, call, (long long)c->seq, group, ranks);
}

static void undecided_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    char call[RC_HANG_CALL], other[RC_HANG_CALL], group[2 * NAME + 8];
    if (h->difference == RN_DIFFERS_SPLIT && h->n_culprits > 0) {
        const rn_hang_place *c = &h->culprits[0];
        snprintf(
            out, RV_HANG_TEXT,
            _("undecided: in %s, call %lld of group %s, more is sent than received, or less: a split is wrong, and "
              "nobody tells whose"),
            rc_hang_call(c, call), (long long)c->seq, rc_group_text(c, group, sizeof group));
        return;
    }
    if (h->n_waits == 0 && h->n_culprits == 0) {
        snprintf(out, RV_HANG_TEXT, "%s",
                 _("undecided: every dump ends too early to show who waits"));
        return;
    }
    if (h->unread) {
        char ranks[RC_HANG_LIST];
        snprintf(
            out, RV_HANG_TEXT,
            h->in_file
                ? ngettext("undecided: rank %s is waited for in %s, call %lld of group %s, and its "
                           "dump cannot be read",
                           "undecided: ranks %s are waited for in %s, call %lld of group %s, and "
                           "not all of their dumps can be read",
                           h->n_culprits)
                : ngettext(
                      "undecided: rank %s is waited for in %s, call %lld of group %s, and its dump may be in the part of an "
                      "archive that is missing",
                      "undecided: ranks %s are waited for in %s, call %lld of group %s, and their dumps may be in the part "
                      "of an archive that is missing",
                      h->n_culprits),
            rc_hang_ranks(h, ranks), rc_hang_call(&h->others, call), (long long)h->others.seq,
            rc_group_text(&h->others, group, sizeof group));
        return;
    }
    if (h->n_strayed > 0) {
        strayed_text(h, out);
        return;
    }
    if (h->knotted) {
        circle_text(h, out);
        return;
    }
    if (h->n_culprits < 2) {
        snprintf(out, RV_HANG_TEXT, "%s", _("undecided: ranks wait, and no dump says for what"));
        return;
    }
    const rn_hang_place *a = &h->culprits[0], *b = &h->culprits[1];
    rc_group_text(a, group, sizeof group);
    if (h->lost) {
        snprintf(
            out, RV_HANG_TEXT,
            _("undecided: %d ranks are in the same call, %s, number %lld of group %s; but dumps have lost earlier "
              "calls, of which one may not be over, or be another on other ranks"),
            (int)h->n_culprits, rc_hang_call(a, call), (long long)a->seq, group);
        return;
    }
    if (h->later) {
        char came[RC_HANG_LIST + 16], absent[RC_HANG_LIST + 16];
        snprintf(
            out, RV_HANG_TEXT,
            _("%s called %s, call %lld of group %s, and %s did not: one too many there, or one too few here"),
            rc_hang_who(h, 0, h->n_came, came), rc_hang_call(a, call), (long long)a->seq, group,
            rc_hang_who(h, h->n_came, h->n_culprits, absent));
        return;
    }
    snprintf(out, RV_HANG_TEXT,
             _("ranks %d and %d disagree in group %s: rank %d called %s (number %lld), rank %d "
               "called %s (number %lld); nobody else tells who is right"),
             (int)a->rank, (int)b->rank, group, (int)a->rank, rc_hang_sized(a, call),
             (long long)a->seq, (int)b->rank, rc_hang_sized(b, other), (long long)b->seq);
}

static void edit_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = &h->culprits[0];
    char ranks[RC_HANG_LIST], call[RC_HANG_CALL], other[RC_HANG_CALL], group[2 * NAME + 8];
    rc_hang_ranks(h, ranks);
    rc_group_text(c, group, sizeof group);
    const int agree = (int)h->n_agree, of = (int)h->n_of, n = (int)h->n_culprits;
    const long long last = (long long)h->last_seq;
    const bool many =
        h->n_calls > 1 && h->last_seq > c->seq; /* those of a coalesced group have one number */
    switch (h->verdict) {
    case RN_HANG_MISSING_CALL:
        if (many) {
            snprintf(
                out, RV_HANG_TEXT,
                ngettext(
                    "rank %s left out %d calls, from %s on, calls %lld to %lld of group %s; %d of its %d ranks made "
                    "them",
                    "ranks %s left out %d calls, from %s on, calls %lld to %lld of group %s; %d of its %d ranks made "
                    "them",
                    n),
                ranks, (int)h->n_calls, rc_hang_call(c, call), (long long)c->seq, last, group,
                agree, of);
            break;
        }
        snprintf(out, RV_HANG_TEXT,
                 ngettext("rank %s left out %s, call %lld of group %s; %d of its %d ranks made it",
                          "ranks %s left out %s, call %lld of group %s; %d of its %d ranks made it",
                          n),
                 ranks, rc_hang_call(c, call), (long long)c->seq, group, agree, of);
        break;
    case RN_HANG_EXTRA_CALL:
        if (many) {
            snprintf(
                out, RV_HANG_TEXT,
                ngettext(
                    "rank %s made %d calls too many, from %s on, its calls %lld to %lld of group %s; %d of its %d "
                    "ranks did not",
                    "ranks %s made %d calls too many, from %s on, their calls %lld to %lld of group %s; %d of its "
                    "%d ranks did not",
                    n),
                ranks, (int)h->n_calls, rc_hang_call(c, call), (long long)c->seq, last, group,
                agree, of);
            break;
        }
        snprintf(
            out, RV_HANG_TEXT,
            ngettext(
                "rank %s made one call too many: %s, its call %lld of group %s; %d of its %d "
                "ranks did not",
                "ranks %s made one call too many: %s, their call %lld of group %s; %d of its %d "
                "ranks did not",
                n),
            ranks, rc_hang_call(c, call), (long long)c->seq, group, agree, of);
        break;
    case RN_HANG_SWAPPED:
        snprintf(
            out, RV_HANG_TEXT,
            ngettext(
                "rank %s made calls in another order: its call %lld of group %s is %s, that of "
                "%d of %d ranks %s",
                "ranks %s made calls in another order: their call %lld of group %s is %s, that of "
                "%d of %d ranks %s",
                n),
            ranks, (long long)c->seq, group, rc_hang_call(c, call), agree, of,
            rc_hang_call(&h->others, other));
        break;
    case RN_HANG_WRONG_RESULTS:
        snprintf(
            out, RV_HANG_TEXT,
            ngettext(
                "nothing hangs, but results are wrong: rank %s differs in %s: its call %lld of group %s is %s, that of "
                "%d of %d ranks %s",
                "nothing hangs, but results are wrong: ranks %s differ in %s: their call %lld of group %s is %s, that "
                "of %d of %d ranks %s",
                n),
            ranks, rc_hang_difference(h->difference), (long long)c->seq, group,
            rc_hang_sized(c, call), agree, of, rc_hang_sized(&h->others, other));
        break;
    default:
        snprintf(
            out, RV_HANG_TEXT,
            ngettext(
                "rank %s differs in %s: its call %lld of group %s is %s, that of %d of %d ranks "
                "%s",
                "ranks %s differ in %s: their call %lld of group %s is %s, that of %d of %d ranks "
                "%s",
                n),
            ranks, rc_hang_difference(h->difference), (long long)c->seq, group,
            rc_hang_sized(c, call), agree, of, rc_hang_sized(&h->others, other));
    }
}

/* Calls behind the last common one: who has not come, or came alone. */
static void later_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = &h->culprits[0];
    char ranks[RC_HANG_LIST], call[RC_HANG_CALL], group[2 * NAME + 8];
    rc_hang_ranks(h, ranks);
    rc_hang_call(c, call);
    rc_group_text(c, group, sizeof group);
    snprintf(
        out, RV_HANG_TEXT,
        h->verdict == RN_HANG_EXTRA_CALL
            ? ngettext(
                  "rank %s made one call too many: %s, call %lld of group %s; the others do not "
                  "come to it",
                  "ranks %s made one call too many: %s, call %lld of group %s; the others do not "
                  "come to it",
                  h->n_culprits)
            : ngettext("rank %s has not come to %s, call %lld of group %s, and is waited for",
                       "ranks %s have not come to %s, call %lld of group %s, and are waited for",
                       h->n_culprits),
        ranks, call, (long long)c->seq, group);
}

/* Nothing hangs: who holds up the others. */
static void slow_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = &h->culprits[0];
    char ranks[RC_HANG_LIST], call[RC_HANG_CALL], group[2 * NAME + 8];
    snprintf(
        out, RV_HANG_TEXT,
        _("no hang, but slow: rank %d comes last to %d of %d calls of group %s, by %.1f ms on average, and the "
          "others wait; most of all in %s, call %lld"),
        (int)c->rank, (int)h->n_agree, (int)h->n_of, rc_group_text(c, group, sizeof group),
        1e-6 * (double)h->late_ns, rc_hang_call(c, call), (long long)c->seq);
    const size_t used = strlen(out);
    if (h->n_culprits > 1 && used < RV_HANG_TEXT) {
        snprintf(out + used, RV_HANG_TEXT - used, _("; late in their groups are ranks %s"),
                 rc_hang_ranks(h, ranks));
    }
}

/* Nobody is missing. */
static void stuck_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = &h->culprits[0];
    char call[RC_HANG_CALL], group[2 * NAME + 8];
    rc_hang_call(c, call);
    rc_group_text(c, group, sizeof group);
    if (h->doubt == RN_DOUBT_PASSED) {
        char ranks[RC_HANG_LIST];
        snprintf(
            out, RV_HANG_TEXT,
            ngettext(
                "rank %s is still in %s, number %lld of group %s, which %d of its %d ranks have ended: look at "
                "its process, its GPU and their Xid errors",
                "ranks %s are still in %s, number %lld of group %s, which %d of its %d ranks have ended: look "
                "at their processes, their GPUs and Xid errors",
                h->n_culprits),
            rc_hang_ranks(h, ranks), call, (long long)c->seq, group, (int)h->n_agree, (int)h->n_of);
        return;
    }
    if (h->n_culprits == 1) {
        snprintf(
            out, RV_HANG_TEXT,
            _("rank %d is in %s, number %lld of group %s, waits for nobody, and it does not end: look at the network, "
              "the GPUs and their Xid errors"),
            (int)c->rank, call, (long long)c->seq, group);
        return;
    }
    if (h->n_culprits < h->n_of) {
        snprintf(
            out, RV_HANG_TEXT,
            _("%d of %d ranks are in the same call, %s, number %lld of group %s, and it does not end: what the others "
              "called may differ, or look at the network, the GPUs and their Xid errors"),
            (int)h->n_culprits, (int)h->n_of, call, (long long)c->seq, group);
        return;
    }
    snprintf(
        out, RV_HANG_TEXT,
        h->rough
            ? _("all %d ranks of which lines tell are in the same call, %s, number %lld of group %s, and it does "
                "not end: if there are no others, look at the network, the GPUs and their Xid errors")
            : _("all %d ranks are in the same call, %s, number %lld of group %s, and it does not "
                "end: look at the network, the GPUs and their Xid errors"),
        (int)h->n_culprits, call, (long long)c->seq, group);
}

char *rc_hang_sentence(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = h->n_culprits > 0 ? &h->culprits[0] : NULL;
    snprintf(out, RV_HANG_TEXT, "%s", _("undecided: ranks wait, and no dump says for what"));
    if (h->verdict == RN_HANG_NONE) {
        snprintf(out, RV_HANG_TEXT, "%s", _("no hang: every call that is in the dumps is over"));
    } else if (h->crossed) {
        crossed_text(h, out);
    } else if (h->doubt != RN_DOUBT_NONE && h->verdict == RN_HANG_UNDECIDED) {
        rc_doubt_text(h, out);
    } else if (h->verdict == RN_HANG_UNDECIDED) {
        undecided_text(h, out);
    } else if (c == NULL) {
        return out;
    } else if (h->verdict == RN_HANG_SLOW) {
        slow_text(h, out);
    } else if (h->verdict == RN_HANG_CYCLE) {
        circle_text(h, out);
    } else if (h->verdict == RN_HANG_SILENT_RANK) {
        rc_silent_text(h, out);
    } else if (h->verdict == RN_HANG_STUCK_INSIDE) {
        stuck_text(h, out);
    } else if (h->later) {
        later_text(h, out);
    } else {
        edit_text(h, out);
    }
    return out;
}
