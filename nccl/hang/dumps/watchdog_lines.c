/* watchdog_lines.c: torch's watchdog: the call that took too long, and how far a rank has come in a group.
 *
 *     [rank5]:... [Rank 1] Watchdog caught ... WorkNCCL(SeqNum=120049, OpType=ALLREDUCE, NumelIn=4, ...) ran for ...
 *     [rank5]:... [PG ID 2 PG GUID 4(tp) Rank 1]  failure detected by watchdog at work sequence id: 120049 PG status: last
 *                 enqueued work: 120051, last completed work: 120048
 *
 *     [PG 3 Rank 5] Timeout at NCCL work: 120049, last enqueued NCCL work: 120051, ...                        PyTorch 2.3
 *     [PG 3 Rank 5] Exception (either an error or timeout) detected by watchdog at work: 120049, last ...     2.4 to 2.6
 *
 *   - Other vendors' watchdogs say the same of WorkHCCL, WorkXCCL.
 *   - It names one call and two numbers: such dumps say who waits, but are not aligned.
 *   - "[rank5]" is the rank in the job, "[Rank 1]" that in the group. "PG 3" is a number of the process, "PG GUID 4" one of the
 *     job: processes with the same "PG 3" are of one group, if it has the ranks' numbers in the job, each once.
 *   - The line of a timeout names no group. That of the failure behind it has the same number, and does; where it does not come,
 *     the call is taken for one of a group without a name, of all ranks.
 *   - A launcher may put the local rank before: of "[rank2]:[rank6]:" the last counts.
 */

#include "hang_log.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

size_t rn_call_name(const char *at, char *out, size_t n_out) {
    static const char *const names[][2] = {
        {"ALLREDUCE", "all_reduce"},          {"_ALLGATHER_BASE", "_all_gather_base"},
        {"ALLGATHER", "all_gather"},          {"_REDUCE_SCATTER_BASE", "_reduce_scatter_base"},
        {"REDUCE_SCATTER", "reduce_scatter"}, {"ALLTOALL", "all_to_all"},
        {"ALLTOALL_BASE", "all_to_all"}};
    size_t n = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (n >= n_out) n = n_out - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] + 32 : at[i]);
    out[n] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i][0]) != n || memcmp(names[i][0], at, n) != 0) continue;
        n = strlen(names[i][1]);
        memcpy(out, names[i][1], n + 1);
        break;
    }
    return n;
}

/* Returns the number behind a text if what ends it is there, too: the end of a paste may have cut it. -1: it is not known. */
static int64_t whole_number(const char *line, const char *what) {
    const char *at = rn_behind(line, what);
    const int64_t number = rn_number_behind(line, what, -1);
    if (at == NULL || number < 0 || number == INT64_MAX) return -1;
    at += strspn(at, " ");
    at += strspn(at, "0123456789");
    const bool ends = strchr(",.) ", *at) != NULL && *at != '\0';
    return ends && strncmp(at, "...", 3) != 0 ? number : -1;
}

/* "OpType=ALLREDUCE,"; it may not be said, or not to its end. */
static uint32_t watchdog_name(rn_log_reader *r, const char *line) {
    const char *type = rn_behind(line, "OpType=");
    char text[NAME] = RN_UNKNOWN_CALL;
    size_t n = strlen(text);
    if (type != NULL && type[strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] == ',')
        n = rn_call_name(type, text, sizeof text);
    return rn_keep_text(&r->words, text, n);
}

/* "PG GUID 0(default_pg)": as the flight recorder names it; 0: the line names none. *desc: what stands in brackets. */
static uint32_t watchdog_group(rn_log_reader *r, const char *line, uint32_t *desc) {
    const char *guid = rn_behind(line, "PG GUID ");
    const int64_t own = rn_number_behind(line, "[PG ", -1);
    if (guid == NULL && own > 0) return rn_keep_printed(&r->words, "PG %lld", (long long)own);
    if (guid == NULL) return own == 0 ? rn_keep_text(&r->words, "0", 1) : 0;
    const size_t n = strcspn(guid, " (]"); /* a bracket further on belongs to something else */
    const char *open = guid[n] == '(' ? guid + n : NULL;
    const char *close = open != NULL ? strchr(open, ')') : NULL;
    if (close != NULL && close - open >= 2)
        *desc = rn_keep_text(&r->words, open + 1, (size_t)(close - open - 1));
    return rn_keep_text(&r->words, guid, n);
}

