/* hang_log.c: what lines of logs tell of ranks' calls, where no flight recorder ran: torch's watchdog, NCCL's INIT and COLL.
 *
 *   - Lines of many ranks are interleaved, and what is none of these is passed over. Several messages of the watchdog may stand in
 *     one line: each begins with "[rank5]:".
 *   - Where a job was started anew, what came before is another job's: the last start counts of which there are calls.
 */
#include "evidence.h"
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 4096 };

static void take_line(rn_log_reader *r, const char *line) {
    const char *info = rn_behind(line, "NCCL INFO ");
    if (strstr(line, "CCL(SeqNum=") != NULL || strstr(line, "nqueued ") != NULL) {
        rn_take_watchdog(r, line);
    } else if (info != NULL && strstr(info, ": opCount ") != NULL) {
        rn_take_launch(r, line, info);
    } else if (info != NULL && strstr(info, " nranks ") != NULL &&
               strstr(info, "comm 0x") != NULL) {
        rn_take_init(r, line, info);
    }
}

/* Cuts a line where the message of another rank begins. */
static void take_messages(rn_log_reader *r, char *line) {
    int64_t rank;
    const char *next = rn_log_prefix(line, &rank);
    if (next != NULL && rn_is_quoted(line, next)) return; /* source code, prose */
    while (next != NULL && (next = rn_log_prefix(next + 1, &rank)) != NULL) {
        char *cut = line + (next - line), kept = *cut;
        *cut = '\0';
        take_line(r, line);
        *cut = kept;
        line = cut;
    }
    take_line(r, line);
}

/* ------------------------------------------------------------------ attempts */

static const char restarts[] =
    "will restart worker group\0Restarting worker group\0restart_count=\0JOB REQUEUE\0";

/* Where the last attempt begins that says something of calls. What comes behind the end of it begins one that says nothing;
   *after: in this line, 0: there is none. */
static size_t last_attempt(const char *text, size_t n_bytes, size_t *end, rn_evidence *restart,
                           int64_t *after) {
    char line[LONGEST_LINE];
    int64_t n_attempts = 1, anew = 0;
    size_t from = 0, begin = 0;
    bool tells = false;
    const rn_form_pairs pairs = rn_pair_forms();
    *end = n_bytes;
    *after = 0;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_copy_line(&l, line, sizeof line);) {
        if (rn_log_has_any(line, restarts)) {
            if (tells) *end = l.at - 1;
            begin = l.at - 1;
            n_attempts += tells;
            *after = anew = l.number;
            tells = false;
        } else if (!tells &&
                   (rn_take_form(&pairs, NULL, line) || strstr(line, "NCCL INFO ") != NULL)) {
            tells = true;
            *after = 0;
            from = begin;
            *end = n_bytes;
            *restart = (rn_evidence){.line = anew, .seq = n_attempts, .when_us = -1};
        }
    }
    return from;
}

rs_status rn_read_evidence(const char *text, size_t n_bytes, rs_arena *keep, rs_error *error,
                           rn_evidence **list, int32_t *n) {
    rs_arena scratch;
    char line[LONGEST_LINE];
    const rn_form_pairs pairs = rn_pair_forms();
    rn_evidence restart;
    int64_t after;
    size_t end, from = last_attempt(text, n_bytes, &end, &restart, &after);
    rs_arena_init(&scratch, NULL);
    rs_heap heap = {.arena = &scratch}, kept = {.arena = keep};
    rn_evidence_reader r = {.heap = &heap,
                            .keep = &kept,
                            .block.rank = -1,
                            .block.seq = -1,
                            .process_keys.heap = &heap};
    for (rn_lines l = {.text = text, .n_bytes = end};
         rn_copy_line(&l, line, sizeof line) && !rn_evidence_lacks(&r);) {
        r.line = l.number;
        r.text = line;
        if (l.at <= from) continue;
        rn_take_form(&pairs, &r, line);
        rn_take_trace(&r, line);
        rn_take_block(&r, line);
    }
    rn_end_blocks(&r);
    if (from > 0) *rn_add_evidence(&r, RN_PROOF_RESTART) = restart;
    r.line = after;
    if (after > 0 && r.n > 0) rn_add_evidence(&r, RN_PROOF_RESTART)->ended = true;
    *list = r.list;
    *n = r.n;
    const bool lacks = rn_evidence_lacks(&r);
    rs_arena_free(&scratch);
    return lacks ? rs_no_memory(error) : RS_OK;
}

/* ------------------------------------------------------------------ dumps of it */

RS_ORDER(by_rank, rn_rank_log, rank, of.name, order);

