/* nccl_log_warn.c: what NCCL warns of, and what it most likely means, by the table of nccl_log_messages.c.
 *
 *     NCCL WARN Call to ibv_modify_qp failed with 113 No route to host --> NCCL warns: ...; most likely RoCE addresses ...
 *
 *   - Ranks repeat each other's: a warning is said once, at its first line, with how often it came; a hint once a cause.
 *   - The first in time that ends a job is its cause, and stands before all else; what follows from it is marked as its echo.
 */
#include "nccl_log.h"

#include <string.h>

int32_t rn_log_row(const char *place, const char *message, bool warns) {
    int n;
    const rn_nccl_message *rows = rn_nccl_messages(&n);
    for (int32_t i = 0; i < n; i++) {
        if (!warns && rows[i].severity != RN_SAYS_SLOWER && rn_log_speaker(&rows[i]) == NULL)
            continue;
        if (rn_nccl_meets(&rows[i], place, message)) return i;
    }
    return -1;
}

/* Which setting of the log brings the message about; NULL: none. */
static const rn_nccl_setting *setting_of(const rn_nccl_log_reader *r, const rn_nccl_message *row) {
    for (int32_t i = 0; row->settings != NULL && i < r->log.n_settings; i++) {
        const rn_nccl_setting *s = &r->log.settings[i];
        const size_t n = strlen(s->name);
        for (const char *at = row->settings; (at = strstr(at, s->name)) != NULL; at += n) {
            const bool whole =
                (at == row->settings || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0');
            const size_t n_value = strlen(s->value);
            const bool disables = n > 8 && strcmp(s->name + n - 8, "_DISABLE") == 0;
            if (whole && n_value > 0 && !(disables && strcmp(s->value, "0") == 0)) return s;
        }
    }
    return NULL;
}

/* With a hint, or without: NULL. */
static void say_words(const rn_log_warning *w, const rn_nccl_message *row, const char *hint,
                      rs_error *said) {
    const int n = (int)w->n;
    const char *who = row != NULL ? rn_log_speaker(row) : NULL;
    if (who == NULL) who = "NCCL";
    if (hint == NULL && n > 1)
        rs_fail(said, RS_OK,
                w->warns ? RS_MESSAGE("%s warns, %d times: %s")
                         : RS_MESSAGE("%s says, %d times: %s"),
                who, n, w->text);
    else if (hint == NULL)
        rs_fail(said, RS_OK, w->warns ? RS_MESSAGE("%s warns: %s") : RS_MESSAGE("%s says: %s"), who,
                w->text);
    else if (n > 1)
        rs_fail_word(said, RS_OK, 3,
                     w->warns ? RS_MESSAGE("%s warns, %d times: %s; most likely %s")
                              : RS_MESSAGE("%s says, %d times: %s; most likely %s"),
                     who, n, w->text, hint);
    else
        rs_fail_word(said, RS_OK, 2,
                     w->warns ? RS_MESSAGE("%s warns: %s; most likely %s")
                              : RS_MESSAGE("%s says: %s; most likely %s"),
                     who, w->text, hint);
}

static void say(rn_nccl_log_reader *r, const rn_log_warning *w) {
    int n;
    const rn_nccl_message *row = w->row >= 0 ? &rn_nccl_messages(&n)[w->row] : NULL;
    int64_t *told = row != NULL ? &r->told_line[w->row] : NULL;
    rs_error said, words;
    const bool class = row != NULL && row->severity == RN_SAYS_CLASS;
    if (class && (r->n_causes > 0 || *told > 0)) return;
    const bool echo = row != NULL && row->severity == RN_SAYS_ECHO && r->cause_line > 0 &&
                      r->cause_line < w->line;
    const bool may = row != NULL && row->severity == RN_SAYS_ECHO && r->warned_line > 0 &&
                     r->warned_line < w->line;
    if (echo || may || row == NULL || *told > 0) {
        say_words(w, row, NULL, &words);
        said = words;
        if (echo)
            rs_fail_with(&said, RS_OK, 0, &words, "%s; most likely an echo of line %lld",
                         words.text, (long long)r->cause_line);
        else if (may)
            rs_fail_with(&said, RS_OK, 0, &words, "%s; perhaps an echo of line %lld", words.text,
                         (long long)r->warned_line);
        else if (row != NULL)
            rs_fail_with(&said, RS_OK, 0, &words, "%s; as in line %lld", words.text,
                         (long long)*told);
    } else {
        const rn_nccl_setting *setting = setting_of(r, row);
        if (class)
            rs_fail_word(&words, RS_OK, 1, "NCCL says: %s; %s", w->text, row->hint);
        else
            say_words(w, row, row->hint, &words);
        said = words;
        if (setting != NULL)
            rs_fail_with(&said, RS_OK, 0, &words, "%s; %s is set", words.text, setting->name);
        words = said;
        if (row->asked != NULL)
            rs_fail_with(&said, RS_OK, 0, &words, "%s; more in docs/questions.md: %s", words.text,
                         row->asked);
        *told = w->line;
    }
    const int64_t cause = r->cause_line > 0 ? r->cause_line : r->warned_line;
    if (w->line == cause && (row == NULL || row->severity <= RN_SAYS_FATAL))
        rn_find_first(r->findings, RN_WARNING, w->line, &said);
    else if (row == NULL || row->severity != RN_SAYS_SLOWER)
        rn_find_warned(r->findings, w->line, &said);
    else
        rn_find_said(r->findings, RN_WARNING, w->line, &said);
}

/* The oldest of those that may be said again. */
static int64_t first_open(const rn_nccl_log_reader *r) {
    return r->n_warnings > RN_LOG_LATELY ? r->n_warnings - RN_LOG_LATELY : 0;
}

/* Returns the number of an Xid or an NVSwitch's SXid, "NVRM: Xid (PCI:0000:3b:00): 79"; 0: it is none. */
static int64_t xid_of(const char *message) {
    const char *at = rn_behind(message, "Xid (");
    return at != NULL ? rn_number_behind(at, "): ", 0) : 0;
}

/* Keeps the line of the first message that ends a job; one after which the GPU needs a reset comes before all others. */
static void keep_cause(rn_nccl_log_reader *r, const char *message, const rn_nccl_message *row) {
    const bool told = xid_of(message) > 0 && strstr(message, " Fatal") != NULL; /* of an NVLink */
    const bool fatal = told || (row != NULL && row->severity == RN_SAYS_FATAL);
    int64_t *line = row != NULL ? &r->cause_line : &r->warned_line;
    if (*line > 0 && (!fatal || r->cause_is_fatal)) return;
    *line = r->log.n_lines;
    r->cause_is_fatal |= fatal;
}

bool rn_log_warn(rn_nccl_log_reader *r, const char *message, bool warns) {
    int n;
    const int32_t row = rn_log_row(r->place, message, warns);
    if (row < 0 && !warns) return false;
    for (int64_t i = first_open(r); i < r->n_warnings; i++) {
        rn_log_warning *known = &r->warnings[i % RN_LOG_LATELY];
        const bool alike =
            strncmp(known->text, message, sizeof known->text - 1) == 0 &&
            known->row == row; /* the same words in another file are another message */
        if (!alike && (warns || known->row != row || xid_of(known->text) != xid_of(message)))
            continue;
        if (known->n < INT32_MAX) known->n++;
        return true;
    }
    const rn_nccl_message *of = row >= 0 ? &rn_nccl_messages(&n)[row] : NULL;
    const rn_nccl_severity severity = of != NULL ? of->severity : RN_SAYS_ENDS;
    r->n_causes += severity != RN_SAYS_CLASS && severity != RN_SAYS_ECHO;
    if (severity <= RN_SAYS_FATAL) keep_cause(r, message, of);
    rn_log_warning *w = &r->warnings[r->n_warnings % RN_LOG_LATELY];
    if (r->n_warnings++ >= RN_LOG_LATELY) say(r, w);
    *w = (rn_log_warning){.line = r->log.n_lines, .n = 1, .row = row, .warns = warns};
    rn_log_keep_word(w->text, sizeof w->text, message, strlen(message));
    return true;
}

void rn_log_end_warnings(rn_nccl_log_reader *r) {
    for (int later = 0; later < 2; later++) { /* the cause first: it has the hint of its row */
        for (int64_t i = first_open(r); i < r->n_warnings; i++) {
            const rn_log_warning *w = &r->warnings[i % RN_LOG_LATELY];
            if ((w->line != r->cause_line) == later) say(r, w);
        }
    }
}
