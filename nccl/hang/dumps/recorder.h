/* recorder.h: what the parts of the reader of flight recorders' dumps share. Private to nccl/.
 *
 *     plain data --recorder_groups.c--> groups --recorder.c--> calls
 */
#ifndef RS_RECORDER_H
#define RS_RECORDER_H

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
enum { RS_REC_GROUPS = 65536 /* the most of a dump */ };

/* What entries tell of a group. */
typedef struct rs_group_entries {
    int64_t id;       /* pg_id: the group's number in the process */
    int64_t last_seq; /* -1: no entry */
    bool messages;    /* from point to point, or coalesced: pg_status counts those, too */
} rs_group_entries;

typedef struct rs_recorder {
    rs_texts *words;
    rs_texts kept;     /* what lives on */
    uint32_t *kept_of; /* [n_kept_of] by number in words; 0: not yet */
    uint32_t n_kept_of;
    rs_code_lines lines;
    rs_heap *pieces, *keep;
    rs_dump *dump;
    int32_t *group_at; /* [n_kept_of] the group of that name, + 1 */
    int64_t groups_room;
    rs_group_entries *entries; /* [entries_room] by group */
    int64_t entries_room;
    int64_t left;     /* data that may still be looked at */
    bool last_unseen; /* the watchdog never saw the end of the last entry that was read */
} rs_recorder;

static inline int64_t rs_rec_integer_of(const rs_datum *d, int64_t otherwise) {
    return d->kind == RS_DATUM_INTEGER ? d->integer : otherwise;
}
/* Some numbers are texts in JSON. */
int64_t rs_rec_integer_or_text(const rs_recorder *r, const rs_datum *d, int64_t otherwise);
static inline bool rs_rec_is_list(const rs_datum *d) {
    return d->kind == RS_DATUM_LIST;
}
/* Data may be named again and again: so much may be looked at, and no more. */
static inline bool rs_rec_spend(rs_recorder *r, uint32_t n) {
    r->left -= n;
    return r->left > 0;
}
/* Returns a dictionary's value; NULL: it has none. */
const rs_datum *rs_rec_member(rs_recorder *r, const rs_datum *dict, uint32_t word);
/* Returns the number under which a word of the file lives on. */
uint32_t rs_rec_keep_word(rs_recorder *r, uint32_t word);
/* Returns the group of that name, new where it is not known; -1: no memory, or too many. */
int32_t rs_rec_group_named(rs_recorder *r, uint32_t word, const rs_datum *ranks);
/* Reads pg_config. */
void rs_rec_groups(rs_recorder *r, const rs_datum *config);
/* ("0", "default_pg"): the name is the first. */
uint32_t rs_rec_group_word(const rs_datum *d);

/* Notes what an entry tells of its group; false: no memory. */
bool rs_rec_note_entry(rs_recorder *r, int32_t group, int64_t pg_id, bool message, int64_t seq);
/* Reads pg_status, when all entries are noted. */
void rs_rec_status(rs_recorder *r, const rs_datum *status);
/* Is the collective beyond the last one that pg_status says was enqueued? */
bool rs_rec_is_beyond(rs_recorder *r, const rs_datum *status, const rs_call *call);

#endif
