/* cut_lines.c: lines of a log that are cut, or do not say enough: who waits in a call that is not known, and where lines are left out.
 *
 *     [rank1]:[E103 21:39:09.68 ProcessGroupNCCL.cpp:744] [Rank 1] Some NCCL operations have failed or timed out. ...
 *     [rank1]:[E103 21:39:09.68 ProcessGroupNCCL.cpp:632] [Rank 1] Watchdog caught collective operation timeo
 *     [rank1]:[E103 21:39
 *     [ran
 *     ...
 *
 *   - A rank whose own watchdog gave up waits in a call. Where no line tells in which, it is not silent.
 *   - "a dump signal due to a collective timeout from  rank 2": so does that rank, whose line need not be there.
 *   - A line that breaks off before its message is taken for one of those. Where it does not even say whose it is, or lines are left
 *     out, any rank that is silent may have had one.
 */
#include "hang_log.h"

#include <string.h>

/* What a rank's own watchdog says when it gives up. */
static const char *const messages[] = {
    "Watchdog caught",
    "Caught collective operation timeout",
    "Exception (either an error or timeout) detected by watchdog at work",
    "failure detected by watchdog at work",
    "Timeout at NCCL work",
    "Some NCCL operations have failed or timed out",
    "To avoid data inconsistency, we are taking the entire process down",
    "timeout from this local rank",
    "Process group watchdog thread terminated with exception: [Rank"};

/* Where a message begins: behind a viewer's marks and numbers. */
static const char *begin_of(const char *line) {
    const char *open = line + strspn(line, " \t0123456789.,:;|>*+-)");
    return *open == '[' ? open : line;
}

/* Returns the head of torch's lines, "[E1016 03:33:45.31 file.cpp:616] [Rank 2] ", behind "[rank2]:", or where the line begins;
   NULL: it has none. */
static const char *head_of(const char *line) {
    int64_t rank;
    const char *at = rn_log_prefix(line, &rank);
    at = at != NULL ? strchr(at, ':') + 1 : begin_of(line);
    if (*at == '\0') return at;
    return *at == '[' && (at[1] == '\0' || strchr("EWIFRP", at[1]) != NULL) ? at : NULL;
}

/* Returns the message behind a head; NULL: the line ends within the head. */
static const char *message_of(const char *head) {
    const char *open = strrchr(head, '['), *close = strrchr(head, ']');
    if (close == NULL || open > close) return NULL;
    const char *message = close + 1 + strspn(close + 1, " ");
    return *message != '\0' ? message : NULL;
}

/* Does the line say one of them, or where it ends begin to? message NULL: it ends within the head. */
static bool says_one(const char *line, const char *message) {
    bool says = message == NULL;
    for (size_t i = 0; i < sizeof messages / sizeof *messages && !says; i++)
        says = strncmp(messages[i], message, strlen(message)) == 0 || strstr(line, messages[i]);
    return says;
}

/* Stands "..." for lines, or for the end of one? */
static bool is_left_out(const char *line) {
    const size_t n = strlen(line);
    return n >= 3 && strcmp(line + n - 3, "...") == 0 &&
           (strspn(line, " .[]") == n || head_of(line) != NULL);
}

/* Begins "[rank2]:" here, or at the end of all, and does not end? */
static bool is_begun(const char *line, bool last) {
    static const char prefix[] = "[rank";
    const char *open = last ? strrchr(line, '[') : NULL;
    size_t n = 0;
    line = open != NULL ? open : begin_of(line);
    while (prefix[n] != '\0' && line[n] == prefix[n]) n++;
    const char *end = line + n + strspn(line + n, n == sizeof prefix - 1 ? "0123456789" : "");
    return n >= (last ? 1 : 2) && end[strspn(end, "] |")] == '\0';
}

/* Does it end within a call, "Watchdog caught ... WorkNCCL(SeqNum=5, OpType=ALLR", or before it? */
static bool is_within_call(const char *line) {
    const char *at = rn_behind(line, "atchdog caught");
    int depth = 1;
    if (at != NULL && strstr(at, "CCL(") != NULL) at = rn_behind(at, "CCL(");
    for (; at != NULL && *at != '\0' && depth > 0; at++) depth += (*at == '(') - (*at == ')');
    return at != NULL && depth > 0;
}

/* Takes who is said to wait in a line of another rank; where Ray left lines out, anybody may. */
static void take_told(rn_log_reader *r, const char *line) {
    const int64_t from = rn_number_behind(line, "ollective timeout from  rank ", -1);
    rn_rank_log *l = from >= 0 && from < RN_LOG_RANKS ? rn_log_of(r, (int32_t)from, 0) : NULL;
    if (l != NULL) l->waits = true;
    if (strstr(line, "x across cluster]") == NULL) return;
    if (r->repeated == 0) r->repeated = r->here.number + 1;
    r->left_out = true;
}

void rn_take_cut(rn_log_reader *r, const char *line) {
    if (*line == '\0') return;
    take_told(r, line);
    if (is_begun(line, r->last) || is_left_out(line) || (r->last && is_within_call(line)))
        r->left_out = true;
    const char *head = head_of(line), *message = head != NULL ? message_of(head) : line;
    const int32_t rank = says_one(line, message) ? rn_watchdog_rank(line) : -1;
    if (message == NULL && rank < 0) r->left_out = true;
    if (rank < 0 || rn_is_quoted(line, line + strlen(line))) return;
    rn_rank_log *l = rn_log_of(r, rank, 0);
    if (l != NULL) l->waits = true;
}
