/* The figure of ranks, wires and what travels on them, above the terminal's table. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/stage_fixture.h"

static stage_fixture s;

static void start(const char *algorithm, int32_t n, rv_options options) {
    view_fixture_prepare(&s.run, algorithm, n);
    s.options = options;
    s.options.in_characters = true;
    stage_fixture_open(&s);
}

/* Returns the lines of the figure: those before the table's header. */
static const char *figure(int width, int height) {
    static char lines[1 << 14];
    const char *all = stage_fixture_characters(&s, width, height);
    const char *end = strstr(all, "chunk 0  ");
    snprintf(lines, sizeof lines, "%s", all);
    if (end != NULL) lines[end - all] = '\0';
    return lines;
}

static bool has(const char *text, const char *part) {
    const bool found = strstr(text, part) != NULL;
    if (!found) fprintf(stderr, "%s", text);
    return found;
}

Test(ring_figure, is_a_loop_with_what_travels_on_each_wire) {
    start("ring", 5, (rv_options){.at = 0, .ascii = true});
    const char *lines = figure(80, 24);
    cr_expect(has(lines, " GPU 0 ------c0 1 +------> GPU 1 -----c1 20 +------> GPU 2\n"));
    cr_expect(has(lines, "\n c4 50000 +                                        c2 300 +\n"));
    cr_expect(has(lines, "\n   +---------------------- GPU 4 <----c3 4000 +----- GPU 3\n"));
}

Test(ring_figure, shows_chunks_leave_and_arrive) {
    start("ring", 5, (rv_options){.at = 0, .ascii = true});
    stage_fixture_press(&s, ">");
    cr_expect(has(figure(80, 24), " GPU 0 -c4 50005 +-------> GPU 1"));
    stage_fixture_press(&s, ">");
    cr_expect(has(figure(80, 24), " GPU 0 -------c4 50005 +-> GPU 1"));
}

Test(ring_figure, gives_no_answer_away) {
    start("ring", 5, (rv_options){.at = 0, .ascii = true});
    stage_fixture_press(&s, "p");
    stage_fixture_key(&s, RV_KEY_RIGHT);
    const char *lines = figure(80, 24);
    cr_expect(has(lines, " GPU 0 ------------------> GPU 1"));
}

Test(ring_figure, marks_the_dead_and_what_does_not_happen) {
    start("ring", 5, (rv_options){.at = 0, .ascii = true});
    stage_fixture_press(&s, "k");
    stage_fixture_key(&s, RV_KEY_RIGHT);
    const char *lines = stage_fixture_characters(&s, 80, 24);
    cr_expect(has(lines, " GPU 0x----c4 50005 x----> GPU 1"));
    cr_expect(has(lines, "\n>GPU 0x "), "its row in the table, too");
    stage_fixture_key(&s, RV_KEY_DOWN);
    cr_expect(has(stage_fixture_characters(&s, 80, 24), "x dead, or not sent"));
}

Test(ring_figure, draws_arcs_where_ranks_do_not_send_to_their_neighbours) {
    start("halving", 4, (rv_options){.at = 0, .ascii = true});
    const char *lines = figure(80, 24);
    cr_expect(has(lines, "\n GPU 0             GPU 1             GPU 2             GPU 3\n"));
    cr_expect(has(lines, "   o----------"));
}

Test(ring_figure, leaves_each_gpu_its_row_and_steps_aside_where_it_does_not_fit) {
    static const int32_t counts[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 32, 40, 100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        start("ring", counts[i], (rv_options){.at = 0, .ascii = true});
        for (int width = 40; width <= 140; width += 20) {
            char last[16];
            snprintf(last, sizeof last, "GPU %d", (int)counts[i] - 1);
            const char *lines = stage_fixture_characters(&s, width, 24);
            const bool ring = strstr(lines, "->") != NULL;
            const char *table = strstr(lines, "\n>");
            cr_expect(!ring || counts[i] <= 10, "%d, %d columns\n%s", counts[i], width, lines);
            if (ring && table != NULL) cr_expect(has(table, last), "%d at %d", counts[i], width);
        }
        stage_fixture_end(&s);
    }
}
