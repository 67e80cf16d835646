/* table.c: schedules compiled to tables: those from files, and any list of transfers.
 *
 *     packed[i]                 the transfers, step after step, in list order (8 bytes each)
 *     step_first[s]             where step s begins
 *     out.of, in.of             the same transfers, sorted by rank, then step, then list order:
 *     out.first[r], in.first[r] what rank r sends, what it receives (3 bytes each)
 *
 *   - A transfer takes 14 bytes. Its step is not stored: a place lies in step s if it lies from
 *     step_first[s] to before step_first[s + 1].
 *   - In a regular schedule a rank has as many transfers in each step, and its place says where those
 *     of a step are; in others an interpolation search finds them.
 */
#include "schedule/algo.h"

#include <assert.h>

enum { NUMBER_BITS = 12, CHANNEL_BITS = 8, PLACE_BYTES = 3 };
static_assert(RS_MAX_FILE_TRANSFERS <= 1 << 8 * PLACE_BYTES, "a place fits its bytes");
static_assert(1 << NUMBER_BITS == RS_MAX_FILE_RANKS, "ranks and chunks fit the packed fields");

typedef struct rank_index {
    uint8_t *of;     /* [PLACE_BYTES n_transfers] places in packed[], the low byte first */
    uint32_t *first; /* [n_ranks + 1] */
    uint32_t widest; /* the most of a rank in a step */
} rank_index;

typedef struct tables {
    uint64_t *packed;     /* [n_transfers] */
    uint32_t *step_first; /* [n_steps + 1] */
    int32_t n_steps;
    rank_index out, in;
} tables;

static uint64_t pack(const rs_transfer *t) {
    uint64_t bits = t->effect;
    bits = bits << CHANNEL_BITS | t->channel;
    bits = bits << NUMBER_BITS | (uint64_t)(t->n_chunks - 1);
    bits = bits << NUMBER_BITS | (uint64_t)t->chunk;
    bits = bits << NUMBER_BITS | (uint64_t)t->dst;
    return bits << NUMBER_BITS | (uint64_t)t->src;
}

static int32_t number(uint64_t bits, int place) {
    return (int32_t)(bits >> (place * NUMBER_BITS) & (RS_MAX_FILE_RANKS - 1));
}

/* Reads one byte more than a place has: there is one behind the last. */
static uint32_t place_of(const rank_index *index, uint32_t i) {
    const uint8_t *bytes = &index->of[(size_t)i * PLACE_BYTES];
    const uint32_t four = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24; /* one load on most machines */
    return four & ((1U << 8 * PLACE_BYTES) - 1);
}

static void put_place(const rank_index *index, uint32_t i, uint32_t place) {
    uint8_t *bytes = &index->of[(size_t)i * PLACE_BYTES];
    for (int k = 0; k < PLACE_BYTES; k++) bytes[k] = (uint8_t)(place >> 8 * k);
}

/* Returns the step of a place, which is `from` or later: searches in leaps that double, then that
   halve. */
static int32_t step_of(const tables *table, int32_t from, uint32_t at) {
    int32_t low = from, leap = 1;
    while (low + leap < table->n_steps && table->step_first[low + leap] <= at) {
        low += leap;
        leap *= 2;
    }
    for (; leap > 0; leap /= 2) {
        if (leap < table->n_steps - low && table->step_first[low + leap] <= at) low += leap;
    }
    return low;
}

/* order: the transfer's place in its step. */
static void unpack(const tables *table, uint32_t at, uint32_t order, rs_transfer *out) {
    const uint64_t bits = table->packed[at];
    *out = (rs_transfer){
        .src = number(bits, 0),
        .dst = number(bits, 1),
        .chunk = number(bits, 2),
        .n_chunks = number(bits, 3) + 1,
        .order = (int32_t)order,
        .effect = (uint8_t)(bits >> (4 * NUMBER_BITS + CHANNEL_BITS)),
        .channel = (uint8_t)(bits >> (4 * NUMBER_BITS)),
    };
}

