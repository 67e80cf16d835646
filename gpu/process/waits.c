/* waits.c: what spawned ranks say that wait too long, or failed, in one line. See pipe.h.
 *
 *     rank 3: ncclSend on GPU 0: ...; rank 5: ...; rank 0 waits in step 2 for rank 3
 *     ranks 3, 5 said nothing within 2 s: rank 0 waits in step 2 for rank 3; ...
 *
 *   - First those that failed, then those that wait, each by rank: whose word comes first is chance, and changes nothing.
 *   - Where all wait the line first names the silent ranks, for which the others wait, directly or not.
 */
#include "process/pipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRACE_MS = 700, MOST_WORDS = 16 /* more than the line has room for */ };
/* So begins what ranks say that only wait (communicator.c); then a colon. */
static const char no_answer[] = "no answer within ", not_own[] = "another rank failed";

typedef struct rank_words {
    bool late; /* it only waits */
    int64_t rank;
    char told[320];
} rank_words;

typedef struct waiting {
    rank_words list[MOST_WORDS]; /* [n] the first of all, in the order of the line */
    int n;
    bool *spoke; /* [n_ranks]; NULL: no memory */
    int32_t n_ranks;
} waiting;

static bool is_before(const rank_words *a, const rank_words *b) {
    return a->late != b->late ? b->late : a->rank < b->rank;
}

static void keep_words(waiting *w, const rank_words *words) {
    int at = w->n < MOST_WORDS ? w->n : MOST_WORDS - 1;
    if (w->n == MOST_WORDS && !is_before(words, &w->list[at])) return;
    for (; at > 0 && is_before(words, &w->list[at - 1]); at--) w->list[at] = w->list[at - 1];
    w->list[at] = *words;
    if (w->n < MOST_WORDS) w->n++;
}

/* Takes where a rank stands, by rank; what is no place of a rank is left out. */
static void take_stand(rg_reader *reader, int64_t rank, int32_t n_ranks, rg_result *result) {
    const int64_t n_runs = rg_get(reader), step = rg_get(reader);
    const uint64_t open_sends = (uint64_t)rg_get(reader), open_recvs = (uint64_t)rg_get(reader);
    if (reader->bad || rank < 0 || rank >= n_ranks || result->stuck == NULL) return;
    if (n_runs < 0 || n_runs > INT32_MAX || step < -1 || step > INT32_MAX) return;
    if (result->n_stuck == n_ranks) return;
    int32_t at = result->n_stuck++;
    for (; at > 0 && result->stuck[at - 1].rank > rank; at--) {
        result->stuck[at] = result->stuck[at - 1];
    }
    result->stuck[at] = (rg_stand){.rank = (int32_t)rank,
                                   .n_runs = (int32_t)n_runs,
                                   .step = (int32_t)step,
                                   .open_sends = open_sends,
                                   .open_recvs = open_recvs};
}

static void take(waiting *w, rg_reader *reader, rg_result *result) {
    char text[320];
    rank_words words = {.rank = rg_get(reader)};
    rg_get_text(reader, text, sizeof text);
    words.late = strncmp(text, no_answer, sizeof no_answer - 1) == 0 ||
                 strncmp(text, not_own, sizeof not_own - 1) == 0;
    const char *who = words.late ? strstr(text, ": ") : NULL; /* the time is given once */
    snprintf(words.told, sizeof words.told, "%s", who != NULL ? who + 2 : text);
    take_stand(reader, words.rank, w->n_ranks, result);
    if (w->spoke != NULL && words.rank >= 0 && words.rank < w->n_ranks) w->spoke[words.rank] = true;
    keep_words(w, &words);
}

/* Writes "rank 5 said nothing within 2 s" or "ranks 5, 6 and 2 more ..."; false: all said something. */
static bool name_silent(const waiting *w, int32_t ms, char *out, size_t n_out) {
    enum { MOST = 8 };
    int n_silent = 0;
    for (int32_t r = 0; r < w->n_ranks; r++) n_silent += !w->spoke[r];
    size_t n = (size_t)snprintf(out, n_out, n_silent == 1 ? "rank" : "ranks");
    for (int32_t r = 0, i = 0; r < w->n_ranks && i < MOST; r++) {
        if (w->spoke[r]) continue;
        n += (size_t)snprintf(out + n, n_out - n, "%s %d", i == 0 ? "" : ",", (int)r);
        i++;
    }
    if (n_silent > MOST) n += (size_t)snprintf(out + n, n_out - n, " and %d more", n_silent - MOST);
    snprintf(out + n, n_out - n, " said nothing within %g s", ms / 1000.0);
    return n_silent > 0;
}

void rg_child_waits(rg_child *child, int32_t n_ranks, int32_t ms, rg_reader *reader,
                    rg_result *result) {
    const int64_t deadline_ps = rg_now_ps() + GRACE_MS * RG_MS_PS;
    waiting w = {.n_ranks = n_ranks, .spoke = calloc((size_t)n_ranks, sizeof(bool))};
    char *out = result->failure, head[128];
    const size_t n_out = sizeof result->failure;
    size_t n = 0;
    rg_frame kind = RG_FRAME_WAITS;
    do {
        if (kind == RG_FRAME_WAITS) take(&w, reader, result);
    } while (rg_child_receive(child, deadline_ps, NULL, "", &kind, reader) == RG_PIPE_FRAME);
    if (w.list[0].late) { /* else the others need not be late yet */
        if (w.spoke == NULL || !name_silent(&w, ms, head, sizeof head)) {
            snprintf(head, sizeof head, "%s%g s", no_answer, ms / 1000.0);
        }
        n = (size_t)snprintf(out, n_out, "%s: ", head);
    }
    for (int i = 0; i < w.n; i++) { /* the first in any case, of the others those that fit */
        const char *told = w.list[i].told, *before = i > 0 ? "; " : "";
        if (i > 0 && n + strlen(before) + strlen(told) >= n_out) continue;
        n += (size_t)snprintf(out + n, n_out - n, "%s%s", before, told);
        if (n >= n_out) n = n_out - 1;
    }
    free(w.spoke);
}
