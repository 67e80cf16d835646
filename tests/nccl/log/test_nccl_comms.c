/* test_nccl_comms.c: drawn lines of communicators against a plain account of each: its ranks, hosts, nodes, who began and who
 * ended; lines without an id belong to the thread's own, or to the last one of their size.
 */
#include "log/nccl_log.h"

#include "log_text.h"

TestSuite(nccl_comms, .init = start, .fini = stop);

enum { MOST = 200, MOST_SIZE = 8, HOSTS = 4, PROCESSES = 3 };

typedef struct account {
    uint64_t key;
    int n_ranks, n_nodes, n_started, n_complete;
    int64_t line, nodes_line, start_line;
    bool heard[MOST_SIZE], host[HOSTS];
} account;

static account comms[MOST];
static int n_comms, own[HOSTS][PROCESSES]; /* the thread's last one, -1: none */

static void begin_account(uint64_t seed) {
    begin_log(seed);
    n_comms = 0;
    memset(own, 0xff, sizeof own);
}

static int begin_comm(uint64_t key, int n_ranks) {
    comms[n_comms] = (account){.key = key, .n_ranks = n_ranks, .line = n_lines};
    return n_comms++;
}

static int by_key(uint64_t key, int n_ranks) {
    for (int i = 0; i < n_comms; i++)
        if (comms[i].key == key && comms[i].n_ranks == n_ranks) return i;
    return begin_comm(key, n_ranks);
}

static int by_size(int mine, int n_ranks) {
    if (mine >= 0 && comms[mine].n_ranks == n_ranks) return mine;
    for (int i = n_comms - 1; i >= 0 && i >= n_comms - 64; i--)
        if (comms[i].n_ranks == n_ranks) return i;
    return by_key(0, n_ranks);
}

/* Says a line of a thread, as nodes are told or as someone begins or ends, and keeps account of it. */
static void say(int host, int process, int rank, int n_ranks, int form, uint64_t key) {
    static const char *const states[] = {
        " - Init START", " - Init COMPLETE", " - Destroy COMPLETE", " - Abort COMPLETE", "",
        " - Init"};
    int *mine = &own[host][process];
    ADD("host%c:%d:2 [0] NCCL INFO ", 'a' + host, process);
    n_lines++;
    if (form == 6) {
        const int nodes = 1 + draw(n_ranks);
        ADD("comm 0x5 rank %d nRanks %d nNodes %d localRanks 1 localRank 0 MNNVL 0\n", rank,
            n_ranks, nodes);
        *mine = by_size(*mine, n_ranks);
        account *c = &comms[*mine];
        if (c->n_nodes == 0) c->n_nodes = nodes, c->nodes_line = n_lines;
    } else {
        ADD("ncclCommInitRank comm 0x5 rank %d nranks %d cudaDev 0 busId 1000", rank, n_ranks);
        if (key != 0) ADD("%s%llx", draw(2) ? " commId 0x" : " commHash ", (unsigned long long)key);
        ADD("%s\n", states[form]);
        *mine = key != 0 ? by_key(key, n_ranks) : by_size(*mine, n_ranks);
        account *c = &comms[*mine];
        if (form == 0) c->n_started++, c->start_line = n_lines;
        c->n_complete += form == 1 || form > 3;
    }
    comms[*mine].heard[rank] = comms[*mine].host[host] = true;
}

