/* options.c: the command line: which options there are, and what was given, read by their types.
 *
 *   - One table serves the parser, the help and the suggestions. To add an option: one line here, one
 *     id in options.h, and its id in the list of each command that takes it.
 *   - The last of several equal options counts, and it alone is read; faults repeat and keep their order.
 *   - An option that was not given has the value of its type's `otherwise`.
 */
#include "base/units.h"
#include "run/command.h"
#include "sandbox/sandbox.h"

#include <assert.h>
#include <getopt.h>
#include <string.h>

/* The views of the window, then the word for all that are open at its start. */
static const char *panel_at(int i) {
    int n = 0;
    while (n < RV_MOST_VIEWS && rv_view_word(n) != NULL) n++;
    return i < n ? rv_view_word(i) : i == n ? "all" : NULL;
}

const rc_option rc_option_table[RC_N_OPTIONS] = {
    [RC_GPUS] = {"gpus", 'n', "N", false,
                 N_("world size, 5; compare: a list or range such as 2,4,8 or 2..10"),
                 RC_TYPE(rc_as_world, "5", .least = 1, .most = RS_MAX_RANKS)},
    [RC_ON] = {"on", 0, "auto|LIST", false,
               N_("what runs it: cpu, cuda, nccl, mpi; auto (default): all that can"), NULL},
    [RC_ALGO] =
        {"algo", 0, "NAME|FILE.sched|FILE.c", false,
         N_("ring (default), naive, tree, doubling, halving; run: or a file; compare: a list"),
         RC_TYPE(rc_as_algorithm, "ring", .name_at = rc_algorithm_at)},
    [RC_ORDER] = {"order", 0, "seed|nccl", false, N_("the ring's chunk order, seed"),
                  RC_ONE_OF("seed", "seed", "nccl")},
    [RC_COUNT] = {"count", 0, "K", false,
                  N_("elements per rank; view: of the run to show, the largest"),
                  RC_INTEGER(0, INT64_MAX, NULL)},
    [RC_BYTES] = {"bytes", 0, "SIZE", false,
                  N_("bytes per rank, 100MB; compare: a list or range such as 1KiB..1GiB"),
                  RC_AMOUNT(RC_IN_BYTES, NULL)},
    [RC_MIN_BYTES] = {"minbytes", 'b', "SIZE", false,
                      N_("the smallest size, as in nccl-tests; 4MiB"), NULL},
    [RC_MAX_BYTES] = {"maxbytes", 'e', "SIZE", false, N_("the largest size"), NULL},
    [RC_STEP_FACTOR] = {"stepfactor", 'f', "F", false, N_("each size is F times the one before, 2"),
                        NULL},
    [RC_VALUES] = {"values", 0, "auto|all|sample|none", false,
                   N_("how many values really move: all, one a chunk, none; auto: by size"),
                   RC_ONE_OF("auto", "auto", "all", "sample", "none")},
    [RC_DTYPE] = {"dtype", 0, "TYPE", false, N_("i8 u8 i32 u32 i64 u64 f16 bf16 f32 f64; i32"),
                  RC_NAMED(rc_dtype_at, "i32")},
    [RC_OP] = {"op", 0, "OP", false, N_("sum prod min max avg; sum"), RC_NAMED(rc_op_at, "sum")},
    [RC_DATA] = {"data", 0, "digits|index|random|LIST", false,
                 N_("what the ranks hold; LIST 1e8,1,-1e8: rank r holds the r-th number"),
                 RC_TYPE(rc_as_data, NULL,
                         .names = (const char *const[]){"digits", "index", "random", NULL})},
    [RC_SEED] = {"seed", 0, "S", false, N_("for random data, 0"), RC_TYPE(rc_as_seed, NULL)},
    [RC_SPECIAL] = {"special", 0, "plain|nan|inf|...", false,
                    N_("values planted into the data: nan inf negative-zero subnormal overflow"),
                    NULL},
    [RC_WARMUP] = {"warmup", 'w', "N", false, N_("runs before the clock counts, 1"), NULL},
    [RC_ITERS] = {"iters", 0, "N", false, N_("runs whose median counts, 5"), NULL},
    [RC_TIMEOUT] = {"timeout", 0, "TIME", false, N_("how long ranks may wait for each other, 60s"),
                    NULL},
    [RC_INIT] = {"init", 0, "URL", false,
                 N_("where nccl's ranks meet: env://, tcp://HOST:PORT, file:///PATH"), NULL},
    [RC_HOSTFILE] = {"hostfile", 0, "FILE", false, N_("mpi: the machines, for mpirun"), NULL},
    [RC_KERNEL] = {"kernel", 0, "LIST|all", false,
                   N_("cuda: rungs 1..4 of the ladder of kernels, a table each; else the best"),
                   NULL},
    [RC_INPUT] = {"input", 0, "FILE", false,
                  N_("raw little-endian elements, rank after rank, N x K"), NULL},
    [RC_OUTPUT] = {"output", 0, "FILE", false, N_("the results, in the same form"), NULL},
    [RC_ALPHA] = {"alpha", 0, "TIME", false, N_("link latency, 5us"), RC_AMOUNT(RC_IN_PS, "5us")},
    [RC_BANDWIDTH] = {"bandwidth", 0, "RATE", false, N_("link bandwidth, 20GB/s"),
                      RC_AMOUNT(RC_IN_BYTES_PER_S, "20GB/s")},
    [RC_REDUCE_RATE] = {"reduce-rate", 0, "RATE", false, N_("speed of the addition, infinite"),
                        RC_TYPE(rc_as_amount, "infinite", .least = RC_IN_BYTES_PER_S,
                                .word = "infinite")},
    [RC_PROTOCOL] = {"protocol", 0, "rendezvous|eager", false,
                     N_("may a sender run ahead of its receiver; rendezvous"),
                     RC_ONE_OF("rendezvous", "rendezvous", "eager")},
    [RC_LINKS] = {"links", 0, "FILE.csv", false,
                  N_("lines src,dst,alpha,bandwidth for single links; fit writes them"), NULL},
    [RC_SLOW_LINK] = {"slow-link", 0, "SRC:FACTOR", true,
                      N_("the links out of SRC are FACTOR times slower"),
                      RC_TYPE(rc_as_fault, NULL, .least = RS_SLOW_LINK)},
    [RC_LATE] = {"late", 0, "RANK:TIME", true, N_("a rank starts late"),
                 RC_TYPE(rc_as_fault, NULL, .least = RS_LATE)},
    [RC_STRAGGLER] = {"straggler", 0, "RANK:TIME", true,
                      N_("a rank needs TIME more before each step"),
                      RC_TYPE(rc_as_fault, NULL, .least = RS_STRAGGLER)},
    [RC_KILL] = {"kill", 0, "RANK@STEP", true, N_("a rank dies before a step"),
                 RC_TYPE(rc_as_fault, NULL, .least = RS_KILL)},
    [RC_FLIP] = {"flip", 0, "RANK@STEP", true,
                 N_("a bit of what it sends in a step flips on the way"),
                 RC_TYPE(rc_as_fault, NULL, .least = RS_FLIP)},
    [RC_SLOW_REDUCE] = {"slow-reduce", 0, "RANK:FACTOR", true, N_("a rank's additions are slower"),
                        RC_TYPE(rc_as_fault, NULL, .least = RS_SLOW_REDUCE)},
    [RC_DOWN] = {"down", 0, "SRC@STEP:TIME", true,
                 N_("its outgoing link is down once for TIME before that step's transfer"),
                 RC_TYPE(rc_as_fault, NULL, .least = RS_DOWN)},
    [RC_CHECK] = {"check", 0, "auto|always|never", false,
                  N_("judge the schedule too; auto: where it costs little"),
                  RC_ONE_OF("auto", "auto", "always", "never")},
    [RC_ENGINE] = {"engine", 0, "auto|events|wavefront", false,
                   N_("how to simulate; auto takes the fastest that gives the same answer"),
                   RC_ONE_OF("auto", "auto", "events", "wavefront")},
    [RC_STEP] = {"step", 0, NULL, false, N_("start paused: one key a step"), NULL},
    [RC_AT] = {"at", 0, "S", false, N_("start at step S, counted from 0"),
               RC_TYPE(rc_as_step, NULL)},
    [RC_MOMENT] = {"moment", 0, "send|underway|arrive|done", false,
                   N_("how far the step of --at has come: chunks leave, fly, arrive; done"),
                   RC_ONE_OF("done", "send", "underway", "arrive", "done")},
    [RC_SPEED] = {"speed", 0, "X", false, N_("playing speed, 1"), RC_TYPE(rc_as_factor, "1")},
    [RC_PREDICT] = {"predict", 0, NULL, false, N_("ask before each step which chunk is sent"),
                    NULL},
    [RC_VIEW] =
        {"view", 0, "auto|window|terminal|text|none", false,
         N_("auto: text where stdout is no terminal, then a window where there is a display"),
         RC_ONE_OF("auto", "auto", "window", "terminal", "text", "none")},
    [RC_THEME] = {"theme", 0, "light|dark", false,
                  N_("colours of the window and its pictures, light"),
                  RC_ONE_OF("light", "light", "dark")},
    [RC_SCALE] = {"scale", 0, "X", false, N_("size of all text in the window, 1 (0.5..4)"),
                  RC_TYPE(rc_as_scale, "1")},
    [RC_SIZE] = {"size", 0, "WxH", false, N_("pixels of the window and its pictures, 1280x720"),
                 RC_TYPE(rc_as_pixels, NULL)},
    [RC_SHOW] = {"show", 0, "LIST", false,
                 N_("views open at the start: ring,matrix,diagram,cost,rule,numbers or all; path"),
                 RC_TYPE(rc_as_words, NULL, .name_at = panel_at)},
    [RC_REDUCED_MOTION] = {"reduced-motion", 0, NULL, false,
                           N_("no animation in the window (also: RINGSIM_REDUCED_MOTION=1)"), NULL},
    [RC_AGAINST] = {"compare", 0, "ALGO", false,
                    N_("a second algorithm beside the run, in the window: a race"),
                    RC_NAMED(rc_algorithm_at, NULL)},
    [RC_SANDBOX] = {"sandbox", 0, "auto|bubblewrap|filter", false,
                    N_("what holds a learner's C file: the best that works here"),
                    RC_TYPE(rc_as_word, "auto", .names = rc_sandbox_kinds, .word = "auto",
                            .word_is = -1)},
    [RC_STUDENT] = {"student", 0, "ID", false,
                    N_("whose numbers: with the secret, everybody has their own"), NULL},
    [RC_SECRET_FILE] = {"secret-file", 0, "FILE", false,
                        N_("the course's secret, which makes the numbers hard to guess"), NULL},
    [RC_JOBS] = {"jobs", 'j', "N", false, N_("how many submissions at a time, one a core"), NULL},
    [RC_FORMAT] = {"format", 0, "text|gradescope|autolab|junit|csv", false,
                   N_("how the result is printed, text"), NULL},
    [RC_REPLAY] = {"show", 0, NULL, false,
                   N_("open the first wrong schedule at its first wrong step"), NULL},
    [RC_CLASS] = {"class", 0, NULL, false,
                  N_("the quizzes before a class: votes are typed in as counts"), NULL},
    [RC_GIFT] = {"gift", 0, "FILE", false,
                 N_("write the quizzes for Moodle (GIFT), of one lesson or of all"), NULL},
    [RC_RESET] = {"reset", 0, NULL, false, N_("forget where you are, in one lesson or in all"),
                  NULL},
    [RC_KEY] = {"key", 0, NULL, false, N_("with --json: the answers, too"), NULL},
    [RC_DATASET] = {"dataset", 0, "L", false, N_("how many samples there are, 10"), NULL},
    [RC_SHUFFLE] = {"shuffle", 0, NULL, false,
                    N_("deal out in another order every epoch, not 0, 1, 2, ..."), NULL},
    [RC_EPOCH] = {"epoch", 0, "E", false, N_("the epoch, or the first of several; 0"),
                  RC_TYPE(rc_as_seed, NULL)},
    [RC_EPOCHS] = {"epochs", 0, "N", false, N_("so many epochs side by side, 1"), NULL},
    [RC_FORGET_EPOCH] = {"forget-epoch", 0, NULL, false,
                         N_("as if nobody told the sampler the epoch (set_epoch)"), NULL},
    [RC_DROP_LAST] = {"drop-last", 0, NULL, false,
                      N_("drop what cannot be dealt out evenly, rather than pad"), NULL},
    [RC_BATCH] = {"batch", 0, "B", false, N_("samples a GPU takes at a time"), NULL},
    [RC_TOTAL_BATCH] = {"total-batch", 0, "B", false,
                        N_("samples that all GPUs together take at a time"), NULL},
    [RC_TEXT] = {"text", 0, "FILE|\"WORDS\"", false,
                 N_("what is mapped: a file (-: standard input), or words; \"hello world hello\""),
                 NULL},
    [RC_COMBINE] = {"combine", 0, NULL, false,
                    N_("mappers fold their own pairs first and send one a word"), NULL},
    [RC_MAP_RATE] = {"map-rate", 0, "RATE", false,
                     N_("how fast a mapper reads in the simulation, 500MB/s"), NULL},
    [RC_TOP] = {"top", 0, "K", false, N_("of many words the K most frequent are listed, 10"), NULL},
    [RC_NODES] = {"nodes", 0, "N", false, N_("machines, 2"), NULL},
    [RC_GPUS_PER_NODE] = {"gpus-per-node", 0, "G", false, N_("GPUs of each, 4"), NULL},
    [RC_GPUS_PER_PROC] = {"gpus-per-proc", 0, "P", false, N_("GPUs that a process drives, 2"),
                          NULL},
    [RC_WITH] = {"with", 0, "torchrun|launch|spawn|srun", false,
                 N_("what starts the processes, torchrun"), NULL},
    [RC_PLACE] = {"init", 0, "env|tcp|file", false, N_("how they know where to meet, env"), NULL},
    [RC_MISTAKE] = {"mistake", 0, "NAME", false,
                    N_("world-size rank-twice stale-file rank0-collective everybody-saves "
                       "no-set-device missing-nproc"),
                    NULL},
    [RC_PYTHON_SHARE] = {"python-share", 0, "P", false,
                         N_("the share of the work that needs Python's lock, 0.5 (0..1)"),
                         RC_TYPE(rc_as_share, NULL)},
    [RC_WORK] = {"work", 0, "TIME", false, N_("how long a worker works alone, 100ms"), NULL},
    [RC_SLICES] = {"slices", 0, "K", false, N_("each worker takes the lock so many times, 10"),
                   NULL},
    [RC_CORES] = {"cores", 0, "C", false, N_("cores to work on, this machine's"), NULL},
    [RC_MODE] = {"mode", 0, "ddp|dp|none", false,
                 N_("how GPUs share the work: a process each, one process, or not at all; ddp"),
                 NULL},
    [RC_MODEL] = {"model", 0, "linreg|mlp|FILE.lay", false,
                  N_("what is trained, or only timed: resnet50.lay (default), gpt2.lay, a file"),
                  NULL},
    [RC_HIDDEN] = {"hidden", 0, "LIST", false, N_("sizes of mlp's hidden layers, 32"), NULL},
    [RC_LEARNING_RATE] = {"lr", 0, "A", false, N_("a in w* = w - a dE/dw; linreg 0.1, mlp 0.01"),
                          RC_TYPE(rc_as_factor, NULL)},
    [RC_MEAN] = {"mean", 0, "samples|ranks", false,
                 N_("the mean gradient over all samples (default), or of the GPUs' means"), NULL},
    [RC_NO_BROADCAST] = {"no-broadcast", 0, NULL, false,
                         N_("GPUs start from weights of their own: nobody sends them GPU 0's"),
                         NULL},
    [RC_FLOPS] = {"flops", 0, "SPEED", false, N_("what a GPU computes in a second, 10TFLOP/s"),
                  NULL},
    [RC_SLOW_GPU] = {"slow-gpu", 0, "RANK:FACTOR", true,
                     N_("a GPU takes FACTOR times as long to compute"),
                     RC_TYPE(rc_as_fault, NULL, .least = RS_SLOW_REDUCE)},
    [RC_BUCKET_MB] = {"bucket-mb", 0, "X", false,
                      N_("gradients exchanged together, in units of 1048576 bytes; 25; or inf"),
                      RC_TYPE(rc_as_factor, "25", .word = "inf", .word_is = 1)},
    [RC_NO_OVERLAP] = {"no-overlap", 0, NULL, false,
                       N_("exchange only when the backward pass is over"), NULL},
    [RC_ACCUMULATE] = {"accumulate", 0, "K", false,
                       N_("so many batches before gradients are exchanged (no_sync); 1"), NULL},
    [RC_LANG] = {"lang", 0, "en|zh_CN", false, N_("language, from the locale"),
                 RC_ONE_OF(NULL, "en", "zh_CN")},
    [RC_JSON] = {"json", 0, NULL, false, N_("one JSON object on stdout instead of text"), NULL},
    [RC_TRANSFERS] = {"transfers", 0, NULL, false, N_("with --json: every transfer and its times"),
                      NULL},
    [RC_CSV] = {"csv", 0, NULL, false, N_("comma-separated values on stdout"), NULL},
    [RC_PLOT] = {"plot", 0, NULL, false, N_("a plot of time against size, in characters"), NULL},
    [RC_TRACE] = {"trace", 0, "FILE.trace|json", false,
                  N_("write what happened when: for view and fit; json: for Perfetto"), NULL},
    [RC_SAVE] = {"save", 0, "FILE.sched", false, N_("write the schedule as text"), NULL},
    [RC_EXPORT] = {"export", 0, "FILE.png|svg|pdf|mp4|gif", false,
                   N_("write a picture of step --at; pdf: of all steps; mp4, gif: a film"),
                   RC_TYPE(rc_as_picture, NULL)},
    [RC_SHEET] = {"sheet", 0, NULL, false, N_("with --export: all steps on one picture"), NULL},
    [RC_HELP] = {"help", 'h', NULL, false, N_("this text"), NULL},
    [RC_VERSION] = {"version", 0, NULL, false, N_("the version"), NULL},
};

