/* test_hang_blame.c: whom a verdict names: each rank once, and no more than there is room for; whose first open call is the
 * first of all; and who is missing where all others wait.
 */
#include "hang/hang_judge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 4 };
enum { W_ALL = 1, W_REDUCE, W_LINE, N_WORDS };

static rs_arena keep;
static rs_heap heap;
static rs_error error;

static void start(void) {
    rs_arena_init(&keep, NULL);
    heap = (rs_heap){.arena = &keep};
}
static void stop(void) {
    rs_arena_free(&keep);
}
TestSuite(hang_blame, .init = start, .fini = stop);

/* ------------------------------------------------------------------ the list of culprits */

/* Ranks that stand near each other, far apart, or in the same place of a table, many of them twice. */
static int32_t drawn_rank(uint64_t *state, int how) {
    *state = *state * 6364136223846793005 + 1442695040888963407;
    const int32_t drawn = (int32_t)(*state >> 33) % 60;
    return how == 0 ? drawn : how == 1 ? drawn << 12 : INT32_MAX / 2 - drawn * 64;
}

Test(hang_blame, names_each_rank_once_as_long_as_there_is_room) {
    enum { MOST = 40, ADDED = 100 };
    for (int32_t room = 1; room <= MOST; room++) {
        rn_hang_job job = {.pieces = &heap};
        rn_hang_place named[MOST + 1], plain[MOST];
        rn_hang hang = {.culprits = named};
        rn_hang_judge j = {.job = &job, .hang = &hang, .room = room, .named = {.heap = &heap}};
        uint64_t state = (uint64_t)room;
        int32_t n = 0;
        named[room].rank = -7;
        for (int i = 0; i < ADDED; i++) {
            const rn_hang_place place = {.rank = drawn_rank(&state, room % 3), .seq = i};
            bool there = false;
            for (int32_t k = 0; k < n; k++) there = there || plain[k].rank == place.rank;
            if (!there && n < room) plain[n++] = place;
            rn_add_culprit(&j, place);
            cr_assert_eq(hang.n_culprits, n);
        }
        for (int32_t k = 0; k < n; k++)
            cr_assert(named[k].rank == plain[k].rank && named[k].seq == plain[k].seq);
        cr_assert_eq(named[room].rank, -7);
    }
}

Test(hang_blame, the_first_word_on_the_others_counts) {
    rn_hang hang = {.n_agree = 9};
    rn_hang_judge j = {.hang = &hang};
    for (int32_t i = 1; i <= 3; i++) {
        rn_set_others(&j, (rn_hang_place){.rank = i}, i + 10, i + 20);
        cr_assert(hang.has_others && hang.others.rank == 1);
        cr_assert(hang.n_agree == 11 && hang.n_of == 21);
    }
}

Test(hang_blame, says_so_without_memory) {
    rs_arena none;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    rs_heap no_heap = {.arena = &none};
    rn_hang_place named[1];
    rn_hang hang = {.culprits = named};
    rn_hang_judge j = {.hang = &hang, .room = 1, .named = {.heap = &no_heap}};
    rn_add_culprit(&j, (rn_hang_place){.rank = 1});
    cr_assert(none.lacked); /* as the verdict's end sees */
}

/* ------------------------------------------------------------------ the first open call */

enum { KINDS = 6, MOST_BEFORE = 2 }; /* kinds of calls: of two groups, of all or with two peers */

static rn_call call_of(int kind, int64_t seq) {
    return (rn_call){
        .group = kind % 2, .peer = kind / 2 == 0 ? -1 : kind / 2, .seq = seq, .name = W_REDUCE};
}

