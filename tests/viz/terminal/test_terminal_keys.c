/* The keys of the one table on the terminal's stage: each does something that can be seen, or says why
 * not; two runs at one time; what is longer than the screen.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/stage_fixture.h"
#include "support/story_fixture.h"
#include "story/telling.h"

static stage_fixture s;

static void start(const char *algorithm, int32_t n, int32_t at) {
    view_fixture_prepare(&s.run, algorithm, n);
    s.options = (rv_options){.at = at, .colour = true, .in_characters = true};
    stage_fixture_open(&s);
}

static bool shows(const char *text) {
    return strstr(stage_fixture_characters(&s, 80, 24), text) != NULL;
}

/* Presses a key; tells whether the screen, or the driver's work, is another one. */
static bool changes(int32_t key) {
    static char before[1 << 16];
    snprintf(before, sizeof before, "%s", stage_fixture_characters(&s, 80, 24));
    stage_fixture_key(&s, key);
    const bool served = s.stage->wish != RV_NO_WISH;
    return served || s.stage->playback.quit ||
           strcmp(before, stage_fixture_characters(&s, 80, 24)) != 0;
}

/* By hand more can be opened than 24 lines hold: which views are short is said, and not where all is shown. */
Test(terminal_keys, that_open_too_much_say_which_views_are_short) {
    start("ring", 5, 2);
    cr_expect_not(shows("Not all lines fit"));
    stage_fixture_press(&s, "v");
    cr_expect(shows("Not all lines fit, a taller terminal shows more: ") && shows("Rule"));
    cr_expect(strstr(stage_fixture_characters(&s, 80, 40), "Not all lines fit") == NULL);
}

Test(terminal_keys, each_does_something_or_says_why_not) {
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (row.lesson_only || row.action == RV_CLOSE) continue;
        for (int k = 0; k < RV_MAX_KEYS && row.keys[k] != 0; k++) {
            start("ring", 5, 2);
            cr_expect(changes(row.keys[k]), "%s: %s", row.names, row.help);
            if (row.not_here != NULL) cr_expect(shows(row.not_here), "%s", row.names);
            stage_fixture_end(&s);
        }
    }
}

/* In a story too, though it is longer than the screen and says so on the line of the messages. */
Test(terminal_keys, each_does_something_in_a_story_or_says_why_not) {
    const rv_story *story = story_fixture_of(8, 40, false);
    rv_key_row row;
    for (int i = 0; (row = rv_key_row_at(i)).action != RV_NO_ACTION; i++) {
        if (row.lesson_only || row.action == RV_CLOSE) continue;
        for (int k = 0; k < RV_MAX_KEYS && row.keys[k] != 0; k++) {
            OWN_TELLING telling = {0};
            rv_telling_start(&telling, story);
            const rv_subject subject = rv_story_subject(&telling);
            s = (stage_fixture){.options = {.at = 3, .colour = true, .in_characters = true}};
            cr_assert_eq(rv_stage_new(&subject, &s.options, NULL, &s.error, &s.stage), RS_OK);
            rv_stage_draw(s.stage);
            (void)stage_fixture_characters(&s, 80, 24);
            stage_fixture_press(&s, "}"); /* so that there are lines above, too */
            cr_expect(changes(row.keys[k]), "%s: %s", row.names, row.help);
            const char *said = s.stage->playback.message;
            const char *at = strstr(stage_fixture_characters(&s, 80, 24), said);
            cr_expect(said[0] == '\0' || (at != NULL && strspn(at + strlen(said), " \n") > 0),
                      "%s: something else behind \"%s\"", row.names, said);
            rv_stage_free(s.stage);
        }
    }
}

Test(terminal_keys, faults_are_given_and_healed) {
    start("ring", 5, 2);
    stage_fixture_press(&s, "w");
    cr_expect(shows("GPU 0's links are 10 times slower: 8.04 ms"));
    stage_fixture_press(&s, "h");
    cr_expect(shows("GPU 0 is well again"));
    stage_fixture_press(&s, "k");
    cr_expect(shows("GPU 0 dies before step 3: the all-reduce never ends."));
    stage_fixture_key(&s, RV_KEY_RIGHT);
    cr_expect(shows("x dead, or not sent"), "and the table says what does not happen");
    stage_fixture_press(&s, "uu");
    cr_expect(shows("Nothing is broken"));
}

Test(terminal_keys, two_runs_share_the_screen_and_one_time) {
    start("ring", 5, 1);
    stage_fixture_press(&s, "x");
    cr_expect(shows("Ring: "));
    cr_expect(shows("One reducer: "));
    cr_expect(shows(" 2.01 ms of 40.04 ms"));
    cr_expect(shows("step 1 of 0..7"));
    stage_fixture_press(&s, "]");
    cr_expect(shows(" 4.02 ms of 40.04 ms"));
}

Test(terminal_keys, a_rival_may_be_named_from_the_start) {
    view_fixture_prepare(&s.run, "ring", 4);
    s.options = (rv_options){.at = -1, .in_characters = true, .compare = "tree"};
    stage_fixture_open(&s);
    cr_expect(shows("Ring: ") && shows("Tree: "));
}

Test(terminal_keys, the_help_scrolls_where_it_is_cut_and_says_so) {
    start("ring", 5, 2);
    stage_fixture_press(&s, "?");
    cr_expect(shows("Keys 1-") && !shows("  quit\n"));
    for (int i = 0; i < 4; i++) {
        stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
        stage_fixture_characters(&s, 80, 24);
    }
    cr_expect(shows("  quit\n"));
    stage_fixture_key(&s, RV_KEY_UP);
    cr_expect(!shows("  quit\n"));
    stage_fixture_press(&s, "?");
    cr_expect(!shows("Keys") && shows("Scatter-reduce"));
}