enum { ID_BASE = 1000 }; /* getopt's values of long options: beyond any letter */

bool rc_takes(const rc_command *command, rc_option_id id) {
    for (int i = 0; i < command->n_takes; i++) {
        if (command->takes[i].id == id) return true;
    }
    return false;
}

/* Two commands may each have an option of one name; the other's is then not there. */
static bool is_hidden(rc_option_id id, const rc_command *command) {
    if (rc_takes(command, id)) return false;
    for (int i = 0; i < command->n_takes; i++) {
        const rc_option *taken = &rc_option_table[command->takes[i].id];
        if (strcmp(taken->name, rc_option_table[id].name) == 0) return true;
    }
    return false;
}

static void fill_getopt(const rc_command *command, struct option longs[RC_N_OPTIONS + 1],
                        char shorts[RC_N_OPTIONS * 2 + 2]) {
    char *at = shorts;
    int n = 0;
    *at++ = ':'; /* a missing argument is told apart from an unknown option */
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        const rc_option *option = &rc_option_table[i];
        if (is_hidden((rc_option_id)i, command)) continue;
        longs[n++] = (struct option){
            .name = option->name, .has_arg = option->argument != NULL, .val = ID_BASE + i};
        if (option->letter == 0) continue;
        *at++ = option->letter;
        if (option->argument != NULL) *at++ = ':';
    }
    *at = '\0';
    longs[n] = (struct option){0};
}

