/* nccl_log.c: a line of NCCL's log, from launchers' prefixes to its message.
 *
 *     [1,0]<stdout>:node-3:4711:4712 [2] NCCL INFO Channel 00/24 :  0 1 2 3
 *                   host pid  thread gpu           message
 *
 *   - A torn line holds the beginning of one message and the whole of another: each is tried for itself.
 */
#include "nccl_log.h"
#include "nccl_line.h"

#include <string.h>

static const char *const marks[] = {"NCCL INFO ", "NCCL WARN ", "NCCL TRACE "};

/* ------------------------------------------------------------------ the head of a line */

/* Finds the first mark in a text; NULL: none. *behind is where the message begins. */
static const char *find_mark(const char *text, const char **behind) {
    for (const char *at = strstr(text, "NCCL "); at != NULL; at = strstr(at + 1, "NCCL ")) {
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
            const size_t n = strlen(marks[i]);
            if (strncmp(at, marks[i], n) != 0) continue;
            if (behind != NULL) *behind = at + n;
            return at;
        }
    }
    return NULL;
}

/* "NCCL version 2.18.3+cuda12.2", which some versions print without a mark, behind a launcher's prefix or none; RCCL
   names a commit behind it. NULL: it is no such line. */
static const char *find_bare(const char *text) {
    const char *at = strstr(text, "CCL version 2.");
    if (at == NULL || at == text || (at[-1] != 'N' && at[-1] != 'R')) return NULL;
    const char *begin = at - 1, *behind = at + strlen("CCL version ");
    const char before = begin > text ? begin[-1] : ' ';
    behind += strcspn(behind, " ");
    const bool ends = *behind == '\0' || strncmp(behind, " HEAD", 5) == 0 ||
                      strncmp(behind, " compiled ", 10) == 0;
    return ends && strchr(" :>])|*", before) != NULL ? begin : NULL;
}

/* Finds the class of errors that an exception's line names, of PyTorch, nccl-tests, XLA and others, behind whose error it is; NULL:
   it is none. */
static const char *find_class(const char *text) {
    static const char *const begin[] = {
        "NCCL error", "NCCL Error", "NCCL failure", "NCCL operation", "NCCL_ERROR",
        "ncclUn",     "ncclSys",    "ncclIn",       "ncclRem",        "ncclComm",
        "ncclGroup",  "ncclAll",    "unhandled "};
    const char *from = NULL, *first = NULL;
    int n;
    const rn_nccl_message *rows = rn_nccl_messages(&n);
    for (size_t i = 0; i < sizeof begin / sizeof *begin && from == NULL; i++)
        from = strstr(text, begin[i]);
    for (int i = 0; from != NULL && i < n; i++) {
        for (int k = 0; rows[i].severity == RN_SAYS_CLASS && rows[i].forms[k] != NULL; k++) {
            const char *at = strstr(from, rows[i].forms[k]);
            if (at != NULL && (first == NULL || at < first)) first = at;
        }
    }
    return first;
}

/* Finds a message whose cause is known where no "NCCL WARN" stands before it: what another program says, or words of NCCL's own that
   somebody pasted, from the beginning of any word on; nccl-tests' word for a failure of CUDA is made NCCL's. *who: the program,
   NULL: NCCL. Returns NULL: none. */
static const char *find_known(char *text, rn_log_pairs begins, const char **who) {
    int n;
    char *test = strstr(text, "Test CUDA failure ");
    if (test != NULL) memcpy(test + strlen("Test "), "Cuda", 4);
    const rn_nccl_message *rows = rn_nccl_messages(&n);
    const char *raised = strstr(text, "Error: "); /* Python's, "...Error: MESSAGE" */
    if (raised != NULL) raised = raised > text && raised[-1] != ' ' ? raised + 7 : NULL;
    for (const char *at = text; *at != '\0'; at++) {
        const bool quoted = at == text + 1 && text[0] == '"'; /* the whole line is */
        if (*at == ' ' ||
            (at > text && !quoted && strchr(" .:([]`*>|", at[-1]) == NULL && (at[-1] & 0x80) == 0))
            continue;
        if (at != raised && ((*at | at[1]) & 0x80) == 0 && !begins[(int)*at][(int)at[1]]) continue;
        const bool own = rn_log_is_own(at);
        for (int i = 0; i < n; i++) {
            if (!rn_log_meets_alone(&rows[i], at, own, at == raised) || rn_is_denied(text, at))
                continue;
            *who = rn_log_speaker(&rows[i]);
            return at;
        }
    }
    return NULL;
}

bool rn_nccl_is_log_line(const char *line, size_t n_bytes) {
    char copy[512];
    const char *who;
    rn_log_pairs begins;
    rn_lines l = {.text = line, .n_bytes = n_bytes};
    if (!rn_copy_line(&l, copy, sizeof copy)) return false;
    if (find_mark(copy, NULL) != NULL || find_bare(copy) != NULL || find_class(copy) != NULL)
        return true;
    rn_log_beginnings(begins);
    return find_known(copy, begins, &who) != NULL;
}

static bool take_message(rn_nccl_log_reader *r, const char *message, bool warns) {
    return warns ? rn_log_warn(r, message, true)
                 : rn_log_ring_message(r, message) || rn_log_init_message(r, message) ||
                       rn_log_coll_message(r, message) || rn_log_tuning_message(r, message) ||
                       rn_log_graph_message(r, message) || rn_log_warn(r, message, false) ||
                       rn_log_note_message(r, message);
}

