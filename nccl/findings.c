/* findings.c: a list of findings, what matters most first. */
#include "ringsim_findings.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_before(const rn_finding *a, const rn_finding *b) {
    if (a->first != b->first) return a->first;
    if (a->level != b->level) return a->level < b->level;
    return a->warned != b->warned ? a->warned : a->line < b->line;
}

static void add(rn_findings *findings, const rn_finding *finding) {
    const rn_finding found = *finding;
    int32_t at = findings->n_kept;
    findings->n[found.level]++;
    if (at == RN_MOST_FINDINGS && !is_before(&found, &findings->list[--at])) return;
    findings->n_kept = at + 1;
    for (; at > 0 && is_before(&found, &findings->list[at - 1]); at--) {
        findings->list[at] = findings->list[at - 1];
    }
    findings->list[at] = found;
}

void rn_find(rn_findings *findings, rn_level level, int64_t line, const char *format, ...) {
    rs_error said;
    va_list values;
    va_start(values, format);
    rs_vfail(&said, RS_OK, -1, format, values);
    va_end(values);
    rn_find_said(findings, level, line, &said);
}

void rn_find_said(rn_findings *findings, rn_level level, int64_t line, const rs_error *said) {
    add(findings, &(rn_finding){.line = line, .level = level, .said = *said});
}

void rn_find_first(rn_findings *findings, rn_level level, int64_t line, const rs_error *said) {
    add(findings, &(rn_finding){.line = line, .level = level, .first = true, .said = *said});
}

void rn_find_warned(rn_findings *findings, int64_t line, const rs_error *said) {
    add(findings, &(rn_finding){.line = line, .level = RN_WARNING, .warned = true, .said = *said});
}

rs_status rn_first_error(const rn_findings *findings, const char *file, rs_error *error) {
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rn_finding *found = &findings->list[i];
        if (found->level != RN_ERROR) continue;
        const long long more = (long long)findings->n[RN_ERROR] - 1;
        char place[RS_ERROR_FILE];
        snprintf(place, sizeof place, "%.150s:%lld", file, (long long)found->line);
        *error = found->said;
        if (more > 0)
            rs_fail_with(error, RS_OK, 0, &found->said, "%s (errors besides this one: %lld)",
                         found->said.text, more);
        rs_error_in(error, place);
        return RS_BAD_INPUT;
    }
    return RS_OK;
}
