/* hang_words.c: a hang's verdict in one sentence: which rank, at which call of which group, from which line; silence, and
 * what the evidence is not enough for, with what would be.
 *
 * A sentence is a form whose marks stand for what was found:
 *
 *     @r the culprits' ranks    @w those of them that came, @v that did not    @g those behind the strayed ones
 *     @k a place's rank, @c its call and line, @z its call with its size, @n its number, @p its group; @K @C @Z @N @P: another's
 *     @m how many culprits    @a how many of @o agree    @x calls, up to number @l    @d what differs    @t ms
 *     @f a line of a log    @q its words    @h how many it counts, of @i
 */
#include "base/text.h"
#include "base/containers.h"
#include "hang/hang.h"
#include "ringsim_viz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "rwvgkcznpKCZNPmaoxldtfqhi";
enum { N_MARKS = sizeof letters - 1, LONGEST = 600, LIST = 256, OF_PLACE = 5, PLACE = 4 };

/* ------------------------------------------------------------------ what marks stand for */

/* "0-3, 7": the culprits from `first` on, up to `end`. */
static void list_ranks(const rn_hang *h, int32_t first, int32_t end, char out[LONGEST]) {
    enum { MOST = 4096 };
    int32_t ranks[MOST], n = 0;
    for (int32_t i = first; i < end && n < MOST; i++) ranks[n++] = h->culprits[i].rank;
    if (n > 1) qsort(ranks, (size_t)n, sizeof *ranks, rs_by_int32);
    rv_rank_list(ranks, n, out, LIST);
}

/* "rank 3", "ranks 1, 2" */
static void name_ranks(const rn_hang *h, int32_t first, int32_t end, char out[LONGEST]) {
    char ranks[LONGEST];
    list_ranks(h, first, end, ranks);
    snprintf(out, LONGEST, end - first == 1 ? _("rank %s") : _("ranks %s"), ranks);
}

/* "5 (tp)", "default_pg" */
char *rc_group_text(const rn_hang_place *p, char *out, size_t n_out) {
    if (p->group[0] == '\0') {
        snprintf(out, n_out, "%s", _("? (no line names it)"));
    } else if (p->desc == NULL || strcmp(p->desc, p->group) == 0) {
        snprintf(out, n_out, "%s", p->group);
    } else {
        snprintf(out, n_out, "%s (%s)", p->group, p->desc);
    }
    return out;
}

/* "all_reduce of 20 Float at train.py:42"; rooted: "broadcast of 20 Float with root 2" */
static void size_call(const rn_hang_place *p, bool rooted, char out[LONGEST]) {
    char sized[LONGEST], whole[LONGEST];
    const long long n = (long long)(p->n_in > 0 ? p->n_in : p->n_out);
    if (p->dtype != NULL) {
        snprintf(sized, sizeof sized, _("%s of %lld %s"), p->call, n, p->dtype);
    } else if (n == 0) { /* not known */
        snprintf(sized, sizeof sized, "%s", p->call);
    } else {
        snprintf(sized, sizeof sized, _("%s of %lld"), p->call, n);
    }
    rooted = rooted && p->root >= 0;
    snprintf(whole, sizeof whole, rooted ? _("%.300s with root %d") : "%s", sized, (int)p->root);
    snprintf(out, LONGEST, p->where != NULL ? _("%.300s at %s") : "%s", whole, p->where);
}

/* Fills in the five marks of a place; NULL, or one without a call: there is none. */
static void put_place(const rn_hang_place *p, bool rooted, char text[OF_PLACE][LONGEST]) {
    for (int i = 0; i < OF_PLACE; i++) text[i][0] = '\0';
    if (p == NULL || p->call == NULL) return;
    snprintf(text[0], LONGEST, "%d", (int)p->rank);
    snprintf(text[1], LONGEST, p->where == NULL ? "%s" : _("%s at %s"), p->call, p->where);
    size_call(p, rooted, text[2]);
    snprintf(text[3], LONGEST, "%lld", (long long)p->seq);
    rc_group_text(p, text[4], LONGEST);
}

