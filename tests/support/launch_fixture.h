/* launch_fixture.h: a job as `ringsim launch` plans it, for the tests of its history. Each test program includes
 * it once: arena and error are its own.
 */
#pragma once

#include <criterion/criterion.h>

#include "ringsim_launch.h"

static rs_arena arena;
static rs_error error;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
static rs_launched plan(rs_launch launch) {
    rs_launched launched;
    cr_assert_eq(rs_launch_plan(&launch, &error, &launched), RS_OK, "%s", error.text);
    return launched;
}

static rs_bootstrap tell(rs_launch launch) {
    const rs_launched launched = plan(launch);
    rs_bootstrap frame;
    cr_assert_eq(rs_bootstrap_simulate(&launched, &arena, &error, &frame), RS_OK, "%s", error.text);
    return frame;
}

static const rs_launch usual = {.n_nodes = 2, .gpus_per_node = 4, .gpus_per_process = 2};
static rs_launch with_mistake(rs_mistake mistake) {
    rs_launch launch = usual;
    launch.mistake = mistake;
    if (mistake == RS_STALE_FILE) launch.init = RS_INIT_FILE;
    return launch;
}