static rc_option_id id_of(int value) {
    if (value >= ID_BASE) return (rc_option_id)(value - ID_BASE);
    int i = 0;
    while (rc_option_table[i].letter != value) i++;
    return (rc_option_id)i;
}

/* Explains an option that getopt does not know, or that is the beginning of several. */
static rc_exit unknown(const char *typed, const rc_command *command, rs_error *error) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    const char *names[RC_N_OPTIONS + 1];
    int n = 0;
    for (; n < command->n_takes; n++) names[n] = rc_option_table[command->takes[n].id].name;
    names[n] = NULL;
    const char *bare = name + strspn(name, "-");
    const char *near = rc_nearest(bare, names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE, _("there is no option %s; did you mean --%s?"), name, near);
    }
    return rc_fail(error, RC_USAGE, _("there is no option %s; see ringsim --help"), name);
}

static rc_exit refuse(int value, const char *typed, const rc_command *command, rs_error *error) {
    if (value == ':') {
        return rc_fail(error, RC_USAGE, _("%.60s needs an argument: %s"), typed,
                       optopt != 0 ? rc_option_table[id_of(optopt)].argument : "");
    }
    if (optopt >= ID_BASE) {
        return rc_fail(error, RC_USAGE, _("%.60s takes no argument"), typed);
    }
    if (optopt != 0) {
        const char letter[] = {'-', (char)optopt, '\0'};
        return unknown(letter, command, error);
    }
    return unknown(typed, command, error);
}

