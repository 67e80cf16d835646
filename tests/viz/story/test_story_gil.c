/* test_story_gil.c: threads and processes, told as they were simulated. */
#include "story/story_gil.h"
#include "story/telling.h"
#include "support/golden.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static rs_gil_report sides[2];
static rv_gil_story of;
static rv_story story;
static rv_frame frame;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(story_gil, .init = start, .fini = stop);

static void make(int32_t n_workers, int32_t n_slices, int32_t n_cores, int64_t python_ps,
                 int64_t native_ps) {
    for (int side = 0; side < 2; side++) {
        const rs_gil_job job = {n_workers, n_slices, n_cores, python_ps, native_ps, side == 1};
        cr_assert_eq(rs_gil(&job, &arena, &error, &sides[side]), RS_OK, "%s", error.text);
    }
    of = (rv_gil_story){
        .threads = {.simulated = &sides[0]},
        .processes = {.simulated = &sides[1]},
        .alone_ps = n_workers * n_slices * (python_ps + native_ps),
        .python_share = (double)python_ps / (double)(python_ps + native_ps),
        .work_ps = n_slices * (python_ps + native_ps),
    };
    cr_assert_eq(rv_story_gil(&of, &arena, &error, &story), RS_OK, "%s", error.text);
}

static void tell(int32_t step) {
    frame = (rv_frame){.arena = &arena};
    story.frame(&story, step, 0, &frame);
    cr_expect_neq(frame.caption[0], '\0', "step %d", (int)step);
}

Test(story_gil, one_thread_has_the_lock_while_the_others_wait) {
    make(3, 2, 8, 1000, 0);
    tell(1);
    cr_expect_not_null(strstr(frame.caption, "Thread 1 takes the lock"), "%s", frame.caption);
    cr_expect_not_null(strstr(frame.caption, "waiting: 2, computing without the lock: 0"), "%s",
                       frame.caption);
    const rv_entry *threads = frame.grids[0].entries, *processes = frame.grids[1].entries;
    enum { WAITS, LOCK, RUNS, PLACES = 4 };
    cr_expect_str_eq(threads[WAITS].text, "0");
    cr_expect_str_eq(threads[PLACES + RUNS].text, "1");
    cr_expect(threads[PLACES + LOCK].lock && !threads[LOCK].lock, "one lock");
    cr_expect_eq(threads[PLACES + LOCK].way, threads[LOCK].way, "which comes from thread 0");
    cr_expect_str_eq(processes[RUNS].text, "0");
    cr_expect_str_eq(processes[PLACES + RUNS].text, "1");
    cr_expect(processes[LOCK].lock && processes[2 * PLACES + LOCK].lock, "a lock each");
    tell(story.n_steps);
    cr_expect_not_null(strstr(frame.caption, "Threads need 3 times"), "%s", frame.caption);
}

Test(story_gil, without_python_threads_are_as_fast) {
    make(4, 3, 2, 0, 1000);
    cr_expect_eq(story.n_steps, 1);
    tell(0);
    cr_expect_not_null(strstr(frame.caption, "as fast as processes"), "%s", frame.caption);
}

Test(story_gil, lanes_hold_everything_that_happens_once) {
    for (int32_t n = 1; n <= 12; n += 11) {
        make(n, 9, 3, 700, 300);
        int64_t held_ps = 0;
        for (int64_t i = 0; i < story.n_spans; i++) {
            const rv_work_span *work = &story.spans[i];
            cr_assert(i == 0 || work->start_ps >= work[-1].start_ps);
            cr_assert(work->lane >= 0 && work->lane < story.n_lanes);
            cr_assert(work->start_ps < work->end_ps && work->end_ps <= story.end_ps);
            cr_assert(work->step >= -1 && work->step < story.n_steps);
            if (work->lane == 0) held_ps += work->end_ps - work->start_ps;
            for (int64_t j = i + 1; j < story.n_spans; j++) {
                const rv_work_span *other = &story.spans[j];
                cr_assert(other->lane != work->lane || other->start_ps >= work->end_ps);
            }
        }
        cr_expect_eq(held_ps, sides[0].lock_ps, "the lock's lane shows all of it");
        for (int32_t step = -1; step <= story.n_steps; step++) tell(step);
        cr_expect(frame.good);
        cr_expect_eq(frame.plots[0].n_series, 3);
    }
}

