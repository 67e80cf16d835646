/* hang_words.c: a hang's verdict in one sentence: which rank, at which call of which group, from which line; silence, and
 * what the evidence is not enough for, with what would be.
 *
 * A sentence is a form whose marks stand for what was found; of {rank|ranks} the second is taken where there are several
 * culprits, without those that strayed:
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
    const char *call = rv_call_name(p->call);
    const long long n = (long long)(p->n_in > 0 ? p->n_in : p->n_out);
    if (p->dtype != NULL) {
        snprintf(sized, sizeof sized, _("%s of %lld %s"), call, n, p->dtype);
    } else if (n == 0) { /* not known */
        snprintf(sized, sizeof sized, "%s", call);
    } else {
        snprintf(sized, sizeof sized, _("%s of %lld"), call, n);
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
    snprintf(text[1], LONGEST, p->where == NULL ? "%s" : _("%s at %s"), rv_call_name(p->call),
             p->where);
    size_call(p, rooted, text[2]);
    snprintf(text[3], LONGEST, "%lld", (long long)p->seq);
    rc_group_text(p, text[4], LONGEST);
}

static const char *difference_text(rn_hang_difference difference) {
    static const char *const texts[] = {
        [RN_DIFFERS_NOT] = N_("the size"),    [RN_DIFFERS_OPERATION] = N_("the operation"),
        [RN_DIFFERS_TYPE] = N_("the type"),   [RN_DIFFERS_SIZE] = N_("the size"),
        [RN_DIFFERS_SPLIT] = N_("the split"), [RN_DIFFERS_ROOT] = N_("the root")};
    return _(texts[difference]);
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

/* Takes the one or the other of "{rank|ranks}". */
static void choose_number(const char *form, bool several, char out[RV_HANG_TEXT]) {
    bool skips = false;
    size_t n = 0;
    for (; *form != '\0' && n + 1 < RV_HANG_TEXT; form++) {
        if (*form == '{') {
            skips = several;
        } else if (*form == '|') {
            skips = !skips;
        } else if (*form == '}') {
            skips = false;
        } else if (!skips) {
            out[n++] = *form;
        }
    }
    out[n] = '\0';
}

static char *fill_in(const rn_hang *h, const rn_hang_place *place, const rn_hang_place *other,
                     const char *form, char out[RV_HANG_TEXT]) {
    const int64_t numbers[] = {h->n_culprits, h->n_agree, h->n_of, h->n_calls, h->last_seq};
    char text[N_MARKS][LONGEST];
    char chosen[RV_HANG_TEXT];
    const char *values[N_MARKS];
    choose_number(_(form), h->n_culprits - h->n_strayed != 1, chosen);
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
    rc_fill_in(chosen, letters, values, out, RV_HANG_TEXT);
    return out;
}

/* ------------------------------------------------------------------ the sentences */

static const char no_word[] = N_("ranks wait, and no dump says for what");

/* Two calls in different order. */
static const char *crossed_form(const rn_hang *h) {
    if (h->verdict == RN_HANG_UNDECIDED)
        return N_(
            "rank @k launched @c (call @n of group @p) and @C (call @N of group @P) in another order than "
            "rank @K, but what came before is lost");
    return h->has_others
               ? N_("rank @k launched @c (call @n of group @p) before @C (call @N of group @P), @a of @o ranks the other way "
                    "round: each waits for the other")
               : N_("rank @k launched @c (call @n of group @p) before @C (call @N of group @P), rank @K the other way round: "
                    "each waits for the other");
}

/* One rank that is odd, and one that waits for it; or the first two of a circle. */
static const char *circle_form(const rn_hang *h) {
    if (h->n_culprits < 2)
        return N_(
            "ranks wait for each other in a circle: rank @k went into @c (call @n of group @p), and rank @K waits for it "
            "in @C (call @N of group @P)");
    if (h->lost)
        return N_(
            "@m ranks wait for each other in a circle, rank @k in @c (call @n of group @p) for rank @K in @C "
            "(call @N of group @P); but dumps have lost earlier calls, of which one may not be over");
    return h->knotted
               ? N_("ranks have no dump, but @m others wait for each other in a circle: rank @k is in @c (call @n "
                    "of group @p) and waits for rank @K, which is in @C (call @N of group @P)")
               : N_("@m ranks wait for each other in a circle: rank @k is in @c (call @n of group @p) and waits for rank @K, "
                    "which is in @C (call @N of group @P)");
}

/* Who is waited for, and silent. */
static const char *silent_form(const rn_hang *h) {
    if (h->doubt == RN_DOUBT_UNNAMED)
        return N_(
            "{rank|ranks} @r {shows|show} no open call, and the other @a do; group @p lacks {a member|members} in @c, call @n");
    if (h->spoke)
        return N_(
            "{rank|ranks} @r {is|are} not seen in @c, call @n of group @p, and {is|are} waited for there");
    return h->rough
               ? N_("no line shows a call of {rank|ranks} @r, which {is|are} waited for in @c, call @n of group @p")
               : N_("{rank|ranks} @r {has|have} no dump, and {is|are} waited for in @c, call @n of group @p");
}

/* What is short: without any call that stands out, and where ranks stand in one. */
static const char *doubt_form(const rn_hang *h) {
    static const char *const forms[][2] = {
        [RN_DOUBT_NO_CALL] = {N_("there is no call in what was given")},
        [RN_DOUBT_LAUNCHES] =
            {N_("no call is seen to be open, but logs and reports of NCCL tell which calls began, not which ended: "
                "dumps of the flight recorder would"),
             N_("{rank|ranks} @r {is|are} ahead, in @c, call @n of group @p, and a job that runs looks so, too: ask "
                "for the report again; where no count grows it hangs")},
        [RN_DOUBT_LOST] = {N_(
            "every call that is kept in the dumps is over, but earlier ones are lost: one of them is not over, "
            "or sends and recvs do not meet; a larger TORCH_FR_BUFFER_SIZE keeps more")},
        [RN_DOUBT_PART] =
            {N_("every call that is in the dumps is over, but not all ranks have a whole dump: collect the others"),
             N_("only a part of the job is here, and nothing of {rank|ranks} @r, which {is|are} waited for in @C, "
                "call @N of group @p: collect the others first")},
        [RN_DOUBT_SIZE] =
            {NULL,
             N_("{rank|ranks} @r {is|are} in @c, call @n of group @p, and no line says whether there are more ranks, "
                "which have not come")},
        [RN_DOUBT_OTHERS] =
            {NULL,
             N_("{rank|ranks} @r {is|are} in @c, call @n of group @p, and what the others called no line says")},
        [RN_DOUBT_PASSED] =
            {NULL,
             N_("@w still stood in @c, call @n of group @p, when it was over for @v: what they called differs, "
                "and nobody tells who is right")},
        [RN_DOUBT_LEFT] =
            {NULL,
             N_("@w still stood in @c, call @n of group @p, which @v had left: such a call may end on some ranks before others "
                "have their data")},
        [RN_DOUBT_ROOTS] =
            {NULL,
             N_("{rank|ranks} @r {is|are} waited for and {waits|wait} for nobody, {in|the first in} @c, call @n of "
                "group @p{; what came before may be lost|}: look at {its process and its GPU|their processes and GPUs}")},
        [RN_DOUBT_SOURCES] = {N_(
            "of some ranks there are dumps, of others lines, and nothing tells whether they made the same calls: "
            "collect one kind of all ranks")}};
    const char *form = forms[h->doubt][h->n_culprits > 0];
    if (form == NULL && h->n_culprits > 0)
        return N_(
            "{rank|ranks} @r {is|are} in @c, number @n of group @p, and {waits|wait} for ranks that no line names: a "
            "dump of the flight recorder would");
    return form != NULL ? form : no_word;
}

/* It may be that the first candidate strayed, or that the silence of others explains all. */
static const char *strayed_form(const rn_hang *h) {
    return h->has_others
               ? N_("rank @k did not come to @c, call @n of group @p, as others did after the same calls; but it "
                    "waits for {rank|ranks} @g, which {has|have} no dump")
               : N_("rank @k went into @c, call @n of group @p, where others made another call after the same "
                    "calls; but it waits for {rank|ranks} @g, which {has|have} no dump");
}

/* Whose dump cannot be read is waited for, in the others' call. */
static const char *unread_form(const rn_hang *h) {
    if (h->unsaid)
        return N_(
            "{rank|ranks} @r {is|are} waited for in @C, call @N of group @P, and the lines that would tell {its "
            "call|their calls} are cut, or left out");
    return h->in_file
               ? N_("{rank|ranks} @r {is|are} waited for in @C, call @N of group @P, and {its dump cannot|not all of "
                    "their dumps can} be read")
               : N_("{rank|ranks} @r {is|are} waited for in @C, call @N of group @P, and {its dump|their dumps} may "
                    "be in the part of an archive that is missing");
}

static const char *undecided_form(const rn_hang *h) {
    if (h->difference == RN_DIFFERS_SPLIT && h->n_culprits > 0)
        return N_(
            "in @c, call @n of group @p, more is sent than received, or less: a split is wrong, and nobody "
            "tells whose");
    if (h->n_waits == 0 && h->n_culprits == 0)
        return N_("no call is seen to be open: what is here ends too early to show who waits");
    if (h->unread) return unread_form(h);
    if (h->n_strayed > 0) return strayed_form(h);
    if (h->knotted) return circle_form(h);
    if (h->n_culprits < 2) return no_word;
    if (h->lost)
        return N_(
            "@m ranks are in the same call, @c, number @n of group @p; but dumps have lost earlier calls, of "
            "which one may not be over, or be another on other ranks");
    return h->later
               ? N_("@w called @c, call @n of group @p, and @v did not: one too many there, or one too few here")
               : N_("ranks @k and @K disagree in group @p: rank @k called @z (number @n), rank @K called @Z (number @N); "
                    "nobody else tells who is right");
}

/* Ranks whose calls differ from most ranks' calls: one call, or several one behind the other. */
static const char *edit_form(const rn_hang *h) {
    static const char *const forms[RN_N_HANG_VERDICTS][2] = {
        [RN_HANG_MISSING_CALL] =
            {N_("{rank|ranks} @r left out @c, call @n of group @p; @a of its @o ranks made it"),
             N_("{rank|ranks} @r left out @x calls, from @c on, calls @n to @l of group @p; @a of its @o ranks made them")},
        [RN_HANG_EXTRA_CALL] =
            {N_("{rank|ranks} @r made one call too many: @c, {its|their} call @n of group @p; @a of its @o ranks did not"),
             N_("{rank|ranks} @r made @x calls too many, from @c on, {its|their} calls @n to @l of group @p; @a of its @o ranks "
                "did not")},
        [RN_HANG_SWAPPED] = {N_(
            "{rank|ranks} @r made calls in another order: {its|their} call @n of group @p is @c, that of @a of @o ranks "
            "@C")},
        [RN_HANG_MISMATCH] = {N_(
            "{rank|ranks} @r {differs|differ} in @d: {its|their} call @n of group @p is @z, that of @a of @o ranks @Z")},
        [RN_HANG_WRONG_RESULTS] = {N_(
            "nothing hangs, but results are wrong: {rank|ranks} @r {differs|differ} in @d: {its|their} call @n of group @p "
            "is @z, that of @a of @o ranks @Z")}};
    const char *const *form = forms[h->verdict];
    const bool many = /* those of a coalesced group have one number */
        h->n_calls > 1 && h->last_seq > h->culprits[0].seq && form[1] != NULL;
    return form[many];
}

/* Calls behind the last common one: who has not come, or came alone. */
static const char *later_form(const rn_hang *h) {
    return h->verdict == RN_HANG_EXTRA_CALL
               ? N_("{rank|ranks} @r made one call too many: @c, call @n of group @p; the others do not come to it")
               : N_("{rank|ranks} @r {has|have} not come to @c, call @n of group @p, and {is|are} waited for");
}

/* Nobody is missing. */
static const char *stuck_form(const rn_hang *h) {
    if (h->doubt == RN_DOUBT_PASSED)
        return N_(
            "{rank|ranks} @r {is|are} still in @c, number @n of group @p, which @a of its @o ranks have ended: look at "
            "{its process, its GPU and their|their processes, their GPUs and} Xid errors");
    if (h->n_culprits == 1)
        return N_(
            "rank @k is in @c, number @n of group @p, waits for nobody, and it does not end: look at the network, the "
            "GPUs and their Xid errors");
    if (h->n_culprits < h->n_of)
        return N_(
            "@m of @o ranks are in the same call, @c, number @n of group @p, and it does not end: what the others called "
            "may differ, or look at the network, the GPUs and their Xid errors");
    return h->rough
               ? N_("all @m ranks of which lines tell are in the same call, @c, number @n of group @p, and it does not "
                    "end: if there are no others, look at the network, the GPUs and their Xid errors")
               : N_("all @m ranks are in the same call, @c, number @n of group @p, and it does not end: look at the "
                    "network, the GPUs and their Xid errors");
}

/* Nothing hangs: who holds up the others. */
static char *slow_text(const rn_hang *h, char out[RV_HANG_TEXT]) {
    char more[RV_HANG_TEXT];
    fill_in(
        h, &h->culprits[0], NULL,
        N_("no hang, but slow: rank @k comes last to @a of @o calls of group @p, by @t ms on average, and the others wait; "
           "most of all in @c, call @n"),
        out);
    if (h->n_culprits < 2) return out;
    fill_in(h, NULL, NULL, N_("; late in their groups are ranks @r"), more);
    strncat(out, more, RV_HANG_TEXT - 1 - strlen(out));
    return out;
}

/* What a line of a log says itself: where no rank is known, and of ranks. */
static const char *const witness_forms[RN_N_PROOFS][2] = {
    [RN_PROOF_TWICE] = {N_(
        "two attempts of the job may be in the log, the second from about @f on: give each of them alone")},
    [RN_PROOF_ENDED] = {N_(
        "the job was ended from outside (@f: @q), and no open call could be read")},
    [RN_PROOF_TIMEOUT] =
        {N_("a wait was given up (@f: @q): who waits is no cause, and no line says for whom"),
         N_("{rank|ranks} @r waited in @c and gave up (@f); which call it is, by its number, no line says: what the other ranks "
            "did, their lines would tell")},
    [RN_PROOF_LINK] = {N_(
        "a connection broke (@f: @q): look at the process or the link at its other end")},
    [RN_PROOF_UNNAMED] = {N_(
        "calls of @h of @i processes are here, and no line says which ranks they are (@f): set "
        "NCCL_DEBUG_SUBSYS=INIT,COLL and collect all")},
    [RN_PROOF_LEFT] =
        {N_("a process ended by @q (@f), and no line says which rank it was"),
         N_("rank @r was the first to end, as its launcher says (@f: @q): what it printed says why")},
    [RN_PROOF_FEW] =
        {N_("only @h of @i came to the start (@f): look at the processes that did not begin, or cannot reach the "
            "first one"),
         N_("{rank|ranks} @r did not come to the start, and @h of @i did (@f): look at {its process|their processes}")},
    [RN_PROOF_NEAR] =
        {NULL,
         N_("calls differ, at or around ranks @r (@f): the flight recorder's dumps, or NCCL_DEBUG_SUBSYS=INIT,COLL of all "
            "ranks, would tell which")},
    [RN_PROOF_STUCK] =
        {N_("a process holds up its own watchdog (@f): look at its stack, for a lock or a call of CUDA"),
         N_("the {process|processes} of {rank|ranks} @r {holds|hold} up {its|their} own {watchdog (|watchdogs (the first: }@f): "
            "look at {its stack|their stacks}, for a lock or a call of CUDA")},
    [RN_PROOF_UNSTARTED] =
        {NULL,
         N_("{rank|ranks} @r began to start {its|their} communicator of @i ranks and did not end ({|the first: }@f): look at "
            "{its process|their processes} and {its|their} network")},
    [RN_PROOF_STACK] =
        {N_("process @q is elsewhere in the program than most of @i (@f)"),
         N_("{rank @r is at @z, where most of @i processes are not|ranks @r are elsewhere in the program than most of @i "
            "processes, the first at @z} (@f)")},
    [RN_PROOF_NO_GRAD] =
        {NULL,
         N_("{rank @r got no gradient for parameters @q (@f): it stops there, and others wait for it|ranks @r got no gradient "
            "for some parameters (@f: @q): they stop there, and others wait for them}; find_unused_parameters=True, or let all "
            "outputs count in the loss")},
    [RN_PROOF_LAUNCHED] = {N_("process @q launched @Z where @h of @i processes launched @z (@f)")},
    [RN_PROOF_BEHIND] =
        {NULL, N_("{rank|ranks} @r {is|are} still in @c, number @n, as the log itself says (@f)")},
    [RN_PROOF_DIFFERS] =
        {N_("calls of ranks differ (@f: @q); what else the line says of them is cut"),
         N_("ranks @k and @K disagree: rank @k called @z (number @n), rank @K called @Z (number @N) (@f); nobody else tells who is "
            "right")},
    [RN_PROOF_ABSENT] =
        {NULL, N_("{rank|ranks} @r did not come to @c, number @n, as the log itself says (@f)")},
    [RN_PROOF_DIED] = {
        N_("a process ended by @q (@f), and no line says which rank it was"),
        N_("{rank|ranks} @r failed by {itself|themselves} before others waited for {it|them, the first with}: @q (@f)")}};

static const char *witness_form(const rn_hang *h) {
    const rn_evidence *e = h->witness;
    const char *const *forms = witness_forms[e->proof];
    const bool named = h->n_culprits > 0;
    if (e->killed && named)
        return N_(
            "{rank|ranks} @r {was|were} killed from outside, most often since {its|their} host's memory was full (dmesg "
            "there){|, the first}: @q (@f)");
    if (e->proof == RN_PROOF_DIED && named && h->n_waits == 0)
        return N_("{rank|ranks} @r failed by {itself|themselves, the first with}: @q (@f)");
    if (e->proof == RN_PROOF_ABSENT && e->call == NULL)
        return N_(
            "{rank|ranks} @r never came to any call, as the log itself says (@f): look at {its process|their processes}");
    if (e->proof == RN_PROOF_ABSENT && e->seq < 0)
        return N_("{rank|ranks} @r did not come to @c, as the log itself says (@f)");
    if (e->proof == RN_PROOF_DIFFERS && h->has_others)
        return N_(
            "{rank|ranks} @r called {|otherwise, the first }@z (number @n){|,} where @a of @o ranks called @Z (number @N): the "
            "log says so (@f)");
    if (e->proof == RN_PROOF_LAUNCHED && (e->calls[0].call == NULL || e->calls[1].call == NULL))
        return N_(
            "process @q and others do not launch the same calls (@f): NCCL_DEBUG_SUBSYS=INIT,COLL would tell which ranks "
            "they are");
    if (e->proof == RN_PROOF_FEW && e->call != NULL && strcmp(e->call, "XLA") == 0 && e->of > 0)
        return N_(
            "only @h of @i threads came to a rendezvous of XLA (@f): look at the processes and GPUs of the others");
    const char *form = forms[named] != NULL ? forms[named] : forms[!named];
    if (form != NULL && !(e->proof == RN_PROOF_FEW && e->of == 0)) return form;
    return e->said != NULL
               ? N_("@f says: @q; no open call could be read")
               : N_("a communicator's start did not end (@f), and no open call could be read");
}

static char *sentence(const rn_hang *h, char out[RV_HANG_TEXT]) {
    const bool undecided = h->verdict == RN_HANG_UNDECIDED;
    const rn_hang_place *place = h->n_culprits > 0 ? &h->culprits[0] : NULL, *other = &h->others;
    const rn_hang_place *second = h->n_culprits > 1 ? &h->culprits[1] : other;
    const char *form = no_word;
    char text[RV_HANG_TEXT];
    if (h->verdict == RN_HANG_NONE) {
        form = N_("no hang: every call that is in the dumps is over");
    } else if (h->witness != NULL) {
        const rn_hang_place *calls = h->witness->calls;
        form = witness_form(h);
        if (!h->has_others) other = second;
        if (h->witness->proof == RN_PROOF_LAUNCHED) {
            place = &calls[1];
            other = &calls[0];
        }
    } else if (h->crossed) {
        form = crossed_form(h);
        if (!h->has_others) other = second;
    } else if (undecided && h->doubt != RN_DOUBT_NONE) {
        form = doubt_form(h);
    } else if (undecided) {
        form = undecided_form(h);
        if (!h->unread) other = second;
    } else if (place == NULL) {
        other = NULL;
    } else if (h->verdict == RN_HANG_CYCLE) {
        form = circle_form(h);
        other = second;
    } else if (h->verdict == RN_HANG_SILENT_RANK) {
        form = silent_form(h);
        place = other;
    } else if (h->verdict == RN_HANG_SLOW) {
        return slow_text(h, out);
    } else if (h->verdict == RN_HANG_STUCK_INSIDE) {
        form = stuck_form(h);
    } else {
        form = h->later ? later_form(h) : edit_form(h);
    }
    fill_in(h, place, other, form, text);
    snprintf(out, RV_HANG_TEXT, undecided || form == no_word ? _("undecided: %s") : "%s", text);
    return out;
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
