/* test_gui_film.c: films through ffmpeg, and every way in which ffmpeg can let us down. */
#include "canvas/encoder.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_BYTES = 4 << 20 };

typedef struct film {
    char *bytes;
    size_t n;
    rs_status status;
    char error[RS_ERROR_TEXT];
} film;

static void take(void *context, const char *bytes, size_t n) {
    film *to = context;
    cr_assert_lt(to->n + n, MOST_BYTES);
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
}

static film film_of(rv_picture kind, const rs_host *host) {
    OWN_VIEW v = {0};
    film made = {.bytes = malloc(MOST_BYTES)};
    const rv_options options = {.at = -1, .speed = 8, .pixel_width = 321, .pixel_height = 241};
    cr_assert_not_null(made.bytes);
    view_fixture_start(&v, "ring", 3);
    made.status = rv_gui_picture(&v.subject, &options, kind, take, &made, host, &v.error);
    snprintf(made.error, sizeof made.error, "%s", made.status == RS_OK ? "" : v.error.text);
    return made;
}

/* A folder of our own for the program's temporary files; it must be empty afterwards. */
static char folder[] = "/tmp/ringsim-test-XXXXXX";

static void set_up(void) {
    cr_assert_not_null(mkdtemp(folder));
    setenv("TMPDIR", folder, 1);
}

static void tear_down(void) {
    int n = 0;
    DIR *open = opendir(folder);
    cr_assert_not_null(open);
    while (readdir(open) != NULL) n++;
    closedir(open);
    cr_expect_eq(n, 2, "something was left in %s", folder); /* . and .. */
    rmdir(folder);
    cr_expect(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child is left");
}

TestSuite(gui_film, .init = set_up, .fini = tear_down, .timeout = 900);

static bool have_ffmpeg(void) {
    if (system("ffmpeg -version >/dev/null 2>&1") == 0) return true;
    cr_skip_test("skipped: no ffmpeg on this machine");
    return false;
}

Test(gui_film, the_same_film_has_the_same_bytes) {
    if (!have_ffmpeg()) return;
    static const struct {
        rv_picture kind;
        size_t at;
        const char *magic;
    } kinds[] = {{RV_MP4, 4, "ftyp"}, {RV_GIF, 0, "GIF89a"}};
    for (int i = 0; i < 2; i++) {
        film a = film_of(kinds[i].kind, NULL), b = film_of(kinds[i].kind, NULL);
        cr_assert_eq(a.status, RS_OK, "%s", a.error);
        cr_expect_gt(a.n, 1000);
        cr_expect_eq(memcmp(a.bytes + kinds[i].at, kinds[i].magic, strlen(kinds[i].magic)), 0);
        cr_expect(a.n == b.n && memcmp(a.bytes, b.bytes, a.n) == 0, "%s", kinds[i].magic);
        free(a.bytes);
        free(b.bytes);
    }
}

/* Lets ffmpeg count what it finds in the file. */
static int frames_in(const film *whole, char size[64]) {
    char path[128], line[256];
    int n = -1;
    snprintf(path, sizeof path, "%s/film", folder);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    fwrite(whole->bytes, 1, whole->n, file);
    fclose(file);
    snprintf(line, sizeof line,
             "ffprobe -v error -count_frames -show_entries stream=width,height,nb_read_frames "
             "-of csv=p=0 %s",
             path);
    FILE *out = popen(line, "r");
    cr_assert_not_null(out);
    if (fgets(line, sizeof line, out) != NULL) {
        char *last = strrchr(line, ',');
        cr_assert_not_null(last);
        n = atoi(last + 1);
        snprintf(size, 64, "%.*s", (int)(last - line), line);
    }
    pclose(out);
    remove(path);
    return n;
}

Test(gui_film, a_film_lasts_as_long_as_the_run_and_has_even_sides) {
    if (!have_ffmpeg()) return;
    char size[64];
    film mp4 = film_of(RV_MP4, NULL);
    cr_assert_eq(mp4.status, RS_OK, "%s", mp4.error);
    /* 0.8 s before and 1.5 s after; between them 4 steps at 8 a second, and time to rest. */
    const int n = frames_in(&mp4, size);
    cr_expect(n > 24 + 45 + 10 && n < 24 + 45 + 60, "%d", n);
    cr_expect_str_eq(size, "320,240");
    free(mp4.bytes);
}

Test(gui_film, without_ffmpeg_one_line_says_what_to_install) {
    setenv("PATH", "/nonexistent", 1);
    film none = film_of(RV_MP4, NULL);
    cr_expect_eq(none.status, RS_UNSUPPORTED);
    cr_expect_not_null(strstr(none.error, "install ffmpeg"), "%s", none.error);
    cr_expect_null(strchr(none.error, '\n'));
    cr_expect_eq(none.n, 0);
    free(none.bytes);
}

/* Puts a script in ffmpeg's place. */
static void pretend(const char *script) {
    static char programs[128];
    char path[256], search[4096];
    snprintf(programs, sizeof programs, "%s-programs", folder);
    cr_assert_eq(mkdir(programs, 0700), 0);
    snprintf(path, sizeof path, "%s/ffmpeg", programs);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", script);
    fclose(file);
    chmod(path, 0700);
    snprintf(search, sizeof search, "%s:%s", programs, getenv("PATH"));
    setenv("PATH", search, 1);
}

static void stop_pretending(void) {
    char path[256];
    snprintf(path, sizeof path, "%s-programs/ffmpeg", folder);
    remove(path);
    snprintf(path, sizeof path, "%s-programs", folder);
    rmdir(path);
}

Test(gui_film, a_failing_ffmpeg_is_quoted) {
    pretend("echo first >&2; echo Unknown encoder libx264 >&2; exit 1");
    film none = film_of(RV_MP4, NULL);
    cr_expect_eq(none.status, RS_UNSUPPORTED);
    cr_expect_str_eq(none.error, "ffmpeg failed: Unknown encoder libx264");
    cr_expect_eq(none.n, 0);
    free(none.bytes);
    stop_pretending();
}

Test(gui_film, an_ffmpeg_that_fails_at_the_end_is_quoted_too) {
    pretend("cat >/dev/null; echo Disk full >&2; exit 1");
    film none = film_of(RV_GIF, NULL);
    cr_expect_str_eq(none.error, "ffmpeg failed: Disk full");
    cr_expect_eq(none.n, 0);
    free(none.bytes);
    stop_pretending();
}

Test(gui_film, an_ffmpeg_that_dies_silently_or_makes_nothing_is_no_film) {
    pretend("kill -9 $$");
    film none = film_of(RV_MP4, NULL);
    cr_expect_eq(none.status, RS_UNSUPPORTED, "%s", none.error);
    free(none.bytes);
    stop_pretending();
    pretend("cat >/dev/null");
    none = film_of(RV_MP4, NULL);
    cr_expect_eq(none.status, RS_UNSUPPORTED);
    cr_expect_str_eq(none.error, "ffmpeg made no whole film: it does not say why");
    free(none.bytes);
    stop_pretending();
}

/* What ffmpeg 5 does on a full disk: it complains, leaves what there was room for, and is content. */
Test(gui_film, half_a_film_is_none_even_if_ffmpeg_is_content) {
    static const char *const halves[] = {
        "cat >/dev/null; printf '\\0\\0\\0\\10ftyp' >&3; echo No space >&2",
        "cat >/dev/null; printf '\\0\\0\\0\\10ftyp\\0\\0\\1\\0moov' >&3; echo No space >&2",
        "cat >/dev/null; printf '\\0\\0\\0\\10moovX' >&3; echo No space >&2",
        "cat >/dev/null; printf '\\0\\0\\0\\7moov' >&3; echo No space >&2",
    };
    for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
        pretend(halves[i]);
        film none = film_of(RV_MP4, NULL);
        cr_expect_eq(none.status, RS_UNSUPPORTED, "half %zu", i);
        cr_expect_str_eq(none.error, "ffmpeg made no whole film: No space");
        cr_expect_eq(none.n, 0);
        free(none.bytes);
        stop_pretending();
    }
    pretend("cat >/dev/null; printf '\\0\\0\\0\\10ftyp\\0\\0\\0\\10moov' >&3");
    film whole = film_of(RV_MP4, NULL);
    cr_expect_eq(whole.status, RS_OK, "%s", whole.error);
    cr_expect_eq(whole.n, 16);
    free(whole.bytes);
    stop_pretending();
}

