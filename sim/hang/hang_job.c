/* hang_job.c: the dumps of a job put together: one numbering of words, groups by name and ranks, calls by member. */
#include "hang_job.h"

#include <stdlib.h>
#include <string.h>

static rs_status no_memory(rs_error *error) {
    return rs_fail(error, RS_NO_MEMORY, "no memory to compare the ranks' calls");
}

static int by_rank(const void *left, const void *right) {
    const rs_dump *a = left, *b = right;
    return rs_number_order(a->rank, b->rank);
}

/* The place of a rank among the files; -1: it has none. */
static int32_t file_of(const rs_hang_job *job, int32_t rank) {
    int32_t low = 0, high = job->n_dumps;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (job->dumps[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < job->n_dumps && job->dumps[low].rank == rank ? low : -1;
}

int32_t rs_dump_of(const rs_hang_job *job, int32_t rank) {
    const int32_t d = file_of(job, rank);
    return d >= 0 && !job->dumps[d].unread ? d : -1;
}

bool rs_is_unread(const rs_hang_job *job, int32_t rank) {
    const int32_t d = file_of(job, rank);
    return d >= 0 && job->dumps[d].unread;
}

/* ------------------------------------------------------------------ words */

static bool number_words(rs_hang_job *job) {
    for (int32_t d = 0; d < job->n_dumps; d++) {
        rs_dump *dump = &job->dumps[d];
        uint32_t *number = rs_heap_take(job->pieces, (size_t)dump->n_words * sizeof *number);
        if (number == NULL) return false;
        for (uint32_t i = 0; i < dump->n_words; i++) {
            const int64_t word = rs_text_of(&job->words, dump->words[i], strlen(dump->words[i]));
            if (word == RS_NO_TEXT) return false;
            number[i] = (uint32_t)word;
        }
        for (int64_t i = 0; i < dump->n_calls; i++) {
            rs_call *call = &dump->calls[i];
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
    job->texts = rs_heap_take(job->pieces, job->words.n * sizeof *job->texts);
    if (job->texts == NULL) return false;
    for (uint32_t i = 0; i < job->words.n; i++) job->texts[i] = job->words.list[i].text;
    return true;
}

/* ------------------------------------------------------------------ groups */

static int by_number(const void *left, const void *right) {
    return rs_number_order(*(const int32_t *)left, *(const int32_t *)right);
}

/* What a group is told apart by: its name's number and its ranks, as a text. */
static int64_t key_of(rs_texts *keys, const rs_call_group *g, int32_t *room) {
    room[0] = (int32_t)g->name;
    if (g->n_ranks > 0) {
        memcpy(room + 1, g->ranks, (size_t)g->n_ranks * sizeof *room);
        qsort(room + 1, (size_t)g->n_ranks, sizeof *room, by_number);
    }
    return rs_text_kept(keys, (const char *)room, ((size_t)g->n_ranks + 1) * sizeof *room);
}

/* Makes the group's members: the ranks, each once. */
static bool make_group(rs_hang_job *job, const rs_text *key, rs_hang_group *g) {
    const int32_t *ranks = (const int32_t *)(const void *)key->text;
    const int32_t n = (int32_t)(key->n_bytes / sizeof *ranks) - 1;
    *g = (rs_hang_group){.name = job->texts[ranks[0]]};
    g->members = rs_heap_take(job->pieces, (size_t)n * sizeof *g->members);
    if (g->members == NULL) return false;
    for (int32_t i = 1; i <= n; i++) {
        if (i > 1 && ranks[i] == ranks[i - 1]) continue;
        g->members[g->n_members] = (rs_hang_member){
            .rank = ranks[i], .dump = rs_dump_of(job, ranks[i]), .last_seq = -1, .first_open = -1};
        g->n_dumped += g->members[g->n_members++].dump >= 0;
    }
    return true;
}

/* A group of all ranks has those up to the last that a file speaks of, and those behind it that have a file in which nothing
   can be read; unless another file lists them. */
static bool count_all(rs_hang_job *job) {
    uint32_t name = 0;
    int32_t n = 0;
    bool listed = false;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            if (job->dumps[d].groups[g].n_ranks != RS_ALL_RANKS) continue;
            name = job->dumps[d].groups[g].name;
            n = job->dumps[d].rank + 1; /* they are by rank */
        }
    }
    for (int32_t d = 0; d < job->n_dumps && n > 0; d++) {
        n += job->dumps[d].unread && job->dumps[d].rank == n;
    }
    int32_t *all = rs_heap_take(job->pieces, (size_t)n * sizeof *all);
    if (all == NULL) return false;
    for (int32_t k = 0; k < n; k++) all[k] = k;
    for (int32_t d = 0; d < job->n_dumps && n > 0; d++) {
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            const rs_call_group *other = &job->dumps[d].groups[g];
            listed = listed || (other->name == name && other->n_ranks > 0);
        }
    }
    for (int32_t d = 0; d < job->n_dumps && n > 0; d++) {
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            rs_call_group *whole = &job->dumps[d].groups[g];
            if (whole->n_ranks != RS_ALL_RANKS) continue;
            whole->n_ranks = listed ? 0 : n;
            whole->ranks = listed ? NULL : all;
        }
    }
    return true;
}

