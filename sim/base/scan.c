/* scan.c: lines, words and numbers of the text formats (scan.h). */
#include "base/scan.h"

#include <stdarg.h>
#include <string.h>

void rs_scan_fail_with(rs_scan *scan, const char *at, int word, const char *format, ...) {
    va_list values;
    if (scan->status != RS_OK) return;
    va_start(values, format);
    scan->status = rs_vfail(scan->error, RS_BAD_INPUT, word, format, values);
    va_end(values);
    rs_error_at(scan->error, scan->line, at - scan->line_begin + 1);
}

void rs_scan_fail(rs_scan *scan, const char *at, const char *what) {
    rs_scan_fail_with(scan, at, 0, "%s", what);
}

void rs_scan_missing(rs_scan *scan, const char *what) {
    if (scan->status != RS_OK) return;
    scan->line++;
    scan->line_begin = scan->end;
    rs_scan_fail(scan, scan->end, what);
}

/* ------------------------------------------------------------------ words and numbers */

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

void rs_scan_blanks(rs_scan *scan) {
    while (scan->at < scan->line_end && is_blank(*scan->at)) scan->at++;
}

bool rs_scan_at_end(const rs_scan *scan) {
    return scan->at == scan->line_end || *scan->at == '#';
}

bool rs_scan_at_digit(const rs_scan *scan) {
    return scan->at < scan->line_end && *scan->at >= '0' && *scan->at <= '9';
}

bool rs_scan_sign(rs_scan *scan, const char *sign) {
    const size_t n = strlen(sign);
    if ((size_t)(scan->line_end - scan->at) < n || memcmp(scan->at, sign, n) != 0) return false;
    scan->at += n;
    return true;
}

bool rs_scan_word(rs_scan *scan, const char *word) {
    const char *begin = scan->at;
    if (!rs_scan_sign(scan, word)) return false;
    if (!rs_scan_at_end(scan) && !is_blank(*scan->at)) {
        scan->at = begin;
        return false;
    }
    rs_scan_blanks(scan);
    return true;
}

int64_t rs_scan_number(rs_scan *scan, const char *what, int64_t low, int64_t high,
                       const char **begin) {
    *begin = scan->at;
    if (!rs_scan_at_digit(scan)) {
        rs_scan_fail_with(scan, scan->at, 0, "expected %s, a number in %lld..%lld", what,
                          (long long)low, (long long)high);
        return low;
    }
    int64_t number = 0;
    const int64_t most = high < INT64_MAX / 16 ? high : INT64_MAX / 16;
    for (; rs_scan_at_digit(scan); scan->at++) {
        /* stops growing once it is too large */
        if (number <= most) number = 10 * number + (*scan->at - '0');
    }
    if (number < low || number > most) {
        rs_scan_fail_with(scan, *begin, 0, "%s must lie in %lld..%lld", what, (long long)low,
                          (long long)high);
        return low;
    }
    return number;
}

void rs_scan_end_number(rs_scan *scan, const char *expected) {
    if (!rs_scan_at_end(scan) && !is_blank(*scan->at)) rs_scan_fail(scan, scan->at, expected);
    rs_scan_blanks(scan);
}

int64_t rs_scan_whole_number(rs_scan *scan, const char *what, int64_t low, int64_t high,
                             const char *expected) {
    const char *begin;
    const int64_t number = rs_scan_number(scan, what, low, high, &begin);
    rs_scan_end_number(scan, expected);
    return number;
}

/* ------------------------------------------------------------------ what several formats have */

void rs_scan_format(rs_scan *scan, const char *name, const char *expected) {
    if (!rs_scan_word(scan, name)) rs_scan_fail(scan, scan->at, expected);
    rs_scan_whole_number(scan, "the format's version", 1, 1,
                         RS_MESSAGE("expected the end of the line after the version"));
}

void rs_scan_chunks(rs_scan *scan, int32_t n_chunks, rs_transfer *transfer) {
    const char *begin;
    transfer->chunk = (int32_t)rs_scan_number(scan, "the chunk", 0, n_chunks - 1, &begin);
    int32_t last = transfer->chunk;
    if (rs_scan_sign(scan, "..")) {
        last = (int32_t)rs_scan_number(scan, "the last chunk", 0, n_chunks - 1, &begin);
    }
    if (last < transfer->chunk) {
        rs_scan_fail(scan, begin, "the last chunk comes before the first: a range cannot wrap");
    }
    transfer->n_chunks = last - transfer->chunk + 1;
    rs_scan_end_number(scan, "expected '..', 'reduce' or 'copy' after the chunk");
}

void rs_scan_effect(rs_scan *scan, rs_transfer *transfer) {
    const bool copy = rs_scan_word(scan, "copy");
    if (!copy && !rs_scan_word(scan, "reduce")) {
        rs_scan_fail(scan, scan->at, "expected 'reduce' or 'copy' after the chunk");
    }
    transfer->effect = copy ? RS_COPY : RS_REDUCE;
}

/* ------------------------------------------------------------------ lines */

void rs_scan_begin(rs_scan *scan, const char *text, size_t n_bytes) {
    const bool mark = n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* UTF-8's BOM */
    scan->next = text + (mark ? 3 : 0);
    scan->end = text + n_bytes;
}

/* Goes to the next line; false: no more. */
static bool next_line(rs_scan *scan) {
    const char *begin = scan->next;
    if (begin == scan->end || scan->status != RS_OK) return false;
    const char *newline = memchr(begin, '\n', (size_t)(scan->end - begin));
    scan->line_begin = scan->at = begin;
    scan->line_end = newline == NULL ? scan->end : newline;
    scan->next = newline == NULL ? scan->end : newline + 1;
    scan->line++;
    if (scan->line_end > begin && scan->line_end[-1] == '\r') scan->line_end--;
    const char *nul = memchr(begin, '\0', (size_t)(scan->line_end - begin));
    if (nul != NULL) rs_scan_fail(scan, nul, "a zero byte: this is no text");
    if (scan->line_end - begin > RS_SCAN_LINE) {
        rs_scan_fail(scan, begin + RS_SCAN_LINE, "the line is longer than 4096 bytes");
    }
    return scan->status == RS_OK;
}

bool rs_scan_statement(rs_scan *scan) {
    while (next_line(scan)) {
        rs_scan_blanks(scan);
        scan->statement = scan->at;
        if (!rs_scan_at_end(scan)) return true;
    }
    return false;
}

void rs_scan_end(rs_scan *scan) {
    if (!rs_scan_at_end(scan)) {
        rs_scan_fail(scan, scan->at, "expected the end of the line, or '#' and a comment");
    }
}
