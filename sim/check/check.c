/* check.c: does this schedule do what its collective wants? If not, which transfer spoilt it?
 *
 *     each chunk:   sweep forwards --- every cell right? ---> sound
 *                        | no
 *                        v
 *                   sweep again and keep what each transfer did, then backwards from the wrong cells:
 *                   the earliest transfer that counted something twice, lost what is lacking at the
 *                   end, or clashed  ---> the verdict; none ---> unfinished
 *
 *   - A mistake that a later copy overwrites does no harm: it is in no wrong cell's history.
 *   - Of all chunks' transfers to blame the verdict names the earliest (step, list order, chunk).
 *     If there is none, it names the first wrong cell (rank, then chunk).
 *   - Memory: a window of events, O(N); for an unsound chunk also a byte for each event, and 40
 *     bytes for each copy that loses something.
 */
#include "check/sweep.h"
#include "ringsim.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The checker's findings in words.
 *
 * Sets of ranks are bits, rank r is bit r % 64 of word r / 64.
 */

typedef struct rs_finding {
    rs_verdict_fault fault;
    rs_collective collective;
    rs_ends ends; /* the chunk's */
    int32_t n_ranks;
    int32_t step, rank, chunk, src;
    const uint64_t *in;   /* what came; clash: who sent; unfinished: unused */
    const uint64_t *own;  /* what the cell held before; unfinished: at the end */
    const uint64_t *need; /* overwritten: what a wrong cell lacks in the end for want of it */
} rs_finding;

/* ------------------------------------------------------------------ findings in words */

/* The checker's findings in words: one English sentence each. */

static bool has(const uint64_t set[], int32_t rank) {
    return (set[rank / 64] >> (rank % 64) & 1) != 0;
}

static int32_t next(const uint64_t set[], int32_t n_ranks, int32_t rank) {
    while (rank < n_ranks && !has(set, rank)) rank++;
    return rank;
}

static bool alone(const uint64_t set[], int32_t n_ranks) {
    return next(set, n_ranks, next(set, n_ranks, 0) + 1) >= n_ranks;
}

/* Appends one piece and keeps room for the ellipsis; false: it did not fit, and the ellipsis ends
   the list. */
static bool append(const char *piece, bool last, char *out, size_t n_out) {
    static const char ellipsis[] = " \xe2\x80\xa6";
    const size_t used = strlen(out), more = strlen(piece);
    const bool fits = used + more + (last ? 0 : sizeof ellipsis - 1) < n_out;
    snprintf(out + used, n_out - used, "%s", fits ? piece : ellipsis);
    return fits;
}

/* Writes "rank 3", "ranks 0..3", "ranks 0 2 5", "nothing"; cut with an ellipsis where it gets too long. */
static void rs_list_ranks(const uint64_t set[], int32_t n_ranks, char *out, size_t n_out) {
    int32_t rank = next(set, n_ranks, 0);
    if (rank == n_ranks) {
        snprintf(out, n_out, "nothing");
        return;
    }
    snprintf(out, n_out, alone(set, n_ranks) ? "rank" : "ranks");
    for (bool fits = true; fits && rank < n_ranks;) {
        /* the run is rank .. end - 1; a run of two is written as two ranks */
        int32_t end = rank + 1;
        while (end < n_ranks && has(set, end)) end++;
        if (end - rank < 3) end = rank + 1;
        char piece[32];
        snprintf(piece, sizeof piece, end - rank > 1 ? " %d..%d" : " %d", (int)rank,
                 (int)(end - 1));
        rank = next(set, n_ranks, end);
        fits = append(piece, rank == n_ranks, out, n_out);
    }
}

/* Writes "rank 3's contribution", "the contributions of ranks 0..2". */
static void contributions(const uint64_t set[], int32_t n_ranks, char *out, size_t n_out) {
    char list[96];
    rs_list_ranks(set, n_ranks, list, sizeof list);
    snprintf(out, n_out, alone(set, n_ranks) ? "%s's contribution" : "the contributions of %s",
             list);
}

