/* hang_doubts.c: silence, and what the evidence is not enough for, each in one sentence that says what would be. */
#include "hang/hang_pieces.h"

#include <string.h>

enum { NAME = RC_HANG_NAME };

void rc_silent_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    char ranks[RC_HANG_LIST], call[RC_HANG_CALL], group[2 * NAME + 8];
    rc_hang_ranks(h, ranks);
    if (h->doubt == RN_DOUBT_UNNAMED) {
        snprintf(
            out, RV_HANG_TEXT,
            ngettext(
                "rank %s shows no open call, and the other %d do; group %s lacks a member in %s, call %lld",
                "ranks %s show no open call, and the other %d do; group %s lacks members in %s, call %lld",
                h->n_culprits),
            ranks, (int)h->n_agree, rc_group_text(&h->others, group, sizeof group),
            rc_hang_call(&h->others, call), (long long)h->others.seq);
        return;
    }
    snprintf(
        out, RV_HANG_TEXT,
        h->spoke
            ? ngettext(
                  "rank %s is not seen in %s, call %lld of group %s, and is waited for there",
                  "ranks %s are not seen in %s, call %lld of group %s, and are waited for there",
                  h->n_culprits)
        : h->rough
            ? ngettext(
                  "no line tells of rank %s, which is waited for in %s, call %lld of group %s",
                  "no line tells of ranks %s, which are waited for in %s, call %lld of group %s",
                  h->n_culprits)
            : ngettext("rank %s has no dump, and is waited for in %s, call %lld of group %s",
                       "ranks %s have no dump, and are waited for in %s, call %lld of group %s",
                       h->n_culprits),
        ranks, rc_hang_call(&h->others, call), (long long)h->others.seq,
        rc_group_text(&h->others, group, sizeof group));
}

/* What is short without any call that stands out. */
static const char *plain_doubt(rn_hang_doubt doubt) {
    switch (doubt) {
    case RN_DOUBT_NO_CALL: return _("undecided: there is no call in what was given");
    case RN_DOUBT_LAUNCHES:
        return _(
            "undecided: no call is seen to be open, but logs and reports of NCCL tell which calls began, not which "
            "ended: dumps of the flight recorder would");
    case RN_DOUBT_PART:
        return _(
            "undecided: every call that is in the dumps is over, but not all ranks have a whole dump: collect the others");
    default: return _("undecided: ranks wait, and no dump says for what");
    }
}

/* A call in which ranks stand, and why it is not the whole answer. */
static void call_doubt(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const rn_hang_place *c = &h->culprits[0];
    char ranks[RC_HANG_LIST], call[RC_HANG_CALL], group[2 * NAME + 8];
    const bool absent = h->doubt == RN_DOUBT_PART;
    rc_hang_ranks(h, ranks);
    rc_hang_call(absent ? &h->others : c, call);
    rc_group_text(c, group, sizeof group);
    const long long seq = (long long)(absent ? h->others.seq : c->seq);
    const int n = h->n_culprits;
    snprintf(
        out, RV_HANG_TEXT,
        h->doubt == RN_DOUBT_PART
            ? ngettext(
                  "undecided: only a part of the job is here, and nothing of rank %s, which is waited for in %s, call %lld of group %s: collect the others first",
                  "undecided: only a part of the job is here, and nothing of ranks %s, which are waited for in %s, call %lld of group %s: collect the others first",
                  n)
        : h->doubt == RN_DOUBT_SIZE
            ? ngettext(
                  "undecided: rank %s is in %s, call %lld of group %s, and no line says whether there are more ranks, "
                  "which have not come",
                  "undecided: ranks %s are in %s, call %lld of group %s, and no line says whether there are more ranks, "
                  "which have not come",
                  n)
        : h->doubt == RN_DOUBT_OTHERS
            ? ngettext(
                  "undecided: rank %s is in %s, call %lld of group %s, and what the others called no line says",
                  "undecided: ranks %s are in %s, call %lld of group %s, and what the others called no line says",
                  n)
        : h->doubt == RN_DOUBT_PASSED
            ? _("undecided: of ranks %s some have ended %s, call %lld of group %s, in which the others still are: what they called differs, and nobody tells who is right")
        : h->doubt == RN_DOUBT_ROOTS
            ? ngettext(
                  "undecided: rank %s is waited for and waits for nobody, in %s, call %lld of group %s; what came before "
                  "may be lost: look at its process and its GPU",
                  "undecided: ranks %s are waited for and wait for nobody, the first in %s, call %lld of group %s: look "
                  "at their processes and GPUs",
                  n)
            : ngettext(
                  "undecided: rank %s is in %s, number %lld of group %s, and waits for ranks that no line names: a dump "
                  "of the flight recorder would",
                  "undecided: ranks %s are in %s, number %lld of group %s, and wait for ranks that no line names: a dump "
                  "of the flight recorder would",
                  n),
        ranks, call, seq, group);
}

void rc_doubt_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    if (h->doubt == RN_DOUBT_TROUBLE) {
        snprintf(
            out, RV_HANG_TEXT,
            _("undecided: %.200s tells of a timeout, an abort, a mismatch or a start that did not end, and no open call "
              "could be read"),
            h->trouble);
    } else if (h->n_culprits == 0) {
        snprintf(out, RV_HANG_TEXT, "%s", plain_doubt(h->doubt));
    } else {
        call_doubt(h, out);
    }
}