/* Whether an option, as it was typed, takes the word behind it: 1, 0; -1: that cannot be told. */
static int takes_a_word(const char *typed) {
    const bool is_long = typed[1] == '-';
    const char *name = typed + 2;
    const size_t n = strcspn(name, "=");
    int takes = -1;
    bool whole = false; /* a whole name was found: the beginnings of longer ones no longer count */
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        const rc_option *option = &rc_option_table[i];
        const bool here = is_long ? n > 0 && strncmp(option->name, name, n) == 0
                                  : option->letter != 0 && option->letter == typed[1];
        const bool is_whole = is_long && here && option->name[n] == '\0';
        if (!here || (whole && !is_whole)) continue;
        const int this = option->argument != NULL && name[is_long ? n : 0] == '\0';
        if (!is_long && option->argument == NULL && *name != '\0') return -1; /* several letters */
        if (takes >= 0 && takes != this && whole == is_whole) return -1;
        takes = this;
        whole = is_whole;
    }
    return takes;
}

int rc_find_word(int argc, char *const argv[]) {
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') return i;
        const int takes = takes_a_word(argv[i]);
        if (takes < 0) return 0;
        i += takes;
    }
    return 0;
}

/* ------------------------------------------------------------------ values */

/* Returns the option as the command takes it; without an argument, a type: the table's. */
static rc_option option_of(const rc_command *command, rc_option_id id) {
    rc_option option = rc_option_table[id];
    for (int i = 0; i < command->n_takes; i++) {
        const rc_taken *taken = &command->takes[i];
        if (taken->id == id && taken->argument != NULL) option.argument = taken->argument;
        if (taken->id == id && taken->type != NULL) option.type = taken->type;
    }
    return option;
}

