/* story_hang.c: how a job came to stand still: a step is a call of the group where it goes wrong.
 *
 *                 0-2, 4-7        3                     41 all_reduce  42 all_gather  43 barrier
 *     41 ...         |            |           rank 0    train.py:40    train.py:44    -
 *     42 ...         |          not made      ...
 *     the end        |-- waits -->x           rank 3    train.py:40    not made       train.py:51
 *
 *   - Ranks whose calls fare alike are one lifeline; with many ranks one row, too. Of very many kinds the last one
 *     stands for the rest.
 *   - At the end stands who waits for whom, of all groups.
 */
#include "story/story_hang.h"
#include "base/containers.h"
#include "text/say.h"
#include "text/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LANES = 16, MOST_CLASSES = 256, MOST_WAITS = 24 };
enum { LIST = 22, SHORT_LIST = 18 }; /* bytes of a list of ranks; in a narrow panel */

/* ------------------------------------------------------------------ who waits for whom
 *
 * For ranks that have not come; or for nobody, as all have come, and then the calls may differ.
 */

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

static bool is_unknown(const char *call) {
    return strcmp(call, RN_UNKNOWN_CALL) == 0;
}

bool rv_waits_differ(const rn_hang_wait *a, const rn_hang_wait *b) {
    if (is_unknown(a->at.call) || is_unknown(b->at.call)) return false;
    if (a->n_ranks > 0 || b->n_ranks > 0 || a->at.seq != b->at.seq) return false;
    if (by_text(a->at.group, b->at.group) != 0 || is_message(&a->at) || is_message(&b->at))
        return false;
    const bool sized = a->at.n_in + a->at.n_out > 0 && b->at.n_in + b->at.n_out > 0;
    return sized ? by_arguments(&a->at, &b->at) != 0 : by_text(a->at.call, b->at.call) != 0;
}

/* ------------------------------------------------------------------ in words */

const char *rv_call_name(const char *call) {
    return is_unknown(call) ? _("an unknown operation") : call;
}

char *rv_wait_call(const rn_hang_wait *wait, bool differs, char out[RV_WAIT_TEXT]) {
    const rn_hang_place *at = &wait->at;
    const char *call = rv_call_name(at->call);
    const long long n = (long long)(at->n_in > 0 ? at->n_in : at->n_out);
    if (differs && n > 0 && at->dtype != NULL) {
        snprintf(out, RV_WAIT_TEXT, _("%s %lld of %lld %s"), call, (long long)at->seq, n,
                 at->dtype);
    } else if (differs && n > 0) {
        snprintf(out, RV_WAIT_TEXT, _("%s %lld of %lld"), call, (long long)at->seq, n);
    } else {
        snprintf(out, RV_WAIT_TEXT, "%s %lld", call, (long long)at->seq);
    }
    return out;
}

