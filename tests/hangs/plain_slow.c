/* plain_slow.c: see plain_slow.h. */
#include "hangs/plain_slow.h"

#include <math.h>

enum { RANKS = PLAIN_SLOW_RANKS, ROOM = PLAIN_SLOW_CALLS };

static const rn_dump *dumps;

/* The calls of all that each has kept, one behind the other; a sum over them. */
typedef struct plain_run {
    int32_t n, n_calls; /* ranks; calls that all have */
    const rn_call *first[RANKS][ROOM];
    bool good[ROOM]; /* it can be compared */
    int32_t n_good;
} plain_run;

/* The end is seen up to 0.2 s late; with the GPU's own time it is when that has gone by, if that is in these 0.2 s. */
static int64_t ended(const rn_call *c) {
    const int64_t late = c->completed_ns - c->created_ns - c->lasted_ns;
    return c->lasted_ns > 0 && late > 0 && late < 200000000 ? c->completed_ns - late
                                                            : c->completed_ns;
}
static int64_t began(const rn_call *c) {
    return c->lasted_ns > 0 ? ended(c) - c->lasted_ns : c->created_ns;
}
static bool is_last(int32_t r, const rn_call *c) {
    return c + 1 == dumps[r].calls + dumps[r].n_calls;
}
static long double wait_of(const plain_run *p, int32_t r, int k) {
    return (long double)(ended(p->first[r][k]) - began(p->first[r][k]));
}
/* How long after its beginning the rank's next call came; 0: there is none. */
static long double next_of(const plain_run *p, int32_t r, int k) {
    const rn_call *c = p->first[r][k];
    return is_last(r, c) ? 0 : (long double)(c[1].created_ns - began(c));
}

static bool is_good(const plain_run *p, int k) {
    const long double longest = 2199023255552;
    for (int32_t r = 0; r < p->n; r++) {
        const rn_call *c = p->first[r][k], *like = p->first[0][k];
        if (c->name != 3 || c->seq != like->seq || c->created_ns <= 0) return false;
        if ((c->lasted_ns > 0) != (like->lasted_ns > 0)) return false;
        if (wait_of(p, r, k) <= 0 || wait_of(p, r, k) > longest) return false;
        if (!is_last(r, c) && c[1].created_ns < ended(c)) return false;
        if (next_of(p, r, k) > longest) return false;
    }
    return true;
}

static void line_up(plain_run *p, int32_t n) {
    int64_t from = 0;
    *p = (plain_run){.n = n, .n_calls = ROOM};
    for (int32_t r = 0; r < n; r++) {
        int64_t i = 0;
        while (i < dumps[r].n_calls && dumps[r].calls[i].peer >= 0) i++;
        if (i < dumps[r].n_calls && dumps[r].calls[i].seq > from) from = dumps[r].calls[i].seq;
    }
    for (int32_t r = 0; r < n; r++) {
        int32_t k = 0;
        for (int64_t i = 0; i < dumps[r].n_calls; i++) {
            const rn_call *c = &dumps[r].calls[i];
            if (c->peer < 0 && c->seq >= from) p->first[r][k++] = c;
        }
        if (k < p->n_calls) p->n_calls = k;
    }
    for (int k = 0; k < p->n_calls; k++) p->n_good += p->good[k] = is_good(p, k);
}

/* Sums of products about the means of three series, those of many ranks together. */
typedef struct products {
    long double ww, nn, wn, oo, wo, no;
    int32_t n;
} products;

static void add_products(products *s, const plain_run *p, int32_t r, int32_t late) {
    long double w = 0, next = 0, own = 0;
    int32_t n = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < p->n_calls; k++) {
            if (!p->good[k] || next_of(p, r, k) <= 0 || next_of(p, late, k) <= 0) continue;
            if (pass == 0) {
                w += wait_of(p, r, k), next += next_of(p, r, k), own += next_of(p, late, k);
                n++;
                continue;
            }
            const long double a = wait_of(p, r, k) - w / n, b = next_of(p, r, k) - next / n,
                              c = next_of(p, late, k) - own / n;
            s->ww += a * a, s->nn += b * b, s->wn += a * b;
            s->oo += c * c, s->wo += a * c, s->no += b * c;
        }
        if (n < 2) return;
    }
    s->n = n;
}

/* How far a is above b, as a part of both: below 0 where it is not. */
static long double more_than(long double a, long double b) {
    const long double all = fabsl(a) + fabsl(b);
    return all > 0 ? (a - b) / all : 0;
}