/* The dump's calls are those from the second on; before and behind them stand some of the same kind as the last. */
static void same_first(int n_before, int before, int kind, int64_t seq) {
    rn_call calls[MOST_BEFORE + 3];
    bool alike = false;
    calls[0] = call_of(kind, seq - 1);
    for (int i = 0; i < n_before; i++) {
        const int other = i == 0 ? before % KINDS : before / KINDS;
        calls[1 + i] = call_of(other, 7);
        alike = alike || other == kind;
    }
    calls[1 + n_before] = call_of(kind, seq);
    calls[2 + n_before] = call_of(kind, seq + 1);
    for (int over = 0; over < 2 * 5; over++) { /* what this rank and the other say is over */
        const int64_t own = seq - 3 + over / 2, other = over % 2 ? seq - 1 : -1;
        rn_hang_member members[2] = {{.dump = 1, .last_completed = other},
                                     {.dump = 0, .last_completed = own}};
        rn_hang_member none = {.dump = 0, .last_completed = seq - 3};
        rn_hang_group groups[2] = {{.members = &none, .n_members = 1},
                                   {.members = &none, .n_members = 1}};
        groups[kind % 2] = (rn_hang_group){.members = members, .n_members = 2};
        for (int whole = 0; whole < 2; whole++) {
            rn_dump dumps[2] = {{.calls = calls + 1, .n_calls = n_before + 2, .whole = whole != 0},
                                {.rank = 1}};
            const rn_hang_job job = {.dumps = dumps, .n_dumps = 2, .groups = groups};
            const rn_hang_judge j = {.job = &job};
            const rn_wait_row row = {.call = &calls[1 + n_before], .group = kind % 2};
            const bool told = kind / 2 == 0 && own == seq - 1;
            cr_assert_eq(rn_is_known_first(&j, &row), whole || seq <= 1 || alike || told,
                         "%d before: %d, kind %d, call %d, %d", n_before, before, kind, (int)seq,
                         over);
        }
    }
}

/* It is the first if nothing is lost, or no call was before it, or one of the same group and peer is kept, or the dump says
   that the one before it is over. */
Test(hang_blame, the_first_open_call_is_known_by_what_stands_before_it) {
    for (int kind = 0; kind < KINDS; kind++) {
        for (int64_t seq = 0; seq <= 4; seq++) {
            same_first(0, 0, kind, seq);
            for (int before = 0; before < KINDS; before++) same_first(1, before, kind, seq);
            for (int before = 0; before < KINDS * KINDS; before++) same_first(2, before, kind, seq);
        }
    }
}

/* ------------------------------------------------------------------ who is missing */

/* What there is of a rank: it waits in the second call; no file; one of which nothing can be read; one that ends after the
   first call; one without a call. */
typedef enum made_rank { WAITS, NO_FILE, UNREAD, CUT, SILENT, N_OF_RANK } made_rank;

static const char *words[N_WORDS] = {"", "0", "all_reduce", "a.py:7"};

static int32_t make_dumps(const made_rank of[], bool partial, rn_dump dumps[], rn_call calls[][2],
                          rn_call_group groups[], int32_t ranks[]) {
    int32_t n = 0;
    for (int32_t r = 0; r < RANKS; r++) {
        ranks[r] = r;
        if (of[r] == NO_FILE) continue;
        groups[r] = (rn_call_group){W_ALL, 0, RANKS, -1, ranks, -1, 0, 0, false, 0};
        for (int i = 0; i < 2; i++) {
            calls[r][i] = (rn_call){.seq = i + 1,
                                    .name = W_REDUCE,
                                    .where = W_LINE,
                                    .peer = -1,
                                    .root = -1,
                                    .op = -1,
                                    .state = i == 0 ? RN_CALL_COMPLETED : RN_CALL_SCHEDULED};
        }
        dumps[n] = (rn_dump){.rank = r,
                             .whole = true,
                             .partial = partial && r == n,
                             .cut = of[r] == CUT,
                             .unread = of[r] == UNREAD,
                             .calls = calls[r],
                             .n_calls = of[r] == WAITS ? 2 : of[r] == CUT,
                             .groups = &groups[r],
                             .n_groups = of[r] != UNREAD,
                             .words = words,
                             .n_words = N_WORDS};
        n++;
    }
    if (partial && n > 0) dumps[n - 1].partial = true; /* one is enough */
    return n;
}