static void counted_twice(const rs_finding *f, uint64_t both[], rs_verdict *v) {
    char list[80], whose[128];
    for (int32_t k = 0; k < (f->n_ranks + 63) / 64; k++) both[k] = f->in[k] & f->own[k];
    rs_list_ranks(both, f->n_ranks, list, sizeof list);
    contributions(both, f->n_ranks, whose, sizeof whose);
    v->who = next(both, f->n_ranks, 0);
    snprintf(v->had, sizeof v->had, "%s twice", list);
    snprintf(v->expected, sizeof v->expected, "%s once", list);
    snprintf(v->text, sizeof v->text, "step %d: rank %d adds %s to chunk %d a second time",
             (int)f->step, (int)f->rank, whose, (int)f->chunk);
}

static void overwritten(const rs_finding *f, uint64_t set[], rs_verdict *v) {
    char list[96], whose[128];
    const int32_t n_words = (f->n_ranks + 63) / 64;
    rs_list_ranks(f->in, f->n_ranks, list, sizeof list);
    snprintf(v->had, sizeof v->had, "%s", list);
    for (int32_t k = 0; k < n_words; k++) set[k] = f->in[k] | f->own[k];
    rs_list_ranks(set, f->n_ranks, v->expected, sizeof v->expected);
    for (int32_t k = 0; k < n_words; k++) set[k] = f->own[k] & ~f->in[k] & f->need[k];
    contributions(set, f->n_ranks, whose, sizeof whose);
    v->who = next(set, f->n_ranks, 0);
    snprintf(v->text, sizeof v->text,
             "step %d: rank %d's chunk %d is overwritten with %s; %s %s lost", (int)f->step,
             (int)f->rank, (int)f->chunk, list, whose, alone(set, f->n_ranks) ? "is" : "are");
}

static void clashed(const rs_finding *f, rs_verdict *v) {
    char list[56];
    rs_list_ranks(f->in, f->n_ranks, list, sizeof list);
    snprintf(v->had, sizeof v->had, "a copy and another message, from %s", list);
    snprintf(v->expected, sizeof v->expected, "one copy alone, or additions only");
    snprintf(v->text, sizeof v->text,
             "step %d: rank %d's chunk %d is overwritten and gets another message in the same step "
             "(from %s); what it then holds is not defined",
             (int)f->step, (int)f->rank, (int)f->chunk, list);
}

static void added_to_nothing(const rs_finding *f, rs_verdict *v) {
    char list[96];
    rs_list_ranks(f->own, f->n_ranks, v->had, sizeof v->had);
    snprintf(v->expected, sizeof v->expected, "rank %d's data, by a copy", (int)f->ends.from);
    rs_list_ranks(f->in, f->n_ranks, list, sizeof list);
    v->who = f->ends.from;
    snprintf(
        v->text, sizeof v->text,
        "step %d: rank %d adds what rank %d sends to chunk %d; %s holds nothing of it yet, and %s %s "
        "only copies",
        (int)f->step, (int)f->rank, (int)f->src, (int)f->chunk,
        strcmp(list, "nothing") == 0 ? "the sender" : "it",
        f->collective == RS_COLL_ALL_GATHER || f->collective == RS_COLL_ALL_TO_ALL ? "an" : "a",
        rs_collective_name(f->collective));
}

/* Puts in whose data a cell must hold at the end. */
static void must_hold(const rs_finding *f, uint64_t set[]) {
    for (int32_t k = 0; k < (f->n_ranks + 63) / 64; k++) {
        const int32_t left = f->n_ranks - 64 * k;
        set[k] = left >= 64 ? UINT64_MAX : (1ULL << left) - 1;
        if (f->ends.from != RS_EVERY_RANK) set[k] = 0;
    }
    if (f->ends.from != RS_EVERY_RANK) set[f->ends.from / 64] |= 1ULL << (f->ends.from % 64);
}

