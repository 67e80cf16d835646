/* test_hang_job.c: random dumps put together into a job, against a plain account of the same: who is in which group, which
 * calls are alike, how far each member came, where it is.
 */
#include "hang/hang_job.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 10, DEFS = 7, NAMES = 3, DESCS = 3, OPS = 8, LOCAL = 5, CALLS = 12, GROUPS = 64 };

/* A group as dumps name it; mask 0: without its ranks; twice: a rank that is listed twice, or -1. */
typedef struct made_group {
    int name, mask, twice, n_ranks;
    int32_t ranks[RANKS + 1];
} made_group;

/* A group of the job, as it should be. */
typedef struct whole_group {
    int name, mask, twice, members, desc; /* members: a mask */
    bool waits;
} whole_group;

static const char *const names[NAMES] = {"tp", "dp", "0"};
static const char *const descs[DESCS] = {"", "one", "other"};
static const char *const ops[OPS] = {"all_reduce", "all_to_all", "alltoall_base", "scatter",
                                     "gather",     "reduce",     "barrier",       "all_gather"};
static const char *const types[2] = {"Float", "Half"};
static const char *const lines[2] = {"", "a.py:7"};

static rs_arena arena;
static rs_heap heap;
static rs_error error;
static rn_hang_job job;
static uint64_t state;
static made_group defs[DEFS];
static rn_dump dumps[RANKS],
    made[RANKS]; /* made: as they were, by rank; n_words 0: there is none */
static rn_call calls[RANKS][CALLS];
static int def_of[RANKS][LOCAL], whole_of[RANKS][LOCAL];
static whole_group wholes[GROUPS];
static int n_wholes;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(hang_job, .init = start, .fini = stop);

static int draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % below);
}

/* ------------------------------------------------------------------ random dumps */

static void make_defs(void) {
    for (int i = 0; i < DEFS; i++) {
        made_group *g = &defs[i];
        *g = (made_group){.name = draw(NAMES), .twice = -1};
        if (draw(4) == 0) continue;
        g->mask = 1 + draw((1 << RANKS) - 1);
        for (int r = 0; r < RANKS; r++) {
            if (!(g->mask >> r & 1)) continue;
            if (draw(12) == 0 && g->twice < 0) g->twice = r, g->ranks[g->n_ranks++] = r;
            g->ranks[g->n_ranks++] = r;
        }
        for (int k = g->n_ranks - 1; k > 0; k--) {
            const int other = draw((uint32_t)k + 1), kept = g->ranks[k];
            g->ranks[k] = g->ranks[other];
            g->ranks[other] = kept;
        }
    }
}

/* Puts a text among the dump's words, in whatever order; returns its number. */
static uint32_t word(rn_dump *d, const char *text) {
    for (uint32_t i = 0; i < d->n_words; i++) {
        if (strcmp(d->words[i], text) == 0) return i;
    }
    d->words[d->n_words] = text;
    return d->n_words++;
}

static void make_calls(rn_dump *d) {
    for (d->n_calls = 0; d->n_groups > 0 && d->n_calls < draw(CALLS + 1); d->n_calls++) {
        d->calls[d->n_calls] = (rn_call){.seq = draw(9),
                                         .n_in = draw(2),
                                         .n_out = draw(2),
                                         .stack = (uint64_t)draw(3) << 40,
                                         .name = word(d, ops[draw(OPS)]),
                                         .dtype = word(d, types[draw(2)]),
                                         .where = word(d, lines[draw(2)]),
                                         .group = draw((uint32_t)d->n_groups),
                                         .peer = draw(4) - 3,
                                         .root = draw(2) - 1,
                                         .op = draw(2) - 1,
                                         .state = (uint8_t)draw(3)};
        if (d->calls[d->n_calls].peer < 0) d->calls[d->n_calls].peer = -1;
    }
}