/* Finds the first of the rank's transfers with step >= `step`; first[rank + 1] if there is none. */
static uint32_t seek(const tables *table, const rank_index *index, int32_t step, int32_t rank) {
    const uint32_t begin = table->step_first[step];
    uint32_t low = index->first[rank], high = index->first[rank + 1];
    uint32_t guess =
        low + (uint32_t)((uint64_t)(high - low) * (uint32_t)step / (uint32_t)table->n_steps);
    while (low < high) {
        if (place_of(index, guess) >= begin) {
            high = guess;
            if (low < high && place_of(index, high - 1) < begin) return high;
        } else {
            low = guess + 1;
        }
        guess = low + (high - low) / 2;
    }
    return low;
}

/* Finds the first of a rank's transfers in a step: in a regular schedule by its number. */
static uint32_t first_in(const tables *table, const rank_index *index, int32_t step, int32_t rank) {
    const uint32_t begin = table->step_first[step], end = table->step_first[step + 1];
    const uint32_t first = index->first[rank], last = index->first[rank + 1];
    const uint64_t before = (uint64_t)(uint32_t)step * index->widest;
    const uint32_t at = first + (uint32_t)before;
    if (before < last - first && place_of(index, at) - begin < end - begin &&
        (before == 0 || place_of(index, at - 1) < begin)) {
        return at;
    }
    return seek(table, index, step, rank);
}

static int gather(const rs_schedule *schedule, const rank_index *index, int32_t step, int32_t rank,
                  rs_transfer out[]) {
    const tables *table = schedule->table;
    const uint32_t begin = table->step_first[step], end = table->step_first[step + 1];
    const uint32_t last = index->first[rank + 1];
    uint32_t i = first_in(table, index, step, rank);
    int n = 0;
    for (uint32_t at; i < last && (at = place_of(index, i)) < end; i++) {
        unpack(table, at, at - begin, &out[n++]);
    }
    if (i < last) __builtin_prefetch(&table->packed[place_of(index, i)]); /* the next step's */
    return n;
}

static int sends(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return gather(schedule, &((const tables *)schedule->table)->out, step, rank, out);
}

static int recvs(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]) {
    return gather(schedule, &((const tables *)schedule->table)->in, step, rank, out);
}

static int n_recvs(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const tables *table = schedule->table;
    const rank_index *index = &table->in;
    const uint32_t begin = first_in(table, index, step, rank), last = index->first[rank + 1];
    const uint32_t end = table->step_first[step + 1];
    uint32_t i = begin;
    while (i < last && place_of(index, i) < end) i++;
    return (int)(i - begin);
}

static int32_t next_step(const rs_schedule *schedule, int32_t step, int32_t rank) {
    const tables *table = schedule->table;
    const rank_index *both[] = {&table->out, &table->in};
    int32_t next = schedule->n_steps;
    for (int i = 0; i < 2 && step < schedule->n_steps; i++) {
        const uint32_t at = seek(table, both[i], step, rank);
        if (at == both[i]->first[rank + 1]) continue;
        const int32_t found = step_of(table, step, place_of(both[i], at));
        if (found < next) next = found;
    }
    return next;
}

bool rs_table_next(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                   rs_transfer *transfer) {
    const tables *table = schedule->table;
    const int64_t at = table->step_first[step] + cursor->at;
    if (at >= table->step_first[step + 1]) return false;
    unpack(table, (uint32_t)at, (uint32_t)cursor->at++, transfer);
    return true;
}

int64_t rs_table_elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank) {
    assert(schedule->table != NULL);
    const tables *table = schedule->table;
    int64_t sent = 0;
    for (uint32_t i = table->out.first[rank]; i < table->out.first[rank + 1]; i++) {
        rs_transfer transfer;
        unpack(table, place_of(&table->out, i), 0, &transfer);
        sent += rs_transfer_count(schedule, count, &transfer);
    }
    return sent;
}