static void expect_account(void) {
    int best = 0, n_heard = 0, n_hosts = 0, told = 0;
    for (int i = 1; i < n_comms; i++)
        if (comms[i].n_ranks > comms[best].n_ranks) best = i;
    const account *c = &comms[best];
    for (int i = 0; i < MOST_SIZE; i++) n_heard += c->heard[i];
    for (int i = 0; i < HOSTS; i++) n_hosts += c->host[i];
    const bool by_hosts = c->n_nodes == 0 && n_heard == c->n_ranks && n_hosts <= n_heard;
    cr_assert(log_.n_unknown == 0 && log_.n_comms == n_comms, "%s", text);
    cr_assert(log_.n_ranks == c->n_ranks && log_.comm_line == c->line, "%s", text);
    cr_assert(log_.n_heard == n_heard && log_.n_hosts == n_hosts, "%s%d, %d hosts", text,
              (int)log_.n_heard, (int)log_.n_hosts);
    cr_assert(log_.n_nodes == (by_hosts ? n_hosts : c->n_nodes), "%s", text);
    cr_assert_eq(log_.nodes_line, c->nodes_line);
    cr_assert_eq(count_found("the log has lines of"), n_heard < c->n_ranks, "%s", text);
    if (n_heard < c->n_ranks)
        expect_found(RN_NOTE, c->line, "the log has lines of %d rank%s of %d", n_heard,
                     n_heard == 1 ? "" : "s", c->n_ranks);
    for (int i = 0; i < n_comms; i++) {
        const int n = comms[i].n_started - comms[i].n_complete;
        if (n > 0 && told++ < 8)
            expect_found(
                RN_WARNING, comms[i].start_line,
                "ranks without Init COMPLETE, of the %d of communicator %016llx: %d. They wait for others, one has "
                "failed, or the log ends there",
                comms[i].n_ranks, (unsigned long long)comms[i].key, n);
    }
    cr_assert_eq(count_found("Init COMPLETE"), told < 8 ? told : 8);
}

/* Few communicators, spoken of by several hosts' threads, with ids and without. */
Test(nccl_comms, lines_are_of_the_communicator_that_they_name) {
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        const int kinds = 1 + (int)(seed % 5);
        begin_account(seed);
        for (int i = 1 + draw(14); i > 0; i--) {
            const int n_ranks = draw(4) ? 2 : 1 + draw(MOST_SIZE);
            const int form = draw(3) == 0 ? 6 : draw(6);
            const uint64_t key = draw(3) == 0 ? 0 : (uint64_t)(1 + draw(kinds)) << 28 * draw(3);
            say(draw(HOSTS), draw(PROCESSES), draw(n_ranks), n_ranks, form, key);
        }
        read_log();
        expect_account();
    }
}

/* Many that began: eight of them are told; one without an id is sought among the last 64. */
Test(nccl_comms, the_last_64_and_the_first_8_are_looked_at) {
    for (int between = 60; between < 68; between++) {
        for (int form = 0; form < 7; form++) {
            begin_account((uint64_t)between);
            say(0, 0, 0, 5, form, 0xabc);
            for (int i = 0; i < between; i++) say(1, 1, 0, 2, i % 7 == 0, (uint64_t)i + 1);
            say(2, 2, 1, 5, form, 0);
            read_log();
            cr_assert_eq(n_comms, between + 1 + (between > 63 && form < 6));
            expect_account();
        }
    }
    for (int n = 0; n < 12; n++) {
        begin_account((uint64_t)n);
        say(0, 0, 0, 2, 1, 1);
        for (int i = 0; i < n; i++) say(0, 0, 0, 2, 0, (uint64_t)i + 2);
        read_log();
        expect_account();
    }
}

/* All blocks are one, of places that are nobody's. */
static void fill_places(rn_nccl_log_reader *r, rn_log_places *places, int32_t n) {
    enum { N_BLOCKS = RN_LOG_MOST_PLACES / RN_LOG_BLOCK };
    rn_log_place *block = rs_alloc(r->arena, RN_LOG_BLOCK, sizeof *block);
    for (int i = 0; i < RN_LOG_BLOCK; i++) block[i].comm = RN_LOG_OTHER_COMM;
    *places = (rn_log_places){.n = n, .room = N_BLOCKS};
    places->blocks = rs_alloc(r->arena, N_BLOCKS, sizeof *places->blocks);
    for (int i = 0; i < N_BLOCKS; i++) places->blocks[i] = block;
}

/* Ranks that could not be kept are not remarked on as silent, but as too many. */
Test(nccl_comms, where_no_rank_is_kept_none_is_silent) {
    static const char line[] = "h:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 commId 0x9";
    for (int room = 0; room < 2; room++) {
        begin_log(1);
        rn_nccl_log_reader *r = begin_reader();
        fill_places(r, &r->heard, RN_LOG_MOST_PLACES - room);
        rn_nccl_log_line(r, line, sizeof line - 1);
        cr_assert_eq(rn_nccl_log_end(r, &error, &log_), RS_OK);
        cr_assert(log_.n_ranks == 4 && log_.n_heard == room && count_all() == 1);
        expect_found(
            RN_NOTE, 1,
            room
                ? "the log has lines of 1 rank of 4"
                : "more lines of rings, trees and ranks than are kept: the last ones do not count");
    }
}