/* The rank within the group: that of "[Rank 1]", of "[1] Caught", or the last one of "[PG ID 2 PG GUID 4 Rank 1]". */
static int32_t rank_within(const char *line) {
    int64_t rank = rn_number_behind(line, "[Rank ", -1);
    const char *caught = strstr(line, "] Caught "), *at = caught;
    while (at != NULL && at > line && at[-1] >= '0' && at[-1] <= '9') at--;
    if (at != caught && at > line && at[-1] == '[') rank = rn_number_behind(at - 1, "[", -1);
    if (rank < 0) rank = rn_number_behind(line, " Rank ", -1);
    return rank >= 0 && rank < RN_LOG_RANKS ? (int32_t)rank : -1;
}

/* A timeout that named no group, and has got one. */
static bool is_given(const rn_call *call) {
    return call->state == RN_CALL_COMPLETED;
}

/* Adds to a timeout what is said of it again; false: it is another one. A line that is cut tells less. */
static bool say_again(rn_log_reader *r, rn_call *call, const rn_call *again) {
    const uint32_t work = rn_keep_text(&r->words, RN_UNKNOWN_CALL, 4);
    const bool sized = call->n_in > 0 || call->n_out > 0,
               sized_again = again->n_in > 0 || again->n_out > 0;
    if (call->seq != again->seq || call->op != again->op) return false;
    if (call->name != again->name && call->name != work && again->name != work) return false;
    if (sized && sized_again && (call->n_in != again->n_in || call->n_out != again->n_out))
        return false;
    if (call->name == work) call->name = again->name;
    if (!sized) call->n_in = again->n_in, call->n_out = again->n_out;
    return true;
}

/* An all-gather's sizes, and a reduce-scatter's, tell how many ranks there are. */
static void take_size(const rn_log_reader *r, rn_rank_log *l, const rn_call *call) {
    const char *name = r->words.list[call->name].text;
    const bool gathers = strstr(name, "gather") != NULL;
    const int64_t one = gathers ? call->n_in : call->n_out,
                  all = gathers ? call->n_out : call->n_in;
    if (!gathers && strstr(name, "reduce_scatter") == NULL) return;
    if (one <= 0 || all % one != 0 || all / one > RN_LOG_RANKS) return;
    l->of.n_told = (int32_t)(all / one);
    if (l->of.n_told > l->of.n_least) l->of.n_least = l->of.n_told;
}

/* Gives what is known of a rank in a group the one timeout of that number that named none. */
static void name_timeout(rn_log_reader *r, rn_rank_log *named, int32_t within, int64_t seq) {
    const rn_rank_log *l = rn_log_of(r, named->rank, 0); /* it is there: the list stays */
    int64_t at = -1;
    for (int64_t i = 0; i < l->n; i++) {
        if (l->calls[i].seq != seq || is_given(&l->calls[i])) continue;
        if (l->calls[i].op >= 0 && l->calls[i].op != within) continue;
        if (at >= 0) return; /* nobody knows which */
        at = i;
    }
    if (at < 0 || (named->n > 0 && named->calls[0].seq != seq)) return;
    rn_call *call = named->n > 0 ? named->calls : rn_log_call(r, named);
    if (call == NULL) return;
    *call = l->calls[at];
    call->op = -1;
    l->calls[at].state = RN_CALL_COMPLETED;
    take_size(r, named, call);
}

