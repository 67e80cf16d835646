/* test_page_command.c: a page's command in words: what stands before a pipe or a redirection, quotes kept together, and
 * without what only writes.
 */
#include "lesson/shelf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/own.h"
#include "support/session.h"

enum { MOST = 40 };

/* A word as it is typed, with its value where it has one; kept: as the page's words have it. */
typedef struct piece {
    const char *typed[2], *kept[2];
} piece;
static const piece pieces[] = {
    {{"--gpus", "5"}, {"--gpus", "5"}},
    {{"--json"}, {NULL}},
    {{"--save", "five.sched"}, {NULL}},
    {{"--at", "2"}, {"--at", "2"}},
    {{"--view", "none"}, {NULL}},
    {{"--trace", "a.json"}, {NULL}},
    {{"--export", "p.pdf"}, {NULL}},
    {{"--gift", "-"}, {NULL}},
    {{"--step"}, {NULL}},
    {{"--shuffle"}, {"--shuffle"}},
    {{"--text", "'one ring'"}, {"--text", "one ring"}},
    {{"\"a | b\""}, {"a | b"}},
    {{"--saved"}, {"--saved"}},
    {{"''"}, {""}},
    {{"--view=none"}, {"--view=none"}},
    {{"5"}, {"5"}},
};
enum { N_PIECES = sizeof pieces / sizeof *pieces };

Test(page_command, is_what_the_reader_sees_of_it) {
    static const char *const ends[] = {"",   " | grep x", "  > out", "|wc",
                                       ">a", " && ls",    "; ls",    " ;"};
    session_begin(3);
    for (int k = 0; k < 3000; k++) {
        char text[800] = "", *words[MOST];
        const char *want[MOST];
        size_t used = 0;
        int n_want = 0;
        for (int i = session_below(7); i > 0; i--) {
            const piece *p = &pieces[session_below(N_PIECES)];
            for (int j = 0; j < 2 && p->typed[j] != NULL; j++)
                used += (size_t)snprintf(text + used, sizeof text - used, "%*s%s",
                                         1 + session_below(3), "", p->typed[j]);
            for (int j = 0; j < 2 && p->kept[j] != NULL; j++) want[n_want++] = p->kept[j];
        }
        const char *end = ends[session_below(8)];
        snprintf(text + used, sizeof text - used, "%s%s", end[0] == '|' || end[0] == '>' ? " " : "",
                 end);
        char typed[800];
        strcpy(typed, text);
        const int n = rc_scene_words(text, words, MOST);
        cr_assert_eq(n, n_want, "%s: %d words, not %d", typed, n, n_want);
        for (int i = 0; i < n; i++) cr_expect_str_eq(words[i], want[i], "%s: %s", typed, words[i]);
    }
}

Test(page_command, takes_no_more_words_than_there_is_room_for) {
    for (int most = 1; most < 6; most++) {
        char text[] = "--gpus 5 --late 2:1ms", *words[6] = {0};
        const int n = rc_scene_words(text, words, most);
        cr_expect_eq(n, most < 4 ? most : 4);
        cr_expect_null(words[n], "%d", most);
    }
}

/* A scene is a command that shows something: the run, or by its name. */
Test(page_command, is_a_scene_where_it_shows_something) {
    static const char *const scenes[] = {"--gpus 5",          "run --at 2",       "",
                                         "sampler --shuffle", "--json",           "| grep x",
                                         "mapreduce",         "launch --nodes 2", "lesson-less"};
    for (int i = 0; i < 8; i++) cr_expect(rc_is_scene(scenes[i]), "%s", scenes[i]);
    cr_expect_not(rc_is_scene(scenes[8]));
    cr_expect_not(rc_is_scene("grade 05 my_ring.c"));
    cr_expect_not(rc_is_scene("list"));
    cr_expect_not(rc_is_scene("hang job1"));
    cr_expect_not(rc_is_scene("doctor --json"));
}

