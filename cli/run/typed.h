/* typed.h: typed.c: options as what they mean: numbers, sizes, times, one word of a list. */
#ifndef RC_TYPED_H
#define RC_TYPED_H

#include "base/units.h"
#include "run/command.h"

/* Reads options one after the other; the first error stays, and ends all reading. */
typedef struct rc_reader {
    const rc_options *options;
    rs_error *error;
    rc_exit status;
} rc_reader;
/* Starts to read what the session's command was given. */
rc_reader rc_reader_of(const rc_session *session);
/* Reads an integer, size, time or rate as the command's row says; its default where it was not given. */
int64_t rc_read_number(rc_reader *reader, rc_option_id id);
/* The same of a type that only the run tells. */
int64_t rc_read_number_as(rc_reader *reader, rc_option_id id, const rc_type *type);
/* Reads 64 bits; 0 where the option was not given. */
uint64_t rc_read_seed(rc_reader *reader, rc_option_id id);
/* Reads num / den; leaves both as they are where the option was not given. */
void rc_read_factor(rc_reader *reader, rc_option_id id, uint64_t *num, uint64_t *den);
/* Reads one word of the type's list and returns its place there. */
int rc_read_choice(rc_reader *reader, rc_option_id id);
/* Puts the option's name before the reason, unless all is well. */
rc_exit rc_blame(rc_option_id id, const rs_error *reason, rc_exit status, rs_error *error);

#endif
