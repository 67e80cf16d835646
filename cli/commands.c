/* commands.c: the table of commands.
 *
 * To add one: a file cmd_NAME.c, and one line here. One that tells a story (viz/story/frame.h) hands it
 * out, too: lessons show it beside their text.
 */
#include "cli.h"

#include <string.h>

const rc_command rc_commands[] = {
    {"run", "", N_("one collective: simulate, judge, show (the default command)"), RC_RUN,
     rc_cmd_run, NULL},
    {"compare", "", N_("algorithms, world sizes and sizes side by side"), RC_COMPARE,
     rc_cmd_compare, NULL},
    {"check", "FILE.sched", N_("judge a schedule from a file"), RC_CHECK_FILE, rc_cmd_check, NULL},
    {"view", "FILE.trace [FILE2.trace]", N_("show a recorded run, or two on one time axis"),
     RC_VIEW_FILE, rc_cmd_view, NULL},
    {"fit", "FILE.trace...|NCCL-LOG", N_("which link is slow, and what are alpha and B?"), RC_FIT,
     rc_cmd_fit, NULL},
    {"verify", "", N_("run the schedule for real and compare bit by bit"), RC_VERIFY, rc_cmd_verify,
     NULL},
    {"lesson", "[ID]", N_("the course"), RC_LESSON, rc_cmd_lesson, NULL},
    {"grade", "LAB FILE...|FOLDER", N_("grade exercises"), RC_GRADE, rc_cmd_grade, NULL},
    {"list", "", N_("algorithms, types and operations"), RC_LIST, rc_cmd_list, NULL},
    {"doctor", "", N_("what this machine can do, and how to get what it lacks"), RC_DOCTOR,
     rc_cmd_doctor, NULL},
    {"train", "", N_("what the all-reduce is for: data-parallel training"), RC_TRAIN, rc_cmd_train,
     rc_tell_train},
    {"sampler", "", N_("who sees which sample"), RC_SAMPLER, rc_cmd_sampler, rc_tell_sampler},
    {"mapreduce", "", N_("the older cousin: words counted by many"), RC_MAPREDUCE, rc_cmd_mapreduce,
     rc_tell_mapreduce},
    {"launch", "", N_("how the processes find each other"), RC_LAUNCH, rc_cmd_launch,
     rc_tell_launch},
    {"gil", "", N_("threads or processes: the same work under one lock and under many"), RC_GIL,
     rc_cmd_gil, rc_tell_gil},
    {0},
};

const rc_command *rc_find_command(const char *name) {
    for (const rc_command *command = rc_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) return command;
    }
    return NULL;
}
