/* device_stage.h: a job's arrays and plan on the emulated device, ready for the kernels, which are launched
 * here without gpu/'s own host code.
 *
 *     stage_seed(3);  stage s;  stage_new(&s, &job, 2, &arena);
 *     stage_run_rounds(&s, true);                 or stage_run_whole
 *     stage_fetch(&s, TARGETS, s.p.targets);  planned_equals_reference(&s.p)
 *     stage_free(&s);
 */
#pragma once

#include "cuda/kernels.h"
#include "emulator.h"
#include "support/plan_runner.h"

#define OK(call) cr_assert_eq((call), cudaSuccess, #call ": %s", emu_last_words())

typedef struct stage {
    planned p;
    rg_field field;
    char **blocks[3];      /* [N] each: targets, sources, asides, between guards */
    int32_t slices, tiles; /* 1 tile: kernel variant 4 */
    rg_tiling tiling;
    rg_turn *turns;
    int32_t *turn_first;
    uint32_t *done;
    uint64_t *lines; /* of variant 6 */
    int *stop;       /* as the host knows it */
} stage;
enum { TARGETS = RG_TARGET, SOURCES = RG_SOURCE, ASIDES = RG_BESIDE };

/* The emulated device begins anew, in an order of everything that depends on the number. */
void stage_seed(int number);
void stage_new(stage *s, const rg_job *job, int32_t slices, rs_arena *arena);
void stage_free(stage *s); /* and all memory of the devices */
void *stage_upload(const void *data, size_t n_bytes);
/* Fetches one kind of array of all ranks; false: somebody wrote beside one. */
bool stage_fetch(stage *s, int kind, void *const ranks[]);

void stage_launch(const void *kernel, int64_t n_blocks, void *argument, bool cooperative);
/* Makes the turns of the plan and uploads them; once more after a change of it. */
void stage_new_turns(stage *s);
/* Kernel variants 1 and 2: a launch a round. */
void stage_run_rounds(const stage *s, bool vector);
/* Kernel variant 4: makes the flags what they are after so many runs; one launch of it, as a struct; and all that
   as one call. */
void stage_run_lines(stage *s, uint32_t run); /* variant 6: after so many runs */
rs_status stage_run_floor(stage *s);          /* variant 7: whether there is a floor */
void stage_set_done(stage *s, uint32_t n_runs);
rg_whole stage_whole(const stage *s, uint32_t run);
void stage_run_whole(stage *s, uint32_t run);