static const char *difference_text(rn_hang_difference difference) {
    switch (difference) {
    case RN_DIFFERS_OPERATION: return _("the operation");
    case RN_DIFFERS_TYPE: return _("the type");
    case RN_DIFFERS_SPLIT: return _("the split");
    case RN_DIFFERS_ROOT: return _("the root");
    case RN_DIFFERS_SIZE:
    case RN_DIFFERS_NOT: break;
    }
    return _("the size");
}

/* "log.txt:12", and the line's words: they come from outside. */
static void put_witness(const rn_evidence *e, char text[4][LONGEST]) {
    char words[LIST];
    for (int i = 0; i < 4; i++) text[i][0] = '\0';
    if (e == NULL) return;
    snprintf(text[0], LONGEST, "%.200s:%lld", e->file != NULL ? e->file : "", (long long)e->line);
    if (e->said != NULL) snprintf(text[1], LONGEST, "%s", rc_plain(e->said, true, words, LIST));
    snprintf(text[2], LONGEST, "%lld", (long long)e->seq);
    snprintf(text[3], LONGEST, "%d", (int)e->of);
}

static char *fill_in(const rn_hang *h, const rn_hang_place *place, const rn_hang_place *other,
                     const char *form, char out[RV_HANG_TEXT]) {
    const int64_t numbers[] = {h->n_culprits, h->n_agree, h->n_of, h->n_calls, h->last_seq};
    char text[N_MARKS][LONGEST];
    const char *values[N_MARKS];
    list_ranks(h, 0, h->n_culprits, text[0]);
    name_ranks(h, 0, h->n_came, text[1]);
    name_ranks(h, h->n_came, h->n_culprits, text[2]);
    list_ranks(h, h->n_strayed, h->n_culprits, text[3]);
    const bool rooted = h->difference == RN_DIFFERS_ROOT;
    put_place(place, rooted, text + PLACE);
    put_place(other, rooted, text + PLACE + OF_PLACE);
    for (int i = 0; i < 5; i++) {
        snprintf(text[PLACE + 2 * OF_PLACE + i], LONGEST, "%lld", (long long)numbers[i]);
    }
    snprintf(text[N_MARKS - 6], LONGEST, "%s", difference_text(h->difference));
    snprintf(text[N_MARKS - 5], LONGEST, "%.1f", 1e-6 * (double)h->late_ns);
    put_witness(h->witness, text + N_MARKS - 4);
    for (int i = 0; i < N_MARKS; i++) values[i] = text[i];
    rc_fill_in(form, letters, values, out, RV_HANG_TEXT);
    return out;
}

/* ------------------------------------------------------------------ the sentences */

/* Two calls in different order. */
static const char *crossed_form(const rn_hang *h) {
    if (h->verdict == RN_HANG_UNDECIDED) {
        return _(
            "undecided: rank @k launched @c (call @n of group @p) and @C (call @N of group @P) in another order than "
            "rank @K, but what came before is lost");
    }
    return h->has_others
               ? _("rank @k launched @c (call @n of group @p) before @C (call @N of group @P), @a of @o ranks the other way "
                   "round: each waits for the other")
               : _("rank @k launched @c (call @n of group @p) before @C (call @N of group @P), rank @K the other way round: "
                   "each waits for the other");
}

/* One rank that is odd, and one that waits for it; or the first two of a circle. */
static const char *circle_form(const rn_hang *h) {
    if (h->n_culprits < 2) {
        return _(
            "ranks wait for each other in a circle: rank @k went into @c (call @n of group @p), and rank @K waits for it "
            "in @C (call @N of group @P)");
    }
    if (h->lost) {
        return _(
            "undecided: @m ranks wait for each other in a circle, rank @k in @c (call @n of group @p) for rank @K in @C "
            "(call @N of group @P); but dumps have lost earlier calls, of which one may not be over");
    }
    return h->knotted
               ? _("undecided: ranks have no dump, but @m others wait for each other in a circle: rank @k is in @c (call @n "
                   "of group @p) and waits for rank @K, which is in @C (call @N of group @P)")
               : _("@m ranks wait for each other in a circle: rank @k is in @c (call @n of group @p) and waits for rank @K, "
                   "which is in @C (call @N of group @P)");
}