/* Returns how many spans of a side's lanes are of a kind. */
static int count_spans(const char *kind, bool processes) {
    int n = 0;
    for (int64_t i = 0; i < story.n_spans; i++) {
        const rv_work_span *work = &story.spans[i];
        const bool theirs = work->lane > of.threads.simulated->job.n_workers;
        n += strcmp(story.kinds[work->kind].name, kind) == 0 && theirs == processes;
    }
    return n;
}

Test(story_gil, who_waits_waits_for_the_lock_or_for_a_core) {
    make(4, 5, 4, 500, 500);
    cr_expect(count_spans("waits for the lock", false) > 0);
    cr_expect_eq(count_spans("waits for a core", false), 0, "there is a core for each");
    cr_expect_null(story.kinds[4].name, "what nobody waits for is in no legend");
    make(4, 5, 2, 500, 500);
    cr_expect_eq(count_spans("waits for the lock", true), 0, "each process has a lock of its own");
    cr_expect(count_spans("waits for a core", true) > 0);
}

static bool come; /* what was measured */
static bool arrive(rv_gil_story *facts) {
    static const rs_gil_piece piece = {0, 0, true, 0, 0, 900};
    if (!come) return false;
    facts->threads.measured = facts->processes.measured = &piece;
    facts->threads.n_measured = facts->processes.n_measured = 1;
    facts->measured_alone_ps = facts->threads.measured_ps = facts->processes.measured_ps = 900;
    return true;
}

Test(story_gil, what_is_still_measured_is_told_when_it_is_there) {
    OWN_TELLING telling;
    make(2, 3, 2, 500, 500);
    of.cores_here = 1;
    of.arrived = arrive;
    cr_assert_eq(rv_story_gil(&of, &arena, &error, &story), RS_OK, "%s", error.text);
    const int32_t n_lanes = story.n_lanes;
    rv_telling_start(&telling, &story);
    const rv_subject subject = rv_story_subject(&telling);
    for (int turn = 0; turn < 3; turn++) {
        come = turn > 0;
        rv_refresh_story(&subject);
        const rv_grid *grid = &rv_frame_of(&subject, 0)->grids[0];
        cr_expect_str_eq(grid->column_heads[1], "measured on 1 core");
        cr_expect_str_eq(grid->entries[1].text, come ? "900 ps, 1 x" : "still measuring");
        cr_expect_eq(story.n_lanes, n_lanes + (come ? 5 : 0));
        cr_expect_eq(story.has_news != NULL, !come, "views ask as long as something is awaited");
    }
}

Test(story_gil, says_what_it_said) {
    OWN_TELLING telling;
    const rv_options options = {.at = -1, .width = 100};
    make(3, 2, 2, 700, 300);
    rv_telling_start(&telling, &story);
    const rv_subject subject = rv_story_subject(&telling);
    view_fixture_shown.used = 0;
    cr_assert_eq(
        rv_write_text(&subject, &options, view_fixture_collect, &view_fixture_shown, &error),
        RS_OK);
    golden_compare("story/gil", view_fixture_shown.bytes);
}

/* ------------------------------------------------------------------ figures */

static void expect_notes(const char *const want[], int n) {
    cr_assert_eq(frame.n_notes, n);
    for (int i = 0; i < n; i++) cr_expect_str_eq(frame.notes[i].text, want[i]);
}

Test(story_gil, figures_tell_what_was_measured_and_whether_the_machine_was_busy) {
    static const char *const want[] = {
        "workers 4, work 100 ms each in 8 slices; Python, under the lock: 25 %; cores 2",
        "threads at the most 2 x: no more than workers, cores, and 1 / share of the lock",
        "Amdahl says 1.60 x: if all others stand still while one has the lock",
        "starting a worker that does nothing, here: thread 20 us, process 300 us",
        ("this machine was busy: alone, a worker had 89 % of a core; short work, often, finds "
         "better moments: --work 2ms --iters 100")};
    make(4, 8, 2, 25 * (100000000000 / 800), 75 * (100000000000 / 800));
    of.start_thread_ps = 20000000;
    of.start_process_ps = 300000000;
    for (int measured = 0; measured < 2; measured++) {
        of.measured_alone_ps = measured * 540000000000;
        for (of.core_percent = 89; of.core_percent <= 90; of.core_percent++) {
            frame = (rv_frame){.arena = &arena, .figures = true};
            story.frame(&story, story.n_steps, 0, &frame);
            expect_notes(want, measured == 0 ? 3 : of.core_percent < 90 ? 5 : 4);
            cr_expect_eq(frame.grids[0].n_columns, 1 + measured);
        }
    }
    tell(story.n_steps);
    cr_expect_eq(frame.n_notes, 0, "a window has no notes");
}
