/* run_values.c: which values the ranks hold, how many of them move, and whether they fit this machine.
 *
 *     --data, --seed, --input     what a rank holds: generated, listed, or from a file
 *     --values, --output          every element, one a chunk, or none
 *
 * Nothing is allocated from a number that was typed before rc_check_memory has seen it.
 */
#include "base/files.h"
#include "run/request.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns 2^bits, exactly. */
static double power_of_two(int bits) {
    double power = 1;
    while (bits-- > 0) power *= 2;
    return power;
}

/* Tells whether an integer type holds the number; a list's numbers are doubles, exact to 2^53. */
static bool holds(rs_dtype dtype, double number) {
    if (rs_dtype_is_float(dtype)) return true;
    const bool has_sign = dtype != RS_U8 && dtype != RS_U32 && dtype != RS_U64;
    const int bits = rs_dtype_bytes(dtype) * 8;
    const double most = bits == 64 ? power_of_two(53) : power_of_two(bits - has_sign) - 1;
    const double least = !has_sign ? 0 : bits == 64 ? -most : -most - 1;
    return number >= least && number <= most && number == (double)(int64_t)number;
}

/* Reads one number, which ends at a comma or the text's end, and moves *at there. */
static bool read_number(const char **at, double *number) {
    char *end;
    errno = 0;
    *number = strtod(*at, &end); /* LC_NUMERIC stays "C" */
    const bool overflow = errno == ERANGE && (*number > 1 || *number < -1);
    const bool whole = end != *at && (*end == ',' || *end == '\0') && !overflow;
    *at = end;
    return whole;
}

static size_t count_commas(const char *text) {
    size_t n = 0;
    for (; *text != '\0'; text++) n += *text == ',';
    return n;
}

/* Reads 1e8,1,-1e8,1: one number a rank. */
static rc_exit read_list(const rc_typed *typed, rc_value *value) {
    double *list = rs_alloc(typed->arena, count_commas(typed->text) + 1, sizeof *list);
    if (list == NULL) return rc_no_memory(typed->error);
    value->number = RS_DATA_LIST;
    value->reals = list;
    for (const char *at = typed->text;; at++) {
        if (!read_number(&at, &list[value->n])) {
            return rc_fail(typed->error, RC_USAGE,
                           _("--data %.60s: place %lld of the list is no number, counted from 0"),
                           typed->text, (long long)value->n);
        }
        value->n++;
        if (*at == '\0') return RC_GOOD;
    }
}

rc_exit rc_as_data(const rc_typed *typed, rc_value *value) {
    const char *text = typed->text;
    if (strchr(text, ',') != NULL || strchr("+-.0123456789", text[0]) != NULL) {
        return read_list(typed, value);
    }
    const rc_exit status = rc_as_word(typed, value);
    value->number += RS_DATA_DIGITS;
    return status;
}

/* A list has a number for each rank, which the type holds. */
static rc_exit check_list(const rc_value *data, const rs_request *request, rs_error *error) {
    assert(data->number == RS_DATA_LIST && data->n > 0);
    const int32_t n_ranks = request->job.schedule->n_ranks;
    for (int64_t i = 0; i < data->n; i++) {
        if (holds(request->dtype, data->reals[i])) continue;
        return rc_fail(error, RC_USAGE,
                       _("--data %.60s: place %lld of the list does not fit the type %s; choose "
                         "another --dtype"),
                       data->text, (long long)i, rs_dtype_name(request->dtype));
    }
    if (data->n == n_ranks) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--data: %lld numbers for %d GPUs; give one each"),
                   (long long)data->n, (int)n_ranks);
}

