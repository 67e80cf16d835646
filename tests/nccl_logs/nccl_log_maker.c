/* nccl_log_maker.c: writes the lines of every rank, then mixes and tears them as the wish says. */
#include "nccl_log_maker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1600 };

/* All lines of all ranks. */
typedef struct line_list {
    char **text;
    size_t n, room;
} line_list;

__attribute__((format(printf, 2, 3))) static void put(line_list *l, const char *format, ...) {
    char line[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (l->n == l->room) {
        l->room = l->room * 2 + 256;
        l->text = realloc(l->text, l->room * sizeof *l->text);
        if (l->text == NULL) abort();
    }
    l->text[l->n++] = strdup(line);
}

static int32_t per_node(const rn_nccl_comm *c) {
    return c->n_ranks / c->n_nodes;
}

/* The k-th of a node in a ring: rotated by the channel. */
static int32_t rank_at(const rn_nccl_comm *c, int channel, int32_t place) {
    const int32_t g = per_node(c);
    return place / g * g + (place % g + channel) % g;
}
static int32_t place_of(const rn_nccl_comm *c, int channel, int32_t rank) {
    const int32_t g = per_node(c);
    return rank / g * g + (rank % g + g - channel % g) % g;
}
int32_t made_next(const rn_nccl_comm *c, int channel, int32_t rank) {
    return rank_at(c, channel, (place_of(c, channel, rank) + 1) % c->n_ranks);
}

static const char *head(const made_log *w, int32_t rank) {
    static char text[128];
    const int32_t g = per_node(&w->comm);
    snprintf(text, sizeof text, "%snode-%d:%d:%d [%d] NCCL INFO",
             w->prefix != NULL ? w->prefix : "", (int)(rank / g), 4000 + (int)rank,
             5000 + (int)rank, (int)(rank % g));
    return text;
}

static void put_settings(const made_log *w, line_list *l, int32_t rank) {
    char all[512];
    snprintf(all, sizeof all, "%s", w->settings != NULL ? w->settings : "");
    for (char *one = strtok(all, "\n"); one != NULL; one = strtok(NULL, "\n")) {
        char *value = strchr(one, '=');
        *value = '\0';
        put(l, "%s %s set by environment to %s.", head(w, rank), one, value + 1);
    }
}

static void put_graph(const made_log *w, line_list *l, int32_t rank, rn_nccl_algorithm a) {
    const rn_nccl_graph *g = &w->comm.graphs[a];
    put(l, "%s Pattern %d, crossNic 0, nChannels %d, bw %f/%f, type %s/%s, sameChannels %d",
        head(w, rank), (int)g->pattern, (int)g->n_channels, (double)g->bw_intra,
        (double)g->bw_inter, rn_nccl_path_name(g->type_intra), rn_nccl_path_name(g->type_inter),
        (int)g->same_channels);
}

static void put_graphs(const made_log *w, line_list *l, int32_t rank) {
    put(l, "%s === System : maxBw 48.0 totalBw 370.8 ===", head(w, rank));
    put(l, "%s CPU/0-0 (1/%d/2)", head(w, rank), w->comm.cpu == RN_NCCL_AMD ? 2 : 1);
    for (int i = 0; i < w->comm.n_nvswitches; i++) {
        put(l, "%s               + NVL[370.8] - NVS/%d", head(w, rank), i);
    }
    put(l, "%s ==========================================", head(w, rank));
    put_graph(w, l, rank, RN_NCCL_RING);
    put(l, "%s  0 : NET/0-3 GPU/0-0 GPU/0-1 NET/0-2", head(w, rank));
    put_graph(w, l, rank, RN_NCCL_TREE);
    if (w->comm.graphs[RN_NCCL_NVLS].n_channels > 0) put_graph(w, l, rank, RN_NCCL_NVLS);
}

static void put_list(const made_log *w, line_list *l, int channel) {
    char list[LINE / 2];
    size_t n = 0;
    const int32_t most = w->cut_lists && w->comm.n_ranks > 20 ? 20 : w->comm.n_ranks;
    int32_t rank = 0;
    for (int32_t i = 0; i < most && n < sizeof list - 16; i++) {
        n += (size_t)snprintf(list + n, sizeof list - n, " %3d", (int)rank);
        rank = made_next(&w->comm, channel, rank);
    }
    put(l, "%s Channel %02d/%02d : %s", head(w, 0), channel, w->n_channels, list);
}

static void put_rings(const made_log *w, line_list *l, int32_t rank) {
    const rn_nccl_comm *c = &w->comm;
    char trees[LINE / 2];
    size_t n = 0;
    for (int channel = 0; channel < w->n_channels && rank == 0; channel++) put_list(w, l, channel);
    for (int channel = 0; channel < w->n_channels; channel++) {
        const int32_t place = place_of(c, channel, rank);
        const int32_t up = place == 0 ? -1 : rank_at(c, channel, place - 1);
        const int32_t down = place == c->n_ranks - 1 ? -1 : rank_at(c, channel, place + 1);
        if (!w->without_neighbours) {
            put(l, "%s Ring %02d : %d -> %d -> %d", head(w, rank), channel,
                (int)rank_at(c, channel, (place + c->n_ranks - 1) % c->n_ranks), (int)rank,
                (int)made_next(c, channel, rank));
        }
        n += (size_t)snprintf(trees + n, sizeof trees - n, " [%d] %d/-1/-1->%d->%d", channel,
                              (int)down, (int)rank, (int)up);
    }
    put(l, "%s Trees%s", head(w, rank), trees);
    for (int channel = 0; channel < w->n_channels; channel++) {
        const int32_t next = made_next(c, channel, rank), g = per_node(c);
        const bool inside = rank / g == next / g;
        const char *via = inside             ? w->intra != NULL ? w->intra : "P2P/CUMEM"
                          : w->inter != NULL ? w->inter
                                             : "NET/IB/0/GDRDMA";
        put(l, "%s Channel %02d/0 : %d[%d] -> %d[%d] via %s", head(w, rank), channel, (int)rank,
            (int)(rank % g), (int)next, (int)(next % g), via);
    }
    put(l, "%s Connected all rings", head(w, rank));
}

/* ------------------------------------------------------------------ the table */

static void put_block(const made_log *w, line_list *l, const rn_nccl_table *t, int first) {
    static const rs_collective rows[] = {RS_COLL_BROADCAST, RS_COLL_REDUCE, RS_COLL_ALL_GATHER,
                                         RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_REDUCE};
    char line[LINE];
    size_t n = 0;
    const int last = first + 3 < RN_NCCL_N_ALGORITHMS ? first + 3 : RN_NCCL_N_ALGORITHMS;
    for (int a = first; a < last; a++) {
        n += (size_t)snprintf(line + n, sizeof line - n, " %14s   %14s   %14s |", "",
                              rn_nccl_algorithm_title((rn_nccl_algorithm)a), "");
    }
    put(l, "%s   Algorithm   |%s", head(w, 0), line);
    n = 0;
    for (int i = 0; i < 9; i++) {
        n += (size_t)snprintf(line + n, sizeof line - n, " %14s |",
                              rn_nccl_protocol_title((rn_nccl_protocol)(i % 3)));
    }
    put(l, "%s   Protocol    |%s", head(w, 0), line);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        n = 0;
        for (int a = first; a < last; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                const rn_nccl_cell *cell = &t->cells[rows[r]][a][p];
                n += (size_t)snprintf(line + n, sizeof line - n, "%8.1f/%6.1f |",
                                      (double)cell->latency_us, (double)cell->bandwidth_GBps);
            }
        }
        put(l, "%s %13s |%s", head(w, 0), rn_nccl_collective_title(rows[r]), line);
    }
}