/* Says what is wrong with one transfer, NULL if nothing is. */
static const char *fault_of(const rs_transfer *t, int32_t n_ranks, int32_t n_chunks) {
    if (t->src < 0 || t->src >= n_ranks) return RS_MESSAGE("the source is no rank");
    if (t->dst < 0 || t->dst >= n_ranks) return RS_MESSAGE("the destination is no rank");
    if (t->src == t->dst) return RS_MESSAGE("a rank cannot send to itself");
    if (t->chunk < 0 || t->n_chunks < 1 || t->chunk > n_chunks - t->n_chunks) {
        return RS_MESSAGE("the chunks lie outside the array");
    }
    return t->effect == RS_REDUCE || t->effect == RS_COPY ? NULL
                                                          : RS_MESSAGE("neither reduce nor copy");
}

static rs_status check_sizes(int32_t n_ranks, int32_t n_chunks, int32_t n_steps, rs_error *error) {
    if (n_ranks >= 1 && n_ranks <= RS_MAX_FILE_RANKS && n_chunks >= 1 &&
        n_chunks <= RS_MAX_FILE_RANKS && n_steps >= 0 && n_steps <= RS_MAX_FILE_TRANSFERS) {
        return RS_OK;
    }
    return rs_fail(error, RS_BAD_INPUT,
                   "%d ranks, %d chunks, %d steps: a schedule has 1..%d ranks and chunks and "
                   "at most %d steps",
                   (int)n_ranks, (int)n_chunks, (int)n_steps, RS_MAX_FILE_RANKS,
                   RS_MAX_FILE_TRANSFERS);
}

/* Checks that the first step begins at transfer 0, and none before the step that precedes it. */
static rs_status check_steps(int32_t n_steps, const int64_t step_first[], rs_error *error) {
    for (int32_t step = 0; step <= n_steps; step++) {
        const int64_t least = step == 0 ? 0 : step_first[step - 1];
        const int64_t most = step == 0 ? 0 : RS_MAX_FILE_TRANSFERS;
        if (step_first[step] >= least && step_first[step] <= most) continue;
        return rs_fail(error, RS_BAD_INPUT,
                       "step %d begins at transfer %lld: it must lie in %lld..%lld", (int)step,
                       (long long)step_first[step], (long long)least, (long long)most);
    }
    return RS_OK;
}

static rs_status check_list(int32_t n_ranks, int32_t n_chunks, int32_t n_steps,
                            const int64_t step_first[], const rs_transfer list[], rs_error *error) {
    rs_status status = check_sizes(n_ranks, n_chunks, n_steps, error);
    if (status == RS_OK) status = check_steps(n_steps, step_first, error);
    for (int32_t step = 0; status == RS_OK && step < n_steps; step++) {
        for (int64_t i = step_first[step]; i < step_first[step + 1]; i++) {
            const char *fault = fault_of(&list[i], n_ranks, n_chunks);
            if (fault == NULL) continue;
            return rs_fail_word(error, RS_BAD_INPUT, 2, "step %d, transfer %lld: %s", (int)step,
                                (long long)(i - step_first[step]), fault);
        }
    }
    return status;
}

/* Sorts the transfers by one end; counting sort keeps steps and list order. */
static void build_index(const tables *table, int32_t n_ranks, uint32_t n, int place,
                        rank_index *index) {
    for (uint32_t i = 0; i < n; i++) index->first[number(table->packed[i], place) + 1]++;
    for (int32_t r = 0; r < n_ranks; r++) index->first[r + 1] += index->first[r];
    for (uint32_t i = 0; i < n; i++) {
        put_place(index, index->first[number(table->packed[i], place)]++, i);
    }
    for (int32_t r = n_ranks; r > 0; r--) index->first[r] = index->first[r - 1];
    index->first[0] = 0;
}

/* Returns the most entries that one rank has in one step. */
static int32_t widest(const tables *table, const rank_index *index, int32_t n_ranks) {
    int32_t most = 0;
    for (int32_t r = 0; r < n_ranks; r++) {
        int32_t width = 0, step = 0;
        for (uint32_t i = index->first[r]; i < index->first[r + 1]; i++) {
            const int32_t before = step;
            step = step_of(table, before, place_of(index, i));
            width = step == before ? width + 1 : 1;
            if (width > most) most = width;
        }
    }
    return most;
}

