/* build.c: compiles a learner's file with the driver and asks it questions.
 *
 *     my_ring.c + ring.h + driver.c + ask_*.c --> cc in the sandbox --> ./program, in the sandbox, too
 *
 *   - The sandbox gets the file's text, under names that we chose, and nothing else. It returns text.
 *   - Readers see the compiler's words as they are, but for what a terminal would obey.
 */
#include "base/text.h"
#include "base/zip.h"
#include "sandbox/build.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char missing_compiler[] =
    N_("there is no C compiler (/usr/bin/cc); install one: apt-get install gcc libc6-dev");

rc_exit rc_lessons(const char *program, rs_error *error, char out[PATH_MAX]) {
    const char *named = getenv("RINGSIM_LESSONS");
    char probe[PATH_MAX + 64];
    rc_folders folders;
    rc_find_folders(program, RC_LESSONS, &folders);
    if (named != NULL && named[0] != '\0') folders.list[0] = named, folders.list[1] = NULL;
    for (int i = 0; folders.list[i] != NULL; i++) {
        const char *folder = folders.list[i];
        snprintf(probe, sizeof probe, "%s/ring.h", folder);
        if (access(probe, R_OK) != 0) continue;
        snprintf(out, PATH_MAX, "%s", folder);
        return RC_GOOD;
    }
    if (named != NULL && named[0] != '\0') {
        return rc_fail(error, RC_USAGE, _("RINGSIM_LESSONS names %.200s, where no lessons are"),
                       named);
    }
    return rc_fail(error, RC_LACKS,
                   _("the folder of the lessons is not there; RINGSIM_LESSONS may name it"));
}

/* Names the file for the sandbox: takes the path's last part and keeps its plain letters. */
static void name_source(const char *path, char out[RC_NAME_TEXT]) {
    const char *slash = strrchr(path, '/');
    const char *from = slash != NULL ? slash + 1 : path;
    size_t n = 0;
    for (; from[n] != '\0' && n < RC_NAME_TEXT - 3; n++) {
        const char c = from[n];
        out[n] =
            (char)(isalnum((unsigned char)c) || c == '.' || c == '_' || (c == '-' && n > 0) ? c
                                                                                            : '_');
    }
    out[n] = '\0';
    if (strncmp(out, "ringsim-", strlen("ringsim-")) == 0) out[0] = 'R'; /* ours begin so */
    if (!rc_ends_with(out, ".c")) strcpy(out + n, ".c");
}

static rc_exit read_zipped(const char *path, size_t n_root, const char *name, int64_t limit,
                           rs_arena *arena, rs_error *error, char **text, size_t *n_bytes) {
    char *zip;
    size_t n_zip, at = 0;
    rc_zip_member member;
    const rc_exit status = rc_read_itself(path, n_root, RC_TEXT_LIMIT, arena, error, &zip, &n_zip);
    if (status != RC_GOOD) return status;
    while (rc_zip_next(zip, n_zip, &at, &member)) {
        if (strcmp(member.name, name) != 0) continue;
        return rc_zip_read(&member, (size_t)limit, arena, error, text, n_bytes);
    }
    return rc_fail(error, RC_USAGE, _("%.200s: there is no %.200s in it"), path, name);
}

rc_exit rc_read_submission(const char *path, size_t n_root, int64_t limit, rs_arena *arena,
                           rs_error *error, char **text, size_t *n_bytes) {
    struct stat found;
    if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode)) { /* to say so in better words */
        return rc_fail(error, RC_USAGE, _("%.200s: there is no .c, .sched or .parsons file in it"),
                       path);
    }
    for (const char *at = path + n_root; (at = strchr(at, '/')) != NULL; at++) {
        char zip[PATH_MAX];
        snprintf(zip, sizeof zip, "%.*s", (int)(at - path), path);
        if (rc_is_zip(zip) && lstat(zip, &found) == 0 && !S_ISDIR(found.st_mode)) {
            return read_zipped(zip, n_root, at + 1, limit, arena, error, text, n_bytes);
        }
    }
    return rc_read_itself(path, n_root, limit, arena, error, text, n_bytes);
}

static rc_exit put_file(const rc_sandbox *sandbox, const char *path, const char *name,
                        rs_arena *arena, rs_error *error) {
    char *text;
    size_t n_bytes;
    rc_exit status = rc_read_file(path, RC_SOURCE_LIMIT, arena, error, &text, &n_bytes);
    if (status == RC_GOOD) status = rc_sandbox_put(sandbox, name, text, n_bytes, error);
    return status;
}

static const char driver_object[] = "ringsim-driver.o";