static void same_gone(const made_rank of[], bool partial) {
    rn_dump dumps[RANKS];
    rn_call calls[RANKS][2];
    rn_call_group groups[RANKS];
    int32_t ranks[RANKS], n_of[N_OF_RANK] = {0}, sure[RANKS], maybe[RANKS], n_sure = 0, n_maybe = 0;
    rn_hang hang;
    for (int32_t r = 0; r < RANKS; r++) {
        n_of[of[r]]++;
        if (of[r] == WAITS) continue;
        if (of[r] == UNREAD || of[r] == CUT || (partial && of[r] != SILENT))
            maybe[n_maybe++] = r;
        else
            sure[n_sure++] = r;
    }
    const int32_t n = make_dumps(of, partial, dumps, calls, groups, ranks);
    cr_assert_eq(rn_judge_hang(dumps, n, NULL, &keep, &error, &hang), RS_OK);
    cr_assert(hang.n_ranks == RANKS && hang.n_files == n - n_of[UNREAD] && hang.n_cut == n_of[CUT]);
    int32_t last = -1, first = RANKS; /* of those without a dump */
    for (int32_t r = 0; r < RANKS; r++) {
        if (of[r] != NO_FILE) continue;
        last = r;
        first = r < first ? r : first;
    }
    const int32_t n_none = n_of[NO_FILE];
    const bool node = n_none > 1 && last - first + 1 == n_none && first % n_none == 0;
    const bool part = n_none > 1 && (3 * n_none > RANKS || (node && RANKS % n_none == 0));
    const bool through = n_of[SILENT] > 0 && 2 * (n_sure + n_maybe) >= RANKS; /* they may be */
    cr_assert_eq(hang.verdict, n_sure > 0
                                   ? part || through ? RN_HANG_UNDECIDED : RN_HANG_SILENT_RANK
                               : n_maybe > 0 ? RN_HANG_UNDECIDED
                                             : RN_HANG_STUCK_INSIDE);
    const bool unread = n_sure == 0 && n_maybe > 0;
    cr_assert_eq(hang.unread, unread);
    cr_assert_eq(hang.in_file, unread && n_of[UNREAD] + n_of[CUT] > 0);
    cr_assert(!hang.later && !hang.lost && !hang.knotted && hang.n_strayed == 0);
    cr_assert_eq(hang.n_waits, n_of[WAITS]);
    if (n_sure + n_maybe == 0) return;
    const int32_t *named = unread ? maybe : sure;
    cr_assert_eq(hang.n_culprits, unread ? n_maybe : n_sure);
    for (int32_t i = 0; i < hang.n_culprits; i++) {
        cr_assert(hang.culprits[i].rank == named[i] && hang.culprits[i].seq == 2);
        cr_assert_null(hang.culprits[i].where);
    }
    cr_assert(hang.has_others && of[hang.others.rank] == WAITS &&
              hang.others.where == words[W_LINE]);
    cr_assert(hang.n_agree == 1 && hang.n_of == n_of[WAITS] + n_of[CUT] + n_of[SILENT]);
    for (int64_t i = 0; i < hang.n_waits; i++)
        cr_assert_eq(hang.waits[i].n_ranks, n_sure + n_maybe);
}

/* Who left no file is silent, unless the archive of the files is cut: then nobody knows, no more than of one that cannot be
   read. */
Test(hang_blame, names_who_is_missing_and_whether_that_is_sure) {
    for (int drawn = 0; drawn < N_OF_RANK * N_OF_RANK * N_OF_RANK * N_OF_RANK; drawn++) {
        made_rank of[RANKS];
        bool some = false;
        for (int r = 0, left = drawn; r < RANKS; r++, left /= N_OF_RANK) {
            of[r] = (made_rank)(left % N_OF_RANK);
            some = some || of[r] == WAITS;
        }
        for (int partial = 0; some && partial < 2; partial++) {
            stop();
            start();
            same_gone(of, partial != 0);
        }
    }
}