/* Who is waited for, and silent. */
static const char *silent_form(const rn_hang *h) {
    const int n = h->n_culprits;
    if (h->doubt == RN_DOUBT_UNNAMED) {
        return ngettext(
            "rank @r shows no open call, and the other @a do; group @p lacks a member in @c, call @n",
            "ranks @r show no open call, and the other @a do; group @p lacks members in @c, call @n",
            n);
    }
    if (h->spoke) {
        return ngettext(
            "rank @r is not seen in @c, call @n of group @p, and is waited for there",
            "ranks @r are not seen in @c, call @n of group @p, and are waited for there", n);
    }
    return h->rough
               ? ngettext(
                     "no line shows a call of rank @r, which is waited for in @c, call @n of group @p",
                     "no line shows a call of ranks @r, which are waited for in @c, call @n of group @p",
                     n)
               : ngettext("rank @r has no dump, and is waited for in @c, call @n of group @p",
                          "ranks @r have no dump, and are waited for in @c, call @n of group @p",
                          n);
}

/* What is short without any call that stands out. */
static const char *plain_doubt_form(rn_hang_doubt doubt) {
    switch (doubt) {
    case RN_DOUBT_NO_CALL: return _("undecided: there is no call in what was given");
    case RN_DOUBT_LAUNCHES:
        return _(
            "undecided: no call is seen to be open, but logs and reports of NCCL tell which calls began, not which "
            "ended: dumps of the flight recorder would");
    case RN_DOUBT_LOST:
        return _(
            "undecided: every call that is kept in the dumps is over, but earlier ones are lost: one of them is not over, "
            "or sends and recvs do not meet; a larger TORCH_FR_BUFFER_SIZE keeps more");
    case RN_DOUBT_PART:
        return _(
            "undecided: every call that is in the dumps is over, but not all ranks have a whole dump: collect the others");
    case RN_DOUBT_SOURCES:
        return _(
            "undecided: of some ranks there are dumps, of others lines, and nothing tells whether they made the same calls: "
            "collect one kind of all ranks");
    default: return _("undecided: ranks wait, and no dump says for what");
    }
}

/* A call in which ranks stand, and why it is not the whole answer. */
static const char *doubt_form(const rn_hang *h) {
    const int n = h->n_culprits;
    if (n == 0) return plain_doubt_form(h->doubt);
    switch (h->doubt) {
    case RN_DOUBT_PART:
        return ngettext(
            "undecided: only a part of the job is here, and nothing of rank @r, which is waited for in @C, call @N "
            "of group @p: collect the others first",
            "undecided: only a part of the job is here, and nothing of ranks @r, which are waited for in @C, call "
            "@N of group @p: collect the others first",
            n);
    case RN_DOUBT_SIZE:
        return ngettext(
            "undecided: rank @r is in @c, call @n of group @p, and no line says whether there are more ranks, "
            "which have not come",
            "undecided: ranks @r are in @c, call @n of group @p, and no line says whether there are more ranks, "
            "which have not come",
            n);
    case RN_DOUBT_OTHERS:
        return ngettext(
            "undecided: rank @r is in @c, call @n of group @p, and what the others called no line says",
            "undecided: ranks @r are in @c, call @n of group @p, and what the others called no line says",
            n);
    case RN_DOUBT_PASSED:
        return _(
            "undecided: of ranks @r some have ended @c, call @n of group @p, in which the others still are: what they "
            "called differs, and nobody tells who is right");
    case RN_DOUBT_ROOTS:
        return ngettext(
            "undecided: rank @r is waited for and waits for nobody, in @c, call @n of group @p; what came before "
            "may be lost: look at its process and its GPU",
            "undecided: ranks @r are waited for and wait for nobody, the first in @c, call @n of group @p: look "
            "at their processes and GPUs",
            n);
    default:
        return ngettext(
            "undecided: rank @r is in @c, number @n of group @p, and waits for ranks that no line names: a dump "
            "of the flight recorder would",
            "undecided: ranks @r are in @c, number @n of group @p, and wait for ranks that no line names: a dump "
            "of the flight recorder would",
            n);
    }
}