/* "Last enqueued NCCL work: 5", "last enqueued work: 5" */
static int64_t last_number(const char *line, const char *what) {
    const char *at = rn_behind(line, what);
    return at != NULL ? whole_number(at, "work:") : -1;
}

/* "last completed work: 5" may be cut at the end of the line: it lacks no digit if with one more it were beyond what was enqueued. */
static int64_t completed_number(const char *line, int64_t enqueued) {
    const char *at = rn_behind(line, "ast completed");
    const int64_t number = at != NULL ? rn_number_behind(at, "work:", -1) : -1;
    const bool whole = number <= enqueued && number > enqueued / 10;
    return whole || enqueued == 0 ? number : last_number(line, "ast completed");
}

static int64_t failed_number(const char *line) {
    static const char *const behind[] = {
        "at work sequence id:", "detected by watchdog at work:", "Timeout at NCCL work:"};
    int64_t number = -1;
    for (int i = 0; i < 3 && number < 0; i++) number = whole_number(line, behind[i]);
    return number;
}

/* A rank gives up once in a group, and then its process ends, even if it waits for its dump to be written. Who gives up again behind
   a launcher's line, at a smaller number, or so long after that it may have waited anew, is another process; where no line says
   when, it may be one. */
static void note_failed(rn_log_reader *r, rn_rank_log *l, int64_t failed, const char *line) {
    const int64_t when_us = rn_time_of(line), half_hour_us = (int64_t)30 * 60 * 1000000,
                  ran_ms = whole_number(line, "ran for ");
    const bool again = l->failed_at.text != NULL, timed = when_us >= 0 && l->failed_us >= 0,
               other = failed != l->failed || (ran_ms > 0 && l->ran_ms > 0 && ran_ms != l->ran_ms);
    const int64_t long_us = other && r->timeout_us > 0 ? r->timeout_us : half_hour_us;
    if (again && l->failed_at.at < r->launcher.at) {
        r->anew = r->launcher;
    } else if (again && (failed < l->failed || (timed && when_us - l->failed_us > long_us))) {
        r->anew = l->failed_at;
        r->gap = true;
    } else if (again && other && !timed && r->second.text == NULL) {
        const rn_rank_log *any = rn_log_of(r, l->rank, 0);
        const bool caught = any != NULL && any->last_caught.at > l->failed_at.at;
        r->second = caught ? any->last_caught : r->here;
    }
    if (when_us >= 0 && when_us < r->first_us) r->first_us = when_us;
    r->last_us = rs_larger(r->last_us, when_us);
    if (ran_ms > 0) l->ran_ms = ran_ms;
    l->failed = failed;
    l->failed_at = r->here;
    l->failed_us = when_us;
}

int32_t rn_watchdog_rank(const char *line) {
    int64_t rank = -1;
    if (rn_log_prefix(line, &rank) == NULL || strstr(line, "(default_pg) Rank ") != NULL) {
        const int64_t within = rank_within(line);
        if (within >= 0) rank = within;
    }
    return rank >= 0 && rank < RN_LOG_RANKS ? (int32_t)rank : -1;
}

