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
    if (*line == '.' || strchr(line, '[') != NULL) rn_take_cut(r, line);
    if (rn_log_has_any(line, "CCL(SeqNum=\0nqueued \0atchdog at work\0NCCL work:\0")) {
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
    if (strstr(line, "Setting OMP_NUM_THREADS") != NULL) r->launcher = r->here;
    if (next == NULL) next = line;
    while (*next != '\0' && (next = rn_next_message(next + 1)) != NULL) {
        char *cut = line + (next - line), kept = *cut;
        *cut = '\0';
        take_line(r, line);
        *cut = kept;
        line = cut;
    }
    take_line(r, line);
}

/* ------------------------------------------------------------------ attempts */

/* What a launcher says when it starts the job anew. */
static const char restarts[] =
    "will restart worker group\0Restarting worker group\0restart_count=\0JOB REQUEUE\0";

/* Goes from a line to that one of those behind it, before `to`, before which most time went by; text NULL: no line has a time. */
static rn_lines widest_gap(rn_lines l, size_t to) {
    char line[LONGEST_LINE];
    int64_t widest = 0, last = -1;
    rn_lines found = {.text = NULL}, before = l;
    for (; l.at < to && rn_copy_line(&l, line, sizeof line); before = l) {
        const int64_t when_us = rn_time_of(line);
        if (last >= 0 && when_us - last > widest) {
            widest = when_us - last;
            found = before;
        }
        if (when_us >= 0) last = when_us;
    }
    return found;
}

/* Did each rank give up before `second`, and again behind it? Then it is another attempt. */
static bool is_second_round(const rn_log_reader *r) {
    bool round = r->second.text != NULL;
    for (int32_t i = 0; i < r->n; i++) {
        const rn_lines *from = &r->list[i].first_caught, *to = &r->list[i].last_caught;
        if (from->text != NULL) round = round && from->at < r->second.at && to->at >= r->second.at;
    }
    return round;
}

/* ------------------------------------------------------------------ dumps of it */

RS_ORDER(by_rank, rn_rank_log, rank, of.name, order);

/* Is more known than that it waits? */
static bool is_told(const rn_rank_log *l) {
    return l->process > 0 || l->n > 0 || l->of.last_seq >= 0;
}

/* One rank's part of the list as a dump. Where NCCL lists its calls, the watchdog's are left out: they are some of these. */
static void make_dump(const rn_log_reader *r, rn_rank_log list[], int32_t n_all, const char **words,
                      rn_dump *d) {
    int64_t n_calls = 0;
    int32_t n = 0;
    bool called = false, watched = false, waits = false;
    for (int32_t i = 0; i < n_all; i++) called = called || (list[i].process > 0 && list[i].n > 0);
    for (int32_t i = 0; i < n_all; i++) {
        if (called && list[i].process == 0) continue;
        waits = waits || list[i].waits;
        if (!is_told(&list[i])) continue;
        n_calls += list[i].n;
        watched = watched || list[i].process == 0;
        list[n++] = list[i];
    }
    const bool launched = called || (r->launched && !watched); /* it may have called nothing */
    *d = (rn_dump){.rank = list[0].rank,
                   .whole = true,
                   .cut = waits && !launched,
                   .partial = r->left_out,
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
        if (g->n_ranks == RN_ALL_RANKS && r->world > g->n_least) g->n_least = r->world;
        if (g->n_told == 0 && !r->nodes) g->n_told = r->whole; /* all, if so many are there */
        g->ranks = rn_keep_ranks(r->keep, 0, n_ranks);
        if (g->ranks == NULL) return;
        for (int64_t k = 0; k < list[i].n; k++) {
            d->calls[d->n_calls] = list[i].calls[k];
            if (list[i].calls[k].state != RN_CALL_COMPLETED) d->cut = false;
            d->calls[d->n_calls++].group = i;
        }
    }
}

/* How many ranks a line says there are, as programs print it, a launcher is told of one node, or its table has one; 0: nothing. */
static int32_t told_world(const char *line) {
    static const char words[] =
        "orld_size\0orld size\0ORLD_SIZE\0nproc_per_node\0nproc-per-node\0 nranks\0";
    const bool table = strstr(line, "(local_rank: ") != NULL;
    int64_t most = table ? rn_number_behind(line, ": ", -1) + 1 : 0;
    for (const char *word = words; *word != '\0'; word += strlen(word) + 1) {
        const char *at = rn_behind(line, word);
        const int64_t n = at != NULL ? strtoll(at + strspn(at, " =:\""), NULL, 10) : 0;
        if (n > most && n <= RN_LOG_RANKS) most = n;
    }
    return (int32_t)most;
}

/* Of several nodes a launcher's number is that of each. */
static void take_world(rn_log_reader *r, const char *line) {
    static const char launchers[] = "dist_world_size=\0nproc_per_node\0nproc-per-node\0";
    const int32_t world = told_world(line);
    const char *nodes = rn_behind(line, "nnodes");
    if (nodes != NULL && strtoll(nodes + strspn(nodes, " =:\""), NULL, 10) != 1) r->nodes = true;
    if (world > r->world) r->world = world;
    if (world > 0 && rn_log_has_any(line, launchers)) r->whole = world;
}