/* It may be that the first candidate strayed, or that the silence of others explains all. */
static const char *strayed_form(const rn_hang *h) {
    const int n_gone = h->n_culprits - h->n_strayed;
    return h->has_others
               ? ngettext(
                     "undecided: rank @k did not come to @c, call @n of group @p, as others did after the same calls; but "
                     "it waits for rank @g, which has no dump",
                     "undecided: rank @k did not come to @c, call @n of group @p, as others did after the same calls; but "
                     "it waits for ranks @g, which have no dump",
                     n_gone)
               : ngettext(
                     "undecided: rank @k went into @c, call @n of group @p, where others made another call after the same "
                     "calls; but it waits for rank @g, which has no dump",
                     "undecided: rank @k went into @c, call @n of group @p, where others made another call after the same "
                     "calls; but it waits for ranks @g, which have no dump",
                     n_gone);
}

/* Whose dump cannot be read is waited for, in the others' call. */
static const char *unread_form(const rn_hang *h) {
    return h->in_file
               ? ngettext(
                     "undecided: rank @r is waited for in @C, call @N of group @P, and its dump cannot be read",
                     "undecided: ranks @r are waited for in @C, call @N of group @P, and not all of their dumps can be "
                     "read",
                     h->n_culprits)
               : ngettext(
                     "undecided: rank @r is waited for in @C, call @N of group @P, and its dump may be in the part of an "
                     "archive that is missing",
                     "undecided: ranks @r are waited for in @C, call @N of group @P, and their dumps may be in the part "
                     "of an archive that is missing",
                     h->n_culprits);
}

static const char *undecided_form(const rn_hang *h) {
    if (h->difference == RN_DIFFERS_SPLIT && h->n_culprits > 0) {
        return _(
            "undecided: in @c, call @n of group @p, more is sent than received, or less: a split is wrong, and nobody "
            "tells whose");
    }
    if (h->n_waits == 0 && h->n_culprits == 0) {
        return _("undecided: every dump ends too early to show who waits");
    }
    if (h->unread) return unread_form(h);
    if (h->n_strayed > 0) return strayed_form(h);
    if (h->knotted) return circle_form(h);
    if (h->n_culprits < 2) return _("undecided: ranks wait, and no dump says for what");
    if (h->lost) {
        return _(
            "undecided: @m ranks are in the same call, @c, number @n of group @p; but dumps have lost earlier calls, of "
            "which one may not be over, or be another on other ranks");
    }
    return h->later
               ? _("@w called @c, call @n of group @p, and @v did not: one too many there, or one too few here")
               : _("ranks @k and @K disagree in group @p: rank @k called @z (number @n), rank @K called @Z (number @N); "
                   "nobody else tells who is right");
}

