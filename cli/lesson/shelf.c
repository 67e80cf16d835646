/* shelf.c: finds the lessons' folders, reads their texts. */
#include "base/units.h"
#include "lesson/shelf.h"
#include "sandbox/build.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_text(const char *folder, const char *name, const char *language) {
    char path[PATH_MAX + RC_NAME_BYTES + 16];
    snprintf(path, sizeof path, "%s/%s/%s.md", folder, name, language);
    return rc_file_bytes(path) >= 0 && access(path, R_OK) == 0; /* a pipe would be waited for */
}

rc_exit rc_open_shelf(rc_session *session, rc_shelf *shelf) {
    shelf->n = 0;
    shelf->dotted = false;
    const rc_exit status = rc_lessons(session->program, session->error, shelf->folder);
    if (status != RC_GOOD) return status;
    char **names;
    const int n = rc_list_folder(shelf->folder, session->arena, &names);
    if (n < 0 && session->arena->lacked) return rc_no_memory(session->error);
    for (int i = 0; i < n; i++) {
        const char *name = names[i];
        const bool numbered = isdigit((unsigned char)name[0]) && isdigit((unsigned char)name[1]) &&
                              name[2] == '-' && strlen(name) < RC_NAME_BYTES;
        if (!numbered || shelf->n == RC_MOST_LESSONS) continue;
        if (!has_text(shelf->folder, name, "en")) continue;
        snprintf(shelf->names[shelf->n++], RC_NAME_BYTES, "%.63s", name);
    }
    return RC_GOOD;
}

int rc_lesson_number(const rc_shelf *shelf, int index) {
    return atoi(shelf->names[index]);
}

rc_exit rc_find_lesson(const rc_shelf *shelf, const char *id, rs_error *error, int *index) {
    char *end;
    const long number = strtol(id, &end, 10);
    const bool is_number = end != id && *end == '\0' && end - id <= 2;
    const char *names[2 * RC_MOST_LESSONS + 1];
    int n = 0;
    for (int i = 0; i < shelf->n; i++) {
        const char *name = shelf->names[i];
        if ((is_number && rc_lesson_number(shelf, i) == number) || strcmp(name, id) == 0 ||
            strcmp(name + 3, id) == 0) {
            *index = i;
            return RC_GOOD;
        }
        names[n++] = name;
        names[n++] = name + 3;
    }
    names[n] = NULL;
    const char *near = is_number ? NULL : rc_nearest(id, names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE, _("there is no lesson '%.60s'; did you mean %s?"), id,
                       near);
    }
    return rc_fail(error, RC_USAGE, _("there is no lesson '%.60s'; ringsim lesson lists them"), id);
}

/* A lesson is shown on terminals: it must hold nothing that they obey. */
static rc_exit check_plain(const char *path, const char *text, rs_error *error) {
    int line = 1;
    for (const char *at = text; *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        line += c == '\n';
        if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f) {
            return rc_fail(error, RC_USAGE, _("%.200s:%d: a control character; take it out"), path,
                           line);
        }
    }
    return RC_GOOD;
}

/* Tells whether a command begins here: behind "$ ", in a line of those behind "| ", "&& " or "; " too, in `code`. */
static bool begins_command(const char *text, const char *at, const char *line) {
    if (at == text) return false;
    if (at[-1] == '`') return true;
    if (at[-1] != ' ' || strncmp(line, "$ ", 2) != 0) return false;
    return at - line == 2 || strchr("|&;", at[-2]) != NULL;
}

/* Writes commands as whoever stands in the program's folder must type them: ./ringsim. */
static rc_exit dot_commands(rs_arena *arena, rs_error *error, char **text, size_t *n_bytes) {
    static const char name[] = "ringsim ";
    size_t n = 0, used = 0;
    const char *from = *text;
    for (const char *at = from; (at = strstr(at, name)) != NULL; at++) n++;
    char *out = rs_alloc(arena, *n_bytes + 2 * n + 1, 1);
    if (out == NULL) return rc_no_memory(error);
    const char *line = from;
    for (const char *at = from; *at != '\0'; at++) {
        if (at > from && at[-1] == '\n') line = at;
        if (strncmp(at, name, sizeof name - 1) == 0 && begins_command(from, at, line)) {
            out[used++] = '.';
            out[used++] = '/';
        }
        out[used++] = *at;
    }
    out[used] = '\0';
    assert(used <= *n_bytes + 2 * n);
    *text = out;
    *n_bytes = used;
    return RC_GOOD;
}

rc_exit rc_read_text(const rc_shelf *shelf, int index, rs_arena *arena, rs_error *error,
                     rv_lesson *lesson, bool *translated) {
    char path[PATH_MAX + RC_NAME_BYTES + 16], *text;
    assert(index >= 0 && index < shelf->n);
    size_t n_bytes;
    const char *name = shelf->names[index], *language = rv_language();
    rs_error reason;
    *translated = has_text(shelf->folder, name, language);
    snprintf(path, sizeof path, "%s/%s/%s.md", shelf->folder, name, *translated ? language : "en");
    rc_exit status = rc_read_file(path, RV_DOCUMENT_LIMIT, arena, error, &text, &n_bytes);
    if (status == RC_GOOD) status = check_plain(path, text, error);
    if (status == RC_GOOD && shelf->dotted) status = dot_commands(arena, error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    const rs_status read = rv_read_lesson(text, n_bytes, arena, &reason, lesson);
    if (read == RS_OK) return RC_GOOD;
    if (read == RS_UNSUPPORTED) return rc_fail(error, RC_LACKS, "%.400s", rc_said(&reason));
    status = rc_exit_of(read);
    return rc_fail(error, status, _("%.200s: %s"), path, rc_said(&reason));
}

const char *rc_lesson_command(const rc_session *session, int number, char *out, size_t n_out) {
    const char *language = session->options.value[RC_LANG].text;
    const char *lang = language == NULL              ? ""
                       : strcmp(language, "en") == 0 ? " --lang en"
                                                     : " --lang zh_CN";
    snprintf(out, n_out, "%s lesson %d%s", session->program, number, lang);
    return out;
}
