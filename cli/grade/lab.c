/* lab.c: reads a lab: what is handed in, how it is judged, and for how many points.
 *
 *     ringsim-lab 1
 *     title Scatter-reduce
 *     title.zh_CN ...
 *     hand-in file                optional: a .sched is handed in, not C functions
 *     phase scatter-reduce        optional: only that phase is asked for
 *     ranks 8                     optional, of a file
 *     part 8 sound 2..9           points, and what for
 *     part 3 bytes 1 2            all points at the least that is possible, none at twice as much
 *     part 2 steps 1 2
 *     machine thin-wire 100MB     optional: a machine, and the bytes of the array on it
 *     part 9 time two-level 1 2   all points at that algorithm's time there, none at twice as much
 *     part 9 time bound 1.3 2     the same of the least time that anything could take
 *     part 5 naive_seconds        values
 *     part 2 job 1                of a .ranks: who broke job 1 of 1..5, and at which line
 *     further own.c ...           optional: what to try once a `time` part has all points
 *     further.zh_CN ...
 *     wrong counts-up.c ...       a known wrong answer (in the folder wrong/), for the tests
 *
 * `#` begins a comment. A fault in a lab names its line.
 */
#define _GNU_SOURCE 1 /* strsep: BSD */
#include "base/text.h"
#include "base/units.h"
#include "grade/jobs/blame.h"
#include "grade/lab.h"
#include "grade/question.h"
#include "ringsim_hang.h"
#include "sandbox/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct lab_reading {
    rc_lab *lab;
    int line;
    bool from_file;
    rs_error *error;
} lab_reading;

static rc_exit bad(const lab_reading *r, const char *what) {
    return rc_fail(r->error, RC_USAGE, "%.200s/lab:%d: %.200s", r->lab->folder, r->line, what);
}

static rc_exit read_part(const lab_reading *r, const char *text) {
    rc_lab *lab = r->lab;
    char what[32];
    int n = 0;
    rc_lab_part part = {.full = 1, .none = 2};
    if (lab->n_parts == RC_MOST_PARTS) return bad(r, _("too many parts"));
    if (sscanf(text, "%4d %31s%n", &part.points, what, &n) != 2 || part.points < 0) {
        return bad(r, _("a part is written: part POINTS WHAT"));
    }
    const char *rest = text + n;
    if (strcmp(what, "sound") == 0) {
        part.check = RC_PART_SOUND;
        const int got = sscanf(rest, "%4d..%4d", &part.low, &part.high);
        if (got == 1) part.high = part.low;
        if (got < 1 || part.low < 1 || part.high < part.low || part.high > 128) {
            return bad(r, _("sound wants world sizes, such as 2..9"));
        }
    } else if (strcmp(what, "bytes") == 0 || strcmp(what, "steps") == 0) {
        part.check = what[0] == 'b' ? RC_PART_BYTES : RC_PART_STEPS;
        const int got = sscanf(rest, "%lf %lf", &part.full, &part.none);
        if (got != 2 || !(part.full >= 1 && part.none > part.full && part.none < 1e6)) {
            return bad(r, _("bytes and steps want two factors, such as 1 2"));
        }
    } else if (strcmp(what, "time") == 0) {
        part.check = RC_PART_TIME;
        const int got = sscanf(rest, "%31s %lf %lf", part.function, &part.full, &part.none);
        const bool known = strcmp(part.function, "bound") == 0 ||
                           rs_find_algorithm(RS_COLL_ALL_REDUCE, part.function) != NULL;
        const bool factors = part.full > 0 && part.none > part.full && part.none < 1e6;
        if (got != 3 || !known || !factors || lab->machine[0] == '\0') {
            return bad(r,
                       _("time wants an algorithm, or bound, and two factors, after the machine"));
        }
    } else if (strcmp(what, "job") == 0) {
        part.check = RC_PART_JOB;
        if (sscanf(rest, "%4d", &part.low) != 1 || part.low < 1 || part.low > RN_BROKEN_JOBS) {
            return bad(r, _("job wants the number of a broken job, such as 1"));
        }
    } else if (rc_find_value_check(what) >= 0) {
        part.check = RC_PART_VALUES;
        snprintf(part.function, sizeof part.function, "%s", what);
    } else {
        return bad(r, _("there is no such part"));
    }
    assert(lab->n_parts < RC_MOST_PARTS);
    lab->parts[lab->n_parts++] = part;
    return RC_GOOD;
}