/* Dumps that name a group without its ranks: all that name it so are its members. */
static bool fill_unknown(rs_hang_job *job, int32_t *const of[]) {
    int32_t *n = rs_heap_take(job->pieces, (size_t)job->n_groups * sizeof *n);
    if (n == NULL) return false;
    for (int32_t g = 0; g < job->n_groups; g++) n[g] = job->groups[g].n_members > 0 ? -1 : 0;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int32_t i = 0; i < job->dumps[d].n_groups; i++) n[of[d][i]] += n[of[d][i]] >= 0;
    }
    for (int32_t g = 0; g < job->n_groups; g++) {
        if (n[g] <= 0) continue;
        job->groups[g].members = rs_heap_take(job->pieces, (size_t)n[g] * sizeof(rs_hang_member));
        if (job->groups[g].members == NULL) return false;
    }
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int32_t i = 0; i < job->dumps[d].n_groups; i++) {
            rs_hang_group *g = &job->groups[of[d][i]];
            if (n[of[d][i]] <= 0) continue;
            if (g->n_members > 0 && g->members[g->n_members - 1].dump == d) continue;
            g->members[g->n_members++] = (rs_hang_member){
                .rank = job->dumps[d].rank, .dump = d, .last_seq = -1, .first_open = -1};
            g->n_dumped = g->n_members;
        }
    }
    return true;
}

/* A group without ranks is the one of that name that has this rank, if there is one. */
static int32_t same_named(const rs_hang_job *job, int32_t group, int32_t rank) {
    for (int32_t g = 0; g < job->n_groups; g++) {
        const rs_hang_group *other = &job->groups[g];
        if (other->n_members == 0 || other->name != job->groups[group].name) continue;
        for (int32_t m = 0; m < other->n_members; m++) {
            if (other->members[m].rank == rank) return g;
        }
    }
    return group;
}

/* Reports keep one list of ranks for all of a group. */
static bool is_same_list(const rs_dump *before, const rs_dump *dump, int32_t g) {
    if (g >= before->n_groups || dump->groups[g].n_ranks == 0) return false;
    const rs_call_group *a = &before->groups[g], *b = &dump->groups[g];
    return a->ranks == b->ranks && a->n_ranks == b->n_ranks && a->name == b->name;
}

static bool gather_groups(rs_hang_job *job, int32_t **of) {
    rs_texts keys;
    int32_t most = 0;
    if (!rs_texts_begin(&keys, job->pieces)) return false;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            if (job->dumps[d].groups[g].n_ranks > most) most = job->dumps[d].groups[g].n_ranks;
        }
    }
    int32_t *room = rs_heap_take(job->pieces, ((size_t)most + 1) * sizeof *room);
    if (room == NULL) return false;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        rs_dump *dump = &job->dumps[d];
        of[d] = rs_heap_take(job->pieces, (size_t)dump->n_groups * sizeof **of);
        if (of[d] == NULL) return false;
        for (int32_t g = 0; g < dump->n_groups; g++) {
            if (d > 0 && is_same_list(&job->dumps[d - 1], dump, g)) {
                of[d][g] = of[d - 1][g];
                continue;
            }
            const int64_t key = key_of(&keys, &dump->groups[g], room);
            if (key == RS_NO_TEXT) return false;
            of[d][g] = (int32_t)key - 1; /* the first word is "" */
        }
    }
    job->n_groups = (int32_t)keys.n - 1;
    job->groups = rs_heap_take(job->pieces, keys.n * sizeof *job->groups);
    if (job->groups == NULL) return false;
    for (int32_t g = 0; g < job->n_groups; g++) {
        if (!make_group(job, &keys.list[g + 1], &job->groups[g])) return false;
    }
    int64_t n_known = 0, left = 1 << 26; /* groups to look at: names without ranks are few */
    for (int32_t g = 0; g < job->n_groups; g++) n_known += job->groups[g].n_members > 0;
    for (int32_t d = 0; d < job->n_dumps && n_known > 0; d++) {
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            if (job->groups[of[d][g]].n_members > 0 || left <= 0) continue;
            left -= job->n_groups;
            of[d][g] = same_named(job, of[d][g], job->dumps[d].rank);
        }
    }
    for (int32_t d = 0; d < job->n_dumps; d++) {
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            const uint32_t desc = job->dumps[d].groups[g].desc;
            if (desc != 0) job->groups[of[d][g]].desc = job->texts[desc];
        }
    }
    return fill_unknown(job, of);
}

