/* hang_job.c: the dumps of a job put together: one numbering of words, groups by name and ranks, calls by member. */
#include "hang_job.h"

#include <stdlib.h>
#include <string.h>

RS_ORDER(by_rank, rn_dump, rank);

/* ------------------------------------------------------------------ words */

/* Returns the job's numbers of a dump's words; NULL: no memory. */
static uint32_t *number_of_words(rn_hang_job *job, const rn_dump *dump) {
    uint32_t *number = rs_heap_take(job->pieces, (size_t)dump->n_words * sizeof *number);
    for (uint32_t i = 0; number != NULL && i < dump->n_words; i++) {
        const int64_t word = rs_text_of(&job->words, dump->words[i], strlen(dump->words[i]));
        if (word == RS_NO_TEXT) return NULL;
        number[i] = (uint32_t)word;
    }
    return number;
}

static bool number_words(rn_hang_job *job) {
    const char **before = NULL; /* dumps of one log share their words */
    uint32_t *number = NULL;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        rn_dump *dump = &job->dumps[d];
        if (number == NULL || dump->words != before) number = number_of_words(job, dump);
        if (number == NULL) return false;
        before = dump->words;
        for (int64_t i = 0; i < dump->n_calls; i++) {
            rn_call *call = &dump->calls[i];
            call->name = number[call->name];
            call->dtype = number[call->dtype];
            call->where = number[call->where];
        }
        for (int32_t g = 0; g < dump->n_groups; g++) {
            dump->groups[g].name = number[dump->groups[g].name];
            dump->groups[g].desc = number[dump->groups[g].desc];
        }
        dump->words = NULL; /* they have new numbers */
        dump->n_words = 0;
    }
    job->texts = rn_list_words(job->pieces, &job->words);
    return job->texts != NULL;
}

/* ------------------------------------------------------------------ calls */

static bool named(const char *name, const char *begins) {
    return strncmp(name, begins, strlen(begins)) == 0;
}

/* What must be equal in all members: of some operations the sizes need not be. */
typedef struct call_args {
    int64_t n_in, n_out;
    uint32_t name, dtype;
    int32_t root, op;
} call_args;

static call_args args_of(const rn_hang_job *job, const rn_call *call) {
    const char *name = job->texts[call->name];
    call_args args = {call->n_in, call->n_out, call->name, call->dtype, call->root, call->op};
    const bool all_to_all = named(name, "all_to_all") || named(name, "alltoall");
    if (all_to_all || named(name, "scatter")) args.n_in = 0;
    if (all_to_all || named(name, "gather")) args.n_out = 0;
    return args;
}

RS_ORDER(by_member, rn_hang_member, rank);

int32_t rn_member_at(const rn_hang_group *g, int32_t rank) {
    const rn_hang_member key = {.rank = rank}, *found = NULL;
    if (g->n_members > 0)
        found = bsearch(&key, g->members, (size_t)g->n_members, sizeof key, by_member);
    return found != NULL ? (int32_t)(found - g->members) : -1;
}

static bool mark_calls(rn_hang_job *job, int32_t d, const int32_t of[], rs_texts *args,
                       rs_texts *sites) {
    rn_dump *dump = &job->dumps[d];
    int32_t *member_of = rs_heap_take(job->pieces, (size_t)dump->n_groups * sizeof *member_of);
    rn_call_mark *marks = rs_heap_take(job->pieces, (size_t)dump->n_calls * sizeof *marks);
    if (member_of == NULL || marks == NULL) return false;
    for (int32_t g = 0; g < dump->n_groups; g++) {
        member_of[g] = rn_member_at(&job->groups[of[g]], dump->rank);
    }
    for (int64_t i = 0; i < dump->n_calls; i++) {
        const rn_call *call = &dump->calls[i];
        if (call->peer >= 0 || member_of[call->group] < 0) continue;
        job->groups[of[call->group]].members[member_of[call->group]].n++;
    }
    for (int32_t g = 0; g < dump->n_groups; g++) {
        if (member_of[g] < 0) continue;
        rn_hang_member *m = &job->groups[of[g]].members[member_of[g]];
        if (m->calls != NULL) continue; /* two names of one group */
        m->calls = marks;
        marks += m->n;
        m->n = 0;
        m->last_seq = dump->groups[g].last_seq;
        m->last_completed = dump->groups[g].last_completed;
    }
    call_args last = {.n_in = -1};
    int64_t last_number = 0;
    for (int64_t i = 0; i < dump->n_calls; i++) {
        rn_call *call = &dump->calls[i];
        const int32_t own = member_of[call->group];
        call->group = of[call->group];
        if (call->peer >= 0 || own < 0) continue;
        rn_hang_member *m = &job->groups[call->group].members[own];
        const call_args a = args_of(job, call);
        if (memcmp(&a, &last, sizeof a) != 0) last_number = rs_text_kept(args, &a, sizeof a);
        last = a;
        const int64_t site =
            call->stack == 0 ? 0 : rs_text_kept(sites, &call->stack, sizeof call->stack);
        if (last_number == RS_NO_TEXT || site == RS_NO_TEXT) return false;
        if (call->state != RN_CALL_COMPLETED && m->first_open < 0 && !dump->launched) {
            m->first_open = m->n;
            job->groups[call->group].waits = true;
        }
        if (call->seq > m->last_seq) m->last_seq = call->seq;
        m->calls[m->n++] = (rn_call_mark){(uint32_t)last_number, (uint32_t)site, (int32_t)i};
    }
    return true;
}