static long double did_wait(const plain_run *p, int32_t late) {
    products s = {0};
    for (int32_t r = 0; r < p->n; r++)
        if (r != late) add_products(&s, p, r, late);
    if (s.oo > 0) {
        s.ww -= s.wo * s.wo / s.oo;
        s.nn -= s.no * s.no / s.oo;
        s.wn -= s.wo * s.no / s.oo;
    }
    if (s.n < 12 || s.ww <= 0) return -1;
    const long double slope = s.wn / s.ww, left = s.nn - slope * s.wn, over = slope - 0.3L;
    return over <= 0 ? over : more_than(over * over * s.ww * s.n, 36 * left);
}

/* How long the rank was in none of its calls from the end of one on to the end of another. */
static long double busy(const plain_run *p, int32_t r) {
    const int64_t from = ended(p->first[r][0]), to = ended(p->first[r][p->n_calls - 1]);
    int64_t sum = 0, at = from;
    for (int64_t i = 0; i < dumps[r].n_calls; i++) { /* they begin one after the other */
        const rn_call *c = &dumps[r].calls[i];
        const int64_t begin = began(c) < to ? began(c) : to;
        if (begin > at) sum += begin - at;
        if (ended(c) > at) at = ended(c);
    }
    return (long double)(at < to ? sum + to - at : sum);
}

static bool goes_ahead(int32_t r) {
    int64_t n = 0, n_ahead = 0;
    for (int64_t i = 0; i + 1 < dumps[r].n_calls; i++) {
        const rn_call *c = &dumps[r].calls[i];
        n += c->peer < 0;
        n_ahead += c->peer < 0 && c[1].created_ns < ended(c);
    }
    return n_ahead * 50 > n;
}

/* Fills in who comes late and by how much; returns how surely: what holds least of all that has to. */
static long double find_slow(const plain_run *p, rn_slow *slow) {
    long double sums[RANKS] = {0}, least = 1, most_busy = 0;
    int32_t late = 0;
    int64_t longest = 0;
    if (p->n_calls < 24 || p->n_good < 24) return -1;
    for (int32_t r = 0; r < p->n; r++) {
        for (int k = 0; k < p->n_calls; k++) sums[r] += p->good[k] ? wait_of(p, r, k) : 0;
        if (sums[r] < sums[late]) late = r;
    }
    *slow = (rn_slow){.rank = late, .n_of = p->n_good};
    for (int k = 0; k < p->n_calls; k++) {
        int64_t gap = INT64_MAX;
        for (int32_t r = 0; r < p->n && p->good[k]; r++) {
            const int64_t by = (int64_t)(wait_of(p, r, k) - wait_of(p, late, k));
            if (r != late && by < gap) gap = by;
        }
        if (!p->good[k]) continue;
        slow->lost_ns += gap;
        slow->n_last += gap > 0;
        slow->late_ns += gap > 0 ? gap : 0;
        if (gap <= longest) continue;
        longest = gap;
        slow->call = p->first[late][k];
    }
    if (slow->n_last == 0) return -1;
    slow->late_ns /= slow->n_last;
    slow->all_ns = ended(p->first[late][p->n_calls - 1]) - began(p->first[late][0]);
    least = fminl(least, more_than((long double)slow->lost_ns, (long double)slow->all_ns / 10));
    for (int32_t r = 0; r < p->n; r++) {
        long double mean = 0, spread = 0;
        if (goes_ahead(r)) return -1;
        if (r == late) continue;
        most_busy = fmaxl(most_busy, busy(p, r));
        for (int k = 0; k < p->n_calls; k++)
            mean += p->good[k] ? (wait_of(p, r, k) - wait_of(p, late, k)) / p->n_good : 0;
        for (int k = 0; k < p->n_calls; k++) {
            const long double off = wait_of(p, r, k) - wait_of(p, late, k) - mean;
            spread += p->good[k] ? off * off / p->n_good : 0;
        }
        if (mean <= 0) return -1;
        least = fminl(least, more_than(mean * mean * p->n_good, 36 * spread));
    }
    least = fminl(least, did_wait(p, late));
    return fminl(least, more_than(busy(p, late) - most_busy, (long double)(slow->lost_ns / 2)));
}

long double plain_slow(const rn_dump all[], int32_t n, rn_slow *slow) {
    plain_run p;
    dumps = all;
    line_up(&p, n);
    return n > 1 ? find_slow(&p, slow) : -1;
}
