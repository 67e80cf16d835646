/* fuzz_options.c: any words as a command line, up to the request: refused on one line, or sane.
 *
 * The input's lines are the words. Options that read files are left out: what is in files has targets
 * of its own, and a fuzzer should not open what it likes.
 */
#include "base/units.h"
#include "run/request.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

enum { MOST_WORDS = 64, MOST_BYTES = 4096 };

static bool reads_files(const rc_options *options) {
    return rc_given(options, RC_LINKS) || rc_given(options, RC_INPUT) ||
           options->value[RC_ALGO].number == RC_A_FILE;
}

/* Every reader of units, on the whole text. */
static void try_units(const char *text, rs_arena *arena) {
    int64_t whole = -1, *numbers, n;
    uint64_t num = 0, den = 0;
    rs_error error;
    if (rc_parse_amount(RC_IN_BYTES, text, &error, &whole) == RC_GOOD) {
        char printed[RC_UNIT_TEXT];
        int64_t again = -1;
        assert(whole >= 0);
        assert(rc_parse_amount(RC_IN_BYTES, rc_exact_size(whole, printed), &error, &again) ==
               RC_GOOD);
        assert(again == whole);
    }
    if (rc_parse_amount(RC_IN_PS, text, &error, &whole) == RC_GOOD) assert(whole >= 0);
    if (rc_parse_amount(RC_IN_BYTES_PER_S, text, &error, &whole) == RC_GOOD) assert(whole >= 1);
    if (rc_parse_factor(text, &error, &num, &den) == RC_GOOD) {
        assert(num >= 1 && num <= 1000000000 && den >= 1 && den <= 1000000000);
    }
    rc_parse_numbers(text, 1, 1000, arena, &error, &numbers, &n);
    rc_parse_sweep(text, true, arena, &error, &numbers, &n);
}

static void try_line(char *words[], int n_words, rs_arena *arena) {
    rs_error error = {.text = ""};
    rc_session session = {.program = "ringsim", .arena = arena, .error = &error};
    rc_asked asked;
    rc_exit status =
        rc_options_parse(n_words, words, &rc_command_run, arena, &error, &session.options);
    if (status == RC_GOOD && reads_files(&session.options)) return;
    if (status == RC_GOOD) status = rc_make_request(&session, &asked);
    if (status != RC_GOOD) {
        assert(error.text[0] != '\0');
        return;
    }
    const rs_job *job = &asked.request.job;
    assert(job->schedule->n_ranks >= 1 && job->schedule->n_ranks <= RS_MAX_RANKS);
    assert(job->count >= 0 && job->elem_bytes == rs_dtype_bytes(asked.request.dtype));
    assert(job->count <= INT64_MAX / job->elem_bytes / job->schedule->n_ranks);
    for (int32_t i = 0; i < job->n_faults; i++) {
        assert(job->faults[i].rank < job->schedule->n_ranks);
        assert(job->faults[i].step <= job->schedule->n_steps);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    char text[MOST_BYTES + 1];
    char *words[MOST_WORDS + 2] = {"ringsim"};
    int n_words = 1;
    if (n_bytes > MOST_BYTES) return 0;
    memcpy(text, data, n_bytes);
    text[n_bytes] = '\0';
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    arena.limit_bytes = (size_t)1 << 26;
    try_units(text, &arena);
    for (char *at = strtok(text, "\n"); at != NULL && n_words <= MOST_WORDS;
         at = strtok(NULL, "\n")) {
        words[n_words++] = at;
    }
    words[n_words] = NULL;
    try_line(words, n_words, &arena);
    rs_arena_free(&arena);
    return 0;
}