static rc_exit read_value(const rc_option *option, const char *text, rs_arena *arena,
                          rs_error *error, rc_value *value) {
    const rc_type *type = option->type;
    if (type == NULL) return RC_GOOD;
    if (type->word != NULL && strcmp(text, type->word) == 0) {
        value->number = type->word_is;
        return RC_GOOD;
    }
    return type->read(&(rc_typed){option, text, arena, error}, value);
}

rc_options rc_options_default(const rc_command *command, rs_arena *arena) {
    rc_options options = {.command = command};
    rs_error error;
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        const rc_option option = option_of(command, (rc_option_id)i);
        if (option.type == NULL || option.type->otherwise == NULL) continue;
        const rc_exit status =
            read_value(&option, option.type->otherwise, arena, &error, &options.value[i]);
        assert(status == RC_GOOD || status == RC_LACKS);
    }
    return options;
}

/* Reads what getopt has found, in the order of the help, then what repeats, in the order typed. */
static rc_exit read_values(rc_options *options, rs_arena *arena, rs_error *error) {
    const rc_command *command = options->command;
    rc_exit status = RC_GOOD;
    for (int i = 0; i < command->n_takes && status == RC_GOOD; i++) {
        const rc_option_id id = command->takes[i].id;
        const rc_option option = option_of(command, id);
        rc_value *value = &options->value[id];
        if (value->text == NULL || option.repeats) continue;
        *value = (rc_value){.text = value->text};
        status = read_value(&option, value->text, arena, error, value);
    }
    for (int i = 0; i < options->n_repeated && status == RC_GOOD; i++) {
        const rc_option option = option_of(command, options->repeated[i].id);
        rc_value *value = &options->repeated[i].value;
        status = read_value(&option, value->text, arena, error, value);
    }
    return status;
}

