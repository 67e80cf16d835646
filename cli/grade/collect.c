/* collect.c: who handed in what: a row for each name in a class's folder, and on its roster; nobody falls out.
 *
 *     ann.c  bob/my_ring.c  eve.zip  dave.txt  --> ann.c, bob/my_ring.c, the first file in eve.zip, dave.txt: refused
 *     roster: ann bob dave eve zoe             --> and zoe: nothing handed in
 *
 *   - Who handed in may change names meanwhile: no folder below the class's is followed that became a link.
 */
#define _GNU_SOURCE 1 /* strsep: BSD */
#include "base/text.h"
#include "base/zip.h"
#include "base/containers.h"
#include "grade/batch.h"
#include "grade/jobs/blame.h"
#include "grade/parsons.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_ENTRIES = 100000, ROSTER_BYTES = 1 << 20 };

typedef struct list {
    rc_entry *entries;
    int n, capacity;
    size_t n_root; /* of the class that is gone through */
    bool jobs;     /* .ranks are handed in, too */
    bool lacks;    /* there was no memory for all of it */
    rs_arena *arena;
    rc_left_out left_out;
} list;

static bool is_submission(const char *path, bool jobs) {
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot != NULL &&
           (strcmp(dot, ".c") == 0 || strcmp(dot, ".sched") == 0 || rc_is_parsons(name) ||
            (jobs && rc_is_ranks(name)));
}

/* How much of a path names the student: a file's name without its ending, or a folder's. */
static size_t student_end(const char *path, bool folder) {
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const bool ends = !folder && dot != NULL && dot > path && (slash == NULL || dot > slash + 1);
    return ends ? (size_t)(dot - path) : n;
}

static void add(list *all, const char *path, size_t n_student, rc_refusal refused) {
    if (all->n >= MOST_ENTRIES || !rs_reserve(NULL, &all->entries, all->n + 1, &all->capacity)) {
        all->lacks = true;
        return;
    }
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%.*s", (int)n_student, path);
    const char *slash = strrchr(name, '/');
    rc_entry *entry = &all->entries[all->n++];
    *entry = (rc_entry){.refused = refused, .n_root = all->n_root, .n_student = n_student};
    snprintf(entry->path, sizeof entry->path, "%s", path);
    rc_plain(slash != NULL ? slash + 1 : name, true, entry->student, RC_STUDENT_TEXT);
}

static void leave_out(list *all, const char *path) {
    rc_left_out *out = &all->left_out;
    char *name = rs_alloc(all->arena, strlen(path) + 1, 1);
    if (name == NULL || !rs_reserve(all->arena, &out->names, out->n + 1, &out->capacity)) {
        all->lacks = true;
        return;
    }
    out->names[out->n++] = rc_plain(path, true, name, strlen(path) + 1);
}

/* Adds the first submission by name in a zip, and the first .ranks; or why there is none. */
static void add_zip(list *all, const char *path, size_t n_student) {
    char *bytes, first[2][PATH_MAX] = {"", ""}; /* [rc_is_ranks] */
    size_t n_bytes, at = 0;
    rc_zip_member member;
    rc_refusal refused = RC_EMPTY;
    rs_arena scratch;
    rs_error ignored;
    rs_arena_init(&scratch, NULL);
    const rc_exit read =
        rc_read_itself(path, all->n_root, RC_TEXT_LIMIT, &scratch, &ignored, &bytes, &n_bytes);
    if (read != RC_GOOD || n_bytes < 4 || memcmp(bytes, "PK", 2) != 0) refused = RC_SPOILT;
    while (refused != RC_SPOILT && rc_zip_next(bytes, n_bytes, &at, &member)) {
        char inner[PATH_MAX];
        if (member.hidden) continue;
        const int n = snprintf(inner, sizeof inner, "%s/%s", path, member.name);
        char *own = first[rc_is_ranks(member.name)];
        if (n >= (int)sizeof inner || !is_submission(member.name, all->jobs)) {
            leave_out(all, inner);
        } else if (!rc_zip_opens(&member)) {
            refused = member.method >= 0 ? RC_NOT_OPENED : RC_SPOILT;
        } else if (own[0] == '\0' || strcmp(inner, own) < 0) {
            if (own[0] != '\0') leave_out(all, own);
            snprintf(own, PATH_MAX, "%s", inner);
        } else {
            leave_out(all, inner);
        }
    }
    if (at == 0) refused = RC_SPOILT; /* not even a list of its files */
    rs_arena_free(&scratch);
    for (int i = 0; i < 2; i++) {
        if (first[i][0] != '\0') add(all, first[i], n_student, RC_TAKEN);
    }
    if (first[0][0] == '\0' && first[1][0] == '\0') add(all, path, n_student, refused);
}

