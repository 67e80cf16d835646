/* hang_groups.c: who is in which group: by name and ranks, as all files together tell it.
 */
#include "hang_job.h"
#include "base/containers.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ whose files there are */

RS_ORDER(by_rank, rn_dump, rank);

/* The place of a rank among the files; -1: it has none. */
static int32_t file_of(const rn_hang_job *job, int32_t rank) {
    const rn_dump key = {.rank = rank}, *found = NULL;
    if (job->n_dumps > 0)
        found = bsearch(&key, job->dumps, (size_t)job->n_dumps, sizeof key, by_rank);
    return found != NULL ? (int32_t)(found - job->dumps) : -1;
}

int32_t rn_dump_of(const rn_hang_job *job, int32_t rank) {
    const int32_t d = file_of(job, rank);
    return d >= 0 && !job->dumps[d].unread ? d : -1;
}

bool rn_is_unread(const rn_hang_job *job, int32_t rank) {
    const int32_t d = file_of(job, rank);
    return d >= 0 && job->dumps[d].unread;
}

/* ------------------------------------------------------------------ groups */

/* Where a dump tells of a group: groups of all dumps are gone through one after another, from {0, -1} on. */
typedef struct told_place {
    int32_t dump, at;
} told_place;

/* Goes to the next one; NULL: there is none. */
static rn_call_group *next_told(const rn_hang_job *job, told_place *t) {
    t->at++;
    while (t->dump < job->n_dumps && t->at == job->dumps[t->dump].n_groups)
        *t = (told_place){t->dump + 1, 0};
    return t->dump < job->n_dumps ? &job->dumps[t->dump].groups[t->at] : NULL;
}

static rn_hang_member member_of(const rn_hang_job *job, int32_t rank) {
    return (rn_hang_member){
        .rank = rank, .dump = rn_dump_of(job, rank), .last_seq = -1, .first_open = -1};
}

/* What a group is told apart by: its name's number and its ranks, as a text. */
static int64_t key_of(rs_texts *keys, const rn_call_group *g, int32_t *room) {
    room[0] = (int32_t)g->name;
    if (g->n_ranks > 0) {
        memcpy(room + 1, g->ranks, (size_t)g->n_ranks * sizeof *room);
        qsort(room + 1, (size_t)g->n_ranks, sizeof *room, rs_by_int32);
    }
    return rs_text_kept(keys, (const char *)room, ((size_t)g->n_ranks + 1) * sizeof *room);
}

/* Makes the group's members: the ranks, each once. */
static bool make_group(rn_hang_job *job, const rs_text *key, rn_hang_group *g) {
    const int32_t *ranks = (const int32_t *)(const void *)key->text;
    const int32_t n = (int32_t)(key->n_bytes / sizeof *ranks) - 1;
    *g = (rn_hang_group){.name = job->texts[ranks[0]]};
    g->members = rs_heap_take(job->pieces, (size_t)n * sizeof *g->members);
    if (g->members == NULL) return false;
    for (int32_t i = 1; i <= n; i++) {
        if (i > 1 && ranks[i] == ranks[i - 1]) continue;
        g->members[g->n_members] = member_of(job, ranks[i]);
        g->n_dumped += g->members[g->n_members++].dump >= 0;
    }
    return true;
}

/* Has the rank another number in the group than in the job? Then it is not that of all. */
static bool is_apart(const rn_dump *dump, const rn_call_group *g) {
    return g->place > 0 && g->place != dump->rank + 1;
}

/* Calls of no named group are of all ranks' group where other ranks' lines name it, or no line names any, and none of
   them is apart. */
