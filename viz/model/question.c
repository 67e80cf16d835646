/* question.c: predict, then reveal. Before a step the reader says what a GPU is going to send.
 *
 *   - The right answer comes from the schedule, the wrong ones are what learners believe: that a GPU
 *     always sends its own number, the receiver's number, the same again, something older, or what
 *     the ring's other order would send.
 *   - The same (schedule, step, rank) asks the same question: a class sees one screen.
 *   - With what a GPU begins is a convention: there the question tells what others begin with.
 *   - Where a message is not one chunk (a block of them, the whole array), and in an all-to-all, where
 *     the chunk says nothing new, the question is to whom it goes.
 */
#include "text/say.h"

#include <assert.h>

enum { FEW = 64 };

/* List what a rank sends, or receives, in a step; return how many, 0 where a step has too many. */
static int sends_of(const rs_schedule *s, int32_t step, int32_t rank, rs_transfer out[FEW]) {
    const bool few = step >= 0 && step < s->n_steps && s->max_sends <= FEW;
    return few ? s->sends(s, step, rank, out) : 0;
}

static int recvs_of(const rs_schedule *s, int32_t step, int32_t rank, rs_transfer out[FEW]) {
    const bool few = step >= 0 && step < s->n_steps && s->max_sends <= FEW;
    return few ? s->recvs(s, step, rank, out) : 0;
}

/* Tells whether so many are offered as a reader takes in at once: all, where each has a digit of its own. */
static bool is_full(const rv_question *q, int32_t n_possible) {
    return q->n_choices == (n_possible <= RV_MAX_CHOICES ? RV_MAX_CHOICES : 4);
}

/* Adds a choice if it is possible, is new and there is room. */
static void offer(rv_question *q, int32_t choice, int32_t n_possible, rv_myth myth) {
    if (choice < 0 || choice >= n_possible || is_full(q, n_possible)) return;
    assert(q->n_choices >= 0 && q->n_choices < RV_MAX_CHOICES);
    if (q->ask == RV_ASK_PEER && choice == q->rank) return; /* nobody sends to itself */
    for (int32_t i = 0; i < q->n_choices; i++) {
        if (q->choices[i] == choice) return;
    }
    q->choices[q->n_choices] = choice;
    q->myths[q->n_choices++] = myth;
}

/* Ascending order hides the answer, which was offered first. */
static void sort_choices(rv_question *q) {
    for (int32_t i = 1; i < q->n_choices; i++) {
        for (int32_t k = i; k > 0 && q->choices[k] < q->choices[k - 1]; k--) {
            const int32_t choice = q->choices[k];
            const rv_myth myth = q->myths[k];
            q->choices[k] = q->choices[k - 1], q->myths[k] = q->myths[k - 1];
            q->choices[k - 1] = choice, q->myths[k - 1] = myth;
        }
    }
    for (int32_t i = 0; i < q->n_choices; i++) {
        if (q->myths[i] == RV_MYTH_NONE) q->answer = i;
    }
}

static void offer_neighbours(rv_question *q, int32_t right, int32_t n_possible) {
    for (int32_t d = 1; d < n_possible && !is_full(q, n_possible); d++) {
        offer(q, (right + d) % n_possible, n_possible, RV_MYTH_NEIGHBOUR);
        offer(q, (right + n_possible - d) % n_possible, n_possible, RV_MYTH_NEIGHBOUR);
    }
}

/* Tells whether the schedule is the ring of a collective. */
static bool is_ring(const rs_schedule *s, rs_collective of) {
    return s->algorithm != NULL && s->algorithm == rs_find_algorithm(of, "ring");
}

/* In a chain chunks reach each rank a step later than the one before: whoever forgets that takes the first
   rank's. */
static void offer_head(const rs_schedule *s, rv_question *q) {
    rs_transfer list[FEW];
    const int32_t n = s->n_ranks, end = (s->root + n - 1) % n;
    const bool broadcast = is_ring(s, RS_COLL_BROADCAST);
    if (!broadcast && !is_ring(s, RS_COLL_REDUCE)) return;
    if (sends_of(s, q->step, broadcast ? s->root : end, list) == 0) return;
    offer(q, list[0].chunk, s->n_chunks, RV_MYTH_HEAD);
}