/* A command in one of its forms: what makes the run, and where it is looked at; operands come last. */
typedef struct form {
    int gpus, count, kill, flip, lesson;
} form;
static form draw_form(char text[200]) {
    static const char *const gpus[] = {"", "--gpus 4 ", "--gpus 6 "},
                             *const counts[] = {"", "--count 80 ", "--count 81 "},
                             *const kills[] = {"", "--kill 1@1 ", "--kill 2@1 "},
                             *const flips[] = {"", "--flip 2@1 "},
                             *const looks[] = {"",
                                               "",
                                               "--at 1 ",
                                               "--at 2 ",
                                               "--moment send ",
                                               "--moment done --at 3 ",
                                               "--show cost ",
                                               "--predict "};
    const form f = {session_below(3), session_below(3), session_below(3), session_below(2),
                    session_below(2)};
    snprintf(text, 200, "%s%s%s%s%s%s", session_below(2) == 0 ? "run " : "", gpus[f.gpus],
             counts[f.count], looks[session_below(8)], kills[f.kill], flips[f.flip]);
    return f;
}

/* Two pages share a run if, and only if, the same is run in the same lesson. */
Test(page_command, names_its_run_without_where_it_is_looked_at) {
    enum { N = 60 };
    static rc_scene scene;
    static char names[N][200];
    form forms[N];
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    int n_same = 0;
    const rc_session session = {.program = "ringsim", .arena = &arena, .error = &error};
    session_begin(5);
    for (int i = 0; i < N; i++) {
        char text[200];
        forms[i] = draw_form(text);
        cr_assert(rc_read_scene(&session, text, &error, &scene), "%s: %s", text, error.text);
        rc_name_run(&scene, forms[i].lesson, names[i], sizeof names[i]);
        for (int k = 0; k < i; k++) {
            const bool same = memcmp(&forms[i], &forms[k], sizeof *forms) == 0;
            n_same += same;
            cr_expect_eq(strcmp(names[i], names[k]) == 0, same, "%s, %s", names[i], names[k]);
        }
    }
    cr_expect_gt(n_same, 0);
    cr_assert(rc_read_scene(&session, "train --gpus 4 --at 1", &error, &scene));
    rc_name_run(&scene, 0, names[0], sizeof names[0]);
    cr_assert(rc_read_scene(&session, "run --gpus 4", &error, &scene));
    rc_name_run(&scene, 0, names[1], sizeof names[1]);
    cr_expect_str_neq(names[0], names[1]);
    cr_expect(strncmp(names[0], "0: train ", 9) == 0, "%s", names[0]);
    cr_expect_null(strstr(names[0], "null"));
}

/* Its files are the lesson's own: it runs in the lesson's folder, and whoever runs it stays where they are. */
Test(page_command, runs_in_its_folder_and_comes_back) {
    char here[4096], there[4096];
    OWN_ARENA arena = {0};
    rs_error error = {.text = ""};
    rv_subject subject;
    rc_session session = {.program = "ringsim", .arena = &arena, .error = &error};
    static rc_scene scene;
    cr_assert_not_null(getcwd(here, sizeof here));
    session.host = rc_host_new();
    cr_assert(rc_read_scene(&session, "--algo scene-port.sched --bytes 1MB --save x --at 1", &error,
                            &scene),
              "%s", error.text);
    cr_expect_not(rc_run_scene(&scene, "lessons/no-such-folder", &subject));
    cr_assert(rc_run_scene(&scene, "lessons/16-one-wire", &subject), "%s", error.text);
    cr_expect_not_null(getcwd(there, sizeof there));
    cr_expect_str_eq(here, there);
    cr_expect_gt(subject.n_steps, 0);
    rv_subject_free(&subject);
    static const char *const unseen[] = {"train --gpus 1,2", "mapreduce --text -",
                                         "compare --gpus 2,4 --bytes 1KiB,1MiB"};
    for (int i = 0; i < 3; i++) { /* they show nothing in a picture */
        cr_assert(rc_read_scene(&session, unseen[i], &error, &scene), "%s", error.text);
        cr_expect_not(rc_run_scene(&scene, "lessons/16-one-wire", &subject), "%s", unseen[i]);
    }
    cr_expect_not(rc_read_scene(&session, "grade 05 x.c", &error, &scene));
    cr_expect_not(rc_read_scene(&session, "--gpus 0", &error, &scene));
    cr_expect_not(rc_read_scene(&session, "sampler --gpus 3 --late 1:2ms", &error, &scene));
    rc_host_free(session.host);
}
