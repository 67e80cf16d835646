/* collective.c: what the six collectives are; see ringsim_collective.h. */
#include "ringsim_collective.h"

#include <assert.h>
#include <string.h>

static const char *const names[RS_N_COLLECTIVES] = {"all-reduce", "reduce-scatter", "all-gather",
                                                    "broadcast",  "reduce",         "all-to-all"};

const char *rs_collective_name(rs_collective of) {
    return names[of];
}

bool rs_find_collective(const char *name, rs_collective *of) {
    for (int i = 0; i < RS_N_COLLECTIVES; i++) {
        if (strcmp(names[i], name) != 0) continue;
        *of = (rs_collective)i;
        return true;
    }
    return false;
}

bool rs_collective_reduces(rs_collective of) {
    return of == RS_COLL_ALL_REDUCE || of == RS_COLL_REDUCE_SCATTER || of == RS_COLL_REDUCE;
}

bool rs_collective_rooted(rs_collective of) {
    return of == RS_COLL_BROADCAST || of == RS_COLL_REDUCE;
}

rs_ends rs_collective_ends(rs_collective of, int32_t n_ranks, int32_t n_chunks, int32_t root,
                           int32_t chunk) {
    assert(chunk >= 0 && chunk < n_chunks);
    rs_ends ends = {RS_EVERY_RANK, RS_EVERY_RANK};
    switch (of) {
    case RS_COLL_REDUCE_SCATTER: ends.to = chunk / (n_chunks / n_ranks); break;
    case RS_COLL_ALL_GATHER: ends.from = chunk / (n_chunks / n_ranks); break;
    case RS_COLL_BROADCAST: ends.from = root; break;
    case RS_COLL_REDUCE: ends.to = root; break;
    case RS_COLL_ALL_TO_ALL: ends = (rs_ends){chunk / n_ranks, chunk % n_ranks}; break;
    default: break;
    }
    return ends;
}

rs_status rs_collective_fits(rs_collective of, int32_t n_ranks, int32_t n_chunks, int32_t root,
                             rs_error *error) {
    if (root < 0 || root >= n_ranks) {
        return rs_fail(error, RS_BAD_INPUT, "root %d: the ranks are 0..%d", (int)root,
                       (int)n_ranks - 1);
    }
    const bool sharded = of == RS_COLL_REDUCE_SCATTER || of == RS_COLL_ALL_GATHER;
    if (sharded && n_chunks % n_ranks != 0) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%s among %d ranks: %d chunks; it needs as many for each rank", names[of],
                       (int)n_ranks, (int)n_chunks);
    }
    if (of == RS_COLL_ALL_TO_ALL && n_chunks != (int64_t)n_ranks * n_ranks) {
        return rs_fail(error, RS_BAD_INPUT,
                       "all-to-all among %d ranks: %d chunks; it needs %d x %d, one for each pair",
                       (int)n_ranks, (int)n_chunks, (int)n_ranks, (int)n_ranks);
    }
    return RS_OK;
}

int32_t rs_fewest_chunks(rs_collective of, int32_t n_ranks) {
    if (of == RS_COLL_ALL_TO_ALL) return n_ranks * n_ranks;
    return of == RS_COLL_REDUCE_SCATTER || of == RS_COLL_ALL_GATHER ? n_ranks : 1;
}

void rs_busbw_factor(rs_collective of, int32_t n, int64_t *num, int64_t *den) {
    const bool whole = rs_collective_rooted(of);
    *num = whole ? 1 : of == RS_COLL_ALL_REDUCE ? 2 * ((int64_t)n - 1) : (int64_t)n - 1;
    *den = whole ? 1 : n;
}