static void unfinished(const rs_finding *f, uint64_t missing[], rs_verdict *v) {
    char list[96], touched[48];
    const int32_t n_words = (f->n_ranks + 63) / 64;
    rs_list_ranks(f->own, f->n_ranks, v->had, sizeof v->had);
    must_hold(f, missing);
    rs_list_ranks(missing, f->n_ranks, v->expected, sizeof v->expected);
    for (int32_t k = 0; k < n_words; k++) missing[k] &= ~f->own[k];
    rs_list_ranks(missing, f->n_ranks, list, sizeof list);
    v->who = next(missing, f->n_ranks, 0);
    snprintf(touched, sizeof touched, f->step < 0 ? "never touched" : "last touched in step %d",
             (int)f->step);
    snprintf(
        v->text, sizeof v->text,
        f->ends.from == RS_EVERY_RANK
            ? "unfinished: after the last step rank %d's chunk %d lacks the contribution%s of %s (%s)"
            : "unfinished: after the last step rank %d's chunk %d lacks the data%s of %s (%s)",
        (int)f->rank, (int)f->chunk,
        f->ends.from != RS_EVERY_RANK || alone(missing, f->n_ranks) ? "" : "s", list, touched);
}

static const char *const sound[RS_N_COLLECTIVES] = {
    "every rank holds every contribution exactly once",
    "every rank's shard holds every contribution exactly once",
    "every rank holds every rank's shard",
    "every rank holds the root's data",
    "the root holds every contribution exactly once",
    "every rank holds what each rank had for it",
};

static void rs_verdict_of(const rs_finding *f, uint64_t scratch[], rs_verdict *verdict) {
    rs_verdict v = {
        .sound = f->fault == RS_SOUND,
        .fault = f->fault,
        .collective = f->collective,
        .step = f->step,
        .rank = f->rank,
        .chunk = f->chunk,
        .src = f->src,
        .who = -1,
    };
    switch (f->fault) {
    case RS_SOUND:
        snprintf(v.text, sizeof v.text, "sound: at the end %s", sound[f->collective]);
        break;
    case RS_UNFINISHED: unfinished(f, scratch, &v); break;
    case RS_WRONG: clashed(f, &v); break;
    case RS_COUNTED_TWICE: counted_twice(f, scratch, &v); break;
    case RS_OVERWRITTEN_TOO_EARLY: overwritten(f, scratch, &v); break;
    case RS_ADDED_TO_NOTHING: added_to_nothing(f, &v); break;
    }
    *verdict = v;
}

const char *rs_fault_name(rs_verdict_fault fault) {
    static const char *const names[] = {
        NULL, "unfinished", "wrong", "counted-twice", "overwritten-too-early", "added-to-nothing"};
    return names[fault];
}

enum { POLL_EVENTS = 1 << 20 };

typedef struct judge {
    const rs_schedule *schedule;
    const rs_host *host;
    rs_error *error;
    rs_arena arena;
    rs_chunk_history history;
    rs_sweep sweep;
    int64_t done, polled, total; /* events swept */
    /* The findings so far. */
    bool wrong;
    int32_t open_rank, open_chunk; /* the first wrong cell */
    int64_t blamed; /* the earliest event to blame, by its place in its chunk; -1: none */
    int32_t blamed_chunk;
    rs_chunk_event blamed_event;
} judge;

static rs_status poll(judge *j, int64_t n_events) {
    j->done += n_events;
    if (j->done - j->polled < POLL_EVENTS) return RS_OK;
    j->polled = j->done;
    if (rs_go_on(j->host, "checking", j->done < j->total ? j->done : j->total, j->total)) {
        return RS_OK;
    }
    return rs_fail(j->error, RS_CANCELLED, "cancelled while checking the schedule");
}

/* Tells whether the chunk's cells hold the right contributions (of the ranks in this sweep); notes
   the first wrong cell. */
static bool all_right(judge *j, int32_t chunk) {
    int32_t rank = 0;
    while (rank < j->schedule->n_ranks && rs_sweep_right(&j->sweep, rank)) rank++;
    if (rank == j->schedule->n_ranks) return true;
    if (!j->wrong || rank < j->open_rank || (rank == j->open_rank && chunk < j->open_chunk)) {
        j->open_rank = rank;
        j->open_chunk = chunk;
    }
    j->wrong = true;
    return false;
}