static void make_dump(int rank, bool launched) {
    rn_dump *d = &made[rank];
    *d = (rn_dump){.rank = rank, .calls = calls[rank], .launched = launched};
    d->words = rs_alloc(&arena, 64, sizeof *d->words);
    d->groups = rs_alloc(&arena, LOCAL, sizeof *d->groups);
    d->words[d->n_words++] = "";
    for (int i = draw(6); i > 0; i--)
        word(d, draw(2) ? ops[draw(OPS)] : draw(2) ? types[draw(2)] : lines[draw(2)]);
    d->unread = draw(9) == 0;
    if (d->unread) return;
    d->n_groups = draw(LOCAL + 1);
    for (int g = 0; g < d->n_groups; g++) {
        const int i = draw(DEFS);
        def_of[rank][g] = i;
        rn_call_group *group = &d->groups[g];
        *group = (rn_call_group){.name = word(d, names[defs[i].name]),
                                 .desc = word(d, descs[draw(DESCS)]),
                                 .n_ranks = defs[i].n_ranks,
                                 .last_seq = draw(12) - 1,
                                 .last_completed = draw(9) - 1};
        if (draw(2)) { /* lists are often shared, and in another order elsewhere */
            group->ranks = defs[i].ranks;
            continue;
        }
        group->ranks = rs_alloc(&arena, RANKS + 1, sizeof *group->ranks);
        for (int k = 0; k < defs[i].n_ranks; k++)
            group->ranks[k] = defs[i].ranks[defs[i].n_ranks - 1 - k];
    }
    make_calls(d);
}

/* Returns how many there are, in whatever order. */
static int make_job(uint64_t seed) {
    int n = 0;
    state = seed * 0x9e3779b97f4a7c15;
    stop();
    start();
    memset(made, 0, sizeof made);
    make_defs();
    const int launched = draw(4), n_missing = draw(5);
    for (int r = 0; r < RANKS; r++) {
        if (draw(RANKS) < n_missing) continue;
        make_dump(r, launched == 0 || (launched == 1 && draw(2)));
        const int at = draw((uint32_t)++n);
        dumps[n - 1] = dumps[at];
        dumps[at] = made[r];
        dumps[at].calls = rs_alloc(&arena, CALLS, sizeof(rn_call));
        memcpy(dumps[at].calls, calls[r], sizeof calls[r]);
        dumps[at].groups = rs_alloc(&arena, LOCAL, sizeof(rn_call_group));
        memcpy(dumps[at].groups, made[r].groups, LOCAL * sizeof(rn_call_group));
    }
    return n;
}

static bool is_there(int rank) {
    return made[rank].n_words > 0;
}
static bool is_read(int rank) {
    return is_there(rank) && !made[rank].unread;
}

/* ------------------------------------------------------------------ the plain account */

static int whole_named(const made_group *def) {
    for (int i = 0; i < n_wholes; i++) {
        if (wholes[i].name == def->name && wholes[i].mask == def->mask &&
            wholes[i].twice == def->twice)
            return i;
    }
    wholes[n_wholes] = (whole_group){def->name, def->mask, def->twice, def->mask, 0, false};
    return n_wholes++;
}

/* Which group each rank means by each name: one without ranks is the first of that name that has it. */
static void account_groups(void) {
    n_wholes = 0;
    for (int r = 0; r < RANKS; r++) {
        for (int g = 0; g < made[r].n_groups; g++)
            whole_of[r][g] = whole_named(&defs[def_of[r][g]]);
    }
    for (int r = 0; r < RANKS; r++) {
        for (int g = 0; g < made[r].n_groups; g++) {
            whole_group *own = &wholes[whole_of[r][g]];
            for (int i = 0; i < n_wholes && own->mask == 0; i++) {
                if (wholes[i].name != own->name || !(wholes[i].mask >> r & 1)) continue;
                whole_of[r][g] = i;
                break;
            }
        }
    }
    for (int r = 0; r < RANKS; r++) {
        for (int g = 0; g < made[r].n_groups; g++) {
            whole_group *own = &wholes[whole_of[r][g]];
            const char *desc = made[r].words[made[r].groups[g].desc];
            if (own->mask == 0) own->members |= 1 << r;
            for (int k = 1; k < DESCS; k++) own->desc = strcmp(desc, descs[k]) == 0 ? k : own->desc;
        }
    }
}

/* Of some operations the sizes need not be alike. */
static bool are_alike(const rn_dump *da, const rn_call *a, const rn_dump *db, const rn_call *b) {
    const char *name = da->words[a->name];
    const bool split = strncmp(name, "all_to_all", 10) == 0 || strncmp(name, "alltoall", 8) == 0;
    const bool any_in = split || strcmp(name, "scatter") == 0;
    const bool any_out = split || strcmp(name, "gather") == 0;
    return strcmp(name, db->words[b->name]) == 0 &&
           strcmp(da->words[a->dtype], db->words[b->dtype]) == 0 && a->root == b->root &&
           a->op == b->op && (any_in || a->n_in == b->n_in) && (any_out || a->n_out == b->n_out);
}

