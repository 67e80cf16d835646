/* ringsim_mapreduce.h: words of a text, mapped, shuffled and reduced by N GPUs.
 *
 *     text --cut at words--> MAPPER n: pairs (word, value) --crc32(word) mod N--> REDUCER r --> results
 *                                 |                                                  ^
 *                                 +------ messages n -> r, timed by rs_simulate -----+
 *
 *   - A word is a run of bytes that are no blanks (space, \t \n \v \f \r); nothing else ends a word:
 *     "end." is not "end", and Chinese written without spaces is one long word.
 *   - Mapper n's part of the text is chunk n of its bytes (rs_chunk_offset); a word belongs to the part
 *     in which it begins.
 *   - A pair's value is 1 for sum; for all other operations the place of the word: its first byte's
 *     number in the text, which a mapper knows without asking anybody.
 *   - A pair travels as 2 bytes of length, the word, 8 bytes of value. With `combine` a mapper folds
 *     its own pairs first and sends one a word (a list: 8 bytes of length and 8 a place).
 *   - Words come sorted by their bytes.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

/* What a reducer makes of a word's values. */
typedef enum rs_mr_op {
    RS_MR_SUM,   /* of ones */
    RS_MR_COUNT, /* how many values there are, whatever they are */
    RS_MR_MAX,   /* the last place */
    RS_MR_MIN,   /* the first place */
    RS_MR_LIST,  /* all places, ascending */
    RS_MR_N_OPS
} rs_mr_op;
const char *rs_mr_op_name(rs_mr_op op); /* "sum", ... */

enum {
    RS_MR_MAX_RANKS = 1024,
    RS_MR_MAX_WORD = 65535, /* bytes */
    RS_MR_MAX_TEXT = 64 * 1024 * 1024,
    RS_MR_EXPLAINED = 64 * 1024,   /* bytes of text up to which every pair is told */
    RS_MR_FOLDED = 8 * 1024 * 1024 /* numbers on all GPUs up to which the ring really folds them */
};

typedef struct rs_mr_request {
    const char *text; /* n_bytes of them, no zero at the end; they must live on */
    int64_t n_bytes;
    int32_t n_ranks; /* each is a mapper and a reducer */
    rs_mr_op op;
    bool combine;
    uint64_t map_Bps; /* how fast a mapper reads; 0: at once */
    rs_net net;       /* reduce_Bps: how fast a reducer takes in what arrives */
    rs_order order;   /* of the ring that is compared */
} rs_mr_request;

/* A word and what its reducer made of it. */
typedef struct rs_mr_word {
    const char *text; /* n_bytes of the request's text */
    int32_t n_bytes;
    int32_t reducer;
    int64_t count;         /* how often it stands in the text */
    int64_t value;         /* the result; lists: how many places */
    const int64_t *places; /* [count] lists only; else NULL */
} rs_mr_word;

/* What mapper `src` has for reducer `dst`. With src = dst it stays where it is. */
typedef struct rs_mr_message {
    int64_t n_pairs, n_bytes;
    int64_t start_ps, end_ps, done_ps; /* -1: it isn't sent */
} rs_mr_message;

/* One pair, as a mapper writes it. */
typedef struct rs_mr_pair {
    int64_t place; /* of the word in the text */
    int64_t value;
    int32_t n_bytes;
    int32_t mapper, reducer;
} rs_mr_pair;

/* The same result as a reduce-scatter: a number for each word, 0 (or nothing) where a GPU has not met
   it; chunk r holds the words of reducer r, filled up to the largest reducer's. The ring's first N - 1
   steps shuffle and reduce in one. */
typedef struct rs_mr_ring {
    bool fits;       /* the operation folds number by number, and N > 1 */
    int64_t count;   /* numbers a GPU, N x the most words of a reducer; 8 bytes each */
    int64_t n_sent;  /* bytes that the GPU sends that sends most */
    int64_t time_ps; /* until the last GPU owns its chunk; from the end of the last map */
    int32_t *owner;  /* [n_ranks] the GPU that owns chunk r then; NULL: it does not fit */
    bool folded;     /* it was really executed ... */
    bool equal;      /* ... and every reducer's results came out */
} rs_mr_ring;

typedef struct rs_mr_report {
    rs_mr_request request;
    int64_t n_words; /* of the text */
    int64_t n_distinct;
    rs_mr_word *words;       /* [n_distinct] sorted by their bytes */
    int64_t *first;          /* [n_ranks + 1] where each mapper's part begins */
    int64_t *mapped;         /* [n_ranks] words that each mapper found */
    int64_t *reduced;        /* [n_ranks] different words of each reducer */
    int64_t *map_ps;         /* [n_ranks] when each mapper is done */
    int64_t *end_ps;         /* [n_ranks] when each reducer is done */
    rs_mr_message *messages; /* [n_ranks * n_ranks] src * n_ranks + dst */
    int64_t n_messages;      /* that are sent */
    int64_t n_bytes;         /* in them */
    int64_t makespan_ps;
    rs_mr_pair *pairs; /* [n_words] in the order of the text; NULL beyond RS_MR_EXPLAINED */
    rs_mr_ring ring;
} rs_mr_report;

/* Returns the reducer of a word: crc32(word) mod n_ranks (rs_crc32; Python: zlib.crc32). */
int32_t rs_mr_reducer(const char *word, int64_t n_bytes, int32_t n_ranks);

/* Maps, shuffles, reduces; times it; compares with the ring. RS_BAD_INPUT: the text or a word is too
   long; RS_NO_MEMORY: the tables do not fit into what the arena may hold. */
rs_status rs_mapreduce(const rs_mr_request *request, rs_arena *arena, rs_error *error,
                       rs_mr_report *report);

/* Makes the shuffle's schedule: in step s rank n sends bytes[n * n_ranks + r] bytes to rank
   r = n + s + 1, if there are any. bytes must outlive it; *count is for rs_job, with elem_bytes 1:
   above 1 GiB messages are rounded up to units. Source: the linear shift of all-to-all exchanges
   (Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005). */
rs_status rs_mr_shuffle(int32_t n_ranks, const int64_t bytes[], rs_arena *arena, rs_error *error,
                        rs_schedule *schedule, int64_t *count);

RS_END_DECLS