static bool earlier(const judge *j, const rs_chunk_event *event) {
    if (j->blamed < 0) return true;
    if (event->step != j->blamed_event.step) return event->step < j->blamed_event.step;
    /* chunks come in ascending order: the first stays */
    return event->order < j->blamed_event.order;
}

/* Goes through the history of a wrong chunk: which event is to blame? */
static rs_status investigate(judge *j, int32_t chunk, const rs_chunk_event events[],
                             int64_t n_events, int64_t n_lost) {
    const rs_status status = rs_sweep_room(n_events, n_lost, &j->arena, j->error, &j->sweep);
    if (status != RS_OK) return status;
    rs_sweep_start(&j->sweep, j->sweep.first_rank, j->sweep.ends);
    rs_sweep_forward(&j->sweep, events, n_events, true);
    const int64_t at = rs_sweep_blame(&j->sweep, events, n_events);
    if (at < n_events && earlier(j, &events[at])) {
        j->blamed = at;
        j->blamed_chunk = chunk;
        j->blamed_event = events[at];
    }
    return poll(j, n_events);
}

static rs_status judge_chunk(judge *j, int32_t chunk) {
    int64_t n_events;
    const rs_chunk_event *events = rs_chunk_history_of(&j->history, chunk, &n_events);
    const rs_ends ends = rs_ends_of(j->schedule, chunk);
    for (int32_t first = 0; first < j->schedule->n_ranks; first = rs_sweep_next(&j->sweep)) {
        rs_sweep_start(&j->sweep, first, ends);
        const int64_t n_lost = rs_sweep_forward(&j->sweep, events, n_events, false);
        rs_status status = poll(j, n_events + j->schedule->n_ranks);
        if (status == RS_OK && !all_right(j, chunk)) {
            status = investigate(j, chunk, events, n_events, n_lost);
        }
        if (status != RS_OK) return status;
    }
    return RS_OK;
}

static rs_status judge_all(judge *j) {
    const rs_schedule *s = j->schedule;
    for (int32_t first = 0; first < s->n_chunks; first += j->history.n_chunks) {
        rs_status status =
            rs_chunk_history_load(s, first, RS_HISTORY_EVENTS, &j->arena, j->error, &j->history);
        if (first == 0 && status == RS_OK) {
            const int64_t n_sweeps = (s->n_ranks + RS_SWEEP_RANKS - 1) / RS_SWEEP_RANKS;
            j->total =
                n_sweeps * (j->history.start[s->n_chunks] + (int64_t)s->n_chunks * s->n_ranks);
        }
        for (int32_t c = first; status == RS_OK && c < first + j->history.n_chunks; c++) {
            status = judge_chunk(j, c);
        }
        if (status != RS_OK) return status;
    }
    return RS_OK;
}

/* Puts the bits of the ranks in this sweep into a set of all ranks. */
static void put(const judge *j, const rs_value *value, uint64_t set[]) {
    const int32_t first = j->sweep.first_rank / 64, n_words = (j->schedule->n_ranks + 63) / 64;
    for (int32_t k = 0; k < RS_SWEEP_WORDS && first + k < n_words; k++) {
        set[first + k] = value->who[k];
    }
}

/* Adds to the set who sent messages into the blamed event's cell in its step. */
static void senders(const judge *j, const rs_chunk_event events[], int64_t n_events,
                    uint64_t set[]) {
    for (int64_t i = 0; i < n_events; i++) {
        if (events[i].step != j->blamed_event.step || events[i].dst != j->blamed_event.dst)
            continue;
        set[events[i].src / 64] |= 1ULL << (events[i].src % 64);
    }
}