/* Ranks whose calls differ from most ranks' calls. */
static const char *edit_form(const rn_hang *h) {
    const int n = h->n_culprits;
    const bool many = /* those of a coalesced group have one number */
        h->n_calls > 1 && h->last_seq > h->culprits[0].seq;
    switch (h->verdict) {
    case RN_HANG_MISSING_CALL:
        return many
                   ? ngettext(
                         "rank @r left out @x calls, from @c on, calls @n to @l of group @p; @a of its @o ranks made them",
                         "ranks @r left out @x calls, from @c on, calls @n to @l of group @p; @a of its @o ranks made them",
                         n)
                   : ngettext(
                         "rank @r left out @c, call @n of group @p; @a of its @o ranks made it",
                         "ranks @r left out @c, call @n of group @p; @a of its @o ranks made it",
                         n);
    case RN_HANG_EXTRA_CALL:
        return many
                   ? ngettext(
                         "rank @r made @x calls too many, from @c on, its calls @n to @l of group @p; @a of its @o ranks "
                         "did not",
                         "ranks @r made @x calls too many, from @c on, their calls @n to @l of group @p; @a of its @o "
                         "ranks did not",
                         n)
                   : ngettext(
                         "rank @r made one call too many: @c, its call @n of group @p; @a of its @o ranks did not",
                         "ranks @r made one call too many: @c, their call @n of group @p; @a of its @o ranks did not",
                         n);
    case RN_HANG_SWAPPED:
        return ngettext(
            "rank @r made calls in another order: its call @n of group @p is @c, that of @a of @o ranks @C",
            "ranks @r made calls in another order: their call @n of group @p is @c, that of @a of @o ranks @C",
            n);
    case RN_HANG_WRONG_RESULTS:
        return ngettext(
            "nothing hangs, but results are wrong: rank @r differs in @d: its call @n of group @p is @z, that of "
            "@a of @o ranks @Z",
            "nothing hangs, but results are wrong: ranks @r differ in @d: their call @n of group @p is @z, that "
            "of @a of @o ranks @Z",
            n);
    default:
        return ngettext(
            "rank @r differs in @d: its call @n of group @p is @z, that of @a of @o ranks @Z",
            "ranks @r differ in @d: their call @n of group @p is @z, that of @a of @o ranks @Z", n);
    }
}

/* Calls behind the last common one: who has not come, or came alone. */
static const char *later_form(const rn_hang *h) {
    return h->verdict == RN_HANG_EXTRA_CALL
               ? ngettext(
                     "rank @r made one call too many: @c, call @n of group @p; the others do not come to it",
                     "ranks @r made one call too many: @c, call @n of group @p; the others do not come to it",
                     h->n_culprits)
               : ngettext("rank @r has not come to @c, call @n of group @p, and is waited for",
                          "ranks @r have not come to @c, call @n of group @p, and are waited for",
                          h->n_culprits);
}

/* Nobody is missing. */
static const char *stuck_form(const rn_hang *h) {
    if (h->doubt == RN_DOUBT_PASSED) {
        return ngettext(
            "rank @r is still in @c, number @n of group @p, which @a of its @o ranks have ended: look at its "
            "process, its GPU and their Xid errors",
            "ranks @r are still in @c, number @n of group @p, which @a of its @o ranks have ended: look at their "
            "processes, their GPUs and Xid errors",
            h->n_culprits);
    }
    if (h->n_culprits == 1) {
        return _(
            "rank @k is in @c, number @n of group @p, waits for nobody, and it does not end: look at the network, the "
            "GPUs and their Xid errors");
    }
    if (h->n_culprits < h->n_of) {
        return _(
            "@m of @o ranks are in the same call, @c, number @n of group @p, and it does not end: what the others called "
            "may differ, or look at the network, the GPUs and their Xid errors");
    }
    return h->rough
               ? _("all @m ranks of which lines tell are in the same call, @c, number @n of group @p, and it does not "
                   "end: if there are no others, look at the network, the GPUs and their Xid errors")
               : _("all @m ranks are in the same call, @c, number @n of group @p, and it does not end: look at the "
                   "network, the GPUs and their Xid errors");
}

/* Nothing hangs: who holds up the others. */
static char *slow_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    char more[RV_HANG_TEXT];
    fill_in(
        h, &h->culprits[0], NULL,
        _("no hang, but slow: rank @k comes last to @a of @o calls of group @p, by @t ms on average, and the others wait; "
          "most of all in @c, call @n"),
        out);
    if (h->n_culprits < 2) return out;
    fill_in(h, NULL, NULL, _("; late in their groups are ranks @r"), more);
    strncat(out, more, RV_HANG_TEXT - 1 - strlen(out));
    return out;
}