static bool starts(const char *line, const char *word, const char **rest) {
    const size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || line[n] != ' ') return false;
    *rest = line + n + 1;
    return true;
}

/* Reads "thin-wire 100MB". */
static rc_exit read_machine(const lab_reading *r, const char *text) {
    const size_t n = strcspn(text, " ");
    rc_lab *lab = r->lab;
    rs_error reason;
    snprintf(lab->machine, sizeof lab->machine, "%.*s", (int)n, text);
    if (n == 0 || n >= sizeof lab->machine || text[n] == '\0' ||
        rc_parse_amount(RC_IN_BYTES, text + n + 1, &reason, &lab->n_bytes) != RC_GOOD ||
        lab->n_bytes < 1 || lab->n_bytes > INT32_MAX) {
        return bad(r, _("machine wants a name and a size, such as thin-wire 100MB"));
    }
    return RC_GOOD;
}

/* Reads a text if the line is `key` or `key.LANGUAGE`; the reader's language wins. */
static bool read_words(const char *line, const char *key, char *out, size_t n_out) {
    const char *rest;
    char own[32];
    snprintf(own, sizeof own, "%s.%s", key, rv_language());
    if (starts(line, own, &rest) || (starts(line, key, &rest) && out[0] == '\0'))
        rc_plain(rest, true, out, n_out);
    return strncmp(line, key, strlen(key)) == 0;
}

static rc_exit read_line(lab_reading *r, const char *line) {
    const char *rest;
    if (r->line == 1) {
        return strcmp(line, "ringsim-lab 1") == 0 ? RC_GOOD
                                                  : bad(r, _("the first line is: ringsim-lab 1"));
    }
    if (line[0] == '\0' || starts(line, "wrong", &rest)) return RC_GOOD;
    if (read_words(line, "title", r->lab->title, sizeof r->lab->title) ||
        read_words(line, "further", r->lab->further, sizeof r->lab->further))
        return RC_GOOD;
    if (strcmp(line, "hand-in file") == 0) {
        r->from_file = true;
        return RC_GOOD;
    }
    if (starts(line, "part", &rest)) return read_part(r, rest);
    if (starts(line, "machine", &rest)) return read_machine(r, rest);
    if (starts(line, "ranks", &rest)) {
        r->lab->ranks = atoi(rest);
        return r->lab->ranks > 0 ? RC_GOOD : bad(r, _("ranks wants a number"));
    }
    if (strcmp(line, "phase scatter-reduce") == 0) {
        r->lab->first_phase_only = true;
        return RC_GOOD;
    }
    return bad(r, _("nobody knows what this line means"));
}

static rc_exit read_text(lab_reading *r, char *text) {
    rc_exit status = RC_GOOD;
    while (text != NULL && *text != '\0' && status == RC_GOOD) {
        char *line = strsep(&text, "\n");
        line[strcspn(line, "#")] = '\0';
        size_t n = strlen(line);
        while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\r')) line[--n] = '\0';
        r->line++;
        status = read_line(r, line);
    }
    if (status == RC_GOOD && r->lab->n_parts == 0) return bad(r, _("a lab has parts"));
    for (int i = 0; i < r->lab->n_parts && !r->from_file; i++) {
        const rc_check check = r->lab->parts[i].check;
        if (check == RC_PART_SOUND) r->lab->asks |= RC_ASK_SCHEDULE;
        if (check == RC_PART_VALUES) r->lab->asks |= RC_ASK_VALUES;
    }
    return status;
}