/* Fills in what the blamed event did, or what the first wrong cell holds, for all ranks. */
static rs_status reconstruct(judge *j, const rs_chunk_event events[], int64_t n_events,
                             rs_finding *finding, uint64_t in[], uint64_t own[], uint64_t need[]) {
    j->sweep.watch = j->blamed;
    const rs_ends ends = rs_ends_of(j->schedule, finding->chunk);
    for (int32_t first = 0; first < j->schedule->n_ranks; first = rs_sweep_next(&j->sweep)) {
        rs_sweep_start(&j->sweep, first, ends);
        const int64_t n_lost = rs_sweep_forward(&j->sweep, events, n_events, false);
        if (j->blamed < 0) {
            put(j, &j->sweep.now[finding->rank], own);
            continue;
        }
        const rs_status status = rs_sweep_room(n_events, n_lost, &j->arena, j->error, &j->sweep);
        if (status != RS_OK) return status;
        rs_sweep_start(&j->sweep, first, ends);
        rs_sweep_forward(&j->sweep, events, n_events, true);
        rs_sweep_blame(&j->sweep, events, n_events);
        put(j, &j->sweep.watched_in, in);
        put(j, &j->sweep.watched_own, own);
        put(j, &j->sweep.watched_need, need);
        if ((j->sweep.marks[j->blamed] & RS_MARK_CLASH) != 0) finding->fault = RS_WRONG;
        if ((j->sweep.marks[j->blamed] & RS_MARK_EMPTY) != 0) finding->fault = RS_ADDED_TO_NOTHING;
    }
    if (finding->fault == RS_WRONG) {
        for (int32_t k = 0; k < (j->schedule->n_ranks + 63) / 64; k++) in[k] = 0;
        senders(j, events, n_events, in);
    }
    return RS_OK;
}

static int32_t last_touch(const rs_chunk_event events[], int64_t n_events, int32_t rank) {
    for (int64_t i = n_events - 1; i >= 0; i--) {
        if (events[i].dst == rank) return events[i].step;
    }
    return -1;
}

static rs_status conclude(judge *j, rs_verdict *verdict) {
    rs_finding f = {.fault = RS_SOUND, .step = -1, .rank = -1, .chunk = -1, .src = -1};
    if (!j->wrong) {
        f.collective = j->schedule->collective;
        rs_verdict_of(&f, NULL, verdict);
        return RS_OK;
    }
    const size_t n_words = ((size_t)j->schedule->n_ranks + 63) / 64;
    uint64_t *sets = rs_alloc(&j->arena, 4 * n_words, sizeof *sets);
    if (sets == NULL) return rs_no_memory(j->error);
    f.in = sets, f.own = sets + n_words, f.need = sets + 2 * n_words;
    f.n_ranks = j->schedule->n_ranks;
    f.collective = j->schedule->collective;
    f.chunk = j->blamed < 0 ? j->open_chunk : j->blamed_chunk;
    f.ends = rs_ends_of(j->schedule, f.chunk);
    rs_status status =
        rs_chunk_history_load(j->schedule, f.chunk, 1, &j->arena, j->error, &j->history);
    if (status != RS_OK) return status;
    int64_t n_events;
    const rs_chunk_event *events = rs_chunk_history_of(&j->history, f.chunk, &n_events);
    if (j->blamed < 0) {
        f.fault = RS_UNFINISHED;
        f.rank = j->open_rank;
        f.step = last_touch(events, n_events, f.rank);
    } else {
        const rs_chunk_event *event = &j->blamed_event;
        f.fault = event->effect == RS_COPY ? RS_OVERWRITTEN_TOO_EARLY : RS_COUNTED_TWICE;
        f.step = event->step, f.rank = event->dst, f.src = event->src;
    }
    status = reconstruct(j, events, n_events, &f, sets, sets + n_words, sets + 2 * n_words);
    if (status == RS_OK) rs_verdict_of(&f, sets + 3 * n_words, verdict);
    return status;
}

rs_status rs_check(const rs_schedule *schedule, const rs_host *host, rs_error *error,
                   rs_verdict *verdict) {
    assert(schedule->n_ranks >= 1);
    judge j = {.schedule = schedule, .host = host, .error = error, .blamed = -1};
    rs_arena_init(&j.arena, host);
    rs_status status = rs_sweep_new(schedule->n_ranks, &j.arena, error, &j.sweep);
    if (status == RS_OK) status = judge_all(&j);
    if (status == RS_OK) status = conclude(&j, verdict);
    rs_arena_free(&j.arena);
    return status;
}
