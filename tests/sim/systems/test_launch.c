/* test_launch.c: which processes a job has; that each could find itself by what it is told; and the history
 * of their bootstrap, as a history. That it is true: test_launch_real.c. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/backend.h"
#include "support/launch_fixture.h"
#include "story/story_launch.h"

TestSuite(launch, .init = open_arena, .fini = close_arena);

/* ------------------------------------------------------------------ numbers */

Test(launch, two_nodes_of_four_GPUs_with_two_a_process_are_four_ranks) {
    static const rs_process wanted[] = {
        {0, 4, 0, 0, 2, 0, 2}, {1, 4, 0, 1, 2, 2, 2}, {2, 4, 1, 0, 2, 0, 2}, {3, 4, 1, 1, 2, 2, 2}};
    const rs_launched launched = plan(usual);
    cr_assert_eq(launched.n_processes, 4);
    cr_expect_eq(launched.idle_gpus, 0);
    for (int32_t i = 0; i < 4; i++) {
        const rs_process p = rs_launch_process(&launched, i);
        cr_expect_arr_eq(&p, &wanted[i], sizeof p, "process %d", (int)i);
    }
}

Test(launch, every_GPU_of_every_node_has_exactly_one_process) {
    for (int32_t nodes = 1; nodes <= 4; nodes++) {
        for (int32_t gpus = 1; gpus <= 12; gpus++) {
            for (int32_t each = 1; each <= gpus; each++) {
                const rs_launch launch = {
                    .n_nodes = nodes, .gpus_per_node = gpus, .gpus_per_process = each};
                int32_t taken[4][12] = {{0}};
                rs_launched l;
                const rs_status status = rs_launch_plan(&launch, &error, &l);
                cr_assert_eq(status, gpus % each == 0 ? RS_OK : RS_BAD_INPUT);
                if (status != RS_OK) continue;
                cr_expect_eq(l.n_processes * each, nodes * gpus);
                for (int32_t i = 0; i < l.n_processes; i++) {
                    const rs_process p = rs_launch_process(&l, i);
                    cr_expect_eq(p.rank, i);
                    for (int32_t g = 0; g < p.n_gpus; g++) taken[p.node][p.first_gpu + g]++;
                }
                for (int32_t k = 0; k < nodes * gpus; k++) {
                    cr_assert_eq(taken[k / gpus][k % gpus], 1);
                }
            }
        }
    }
}

Test(launch, refuses_what_makes_no_job) {
    rs_launched l = {.n_processes = -7};
    const rs_launch wrong[] = {
        {.n_nodes = 0, .gpus_per_node = 4, .gpus_per_process = 1},
        {.n_nodes = 1, .gpus_per_node = 4, .gpus_per_process = 3},
        {.n_nodes = 1, .gpus_per_node = 4, .gpus_per_process = 8},
        {.n_nodes = 1025, .gpus_per_node = 1, .gpus_per_process = 1},
        {.n_nodes = 1, .gpus_per_node = 2, .gpus_per_process = 1, .mistake = RS_RANK_TWICE},
        {.n_nodes = 1, .gpus_per_node = 1, .gpus_per_process = 1, .mistake = RS_WORLD_SIZE},
        {.n_nodes = 2, .gpus_per_node = 4, .gpus_per_process = 4, .mistake = RS_NO_SET_DEVICE},
        {.n_nodes = 2, .gpus_per_node = 4, .gpus_per_process = 2, .mistake = RS_STALE_FILE},
        {.n_nodes = 2,
         .gpus_per_node = 4,
         .gpus_per_process = 2,
         .starter = RS_SRUN,
         .mistake = RS_MISSING_NPROC},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(rs_launch_plan(&wrong[i], &error, &l), RS_BAD_INPUT, "case %zu", i);
        cr_expect_eq(l.n_processes, -7);
    }
}

/* ------------------------------------------------------------------ what each is told */

