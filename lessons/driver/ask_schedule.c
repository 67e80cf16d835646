/* ask_schedule.c: asks for a schedule: send_chunk() or sends(), for every step and rank.
 *
 *     question: N, 1 if only the first N - 1 steps are asked for, else 0, and 1 to ask backwards, else 0
 *     answer:   how many chunks and steps, then a row a message: step, source, destination, first chunk, how
 *               many chunks, 1 if it copies, else 0; backwards: the last row first. Or, where the functions
 *               talk nonsense,
 *
 *         nonsense send_chunk 3 2 99        in step 3 rank 2 named what does not exist
 *         missing                           the file has none of these functions
 */
#include "question.h"
#include "ring.h"

#include <string.h>

#pragma weak send_chunk
#pragma weak send_to
#pragma weak sends
#pragma weak steps
#pragma weak chunks

static FILE *answers;
enum { MOST_STEPS = 100000, MOST_CHUNKS = 4096 };

typedef struct plan {
    int n, n_steps, n_chunks;
} plan;

/* Writes what a rank sends; returns how many messages, -1: nonsense, which has been told. */
static int ask_ring(const plan *p, int step, int rank, rs_send out[]) {
    const int to = send_to != NULL ? send_to(rank, p->n) : (rank + 1) % p->n;
    const int chunk = send_chunk(step, rank, p->n);
    if (to < 0 || to >= p->n || to == rank) {
        fprintf(answers, "nonsense send_to %d %d %d\n", step, rank, to);
        return -1;
    }
    if (chunk < 0 || chunk >= p->n_chunks) {
        fprintf(answers, "nonsense send_chunk %d %d %d\n", step, rank, chunk);
        return -1;
    }
    out[0] = (rs_send){.to = to, .chunk = chunk, .chunks = 1, .copy = step >= p->n - 1};
    return 1;
}

static int ask_any(const plan *p, int step, int rank, rs_send out[]) {
    memset(out, 0, RS_MOST_SENDS * sizeof out[0]);
    const int count = sends(step, rank, p->n, out);
    if (count < 0 || count > RS_MOST_SENDS) {
        fprintf(answers, "nonsense sends %d %d %d\n", step, rank, count);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        rs_send *m = &out[i];
        if (m->chunks == 0) m->chunks = 1;
        if (m->to < 0 || m->to >= p->n || m->to == rank) {
            fprintf(answers, "nonsense to %d %d %d\n", step, rank, m->to);
            return -1;
        }
        if (m->chunk < 0 || m->chunks < 0 || m->chunk >= p->n_chunks ||
            m->chunks > p->n_chunks - m->chunk) {
            fprintf(answers, "nonsense chunk %d %d %d %d\n", step, rank, m->chunk, m->chunks);
            return -1;
        }
    }
    return count;
}

static int ask_one(const plan *p, int step, int rank, rs_send out[]) {
    return sends != NULL ? ask_any(p, step, rank, out) : ask_ring(p, step, rank, out);
}

static int turned(int i, int n, int backwards) {
    return backwards ? n - 1 - i : i;
}

static void print_plan(const plan *p, int backwards) {
    fprintf(answers, "%d %d\n", p->n_chunks, p->n_steps);
    for (int s = 0; s < p->n_steps; s++) {
        const int step = turned(s, p->n_steps, backwards);
        for (int r = 0; r < p->n; r++) {
            rs_send out[RS_MOST_SENDS];
            const int rank = turned(r, p->n, backwards);
            const int count = ask_one(p, step, rank, out);
            for (int k = 0; k < count; k++) {
                const rs_send *m = &out[turned(k, count, backwards)];
                fprintf(answers, "%d %d %d %d %d %d\n", step, rank, m->to, m->chunk, m->chunks,
                        m->copy != 0);
            }
            if (count < 0) return;
        }
    }
}

void ringsim_ask_schedule(FILE *to) {
    plan p = {.n = ringsim_next_int()};
    const int first_phase_only = ringsim_next_int(), backwards = ringsim_next_int();
    answers = to;
    if (send_chunk == NULL && sends == NULL) {
        fputs("missing\n", answers);
        return;
    }
    p.n_chunks = p.n;
    p.n_steps = first_phase_only ? p.n - 1 : 2 * (p.n - 1);
    if (sends != NULL && chunks != NULL) p.n_chunks = chunks(p.n);
    if (sends != NULL && steps != NULL && !first_phase_only) p.n_steps = steps(p.n);
    if (p.n_steps < 0 || p.n_steps > MOST_STEPS) {
        fprintf(answers, "nonsense steps 0 0 %d\n", p.n_steps);
    } else if (p.n_chunks < 1 || p.n_chunks > MOST_CHUNKS) {
        fprintf(answers, "nonsense chunks 0 0 %d\n", p.n_chunks);
    } else {
        print_plan(&p, backwards);
    }
}
