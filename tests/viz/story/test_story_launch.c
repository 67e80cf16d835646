/* test_story_launch.c: a job's start as a story: at each moment what was said up to it has been told, and how every process
 * stands after each message is how it stands.
 */
#include <criterion/criterion.h>

#include <stdio.h>

#include "story/story_launch.h"
#include "support/launch_fixture.h"

static rs_arena frames;

static void check_moment(const rs_bootstrap *of, rv_story *story, int32_t step, const char *name) {
    rv_frame frame = {.arena = &frames, .now_ps = -1};
    story->frame(story, step, 1, &frame);
    const rv_sequence *s = &frame.sequence;
    const int32_t n = of->of.n_processes;
    cr_assert(s->title != NULL && s->n_messages > 0, "%s", name);
    cr_expect(s->n_lines == n || (s->n_lines == n + 1 && s->lines[n].apart), "%s", name);
    for (int32_t i = 0; i < n; i++) {
        const rs_process p = rs_launch_process(&of->of, i);
        char process[32], node[32], gpus[32];
        snprintf(process, sizeof process, "process %d", (int)i);
        snprintf(node, sizeof node, "node %d", (int)p.node);
        snprintf(gpus, sizeof gpus,
                 p.n_gpus == 1   ? "GPU %d"
                 : p.n_gpus == 2 ? "GPU %d %d"
                                 : "GPU %d..%d",
                 (int)p.first_gpu, (int)(p.first_gpu + p.n_gpus - 1));
        cr_expect_str_eq(s->lines[i].name, process);
        cr_expect_str_eq(s->lines[i].group, node);
        cr_expect_str_eq(s->lines[i].note, gpus, "%s: %s", name, s->lines[i].note);
        cr_expect(s->lines[i].rank == i && !s->lines[i].apart);
    }
    int32_t before = 0;
    for (int32_t m = 0; m < s->n_messages; m++) {
        const rv_message *said = &s->messages[m];
        cr_expect(said->step == before || said->step == before + 1, "%s: no moment says nothing",
                  name);
        cr_expect_eq(m < s->n_told, said->step <= step, "%s, moment %d: message %d of %d is of %d",
                     name, (int)step, (int)m, (int)s->n_told, (int)said->step);
        cr_expect(said->text != NULL && said->text[0] != '\0');
        cr_expect(said->from < s->n_lines && said->to < s->n_lines &&
                  (!said->lost || said->from != said->to));
        for (int32_t i = 0; i < n; i++) {
            cr_expect_eq(s->stands[m * s->n_lines + i],
                         rv_launch_tone(rs_process_state_at(of, said->step, i)),
                         "%s: process %d after message %d", name, (int)i, (int)m);
        }
        before = said->step;
    }
    cr_expect_eq(before, of->n_moments - 1, "%s", name);
}

Test(story_launch, each_moment_has_told_what_was_said_up_to_it, .init = open_arena,
     .fini = close_arena) {
    int n_stories = 0;
    rs_arena_init(&frames, NULL);
    for (int mistake = 0; mistake < RS_N_MISTAKES; mistake++) {
        for (int k = 0; k < 9; k++) {
            rs_launch launch = with_mistake((rs_mistake)mistake);
            rv_story story;
            char name[64];
            launch.gpus_per_process = 1 << k % 3;
            launch.gpus_per_node = 2 * launch.gpus_per_process;
            launch.n_nodes = 2 + k / 3;
            if (k % 2 == 1) launch.init = RS_INIT_FILE;
            snprintf(name, sizeof name, "%s %d", rs_mistake_name((rs_mistake)mistake), k);
            const rs_bootstrap of = tell(launch);
            rv_story_launch(&of, &story);
            if (of.of.n_processes >= RV_MOST_LIFELINES) continue;
            for (int32_t step = 0; step < story.n_steps; step++)
                check_moment(&of, &story, step, name);
            n_stories++;
        }
        rs_arena_free(&frames);
        rs_arena_init(&frames, NULL);
    }
    rs_arena_free(&frames);
    cr_expect_gt(n_stories, 30);
}
