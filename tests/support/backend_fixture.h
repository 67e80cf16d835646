/* backend_fixture.h: a backend's runs beside the reference's: what the suites of all backends demand.
 *
 * The program that is started for ranks is $RINGSIM, or what the suite names. RINGSIM_VERIFY_ALL=1 runs
 * each combination instead of every one in turn; that takes minutes. */
#pragma once

#include "ringsim_gpu.h"

/* Opens N ranks; where this build or machine has none the test is skipped. program: NULL: $RINGSIM. */
rg_group *backend_fixture_open(rg_kind kind, const char *program, int32_t n);
/* Random data, one run from one array to another, with the vendor's own call. */
rg_job backend_fixture_job(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count);
rg_result backend_fixture_run(rg_group *group, const rg_job *job, rs_arena *arena);
/* Nothing wrong, and the same bits on every rank as `cpu` has. */
void backend_fixture_check(rg_group *group, rg_group *cpu, const rg_job *job);
/* All algorithms, counts around N, all types; operations, special values and places take turns. */
void backend_fixture_world(rg_kind kind, const char *program, int32_t n);
/* The five other collectives, roots and channels, counts that divide and do not. */
void backend_fixture_collectives(rg_kind kind, rg_group *group, rg_group *cpu, int32_t n);
/* Their messages lost and bits flipped: found on the ranks where the reference finds them. */
void backend_fixture_blame(rg_kind kind, const char *program);
/* A flip at each rank and step of a ring of three: found, on the same ranks, with the same bits. */
void backend_fixture_flips(rg_kind kind, const char *program);
/* A flip in one of several timed runs: found in the last one always, in the others where each is judged. */
void backend_fixture_runs(rg_kind kind, const char *program);
/* A list of transfers that no algorithm makes, and that is no all-reduce. */
void backend_fixture_list(rg_kind kind, const char *program);
/* The measured trace has every transfer, in a possible order. */
void backend_fixture_trace(rg_kind kind, const char *program);
