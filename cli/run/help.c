/* help.c: what --help shows, from the tables of commands and options. */
#include "cli.h"

#include <string.h>

enum { LEFT_COLUMNS = 30 };

/* What an option takes, and by default, where it isn't what run takes. */
typedef struct own_words {
    unsigned command;
    rc_option_id id;
    const char *argument, *help;
} own_words;
static const own_words words[] = {
    {RC_VERIFY, RC_GPUS, "N", N_("world size, 5; as many as mpirun, torchrun, srun have started")},
    {RC_VERIFY, RC_ALGO, "NAME|FILE.sched",
     N_("ring (default), naive, tree, doubling, halving; or a file")},
    {RC_VERIFY, RC_COUNT, "LIST",
     N_("elements per rank: a list or range such as 1,1000 or 1..1024")},
    {RC_VERIFY, RC_BYTES, "LIST", N_("bytes per rank, 4MiB: a list or range such as 1KiB..1GiB")},
    {RC_VERIFY, RC_DTYPE, "LIST|all", N_("i8 u8 i32 u32 i64 u64 f16 bf16 f32 f64; f32")},
    {RC_VERIFY, RC_OP, "LIST|all", N_("sum prod min max avg; sum")},
    {RC_VERIFY, RC_DATA, "digits|index|random", N_("what the ranks hold; random")},
    {RC_VERIFY, RC_FLIP, "RANK@STEP", N_("plant a fault: a bit of what it sends in a step flips")},
    {RC_VERIFY, RC_JSON, NULL, N_("the report as nccl-tests' -J writes it, and more")},
    {RC_SAMPLER, RC_GPUS, "N", N_("GPUs that share the dataset, 4")},
    {RC_SAMPLER, RC_SEED, "S", N_("of the shuffled orders, 0; epoch E has the order S + E")},
    {RC_MAPREDUCE, RC_GPUS, "N", N_("GPUs, each a mapper and a reducer, 2")},
    {RC_MAPREDUCE, RC_OP, "sum|count|max|min|list",
     N_("what a reducer makes of a word's values: ones (sum), places (all others); sum")},
    {RC_MAPREDUCE, RC_ORDER, "seed|nccl", N_("of the ring that is compared, seed")},
    {RC_MAPREDUCE, RC_OUTPUT, "FILE", N_("every word, a tab, its result: a line each")},
    {RC_MAPREDUCE, RC_REDUCE_RATE, "RATE",
     N_("how fast a reducer takes in what arrives, infinite")},
    {RC_GIL, RC_GPUS, "N", N_("workers, one a GPU, 4")},
    {RC_GIL, RC_ITERS, "N",
     N_("really run so many times, of which the best counts, 3; 0: not at all")},
    {RC_TRAIN, RC_GPUS, "N|LIST", N_("GPUs, 5; a list such as 1,2,4,8: a table of times")},
    {RC_TRAIN, RC_ALGO, "NAME|FILE.sched|FILE.c", N_("how gradients are all-reduced; ring")},
    {RC_TRAIN, RC_SEED, "S", N_("of data, starting weights and shuffled orders, 0")},
    {RC_TRAIN, RC_BATCH, "B|LIST", N_("samples a GPU takes at a time, 32; or each its own: 3,1")},
    {RC_TRAIN, RC_DATASET, "L", N_("samples of linreg (1000) and mlp (4000)")},
    {RC_TRAIN, RC_EPOCHS, "E", N_("how often each sample is seen, 3")},
    {RC_TRAIN, RC_CHECK, "auto|always|never",
     N_("compare with one GPU alone; auto: first and last step, all if that is quick")},
    {RC_TRAIN, RC_TRANSFERS, NULL, N_("with --json: every piece of work and its times")},
    {RC_TRAIN, RC_PYTHON_SHARE, "P",
     N_("Python's part of a pass, during which it holds its lock; 10%")},
    {RC_TRAIN, RC_CSV, NULL, N_("with a list of GPUs: comma-separated values on stdout")},
    {RC_GRADE, RC_SEED, "S", N_("whose numbers: those that a report names by this seed")},
    {RC_GRADE, RC_SAVE, "FILE.sched", N_("write the first wrong schedule")},
    {RC_GRADE, RC_VIEW, "auto|window|terminal|text", N_("where --show opens it")},
};

static const own_words *find_own(unsigned command, rc_option_id id) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].command == command && words[i].id == id) return &words[i];
    }
    return NULL;
}

static void print_option(rc_option_id id, unsigned command) {
    const rc_option *option = &rc_option_table[id];
    const own_words *own = find_own(command, id);
    const char *argument = own != NULL ? own->argument : option->argument;
    char left[80];
    int n = 0;
    if (option->letter != 0) n = snprintf(left, sizeof left, "-%c, ", option->letter);
    snprintf(left + n, sizeof left - (size_t)n, "--%s%s%s", option->name,
             argument == NULL ? "" : " ", argument == NULL ? "" : argument);
    const bool fits = strlen(left) < LEFT_COLUMNS;
    if (!fits) printf("  %s\n", left);
    printf("  %-*s %s\n", LEFT_COLUMNS, fits ? left : "",
           _(own != NULL ? own->help : option->help));
}

static void print_options(unsigned command) {
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        if (rc_option_table[i].commands & command) print_option((rc_option_id)i, command);
    }
}

static void print_commands(void) {
    for (const rc_command *command = rc_commands; command->name != NULL; command++) {
        char left[40];
        snprintf(left, sizeof left, "%s %s", command->name, command->operands);
        printf("  %-*s %s\n", LEFT_COLUMNS, left, _(command->summary));
    }
}

static void print_units(void) {
    puts(_("SIZE: K M G and KiB MiB GiB are powers of 1024, kB MB GB powers of 1000.\n"
           "RATE: GB/s bytes, Gb/s bits, powers of 1000.  TIME: ns us ms s."));
}

void rc_print_help(const rc_command *command) {
    if (command == NULL) {
        puts(_("usage: ringsim [COMMAND] [options]\n"
               "Plans, times, checks and walks through collectives, first of all the ring\n"
               "all-reduce. To begin with: ringsim --gpus 5 --step; a course: ringsim lesson"));
        puts(_("\ncommands:"));
        print_commands();
        puts(_("\noptions of run, the default command:"));
        print_options(RC_RUN);
        puts("");
        print_units();
        return;
    }
    printf(_("usage: ringsim %s %s\n"), command->name,
           command->operands[0] == '\0' ? _("[options]") : command->operands);
    puts(_(command->summary));
    puts(_("\noptions:"));
    print_options(command->bit);
    if (command->bit & (RC_RUN | RC_COMPARE | RC_VERIFY)) {
        puts("");
        print_units();
    }
}