/* ------------------------------------------------------------------ the same? */

/* The calls of a rank in a group, in order; all calls so far, to compare: [n_seen]. */
static struct seen {
    const rn_dump *dump;
    const rn_call *call;
    rn_call_mark mark;
} seen[RANKS * CALLS];
static int n_seen;

static void same_mark(const rn_dump *d, const rn_call *call, rn_call_mark mark) {
    cr_assert(mark.args < job.n_args && mark.site < job.n_sites);
    cr_expect_eq(mark.site == 0, call->stack == 0);
    for (int i = 0; i < n_seen; i++) {
        cr_expect_eq(seen[i].mark.args == mark.args,
                     are_alike(seen[i].dump, seen[i].call, d, call));
        cr_expect_eq(seen[i].mark.site == mark.site, seen[i].call->stack == call->stack);
    }
    seen[n_seen++] = (struct seen){d, call, mark};
}

static void same_member(int g, const rn_hang_member *m) {
    const rn_dump *d = &made[m->rank];
    int n = 0, first = -1, first_open = -1;
    int64_t last_seq = -1;
    cr_assert_eq(m->dump, is_read(m->rank) ? rn_dump_of(&job, m->rank) : -1);
    if (m->dump < 0) {
        cr_expect(m->n == 0 && m->last_seq == -1 && m->first_open == -1);
        return;
    }
    cr_assert_eq(job.dumps[m->dump].rank, m->rank);
    for (int l = d->n_groups - 1; l >= 0; l--) first = whole_of[m->rank][l] == g ? l : first;
    if (first >= 0) {
        last_seq = d->groups[first].last_seq;
        cr_expect_eq(m->last_completed, d->groups[first].last_completed);
    }
    for (int i = 0; i < d->n_calls; i++) {
        const rn_call *call = &d->calls[i];
        if (call->peer >= 0 || whole_of[m->rank][call->group] != g) continue;
        cr_assert_lt(n, m->n);
        cr_expect_eq(m->calls[n].call, i);
        same_mark(d, call, m->calls[n]);
        if (call->state != RN_CALL_COMPLETED && first_open < 0) first_open = n;
        if (call->seq > last_seq) last_seq = call->seq;
        const rn_hang_place at = rn_place_of(&job, m->rank, rn_member_call(&job, m, n));
        cr_expect(at.rank == m->rank && at.seq == call->seq && at.n_in == call->n_in &&
                  at.n_out == call->n_out && at.root == call->root && at.op == call->op);
        cr_expect_str_eq(at.call, d->words[call->name]);
        cr_expect_str_eq(at.dtype, d->words[call->dtype]);
        cr_expect_str_eq(at.where != NULL ? at.where : "", d->words[call->where]);
        cr_expect(at.group == job.groups[g].name && at.desc == job.groups[g].desc);
        n++;
    }
    cr_expect_eq(m->n, n);
    cr_expect_eq(m->last_seq, last_seq);
    if (!d->launched) {
        cr_expect_eq(m->first_open, first_open);
        if (first_open >= 0) wholes[g].waits = true;
    }
}

/* Where calls were launched, the furthest are in their last one if another one of the group has not come so far. */
static void same_last(int g) {
    const rn_hang_group *group = &job.groups[g];
    int64_t most = -1;
    int n_read = 0, n_launched = 0, n_behind = 0;
    for (int i = 0; i < group->n_members; i++) {
        const rn_hang_member *m = &group->members[i];
        if (m->dump < 0) continue;
        n_read++;
        n_launched += made[m->rank].launched;
        if (m->last_seq > most) most = m->last_seq;
    }
    for (int i = 0; i < group->n_members; i++)
        n_behind += group->members[i].dump < 0 || group->members[i].last_seq < most;
    const bool all = n_read > 0 && n_launched == n_read;
    for (int i = 0; i < group->n_members; i++) {
        const rn_hang_member *m = &group->members[i];
        if (m->dump < 0 || !made[m->rank].launched) continue;
        const bool in = all && n_behind > 0 && m->last_seq == most && m->n > 0;
        cr_expect_eq(m->first_open, in ? m->n - 1 : -1);
    }
    cr_expect_eq(group->n_dumped, n_read);
    cr_expect_eq(group->waits, wholes[g].waits || all);
}

