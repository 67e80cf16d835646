/* nccl_filter.c: what NCCL_ALGO and NCCL_PROTO let through.
 *
 *     ring,tree           for every function
 *     ^nvls               all but these
 *     ring;allreduce:tree a list of its own for a function; only the first list may be without one   (since 2.24)
 */
#include "ringsim_tuning.h"

#include <string.h>

/* One of the two settings: its names, and where they are kept. */
typedef struct setting {
    const char *title;
    int n_names;
    bool protocols;
    uint8_t *rows; /* [RS_N_COLLECTIVES][n_names] */
} setting;

/* Returns which of its names it is; -1: none. */
static int find_name(const setting *s, const char *name, size_t n) {
    rn_nccl_algorithm a;
    rn_nccl_protocol p;
    if (s->protocols) return rn_nccl_find_protocol(name, n, &p) ? (int)p : -1;
    return rn_nccl_find_algorithm(name, n, &a) ? (int)a : -1;
}

/* Reads a list of names into the row: 1 named, 0 not, or with '^' the other way. Old versions pass over a name that
   they don't know. */
static rs_status read_list(const setting *s, const char *text, size_t n, bool strict, uint8_t row[],
                           rs_error *error) {
    const bool but = n > 0 && text[0] == '^';
    if (but) {
        text++;
        n--;
    }
    for (int i = 0; i < s->n_names; i++) row[i] = but;
    while (n > 0) {
        const char *comma = memchr(text, ',', n);
        const size_t length = comma != NULL ? (size_t)(comma - text) : n;
        const int index = length > 0 ? find_name(s, text, length) : -1;
        if (index >= 0) {
            row[index] = !but;
        } else if (length > 0 && strict) {
            return rs_fail(error, RS_BAD_INPUT, "%s: there is no %.*s", s->title,
                           length < 40 ? (int)length : 40, text);
        }
        text += comma != NULL ? length + 1 : length;
        n -= comma != NULL ? length + 1 : length;
    }
    return RS_OK;
}

static rs_status read_part(const setting *s, const char *text, size_t n, bool first, bool strict,
                           rs_error *error) {
    const char *colon = strict ? memchr(text, ':', n) : NULL;
    const size_t head = colon != NULL ? (size_t)(colon - text) + 1 : 0;
    rs_collective only = RS_N_COLLECTIVES;
    uint8_t row[RN_NCCL_N_ALGORITHMS];
    if (colon == NULL && !first) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%s: only the first list may be without a function: %.*s", s->title,
                       n < 60 ? (int)n : 60, text);
    }
    if (colon != NULL && !rn_nccl_find_collective(text, head - 1, &only)) {
        return rs_fail(error, RS_BAD_INPUT, "%s: there is no function %.*s", s->title,
                       head < 41 ? (int)head - 1 : 40, text);
    }
    const rs_status status = read_list(s, text + head, n - head, strict, row, error);
    for (int coll = 0; coll < RS_N_COLLECTIVES && status == RS_OK; coll++) {
        if (only != RS_N_COLLECTIVES && coll != (int)only) continue;
        memcpy(s->rows + coll * s->n_names, row, (size_t)s->n_names);
    }
    return status;
}

void rn_nccl_filter_open(rn_nccl_filter *filter) {
    memset(filter, 1, sizeof *filter);
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) filter->protocols[coll][RN_NCCL_LL128] = 2;
}

rs_status rn_nccl_filter_set(rn_nccl_filter *filter, int32_t version, const char *name,
                             const char *text, rs_error *error) {
    rn_nccl_filter changed = *filter;
    const bool protocols = strcmp(name, "NCCL_PROTO") == 0;
    const setting s = {name, protocols ? RN_NCCL_N_PROTOCOLS : RN_NCCL_N_ALGORITHMS, protocols,
                       protocols ? &changed.protocols[0][0] : &changed.algorithms[0][0]};
    if (!protocols && strcmp(name, "NCCL_ALGO") != 0) return RS_OK;
    const bool by_function = version >= RN_NCCL_BY_FUNCTION;
    size_t n = strlen(text);
    rs_status status = RS_OK;
    if (version >= RN_NCCL_ONLY_NAMED && memchr(text, ':', n) != NULL) {
        memset(s.rows, 0, (size_t)(RS_N_COLLECTIVES * s.n_names));
    }
    for (bool first = true; n > 0 && status == RS_OK; first = false) {
        const char *end = by_function ? memchr(text, ';', n) : NULL;
        const size_t length = end != NULL ? (size_t)(end - text) : n;
        if (length > 0) status = read_part(&s, text, length, first, by_function, error);
        text += end != NULL ? length + 1 : length;
        n -= end != NULL ? length + 1 : length;
    }
    if (status == RS_OK) *filter = changed; /* what is wrong changes nothing */
    return status;
}