/* Where NCCL lists a rank's calls, the watchdog's are left out: they are some of these. Returns how many entries are left; *called:
   NCCL's are. */
static int32_t keep_better(rn_rank_log list[], int32_t n, bool *called) {
    int32_t n_kept = 0;
    *called = false;
    for (int32_t i = 0; i < n; i++) *called = *called || (list[i].process > 0 && list[i].n > 0);
    for (int32_t i = 0; i < n; i++) {
        if (!*called || list[i].process > 0) list[n_kept++] = list[i];
    }
    return n_kept;
}

/* One rank's part of the list as a dump. */
static void make_dump(const rn_log_reader *r, rn_rank_log list[], int32_t n, const char **words,
                      rn_dump *d) {
    int64_t n_calls = 0;
    bool called, watched = false;
    n = keep_better(list, n, &called);
    for (int32_t i = 0; i < n; i++) {
        n_calls += list[i].n;
        watched = watched || list[i].process == 0;
    }
    const bool launched = called || (r->launched && !watched); /* it may have called nothing */
    *d = (rn_dump){.rank = list[0].rank,
                   .whole = true,
                   .rough = !launched,
                   .launched = launched,
                   .listed = launched,
                   .n_groups = n};
    d->calls = rs_heap_take(r->keep, (size_t)n_calls * sizeof *d->calls);
    d->groups = rs_heap_take(r->keep, (size_t)n * sizeof *d->groups);
    if (d->calls == NULL || d->groups == NULL) return;
    d->words = words;
    d->n_words = r->words.n;
    for (int32_t i = 0; i < n; i++) {
        rn_call_group *g = &d->groups[i];
        *g = list[i].of;
        const int32_t n_ranks = g->n_ranks;
        const bool unnamed = g->name == 0 && list[i].process == 0;
        if (n_ranks == 0 && (unnamed || strcmp(d->words[g->name], "0") == 0))
            g->n_ranks = RN_ALL_RANKS;
        g->ranks = rs_heap_take(r->keep, (size_t)n_ranks * sizeof *g->ranks);
        if (g->ranks == NULL) return;
        for (int32_t k = 0; k < n_ranks; k++) g->ranks[k] = k;
        for (int64_t k = 0; k < list[i].n; k++) {
            d->calls[d->n_calls] = list[i].calls[k];
            d->calls[d->n_calls++].group = i;
        }
    }
}

static rs_status read_from(size_t from, const char *text, size_t n_bytes, rs_arena *scratch,
                           rs_arena *keep, rs_error *error, rn_dump **dumps, int32_t *n_dumps) {
    rs_heap heap = {.arena = scratch}, kept = {.arena = keep};
    rn_log_reader r = {.heap = &heap, .keep = &kept, .keys = {.heap = &heap}};
    char line[LONGEST_LINE];
    if (!rs_texts_begin(&r.words, &kept, NULL, 0) || !rs_texts_begin(&r.comms, &heap, NULL, 0) ||
        !rs_texts_begin(&r.processes, &heap, NULL, 0)) {
        return rs_no_memory(error);
    }
    for (rn_lines l = {.text = text, .n_bytes = n_bytes, .at = from};
         rn_copy_line(&l, line, sizeof line) && !rn_log_lacks(&r);)
        take_messages(&r, line);
    rn_name_rest(&r);
    rn_name_ranks(&r);
    rn_complete_watchdog(&r);
    if (rn_log_lacks(&r)) return rs_no_memory(error);
    if (r.n == 0) {
        return rs_fail(error, RS_BAD_INPUT,
                       "it is no dump of a flight recorder, and tells of no call");
    }
    qsort(r.list, (size_t)r.n, sizeof *r.list, by_rank);
    *dumps = rs_heap_take(&kept, (size_t)r.n * sizeof **dumps);
    const char **words = rn_list_words(&kept, &r.words); /* all share them */
    *n_dumps = 0;
    for (int32_t i = 0, end; i < r.n && !rn_log_lacks(&r); i = end) {
        for (end = i + 1; end < r.n && r.list[end].rank == r.list[i].rank;) end++;
        make_dump(&r, r.list + i, end - i, words, &(*dumps)[(*n_dumps)++]);
    }
    return rn_log_lacks(&r) ? rs_no_memory(error) : RS_OK;
}

rs_status rn_read_hang_log(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump **dumps, int32_t *n_dumps) {
    rn_evidence restart;
    int64_t after;
    size_t end, from = last_attempt(text, n_bytes, &end, &restart, &after);
    return read_from(from, text, end, scratch, keep, error, dumps, n_dumps);
}