static void same_groups(void) {
    cr_assert_eq(job.n_groups, n_wholes);
    n_seen = 0;
    for (int g = 0; g < n_wholes; g++) {
        const rn_hang_group *group = &job.groups[g];
        int n = 0;
        cr_expect_str_eq(group->name, names[wholes[g].name]);
        cr_expect_str_eq(group->desc != NULL ? group->desc : "", descs[wholes[g].desc]);
        for (int r = -1; r <= RANKS; r++) {
            const bool is_in = r >= 0 && wholes[g].members >> r & 1;
            cr_assert_eq(rn_member_at(group, r), is_in ? n : -1);
            if (!is_in) continue;
            cr_assert_eq(group->members[n].rank, r);
            same_member(g, &group->members[n]);
            n++;
        }
        cr_assert_eq(group->n_members, n);
        same_last(g);
    }
    int n_args = 1, n_sites = 1;
    for (int i = 0; i < n_seen; i++) {
        bool new_args = true, new_site = seen[i].mark.site != 0;
        for (int k = 0; k < i; k++) {
            new_args = new_args && seen[k].mark.args != seen[i].mark.args;
            new_site = new_site && seen[k].mark.site != seen[i].mark.site;
        }
        n_args += new_args;
        n_sites += new_site;
    }
    cr_expect(job.n_args == (uint32_t)n_args && job.n_sites == (uint32_t)n_sites);
}

Test(hang_job, is_what_a_plain_account_of_its_dumps_says) {
    int n_nameless = 0, n_joined = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        int known = 0, all = 0;
        const int n = make_job(seed);
        heap = (rs_heap){.arena = &arena};
        cr_assert_eq(rn_gather_job(dumps, n, &heap, &error, &job), RS_OK);
        account_groups();
        cr_assert_eq(job.n_dumps, n);
        same_groups();
        for (int g = 0; g < n_wholes; g++) all |= wholes[g].members;
        for (int r = 0; r < RANKS; r++) {
            const int32_t d = rn_dump_of(&job, r);
            all |= is_read(r) ? 1 << r : 0;
            known += all >> r & 1;
            cr_assert_eq(d >= 0, is_read(r));
            cr_assert_eq(rn_is_unread(&job, r), is_there(r) && made[r].unread);
            if (d < 0) continue;
            cr_assert_eq(job.dumps[d].rank, r);
            cr_assert_eq(job.dumps[d].n_calls == 0, made[r].n_calls == 0);
            for (int i = 0; i < made[r].n_calls; i++)
                cr_assert_eq(job.dumps[d].calls[i].group, whole_of[r][made[r].calls[i].group]);
            for (int g = 0; g < made[r].n_groups; g++) {
                n_nameless += wholes[whole_of[r][g]].mask == 0;
                n_joined += defs[def_of[r][g]].mask == 0 && wholes[whole_of[r][g]].mask != 0;
            }
        }
        cr_assert(rn_dump_of(&job, -1) == -1 && rn_dump_of(&job, RANKS) == -1);
        cr_assert_eq(job.n_ranks, known, "seed %d: %d ranks, not %d", (int)seed, (int)job.n_ranks,
                     known);
    }
    cr_assert(n_nameless > 500 && n_joined > 500, "%d, %d", n_nameless, n_joined);
}

/* Whichever piece of memory is missing, it says so. */
Test(hang_job, says_so_without_memory) {
    static char room[1 << 16] __attribute__((aligned(64)));
    size_t left = 0;
    for (rs_status status = RS_NO_MEMORY; status != RS_OK; left += 16) {
        const int n = make_job(12);
        rs_arena none;
        rs_arena_init(&none, NULL);
        none.limit_bytes = 1;
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        cr_assert_lt(left, sizeof room);
        status = rn_gather_job(dumps, n, &heap, &error, &job);
        if (status == RS_OK) continue;
        cr_assert_eq(status, RS_NO_MEMORY);
        cr_assert_not_null(strstr(error.text, "no memory left"));
    }
    cr_assert_gt(left, 2000u);
    account_groups();
    same_groups();
}