/* Names the other one of two; a message to one of whom no file speaks is left out. */
static void name_peers(rs_hang_job *job, int32_t *const of[]) {
    for (int32_t d = 0; d < job->n_dumps; d++) {
        rs_dump *dump = &job->dumps[d];
        int64_t n = 0;
        for (int64_t i = 0; i < dump->n_calls; i++) {
            rs_call call = dump->calls[i];
            const rs_hang_group *g = &job->groups[of[d][call.group]];
            if (call.peer == RS_OTHER_PEER && g->n_members != 2) continue;
            if (call.peer == RS_OTHER_PEER) {
                call.peer = g->members[g->members[0].rank == dump->rank].rank;
            }
            dump->calls[n++] = call;
        }
        dump->n_calls = n;
    }
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

static call_args args_of(const rs_hang_job *job, const rs_call *call) {
    const char *name = job->texts[call->name];
    call_args args = {call->n_in, call->n_out, call->name, call->dtype, call->root, call->op};
    const bool all_to_all = named(name, "all_to_all") || named(name, "alltoall");
    if (all_to_all || named(name, "scatter")) args.n_in = 0;
    if (all_to_all || named(name, "gather")) args.n_out = 0;
    return args;
}

/* Numbers of equal bytes, dense. */
static int64_t number_of(rs_texts *table, const void *bytes, size_t n) {
    return rs_text_kept(table, bytes, n);
}

int32_t rs_member_at(const rs_hang_group *g, int32_t rank) {
    int32_t low = 0, high = g->n_members;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (g->members[middle].rank < rank) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < g->n_members && g->members[low].rank == rank ? low : -1;
}

static bool mark_calls(rs_hang_job *job, int32_t d, const int32_t of[], rs_texts *args,
                       rs_texts *sites) {
    rs_dump *dump = &job->dumps[d];
    int32_t *member_of = rs_heap_take(job->pieces, (size_t)dump->n_groups * sizeof *member_of);
    rs_call_mark *marks = rs_heap_take(job->pieces, (size_t)dump->n_calls * sizeof *marks);
    if (member_of == NULL || marks == NULL) return false;
    for (int32_t g = 0; g < dump->n_groups; g++) {
        member_of[g] = rs_member_at(&job->groups[of[g]], dump->rank);
    }
    for (int64_t i = 0; i < dump->n_calls; i++) {
        const rs_call *call = &dump->calls[i];
        if (call->peer >= 0 || member_of[call->group] < 0) continue;
        job->groups[of[call->group]].members[member_of[call->group]].n++;
    }
    for (int32_t g = 0; g < dump->n_groups; g++) {
        if (member_of[g] < 0) continue;
        rs_hang_member *m = &job->groups[of[g]].members[member_of[g]];
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
        rs_call *call = &dump->calls[i];
        const int32_t own = member_of[call->group];
        call->group = of[call->group];
        if (call->peer >= 0 || own < 0) continue;
        rs_hang_member *m = &job->groups[call->group].members[own];
        const call_args a = args_of(job, call);
        if (memcmp(&a, &last, sizeof a) != 0) last_number = number_of(args, &a, sizeof a);
        last = a;
        const int64_t site =
            call->stack == 0 ? 0 : number_of(sites, &call->stack, sizeof call->stack);
        if (last_number == RS_NO_TEXT || site == RS_NO_TEXT) return false;
        if (call->state != RS_CALL_COMPLETED && m->first_open < 0 && !dump->launched) {
            m->first_open = m->n;
            job->groups[call->group].waits = true;
        }
        if (call->seq > m->last_seq) m->last_seq = call->seq;
        m->calls[m->n++] = (rs_call_mark){(uint32_t)last_number, (uint32_t)site, (int32_t)i};
    }
    return true;
}

/* The call that a member's lines of a log show open; NULL: there are none, or it is in no call. */
static const rs_call *open_line(const rs_hang_job *job, const rs_hang_member *m) {
    if (m->dump < 0 || m->first_open < 0 || !job->dumps[m->dump].rough) return NULL;
    return rs_member_call(job, m, m->first_open);
}

/* Lines of logs name no peers, nor who is in a group: a message, a coalesced group that one rank alone is in, and the only rank of
   a group wait for somebody. The number of a message is none of the group's calls. */
static void find_unnamed(rs_hang_job *job) {
    for (int32_t i = 0; i < job->n_groups; i++) {
        rs_hang_group *g = &job->groups[i];
        const rs_call *coalesced = NULL;
        int32_t n_coalesced = 0;
        for (int32_t k = 0; k < g->n_members; k++) {
            const rs_call *call = open_line(job, &g->members[k]);
            if (call == NULL || strcmp(job->texts[call->name], "coalesced") != 0) continue;
            coalesced = call;
            n_coalesced++;
        }
        for (int32_t k = 0; k < g->n_members; k++) {
            rs_hang_member *m = &g->members[k];
            const rs_call *call = open_line(job, m);
            const char *name = call != NULL ? job->texts[call->name] : "";
            const bool message = strcmp(name, "send") == 0 || strcmp(name, "recv") == 0 ||
                                 (call != NULL && call == coalesced && n_coalesced == 1);
            if (message) m->last_seq = -1;
            m->unnamed = message || (call != NULL && g->n_members == 1);
        }
    }
}

/* Where calls were launched and nothing says which are over: those who came furthest are in their last one, if
   others have not come so far. */
static void open_last(rs_hang_job *job) {
    for (int32_t i = 0; i < job->n_groups; i++) {
        rs_hang_group *g = &job->groups[i];
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
            rs_hang_member *member = &g->members[m];
            if (member->dump < 0 || member->last_seq < most || member->n == 0) continue;
            member->first_open = member->n - 1;
        }
    }
}