static void place_unnamed(rn_hang_job *job) {
    uint32_t whole = 0;
    bool named = false;
    const rn_call_group *told;
    for (told_place t = {0, -1}; (told = next_told(job, &t)) != NULL;) {
        const bool listed = job->dumps[t.dump].rough && told->n_ranks > 0; /* by NCCL's lines */
        named = named || (told->name != 0 && !listed);
        named = named || (told->name == 0 && is_apart(&job->dumps[t.dump], told));
        if (told->n_ranks == RN_ALL_RANKS && told->name != 0) whole = told->name;
    }
    for (int32_t d = 0; d < job->n_dumps && named; d++) {
        rn_call_group *unnamed = NULL;
        bool both = false;
        for (int32_t g = 0; g < job->dumps[d].n_groups; g++) {
            rn_call_group *group = &job->dumps[d].groups[g];
            if (group->n_ranks == RN_ALL_RANKS && group->name == 0) unnamed = group;
            both = both || group->name == whole;
        }
        if (unnamed == NULL) continue;
        if (whole == 0 || both || unnamed->unsure || is_apart(&job->dumps[d], unnamed)) {
            unnamed->n_ranks = 0;
            unnamed->unsure = true;
        } else {
            unnamed->name = whole;
        }
    }
}

/* A group of all ranks has those up to the last that has a file, or a line; and those behind it whose file cannot be read, as
   long as none is left out. Unless another file lists them. */
static bool count_all(rn_hang_job *job) {
    uint32_t name = 0;
    int32_t n = 0, least = 0;
    bool listed = false;
    rn_call_group *told;
    place_unnamed(job);
    for (told_place t = {0, -1}; (told = next_told(job, &t)) != NULL;) {
        if (told->n_ranks > least && job->dumps[t.dump].rough) least = told->n_ranks;
        if (told->n_ranks != RN_ALL_RANKS) continue;
        name = told->name;
        n = 1;
        if (told->n_least > least) least = told->n_least;
    }
    for (int32_t d = 0; d < job->n_dumps && n > 0; d++) { /* they are by rank */
        if (!job->dumps[d].unread) n = job->dumps[d].rank + 1;
    }
    for (int32_t d = 0; d < job->n_dumps && n > 0; d++) {
        n += job->dumps[d].unread && job->dumps[d].rank == n;
    }
    if (n > 0 && n < least) n = least;
    int32_t *all = rs_heap_take(job->pieces, (size_t)n * sizeof *all);
    if (all == NULL) return false;
    for (int32_t k = 0; k < n; k++) all[k] = k;
    for (told_place t = {0, -1}; n > 0 && (told = next_told(job, &t)) != NULL;)
        listed = listed || (told->name == name && told->n_ranks > 0);
    for (told_place t = {0, -1}; n > 0 && (told = next_told(job, &t)) != NULL;) {
        if (told->n_ranks != RN_ALL_RANKS) continue;
        told->n_ranks = listed ? 0 : n;
        told->ranks = listed ? NULL : all;
    }
    return true;
}

/* Members are so many ranks apart, all that are known, and two of them are neighbours: a group of ranks that are not, as of two
   dimensions, does not look so. Returns how many; 0: they are not. */
static int32_t apart(const rn_hang_group *g) {
    int32_t step = 0;
    for (int32_t m = 1; m < g->n_members; m++) {
        const rn_hang_member *a = &g->members[m - 1], *b = &g->members[m];
        if (a->place > 0 && b->place == a->place + 1) step = b->rank - a->rank;
    }
    for (int32_t m = 1; m < g->n_members; m++) {
        const rn_hang_member *a = &g->members[m - 1], *b = &g->members[m];
        if (a->place == 0 || b->rank - a->rank != (int64_t)step * (b->place - a->place)) return 0;
    }
    return step;
}

/* Is it in another group of that kind? */
static bool is_elsewhere(const rn_hang_job *job, const rn_hang_group *g, int32_t dump) {
    for (int32_t i = 0; dump >= 0 && i < job->dumps[dump].n_groups; i++) {
        const rn_call_group *own = &job->dumps[dump].groups[i];
        if (job->texts[own->desc] == g->desc && job->texts[own->name] != g->name) return true;
    }
    return false;
}