/* Our files in the box. asks: the questions that need the file; 0: all. */
static const struct {
    const char *from, *name;
    unsigned asks;
} ours[] = {
    {"ring.h", "ring.h", 0},
    {"driver/question.h", "question.h", 0},
    {"driver/driver.c", "ringsim-driver.c", 0},
    {"driver/ask_schedule.c", "ringsim-ask-schedule.c", RC_ASK_SCHEDULE},
    {"driver/ask_values.c", "ringsim-ask-values.c", RC_ASK_VALUES},
};
enum { N_OURS = 5 };

static bool is_needed(int i, unsigned asks) {
    return ours[i].asks == 0 || (ours[i].asks & asks) != 0;
}

static bool is_source(int i) {
    return strcmp(strrchr(ours[i].name, '.'), ".c") == 0;
}

/* Puts our files into the box; where the driver is compiled already, its object and the headers. */
static rc_exit fill_box(const rc_sandbox *sandbox, const rc_site *site, rs_arena *arena,
                        rs_error *error) {
    char from[PATH_MAX + 64];
    const rc_driver *driver = site->driver;
    rc_exit status = RC_GOOD;
    for (int i = 0; i < N_OURS && status == RC_GOOD; i++) {
        if (!is_needed(i, site->asks) || (driver != NULL && is_source(i))) continue;
        snprintf(from, sizeof from, "%s/%s", site->lessons, ours[i].from);
        status = put_file(sandbox, from, ours[i].name, arena, error);
    }
    if (status == RC_GOOD && driver != NULL) {
        status = rc_sandbox_put(sandbox, driver_object, driver->object, driver->n_bytes, error);
    }
    return status;
}

/* ------------------------------------------------------------------ what the compiler said */

static int count_of(const char *text, const char *word) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) n++;
    return n;
}

/* Copies the line that `at` lies in. */
static void copy_line(const char *text, const char *at, char *out, size_t n_out) {
    const char *begin = at;
    while (begin > text && begin[-1] != '\n') begin--;
    char line[1024];
    snprintf(line, sizeof line, "%.*s", (int)strcspn(begin, "\n"), begin);
    rc_plain(line, true, out, n_out);
}

static void read_messages(rc_build *build, const rc_exec_result *result, const rc_exec *exec) {
    const char *text = result->err.data != NULL ? result->err.data : "";
    build->built = result->end == RC_END_EXIT && result->code == 0;
    build->n_warnings = count_of(text, "warning: ");
    build->error[0] = '\0';
    if (build->built) return;
    const char *undefined = strstr(text, "undefined reference to `");
    const char *again = strstr(text, "multiple definition of `");
    const char *first = strstr(text, "error: ");
    if (first == NULL) first = strstr(text, "Error: "); /* the assembler's */
    if (result->end != RC_END_EXIT) {
        char why[400];
        snprintf(build->error, sizeof build->error, _("the compiler: %.200s"),
                 rc_exec_result_text(result, exec, why, sizeof why));
    } else if (again != NULL && strncmp(strchr(again, '`'), "`main'", 6) != 0) {
        again = strchr(again, '`') + 1;
        snprintf(build->error, sizeof build->error,
                 _("%s defines %.*s, which is a name of ringsim's own; choose another"),
                 build->name, (int)strcspn(again, "'\n"), again);
    } else if (again != NULL) {
        snprintf(build->error, sizeof build->error,
                 _("%s has a main(); leave it out, ringsim asks the functions itself"),
                 build->name);
    } else if (undefined != NULL) {
        const char *name = undefined + strlen("undefined reference to `");
        snprintf(build->error, sizeof build->error, _("%s: nobody defines %.*s()"), build->name,
                 (int)strcspn(name, "'\n"), name);
    } else {
        /* gcc 16 writes an empty line before 'out of memory'. */
        if (first == NULL) first = text + strspn(text, "\n");
        copy_line(text, first, build->error, sizeof build->error);
    }
    if (build->error[0] == '\0') {
        snprintf(build->error, sizeof build->error, _("the compiler says no and not why"));
    }
}

