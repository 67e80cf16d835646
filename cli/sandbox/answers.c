/* answers.c: reads what a learner's program said out of the rows that it wrote (ringsim_interpret.h).
 *
 *     -2 5 8 ...  0 3 4 3 1 0 ...  -1 ...     on descriptor 3: a whole answer; without its end there is none
 *     ringsim: the program ...                on stderr: which system call the sandbox refused
 *
 *   - The program may be hostile: no number that it wrote is a size or an index before it was looked at.
 */
#include "base/text.h"
#include "sandbox/answers.h"

#include <assert.h>
#include <string.h>

bool rc_is_backwards(const rc_answer *answer, const rc_answer *turned) {
    const int64_t n = answer->n;
    if (n != turned->n) return false;
    for (int64_t i = 0; i < n; i++) { /* sizes come first in both */
        if (memcmp(answer->rows[i], turned->rows[i == 0 ? 0 : n - i], sizeof(rs_answer_row)) != 0)
            return false;
    }
    return true;
}

bool rc_find_answer(const rc_stream *answers, int i, rc_answer *answer) {
    const rs_answer_row *rows = (const void *)answers->data;
    const size_t n = answers->n_bytes / sizeof *rows;
    size_t from = 0;
    assert(i >= 0);
    for (size_t k = 0; k < n; k++) {
        if (rows[k][0] != RS_ANSWER_END) continue;
        *answer = (rc_answer){.rows = rows + from, .n = (int64_t)(k - from)};
        if (i-- == 0) return true;
        from = k + 1;
    }
    return false;
}

bool rc_is_missing(const rc_answer *answer) {
    return answer->n > 0 && answer->rows[0][0] == RS_ANSWER_MISSING;
}

/* The driver prints these when a call is refused. The program could print the same: we believe only these
   sentences, and only when a call was refused. */
static const char *const refusals[] = {
    N_("the program wanted to start a process"),
    N_("the program wanted to start a process or a thread"),
    N_("the program wanted to open a file for writing"),
    N_("the program wanted to remove a file"),
    N_("the program wanted to reach the network"),
    N_("the program wanted to send a signal to another process"),
    N_("the program wanted to look into another process"),
    N_("the program wanted to change limits of another process"),
    N_("the program wanted to have signals sent to another process"),
    N_("the program wanted to leave its session"),
    N_("the program wanted to end with a status that stands for a signal, 129..159"),
};

/* Returns "" if the sandbox refused nothing, or nothing that we know. */
static const char *refusal_text(const rc_exec_result *result) {
    static const char mark[] = "ringsim: the program wanted to ";
    const char *said = result->err.data != NULL ? strstr(result->err.data, mark) : NULL;
    if (result->end != RC_END_REFUSED || said == NULL) return "";
    said += strlen("ringsim: ");
    const size_t n = strcspn(said, "\n");
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (strlen(refusals[i]) == n && memcmp(refusals[i], said, n) == 0) return _(refusals[i]);
    }
    return "";
}

const char *rc_no_answer_text(const rc_exec_result *result, const rc_exec *exec, char *out,
                              size_t n_out) {
    const char *refusal = refusal_text(result);
    if (refusal[0] == '\0') return rc_exec_result_text(result, exec, out, n_out);
    snprintf(out, n_out, "%s", refusal);
    return out;
}

/* ------------------------------------------------------------------ nonsense */

static const char marks[] = "srnvml"; /* step, rank, N, value, a further one, N - 1 */
enum { N_MARKS = sizeof marks - 1 };

enum { NONE = -1, SEND_CHUNK, SEND_TO, SENDS, TO, CHUNK, STEPS, CHUNKS, N_KINDS };
static const char *const kinds[N_KINDS] = {
    [SEND_CHUNK] = N_("send_chunk(@s, @r, @n) is @v; chunks are 0..@l"),
    [SEND_TO] = N_("send_to(@r, @n) is @v; a GPU sends to another one of 0..@l"),
    [SENDS] = N_("sends(@s, @r, @n, out) is @v; it returns how many messages, 0..64"),
    [TO] = N_("sends(@s, @r, @n, out) sends to GPU @v; the others of 0..@l are meant"),
    [CHUNK] = N_("sends(@s, @r, @n, out) sends @m chunks from chunk @v on; there are not so many"),
    [STEPS] = N_("steps(@n) is @v; 0..100000 are meant"),
    [CHUNKS] = N_("chunks(@n) is @v; 1..4096 are meant"),
};

/* Finds out what is wrong with a plan's sizes, or with its last row, and with which number. */
static int nonsense_of(const int32_t sizes[], const int32_t last[], int n_ranks, int32_t *value) {
    const bool is_ring = sizes[3] != 0;
    const int32_t n_chunks = sizes[1], n_steps = sizes[2], to = last[2], chunk = last[3];
    *value = n_steps;
    if (n_steps < 0 || n_steps > RS_ANSWER_STEPS) return STEPS;
    *value = n_chunks;
    if (n_chunks < 1 || n_chunks > RS_ANSWER_CHUNKS) return CHUNKS;
    *value = last[3]; /* of a count as of a message */
    if (last[0] == RS_ANSWER_COUNT) return SENDS;
    if (last[0] >= 0 && (to < 0 || to >= n_ranks || to == last[1])) {
        *value = to;
        return is_ring ? SEND_TO : TO;
    }
    if (last[0] >= 0 &&
        (chunk < 0 || last[4] < 0 || chunk >= n_chunks || last[4] > n_chunks - chunk))
        return is_ring ? SEND_CHUNK : CHUNK;
    return NONE;
}

/* Tells whether a ring's chunk is right but for the wrap: the remainder that C gives. */
static bool is_unwrapped(const int32_t sizes[], const int32_t row[]) {
    return sizes[3] != 0 && row[0] >= 0 && row[3] < 0 && row[3] > -sizes[1];
}

