/* hang.h: what the files of `ringsim hang` share.
 *
 *     files --rc_read_dumps--> rn_dump, one a rank --rn_judge_hang--> words (hang_words.c, hang_print.c), JSON |
 *                                                                    story (viz/story/story_hang.c)
 */
#pragma once

#include "base/json_file.h"
#include "base/text.h"
#include "ringsim_archive.h"
#include "ringsim_hang.h"
#include "run/command.h"
#include "story/story_hang.h"

typedef struct rc_hang_file {
    const char *path;
    size_t n_root; /* of the path: the folder's; 0: named itself */
    int operand;   /* that named it, or its folder */
} rc_hang_file;
/* Lists what the operands name: files, and the files of folders. */
rc_exit rc_list_hang_files(rc_session *session, bool quiet, rc_hang_file **list, int32_t *n);
/* Finds the rank in a file's name: the number at its end, before what only says how it is packed, or its folder's name; -1: none. */
int32_t rc_rank_of_name(const char *path);

/* The dumps that could be read, by source and rank, at most one each. */
typedef struct rc_dumps {
    rn_dump *list;
    int32_t n;
    rn_evidence *evidence; /* [n_evidence] what logs say themselves */
    int32_t n_evidence;
    rs_arena *kept; /* [n_kept] what they are made of */
    int32_t n_kept;
    int32_t *n_of; /* [operands] how many were read of each */
} rc_dumps;
/* Reads all that the operands name. What cannot be read is named on stderr; nothing
   at all: RC_USAGE; quiet, for who would rather have none than a complaint: dumps->n may be 0. */
rc_exit rc_read_dumps(rc_session *session, bool quiet, rc_dumps *dumps);
/* Judges them, and what logs say beside them. */
rc_exit rc_judge_dumps(rc_session *session, rc_dumps *dumps, rn_hang *hang);
void rc_free_dumps(rc_dumps *dumps);

enum { RC_HANG_NAME = 200 /* bytes of a dump's word */ };
/* Says the verdict in one sentence; returns out. */
char *rc_hang_sentence(const rn_hang *hang, char out[RV_HANG_TEXT]);
/* Writes a group's name, and what it is for; returns out. */
char *rc_group_text(const rn_hang_place *place, char *out, size_t n_out);
void rc_print_hang(const rn_hang *hang);
/* Prints ringsim.hang/1. */
void rc_json_hang(const rn_hang *hang, FILE *out);
/* Puts its fields into an object. */
void rc_put_hang(const rn_hang *hang, rs_json *json);
/* Is it the answer "no"? */
bool rc_hangs(const rn_hang *hang);
