/* hang_pieces.c: ranks, calls, groups and differences in words. */
#include "hang/hang_pieces.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *left, const void *right) {
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

char *rc_hang_ranks_from(const rn_hang *hang, int32_t first, int32_t end, char out[RC_HANG_LIST]) {
    enum { MOST = 4096 };
    int32_t ranks[MOST], n = 0;
    for (int32_t i = first; i < end && n < MOST; i++) ranks[n++] = hang->culprits[i].rank;
    if (n > 1) qsort(ranks, (size_t)n, sizeof *ranks, by_number);
    return rv_rank_list(ranks, n, out, RC_HANG_LIST);
}

char *rc_hang_ranks(const rn_hang *hang, char out[RC_HANG_LIST]) {
    return rc_hang_ranks_from(hang, 0, hang->n_culprits, out);
}

char *rc_hang_who(const rn_hang *hang, int32_t first, int32_t end, char out[RC_HANG_LIST + 16]) {
    char ranks[RC_HANG_LIST];
    rc_hang_ranks_from(hang, first, end, ranks);
    snprintf(out, RC_HANG_LIST + 16, end - first == 1 ? _("rank %s") : _("ranks %s"), ranks);
    return out;
}

/* "5 (tp)", "default_pg" */
char *rc_group_text(const rn_hang_place *p, char *out, size_t n_out) {
    if (p->group[0] == '\0') {
        snprintf(out, n_out, "%s", _("? (no line names it)"));
    } else if (p->desc == NULL || strcmp(p->desc, p->group) == 0) {
        snprintf(out, n_out, "%s", p->group);
    } else {
        snprintf(out, n_out, "%s (%s)", p->group, p->desc);
    }
    return out;
}

char *rc_hang_call(const rn_hang_place *p, char out[RC_HANG_CALL]) {
    if (p->where == NULL) {
        snprintf(out, RC_HANG_CALL, "%s", p->call);
    } else {
        snprintf(out, RC_HANG_CALL, _("%s at %s"), p->call, p->where);
    }
    return out;
}

char *rc_hang_sized(const rn_hang_place *p, char out[RC_HANG_CALL]) {
    char sized[RC_HANG_CALL];
    const long long n = (long long)(p->n_in > 0 ? p->n_in : p->n_out);
    if (p->dtype != NULL) {
        snprintf(sized, RC_HANG_CALL, _("%s of %lld %s"), p->call, n, p->dtype);
    } else if (n == 0) { /* not known */
        snprintf(sized, RC_HANG_CALL, "%s", p->call);
    } else {
        snprintf(sized, RC_HANG_CALL, _("%s of %lld"), p->call, n);
    }
    if (p->where != NULL) {
        snprintf(out, RC_HANG_CALL, _("%.300s at %s"), sized, p->where);
    } else {
        snprintf(out, RC_HANG_CALL, "%s", sized);
    }
    return out;
}

const char *rc_hang_difference(rn_hang_difference difference) {
    switch (difference) {
    case RN_DIFFERS_OPERATION: return _("the operation");
    case RN_DIFFERS_TYPE: return _("the type");
    case RN_DIFFERS_SPLIT: return _("the split");
    case RN_DIFFERS_ROOT: return _("the root");
    case RN_DIFFERS_SIZE:
    case RN_DIFFERS_NOT: break;
    }
    return _("the size");
}