static void put_calls(const made_log *w, line_list *l, const rn_nccl_table *t) {
    for (int64_t bytes = 1024; bytes <= 1 << 28; bytes *= 64) {
        rn_nccl_choice choice;
        if (!rn_nccl_choose(&w->comm, t, RS_COLL_ALL_REDUCE, bytes, &choice)) return;
        if (w->old_calls) {
            put(l, "%s AllReduce: %lld Bytes -> Algo %d proto %d time %f", head(w, 0),
                (long long)bytes, (int)choice.algorithm, (int)choice.protocol,
                (double)choice.cost.us);
            continue;
        }
        put(l, "%s AllReduce: %lld Bytes -> Algo %s proto %s channel{Lo..Hi}={0..%d}", head(w, 0),
            (long long)bytes, rn_nccl_algorithm_title(choice.algorithm),
            rn_nccl_protocol_title(choice.protocol), (int)choice.n_channels - 1);
    }
}

static void put_table(const made_log *w, line_list *l) {
    rs_error error;
    rn_nccl_table table;
    if (rn_nccl_tune(&w->comm, &error, &table) != RS_OK) abort();
    for (int first = 0; first < RN_NCCL_N_ALGORITHMS; first += 3) put_block(w, l, &table, first);
    put_calls(w, l, &table);
}