/* Sorts the words of argv into options and operands. */
static rc_exit sort_words(int argc, char **argv, rs_error *error, rc_options *options) {
    const rc_command *command = options->command;
    struct option longs[RC_N_OPTIONS + 1];
    char shorts[RC_N_OPTIONS * 2 + 2];
    fill_getopt(command, longs, shorts);
#ifdef __GLIBC__
    optind = 0; /* starts afresh, whatever was parsed before */
#else
    optind = 1;
#endif
    opterr = 0;
    for (;;) {
        const int found = getopt_long(argc, argv, shorts, longs, NULL);
        if (found == -1) break;
        if (found == '?' || found == ':') {
            /* argv was reordered: what getopt looked at lies just before optind */
            return refuse(found, argv[optind - 1], command, error);
        }
        const rc_option_id id = id_of(found);
        const rc_option *option = &rc_option_table[id];
        if (!rc_takes(command, id)) {
            return rc_fail(error, RC_USAGE, _("--%s is no option of %s; see ringsim %s --help"),
                           option->name, command->name, command->name);
        }
        rc_value *value = &options->value[id];
        value->text = option->argument != NULL ? optarg : "";
        if (!option->repeats) continue;
        options->repeated[options->n_repeated++] = (rc_repeated){id, {.text = optarg}};
    }
    options->operands = argv + optind;
    options->n_operands = argc - optind;
    return RC_GOOD;
}