/* The call that a member's lines of a log show open; NULL: there are none, or it is in no call. */
static const rn_call *open_line(const rn_hang_job *job, const rn_hang_member *m) {
    if (m->dump < 0 || m->first_open < 0 || !job->dumps[m->dump].rough) return NULL;
    return rn_member_call(job, m, m->first_open);
}

static bool is_coalesced(const rn_hang_job *job, const rn_call *call) {
    return call != NULL && strcmp(job->texts[call->name], "coalesced") == 0;
}

/* Lines of logs name no peers, nor who is in a group: a message, a coalesced group that no other rank is in, and the only rank of a
   group wait for somebody. The number of a message is none of the group's calls. */
static bool find_unnamed(rn_hang_job *job) {
    for (int32_t i = 0; i < job->n_groups; i++) {
        rn_hang_group *g = &job->groups[i];
        rs_texts seqs = {.heap = job->pieces}; /* of coalesced groups, as bytes */
        int32_t *n_in = NULL;                  /* [room] members in each of them */
        int64_t room = 0;
        for (int32_t k = 0; k < g->n_members; k++) {
            const rn_call *call = open_line(job, &g->members[k]);
            if (!is_coalesced(job, call)) continue;
            const int64_t at = rs_text_kept(&seqs, &call->seq, sizeof call->seq);
            if (at == RS_NO_TEXT || !rs_heap_reserve(job->pieces, &n_in, at + 1, &room))
                return false;
            n_in[at]++;
        }
        for (int32_t k = 0; k < g->n_members; k++) {
            rn_hang_member *m = &g->members[k];
            const rn_call *call = open_line(job, m);
            const char *name = call != NULL ? job->texts[call->name] : "";
            const bool message = strcmp(name, "send") == 0 || strcmp(name, "recv") == 0 ||
                                 (is_coalesced(job, call) &&
                                  n_in[rs_text_find(&seqs, &call->seq, sizeof call->seq)] == 1);
            if (message) m->last_seq = -1;
            const bool lacks = g->n_members == 1 || g->n_least > g->n_members || g->unsure;
            m->unnamed = message || (call != NULL && lacks);
        }
    }
    return true;
}

/* Where calls were launched and nothing says which are over: those who came furthest are in their last one, if
   others have not come so far. */
static void open_last(rn_hang_job *job) {
    for (int32_t i = 0; i < job->n_groups; i++) {
        rn_hang_group *g = &job->groups[i];
        int64_t least = INT64_MAX, most = -1;
        bool launched = g->n_dumped > 0;
        for (int32_t m = 0; m < g->n_members && launched; m++) {
            if (g->members[m].dump < 0) continue;
            launched = job->dumps[g->members[m].dump].launched;
            if (g->members[m].last_seq < least) least = g->members[m].last_seq;
            if (g->members[m].last_seq > most) most = g->members[m].last_seq;
        }
        if (!launched) continue;
        g->waits = true;
        for (int32_t m = 0; m < g->n_members && (least < most || g->n_dumped < g->n_members); m++) {
            rn_hang_member *member = &g->members[m];
            if (member->dump < 0 || member->last_seq < most || member->n == 0) continue;
            member->first_open = member->n - 1;
        }
    }
}

rs_status rn_gather_job(rn_dump dumps[], int32_t n_dumps, rs_heap *pieces, rs_error *error,
                        rn_hang_job *job) {
    rs_texts args, sites;
    if (n_dumps == 0) dumps = rs_heap_take(pieces, sizeof *dumps); /* no pointer is null */
    if (dumps == NULL) return rs_no_memory(error);
    *job = (rn_hang_job){.dumps = dumps, .n_dumps = n_dumps, .pieces = pieces};
    qsort(dumps, (size_t)n_dumps, sizeof *dumps, by_rank);
    int32_t **of = rs_heap_take(pieces, (size_t)n_dumps * sizeof *of);
    if (of == NULL || !rs_texts_begin(&job->words, pieces, NULL, 0) ||
        !rs_texts_begin(&args, pieces, NULL, 0) || !rs_texts_begin(&sites, pieces, NULL, 0) ||
        !number_words(job) || !rn_gather_groups(job, of)) {
        return rs_no_memory(error);
    }
    for (int32_t d = 0; d < n_dumps; d++) {
        if (!mark_calls(job, d, of[d], &args, &sites)) return rs_no_memory(error);
    }
    if (!find_unnamed(job)) return rs_no_memory(error);
    open_last(job);
    job->n_args = args.n;
    job->n_sites = sites.n;
    job->n_ranks = rn_count_ranks(job);
    return RS_OK;
}

rn_hang_place rn_place_of(const rn_hang_job *job, int32_t rank, const rn_call *call) {
    return (rn_hang_place){.rank = rank,
                           .group = job->groups[call->group].name,
                           .desc = job->groups[call->group].desc,
                           .seq = call->seq,
                           .call = job->texts[call->name],
                           .where = call->where != 0 ? job->texts[call->where] : NULL,
                           .dtype = call->dtype != 0 ? job->texts[call->dtype] : NULL,
                           .n_in = call->n_in,
                           .n_out = call->n_out,
                           .root = call->root,
                           .op = call->op};
}
