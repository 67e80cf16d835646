/* waits_told.c: who waits for whom, in words: for ranks that have not come; or for nobody, as all have come, and then the
 * calls may differ.
 */
#include "story/waits_told.h"
#include "text/words.h"

#include <stdio.h>
#include <string.h>

char *rv_rank_list(const int32_t ranks[], int32_t n, char *out, size_t n_out) {
    size_t used = 0;
    out[0] = '\0';
    for (int32_t i = 0, end; i < n; i = end) {
        char part[48];
        for (end = i + 1; end < n && ranks[end] == ranks[end - 1] + 1;) end++;
        const char *comma = i > 0 ? _(", ") : "";
        const int length = end - i > 2 ? snprintf(part, sizeof part, "%s%d-%d", comma,
                                                  (int)ranks[i], (int)ranks[end - 1])
                                       : snprintf(part, sizeof part, "%s%d", comma, (int)ranks[i]);
        if (end - i == 2) end--;
        if (used + (size_t)length + strlen(_(", ")) + sizeof "..." > n_out) {
            snprintf(out + used, n_out - used, "%s...", _(", "));
            return out;
        }
        memcpy(out + used, part, (size_t)length + 1);
        used += (size_t)length;
    }
    return out;
}

enum { LIST = 18 /* bytes of a list of ranks in a narrow panel */ };

/* ------------------------------------------------------------------ which are alike */

