/* typed.c: options as what they mean: numbers, sizes, times, one word of a list.
 *
 *     rc_reader read = rc_reader_of(session);
 *     job.n_workers = (int32_t)rc_read_number(&read, RC_GPUS);
 *     job.n_slices = (int32_t)rc_read_number(&read, RC_SLICES);
 *     return read.status;
 *
 *   - An option's type, range and default stand in the row of the command, or in the table of options
 *     where all commands mean the same.
 *   - The first error stays. From then on nothing more is read: whoever asks gets the defaults.
 */
#include "run/typed.h"

#include <assert.h>
#include <stdio.h>

rc_reader rc_reader_of(const rc_session *session) {
    return (rc_reader){.options = &session->options, .error = session->error};
}

rc_exit rc_blame(rc_option_id id, const rs_error *reason, rc_exit status, rs_error *error) {
    if (status == RC_GOOD) return status;
    return rc_fail(error, status, "--%s: %.400s", rc_option_table[id].name, reason->text);
}

static const rc_type *type_of(const rc_options *options, rc_option_id id) {
    const rc_command *command = options->command;
    for (int i = 0; command != NULL && i < command->n_takes; i++) {
        const rc_taken *taken = &command->takes[i];
        if (taken->id == id && taken->type != NULL) return taken->type;
    }
    return rc_option_table[id].type;
}

/* Returns what was typed; NULL: nothing, or all reading is over because of an error. */
static const char *text_of(const rc_reader *reader, rc_option_id id) {
    return reader->status == RC_GOOD ? reader->options->value[id] : NULL;
}

static rc_exit parse_rate(const char *text, rs_error *reason, int64_t *number) {
    uint64_t rate;
    const rc_exit status = rc_parse_rate(text, reason, &rate);
    if (status == RC_GOOD) *number = (int64_t)rate;
    return status;
}

static rc_exit parse_flops(const char *text, rs_error *reason, int64_t *number) {
    uint64_t flops;
    const rc_exit status = rc_parse_flops(text, reason, &flops);
    if (status == RC_GOOD) *number = (int64_t)flops;
    return status;
}

static rc_exit parse_number(const rc_type *type, const char *text, rs_error *reason,
                            int64_t *number) {
    switch (type->kind) {
    case RC_AS_SIZE: return rc_parse_size(text, reason, number);
    case RC_AS_TIME: return rc_parse_time(text, reason, number);
    case RC_AS_RATE: return parse_rate(text, reason, number);
    case RC_AS_FLOPS: return parse_flops(text, reason, number);
    default: return rc_parse_integer(text, type->least, type->most, reason, number);
    }
}

int64_t rc_read_number_as(rc_reader *reader, rc_option_id id, const rc_type *type) {
    const char *text = text_of(reader, id);
    int64_t number = type->by_default;
    rs_error reason;
    if (text == NULL) return number;
    const rc_exit status = parse_number(type, text, &reason, &number);
    if (status != RC_GOOD && type->kind == RC_AS_WORLD) {
        reader->status =
            rc_fail(reader->error, RC_USAGE, _("--gpus %.60s: the world size must lie in %d..%d"),
                    text, (int)type->least, (int)type->most);
    } else {
        reader->status = rc_blame(id, &reason, status, reader->error);
    }
    return number;
}

int64_t rc_read_number(rc_reader *reader, rc_option_id id) {
    const rc_type *type = type_of(reader->options, id);
    assert(type != NULL && type->kind <= RC_AS_WORLD);
    return rc_read_number_as(reader, id, type);
}

uint64_t rc_read_seed(rc_reader *reader, rc_option_id id) {
    const char *text = text_of(reader, id);
    uint64_t seed = 0;
    rs_error reason;
    if (text == NULL) return seed;
    reader->status = rc_blame(id, &reason, rc_parse_seed(text, &reason, &seed), reader->error);
    return seed;
}

void rc_read_factor(rc_reader *reader, rc_option_id id, uint64_t *num, uint64_t *den) {
    const char *text = text_of(reader, id);
    rs_error reason;
    if (text == NULL) return;
    reader->status = rc_blame(id, &reason, rc_parse_factor(text, &reason, num, den), reader->error);
}

int rc_read_choice(rc_reader *reader, rc_option_id id) {
    enum { MOST_NAMES = 64 };
    const rc_type *type = type_of(reader->options, id);
    assert(type != NULL && type->kind == RC_AS_CHOICE);
    const char *text = text_of(reader, id), *option = rc_option_table[id].name;
    const char *listed[MOST_NAMES + 1] = {NULL};
    int index = (int)type->by_default;
    char name[32];
    if (text == NULL) return index;
    for (int i = 0; type->name_at != NULL && i < MOST_NAMES; i++) {
        listed[i] = type->name_at(i);
        if (listed[i] == NULL) break;
    }
    snprintf(name, sizeof name, "--%s", option);
    reader->status = rc_parse_choice(name, text, type->name_at != NULL ? listed : type->names,
                                     reader->error, &index);
    return index;
}