/* ------------------------------------------------------------------ which parts? */

rc_lab rc_lab_for(const rc_lab *lab, const char *path) {
    const bool ranks = rc_is_ranks(path);
    rc_lab own = *lab;
    own.n_parts = 0;
    for (int i = 0; i < lab->n_parts; i++) {
        if ((lab->parts[i].check == RC_PART_JOB) == ranks) own.parts[own.n_parts++] = lab->parts[i];
    }
    return own;
}

char *rc_lab_text(const rc_lab *lab, const char *name, rs_arena *arena) {
    char path[PATH_MAX + 32], *text;
    size_t n_bytes;
    rs_error ignored;
    snprintf(path, sizeof path, "%s/%s", lab->folder, name);
    const rc_exit status = rc_read_file(path, RC_SOURCE_LIMIT, arena, &ignored, &text, &n_bytes);
    return status == RC_GOOD ? text : NULL;
}

bool rc_lab_has_jobs(const rc_lab *lab) {
    return rc_lab_for(lab, "my.ranks").n_parts > 0;
}

/* ------------------------------------------------------------------ which lab? */

/* "5", "05" and "05-scatter-reduce" name the folder 05-scatter-reduce. */
static bool is_meant(const char *folder, const char *name) {
    char *end;
    const long number = strtol(name, &end, 10);
    if (strcmp(folder, name) == 0) return true;
    if (end == name || *end != '\0') return false;
    return strlen(folder) > 3 && folder[2] == '-' && strtol(folder, NULL, 10) == number;
}

static rc_exit find_folder(const char *lessons, const char *name, rs_arena *arena, rs_error *error,
                           rc_lab *lab) {
    char path[PATH_MAX + 300], **names;
    const int n = rc_list_folder(lessons, arena, &names);
    if (n < 0 && arena->lacked) return rc_no_memory(error);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%.200s/lab", lessons, names[i]);
        if (!is_meant(names[i], name) || rc_file_bytes(path) < 0) continue;
        snprintf(lab->id, sizeof lab->id, "%.2s", names[i]);
        snprintf(lab->folder, sizeof lab->folder, "%.3800s/%.200s", lessons, names[i]);
        return RC_GOOD;
    }
    return rc_fail(error, RC_USAGE, _("there is no lab %.60s; ringsim list names those there are"),
                   name);
}

rc_exit rc_read_lab(const char *lessons, const char *name, rs_arena *arena, rs_error *error,
                    rc_lab *lab) {
    char path[PATH_MAX + 8], *text;
    size_t n_bytes;
    rc_lab read = {.ladder = {.percent = {100, 100, 100}}};
    rc_exit status = find_folder(lessons, name, arena, error, &read);
    if (status != RC_GOOD) return status;
    snprintf(path, sizeof path, "%s/lab", read.folder);
    status = rc_read_file(path, RC_SOURCE_LIMIT, arena, error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    lab_reading r = {.lab = &read, .error = error};
    status = read_text(&r, text);
    if (status == RC_GOOD) *lab = read;
    return status;
}

rc_exit rc_read_labs(const char *lessons, rs_arena *arena, rs_error *error, rc_lab **labs,
                     int *n_labs) {
    enum { MOST = 100 };
    char path[PATH_MAX + 300], **names;
    rc_exit status = RC_GOOD;
    rc_lab *list = rs_alloc(arena, MOST, sizeof *list);
    int n = 0;
    if (list == NULL) return rc_no_memory(error);
    const int n_names = rc_list_folder(lessons, arena, &names);
    if (n_names < 0 && arena->lacked) return rc_no_memory(error);
    for (int i = 0; i < n_names; i++) {
        snprintf(path, sizeof path, "%s/%.200s/lab", lessons, names[i]);
        if (status == RC_GOOD && n < MOST && rc_file_bytes(path) >= 0) {
            status = rc_read_lab(lessons, names[i], arena, error, &list[n]);
            n++;
        }
    }
    *labs = list;
    *n_labs = n;
    return status;
}