void rn_take_watchdog(rn_log_reader *r, const char *line) {
    enum { MOST_TIMEOUTS = 64 /* of a rank, whose group is not known */ };
    const int32_t rank = rn_watchdog_rank(line);
    if (rank < 0) return;
    const int64_t seq = whole_number(line, "CCL(SeqNum=");
    const int64_t enqueued = last_number(line, "ast enqueued");
    const int64_t completed = completed_number(line, enqueued);
    const int64_t failed = failed_number(line);
    const int64_t number = failed >= 0 ? failed : seq;
    const int64_t timeout_us = 1000 * whole_number(line, "Timeout(ms)=");
    if (number < 0 && enqueued < 0) return;
    const char *sign = strstr(line, seq >= 0 ? "CCL(SeqNum=" : "nqueued ");
    if (sign != NULL && rn_is_quoted(line, sign)) return; /* source code, prose */
    if (timeout_us > r->timeout_us) r->timeout_us = timeout_us;
    uint32_t desc = 0;
    const uint32_t group = watchdog_group(r, line, &desc);
    rn_rank_log *l = rn_log_of(r, rank, 0);
    if (l != NULL && seq >= 0) {
        if (l->first_caught.text == NULL) l->first_caught = r->here;
        l->last_caught = r->here;
    }
    l = rn_log_of(r, rank, group);
    if (l == NULL) return;
    if (failed >= 0 && l->failed_at.text != NULL && l->failed != failed)
        l->of.unsure = true; /* started anew */
    if (failed >= 0 && group != 0) note_failed(r, l, failed, line);
    if (desc != 0) l->of.desc = desc;
    if (group != 0) l->of.place = rank_within(line) + 1;
    if (l->of.place > l->of.n_least) l->of.n_least = l->of.place;
    if (failed > l->of.last_seq) l->of.last_seq = failed;
    if (enqueued >= 0) l->of.last_seq = enqueued;
    if (completed >= 0) l->of.last_completed = completed;
    if (seq < 0 || l->n >= (group != 0 ? 1 : MOST_TIMEOUTS)) return;
    rn_call *call = rn_log_call(r, l);
    const int64_t n_in = whole_number(line, "NumelIn="), n_out = whole_number(line, "NumelOut=");
    if (call == NULL) return;
    call->seq = seq;
    call->name = watchdog_name(r, line);
    call->n_in = n_in >= 0 && n_out >= 0 ? n_in : 0;
    call->n_out = n_in >= 0 && n_out >= 0 ? n_out : 0;
    take_size(r, l, call);
    if (group != 0) return;
    call->op = rank_within(line); /* until its group is known */
    int64_t same = 0;
    while (!say_again(r, &l->calls[same], call)) same++; /* the last is the call itself */
    if (same + 1 < l->n) l->n--;
    if (same == 0) note_failed(r, l, seq, line); /* others are of other groups */
}

/* Messages count, too, in what was enqueued: where one is open, that is not the number of a collective. */
static void forget_numbers(rn_log_reader *r) {
    for (int32_t i = 0; i < r->n; i++) {
        rn_rank_log *l = &r->list[i];
        const char *name = l->n > 0 ? r->words.list[l->calls[0].name].text : "";
        const bool message = strcmp(name, "send") == 0 || strcmp(name, "recv") == 0;
        if (message || strcmp(name, "coalesced") == 0) l->of.last_seq = l->of.last_completed = -1;
    }
}

/* Of those that no group has got the oldest counts: several of a rank are of several groups, and nobody knows which is whose. */
static void keep_one(rn_rank_log *l) {
    const rn_call *first = NULL;
    int64_t n_left = 0;
    for (int64_t i = 0; i < l->n; i++) {
        if (is_given(&l->calls[i])) continue;
        n_left++;
        if (first == NULL || l->calls[i].seq < first->seq) first = &l->calls[i];
    }
    l->n = first != NULL;
    if (first == NULL) return;
    l->of.place = first->op + 1;
    if (l->of.place > l->of.n_least) l->of.n_least = l->of.place;
    l->calls[0] = *first;
    l->calls[0].op = -1;
    l->of.unsure = n_left > 1;
}

/* Numbers what call it is. */
static int64_t number_of(rs_texts *calls, const rn_call *c) {
    const int64_t key[] = {c->seq, c->n_in, c->n_out, c->name};
    return rs_text_kept(calls, key, sizeof key);
}

