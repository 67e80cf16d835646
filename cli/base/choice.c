/* choice.c: options that are one word out of a list: types, operations, orders, engines. */
#include "cli.h"

#include <stdio.h>

rc_exit rc_blame(rc_option_id id, const rs_error *reason, rc_exit status, rs_error *error) {
    if (status == RC_GOOD) return status;
    return rc_fail(error, status, "--%s: %.400s", rc_option_table[id].name, reason->text);
}

rc_exit rc_read_choice(const rc_options *options, rc_option_id id, const char *const names[],
                       int by_default, rs_error *error, int *index) {
    *index = by_default;
    if (options->value[id] == NULL) return RC_GOOD;
    char name[32];
    snprintf(name, sizeof name, "--%s", rc_option_table[id].name);
    return rc_parse_choice(name, options->value[id], names, error, index);
}

rc_exit rc_read_types(const rc_options *options, rs_error *error, rs_dtype *dtype, rs_op *op) {
    const char *dtypes[RS_N_DTYPES + 1] = {NULL}, *ops[RS_N_OPS + 1] = {NULL};
    for (int i = 0; i < RS_N_DTYPES; i++) dtypes[i] = rs_dtype_name((rs_dtype)i);
    for (int i = 0; i < RS_N_OPS; i++) ops[i] = rs_op_name((rs_op)i);
    int at;
    rc_exit status = rc_read_choice(options, RC_DTYPE, dtypes, RS_I32, error, &at);
    if (status != RC_GOOD) return status;
    *dtype = (rs_dtype)at;
    status = rc_read_choice(options, RC_OP, ops, RS_SUM, error, &at);
    if (status == RC_GOOD) *op = (rs_op)at;
    return status;
}

rc_exit rc_read_order(const rc_options *options, rs_error *error, rs_order *order) {
    static const char *const names[] = {"seed", "nccl", NULL};
    int at;
    const rc_exit status = rc_read_choice(options, RC_ORDER, names, RS_ORDER_SEED, error, &at);
    if (status == RC_GOOD) *order = (rs_order)at;
    return status;
}

rc_exit rc_read_engine(const rc_options *options, rs_error *error, rs_engine *engine) {
    static const char *const names[] = {"auto", "events", "wavefront", NULL};
    int at;
    const rc_exit status = rc_read_choice(options, RC_ENGINE, names, RS_ENGINE_AUTO, error, &at);
    if (status == RC_GOOD) *engine = (rs_engine)at;
    return status;
}