/* Adds what a student's folder holds: the first file by name; a zip where there is none; or why there is neither. */
static void add_folder(list *all, const char *path) {
    char **names, inner[PATH_MAX], other[PATH_MAX] = "";
    const size_t n_student = strlen(path);
    const int n = rc_list_folder(path, all->arena, &names);
    all->lacks = all->lacks || all->arena->lacked;
    bool found[2] = {false, false}; /* [rc_is_ranks] */
    for (int zips = 0; zips < 2; zips++) {
        for (int i = 0; i < n; i++) {
            struct stat kind;
            const int length = snprintf(inner, sizeof inner, "%s/%s", path, names[i]);
            if (length >= (int)sizeof inner || lstat(inner, &kind) != 0) continue;
            const bool zip = S_ISREG(kind.st_mode) && rc_is_zip(inner);
            if (zip != (zips == 1)) continue;
            bool *had = &found[rc_is_ranks(inner)];
            if (zip && !found[0] && !found[1]) {
                add_zip(all, inner, n_student);
                found[0] = true;
            } else if (!zip && !S_ISDIR(kind.st_mode) && is_submission(inner, all->jobs) && !*had) {
                add(all, inner, n_student, RC_TAKEN);
                *had = true;
            } else if (S_ISREG(kind.st_mode) && other[0] == '\0') {
                snprintf(other, sizeof other, "%s", inner);
            } else {
                leave_out(all, inner);
            }
        }
    }
    if (found[0] || found[1]) {
        if (other[0] != '\0') leave_out(all, other);
    } else if (other[0] != '\0') {
        add(all, other, n_student, RC_KIND);
    } else {
        add(all, path, n_student, RC_EMPTY);
    }
}

/* Adds each name of a class's folder. */
static void add_class(list *all, const char *path) {
    char **names, inner[PATH_MAX];
    const int n = rc_list_folder(path, all->arena, &names);
    all->lacks = all->lacks || all->arena->lacked;
    for (int i = 0; i < n; i++) {
        struct stat kind;
        const int length = snprintf(inner, sizeof inner, "%s/%s", path, names[i]);
        if (length >= (int)sizeof inner || lstat(inner, &kind) != 0) continue;
        const size_t n_student = student_end(inner, false);
        if (S_ISDIR(kind.st_mode)) {
            add_folder(all, inner);
        } else if (is_submission(inner, all->jobs)) {
            add(all, inner, n_student, RC_TAKEN);
        } else if (S_ISREG(kind.st_mode) && rc_is_zip(inner)) {
            add_zip(all, inner, n_student);
        } else {
            add(all, inner, n_student, S_ISREG(kind.st_mode) ? RC_KIND : RC_LINK);
        }
    }
}

/* By the name below the class's folder, byte for byte: names that look alike once they can be printed differ here. */
static int compare_students(const rc_entry *a, const rc_entry *b) {
    const char *name_a = a->path + a->n_root, *name_b = b->path + b->n_root;
    name_a += strspn(name_a, "/");
    name_b += strspn(name_b, "/");
    const size_t n_a = (size_t)(a->path + a->n_student - name_a);
    const size_t n_b = (size_t)(b->path + b->n_student - name_b);
    const int order = strcmp(a->student, b->student);
    const int bytes = memcmp(name_a, name_b, n_a < n_b ? n_a : n_b);
    return order != 0 ? order : bytes != 0 ? bytes : (n_a > n_b) - (n_a < n_b);
}

/* Orders by student, what is graded before what is not, and the first that was found before others. */
static int by_student(const void *left, const void *right) {
    const rc_entry *a = left, *b = right;
    const int order = compare_students(a, b);
    if (order != 0) return order;
    if (a->refused != b->refused) return a->refused < b->refused ? -1 : 1;
    if (rc_is_ranks(a->path) != rc_is_ranks(b->path)) return rc_is_ranks(a->path) ? 1 : -1;
    return strcmp(a->path, b->path);
}

static void sort(rc_entry entries[], int n) {
    if (n > 1) qsort(entries, (size_t)n, sizeof *entries, by_student);
}

/* Leaves one entry a student, and one .ranks, of what was found in a class's folder since `first`: ann.c and the folder
   ann are of the same one. */
static void keep_one_each(list *all, int first) {
    int kept = first;
    sort(all->entries + first, all->n - first);
    for (int i = first; i < all->n; i++) {
        const rc_entry *entry = &all->entries[i];
        const rc_entry *last = kept > first ? &all->entries[kept - 1] : NULL;
        if (last != NULL && compare_students(last, entry) == 0 &&
            (entry->refused != RC_TAKEN || rc_is_ranks(last->path) == rc_is_ranks(entry->path))) {
            if (entry->refused != RC_EMPTY) leave_out(all, entry->path);
        } else {
            all->entries[kept++] = *entry;
        }
    }
    all->n = kept;
}