static bool begin_attempt(rn_log_reader *r, rn_evidence_reader *e, rs_heap *heap, rs_heap *keep) {
    *r = (rn_log_reader){.heap = heap,
                         .keep = keep,
                         .keys = {.heap = heap},
                         .world = r->world,
                         .whole = r->whole,
                         .nodes = r->nodes,
                         .first_us = INT64_MAX};
    *e = (rn_evidence_reader){
        .heap = heap, .keep = keep, .block = {.rank = -1, .seq = -1}, .process_keys.heap = heap};
    return rs_texts_begin(&r->words, keep, NULL, 0) && rs_texts_begin(&r->comms, heap, NULL, 0) &&
           rs_texts_begin(&r->processes, heap, NULL, 0);
}

static rs_status end_log(rn_log_reader *r, rs_error *error, rn_dump **dumps, int32_t *n_dumps) {
    rn_name_rest(r);
    rn_name_ranks(r);
    rn_complete_watchdog(r);
    if (rn_log_lacks(r)) return rs_no_memory(error);
    bool told = false;
    for (int32_t i = 0; i < r->n; i++) told = told || is_told(&r->list[i]);
    if (!told) {
        return rs_fail(error, RS_BAD_INPUT,
                       "it is no dump of a flight recorder, and tells of no call");
    }
    qsort(r->list, (size_t)r->n, sizeof *r->list, by_rank);
    *dumps = rs_heap_take(r->keep, (size_t)r->n * sizeof **dumps);
    const char **words = rn_list_words(r->keep, &r->words); /* all share them */
    for (int32_t i = 0, end; i < r->n && !rn_log_lacks(r); i = end) {
        for (end = i + 1; end < r->n && r->list[end].rank == r->list[i].rank;) end++;
        make_dump(r, r->list + i, end - i, words, &(*dumps)[(*n_dumps)++]);
    }
    return rn_log_lacks(r) ? rs_no_memory(error) : RS_OK;
}

static void take_text(rn_log_reader *r, rn_evidence_reader *e, const rn_form_letters *letters,
                      char *line) {
    const int32_t n_before = e->n + r->n;
    take_world(r, line);
    e->text = line;
    const bool form = rn_take_form(letters, e, line);
    rn_take_trace(e, line);
    rn_take_block(e, line);
    take_messages(r, line);
    const bool told = form || e->n + r->n > n_before || strstr(line, "NCCL INFO ") != NULL;
    if (rn_log_has_any(line, restarts) && r->tells) {
        r->relaunched = e->line;
        r->launcher = r->here;
    } else if (r->relaunched > 0 && told) {
        r->anew = r->launcher;
    }
    r->tells = r->tells || told;
    r->raised = r->raised || rn_log_has_any(line, "Error:\0Exception\0Traceback\0");
}

rs_status rn_read_hang_log(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump **dumps, int32_t *n_dumps, rn_evidence **said,
                           int32_t *n_said) {
    enum { MOST_GAPS = 64 };
    char line[LONGEST_LINE];
    const rn_form_letters letters = rn_letters_of_forms();
    rs_heap heap = {.arena = scratch}, kept = {.arena = keep};
    rn_log_reader r = {.world = 0};
    rn_evidence_reader e;
    rn_evidence restart = {.seq = 1, .when_us = -1};
    while (n_bytes > 0 && rs_is_space(text[n_bytes - 1])) n_bytes--;
    rn_lines l = {.text = text, .n_bytes = n_bytes}, attempt = l;
    int n_gaps = 0;
    *n_dumps = 0;
    if (!begin_attempt(&r, &e, &heap, &kept)) return rs_no_memory(error);
    while (!rn_log_lacks(&r)) {
        r.here = l;
        if (rn_copy_line(&l, line, sizeof line)) {
            r.last = l.at >= n_bytes;
            e.line = l.number;
            take_text(&r, &e, &letters, line);
        } else if (n_gaps < MOST_GAPS && is_second_round(&r)) {
            r.anew = r.second;
            n_gaps++;
        } else {
            break;
        }
        if (r.anew.text == NULL) continue;
        const rn_lines from = r.gap ? widest_gap(r.anew, l.at) : r.anew;
        r.anew.text = NULL;
        if (from.text == NULL || n_gaps == MOST_GAPS) { /* nobody tells which lines are whose */
            if (r.second.text == NULL) r.second = r.here;
            continue;
        }
        n_gaps += r.gap;
        l = attempt = from;
        restart.line = l.number + 1;
        restart.seq++;
        if (!begin_attempt(&r, &e, &heap, &kept)) return rs_no_memory(error);
    }
    /* Who waits for each other gives up in time, within an hour at least. */
    if (r.second.text == NULL && r.last_us - r.first_us > rs_larger(2 * r.timeout_us, 3600000000))
        r.second = widest_gap(attempt, n_bytes);
    e.line = r.second.number + 1;
    if (r.second.text != NULL) rn_add_evidence(&e, RN_PROOF_TWICE);
    e.line = r.repeated;
    if (r.repeated > 0 && r.n + e.n > 0) rn_add_evidence(&e, RN_PROOF_HIDDEN);
    rn_end_blocks(&e);
    if (restart.seq > 1) *rn_add_evidence(&e, RN_PROOF_RESTART) = restart;
    for (int32_t i = e.n - 1; r.raised && i >= 0; i--) /* its program did not come to its end */
        if (e.list[i].proof == RN_PROOF_OVER) e.list[i] = e.list[--e.n];
    e.line = r.relaunched;
    if (r.relaunched > 0 && e.n > 0) rn_add_evidence(&e, RN_PROOF_RESTART)->ended = true;
    *said = e.list;
    *n_said = e.n;
    return end_log(&r, error, dumps, n_dumps);
}