static void forget_all(void) {
    static const char *const names[] = {
        "RANK",         "WORLD_SIZE",          "LOCAL_RANK",    "LOCAL_WORLD_SIZE",
        "MASTER_ADDR",  "MASTER_PORT",         "GROUP_RANK",    "TORCHELASTIC_RUN_ID",
        "SLURM_PROCID", "SLURM_LOCALID",       "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS",
        "SLURM_NODEID", "OMPI_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unsetenv(names[i]);
}

/* launch_environment.c is how our own ranks read the environment. */
Test(launch, a_process_finds_itself_by_what_it_is_told) {
    static const rs_starter starters[] = {RS_TORCHRUN, RS_TORCH_LAUNCH, RS_SRUN};
    static const char *const names[] = {"torchrun", "RANK and WORLD_SIZE", "srun"};
    for (int k = 0; k < 3; k++) {
        rs_launch launch = usual;
        launch.starter = starters[k];
        const rs_launched l = plan(launch);
        for (int32_t i = 0; i < l.n_processes; i++) {
            rs_variable variables[RS_MOST_VARIABLES];
            const int n = rs_launch_variables(&l, i, variables);
            cr_assert_leq(n, RS_MOST_VARIABLES);
            forget_all();
            for (int v = 0; v < n; v++) {
                if (!variables[v].argument) setenv(variables[v].name, variables[v].value, 1);
            }
            cr_expect_str_eq(rg_launch_env_launcher(), names[k]);
            cr_expect_eq(rg_launch_env_size(), 4);
            cr_expect_eq(rg_launch_env_rank(), i);
            cr_expect_eq(rg_launch_env_local_rank(), i % 2);
        }
    }
    forget_all();
}

Test(launch, spawn_tells_nothing_but_a_number) {
    rs_launch launch = usual;
    launch.starter = RS_MP_SPAWN;
    launch.init = RS_INIT_TCP;
    const rs_launched l = plan(launch);
    rs_variable variables[RS_MOST_VARIABLES];
    cr_assert_eq(rs_launch_variables(&l, 3, variables), 1);
    cr_expect(variables[0].argument);
    cr_expect_str_eq(variables[0].value, "1");
}

Test(launch, without_nproc_one_process_a_node_leaves_the_other_GPUs_idle) {
    const rs_bootstrap frame = tell(with_mistake(RS_MISSING_NPROC));
    char command[RS_COMMAND_TEXT];
    cr_expect_eq(frame.of.n_processes, 2);
    cr_expect_eq(frame.of.idle_gpus, 4);
    cr_expect(frame.completes);
    rs_launch_command(&frame.of, 0, command);
    cr_expect_null(strstr(command, "nproc"));
    cr_expect_not_null(strstr(command, "--master-port 29500"));
}

/* Torch's starters and mp.spawn are typed on every node with its number, srun once. */
Test(launch, each_node_is_told_its_own_number) {
    for (int starter = 0; starter < RS_N_STARTERS; starter++) {
        rs_launch launch = usual;
        launch.starter = (rs_starter)starter;
        launch.n_nodes = 3;
        const rs_launched l = plan(launch);
        for (int32_t node = 0; node < 3; node++) {
            char command[RS_COMMAND_TEXT], number[32];
            rs_launch_command(&l, node, command);
            if (starter == RS_SRUN) {
                cr_expect_eq(command[0] == '\0', node > 0, "srun starts all nodes");
                continue;
            }
            const char *at = strstr(command, starter == RS_TORCHRUN   ? "--node-rank "
                                             : starter == RS_MP_SPAWN ? "--node "
                                                                      : "--node_rank ");
            cr_assert_not_null(at, "%s", command);
            snprintf(number, sizeof number, "%d", (int)node);
            at = strchr(at, ' ') + 1;
            cr_expect(strncmp(at, number, strlen(number)) == 0 && at[strlen(number)] == ' ', "%s",
                      command);
        }
    }
}

/* ------------------------------------------------------------------ the history */

/* What ends the bootstrap is the last that is told of it. */
Test(launch, nothing_is_exchanged_after_a_fault) {
    int n_faults = 0;
    for (int mistake = 0; mistake < RS_N_MISTAKES; mistake++) {
        for (int place = 0; place < RS_N_INIT_METHODS; place++) {
            rs_launch launch = with_mistake((rs_mistake)mistake);
            if (mistake != RS_STALE_FILE) launch.init = (rs_init_method)place;
            const rs_bootstrap frame = tell(launch);
            for (int32_t i = 0; i < frame.n_moments; i++) {
                if (frame.moments[i].kind != RS_BOOTSTRAP_FAULT) continue;
                n_faults++;
                cr_expect_eq(i, frame.n_moments - 1, "mistake %d, place %d", mistake, place);
                cr_expect_not(frame.completes);
                cr_expect_gt(strlen(frame.why.text), 10u);
            }
        }
    }
    cr_expect_geq(n_faults, 8);
}

Test(launch, rank_0_alone_hangs_where_the_simulator_says) {
    const rs_bootstrap frame = tell(with_mistake(RS_RANK0_COLLECTIVE));
    const rs_moment *last = &frame.moments[frame.n_moments - 1];
    cr_expect_eq(last->kind, RS_STALLED);
    cr_expect_eq(last->number, 1); /* its right neighbour, to whom it sends first */
    cr_expect_eq(rs_process_state_at(&frame, frame.n_moments - 1, 0), RS_PROCESS_HANGING);
    cr_expect_eq(rs_process_state_at(&frame, frame.n_moments - 1, 1), RS_PROCESS_WORKING);
    cr_expect_not(frame.completes);
}

Test(launch, each_moment_of_each_job_can_be_told) {
    for (int mistake = 0; mistake < RS_N_MISTAKES; mistake++) {
        for (int place = 0; place < RS_N_INIT_METHODS; place++) {
            rs_launch launch = with_mistake((rs_mistake)mistake);
            if (mistake != RS_STALE_FILE) launch.init = (rs_init_method)place;
            const rs_bootstrap frame = tell(launch);
            rv_story history;
            rv_story_launch(&frame, &history);
            cr_expect_eq(history.n_ranks, frame.of.n_processes);
            for (int32_t step = -1; step <= history.n_steps; step++) {
                rv_frame moment = {.arena = &arena, .now_ps = -1};
                history.frame(&history, step, 1, &moment);
                cr_expect_gt(strlen(moment.caption), 10u);
                cr_expect_geq(moment.n_grids, 2);
                cr_expect(step < history.n_steps || moment.good != moment.bad);
            }
        }
    }
}

Test(launch, a_world_of_one_needs_no_other) {
    const rs_bootstrap frame =
        tell((rs_launch){.n_nodes = 1, .gpus_per_node = 1, .gpus_per_process = 1});
    cr_expect(frame.completes);
    int32_t messages = 0;
    for (int32_t i = 0; i < frame.n_moments; i++) messages += frame.moments[i].messages;
    cr_expect_eq(messages, 0);
}