/* The first run makes the colours, the second the film. */
Test(gui_film, half_a_gif_is_none) {
    pretend("case \"$*\" in *palettegen*) head -c 1024 /dev/zero >&3; cat >/dev/null ;;"
            "*) cat >/dev/null; printf GIF89a >&3; echo No space >&2 ;; esac");
    film none = film_of(RV_GIF, NULL);
    cr_expect_eq(none.status, RS_UNSUPPORTED);
    cr_expect_str_eq(none.error, "ffmpeg made no whole film: No space");
    free(none.bytes);
    stop_pretending();
}

static bool stop_at_five(void *context, const char *what, int64_t done, int64_t total) {
    int *asked = context;
    (void)what;
    ++*asked;
    cr_expect_leq(done, total);
    return done < 5 && *asked < 12;
}

Test(gui_film, cancelling_ends_ffmpeg_even_if_it_takes_nothing) {
    int asked = 0;
    const rs_host host = {.context = &asked, .progress = stop_at_five};
    pretend("exec sleep 1000");
    film none = film_of(RV_MP4, &host);
    cr_expect_eq(none.status, RS_CANCELLED, "%s", none.error);
    cr_expect_eq(none.n, 0);
    free(none.bytes);
    stop_pretending();
    if (!have_ffmpeg()) return;
    asked = 0;
    none = film_of(RV_GIF, &host);
    cr_expect_eq(none.status, RS_CANCELLED, "%s", none.error);
    cr_expect_eq(none.n, 0);
    free(none.bytes);
}

Test(gui_film, without_a_place_for_it_one_line_names_TMPDIR) {
    setenv("TMPDIR", "/nonexistent", 1);
    film none = film_of(RV_MP4, NULL);
    cr_expect_eq(none.status, RS_BAD_INPUT);
    cr_expect_not_null(strstr(none.error, "TMPDIR"), "%s", none.error);
    free(none.bytes);
    setenv("TMPDIR", folder, 1);
}

Test(gui_film, an_endless_film_is_refused_before_it_begins) {
    OWN_VIEW v = {0};
    film none = {.bytes = NULL};
    const rv_options options = {.at = -1, .speed = 0.125};
    view_fixture_start(&v, "ring", 128);
    cr_expect_eq(rv_gui_picture(&v.subject, &options, RV_MP4, take, &none, NULL, &v.error),
                 RS_TOO_LARGE);
    cr_expect_not_null(strstr(v.error.text, "--speed"), "%s", v.error.text);
}
