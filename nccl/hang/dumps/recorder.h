/* recorder.h: what the parts of the reader of flight recorders' dumps share. Private to nccl/.
 *
 *     plain data --recorder_groups.c--> groups --read_recorder.c--> calls
 */
#pragma once

#include "data_tree.h"
#include "ringsim_hang.h"

/* The words that mean something, numbered in this order. */
#define KNOWN(word)                                                                                \
    word(entries) word(pg_config) word(ranks) word(pg_id) word(process_group) word(pg_name)        \
        word(collective_seq_id) word(seq_id) word(p2p_seq_id) word(profiling_name) word(state)     \
            word(input_sizes) word(output_sizes) word(input_dtypes) word(output_dtypes)            \
                word(time_created_ns) word(time_discovered_completed_ns) word(frames)              \
                    word(filename) word(line) word(is_p2p) word(scheduled) word(started)           \
                        word(completed) word(pg_status) word(last_enqueued_collective)             \
                            word(last_completed_collective) word(record_id) word(name) word(desc)  \
                                word(duration_ms) word(retired)
#define NUMBER_OF(word) W_##word,
#define TEXT_OF(word) #word,
enum { W_NOTHING, KNOWN(NUMBER_OF) W_END };
enum { RN_REC_GROUPS = 65536 /* the most of a dump */ };

/* What entries tell of a group. */
typedef struct rn_group_entries {
    int64_t id;       /* pg_id: the group's number in the process */
    int64_t last_seq; /* -1: no entry */
    bool messages;    /* from point to point, or coalesced: pg_status counts those, too */
} rn_group_entries;

typedef struct rn_recorder {
    rn_tree tree;
    rs_texts kept;       /* what lives on */
    rs_texts group_keys; /* of the dump's groups: their names' numbers among words */
    int8_t *torch; /* [torch_room] by word: 1 a file of PyTorch, -1 another; 0: not known yet */
    int64_t torch_room;
    rs_heap *pieces, *keep;
    rn_dump *dump;
    int64_t groups_room;
    rn_group_entries *entries; /* [entries_room] by group */
    int64_t entries_room;
    bool last_unseen; /* the watchdog never saw the end of the last entry that was read */
} rn_recorder;

/* Returns the number under which a word of the file lives on. */
uint32_t rn_rec_keep_word(rn_recorder *r, uint32_t word);
/* Returns the group of that name, new where it is not known; -1: no memory, or too many. */
int32_t rn_rec_group_named(rn_recorder *r, uint32_t word, const rn_datum *ranks);
/* Reads pg_config. */
void rn_rec_groups(rn_recorder *r, const rn_datum *config);
/* ("0", "default_pg"): the name is the first. */
uint32_t rn_rec_group_word(const rn_datum *d);

/* Notes what an entry tells of its group; false: no memory. */
bool rn_rec_note_entry(rn_recorder *r, int32_t group, int64_t pg_id, bool message, int64_t seq);
/* Reads pg_status, when all entries are noted. */
void rn_rec_status(rn_recorder *r, const rn_datum *status);
/* Is the collective beyond the last one that pg_status says was enqueued? */
bool rn_rec_is_beyond(rn_recorder *r, const rn_datum *status, const rn_call *call);