static int by_number(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}
static int by_text(const char *a, const char *b) {
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* "9" before "10". */
static int by_name(const char *a, const char *b) {
    const size_t n = strspn(a, "0123456789"), m = strspn(b, "0123456789");
    return n != m && n > 0 && m > 0 ? by_number((int64_t)n, (int64_t)m) : strcmp(a, b);
}

static int by_arguments(const rn_hang_place *a, const rn_hang_place *b) {
    int order = by_text(a->call, b->call);
    if (order == 0) order = by_text(a->dtype, b->dtype);
    if (order == 0) order = by_number(a->n_in, b->n_in);
    if (order == 0) order = by_number(a->n_out, b->n_out);
    if (order == 0) order = by_number(a->root, b->root);
    return order != 0 ? order : by_number(a->op, b->op);
}

int rv_order_waits(const rn_hang_wait *a, const rn_hang_wait *b) {
    int order = by_name(a->at.group, b->at.group);
    if (order == 0) order = by_number(a->at.seq, b->at.seq);
    if (order == 0) order = by_arguments(&a->at, &b->at);
    if (order == 0) order = by_text(a->at.where, b->at.where);
    if (order == 0) order = by_number(a->n_ranks, b->n_ranks);
    if (order != 0 || a->ranks == b->ranks || a->n_ranks == 0) return order;
    return memcmp(a->ranks, b->ranks, (size_t)a->n_ranks * sizeof *a->ranks);
}

/* Messages have numbers of their own: those of two ranks say nothing. */
static bool is_message(const rn_hang_place *at) {
    const char *name = at->call; /* NCCL writes them large */
    return strncmp(name, "send", 4) == 0 || strncmp(name, "recv", 4) == 0 ||
           strncmp(name, "Send", 4) == 0 || strncmp(name, "Recv", 4) == 0;
}

bool rv_waits_differ(const rn_hang_wait *a, const rn_hang_wait *b) {
    if (a->n_ranks > 0 || b->n_ranks > 0 || a->at.seq != b->at.seq) return false;
    if (by_text(a->at.group, b->at.group) != 0 || is_message(&a->at) || is_message(&b->at))
        return false;
    return by_arguments(&a->at, &b->at) != 0;
}

/* ------------------------------------------------------------------ in words */

char *rv_wait_call(const rn_hang_wait *wait, bool differs, char out[RV_WAIT_TEXT]) {
    const rn_hang_place *at = &wait->at;
    const long long n = (long long)(at->n_in > 0 ? at->n_in : at->n_out);
    if (differs && n > 0 && at->dtype != NULL) {
        snprintf(out, RV_WAIT_TEXT, _("%s %lld of %lld %s"), at->call, (long long)at->seq, n,
                 at->dtype);
    } else if (differs && n > 0) {
        snprintf(out, RV_WAIT_TEXT, _("%s %lld of %lld"), at->call, (long long)at->seq, n);
    } else {
        snprintf(out, RV_WAIT_TEXT, "%s %lld", at->call, (long long)at->seq);
    }
    return out;
}

char *rv_wait_for(const rn_hang_wait *wait, bool differs, char out[RV_WAIT_TEXT]) {
    if (wait->n_ranks > 0) return rv_rank_list(wait->ranks, wait->n_ranks, out, RV_WAIT_TEXT);
    snprintf(out, RV_WAIT_TEXT, "%s",
             wait->unnamed ? _("ranks that no line names")
             : differs     ? _("nobody: their calls differ")
                           : _("nobody: all are there"));
    return out;
}

const char *rv_short_place(const char *where, size_t most) {
    const char *slash;
    while (strlen(where) > most && (slash = strchr(where, '/')) != NULL && slash[1] != '\0') {
        where = slash + 1;
    }
    return where;
}

/* ------------------------------------------------------------------ of a story */

static void mark_different(rv_wait_classes *found) {
    const int32_t n = found->n < RV_MOST_WAITS ? found->n : RV_MOST_WAITS;
    for (int32_t k = 0; k < n; k++) {
        for (int32_t l = 0; l < n; l++) {
            if (rv_waits_differ(found->list[k].like, found->list[l].like))
                found->list[k].differs = true;
        }
    }
}

bool rv_find_waits(const rn_hang *hang, rs_arena *arena, rv_wait_classes *found) {
    rv_wait_class *list = found->list;
    *found = (rv_wait_classes){.n = 0};
    for (int64_t i = 0; i < hang->n_waits; i++) {
        const rn_hang_wait *wait = &hang->waits[i];
        int32_t k = 0;
        while (k < found->n && k < RV_MOST_WAITS && rv_order_waits(list[k].like, wait) != 0) k++;
        if (k == found->n || k == RV_MOST_WAITS) found->n++;
        if (k == RV_MOST_WAITS) continue;
        list[k].like = wait;
        list[k].n++;
    }
    for (int32_t k = 0; k < found->n && k < RV_MOST_WAITS; k++) {
        list[k].ranks = rs_alloc(arena, (size_t)list[k].n, sizeof *list[k].ranks);
        if (list[k].ranks == NULL) return false;
        list[k].n = 0;
        for (int64_t i = 0; i < hang->n_waits; i++) {
            const rn_hang_wait *wait = &hang->waits[i];
            if (rv_order_waits(list[k].like, wait) == 0) list[k].ranks[list[k].n++] = wait->at.rank;
        }
    }
    mark_different(found);
    return true;
}

void rv_fill_waits(const rv_wait_classes *waits, rv_frame *frame) {
    enum { FOR, CALL, WHERE, GROUP, N_COLUMNS }; /* where not all fit, the first ones show */
    static const char *const heads[] = {N_("waits for"), N_("is in call"), N_("at"), N_("group")};
    const int32_t n = waits->n < RV_MOST_WAITS ? waits->n : RV_MOST_WAITS;
    const char *title = waits->n > n
                            ? rv_frame_text(frame, _("Who waits for whom; %d more are not shown"),
                                            (int)(waits->n - n))
                            : _("Who waits for whom");
    rv_grid *grid = n > 0 ? rv_frame_grid(frame, title, n, N_COLUMNS) : NULL;
    rv_frame_columns(frame, grid, heads, N_COLUMNS);
    for (int32_t k = 0; k < n; k++) {
        const rv_wait_class *w = &waits->list[k];
        const rn_hang_place *at = &w->like->at;
        char text[RV_WAIT_TEXT];
        rv_rank_list(w->ranks, w->n, text, LIST);
        rv_frame_head(frame, grid, k, -1, w->n == 1 ? _("rank %s") : _("ranks %s"), text);
        rv_wait_for(w->like, w->differs, text);
        if (w->like->n_ranks > 0) rv_rank_list(w->like->ranks, w->like->n_ranks, text, LIST);
        rv_frame_entry(frame, grid, k, FOR, w->like->n_ranks > 0 ? RV_TONE_BAD : RV_TONE_PLAIN, -1,
                       "%s", text);
        rv_frame_entry(frame, grid, k, GROUP, RV_TONE_PLAIN, -1, "%s",
                       at->desc != NULL ? at->desc : at->group);
        rv_frame_entry(frame, grid, k, CALL, RV_TONE_PLAIN, -1, "%s",
                       rv_wait_call(w->like, false, text));
        rv_frame_entry(frame, grid, k, WHERE, RV_TONE_PLAIN, -1, "%s",
                       at->where != NULL ? rv_short_place(at->where, RV_SHORT_PLACE) : "-");
    }
}