/* Whose numbers in the group no line shows is known by the others', where they are more. */
static bool fill_hole(rn_hang_job *job, rn_hang_group *g) {
    const int32_t n = g->n_members, step = n > 2 ? apart(g) : 0;
    const int32_t last = n > 0 ? g->members[n - 1].place : 0,
                  all = last > g->n_least ? last : g->n_least;
    const int32_t first = n > 0 ? g->members[0].rank - step * (g->members[0].place - 1) : -1;
    if (step == 0 || all <= n || all >= 2 * n || first < 0 || g->unsure) return true;
    rn_hang_member *members = rs_heap_take(job->pieces, (size_t)all * sizeof *members);
    if (members == NULL) return false;
    for (int32_t i = 0, known = 0; i < all; i++) {
        const int32_t rank = first + step * i;
        if (known < n && g->members[known].rank == rank) {
            members[i] = g->members[known++];
            continue;
        }
        members[i] = member_of(job, rank);
        if (is_elsewhere(job, g, members[i].dump)) return true;
    }
    g->members = members;
    g->n_members = all;
    g->n_dumped = 0;
    for (int32_t i = 0; i < all; i++) g->n_dumped += members[i].dump >= 0;
    return true;
}

/* Only where lines tell ranks of the job apart from numbers in a group. */
static bool fill_holes(rn_hang_job *job) {
    bool told = false, filled = true;
    for (int32_t g = 0; g < job->n_groups; g++) {
        for (int32_t m = 0; m < job->groups[g].n_members; m++) {
            const rn_hang_member *member = &job->groups[g].members[m];
            told = told || (member->place > 0 && member->place != member->rank + 1);
        }
    }
    for (int32_t g = 0; g < job->n_groups && told && filled; g++)
        filled = fill_hole(job, &job->groups[g]);
    return filled;
}

/* Dumps that name a group without its ranks: all that name it so are its members. */
static bool fill_unknown(rn_hang_job *job, int32_t *const of[]) {
    int32_t *n = rs_heap_take(job->pieces, (size_t)job->n_groups * sizeof *n);
    if (n == NULL) return false;
    for (int32_t g = 0; g < job->n_groups; g++) n[g] = job->groups[g].n_members > 0 ? -1 : 0;
    const rn_call_group *told;
    for (told_place t = {0, -1}; next_told(job, &t) != NULL;)
        n[of[t.dump][t.at]] += n[of[t.dump][t.at]] >= 0;
    for (int32_t g = 0; g < job->n_groups; g++) {
        if (n[g] <= 0) continue;
        job->groups[g].members = rs_heap_take(job->pieces, (size_t)n[g] * sizeof(rn_hang_member));
        if (job->groups[g].members == NULL) return false;
    }
    for (told_place t = {0, -1}; (told = next_told(job, &t)) != NULL;) {
        rn_hang_group *g = &job->groups[of[t.dump][t.at]];
        if (n[of[t.dump][t.at]] <= 0) continue;
        if (g->n_members > 0 && g->members[g->n_members - 1].dump == t.dump) continue;
        rn_hang_member *member = &g->members[g->n_members++];
        *member = member_of(job, job->dumps[t.dump].rank);
        member->place = told->place;
        g->n_dumped = g->n_members;
    }
    return fill_holes(job);
}

/* A group without ranks is the one of that name that has this rank, if there is one. */
static int32_t same_named(const rn_hang_job *job, int32_t group, int32_t rank) {
    for (int32_t g = 0; g < job->n_groups; g++) {
        const rn_hang_group *other = &job->groups[g];
        if (other->n_members == 0 || other->name != job->groups[group].name) continue;
        for (int32_t m = 0; m < other->n_members; m++) {
            if (other->members[m].rank == rank) return g;
        }
    }
    return group;
}

