/* commands.c: the list of commands: a word each, in the order of the help; the first is the default.
 *
 * To add one: a file cmd_NAME.c that ends with its row, rc_command_NAME, and one word here.
 */
#include "run/command.h"

#define COMMANDS(row)                                                                              \
    row(run) row(compare) row(check) row(view) row(fit) row(verify) row(lesson) row(grade)         \
        row(machine) row(estimate) row(hang) row(explain) row(list) row(doctor) row(train)         \
            row(sampler) row(mapreduce) row(launch) row(gil)

#define DECLARE(name) extern const rc_command rc_command_##name;
COMMANDS(DECLARE)

#define POINT_TO(name) &rc_command_##name,
const rc_command *const rc_commands[] = {COMMANDS(POINT_TO) NULL};