/* A timeout whose line names no group is in that one of which others tell the same call, if there is but one. */
static void join_others(rn_log_reader *r) {
    enum { SEVERAL = UINT32_MAX };
    rs_texts calls;
    const int32_t n = r->n; /* more may come */
    uint32_t *group_of = rs_heap_take(r->heap, ((size_t)n + 2) * sizeof *group_of);
    if (group_of == NULL || !rs_texts_begin(&calls, r->heap, NULL, 0)) return;
    for (int32_t i = 0; i < n && !rn_log_lacks(r); i++) {
        const rn_rank_log *l = &r->list[i];
        if (l->process > 0 || l->of.name == 0 || l->n == 0 || l->calls[0].n_in == 0) continue;
        const int64_t at = number_of(&calls, &l->calls[0]);
        if (at == RS_NO_TEXT) return;
        const bool known = group_of[at] != 0 && group_of[at] != l->of.name;
        group_of[at] = known ? SEVERAL : l->of.name;
    }
    for (int32_t i = 0; i < n && !rn_log_lacks(r); i++) {
        const rn_rank_log *l = &r->list[i];
        if (l->process > 0 || l->of.name != 0 || l->n != 1 || is_given(&l->calls[0])) continue;
        const int64_t at = number_of(&calls, &l->calls[0]);
        const int32_t rank = l->rank, within = l->calls[0].op;
        const int64_t seq = l->calls[0].seq;
        if (at == RS_NO_TEXT || at > n || group_of[at] == 0 || group_of[at] == SEVERAL) continue;
        rn_rank_log *named = rn_log_of(r, rank, group_of[at]);
        if (named == NULL) continue;
        name_timeout(r, named, within, seq);
        if (named->of.place == 0) named->of.place = within + 1;
    }
}

/* "PG 1" is a number of the process: where two ranks are the same member of it, or one has another number there than in the job,
   they may be of several groups. */
static void tell_apart(rn_log_reader *r) {
    rs_texts members;
    rs_texts_begin(&members, r->heap, NULL, 0);
    for (int32_t i = 0; i < r->n && !rn_log_lacks(r); i++) {
        const rn_rank_log *l = &r->list[i];
        const uint32_t key[] = {l->of.name, (uint32_t)l->of.place}, before = members.n;
        if (strncmp(r->words.list[l->of.name].text, "PG ", 3) != 0 || l->of.place == 0) continue;
        rs_text_kept(&members, key, sizeof key);
        const bool apart = members.n == before || l->of.place != l->rank + 1;
        for (int32_t k = 0; k < r->n && apart && !l->of.unsure; k++) {
            if (r->list[k].of.name == l->of.name) r->list[k].of.unsure = true;
        }
    }
}

void rn_name_rest(rn_log_reader *r) {
    int32_t n_kept = 0;
    for (int32_t i = 0; i < r->n; i++) {
        rn_rank_log *l = &r->list[i];
        const bool failed = l->failed_at.text != NULL;
        if (l->process > 0 || l->of.name == 0 || (!failed && l->n == 0)) continue;
        name_timeout(r, l, l->of.place - 1, failed ? l->failed : l->calls[0].seq);
    }
    join_others(r);
    tell_apart(r);
    for (int32_t i = 0; i < r->n; i++) {
        rn_rank_log *l = &r->list[i];
        const bool watchdog = l->process == 0 && l->of.name == 0;
        if (watchdog) keep_one(l);
        if (!watchdog || l->n > 0 || l->of.last_seq >= 0 || l->waits) r->list[n_kept++] = *l;
    }
    r->n = n_kept;
}

void rn_complete_watchdog(rn_log_reader *r) {
    for (int32_t i = 0; i < r->n; i++) {
        rn_rank_log *l = &r->list[i];
        const bool told = l->of.last_completed >= 0 || l->failed_at.text != NULL;
        if (l->n > 0 || l->of.last_seq < 0 || !told)
            continue; /* what is enqueued may be further on */
        rn_call *call = rn_log_call(r, l);
        if (call == NULL) return;
        const bool over = l->of.last_completed >= l->of.last_seq;
        call->name = rn_keep_text(&r->words, RN_UNKNOWN_CALL, 4);
        call->seq = over ? l->of.last_seq : l->of.last_completed + 1;
        if (!over && l->failed_at.text != NULL) call->seq = l->failed;
        call->state = over ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED;
    }
    forget_numbers(r);
}
