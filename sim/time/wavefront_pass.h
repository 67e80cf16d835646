/* wavefront_pass.h: four steps of the ring in one walk along a row; a template.
 *
 * Included once for each vector unit by wavefront_vectors.c, which defines
 *
 *     WIDTH                64-bit integers in a vector
 *     TARGET               the function attribute that unlocks the instructions
 *     MAX(a, b)            the larger, element by element
 *     NEXT(a, b)           a's elements moved down by one, b's first behind them
 *     NAME(x)              a name for this instance
 *
 * A step turns a row t into the next one (wavefront.h draws where the indices come from):
 *
 *     e[i]  = max(t[i], t[i + 1]) + cost[i]              the message has arrived
 *     t'[i] = max(e[i + 1], e[i] + extra[i])             and its receiver is ready for the next
 *
 * It looks forward only, by two places, so a second step can follow two vectors behind the first,
 * a third behind that, all of them in registers:
 *
 *     step 3 .. step 2 .. step 1 .. step 0 <-- t       -> the walk
 *
 * and t is read and written once for four steps. In the first 8 vectors the later steps work on
 * what is no part of the row yet; nothing of it is kept.
 */

typedef int64_t NAME(vec)
    __attribute__((vector_size(WIDTH * sizeof(int64_t)), aligned(sizeof(int64_t)), may_alias));

/* What a step remembers on its way: the last vector of its row and of its arrivals. */
typedef struct NAME(stage) {
    NAME(vec) row, arrived;
} NAME(stage);

/* `cost` belongs to the vector before `in`, `extra` to the one before that; `larger` (mixed rows)
   is all ones in the elements whose chunk is a larger one. */
TARGET static inline __attribute__((always_inline)) NAME(vec)
    NAME(step)(NAME(stage) * stage, NAME(vec) in, const rs_ring_costs *costs, ptrdiff_t at, int k,
               const int64_t *larger, bool has_extra, bool mixed) {
    const ptrdiff_t before = at - WIDTH;
    NAME(vec) cost = *(const NAME(vec) *)(costs->cost + at + k);
    if (mixed) {
        cost += *(const NAME(vec) *)(costs->cost_more + at + k) & *(const NAME(vec) *)(larger + at);
    }
    const NAME(vec) arrived = MAX(stage->row, NEXT(stage->row, in)) + cost;
    NAME(vec) ready = stage->arrived;
    if (has_extra) ready += *(const NAME(vec) *)(costs->extra + before + k);
    if (mixed) {
        ready += *(const NAME(vec) *)(costs->extra_more + before + k) &
                 *(const NAME(vec) *)(larger + before);
    }
    const NAME(vec) out = MAX(NEXT(stage->arrived, arrived), ready);
    stage->row = in;
    stage->arrived = arrived;
    return out;
}

TARGET static inline __attribute__((always_inline)) void NAME(pass)(int64_t *t, ptrdiff_t n,
                                                                    const rs_ring_costs *costs,
                                                                    const int64_t *larger,
                                                                    bool has_extra, bool mixed) {
    const rs_ring_costs c = *costs;
    const NAME(vec) zero = {0};
    NAME(stage) s0 = {zero, zero}, s1 = s0, s2 = s0, s3 = s0;
    for (ptrdiff_t i = 0; i < n + RS_RING_LAG * WIDTH; i += WIDTH) {
        NAME(vec) row = *(const NAME(vec) *)(t + i);
        row = NAME(step)(&s0, row, &c, i - 1 * WIDTH, 0, larger, has_extra, mixed);
        row = NAME(step)(&s1, row, &c, i - 3 * WIDTH, 1, larger, has_extra, mixed);
        row = NAME(step)(&s2, row, &c, i - 5 * WIDTH, 2, larger, has_extra, mixed);
        row = NAME(step)(&s3, row, &c, i - 7 * WIDTH, 3, larger, has_extra, mixed);
        if (i >= RS_RING_LAG * WIDTH) *(NAME(vec) *)(t + i - RS_RING_LAG * WIDTH) = row;
    }
}

TARGET static void NAME(plain)(int64_t *t, ptrdiff_t n, const rs_ring_costs *costs,
                               const int64_t *larger) {
    (void)larger;
    NAME(pass)(t, n, costs, NULL, false, false);
}

TARGET static void NAME(extra)(int64_t *t, ptrdiff_t n, const rs_ring_costs *costs,
                               const int64_t *larger) {
    (void)larger;
    NAME(pass)(t, n, costs, NULL, true, false);
}

TARGET static void NAME(mixed)(int64_t *t, ptrdiff_t n, const rs_ring_costs *costs,
                               const int64_t *larger) {
    NAME(pass)(t, n, costs, larger, true, true);
}

#undef WIDTH
#undef TARGET
#undef MAX
#undef NEXT
#undef NAME
