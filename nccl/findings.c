/* findings.c: a list of findings in the order of their lines, and what stands first. */
#include "in_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_before(const rn_finding *a, const rn_finding *b) {
    if (a->first != b->first) return a->first;
    return a->line < b->line || (a->line == b->line && a->level < b->level);
}

/* Returns which finding gives way to one of that level, the last that is no error; -1: none does. */
static int32_t find_weakest(const rn_findings *findings, rn_level level) {
    for (int32_t i = findings->n_kept; i-- > 0;) {
        if (findings->list[i].level != RN_ERROR)
            return level == RN_ERROR ? i : findings->n_kept - 1;
    }
    return findings->n_kept - 1;
}

static void add(rn_findings *findings, const rn_finding *finding) {
    const rn_finding found = *finding;
    const rn_level level = found.level;
    findings->n[level]++;
    if (findings->n_kept == RN_MOST_FINDINGS) {
        const int32_t out = find_weakest(findings, level);
        const rn_finding *weakest = &findings->list[out];
        const bool stronger = level == RN_ERROR && weakest->level != RN_ERROR;
        if (level != RN_ERROR && weakest->level == RN_ERROR) return;
        if (!stronger && !is_before(&found, weakest)) return;
        findings->n_kept--;
        memmove(&findings->list[out], &findings->list[out + 1],
                (size_t)(findings->n_kept - out) * sizeof found);
    }
    int32_t at = findings->n_kept++;
    for (; at > 0 && is_before(&found, &findings->list[at - 1]); at--) {
        findings->list[at] = findings->list[at - 1];
    }
    findings->list[at] = found;
}

void rn_find(rn_findings *findings, rn_level level, int64_t line, const char *format, ...) {
    rn_finding found = {.line = line, .level = level};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found.text, sizeof found.text, rn_in_words(findings->words, format), arguments);
    va_end(arguments);
    add(findings, &found);
}

void rn_find_first(rn_findings *findings, rn_level level, int64_t line, const char *text) {
    rn_finding found = {.line = line, .level = level, .first = true};
    snprintf(found.text, sizeof found.text, "%s", text);
    add(findings, &found);
}

rs_status rn_first_error(const rn_findings *findings, const char *file, rs_error *error) {
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rn_finding *found = &findings->list[i];
        if (found->level != RN_ERROR) continue;
        const long long more = (long long)findings->n[RN_ERROR] - 1;
        if (more == 0) {
            return rs_fail(error, RS_BAD_INPUT, "%.150s:%lld: %s", file, (long long)found->line,
                           found->text);
        }
        return rs_fail(
            error, RS_BAD_INPUT,
            rn_in_words(findings->words, N_("%.150s:%lld: %s (errors besides this one: %lld)")),
            file, (long long)found->line, found->text, more);
    }
    return RS_OK;
}

rs_status rn_no_memory(const rn_findings *findings, rs_error *error) {
    return rs_fail(error, RS_NO_MEMORY, "%s",
                   rn_in_words(findings->words, N_("no memory for the machine")));
}

rs_status rn_no_expat(rn_words *words, rs_error *error) {
    return rs_fail(
        error, RS_UNSUPPORTED, "%s",
        rn_in_words(words, N_("this build has no expat to read XML with; see ringsim doctor")));
}