static int64_t first_wrong(const rc_answer *answer) {
    for (int64_t i = 1; i < answer->n; i++) {
        if (is_unwrapped(answer->rows[0], answer->rows[i])) return i;
    }
    return answer->n - 1;
}

/* Finds the call that a row answers. */
static void find_call(const int32_t row[], int32_t *step, int32_t *rank) {
    const bool plain = row[0] >= 0; /* else a count, behind its mark */
    *step = plain ? row[0] : row[1];
    *rank = plain ? row[1] : row[2];
}

const char *rc_remainder_hint(void) {
    return _(
        "; in C the remainder of a negative number is negative: make it positive first, in the "
        "last step, too");
}

bool rc_nonsense(const rc_answer *answer, int n_ranks, char *out, size_t n_out) {
    assert(n_ranks >= 1);
    if (answer->n == 0 || answer->rows[0][0] != RS_ANSWER_SIZES) return false;
    const int32_t *row = answer->rows[first_wrong(answer)];
    int32_t value, step, rank;
    const int kind = nonsense_of(answer->rows[0], row, n_ranks, &value);
    if (kind == NONE) return false;
    find_call(row, &step, &rank);
    const int32_t numbered[N_MARKS] = {step, rank, n_ranks, value, row[4], n_ranks - 1};
    char texts[N_MARKS][16];
    const char *values[N_MARKS];
    for (int k = 0; k < N_MARKS; k++) {
        snprintf(texts[k], sizeof texts[k], "%d", (int)numbered[k]);
        values[k] = texts[k];
    }
    size_t n = rc_fill_in(_(kinds[kind]), marks, values, out, n_out);
    if (value < 0 && (kind == SEND_CHUNK || kind == SEND_TO)) {
        snprintf(out + n, n_out - n, "%s", rc_remainder_hint());
        n = strlen(out);
    }
    if (kind == SEND_CHUNK && n_ranks > 2 && step >= n_ranks - 1) {
        snprintf(out + n, n_out - n, _("; steps %d..%d are the all-gather, lesson 6"), n_ranks - 1,
                 2 * n_ranks - 3);
    }
    return true;
}

/* ------------------------------------------------------------------ plans */

/* Tells whether a row's numbers behind the first are such that a plan may have. */
static bool is_plain(const int32_t row[]) {
    for (int i = 1; i < 6; i++) {
        if (row[i] < 0 || row[i] > RS_MAX_FILE_TRANSFERS) return false;
    }
    return true;
}

/* Reads n rows, as rs_schedule_from_list wants them. */
static bool take_rows(const rs_answer_row rows[], const int32_t sizes[], int64_t n, int64_t first[],
                      rs_transfer list[]) {
    const int32_t n_steps = sizes[2];
    int32_t step = -1;
    for (int64_t i = 0; i < n; i++) {
        rs_answer_row row;
        memcpy(row, rows[i], sizeof row);
        if (is_unwrapped(sizes, row)) row[3] += sizes[1];
        if (row[0] < step || row[0] >= n_steps || !is_plain(row)) return false;
        list[i] = (rs_transfer){.src = row[1],
                                .dst = row[2],
                                .chunk = row[3],
                                .n_chunks = row[4],
                                .effect = row[5] != 0 ? RS_COPY : RS_REDUCE};
        while (step < row[0]) first[++step] = i;
    }
    while (step < n_steps) first[++step] = n;
    return true;
}

/* Reads the first n messages of a plan with these sizes. */
static rc_exit read_rows(const rc_answer *answer, const int32_t sizes[], int64_t n, int32_t n_ranks,
                         rs_arena *arena, rs_error *error, rs_schedule *schedule) {
    rs_arena scratch;
    rc_exit status = RC_GOOD;
    if (n > RS_MAX_FILE_TRANSFERS)
        return rc_fail(error, RC_USAGE, _("too many messages: at most %d"), RS_MAX_FILE_TRANSFERS);
    const bool is_plan = n >= 0 && sizes[0] == RS_ANSWER_SIZES && is_plain(sizes);
    rs_arena_init(&scratch, arena->host);
    int64_t *first = is_plan ? rs_alloc(&scratch, (size_t)sizes[2] + 1, sizeof *first) : NULL;
    rs_transfer *list = is_plan ? rs_alloc(&scratch, (size_t)n + 1, sizeof *list) : NULL;
    if (is_plan && (first == NULL || list == NULL)) {
        status = rc_no_memory(error);
    } else if (!is_plan || !take_rows(answer->rows + 1, sizes, n, first, list)) {
        status = rc_fail(error, RC_USAGE, _("the answer is no schedule"));
    } else {
        status = rc_exit_of(rs_schedule_from_list(n_ranks, sizes[1], sizes[2], first, list, arena,
                                                  error, schedule));
    }
    rs_arena_free(&scratch);
    return status;
}

rc_exit rc_read_plan(const rc_answer *answer, int32_t n_ranks, rs_arena *arena, rs_error *error,
                     rs_schedule *schedule) {
    return read_rows(answer, answer->rows[0], answer->n - 1, n_ranks, arena, error, schedule);
}

rc_exit rc_read_plan_before(const rc_answer *answer, int32_t n_ranks, rs_arena *arena,
                            rs_error *error, rs_schedule *schedule, int32_t *step, int32_t *rank) {
    const int64_t wrong = first_wrong(answer);
    rs_answer_row sizes;
    memcpy(sizes, answer->rows[0], sizeof sizes);
    find_call(answer->rows[wrong], step, rank);
    sizes[2] = *step + 1;
    return read_rows(answer, sizes, wrong - 1, n_ranks, arena, error, schedule);
}