/* Runs the compiler; `first` lists its last flags and the submission, if any. Our files follow. */
static rc_exit run_compiler(const rc_sandbox *sandbox, const rc_site *site,
                            const char *const first[], rs_error *error, rc_exec *exec,
                            rc_exec_result *result) {
    enum { CPU_SECONDS = 10, WALL_MS = 30000, TEXT = 16 * 1024, N_ALWAYS = 10, MOST_WORDS = 32 };
    static const char *const always[] = {"/usr/bin/cc",
                                         "-std=gnu17",
                                         "-O1",
                                         "-Wall",
                                         "-Wextra",
                                         "-pipe",
                                         "-fno-lto",
                                         "-fno-use-linker-plugin",
                                         "-ffp-contract=off",
                                         "-fdiagnostics-color=never"};
    const char *words[MOST_WORDS];
    int n = 0;
    for (; n < N_ALWAYS; n++) words[n] = always[n];
    for (int i = 0; first[i] != NULL; i++) words[n++] = first[i];
    for (int i = 0; i < N_OURS && site->driver == NULL; i++) {
        if (is_source(i) && is_needed(i, site->asks)) words[n++] = ours[i].name;
    }
    if (site->driver != NULL) words[n++] = driver_object;
    words[n++] = "-lm";
    assert(n < MOST_WORDS);
    words[n] = NULL;
    *exec = (rc_exec){.compiler = true,
                      .argv = words,
                      .cpu_seconds = CPU_SECONDS,
                      .wall_ms = WALL_MS * (site->crowd > 0 ? site->crowd : 1),
                      .memory_bytes = (int64_t)1 << 30,
                      .most_text = TEXT};
    const rc_exit status = rc_sandbox_exec(sandbox, exec, error, result);
    exec->argv = NULL;
    return status;
}

static rc_exit compile(rc_build *build, const rc_site *site, rs_error *error) {
    const char *const first[] = {"-o", "program", build->name, NULL};
    rc_exec exec;
    rc_exec_result result;
    const rc_exit status = run_compiler(&build->sandbox, site, first, error, &exec, &result);
    if (status != RC_GOOD) return status;
    read_messages(build, &result, &exec);
    build->said = result.err;
    result.err = (rc_stream){0};
    rc_exec_result_free(&result);
    return RC_GOOD;
}

static rc_exit open_site(const rc_site *site, rs_error *error, rc_sandbox *sandbox) {
    if (access("/usr/bin/cc", X_OK) != 0) {
        return rc_fail(error, RC_LACKS, "%s", _(missing_compiler));
    }
    return site->driver != NULL ? rc_sandbox_open_like(&site->driver->known, error, sandbox)
                                : rc_sandbox_open(site->sandbox, error, sandbox);
}

rc_exit rc_driver_make(const rc_site *site, rs_arena *arena, rs_error *error, rc_driver *driver) {
    enum { LIMIT = 4 << 20 };
    static const char *const first[] = {"-fPIE", "-r", "-o", driver_object, NULL};
    rc_exec exec;
    rc_exec_result result;
    rc_sandbox sandbox;
    rc_exit status = open_site(site, error, &sandbox);
    if (status != RC_GOOD) return status;
    status = fill_box(&sandbox, site, arena, error);
    if (status == RC_GOOD) {
        status = run_compiler(&sandbox, site, first, error, &exec, &result);
    }
    if (status == RC_GOOD) {
        rc_exec_result_free(&result);
        status = rc_sandbox_get(&sandbox, driver_object, LIMIT, arena, error, &driver->object,
                                &driver->n_bytes);
    }
    driver->known = sandbox;
    rc_sandbox_close(&sandbox);
    return status;
}

rc_exit rc_build_text(const rc_site *site, const char *name, const char *text, size_t n_bytes,
                      rs_arena *arena, rs_error *error, rc_build *build) {
    assert(site->asks != 0); /* a driver that asks nothing would not link */
    *build = (rc_build){.crowd = site->crowd > 0 ? site->crowd : 1};
    name_source(name, build->name);
    if (site->sandbox == RC_INTERPRETED)
        return rc_interpreted_build(site, text, n_bytes, arena, error, build);
    rc_exit status = open_site(site, error, &build->sandbox);
    if (status != RC_GOOD) return status;
    status = rc_sandbox_put(&build->sandbox, build->name, text, n_bytes, error);
    if (status == RC_GOOD) status = fill_box(&build->sandbox, site, arena, error);
    if (status == RC_GOOD) status = compile(build, site, error);
    if (status != RC_GOOD) rc_build_free(build);
    return status;
}

void rc_build_free(rc_build *build) {
    rc_sandbox_close(&build->sandbox);
    free(build->said.data);
    build->said = (rc_stream){0};
}

/* ------------------------------------------------------------------ questions */

rc_exit rc_ask(const rc_build *build, int n, const char *questions, rc_exec *limits,
               rs_arena *arena, rs_error *error, rc_exec_result *result) {
    static const char *const program[] = {"./program", NULL};
    assert(build->built);
    assert(n >= 1);
    if (build->program != NULL)
        return rc_interpreted_ask(build, n, questions, limits, arena, error, result);
    const size_t room = strlen(questions) + 32;
    char *input = rs_alloc(arena, room, 1);
    if (input == NULL) return rc_no_memory(error);
    snprintf(input, room, "%d\n%s", n, questions);
    limits->argv = program;
    limits->input = input;
    limits->n_input = strlen(input);
    limits->wall_ms *= build->crowd;
    return rc_sandbox_exec(&build->sandbox, limits, error, result);
}