/* What a line of a log says itself. */
static const char *witness_form(const rn_hang *h) {
    const rn_evidence *e = h->witness;
    const int n = h->n_culprits;
    switch (e->proof) {
    case RN_PROOF_DIED:
        if (n == 0) return _("a process ended by @q (@f), and no line says whose it was");
        if (h->n_waits == 0)
            return ngettext("rank @r failed by itself: @q (@f)",
                            "ranks @r failed by themselves, the first with: @q (@f)", n);
        return ngettext(
            "rank @r failed by itself before others waited for it: @q (@f)",
            "ranks @r failed by themselves before others waited for them, the first with: @q (@f)",
            n);
    case RN_PROOF_ABSENT:
        if (e->call == NULL)
            return ngettext(
                "rank @r never came to any call, as the log itself says (@f): look at its process",
                "ranks @r never came to any call, as the log itself says (@f): look at their processes",
                n);
        return e->seq >= 0
                   ? ngettext("rank @r did not come to @c, number @n, as the log itself says (@f)",
                              "ranks @r did not come to @c, number @n, as the log itself says (@f)",
                              n)
                   : ngettext("rank @r did not come to @c, as the log itself says (@f)",
                              "ranks @r did not come to @c, as the log itself says (@f)", n);
    case RN_PROOF_DIFFERS:
        return h->has_others
                   ? ngettext(
                         "rank @r called @z (number @n) where @a of @o ranks called @Z (number @N): the log says so (@f)",
                         "ranks @r called otherwise, the first @z (number @n), where @a of @o ranks called @Z (number @N): the log says so (@f)",
                         n)
                   : _("ranks @k and @K disagree: rank @k called @z (number @n), rank @K called @Z (number @N) (@f); nobody else tells who is right");
    case RN_PROOF_BEHIND:
        return ngettext("rank @r is still in @c, number @n, as the log itself says (@f)",
                        "ranks @r are still in @c, number @n, as the log itself says (@f)", n);
    case RN_PROOF_NO_GRAD:
        return ngettext(
            "rank @r got no gradient for parameters @q (@f): it stops there, and others wait for it; "
            "find_unused_parameters=True, or let all outputs count in the loss",
            "ranks @r got no gradient for some parameters (@f: @q): they stop there, and others wait for "
            "them; find_unused_parameters=True, or let all outputs count in the loss",
            n);
    case RN_PROOF_STACK:
        return n > 0
                   ? ngettext(
                         "rank @r is at @z, where most of @i processes are not (@f)",
                         "ranks @r are elsewhere in the program than most of @i processes, the first at @z (@f)",
                         n)
                   : _("process @q is elsewhere in the program than most of @i (@f)");
    case RN_PROOF_UNSTARTED:
        return ngettext(
            "rank @r began to start its communicator of @i ranks and did not end (@f): look at its process "
            "and its network",
            "ranks @r began to start their communicator of @i ranks and did not end (the first: @f): look at "
            "their processes and their network",
            n);
    case RN_PROOF_STUCK:
        return n > 0
                   ? ngettext(
                         "the process of rank @r holds up its own watchdog (@f): look at its stack, for a lock or a call of CUDA",
                         "the processes of ranks @r hold up their own watchdogs (the first: @f): look at their stacks, for a "
                         "lock or a call of CUDA",
                         n)
                   : _("a process holds up its own watchdog (@f): look at its stack, for a lock or a call of CUDA");
    case RN_PROOF_NEAR:
        return _(
            "calls differ, at or around ranks @r (@f): the flight recorder's dumps, or NCCL_DEBUG_SUBSYS=INIT,COLL of "
            "all ranks, would tell which");
    case RN_PROOF_LAUNCHED:
        if (e->calls[0].call == NULL || e->calls[1].call == NULL)
            return _(
                "process @q and others do not launch the same calls (@f): NCCL_DEBUG_SUBSYS=INIT,COLL would tell "
                "which ranks they are");
        return _("process @q launched @Z where @h of @i processes launched @z (@f)");
    case RN_PROOF_UNNAMED:
        return _(
            "calls of @h of @i processes are here, and no line says which ranks they are (@f): set "
            "NCCL_DEBUG_SUBSYS=INIT,COLL and collect all");
    case RN_PROOF_LEFT:
        return n > 0
                   ? _("rank @r was the first to end, as its launcher says (@f: @q): what it printed says why")
                   : _("a process ended by @q (@f), and no line says whose it was");
    case RN_PROOF_FEW:
        if (e->of == 0) break;
        if (n > 0)
            return ngettext(
                "rank @r did not begin its communicator, and @h of @i did (@f): look at its process",
                "ranks @r did not begin their communicator, and @h of @i did (@f): look at their processes",
                n);
        if (e->call != NULL)
            return _(
                "only @h of @i threads came to a rendezvous of XLA (@f): look at the processes and GPUs of the others");
        return _(
            "only @h of @i came to the start (@f): look at the processes that did not begin, or cannot reach the "
            "first one");
    case RN_PROOF_LINK:
        return _("a connection broke (@f: @q): look at the process or the link at its other end");
    case RN_PROOF_TIMEOUT:
        return _("a wait was given up (@f: @q): who waits is no cause, and no line says for whom");
    case RN_PROOF_ENDED:
        return _("the job was ended from outside (@f: @q), and no open call could be read");
    default: break;
    }
    if (e->said != NULL) return _("@f says: @q; no open call could be read");
    return _("a communicator's start did not end (@f), and no open call could be read");
}