/* Keeps the word before a mark, where a message comes from. */
static void keep_place(rn_nccl_log_reader *r, const char *from, const char *mark) {
    while (mark > from && mark[-1] == ' ') mark--;
    const char *begin = mark;
    while (begin > from && begin[-1] != ' ') begin--;
    rn_log_keep_word(r->place, sizeof r->place, begin, (size_t)(mark - begin));
}

/* ------------------------------------------------------------------ PyTorch's exceptions

 *     [rank3]: ....DistBackendError: NCCL error in: .../ProcessGroupNCCL.cpp:1727, invalid usage (...), NCCL version 2.19.3
 *     [rank3]: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.
 *     [rank3]: Last error:
 *     [rank3]: Duplicate GPU detected : rank 3 and rank 0 both on CUDA device f000
 */

/* Takes what an exception says, in lines of its own or all in one; false: the line is of none. */
static bool take_exception(rn_nccl_log_reader *r, char *text) {
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ') text[--n] = '\0';
    const char *class = find_class(text);
    r->place[0] = '\0';
    if (class != NULL) {
        char word[RN_NCCL_WORD];
        size_t n_word = strcspn(class, "(,/'");
        while (n_word > 0 && class[n_word - 1] == ' ') n_word--;
        rn_log_keep_word(word, sizeof word, class, n_word);
        rn_log_warn(r, word, true);
    }
    const char *who = NULL, *known = class == NULL ? find_known(text, r->begins, &who) : NULL;
    if (known != NULL) {
        r->last_error.room = 0;
        if (who != NULL) rn_log_keep_word(r->place, sizeof r->place, who, strlen(who));
        return rn_log_warn(r, known, who == NULL);
    }
    const char *last = rn_behind(text, "log entry (may be unrelated) '");
    if (last == NULL && (class == NULL || strstr(text, "Last error:") != NULL))
        last = rn_last_error_of(&r->last_error, text);
    if (last == NULL) return class != NULL;
    return *last == '\0' || rn_log_warn(r, last + strspn(last, " "), true);
}

/* Takes Ray's " [repeated 15x across cluster]" off a line: others said it, too. */
static void unfold(rn_nccl_log_reader *r, char *text) {
    static const char words[] = " [repeated ";
    char *found = strstr(text, words);
    const char *at = found != NULL ? found + strlen(words) : NULL;
    int64_t n;
    if (at == NULL || !rn_take_int(&at, INT32_MAX, &n) || n < 1 ||
        !rn_take(&at, "x across cluster]")) {
        return;
    }
    *found = '\0';
    if (r->n_folds++ == 0) r->fold_line = r->log.n_lines;
    if (r->n_folded <= INT32_MAX - n) r->n_folded += n;
}

static void take_line(rn_nccl_log_reader *r, char *text) {
    const char *message, *next_message;
    unfold(r, text);
    const char *mark = find_mark(text, &message);
    rn_nccl_head head = {.host = text}, next_head = head;
    if (mark != NULL) head = rn_nccl_head_of(text, mark);
    bool torn = false; /* what stands before the head belongs to another message */
    r->thread = 0;
    r->comm = -1;
    if (mark == NULL) {
        const char *bare = find_bare(text);
        const bool raised = take_exception(r, text);
        if ((bare != NULL && rn_log_init_message(r, bare)) || raised) r->log.n_used++;
        r->log.n_raised += raised;
        if (bare == NULL && !raised) rn_log_take_gpu(r, text);
        return;
    }
    while (mark != NULL) {
        const char *next = find_mark(message, &next_message);
        if (next != NULL) next_head = rn_nccl_head_of(message, next);
        const bool warns = strncmp(mark, "NCCL WARN", 9) == 0;
        const bool known = memchr(head.host, ':', head.n_thread) != NULL;
        r->thread = known ? rs_hash(0, head.host, head.n_thread) : 0;
        r->head = torn ? NULL : head.host;
        torn = true;
        const int32_t *comm = rn_log_find_thread(r, r->thread);
        r->comm = comm != NULL ? *comm : -1;
        keep_place(r, head.host, mark);
        if (next != NULL)
            text[(next_head.host > message ? next_head.host - 1 : message) - text] = '\0';
        const bool used = take_message(
            r, message, warns && (next == NULL || rn_log_row(r->place, message, true) >= 0));
        r->log.n_used += used;
        r->log.n_torn += !used && next != NULL;
        r->log.n_unknown += !used && next == NULL;
        if (next == NULL) return;
        head = next_head;
        mark = next;
        message = next_message;
    }
}

void rn_nccl_log_line(rn_nccl_log_reader *r, const char *lines, size_t n_bytes) {
    char text[RN_LOG_LINE];
    const int64_t before = r->log.n_lines;
    r->log.n_lines += n_bytes == 0;
    for (rn_lines l = {.text = lines, .n_bytes = n_bytes}; rn_next_line(&l);) {
        size_t n = l.n < sizeof text - 1 ? l.n : sizeof text - 1;
        r->log.n_lines = before + l.number;
        memcpy(text, l.line, n);
        n = rn_plain_line(text, n, true);
        for (size_t i = 0; i < n; i++) {
            if (text[i] == '\0' || text[i] == '\t') text[i] = ' ';
        }
        text[n] = '\0';
        take_line(r, text);
    }
}

rn_nccl_log_reader *rn_nccl_log_begin(rs_arena *arena, rn_findings *findings) {
    rn_nccl_log_reader *r = rs_alloc(arena, 1, sizeof *r);
    if (r == NULL) return NULL;
    r->arena = arena;
    r->findings = findings;
    rn_log_beginnings(r->begins);
    r->heap.arena = arena;
    r->threads.heap = r->comm_keys.heap = r->sum_keys.heap = r->hosts.heap = &r->heap;
    r->log.n_coll_channels = r->log.n_nvls_channels = -1;
    return r;
}
