/* said_log.h: a log or a report that a test says line by line, and the dumps read of it. Each program includes it once.
 *
 *     TestSuite(hang_log, .init = start, .fini = stop);
 *     begin(seed);  SAY("rank %d\n", r);  ... read text, n_text into dumps, n_dumps ...  group_named(dump_of(r), "default")
 */
#pragma once

#include "ringsim_hang.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 18 };

static rs_arena scratch, keep;
static rs_error error;
static rn_dump *dumps;
static int32_t n_dumps;
static char text[ROOM] __attribute__((unused));
static size_t n_text;
static uint64_t state;
static rn_evidence *said __attribute__((unused));
static int32_t n_said __attribute__((unused));

static inline void start(void) {
    rs_arena_init(&scratch, NULL);
    rs_arena_init(&keep, NULL);
}
static inline void stop(void) {
    rs_arena_free(&scratch);
    rs_arena_free(&keep);
}

static inline rs_status read_log(const char *log, size_t n_bytes) {
    return rn_read_hang_log(log, n_bytes, &scratch, &keep, &error, &dumps, &n_dumps, &said,
                            &n_said);
}

static rn_hang hang __attribute__((unused)); /* of the last log */
static inline rs_status judge(const char *log, size_t n_bytes) {
    const rs_status status = read_log(log, n_bytes);
    if (status == RS_OK)
        cr_assert_eq(rn_judge_hang(dumps, n_dumps, NULL, &keep, &error, &hang), RS_OK);
    return status;
}

static inline uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}
static inline void begin(uint64_t seed) {
    state = seed * 0x9e3779b97f4a7c15;
    n_text = 0;
    stop();
    start();
}

#define SAY(...)                                                                                   \
    do {                                                                                           \
        n_text += (size_t)snprintf(text + n_text, ROOM - n_text, __VA_ARGS__);                     \
        cr_assert_lt(n_text, ROOM);                                                                \
    } while (0)

static inline const rn_dump *dump_of(int32_t rank) {
    const rn_dump *found = NULL;
    for (int32_t d = 0; d < n_dumps; d++) {
        if (d > 0) cr_assert_gt(dumps[d].rank, dumps[d - 1].rank);
        if (dumps[d].rank == rank) found = &dumps[d];
    }
    return found;
}
static inline int32_t group_named(const rn_dump *d, const char *name) {
    for (int32_t g = 0; g < d->n_groups; g++) {
        if (strcmp(d->words[d->groups[g].name], name) == 0) return g;
    }
    return -1;
}

enum { N_FORMS = 4 };
/* A timeout as a version writes it, and where it does the line that names the group. local: a launcher writes the local rank before. */
static inline void say_timeout(int form, bool local, int r, int64_t seq, const char *type,
                               int size) {
    if (form > 0) SAY("%s[rank%d]:[E626 16:48:25.4] ", local ? "[rank0]:" : "", r);
    SAY("[Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=%d, OpType=%s, ",
        r, (int)seq, type);
    if (form > 0) SAY("NumelIn=%d, NumelOut=%d, ", size, size);
    SAY("Timeout(ms)=600000) ran for 600021 milliseconds before timing out.%s",
        form == 3 ? "" : "\n");
    if (form == 0) return;
    SAY("%s[rank%d]:[E626 16:48:25.5] ", local ? "[rank0]:" : "", r);
    if (form == 1) SAY("[PG 1 Rank %d] Timeout at NCCL work: %d, ", r, (int)seq);
    if (form == 2)
        SAY("[PG ID 0 PG GUID 0(default_pg) Rank %d] Exception (either an error or timeout) detected by watchdog at "
            "work: %d, ",
            r, (int)seq);
    if (form == 3)
        SAY("[PG ID 0 PG GUID 0(default_pg) Rank %d]  failure detected by watchdog at work sequence id: %d PG status: ",
            r, (int)seq);
    SAY("last enqueued work: %d, last completed work: %d\n", (int)seq + 1, (int)seq - 1);
}
