/* commands.c: the table of commands.
 *
 * To add one: a file cmd_NAME.c, and one line here.
 */
#include "cli.h"

const rc_command rc_commands[] = {
    {"run", "", N_("one collective: simulate, judge, show (the default command)"), RC_RUN,
     rc_cmd_run},
    {"compare", "", N_("algorithms, world sizes and sizes side by side"), RC_COMPARE,
     rc_cmd_compare},
    {"check", "FILE.sched", N_("judge a schedule from a file"), RC_CHECK_FILE, rc_cmd_check},
    {"view", "FILE.trace [FILE2.trace]", N_("show a recorded run, or two on one time axis"),
     RC_VIEW_FILE, rc_cmd_view},
    {"fit", "FILE.trace...|NCCL-LOG", N_("which link is slow, and what are alpha and B?"), RC_FIT,
     rc_cmd_fit},
    {"verify", "", N_("run the schedule for real and compare bit by bit"), RC_VERIFY,
     rc_cmd_verify},
    {"lesson", "[ID]", N_("the course"), RC_LESSON, rc_cmd_lesson},
    {"grade", "LAB FILE...|FOLDER", N_("grade exercises"), RC_GRADE, rc_cmd_grade},
    {"list", "", N_("algorithms, types and operations"), RC_LIST, rc_cmd_list},
    {"doctor", "", N_("what this machine can do, and how to get what it lacks"), RC_DOCTOR,
     rc_cmd_doctor},
    {"train", "", N_("what the all-reduce is for: data-parallel training"), RC_TRAIN, rc_cmd_train},
    {"sampler", "", N_("who sees which sample"), RC_SAMPLER, rc_cmd_sampler},
    {"mapreduce", "", N_("the older cousin: words counted by many"), RC_MAPREDUCE,
     rc_cmd_mapreduce},
    {"launch", "", N_("how the processes find each other"), RC_LAUNCH, rc_cmd_launch},
    {"gil", "", N_("threads or processes: the same work under one lock and under many"), RC_GIL,
     rc_cmd_gil},
    {0},
};
