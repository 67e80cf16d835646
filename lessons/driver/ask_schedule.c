/* ask_schedule.c: asks for a schedule: send_chunk() or sends(), for every step and rank.
 *
 *     question: N, 1 if only the first N - 1 steps are asked for, else 0, and 1 to ask backwards, else 0
 *     answer:   how many chunks and steps, then a row a message: step, source, destination, first chunk, how
 *               many chunks, 1 if it copies, else 0; backwards: the last row first. The first that names what
 *               does not exist is the last; of a ring a chunk of -1 .. 1-N, the remainder that C gives, is not.
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

/* Both write what a rank sends and return how many messages that are. */
static int ask_ring(const plan *p, int step, int rank, rs_send out[]) {
    out[0] = (rs_send){.to = send_to != NULL ? send_to(rank, p->n) : (rank + 1) % p->n,
                       .chunk = send_chunk(step, rank, p->n),
                       .chunks = 1,
                       .copy = step >= p->n - 1};
    return 1;
}

static int ask_any(const plan *p, int step, int rank, rs_send out[]) {
    memset(out, 0, RS_MOST_SENDS * sizeof out[0]);
    const int count = sends(step, rank, p->n, out);
    for (int i = 0; i < count && i < RS_MOST_SENDS; i++) {
        if (out[i].chunks == 0) out[i].chunks = 1;
    }
    return count;
}

static int is_message(const plan *p, int rank, const rs_send *m) {
    const int least = sends == NULL ? 1 - p->n_chunks : 0;
    return m->to >= 0 && m->to < p->n && m->to != rank && m->chunk >= least && m->chunks >= 0 &&
           m->chunk < p->n_chunks && m->chunks <= p->n_chunks - m->chunk;
}

static void say_plan(const plan *p, int backwards) {
    rs_send out[RS_MOST_SENDS];
    for (int i = 0; i < p->n_steps * p->n; i++) {
        const int at = backwards ? p->n_steps * p->n - 1 - i : i, step = at / p->n,
                  rank = at % p->n;
        const int count = (sends != NULL ? ask_any : ask_ring)(p, step, rank, out);
        if (count < 0 || count > RS_MOST_SENDS) {
            ringsim_put_row(answers, (int[6]){ANSWER_COUNT, step, rank, count});
            return;
        }
        for (int k = 0; k < count; k++) {
            const rs_send *m = &out[backwards ? count - 1 - k : k];
            ringsim_put_row(answers,
                            (int[6]){step, rank, m->to, m->chunk, m->chunks, m->copy != 0});
            if (!is_message(p, rank, m)) return;
        }
    }
}

void ringsim_ask_schedule(FILE *to) {
    plan p = {.n = ringsim_next_int()};
    const int first_phase_only = ringsim_next_int(), backwards = ringsim_next_int();
    answers = to;
    if (send_chunk == NULL && sends == NULL) {
        ringsim_put_row(answers, (int[6]){ANSWER_MISSING});
        return;
    }
    p.n_chunks = p.n;
    p.n_steps = first_phase_only ? p.n - 1 : 2 * (p.n - 1);
    if (sends != NULL && chunks != NULL) p.n_chunks = chunks(p.n);
    if (sends != NULL && steps != NULL && !first_phase_only) p.n_steps = steps(p.n);
    ringsim_put_row(answers, (int[6]){ANSWER_SIZES, p.n_chunks, p.n_steps, sends == NULL});
    if (p.n_steps >= 0 && p.n_steps <= MOST_STEPS && p.n_chunks >= 1 && p.n_chunks <= MOST_CHUNKS)
        say_plan(&p, backwards);
}