/* Behind a torn message a host's name may be anything: of a line only its first message tells of a host, though all tell of
   ranks. */
Test(nccl_comms, only_a_line_s_first_message_tells_of_a_host) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        bool heard[MOST_SIZE] = {false}, host[HOSTS] = {false};
        int n_heard = 0, n_hosts = 0;
        begin_log(seed);
        for (int i = 1 + draw(4); i > 0; i--) {
            for (int piece = 0, n = 1 + draw(4); piece < n; piece++) {
                const int h = draw(HOSTS), rank = draw(MOST_SIZE);
                ADD("%shost%c:1:%d [0] NCCL INFO comm 0x5 rank %d nranks %d commId 0x9",
                    piece > 0 ? " - In" : "", 'a' + h, draw(3), rank, (int)MOST_SIZE);
                heard[rank] = true;
                host[h] = host[h] || piece == 0;
            }
            ADD("\n");
        }
        for (int i = 0; i < MOST_SIZE; i++) n_heard += heard[i];
        for (int i = 0; i < HOSTS; i++) n_hosts += host[i];
        read_log();
        cr_assert(log_.n_comms == 1 && log_.n_torn == 0 && log_.n_unknown == 0);
        cr_assert(log_.n_heard == n_heard && log_.n_hosts == n_hosts, "%s: %d hosts", text,
                  (int)log_.n_hosts);
    }
}

/* With one part of the line changed it is of no communicator. */
Test(nccl_comms, a_line_of_a_communicator_has_all_its_parts) {
    static const struct {
        const char *line;
        bool is;
    } lines[] = {{"comm 0x5 rank 1 nranks 2 cudaDev 0 commId 0x9", true},
                 {"comm 0x5 rank 1 nRanks 2 nNodes 1 localRanks 2", true},
                 {"comm 0x5 rank 1 nRanks 2 nNodes 2", true},
                 {"x comm 0x5 rank  1  nranks  2", true},
                 {"comm 0x5 rank 2 nranks 2", false},
                 {"comm 0x5 rank -1 nranks 2", false},
                 {"comm 0x5 rank 0 nranks 0", false},
                 {"comm 0x5 rank 0 nranks -2", false},
                 {"comm 0x5 rank x nranks 2", false},
                 {"comm 0x5 rank 0 nranks x", false},
                 {"comm 0x5 rank 0 ranks 2", false},
                 {"comm 0x5 rang 0 nranks 2", false},
                 {"comm 0x5 rank 0 nRanks 2", false},
                 {"comm 0x5 rank 0 nRanks 2 nNodes 0", false},
                 {"comm 0x5 rank 0 nRanks 2 nNodes 3", false},
                 {"comm 0x5 rank 0 nRanks 2 nNodes -1", false},
                 {"comm 0x5 rank 0 nRanks 2 nodes 1", false},
                 {"comm 5 rank 0 nranks 2", false}};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin_log(1);
        LOG_SAYS("Using network IB");
        LOG_SAYS("%s", lines[i].line);
        read_log();
        cr_expect_eq(log_.n_comms, lines[i].is, "%s", lines[i].line);
        cr_expect_eq(log_.n_ranks, lines[i].is ? 2 : 0, "%s", lines[i].line);
        cr_expect_eq(log_.n_heard, lines[i].is, "%s", lines[i].line);
    }
}

/* Counts of channels are those of the largest communicator whose thread says any; a thread without one counts before all. */
Test(nccl_comms, channels_are_of_the_line_s_own_communicator) {
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        int n = -1, size = 0;
        begin_account(seed);
        for (int i = 0; i < 10; i++) {
            const int host = draw(HOSTS), process = draw(PROCESSES), n_ranks = 1 + draw(MOST_SIZE);
            if (draw(2) && own[host][process] < 0) {
                say(host, process, 0, n_ranks, 1, (uint64_t)i + 1);
                continue;
            }
            const int now = own[host][process] < 0 ? 0 : comms[own[host][process]].n_ranks;
            ADD("host%c:%d:2 [0] NCCL INFO %d coll channels\n", 'a' + host, process, i);
            n_lines++;
            if (n < 0 || now > size) n = i, size = now;
        }
        read_log();
        cr_assert_eq(log_.n_coll_channels, n, "%s", text);
        if (n_comms > 0) expect_account();
    }
}