/* Reports and logs keep one list of ranks for all of a group. Returns the group's place in the dump before; -1: it is not near. */
static int32_t place_before(const rn_dump *before, const rn_dump *dump, int32_t g) {
    const rn_call_group *b = &dump->groups[g];
    for (int32_t k = g > 0 ? g - 1 : 0; k <= g + 1 && k < before->n_groups && b->n_ranks > 0; k++) {
        const rn_call_group *a = &before->groups[k];
        if (a->ranks == b->ranks && a->n_ranks == b->n_ranks && a->name == b->name) return k;
    }
    return -1;
}

/* Names the other one of two; a message to one of whom no file speaks is left out. */
static void name_peers(rn_hang_job *job, int32_t *const of[]) {
    for (int32_t d = 0; d < job->n_dumps; d++) {
        rn_dump *dump = &job->dumps[d];
        int64_t n = 0;
        for (int64_t i = 0; i < dump->n_calls; i++) {
            rn_call call = dump->calls[i];
            const rn_hang_group *g = &job->groups[of[d][call.group]];
            if (call.peer == RN_OTHER_PEER && g->n_members != 2) continue;
            if (call.peer == RN_OTHER_PEER) {
                call.peer = g->members[g->members[0].rank == dump->rank].rank;
            }
            dump->calls[n++] = call;
        }
        dump->n_calls = n;
    }
}

bool rn_gather_groups(rn_hang_job *job, int32_t **of) {
    rs_texts keys;
    int32_t most = 0;
    const rn_call_group *told;
    if (!count_all(job) || !rs_texts_begin(&keys, job->pieces, NULL, 0)) return false;
    for (told_place t = {0, -1}; (told = next_told(job, &t)) != NULL;)
        most = told->n_ranks > most ? told->n_ranks : most;
    int32_t *room = rs_heap_take(job->pieces, ((size_t)most + 1) * sizeof *room);
    if (room == NULL) return false;
    for (int32_t d = 0; d < job->n_dumps; d++) {
        rn_dump *dump = &job->dumps[d];
        of[d] = rs_heap_take(job->pieces, (size_t)dump->n_groups * sizeof **of);
        if (of[d] == NULL) return false;
        for (int32_t g = 0; g < dump->n_groups; g++) {
            const int32_t before = d > 0 ? place_before(&job->dumps[d - 1], dump, g) : -1;
            if (before >= 0) {
                of[d][g] = of[d - 1][before];
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
    for (told_place t = {0, -1}; n_known > 0 && next_told(job, &t) != NULL;) {
        int32_t *own = &of[t.dump][t.at];
        if (job->groups[*own].n_members > 0 || left <= 0) continue;
        left -= job->n_groups;
        *own = same_named(job, *own, job->dumps[t.dump].rank);
    }
    for (told_place t = {0, -1}; (told = next_told(job, &t)) != NULL;) {
        rn_hang_group *group = &job->groups[of[t.dump][t.at]];
        if (told->desc != 0) group->desc = job->texts[told->desc];
        if (told->n_least > group->n_least) group->n_least = told->n_least;
        if (told->n_told > group->n_told) group->n_told = told->n_told;
        group->unsure = group->unsure || told->unsure;
        group->counted = group->counted || (told->n_ranks > 0 && !job->dumps[t.dump].rough);
    }
    if (!fill_unknown(job, of)) return false;
    name_peers(job, of);
    return true;
}

int32_t rn_count_ranks(rn_hang_job *job) {
    rs_texts gone = {.heap = job->pieces}; /* ranks, as bytes */
    int32_t n = 0;
    for (int32_t d = 0; d < job->n_dumps; d++) n += !job->dumps[d].unread;
    for (int32_t g = 0; g < job->n_groups; g++) {
        for (int32_t m = 0; m < job->groups[g].n_members; m++) {
            const rn_hang_member *member = &job->groups[g].members[m];
            if (member->dump < 0) rs_text_kept(&gone, &member->rank, sizeof member->rank);
        }
    }
    return n + (int32_t)gone.n;
}