char *rv_wait_for(const rn_hang_wait *wait, bool differs, char out[RV_WAIT_TEXT]) {
    if (wait->n_ranks > 0) return rv_rank_list(wait->ranks, wait->n_ranks, out, RV_WAIT_TEXT);
    snprintf(out, RV_WAIT_TEXT, "%s",
             wait->unnamed ? _("ranks that no line names")
             : differs     ? _("calls differ")
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

typedef struct wait_class {
    const rn_hang_wait *like;
    int32_t *ranks, n;
    bool differs;
} wait_class;
typedef struct wait_classes {
    wait_class list[MOST_WAITS];
    int32_t n; /* all; MOST_WAITS of them are kept */
} wait_classes;

static void mark_different(wait_classes *found) {
    const int32_t n = found->n < MOST_WAITS ? found->n : MOST_WAITS;
    for (int32_t k = 0; k < n; k++) {
        for (int32_t l = 0; l < n; l++) {
            if (rv_waits_differ(found->list[k].like, found->list[l].like))
                found->list[k].differs = true;
        }
    }
}

/* Finds the classes, those of the first ranks first; their ranks are from the arena. false: no memory. */
static bool find_waits(const rn_hang *hang, rs_arena *arena, wait_classes *found) {
    wait_class *list = found->list;
    *found = (wait_classes){.n = 0};
    for (int64_t i = 0; i < hang->n_waits; i++) {
        const rn_hang_wait *wait = &hang->waits[i];
        int32_t k = 0;
        while (k < found->n && k < MOST_WAITS && rv_order_waits(list[k].like, wait) != 0) k++;
        if (k == found->n || k == MOST_WAITS) found->n++;
        if (k == MOST_WAITS) continue;
        list[k].like = wait;
        list[k].n++;
    }
    for (int32_t k = 0; k < found->n && k < MOST_WAITS; k++) {
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

/* Puts them into the frame as a grid. */
static void fill_waits(const wait_classes *waits, rv_frame *frame) {
    enum { FOR, CALL, WHERE, GROUP, N_COLUMNS }; /* where not all fit, the first ones show */
    static const char *const heads[] = {N_("waits for"), N_("is in call"), N_("at"), N_("group")};
    const int32_t n = waits->n < MOST_WAITS ? waits->n : MOST_WAITS;
    const char *title = waits->n > n
                            ? rv_frame_text(frame, _("Who waits for whom; %d more are not shown"),
                                            (int)(waits->n - n))
                            : _("Who waits for whom");
    rv_grid *grid = n > 0 ? rv_frame_grid(frame, title, n, N_COLUMNS) : NULL;
    rv_grid_columns(grid, heads, N_COLUMNS);
    for (int32_t k = 0; k < n; k++) {
        const wait_class *w = &waits->list[k];
        const rn_hang_place *at = &w->like->at;
        char text[RV_WAIT_TEXT];
        rv_rank_list(w->ranks, w->n, text, SHORT_LIST);
        rv_grid_head(grid, k, -1, w->n == 1 ? _("rank %s") : _("ranks %s"), text);
        rv_wait_for(w->like, w->differs, text);
        if (w->like->n_ranks > 0) rv_rank_list(w->like->ranks, w->like->n_ranks, text, SHORT_LIST);
        rv_grid_write(grid, k, FOR, w->like->n_ranks > 0 ? RV_TONE_BAD : RV_TONE_PLAIN, -1, "%s",
                      text);
        rv_grid_plain(grid, k, GROUP, "%s", at->desc != NULL ? at->desc : at->group);
        rv_grid_plain(grid, k, CALL, "%s", rv_wait_call(w->like, false, text));
        rv_grid_plain(grid, k, WHERE, "%s",
                      at->where != NULL ? rv_short_place(at->where, RV_SHORT_PLACE) : "-");
    }
}

/* ------------------------------------------------------------------ the job */

/* Ranks that fare alike. */
typedef struct rank_class {
    int32_t *ranks, n; /* ascending */
    int32_t lane;      /* the first one's */
} rank_class;

typedef struct hang_facts {
    const rn_hang *hang;
    char *(*sentence)(const rn_hang *hang, char *out);
    bool *blamed;        /* [n_lanes] */
    rank_class *classes; /* of the lanes */
    int32_t n_classes;
    int32_t *class_of; /* [n_lanes] */
    wait_classes waits;
} hang_facts;

static const hang_facts *facts(const rv_story *story) {
    return story->context;
}

static const rn_lane_cell *cell_at(const hang_facts *f, int32_t lane, int32_t column) {
    return &f->hang->lanes.cells[lane * f->hang->lanes.n_columns + column];
}

static const char *class_name(rv_frame *frame, const rank_class *c) {
    char list[LIST];
    rv_rank_list(c->ranks, c->n, list, sizeof list);
    return rv_frame_text(frame, c->n == 1 ? _("rank %s") : _("ranks %s"), list);
}

/* ------------------------------------------------------------------ who fares alike */

/* Marks the lanes whose ranks are named by a verdict that is decided. */
static bool mark_blamed(hang_facts *f, rs_arena *arena) {
    const rn_hang *h = f->hang;
    const bool decided = h->verdict != RN_HANG_UNDECIDED && h->verdict != RN_HANG_STUCK_INSIDE;
    const size_t n = decided ? (size_t)h->n_culprits : 0;
    int32_t *ranks = rs_alloc(arena, n + 1, sizeof *ranks);
    f->blamed = rs_alloc(arena, (size_t)h->lanes.n_lanes + 1, sizeof *f->blamed);
    if (ranks == NULL || f->blamed == NULL) return false;
    for (size_t i = 0; i < n; i++) ranks[i] = h->culprits[i].rank;
    qsort(ranks, n, sizeof *ranks, rs_by_int32);
    for (int32_t i = 0; i < h->lanes.n_lanes; i++) {
        f->blamed[i] = bsearch(&h->lanes.ranks[i], ranks, n, sizeof *ranks, rs_by_int32) != NULL;
    }
    return true;
}

static bool alike(const hang_facts *f, int32_t a, int32_t b) {
    if (f->blamed[a] != f->blamed[b]) return false;
    for (int32_t c = 0; c < f->hang->lanes.n_columns; c++) {
        const rn_lane_cell *x = cell_at(f, a, c), *y = cell_at(f, b, c);
        if (x->mark != y->mark || x->odd != y->odd) return false;
        if (x->call == NULL || y->call == NULL) continue;
        if (x->call->name != y->call->name || x->call->where != y->call->where) return false;
    }
    return true;
}

static bool find_classes(hang_facts *f, rs_arena *arena) {
    const rn_hang_lanes *lanes = &f->hang->lanes;
    const size_t n = (size_t)lanes->n_lanes + 1;
    f->classes = rs_alloc(arena, n, sizeof *f->classes);
    f->class_of = rs_alloc(arena, n, sizeof *f->class_of);
    int32_t *ranks = rs_alloc(arena, n, sizeof *ranks);
    if (f->classes == NULL || f->class_of == NULL || ranks == NULL) return false;
    for (int32_t i = 0; i < lanes->n_lanes; i++) {
        int32_t c = 0;
        while (c < f->n_classes && !alike(f, f->classes[c].lane, i)) c++;
        if (c == MOST_CLASSES) c--;
        if (c == f->n_classes) f->classes[f->n_classes++] = (rank_class){.lane = i};
        f->classes[c].n++;
        f->class_of[i] = c;
    }
    for (int32_t c = 0; c < f->n_classes; c++) {
        f->classes[c].ranks = ranks;
        ranks += f->classes[c].n;
        f->classes[c].n = 0;
    }
    for (int32_t i = 0; i < lanes->n_lanes; i++) {
        rank_class *c = &f->classes[f->class_of[i]];
        c->ranks[c->n++] = lanes->ranks[i];
    }
    return true;
}

/* ------------------------------------------------------------------ the lanes */

static rv_tone tone_of(const rn_lane_cell *cell) {
    if (cell->odd) return RV_TONE_BAD;
    switch (cell->mark) {
    case RN_LANE_DONE: return RV_TONE_GOOD;
    case RN_LANE_OPEN: return RV_TONE_LEAVES;
    case RN_LANE_ABSENT: return RV_TONE_BAD;
    case RN_LANE_MADE: return RV_TONE_PLAIN;
    default: return RV_TONE_QUIET;
    }
}

/* "all_reduce train.py:42", or what stands in place of a call. */
static const char *cell_text(const hang_facts *f, rv_frame *frame, const rn_lane_cell *cell,
                             bool named) {
    const char *const *words = f->hang->lanes.words;
    if (cell->mark == RN_LANE_ABSENT) return cell->odd ? _("left out") : _("not made");
    if (cell->mark == RN_LANE_UNKNOWN) return _("not known");
    if (cell->call == NULL) return "";
    const char *name = rv_call_name(words[cell->call->name]);
    const char *where = rv_short_place(words[cell->call->where], RV_SHORT_PLACE);
    if (where[0] == '\0') return rv_frame_text(frame, "%s", name);
    return named || cell->odd ? rv_frame_text(frame, "%s %s", name, where)
                              : rv_frame_text(frame, "%s", where);
}

/* What is lacking of a rank that is waited for, and silent. */
static const char *silence_text(const rn_hang *h) {
    return h->rough ? _("no line") : h->spoke ? _("no call") : _("no dump");
}

/* What shows that a culprit made no call there: its silence, or a line of a log; NULL: the call does. */
static const char *proof_text(const rn_hang *h, rv_frame *frame, const rn_lane_cell *cell) {
    if (h->witness != NULL && cell->call == NULL)
        return rv_frame_text(frame, _("by line %lld"), (long long)h->witness->line);
    return h->verdict == RN_HANG_SILENT_RANK ? silence_text(h) : NULL;
}

static void fill_lanes(const hang_facts *f, int32_t shown, rv_frame *frame) {
    const rn_hang_lanes *lanes = &f->hang->lanes;
    const bool each = lanes->n_lanes <= MOST_LANES;
    const int32_t n_rows = each ? lanes->n_lanes : f->n_classes;
    rv_grid *grid = rv_frame_grid(frame,
                                  rv_frame_text(frame, _("The calls of group %s"),
                                                lanes->desc != NULL ? lanes->desc : lanes->group),
                                  n_rows, lanes->n_columns);
    if (grid == NULL) return;
    for (int32_t c = 0; c < lanes->n_columns; c++) {
        const rn_call *call = lanes->most[c].call;
        if (call == NULL) continue;
        rv_grid_head(grid, -1, c, "%lld %s", (long long)call->seq, lanes->words[call->name]);
    }
    for (int32_t r = 0; r < n_rows; r++) {
        const int32_t lane = each ? r : f->classes[r].lane;
        const char *head = each ? rv_frame_text(frame, _("rank %d"), (int)lanes->ranks[lane])
                                : class_name(frame, &f->classes[r]);
        rv_grid_head(grid, r, -1, "%s", head);
        for (int32_t c = 0; c < shown; c++) {
            const rn_lane_cell *cell = cell_at(f, lane, c);
            const char *why = f->blamed[lane] ? proof_text(f->hang, frame, cell) : NULL;
            rv_grid_write(grid, r, c, why != NULL ? RV_TONE_BAD : tone_of(cell), -1, "%s",
                          why != NULL ? why : cell_text(f, frame, cell, false));
        }
    }
}

/* ------------------------------------------------------------------ the lifelines */

static void tell(const hang_facts *f, rv_sequence *s, int32_t step, int32_t from, int32_t to,
                 rv_tone tone, const char *text) {
    const int32_t n_columns = f->hang->lanes.n_columns, at = s->n_told++;
    const int32_t column = step < n_columns ? step : n_columns - 1;
    s->messages[at] =
        (rv_message){.step = step, .from = from, .to = to, .text = text, .tone = tone};
    for (int32_t i = 0; i < f->n_classes; i++) {
        s->stands[at * s->n_lines + i] = tone_of(cell_at(f, f->classes[i].lane, column));
    }
}

/* Do all do the same there? */
static bool all_alike(const hang_facts *f, int32_t column) {
    const rn_lane_cell *first = cell_at(f, f->classes[0].lane, column);
    for (int32_t c = 1; c < f->n_classes; c++) {
        const rn_lane_cell *cell = cell_at(f, f->classes[c].lane, column);
        if (cell->mark != first->mark || cell->odd != first->odd) return false;
    }
    return true;
}

static void tell_call(const hang_facts *f, rv_frame *frame, rv_sequence *s, int32_t column) {
    if (all_alike(f, column)) {
        const rn_lane_cell *cell = cell_at(f, 0, column);
        tell(f, s, column, RV_ALL_OTHERS, RV_ALL_OTHERS, tone_of(cell),
             cell_text(f, frame, cell, true));
        return;
    }
    for (int32_t c = 0; c < f->n_classes; c++) {
        const rn_lane_cell *cell = cell_at(f, f->classes[c].lane, column);
        if (cell->mark == RN_LANE_NONE || cell->mark == RN_LANE_UNKNOWN) continue;
        tell(f, s, column, c, c, tone_of(cell), cell_text(f, frame, cell, true));
    }
}

/* Marks the classes that some of the ranks are of. Both lists ascend. */
static void mark_classes(const hang_facts *f, const int32_t ranks[], int32_t n, bool of[]) {
    const rn_hang_lanes *lanes = &f->hang->lanes;
    for (int32_t c = 0; c < RV_MOST_LIFELINES; c++) of[c] = false;
    for (int32_t i = 0, lane = 0; i < n; i++) {
        while (lane < lanes->n_lanes && lanes->ranks[lane] < ranks[i]) lane++;
        if (lane < lanes->n_lanes && lanes->ranks[lane] == ranks[i]) of[f->class_of[lane]] = true;
    }
}

/* An arrow for each two classes of which one waits for the other. */
static void tell_waits(const hang_facts *f, rv_sequence *s) {
    bool told[RV_MOST_LIFELINES][RV_MOST_LIFELINES] = {{false}};
    for (int32_t k = 0; k < f->waits.n && k < MOST_WAITS; k++) {
        bool from[RV_MOST_LIFELINES], to[RV_MOST_LIFELINES];
        mark_classes(f, f->waits.list[k].ranks, f->waits.list[k].n, from);
        mark_classes(f, f->waits.list[k].like->ranks, f->waits.list[k].like->n_ranks, to);
        for (int32_t a = 0; a < f->n_classes; a++) {
            for (int32_t b = 0; b < f->n_classes; b++) {
                if (!from[a] || !to[b] || a == b || told[a][b]) continue;
                told[a][b] = true;
                tell(f, s, f->hang->lanes.n_columns, a, b, RV_TONE_BAD, _("waits for"));
                s->messages[s->n_told - 1].lost = true;
            }
        }
    }
}

/* What the name says of those whom the verdict blames; NULL: nothing. They are in classes of their own. */
static const char *culprit_note(const hang_facts *f, const rank_class *c) {
    if (!f->blamed[c->lane]) return NULL;
    return f->hang->verdict == RN_HANG_SILENT_RANK ? silence_text(f->hang) : _("does otherwise");
}

static void fill_sequence(const hang_facts *f, int32_t step, rv_frame *frame) {
    const int32_t n = f->n_classes, n_columns = f->hang->lanes.n_columns;
    if (n > RV_MOST_LIFELINES) return;
    rv_sequence *s =
        rv_frame_sequence(frame, _("Who makes which call"), n, n * (n_columns + n) + 1);
    if (s == NULL) return;
    for (int32_t c = 0; c < n; c++) {
        s->lines[c] = (rv_lifeline){.name = class_name(frame, &f->classes[c]),
                                    .note = culprit_note(f, &f->classes[c]),
                                    .rank = -1};
    }
    int32_t n_told = 0;
    for (int32_t c = 0; c < n_columns; c++) {
        tell_call(f, frame, s, c);
        if (c <= step) n_told = s->n_told;
    }
    tell_waits(f, s);
    s->n_messages = s->n_told;
    if (step < n_columns) s->n_told = n_told;
}

/* ------------------------------------------------------------------ the sentences */

static void say_column(const hang_facts *f, int32_t column, rv_frame *frame) {
    const rn_hang_lanes *lanes = &f->hang->lanes;
    const rn_call *call = lanes->most[column].call;
    int32_t n_over = 0, n_in = 0, n_absent = 0, n_other = 0, n_made = 0;
    char text[RV_CAPTION_BYTES];
    rv_say say = rv_say_to(text, sizeof text);
    for (int32_t i = 0; i < lanes->n_lanes; i++) {
        const rn_lane_cell *cell = cell_at(f, i, column);
        n_absent += cell->mark == RN_LANE_ABSENT;
        n_other += cell->odd && cell->call != NULL;
        n_over += !cell->odd && cell->mark == RN_LANE_DONE;
        n_in += !cell->odd && cell->mark == RN_LANE_OPEN;
        n_made += !cell->odd && cell->mark == RN_LANE_MADE;
    }
    if (call != NULL) {
        const char *where = lanes->words[call->where];
        rv_say_more(&say, _("Call %lld: %s"), (long long)call->seq, lanes->words[call->name]);
        if (where[0] != '\0') rv_say_more(&say, _(" at %s"), where);
    }
    if (n_over == lanes->n_lanes) {
        rv_say_more(&say, _(". All %d ranks made it, and it is over"), (int)n_over);
    } else {
        rv_say_more(&say, _(". Of %d ranks"), (int)lanes->n_lanes);
        const struct {
            int32_t n;
            const char *words;
        } parts[] = {{n_over, _("through:")},
                     {n_in, _("wait in it:")},
                     {n_made, _("made it:")},
                     {n_other, _("made another call:")},
                     {n_absent, _("did not make it:")}};
        const char *comma = "";
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            if (parts[i].n == 0) continue;
            rv_say_more(&say, "%s %s %d", comma, parts[i].words, (int)parts[i].n);
            comma = ",";
        }
    }
    rv_frame_say(frame, "%s", text);
}

static void hang_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const hang_facts *f = facts(story);
    const rn_hang_lanes *lanes = &f->hang->lanes;
    const bool end = step >= story->n_steps;
    char why[RV_HANG_TEXT];
    (void)rank;
    if (end) {
        frame->phase = _("standstill");
        frame->bad = f->hang->verdict != RN_HANG_NONE && f->hang->verdict != RN_HANG_SLOW;
        rv_frame_say(frame, "%s", f->sentence(f->hang, why));
    } else if (step < 0 || lanes->n_columns == 0) {
        rv_frame_say(frame, _("Dumps: %d, of %d ranks. What did each call, and who waits?"),
                     (int)f->hang->n_files, (int)f->hang->n_ranks);
    } else {
        frame->phase = _("calls");
        say_column(f, step, frame);
    }
    if (lanes->n_columns > 0) {
        fill_sequence(f, step, frame);
        fill_lanes(f, step < 0 ? 0 : end ? lanes->n_columns : step + 1, frame);
    }
    if (end) fill_waits(&f->waits, frame);
}

/* ------------------------------------------------------------------ the story */

rs_status rv_story_hang(const rn_hang *of, char *(*sentence)(const rn_hang *hang, char *out),
                        rs_arena *arena, rs_error *error, rv_story *story) {
    hang_facts *f = rs_alloc(arena, 1, sizeof *f);
    if (f == NULL) return rs_no_memory(error);
    *f = (hang_facts){.hang = of, .sentence = sentence};
    if (!mark_blamed(f, arena) || !find_classes(f, arena) || !find_waits(of, arena, &f->waits)) {
        return rs_no_memory(error);
    }
    *story = (rv_story){.name = N_("Where the job stands"),
                        .n_steps = of->lanes.n_columns > 0 ? of->lanes.n_columns : 1,
                        .n_ranks = 1,
                        .frame = hang_frame,
                        .context = f,
                        .words = {[RV_TONE_GOOD] = N_("over"),
                                  [RV_TONE_LEAVES] = N_("waits in it"),
                                  [RV_TONE_BAD] = N_("differs"),
                                  [RV_TONE_QUIET] = N_("not known")}};
    return RS_OK;
}