/* ------------------------------------------------------------------ all together */

static void put_rank(const made_log *w, line_list *l, int32_t rank) {
    const rn_nccl_comm *c = &w->comm;
    const int32_t g = per_node(c);
    char version[16];
    if (rank == 0) {
        put(l, "%s NCCL version %s+cuda12.9", head(w, 0),
            rn_nccl_version_text(c->version, version));
    }
    put_settings(w, l, rank);
    put(l,
        "%s ncclCommInitRank comm 0x%x rank %d nranks %d cudaDev %d nvmlDev %d busId %x000 commId "
        "0xfeed - Init START",
        head(w, rank), 0xa000 + (int)rank, (int)rank, (int)c->n_ranks, (int)(rank % g),
        (int)(rank % g), 16 + (int)(rank % g));
    put(l, "%s comm 0x%x rank %d nRanks %d nNodes %d localRanks %d localRank %d MNNVL 0",
        head(w, rank), 0xa000 + (int)rank, (int)rank, (int)c->n_ranks, (int)c->n_nodes, (int)g,
        (int)(rank % g));
    if (w->graphs) put_graphs(w, l, rank);
    put_rings(w, l, rank);
    put(l,
        "%s %d coll channels, 0 collnet channels, %d nvls channels, 32 p2p channels, 32 p2p "
        "channels per peer",
        head(w, rank), 2 * (int)c->graphs[RN_NCCL_RING].n_channels,
        (int)c->graphs[RN_NCCL_NVLS].n_channels);
    if (rank == 0 && !w->no_table) put_table(w, l);
    put(l,
        "%s ncclCommInitRank comm 0x%x rank %d nranks %d cudaDev %d nvmlDev %d busId %x000 commId "
        "0xfeed - Init COMPLETE",
        head(w, rank), 0xa000 + (int)rank, (int)rank, (int)c->n_ranks, (int)(rank % g),
        (int)(rank % g), 16 + (int)(rank % g));
}

static void write_lines(const made_log *w, line_list lists[], FILE *out) {
    const int32_t n = w->comm.n_ranks;
    int64_t count = 0;
    for (size_t i = 0, any = 1; any != 0; i++) {
        any = 0;
        for (int32_t rank = 0; rank < n; rank++) {
            for (size_t k = i; k < lists[rank].n; k++) {
                const char *line = lists[rank].text[k];
                const bool tear = w->torn && ++count % 37 == 0 && rank > 0;
                any = 1;
                /* The first half, and then the whole of the same line: as if it had been written twice. */
                if (tear) fprintf(out, "%.*s ", (int)(strlen(line) / 2), line);
                fprintf(out, "%s\n", line);
                if (w->interleaved) break;
            }
        }
        if (!w->interleaved) break;
    }
}

void make_nccl_log(const made_log *w, FILE *out) {
    const int32_t n = w->comm.n_ranks;
    line_list *lists = calloc((size_t)n, sizeof *lists);
    if (lists == NULL) abort();
    for (int32_t rank = 0; rank < n; rank++) put_rank(w, &lists[rank], rank);
    write_lines(w, lists, out);
    for (int32_t rank = 0; rank < n; rank++) {
        for (size_t i = 0; i < lists[rank].n; i++) free(lists[rank].text[i]);
        free(lists[rank].text);
    }
    free(lists);
}
