/* commands.c: the list of commands: a word each, in groups and in the order of the help; the first is the
 * default.
 *
 * To add one: a file cmd_NAME.c that ends with its row, rc_command_NAME, and one word here.
 */
#include "run/command.h"

#define SEE(row)                                                                                   \
    row(run) row(view) row(machine) row(train) row(sampler) row(mapreduce) row(launch) row(gil)    \
        row(list)
#define BREAK(row) row(compare) row(check)
#define TEACH(row) row(lesson) row(grade)
#define RUN_FOR_REAL(row) row(verify) row(fit) row(doctor)
#define NCCL_JOBS(row) row(explain) row(hang) row(estimate) row(bits)
#define COMMANDS(row) SEE(row) BREAK(row) TEACH(row) RUN_FOR_REAL(row) NCCL_JOBS(row)

#define DECLARE(name) extern const rc_command rc_command_##name;
COMMANDS(DECLARE)

#define POINT_TO(name) &rc_command_##name,
const rc_command *const rc_commands[] = {COMMANDS(POINT_TO) NULL};

#define GROUP(title, list)                                                                         \
    {                                                                                              \
        title, (const rc_command *const[]) {                                                       \
            list(POINT_TO) NULL                                                                    \
        }                                                                                          \
    }
const rc_group rc_groups[] = {
    GROUP(N_("see"), SEE),
    GROUP(N_("break and predict (and run: --kill, --slow-link, --predict)"), BREAK),
    GROUP(N_("teach"), TEACH),
    GROUP(N_("run for real: MPI, CUDA, NCCL"), RUN_FOR_REAL),
    GROUP(N_("you run NCCL jobs"), NCCL_JOBS),
    {0},
};
