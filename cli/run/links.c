/* links.c: the table of single links, from CSV.
 *
 *     src,dst,alpha,bandwidth        a header line may come first; # starts a comment
 *     0,1,5us,20GB/s                 units as in units.c; spaces around a field do not count
 *
 * Errors name the line. The result is sorted by (src, dst), as rs_net wants it.
 */
#include "base/units.h"
#include "base/containers.h"
#include "run/request.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { N_FIELDS = 4, LONGEST_LINE = 256 };
static const char *const field_names[N_FIELDS] = {"src", "dst", "alpha", "bandwidth"};

typedef struct link_row {
    rs_link_override link;
    int64_t line;
} link_row;

/* Cuts comment and spaces off both ends, in place; returns the start. */
static char *trim(char *text) {
    text[strcspn(text, "#")] = '\0';
    while (rs_is_space(*text)) text++;
    size_t n = strlen(text);
    while (n > 0 && rs_is_space(text[n - 1])) n--;
    text[n] = '\0';
    return text;
}

/* Splits at commas; returns how many fields there are, of which the first four are stored. */
static int split(char *line, char *fields[N_FIELDS]) {
    int n = 0;
    for (char *at = line; at != NULL; n++) {
        char *comma = strchr(at, ',');
        if (comma != NULL) *comma++ = '\0';
        if (n < N_FIELDS) fields[n] = trim(at);
        at = comma;
    }
    return n;
}

static bool is_header(char *const fields[N_FIELDS]) {
    for (int i = 0; i < N_FIELDS; i++) {
        if (strcmp(fields[i], field_names[i]) != 0) return false;
    }
    return true;
}

static rc_exit read_rank(const char *text, int32_t n_ranks, rs_error *error, int32_t *rank) {
    assert(n_ranks >= 1);
    int64_t number;
    const rc_exit status = rc_parse_integer(text, 0, n_ranks - 1, error, &number);
    if (status == RC_GOOD) *rank = (int32_t)number;
    return status;
}

static rc_exit read_rate(const char *text, rs_error *error, uint64_t *Bps) {
    int64_t rate;
    const rc_exit status = rc_parse_amount(RC_IN_BYTES_PER_S, text, error, &rate);
    if (status == RC_GOOD) *Bps = (uint64_t)rate;
    return status;
}

static rc_exit read_field(int field, const char *text, int32_t n_ranks, rs_error *error,
                          rs_link_override *link) {
    switch (field) {
    case 0: return read_rank(text, n_ranks, error, &link->src);
    case 1: return read_rank(text, n_ranks, error, &link->dst);
    case 2: return rc_parse_amount(RC_IN_PS, text, error, &link->link.alpha_ps);
    default: return read_rate(text, error, &link->link.bandwidth_Bps);
    }
}

/* Reads one line that is neither empty nor the header. */
static rc_exit read_row(char *const fields[N_FIELDS], int n, int64_t line, int32_t n_ranks,
                        rs_error *error, link_row *read) {
    if (n != N_FIELDS) {
        return rc_fail(error, RC_USAGE,
                       _("line %lld has %d fields; write src,dst,alpha,bandwidth, as in "
                         "0,1,5us,20GB/s"),
                       (long long)line, n);
    }
    for (int i = 0; i < N_FIELDS; i++) {
        const rc_exit status = read_field(i, fields[i], n_ranks, error, &read->link);
        if (status == RC_GOOD) continue;
        return rc_prefix(error, status, _("line %lld, %s"), (long long)line, field_names[i]);
    }
    read->line = line;
    if (read->link.src != read->link.dst) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("line %lld: rank %d has no link to itself"), (long long)line,
                   (int)read->link.src);
}

RS_ORDER(by_pair, link_row, link.src, link.dst, line);

/* Sorts the rows and hands their links on; a pair may stand there only once. */
static rc_exit hand_over(link_row rows[], size_t n, rs_arena *arena, rs_error *error,
                         rs_link_override **overrides) {
    qsort(rows, n, sizeof *rows, by_pair);
    for (size_t i = 1; i < n; i++) {
        const rs_link_override *a = &rows[i - 1].link, *b = &rows[i].link;
        assert(a->src <= b->src);
        if (a->src != b->src || a->dst != b->dst) continue;
        return rc_fail(
            error, RC_USAGE, _("line %lld: the link %d,%d stands in line %lld already; remove one"),
            (long long)rows[i].line, (int)b->src, (int)b->dst, (long long)rows[i - 1].line);
    }
    rs_link_override *sorted = rs_alloc(arena, n + 1, sizeof *sorted);
    if (sorted == NULL) return rc_no_memory(error);
    for (size_t i = 0; i < n; i++) sorted[i] = rows[i].link;
    *overrides = sorted;
    return RC_GOOD;
}

static size_t count_lines(const char *text, size_t n_bytes) {
    size_t n = 1;
    for (size_t i = 0; i < n_bytes; i++) n += text[i] == '\n';
    return n;
}

/* Copies the line that starts at *at and moves *at behind it; false: too long, or no text. */
static bool next_line(const char **at, const char *end, char line[LONGEST_LINE]) {
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const size_t length = (size_t)((newline != NULL ? newline : end) - *at);
    if (length >= LONGEST_LINE || memchr(*at, '\0', length) != NULL) return false;
    memcpy(line, *at, length);
    line[length] = '\0';
    *at += length + (newline != NULL);
    return true;
}

static rc_exit read_rows(const char *text, size_t n_bytes, int32_t n_ranks, link_row rows[],
                         rs_error *error, size_t *n_rows) {
    const char *at = text, *end = text + n_bytes;
    if (n_bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* a byte order mark */
    size_t n = 0;
    bool first = true;
    for (int64_t line = 1; at < end; line++) {
        char copy[LONGEST_LINE];
        if (!next_line(&at, end, copy)) {
            return rc_fail(error, RC_USAGE, _("line %lld is no line of text of at most %d bytes"),
                           (long long)line, LONGEST_LINE - 1);
        }
        char *fields[N_FIELDS];
        char *words = trim(copy);
        if (*words == '\0') continue;
        const int n_fields = split(words, fields);
        const bool header = first && n_fields == N_FIELDS && is_header(fields);
        first = false;
        if (header) continue;
        const rc_exit status = read_row(fields, n_fields, line, n_ranks, error, &rows[n]);
        if (status != RC_GOOD) return status;
        n++;
    }
    *n_rows = n;
    return RC_GOOD;
}

rc_exit rc_parse_links(const char *text, size_t n_bytes, int32_t n_ranks, rs_arena *arena,
                       rs_error *error, rs_link_override **overrides, int32_t *n_overrides) {
    const size_t most = count_lines(text, n_bytes);
    link_row *rows = rs_alloc(arena, most, sizeof *rows);
    if (rows == NULL || most > INT32_MAX) return rc_no_memory(error);
    size_t n = 0;
    rc_exit status = read_rows(text, n_bytes, n_ranks, rows, error, &n);
    if (status == RC_GOOD) status = hand_over(rows, n, arena, error, overrides);
    if (status == RC_GOOD) *n_overrides = (int32_t)n;
    return status;
}