rc_exit rc_take_values(rc_session *session, rs_request *request) {
    const rc_options *options = &session->options;
    const rc_value *data = &options->value[RC_DATA];
    request->seed = (uint64_t)options->value[RC_SEED].number;
    request->data = (rs_data)data->number;
    request->list = data->reals;
    request->values = (rs_values)options->value[RC_VALUES].number;
    request->check = (rs_when)options->value[RC_CHECK].number;
    request->engine = (rs_engine)options->value[RC_ENGINE].number;
    if (data->text != NULL && rc_given(options, RC_INPUT)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--data and --input both say what the ranks hold; give one"));
    }
    if (rc_given(options, RC_OUTPUT)) {
        if (request->values == RS_VALUES_SAMPLE || request->values == RS_VALUES_NONE) {
            return rc_fail(session->error, RC_USAGE,
                           _("--output needs every value; leave --values %s out"),
                           options->value[RC_VALUES].text);
        }
        request->values = RS_VALUES_ALL;
    }
    return data->reals != NULL ? check_list(data, request, session->error) : RC_GOOD;
}

/* ------------------------------------------------------------------ memory, and the input */

/* Returns what the values will take, inputs, results and the input file together. */
static double values_bytes(const rs_request *request, bool input) {
    const rs_job *job = &request->job;
    const double n = job->schedule->n_ranks;
    const double all = (double)job->count * job->elem_bytes * n;
    const double sample = (double)job->schedule->n_chunks * job->elem_bytes * n;
    const double file = input ? all : 0;
    if (request->values == RS_VALUES_ALL) return 2 * all + file;
    if (request->values == RS_VALUES_SAMPLE) return 2 * (sample < all ? sample : all) + file;
    return file;
}

rc_exit rc_check_memory(rc_session *session, const rs_request *request) {
    const bool input = rc_given(&session->options, RC_INPUT);
    const double values = values_bytes(request, input);
    const int64_t n_transfers = request->job.schedule->n_transfers;
    const double trace =
        request->trace_limit == INT64_MAX ? (double)n_transfers * (double)sizeof(rs_timed) : 0;
    const double large = 64e6; /* below that nobody need ask */
    if (values + trace < large) return RC_GOOD;
    const double have = (double)rc_memory_bytes();
    if (values + trace <= have) return RC_GOOD;
    if (trace > values) {
        return rc_fail(session->error, RC_LACKS,
                       _("%lld transfers take %.1f GB to keep and this machine has %.1f GB left; "
                         "leave out --transfers and --trace, or take fewer GPUs"),
                       (long long)n_transfers, trace / 1e9, have / 1e9);
    }
    return rc_fail(session->error, RC_LACKS,
                   _("the values of %d GPUs take %.1f GB and this machine has %.1f GB left; take "
                     "fewer elements or GPUs, or --values none"),
                   (int)request->job.schedule->n_ranks, values / 1e9, have / 1e9);
}

static bool big_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

rc_exit rc_read_input(rc_session *session, rs_request *request) {
    const char *path = session->options.value[RC_INPUT].text;
    const char *output = session->options.value[RC_OUTPUT].text;
    if (big_endian() && (path != NULL || output != NULL)) {
        return rc_fail(session->error, RC_LACKS,
                       _("--%s: the files are little-endian, this machine is not"),
                       path != NULL ? "input" : "output");
    }
    if (path == NULL) return RC_GOOD;
    const rs_job *job = &request->job;
    const int64_t count = rs_size_count(job->schedule, job->count);
    const int64_t expected = job->schedule->n_ranks * count * job->elem_bytes;
    char *data;
    size_t n_bytes;
    const int64_t found = rc_file_bytes(path);
    rc_exit status = RC_GOOD;
    if (found < 0 || found == expected) {
        status = rc_read_file(path, expected + 1, session->arena, session->error, &data, &n_bytes);
        if (status != RC_GOOD) return rc_blame("input", status, session->error);
    }
    if ((found >= 0 && found != expected) || (int64_t)n_bytes != expected) {
        return rc_fail(session->error, RC_USAGE,
                       _("--input %.200s holds %lld bytes; %d GPUs x %lld elements of %d bytes are "
                         "%lld"),
                       path, (long long)(found >= 0 ? found : (int64_t)n_bytes),
                       (int)job->schedule->n_ranks, (long long)count, (int)job->elem_bytes,
                       (long long)expected);
    }
    request->input = data;
    return status;
}
