/* answers.c: reads what a learner's program said out of the bytes that it wrote.
 *
 *     case 0 / ... / end 0        on descriptor 3: a whole answer; without its end there is none
 *     5 8 / 0 3 4 3 1 0 / ...     a plan: chunks and steps; a row a message (lessons/driver/ask_schedule.c)
 *     nonsense send_to 3 5 9      in an answer: the functions name what does not exist
 *     ringsim: the program ...    on stderr: which system call the sandbox refused
 */
#include "base/text.h"
#include "sandbox/answers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Returns the length of the line that begins at `from`, with its end. */
static size_t line_length(const char *from, const char *end) {
    const char *newline = memchr(from, '\n', (size_t)(end - from));
    return (size_t)((newline != NULL ? newline + 1 : end) - from);
}

bool rc_is_backwards(const char *text, size_t n_text, const char *turned, size_t n_turned) {
    const char *end = text + n_text, *to = turned + n_turned;
    const size_t head = line_length(text, end); /* the same in both */
    if (n_text != n_turned || memcmp(text, turned, head) != 0) return false;
    for (const char *at = text + head; at < end;) {
        const size_t n = line_length(at, end);
        if ((size_t)(to - turned) < head + n || memcmp(at, to - n, n) != 0) return false;
        at += n;
        to -= n;
    }
    return true;
}

bool rc_answer(const rc_stream *answers, int i, const char **text, size_t *n_bytes) {
    char begin[32], end[32];
    assert(i >= 0);
    if (answers->data == NULL) return false;
    snprintf(begin, sizeof begin, "case %d\n", i);
    snprintf(end, sizeof end, "end %d\n", i);
    const char *from = strstr(answers->data, begin);
    if (from == NULL || (from != answers->data && from[-1] != '\n')) return false;
    from += strlen(begin);
    const char *to = from;
    while ((to = strstr(to, end)) != NULL && to != from && to[-1] != '\n') to++;
    if (to == NULL) return false;
    *text = from;
    *n_bytes = (size_t)(to - from);
    return true;
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

typedef struct nonsense {
    const char *word;
    const char *text; /* with marks, @s */
} nonsense;
static const nonsense kinds[] = {
    {"nonsense send_chunk", N_("send_chunk(@s, @r, @n) is @v; chunks are 0..@l")},
    {"nonsense send_to", N_("send_to(@r, @n) is @v; a GPU sends to another one of 0..@l")},
    {"nonsense sends", N_("sends(@s, @r, @n, out) is @v; it returns how many messages, 0..64")},
    {"nonsense to", N_("sends(@s, @r, @n, out) sends to GPU @v; the others of 0..@l are meant")},
    {"nonsense chunk",
     N_("sends(@s, @r, @n, out) sends @m chunks from chunk @v on; there are not so many")},
    {"nonsense steps", N_("steps(@n) is @v; 0..100000 are meant")},
    {"nonsense chunks", N_("chunks(@n) is @v; 1..4096 are meant")},
};

/* Finds a line that begins with the word; returns what follows it, NULL if there is none. */
static const char *find_line(const char *text, size_t n_bytes, const char *word) {
    const char *end = text + n_bytes;
    const size_t n = strlen(word);
    for (const char *at = text; at < end; at++) {
        if ((size_t)(end - at) > n && memcmp(at, word, n) == 0 && at[n] == ' ') return at + n;
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL) break;
    }
    return NULL;
}

bool rc_nonsense(const char *text, size_t n_bytes, int n_ranks, char *out, size_t n_out) {
    assert(n_ranks >= 1);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *numbers = find_line(text, n_bytes, kinds[i].word);
        int step = 0, rank = 0, value = 0, more = 0;
        if (numbers == NULL) continue;
        if (sscanf(numbers, "%d %d %d %d", &step, &rank, &value, &more) < 3) continue;
        const int numbered[N_MARKS] = {step, rank, n_ranks, value, more, n_ranks - 1};
        char texts[N_MARKS][16];
        const char *values[N_MARKS];
        for (int k = 0; k < N_MARKS; k++) {
            snprintf(texts[k], sizeof texts[k], "%d", numbered[k]);
            values[k] = texts[k];
        }
        const size_t n = rc_fill_in(_(kinds[i].text), marks, values, out, n_out);
        if (i == 0 && step >= n_ranks - 1) {
            snprintf(out + n, n_out - n,
                     _("; steps from %d on are the all-gather, lesson 6: ((x %% n) + n) %% n wraps "
                       "round in all of them"),
                     n_ranks - 1);
        } else if (value < 0 && i < 2) {
            snprintf(out + n, n_out - n, "%s",
                     _("; in C the remainder of a negative number is negative"));
        }
        return true;
    }
    if (n_bytes >= 8 && memcmp(text, "missing\n", 8) == 0) {
        snprintf(out, n_out, "%s",
                 _("the file defines neither send_chunk() nor sends(); see ring.h"));
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ plans */

/* Reads the next n numbers; false: there are not so many, or they are none that a plan has. */
static bool take_numbers(const char **at, int n, int32_t numbers[]) {
    for (int i = 0; i < n; i++) {
        char *end;
        const long value = strtol(*at, &end, 10);
        if (end == *at || value < 0 || value > RS_MAX_FILE_TRANSFERS) return false;
        numbers[i] = (int32_t)value;
        *at = end;
    }
    return true;
}

/* Reads n rows, as rs_schedule_from_list wants them. */
static bool take_rows(const char *at, int32_t n_steps, int64_t n, int64_t first[],
                      rs_transfer list[]) {
    int32_t step = -1, row[6];
    for (int64_t i = 0; i < n; i++) {
        if (!take_numbers(&at, 6, row) || row[0] < step || row[0] >= n_steps) return false;
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

rc_exit rc_read_plan(const char *text, size_t n_bytes, int32_t n_ranks, rs_arena *arena,
                     rs_error *error, rs_schedule *schedule) {
    int32_t sizes[2]; /* chunks, steps */
    int64_t n = -1;   /* the head is no row */
    rs_arena scratch;
    rc_exit status = RC_GOOD;
    for (size_t i = 0; i < n_bytes; i++) n += text[i] == '\n';
    if (n > RS_MAX_FILE_TRANSFERS)
        return rc_fail(error, RC_USAGE, _("too many messages: at most %d"), RS_MAX_FILE_TRANSFERS);
    const bool is_plan = n >= 0 && take_numbers(&text, 2, sizes);
    rs_arena_init(&scratch, arena->host);
    int64_t *first = is_plan ? rs_alloc(&scratch, (size_t)sizes[1] + 1, sizeof *first) : NULL;
    rs_transfer *list = is_plan ? rs_alloc(&scratch, (size_t)n + 1, sizeof *list) : NULL;
    if (is_plan && (first == NULL || list == NULL)) {
        status = rc_no_memory(error);
    } else if (!is_plan || !take_rows(text, sizes[1], n, first, list)) {
        status = rc_fail(error, RC_USAGE, _("the answer is no schedule"));
    } else {
        status = rc_exit_of(rs_schedule_from_list(n_ranks, sizes[0], sizes[1], first, list, arena,
                                                  error, schedule));
    }
    rs_arena_free(&scratch);
    return status;
}
