/* fuzz_hang.c: any bytes as a flight recorder's dump, a log, a report of RAS: refused in one line, or calls whose fields are
 * in range; and what was read can be judged. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#include <sanitizer/asan_interface.h> /* does nothing without the sanitizer */
#else
#define ASAN_POISON_MEMORY_REGION(place, n_bytes) ((void)(place), (void)(n_bytes))
#define ASAN_UNPOISON_MEMORY_REGION(place, n_bytes) ((void)(place), (void)(n_bytes))
#endif

#include "ringsim_hang.h"

/* Arenas' blocks go round: mapping fresh ones took most of the time. Who touches one that was given back is caught. */
enum { N_SIZES = 2, N_KEPT = 16 };
static const size_t sizes[N_SIZES] = {64 * 1024, 256 * 1024 + 256};
static struct {
    void *blocks[N_KEPT];
    int n;
} kept[N_SIZES];

static int size_class(size_t n_bytes) {
    for (int i = 0; i < N_SIZES; i++) {
        if (n_bytes <= sizes[i] && n_bytes > sizes[i] / 2) return i;
    }
    return N_SIZES;
}

static void *allocate(void *context, size_t n_bytes) {
    (void)context;
    const int i = size_class(n_bytes);
    if (i == N_SIZES) return malloc(n_bytes);
    void *block = kept[i].n > 0 ? kept[i].blocks[--kept[i].n] : malloc(sizes[i]);
    if (block == NULL) return NULL;
    ASAN_POISON_MEMORY_REGION(block, sizes[i]);
    ASAN_UNPOISON_MEMORY_REGION(block, n_bytes);
    return block;
}

static void release(void *context, void *block, size_t n_bytes) {
    (void)context;
    const int i = size_class(n_bytes);
    if (i == N_SIZES || kept[i].n == N_KEPT) {
        if (i != N_SIZES) ASAN_UNPOISON_MEMORY_REGION(block, sizes[i]);
        free(block);
        return;
    }
    ASAN_POISON_MEMORY_REGION(block, sizes[i]);
    kept[i].blocks[kept[i].n++] = block;
}

static const rs_host host = {.allocate = allocate, .release = release};

typedef rs_status read_many(const char *bytes, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                            rs_error *error, rn_dump **dumps, int32_t *n_dumps);

static void check(const rn_dump *dump) {
    for (int64_t i = 0; i < dump->n_calls; i++) {
        const rn_call *call = &dump->calls[i];
        assert(call->group >= 0 && call->group < dump->n_groups && call->seq >= 0);
        assert(call->name < dump->n_words && call->where < dump->n_words);
        assert(call->n_in >= 0 && call->n_out >= 0);
    }
}

/* A log may name rank 100,000, and all below it are then waited for: of such jobs one in 16 is judged, for the time. */
static bool is_large(const rn_dump dumps[], int32_t n) {
    int64_t ranks = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t g = 0; g < dumps[i].n_groups; g++) ranks += dumps[i].groups[g].n_ranks;
    }
    return ranks > 2048 && ranks % 16 != 0;
}

static void judge(rn_dump dumps[], int32_t n) {
    if (is_large(dumps, n)) return;
    rs_arena arena;
    rn_hang hang;
    rs_error error = {.text = ""};
    rs_arena_init(&arena, &host);
    const rs_status status = rn_judge_hang(dumps, n, NULL, &arena, &error, &hang);
    assert(status == RS_OK || status == RS_NO_MEMORY);
    assert(status != RS_OK || hang.verdict < RN_N_HANG_VERDICTS);
    rs_arena_free(&arena);
}

static void read_whole(const uint8_t *data, size_t size, read_many *read) {
    char *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena scratch, keep;
    rs_arena_init(&scratch, &host);
    rs_arena_init(&keep, &host);
    rs_error error = {.text = ""};
    rn_dump *dumps;
    int32_t n = 0;
    const rs_status status = read(exact, size, &scratch, &keep, &error, &dumps, &n);
    free(exact);
    rs_arena_free(&scratch);
    assert(status == RS_OK ? n > 0 : error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    for (int32_t i = 0; i < n; i++) {
        assert(dumps[i].rank >= 0 && (i == 0 || dumps[i].rank > dumps[i - 1].rank));
        check(&dumps[i]);
    }
    if (n > 0) judge(dumps, n);
    rs_arena_free(&keep);
}

/* What a log says itself names ranks that there can be. */
static rs_status read_log(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                          rs_error *error, rn_dump **dumps, int32_t *n) {
    rn_evidence *said;
    rn_hang hang = {.verdict = RN_HANG_UNDECIDED};
    int32_t n_said = 0;
    const rs_status status =
        rn_read_hang_log(text, n_bytes, scratch, keep, error, dumps, n, &said, &n_said);
    if (status != RS_NO_MEMORY)
        assert(rn_weigh_evidence(said, n_said, keep, error, &hang) == RS_OK);
    for (int32_t i = 0; i < hang.n_culprits; i++) assert(hang.culprits[i].rank >= 0);
    return status;
}

static rs_status read_part(const uint8_t *data, size_t size, rs_arena *keep, int32_t rank,
                           rn_dump *dump) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena scratch;
    rs_arena_init(&scratch, &host);
    rs_error error = {.text = ""};
    const rs_status status = rn_read_recorder(exact, size, &scratch, keep, &error, dump);
    if (status == RS_OK) {
        dump->rank = rank;
        check(dump);
    } else {
        assert(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    }
    free(exact);
    rs_arena_free(&scratch);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* What cannot be a dump whole is not cut, too: reading each three times took most of the time. */
static void read_dump(const uint8_t *data, size_t size) {
    const size_t parts[] = {size, size / 2, size - size / 4};
    rn_dump dumps[3];
    int32_t n = 0;
    rs_arena keep;
    rs_arena_init(&keep, &host);
    for (int32_t i = 0; i < 3 && (i == 0 || n > 0); i++) {
        n += read_part(data, parts[i], &keep, i, &dumps[n]) == RS_OK;
    }
    if (n > 0) judge(dumps, n);
    rs_arena_free(&keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { PROTO = 0x80 };
    const bool json = size > 0 && data[0] == '{', pickle = size > 0 && data[0] == PROTO;
    read_dump(data, size);
    if (json) read_whole(data, size, rn_read_ras);
    if (!json && !pickle) read_whole(data, size, read_log);
    if (!json && !pickle) read_whole(data, size, rn_read_ras_text);
    return 0;
}