static void ask_chunk(const rs_schedule *s, const rs_transfer *sent, rv_question *q) {
    rs_transfer list[FEW];
    const int32_t c = s->n_chunks, right = sent->chunk;
    q->ask = RV_ASK_CHUNK;
    offer(q, right, c, RV_MYTH_NONE);
    for (int i = recvs_of(s, q->step - 1, q->rank, list) - 1; i >= 0; i--) {
        if (list[i].chunk == right && list[i].n_chunks == 1) q->passes_on = true;
    }
    offer_head(s, q);
    offer(q, q->rank, c, RV_MYTH_OWN);
    if (sends_of(s, q->step - 1, q->rank, list) > 0) offer(q, list[0].chunk, c, RV_MYTH_AGAIN);
    if (is_ring(s, RS_COLL_ALL_GATHER)) offer(q, (right + c - 1) % c, c, RV_MYTH_OTHER_ORDER);
    if (recvs_of(s, q->step - 2, q->rank, list) > 0) offer(q, list[0].chunk, c, RV_MYTH_OLD);
    offer(q, sent->dst, c, RV_MYTH_RECEIVER);
    if (is_ring(s, RS_COLL_ALL_REDUCE)) { /* one off */
        const int32_t other = s->order == RS_ORDER_SEED ? right + c - 1 : right + 1;
        offer(q, other % c, c, RV_MYTH_OTHER_ORDER);
    }
    offer_neighbours(q, right, c);
}

static void ask_peer(const rs_schedule *s, const rs_transfer *sent, rv_question *q) {
    rs_transfer list[FEW];
    const int32_t n = s->n_ranks;
    q->ask = RV_ASK_PEER;
    offer(q, sent->dst, n, RV_MYTH_NONE);
    if (sends_of(s, q->step - 1, q->rank, list) > 0) offer(q, list[0].dst, n, RV_MYTH_AGAIN);
    if (recvs_of(s, q->step, q->rank, list) > 0) offer(q, list[0].src, n, RV_MYTH_SENDER);
    if (s->collective == RS_COLL_REDUCE) offer(q, s->root, n, RV_MYTH_ROOT);
    offer(q, (q->rank + 1) % n, n, RV_MYTH_NEXT);
    offer(q, 0, n, RV_MYTH_NEIGHBOUR);
    offer_neighbours(q, sent->dst, n);
}

/* Tells whether there is a message, and all are parts of what goes one way. */
static bool go_one_way(int n, const rs_transfer sent[]) {
    for (int i = 1; i < n; i++) {
        if (sent[i].dst != sent[0].dst || sent[i].channel != sent[0].channel) return false;
    }
    return n > 0;
}

/* Tells what other GPUs begin with. */
static void tell_others(const rs_schedule *s, rv_question *q) {
    rs_transfer sent[FEW];
    for (int32_t d = 1; d < s->n_ranks && q->n_told < RV_MAX_TOLD; d++) {
        const int32_t other = (q->rank + d) % s->n_ranks;
        if (!go_one_way(sends_of(s, 0, other, sent), sent)) continue;
        q->told[q->n_told] = other;
        q->begins[q->n_told++] = q->ask == RV_ASK_CHUNK ? sent[0].chunk : sent[0].dst;
    }
}

void rv_ask_question(const rs_schedule *schedule, int32_t step, int32_t rank,
                     rv_question *question) {
    assert(rank >= 0 && rank < schedule->n_ranks);
    rv_question q = {.ask = RV_ASK_NOTHING, .of = schedule->collective, .step = step, .rank = rank};
    rs_transfer sent[FEW];
    int n_sent = 0;
    for (int32_t i = 0; i < schedule->n_ranks && n_sent == 0; i++) {
        q.rank = (rank + i) % schedule->n_ranks;
        n_sent = sends_of(schedule, step, q.rank, sent);
    }
    if (go_one_way(n_sent, sent)) { /* with several ways there is no single answer */
        const bool chunk = n_sent == 1 && sent[0].n_chunks == 1 && schedule->n_chunks > 1;
        if (chunk && schedule->collective != RS_COLL_ALL_TO_ALL) {
            ask_chunk(schedule, &sent[0], &q);
        } else if (schedule->n_ranks > 2) {
            ask_peer(schedule, &sent[0], &q);
        }
        sort_choices(&q);
        q.n_possible = q.ask == RV_ASK_CHUNK ? schedule->n_chunks : schedule->n_ranks;
        if (q.n_choices < 2) q.ask = RV_ASK_NOTHING;
        if (q.step == 0) tell_others(schedule, &q);
    }
    *question = q;
}