static bool steady(const tables *table, const rank_index *index, int32_t n_ranks, int place) {
    for (int32_t r = 0; r < n_ranks; r++) {
        for (uint32_t i = index->first[r]; i + 1 < index->first[r + 1]; i++) {
            if (number(table->packed[place_of(index, i)], place) !=
                number(table->packed[place_of(index, i + 1)], place)) {
                return false;
            }
        }
    }
    return true;
}

static tables *new_tables(int32_t n_ranks, int32_t n_steps, size_t n, rs_arena *arena) {
    tables *made = rs_alloc(arena, 1, sizeof *made);
    if (made == NULL) return NULL;
    made->packed = rs_alloc(arena, n, sizeof *made->packed);
    made->step_first = rs_alloc(arena, (size_t)n_steps + 1, sizeof *made->step_first);
    made->n_steps = n_steps;
    made->out.of = rs_alloc(arena, n * PLACE_BYTES + 1, 1);
    made->in.of = rs_alloc(arena, n * PLACE_BYTES + 1, 1);
    made->out.first = rs_alloc(arena, (size_t)n_ranks + 1, sizeof *made->out.first);
    made->in.first = rs_alloc(arena, (size_t)n_ranks + 1, sizeof *made->in.first);
    const bool whole = made->packed && made->step_first && made->out.of && made->in.of &&
                       made->out.first && made->in.first;
    return whole ? made : NULL;
}

static void fill_tables(tables *table, int32_t n_steps, const int64_t step_first[],
                        const rs_transfer list[], rs_schedule *made) {
    for (int32_t step = 0; step < n_steps; step++) {
        table->step_first[step] = (uint32_t)step_first[step];
        for (int64_t i = step_first[step]; i < step_first[step + 1]; i++) {
            table->packed[i] = pack(&list[i]);
            if (list[i].n_chunks > made->max_run) made->max_run = list[i].n_chunks;
            if (list[i].channel >= made->n_channels) made->n_channels = list[i].channel + 1;
        }
    }
    table->step_first[n_steps] = (uint32_t)step_first[n_steps];
}

rs_status rs_schedule_from_list(int32_t n_ranks, int32_t n_chunks, int32_t n_steps,
                                const int64_t step_first[], const rs_transfer list[],
                                rs_arena *arena, rs_error *error, rs_schedule *schedule) {
    const rs_status status = check_list(n_ranks, n_chunks, n_steps, step_first, list, error);
    if (status != RS_OK) return status;
    const uint32_t n = (uint32_t)step_first[n_steps];
    tables *made = new_tables(n_ranks, n_steps, n, arena);
    if (made == NULL) return rs_no_memory(error);
    rs_schedule seen = {.max_run = 1, .n_channels = 1};
    fill_tables(made, n_steps, step_first, list, &seen);
    build_index(made, n_ranks, n, 0, &made->out);
    build_index(made, n_ranks, n, 1, &made->in);
    const int32_t most_out = widest(made, &made->out, n_ranks);
    const int32_t most_in = widest(made, &made->in, n_ranks);
    made->out.widest = (uint32_t)most_out;
    made->in.widest = (uint32_t)most_in;
    *schedule = (rs_schedule){
        .name = "file",
        .n_ranks = n_ranks,
        .n_chunks = n_chunks,
        .n_steps = n_steps,
        .max_sends = most_out > most_in ? most_out : most_in,
        .max_run = seen.max_run,
        .n_channels = seen.n_channels,
        .n_transfers = n,
        .fixed_neighbours =
            steady(made, &made->out, n_ranks, 1) && steady(made, &made->in, n_ranks, 0),
        .sends = sends,
        .recvs = recvs,
        .n_recvs = n_recvs,
        .next_step = next_step,
        .table = made,
    };
    return RS_OK;
}