static char *witness_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_evidence *e = h->witness;
    const rn_hang_place *place = h->n_culprits > 0 ? h->culprits : NULL, *other = NULL;
    char text[RV_HANG_TEXT];
    if (e->proof == RN_PROOF_DIFFERS) other = h->has_others ? &h->others : &h->culprits[1];
    if (e->proof == RN_PROOF_LAUNCHED) {
        place = &e->calls[1];
        other = &e->calls[0];
    }
    fill_in(h, place, other, witness_form(h), text);
    snprintf(out, RV_HANG_TEXT, h->verdict == RN_HANG_UNDECIDED ? _("undecided: %s") : "%s", text);
    return out;
}

static char *sentence(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *place = h->n_culprits > 0 ? &h->culprits[0] : NULL;
    const rn_hang_place *second = h->n_culprits > 1 ? &h->culprits[1] : &h->others;
    const char *form = _("undecided: ranks wait, and no dump says for what");
    if (h->verdict == RN_HANG_NONE) {
        form = _("no hang: every call that is in the dumps is over");
    } else if (h->witness != NULL) {
        return witness_text(h, out);
    } else if (h->crossed) {
        return fill_in(h, place, h->has_others ? &h->others : second, crossed_form(h), out);
    } else if (h->doubt != RN_DOUBT_NONE && h->verdict == RN_HANG_UNDECIDED) {
        form = doubt_form(h);
    } else if (h->verdict == RN_HANG_UNDECIDED) {
        return fill_in(h, place, h->unread ? &h->others : second, undecided_form(h), out);
    } else if (h->verdict == RN_HANG_CYCLE && place != NULL) {
        return fill_in(h, place, second, circle_form(h), out);
    } else if (h->verdict == RN_HANG_SILENT_RANK && place != NULL) {
        return fill_in(h, &h->others, NULL, silent_form(h), out);
    } else if (h->verdict == RN_HANG_SLOW && place != NULL) {
        return slow_text(h, out);
    } else if (h->verdict == RN_HANG_STUCK_INSIDE && place != NULL) {
        form = stuck_form(h);
    } else if (place != NULL) {
        form = h->later ? later_form(h) : edit_form(h);
    }
    return fill_in(h, place, &h->others, form, out);
}

char *rc_hang_sentence(const rn_hang *h, char out[RV_HANG_TEXT]) {
    char before[RV_HANG_TEXT];
    const rn_evidence *anew = NULL; /* an attempt that tells of nothing */
    rn_hang said = *h;
    said.n_culprits += h->n_waiters; /* it speaks of either */
    for (int32_t i = 0; i < h->n_evidence; i++) {
        if (h->evidence[i].proof == RN_PROOF_RESTART && h->evidence[i].ended)
            anew = &h->evidence[i];
    }
    if (anew == NULL) return sentence(&said, out);
    snprintf(out, RV_HANG_TEXT,
             _("started anew (%.200s:%lld), the job tells of no hang; the attempt before: %.3000s"),
             anew->file != NULL ? anew->file : "", (long long)anew->line, sentence(&said, before));
    return out;
}