static int32_t count_ranks(rs_hang_job *job) {
    int32_t n = 0, more = 0;
    int64_t room = 0;
    for (int32_t d = 0; d < job->n_dumps; d++) n += !job->dumps[d].unread;
    for (int32_t g = 0; g < job->n_groups; g++) {
        room += job->groups[g].n_members - job->groups[g].n_dumped;
    }
    int32_t *gone = rs_heap_take(job->pieces, (size_t)room * sizeof *gone);
    if (gone == NULL) return n;
    for (int32_t g = 0; g < job->n_groups; g++) {
        for (int32_t m = 0; m < job->groups[g].n_members; m++) {
            if (job->groups[g].members[m].dump < 0) gone[more++] = job->groups[g].members[m].rank;
        }
    }
    qsort(gone, (size_t)more, sizeof *gone, by_number);
    for (int32_t i = 0; i < more; i++) n += i == 0 || gone[i] != gone[i - 1];
    return n;
}

rs_status rs_gather_job(rs_dump dumps[], int32_t n_dumps, rs_heap *pieces, rs_error *error,
                        rs_hang_job *job) {
    rs_texts args, sites;
    *job = (rs_hang_job){.dumps = dumps, .n_dumps = n_dumps, .pieces = pieces};
    qsort(dumps, (size_t)n_dumps, sizeof *dumps, by_rank);
    int32_t **of = rs_heap_take(pieces, (size_t)n_dumps * sizeof *of);
    job->silent = rs_heap_take(pieces, (size_t)n_dumps);
    if (of == NULL || job->silent == NULL || !rs_texts_begin(&job->words, pieces) ||
        !rs_texts_begin(&args, pieces) || !rs_texts_begin(&sites, pieces)) {
        return no_memory(error);
    }
    if (!number_words(job) || !count_all(job) || !gather_groups(job, of)) {
        return no_memory(error);
    }
    name_peers(job, of);
    for (int32_t d = 0; d < n_dumps; d++) {
        job->silent[d] = dumps[d].n_calls == 0;
        if (!mark_calls(job, d, of[d], &args, &sites)) return no_memory(error);
    }
    find_unnamed(job);
    open_last(job);
    job->n_args = args.n;
    job->n_sites = sites.n;
    job->n_ranks = count_ranks(job);
    return RS_OK;
}

rs_hang_place rs_place_of(const rs_hang_job *job, int32_t rank, const rs_call *call) {
    return (rs_hang_place){.rank = rank,
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