size_t rv_question_text(const rv_question *question, char *out, size_t n_out) {
    const bool chunk = question->ask == RV_ASK_CHUNK;
    rv_say say = rv_say_to(out, n_out);
    if (question->ask == RV_ASK_NOTHING) return 0;
    for (int i = 0; i < question->n_told; i++) {
        rv_say_more(&say,
                    i == 0  ? chunk ? _("GPU %d begins with chunk %d")
                                    : _("First GPU %d sends to GPU %d")
                     : chunk ? _(", GPU %d with chunk %d")
                            : _(", GPU %d to GPU %d"),
                    (int)question->told[i], (int)question->begins[i]);
    }
    rv_say_more(&say,
                question->n_told > 0 ? _(". And GPU %d?")
                : chunk              ? _("Which chunk does GPU %d send next?")
                                     : _("To which GPU does GPU %d send next?"),
                (int)question->rank);
    return say.used;
}

size_t rv_say_choice(const rv_question *question, int32_t what, char *out, size_t n_out) {
    return rv_say_text(out, n_out, question->ask == RV_ASK_PEER ? _("GPU %d") : _("chunk %d"),
                       (int)what);
}

/* Says which mistake leads to a wrong choice. */
static void say_myth(rv_say *say, const rv_question *q, int32_t choice) {
    if (choice < 0 || choice >= q->n_choices) return;
    const rv_myth myth = q->myths[choice];
    const int what = (int)q->choices[choice];
    const bool gpu = q->ask == RV_ASK_PEER;
    switch (myth) {
    case RV_MYTH_AGAIN:
        rv_say_more(say,
                    gpu ? _(" It sent to GPU %d a step ago.") : _(" It sent chunk %d a step ago."),
                    what);
        break;
    case RV_MYTH_SENDER: rv_say_more(say, _(" It receives from GPU %d."), what); break;
    case RV_MYTH_ROOT: rv_say_more(say, _(" GPU %d is the root."), what); break;
    case RV_MYTH_NEXT: rv_say_more(say, _(" GPU %d is next in a ring."), what); break;
    case RV_MYTH_OWN: rv_say_more(say, _(" Chunk %d is its own number."), what); break;
    case RV_MYTH_RECEIVER: rv_say_more(say, _(" Chunk %d is the receiver's."), what); break;
    case RV_MYTH_OLD: rv_say_more(say, _(" Chunk %d came two steps ago."), what); break;
    case RV_MYTH_OTHER_ORDER:
        rv_say_more(say,
                    q->of == RS_COLL_ALL_GATHER ? _(" Chunk %d: reduce-scatter's order.")
                                                : _(" Chunk %d: the ring's other order."),
                    what);
        break;
    case RV_MYTH_HEAD:
        rv_say_more(say,
                    q->of == RS_COLL_REDUCE ? _(" Chunk %d: the far end sends it.")
                                            : _(" Chunk %d: the root sends it."),
                    what);
        break;
    default: break;
    }
}

/* Keeps the text short: the count of right answers follows it, and both fit a line of 80. */
size_t rv_answer_text(const rv_question *q, int32_t choice, char *out, size_t n_out) {
    rv_say say = rv_say_to(out, n_out);
    assert(q->answer >= 0 && q->answer < q->n_choices && choice < q->n_choices);
    const int right = (int)q->choices[q->answer];
    const bool hit = choice == q->answer, chunk = q->ask == RV_ASK_CHUNK;
    if (hit || (chunk && q->passes_on)) {
        rv_say_more(&say,
                    !chunk         ? _("Right: GPU %d.")
                    : !hit         ? _("No: chunk %d, just received.")
                    : q->passes_on ? _("Right: chunk %d, just received.")
                                   : _("Right: chunk %d."),
                    right);
    } else {
        rv_say_more(&say,
                    chunk ? _("No: GPU %d sends chunk %d.") : _("No: GPU %d sends to GPU %d."),
                    (int)q->rank, right);
    }
    if (!hit) say_myth(&say, q, choice);
    return say.used;
}
