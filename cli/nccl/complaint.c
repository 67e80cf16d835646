/* complaint.c: of a text in which nothing is known the line that tells of an error, by its own words: it is quoted, not judged.
 *
 *   - An exception's line comes before a program's end, that before any other error; of like ones the first.
 *   - What is quoted or denied ("no error"), a script or a question speaks of.
 */
#include "nccl/nccl_files.h"
#include "ringsim_text.h"

#include <string.h>

enum { N_CLASSES = 4, N_FORMS = 16 };

/* The words by class; what stands before them is anything. */
static const char *const words[N_CLASSES][N_FORMS] = {
    {"Error: ", "Exception: ", "what(): ", "what():  "},
    {"FATAL", "Fatal", "fatal:", "panic:", "core dumped", "Segmentation fault", "Aborted ("},
    {" ERROR ", "ERROR:", "[ERROR]", "[error]"},
    {"error: ", "error (", "err: ", "failed", "ailure", "annot ", "ould not ", "nable to ",
     "denied", "refused", "expired", "fallen off", "timed out", "not found", "No such "},
};

/* "ValueError", and no message. */
static bool is_bare(const char *line) {
    const size_t n = strlen(line);
    return n > 5 && strcspn(line, " \t") == n && strcmp(line + n - 5, "Error") == 0;
}

/* Does the line have such a word? Those of the last class count behind who speaks, "srun: ", and
   not where that is for information. */
static bool has_word(const char *line, int class) {
    const char *colon = strstr(line, "INFO") == NULL ? strstr(line, ": ") : NULL;
    if (class == 0 && is_bare(line)) return true;
    for (int i = 0; i < N_FORMS && words[class][i] != NULL; i++) {
        const char *at = strstr(line, words[class][i]);
        if (at == NULL || rn_is_quoted(line, at) || rn_is_denied(line, at)) continue;
        if (class < N_CLASSES - 1 || (colon != NULL && colon < at + strlen(words[class][i])))
            return true;
    }
    return false;
}

/* Keeps as many whole characters as there is room for. */
static void keep_words(const char *said, rc_foreign *found) {
    size_t n = strlen(said), room = sizeof found->names - sizeof "...";
    while (n > room && ((unsigned char)said[room] & 0xc0) == 0x80) room--;
    snprintf(found->names, sizeof found->names, "%.*s%s", (int)(n < room ? n : room), said,
             n > room ? "..." : "");
}

/* Does the line only pass on what some process said, or does a row know it? Beside what is known of a hang an exception without a
   message tells nothing, nor does gloo's, which waits. */
static bool is_other(const char *line, bool raised) {
    static const char *const passed[] = {"ChildFailed", "CalledProcess",   "ProcessRaised", "Dist",
                                         "Rendezvous",  "SignalException", "Watchdog",      "NCCL",
                                         "nccl",        "Store",           "store"};
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (strstr(line, passed[i]) != NULL) return true;
    if (raised && (is_bare(line) || strstr(line, "gloo") != NULL)) return true;
    return rn_nccl_is_log_line(line, strlen(line));
}

bool rc_find_complaint(const char *text, size_t n_bytes, bool raised, rc_foreign *found) {
    char line[400];
    int best = raised ? 1 : N_CLASSES;
    *found = (rc_foreign){.line = 0};
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_copy_line(&l, line, sizeof line);) {
        for (int class = 0; class < best; class ++) {
            if (!has_word(line, class) || is_other(line, raised)) continue;
            best = class;
            found->line = l.number;
            keep_words(line + strspn(line, " \t"), found);
        }
    }
    if (found->line > 0)
        found->what = N_("an error whose cause is not known here, in its own words");
    return found->line > 0;
}