const rc_command *rc_find_command(const char *name) {
    for (int i = 0; rc_commands[i] != NULL; i++) {
        if (strcmp(rc_commands[i]->name, name) == 0) return rc_commands[i];
    }
    return NULL;
}

static rc_exit check_operands(const rc_options *options, rs_error *error) {
    const rc_command *command = options->command;
    if (options->n_operands == 0 || command->operands[0] != '\0') return RC_GOOD;
    const bool late = rc_find_command(options->operands[0]) != NULL;
    return rc_fail(error, RC_USAGE,
                   late ? _("'%.60s': the command comes first, before the options")
                        : _("'%.60s': %s takes options only; see ringsim --help"),
                   options->operands[0], command->name);
}

rc_exit rc_options_parse(int argc, char **argv, const rc_command *command, rs_arena *arena,
                         rs_error *error, rc_options *options) {
    rc_options read = rc_options_default(command, arena);
    read.repeated = rs_alloc(arena, (size_t)argc + 1, sizeof *read.repeated);
    if (read.repeated == NULL) return rc_fail(error, RC_LACKS, _("no memory for the options"));
    rc_exit status = sort_words(argc, argv, error, &read);
    const bool helped = rc_given(&read, RC_HELP) || rc_given(&read, RC_VERSION);
    if (status == RC_GOOD && !helped) status = check_operands(&read, error);
    if (status == RC_GOOD && !helped) status = read_values(&read, arena, error);
    if (status == RC_GOOD) *options = read;
    return status;
}
