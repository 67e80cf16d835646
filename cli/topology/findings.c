/* findings.c: a list of findings in the order of their lines, and how it is printed. */
#include "topology/findings.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

static bool is_before(const rc_finding *a, const rc_finding *b) {
    if (a->first != b->first) return a->first;
    return a->line < b->line || (a->line == b->line && a->level < b->level);
}

/* Returns which finding gives way to one of that level, the last that is no error; -1: none does. */
static int32_t find_weakest(const rc_findings *findings, rc_level level) {
    for (int32_t i = findings->n_kept; i-- > 0;) {
        if (findings->list[i].level != RC_ERROR)
            return level == RC_ERROR ? i : findings->n_kept - 1;
    }
    return findings->n_kept - 1;
}

static void add(rc_findings *findings, const rc_finding *finding) {
    const rc_finding found = *finding;
    const rc_level level = found.level;
    findings->n[level]++;
    if (findings->n_kept == RC_MOST_FINDINGS) {
        const int32_t out = find_weakest(findings, level);
        const rc_finding *weakest = &findings->list[out];
        const bool stronger = level == RC_ERROR && weakest->level != RC_ERROR;
        if (level != RC_ERROR && weakest->level == RC_ERROR) return;
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

void rc_find(rc_findings *findings, rc_level level, int64_t line, const char *format, ...) {
    rc_finding found = {.line = line, .level = level};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(found.text, sizeof found.text, format, arguments);
    va_end(arguments);
    add(findings, &found);
}

void rc_find_first(rc_findings *findings, rc_level level, int64_t line, const char *text) {
    rc_finding found = {.line = line, .level = level, .first = true};
    snprintf(found.text, sizeof found.text, "%s", text);
    add(findings, &found);
}

rc_exit rc_first_error(const rc_findings *findings, const char *file, rs_error *error) {
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rc_finding *found = &findings->list[i];
        if (found->level != RC_ERROR) continue;
        const long long more = (long long)findings->n[RC_ERROR] - 1;
        if (more == 0) {
            return rc_fail(error, RC_USAGE, "%.150s:%lld: %s", file, (long long)found->line,
                           found->text);
        }
        return rc_fail(error, RC_USAGE, _("%.150s:%lld: %s (errors besides this one: %lld)"), file,
                       (long long)found->line, found->text, more);
    }
    return RC_GOOD;
}

void rc_print_findings(const rc_findings *findings, const char *file) {
    static const char *const levels[RC_N_LEVELS] = {N_("error"), N_("warning"), N_("note")};
    char plain[RC_FINDING_TEXT + 240], text[RC_FINDING_TEXT + 240];
    int64_t n_printed = 0;
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rc_finding *found = &findings->list[i];
        if (found->level == RC_ERROR) continue;
        snprintf(text, sizeof text, "%.150s:%lld: %s: %s", file, (long long)found->line,
                 _(levels[found->level]), found->text);
        fprintf(stderr, "ringsim: %s\n", rc_plain(text, true, plain, sizeof plain));
        n_printed++;
    }
    const int64_t n = findings->n[RC_WARNING] + findings->n[RC_NOTE];
    if (n > n_printed) {
        fprintf(stderr, _("ringsim: and %lld more such lines\n"), (long long)(n - n_printed));
    }
}