/* Copies the list into the arena. */
static rc_exit deliver(list *all, rs_error *error, rc_entry **entries, int *n_entries) {
    rc_entry *kept = all->lacks ? NULL : rs_alloc(all->arena, (size_t)all->n + 1, sizeof *kept);
    if (kept != NULL && all->n > 0) memcpy(kept, all->entries, (size_t)all->n * sizeof *kept);
    free(all->entries);
    if (kept == NULL) return rc_no_memory(error);
    *entries = kept;
    *n_entries = all->n;
    return RC_GOOD;
}

rc_exit rc_collect(const rc_lab *lab, char *const paths[], int n_paths, rs_arena *arena,
                   rs_error *error, rc_entry **entries, int *n_entries, bool *is_class,
                   rc_left_out *left_out) {
    list all = {.jobs = rc_lab_has_jobs(lab), .arena = arena};
    *is_class = n_paths > 1;
    for (int i = 0; i < n_paths; i++) {
        struct stat kind;
        const bool there = stat(paths[i], &kind) == 0, folder = there && S_ISDIR(kind.st_mode);
        *is_class = *is_class || folder;
        const int first = all.n;
        all.n_root = folder ? strlen(paths[i]) : 0;
        if (folder) {
            add_class(&all, paths[i]);
            keep_one_each(&all, first);
        } else if (there && rc_is_zip(paths[i])) {
            add_zip(&all, paths[i], student_end(paths[i], false));
        } else {
            add(&all, paths[i], student_end(paths[i], false), RC_TAKEN);
        }
    }
    const rc_exit status = deliver(&all, error, entries, n_entries);
    *left_out = all.left_out;
    if (status != RC_GOOD || *is_class || (*entries)[0].refused == RC_TAKEN) return status;
    return rc_fail(error, RC_USAGE, "%.200s: %s", paths[0], rc_refusal_text((*entries)[0].refused));
}

const char *rc_refusal_text(rc_refusal refused) {
    switch (refused) {
    case RC_EMPTY: return _("there is no .c, .sched or .parsons file in it");
    case RC_KIND:
        return _(
            "nothing of this kind is graded; hand in a .c, .sched or .parsons file, or a .zip with one");
    case RC_LINK: return _("no regular file; hand in the file itself");
    case RC_SPOILT: return _("the zip cannot be opened: it is damaged, too large or locked");
    case RC_NOT_OPENED:
        return _("this build cannot open zips (see ringsim doctor): unpack it first");
    case RC_ABSENT: return _("nothing handed in");
    case RC_TAKEN: break;
    }
    return "";
}

/* ------------------------------------------------------------------ the roster */

/* Tells whether a file's name is that student's: the name itself, or with what a course's site puts behind it
   ("Ann Example_12345_assignsubmission_file"). */
static bool is_of(const char *name, const char *student) {
    const size_t n = strlen(student);
    return strncmp(name, student, n) == 0 && (name[n] == '\0' || name[n] == '_');
}

rc_exit rc_call_roll(const char *file, rs_arena *arena, rs_error *error, rc_entry **entries,
                     int *n_entries) {
    char *text, *line;
    size_t n_bytes;
    rc_exit status = rc_read_file(file, ROSTER_BYTES, arena, error, &text, &n_bytes);
    if (status != RC_GOOD) return status;
    list all = {.arena = arena};
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* as spreadsheets begin a file */
    while ((line = strsep(&text, "\r\n")) != NULL) {
        char name[RC_STUDENT_TEXT];
        line += strspn(line, " \t");
        for (size_t n = strlen(line); n > 0 && strchr(" \t", line[n - 1]) != NULL;)
            line[--n] = '\0';
        rc_plain(line, true, name, sizeof name);
        bool known = name[0] == '\0';
        for (int i = 0; i < all.n && !known; i++) known = strcmp(all.entries[i].student, name) == 0;
        if (known) continue;
        add(&all, name, strlen(name), RC_ABSENT);
        if (!all.lacks) memcpy(all.entries[all.n - 1].student, name, sizeof name);
    }
    const int n_names = all.n;
    for (int i = 0; i < *n_entries && !all.lacks; i++) {
        rc_entry entry = (*entries)[i], *own = NULL;
        for (int k = 0; k < n_names; k++) { /* of "ann" and "ann_b" the longer one is meant */
            const char *name = all.entries[k].student;
            const bool longer = own == NULL || strlen(name) > strlen(own->student);
            if (longer && is_of(entry.student, name)) own = &all.entries[k];
        }
        entry.stranger = own == NULL;
        if (own != NULL) memcpy(entry.student, own->student, sizeof entry.student);
        if (own != NULL) own->refused = RC_TAKEN; /* here */
        if (!rs_reserve(NULL, &all.entries, all.n + 1, &all.capacity)) all.lacks = true;
        if (!all.lacks) all.entries[all.n++] = entry;
    }
    int kept = 0;
    for (int i = 0; i < all.n; i++) {
        if (i < n_names && all.entries[i].refused == RC_TAKEN) continue;
        all.entries[kept++] = all.entries[i];
    }
    all.n = kept;
    sort(all.entries, all.n);
    return deliver(&all, error, entries, n_entries);
}
