/* test_options.c: the command line, option by option: what it asks for, and what is refused. */
#include "run/request.h"
#include "ringsim_mapreduce.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 32 };

/* A command line on its way to a request. */
typedef struct typed {
    char text[512];
    char *words[MOST_WORDS + 1];
    rs_arena arena;
    rs_error error;
    rc_session session;
    rc_asked asked;
    rc_exit status;
} typed;

/* Splits the line at spaces, parses it for the command, and for `run` makes the request. */
static void type_for(typed *t, const char *line, const rc_command *command) {
    memset(t, 0, sizeof *t);
    snprintf(t->text, sizeof t->text, "ringsim %s", line);
    int n = 0;
    for (char *at = strtok(t->text, " "); at != NULL && n < MOST_WORDS; at = strtok(NULL, " ")) {
        t->words[n++] = at;
    }
    rs_arena_init(&t->arena, NULL);
    t->session = (rc_session){.program = "ringsim", .arena = &t->arena, .error = &t->error};
    t->status = rc_options_parse(n, t->words, command, &t->arena, &t->error, &t->session.options);
    if (t->status == RC_GOOD && command == &rc_command_run) {
        t->status = rc_make_request(&t->session, &t->asked);
    }
}

static void type_run(typed *t, const char *line) {
    type_for(t, line, &rc_command_run);
}

static void finish(typed *t) {
    rs_arena_free(&t->arena);
}

static void expect_good(typed *t, const char *line) {
    type_run(t, line);
    cr_assert_eq(t->status, RC_GOOD, "%s: %s", line, t->error.text);
}

static void expect_bad(const char *line, rc_exit status, const char *says) {
    typed t;
    type_run(&t, line);
    cr_expect_eq(t.status, status, "%s: exit %d, %s", line, (int)t.status, t.error.text);
    cr_expect(strstr(t.error.text, says) != NULL, "%s: %s", line, t.error.text);
    cr_expect(strchr(t.error.text, '\n') == NULL, "%s: %s", line, t.error.text);
    finish(&t);
}

Test(options, without_any_the_manual_s_defaults_hold) {
    typed t;
    expect_good(&t, "");
    const rs_request *request = &t.asked.request;
    cr_expect_str_eq(t.asked.schedule.name, "ring");
    cr_expect_eq(t.asked.schedule.order, RS_ORDER_SEED);
    cr_expect_eq(t.asked.schedule.n_ranks, 5);
    cr_expect_eq(request->job.count, 25000000, "100 MB of i32");
    cr_expect(request->dtype == RS_I32 && request->op == RS_SUM);
    cr_expect_eq(request->job.elem_bytes, 4);
    cr_expect_eq(request->job.net.link.alpha_ps, 5000000);
    cr_expect_eq(request->job.net.link.bandwidth_Bps, 20000000000u);
    cr_expect_eq(request->job.net.reduce_Bps, 0u);
    cr_expect_eq(request->job.net.protocol, RS_RENDEZVOUS);
    cr_expect(request->values == RS_VALUES_AUTO && request->check == RS_AUTO);
    cr_expect(request->engine == RS_ENGINE_AUTO && request->data == RS_DATA_AUTO);
    cr_expect(request->seed == 0 && request->trace_limit == 0 && request->input == NULL);
    cr_expect(request->job.schedule == &t.asked.schedule && t.asked.file == NULL);
    finish(&t);
}

Test(options, every_option_of_run_reaches_the_request) {
    typed t;
    expect_good(&t,
                "-n 8 --algo ring --order nccl --count 1000 --dtype f64 --op avg --values sample "
                "--data random --seed 7 --alpha 1us --bandwidth 100Gb/s --reduce-rate 5GB/s "
                "--protocol eager --check never --engine events");
    const rs_request *request = &t.asked.request;
    cr_expect_eq(t.asked.schedule.n_ranks, 8);
    cr_expect_eq(t.asked.schedule.order, RS_ORDER_NCCL);
    cr_expect_eq(request->job.count, 1000);
    cr_expect(request->dtype == RS_F64 && request->op == RS_AVG && request->job.elem_bytes == 8);
    cr_expect(request->values == RS_VALUES_SAMPLE && request->data == RS_DATA_RANDOM);
    cr_expect_eq(request->seed, 7u);
    cr_expect_eq(request->job.net.link.alpha_ps, 1000000);
    cr_expect_eq(request->job.net.link.bandwidth_Bps, 12500000000u);
    cr_expect_eq(request->job.net.reduce_Bps, 5000000000u);
    cr_expect_eq(request->job.net.protocol, RS_EAGER);
    cr_expect(request->check == RS_NEVER && request->engine == RS_ENGINE_EVENTS);
    finish(&t);
}

Test(options, faults_keep_their_order_and_the_last_of_equal_options_counts) {
    typed t;
    expect_good(&t,
                "--gpus 3 --gpus=4 --kill 1@2 --late 0:1us --kill 2@0 --count 100 --slow-link 3:2");
    cr_expect_eq(t.asked.schedule.n_ranks, 4);
    cr_assert_eq(t.asked.request.job.n_faults, 4);
    const rs_fault *faults = t.asked.request.job.faults;
    cr_expect(faults[0].kind == RS_KILL && faults[0].rank == 1);
    cr_expect(faults[1].kind == RS_LATE);
    cr_expect(faults[2].kind == RS_KILL && faults[2].rank == 2);
    cr_expect(faults[3].kind == RS_SLOW_LINK);
    finish(&t);
}

Test(options, every_algorithm_type_and_operation_is_known_by_its_name) {
    typed t;
    char line[80];
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        snprintf(line, sizeof line, "--algo %s --count 10", rs_algorithms[i]->name);
        expect_good(&t, line);
        cr_expect_str_eq(t.asked.schedule.name, rs_algorithms[i]->name);
        finish(&t);
    }
    for (int i = 0; i < RS_N_DTYPES; i++) {
        for (int j = 0; j < RS_N_OPS; j++) {
            snprintf(line, sizeof line, "--dtype %s --op %s", rs_dtype_name((rs_dtype)i),
                     rs_op_name((rs_op)j));
            expect_good(&t, line);
            cr_expect_eq((int)t.asked.request.dtype, i);
            cr_expect_eq((int)t.asked.request.op, j);
            cr_expect_eq(t.asked.request.job.count * t.asked.request.job.elem_bytes, 100000000);
            finish(&t);
        }
    }
}

Test(options, a_list_gives_each_rank_its_number) {
    typed t;
    expect_good(&t, "--gpus 4 --dtype f32 --data 1e8,1,-1e8,1 --count 4");
    cr_expect_eq(t.asked.request.data, RS_DATA_LIST);
    cr_expect(t.asked.request.list[0] == 1e8 && t.asked.request.list[2] == -1e8);
    finish(&t);
    expect_good(&t, "--gpus 1 --data 7 --count 4");
    cr_expect_eq(t.asked.request.list[0], 7.0);
    finish(&t);
    expect_good(&t, "--gpus 2 --dtype u8 --data 0,255 --count 1");
    finish(&t);
    expect_good(&t, "--gpus 2 --dtype i8 --data -128,127 --count 1");
    finish(&t);
    expect_bad("--gpus 2 --dtype u8 --data 0,256", RC_USAGE, "place 1");
    expect_bad("--gpus 2 --dtype u8 --data -1,2", RC_USAGE, "place 0");
    expect_bad("--gpus 2 --dtype i8 --data 0,128", RC_USAGE, "does not fit");
    expect_bad("--gpus 2 --dtype i32 --data 0,1.5", RC_USAGE, "does not fit");
    expect_bad("--gpus 2 --dtype i64 --data 0,1e17", RC_USAGE, "does not fit");
    expect_bad("--gpus 2 --dtype f64 --data 0,1e999", RC_USAGE, "no number");
    expect_bad("--gpus 2 --data 1,2,3", RC_USAGE, "3 numbers for 2 GPUs");
    expect_bad("--gpus 2 --data 1", RC_USAGE, "1 numbers");
    expect_bad("--gpus 2 --data 1,", RC_USAGE, "no number");
    expect_bad("--gpus 2 --data 1,2x", RC_USAGE, "no number");
    expect_bad("--gpus 2 --data 1,nan --dtype i32", RC_USAGE, "does not fit");
}

Test(options, refuses_numbers_out_of_range) {
    expect_bad("--gpus 0", RC_USAGE, "--gpus 0: the world size must lie in 1..131072");
    expect_bad("--gpus 131073", RC_USAGE, "1..131072");
    expect_bad("--gpus -5", RC_USAGE, "1..131072");
    expect_bad("--gpus 2.5", RC_USAGE, "1..131072");
    expect_bad("--gpus five", RC_USAGE, "1..131072");
    expect_bad("--count -1", RC_USAGE, "--count");
    expect_bad("--count 9223372036854775807", RC_USAGE, "--count");
    expect_bad("--count 1000000000000000000", RC_USAGE, "too many");
    expect_bad("--bytes 7", RC_USAGE, "no whole number of elements");
    expect_bad("--bytes 10Q", RC_USAGE, "unit 'Q'");
    expect_bad("--alpha -1us", RC_USAGE, "--alpha");
    expect_bad("--bandwidth 0", RC_USAGE, "--bandwidth");
    expect_bad("--reduce-rate fast", RC_USAGE, "--reduce-rate");
    expect_bad("--seed x", RC_USAGE, "--seed");
}

Test(options, refuses_words_and_suggests_the_nearest) {
    expect_bad("--algo rign", RC_USAGE, "did you mean 'ring'");
    expect_bad("--algo zzz", RC_USAGE, "ring, naive, tree, doubling, halving");
    expect_bad("--order sed", RC_USAGE, "'seed'");
    expect_bad("--dtype float", RC_USAGE, "f32");
    expect_bad("--op plus", RC_USAGE, "sum");
    expect_bad("--values every", RC_USAGE, "sample");
    expect_bad("--data digit", RC_USAGE, "'digits'");
    expect_bad("--protocol eagre", RC_USAGE, "'eager'");
    expect_bad("--check alway", RC_USAGE, "'always'");
    expect_bad("--engine event", RC_USAGE, "'events'");
    expect_bad("--gpsu 5", RC_USAGE, "did you mean --gpus?");
    expect_bad("--bandwith 1GB/s", RC_USAGE, "did you mean --bandwidth?");
    expect_bad("--quite-something-else", RC_USAGE, "ringsim --help");
    expect_bad("-q", RC_USAGE, "-q");
    expect_bad("--s 5", RC_USAGE, "--s"); /* --seed, --step, --save, ... */
    expect_bad("--gpus", RC_USAGE, "needs an argument: N");
    expect_bad("-n", RC_USAGE, "needs an argument: N");
    expect_bad("--json=yes", RC_USAGE, "takes no argument");
}

Test(options, refuses_combinations_that_contradict_each_other) {
    expect_bad("--count 5 --bytes 20", RC_USAGE, "give one");
    expect_bad("--order nccl --algo tree", RC_USAGE, "only the ring");
    expect_bad("--values none --output /tmp/x", RC_USAGE, "--output needs every value");
    expect_bad("--values sample --output /tmp/x", RC_USAGE, "--output needs every value");
    expect_bad("--data index --input /dev/null --count 1", RC_USAGE, "give one");
    expect_bad("--input /dev/null", RC_USAGE, "--count or --bytes");
    expect_bad("--flip 1@0 --count 1", RC_USAGE, "no bit to flip");
    expect_bad("--kill 5@0", RC_USAGE, "rank");
    expect_bad("--algo missing.c", RC_USAGE, "missing.c: No such file");
    expect_bad("--algo missing.sched", RC_USAGE, "missing.sched");
    expect_bad("--links missing.csv", RC_USAGE, "--links: missing.csv");
}

Test(options, says_before_starting_that_memory_does_not_suffice) {
    expect_bad("--gpus 131072 --values all", RC_LACKS, "the values of 131072 GPUs take");
    expect_bad("--gpus 131072 --json --transfers", RC_LACKS, "34359476224 transfers take");
    typed t;
    expect_good(&t, "--gpus 131072 --json");
    finish(&t);
}

/* The id of the command's option of that name; -1: it has none. */
static int option_named(const rc_command *command, const char *name) {
    for (int i = 0; i < command->n_takes; i++) {
        const int id = command->takes[i];
        if (strcmp(rc_option_of(command, id).name, name) == 0) return id;
    }
    return -1;
}

static const rc_value *value_named(const typed *t, const char *name) {
    const int id = option_named(t->session.options.command, name);
    cr_assert(id >= 0, "--%s", name);
    return &t->session.options.value[id];
}

/* Types the option for every command: it is known to those that have one of its name. */
static void expect_owners(const rc_option *option) {
    bool taken = false;
    cr_assert_not_null(option->name);
    cr_assert(option->help != NULL || option->id == RC_SHOW, "help.c lists the views itself");
    for (int c = 0; rc_commands[c] != NULL; c++) {
        const rc_command *command = rc_commands[c];
        const bool takes = option_named(command, option->name) >= 0;
        taken = taken || takes;
        char line[80];
        snprintf(line, sizeof line, "--%s%s", option->name, option->argument ? " 1" : "");
        typed t = {0};
        type_for(&t, line, command);
        /* another command's option of that name may want an argument first */
        const bool known = strstr(t.error.text, " is no option of ") == NULL &&
                           (takes || strstr(t.error.text, " needs an argument") == NULL);
        cr_expect_eq(known, takes, "%s %s: %s", command->name, line, t.error.text);
        finish(&t);
    }
    cr_expect(taken, "--%s is of use to nobody", option->name);
}

Test(options, each_command_takes_its_own) {
    for (int i = 0; i < RC_N_OPTIONS; i++) {
        expect_owners(&rc_option_table[i]);
        cr_expect_eq(rc_option_table[i].id, i, "--%s", rc_option_table[i].name);
    }
    for (int c = 0; rc_commands[c] != NULL; c++) {
        const rc_command *command = rc_commands[c];
        for (int i = 0; i < command->n_takes; i++) {
            const int id = command->takes[i];
            cr_assert(id >= 0 && id < RC_N_VALUES, "%s, option %d", command->name, i);
            cr_assert_not_null(rc_option_of(command, id).name, "%s, option %d", command->name, i);
            for (int k = 0; k < i; k++) {
                cr_expect_neq(command->takes[k], id, "%s, option %d", command->name, i);
            }
        }
        for (int i = 0; i < command->n_own; i++) {
            const rc_option *own = &command->own[i];
            cr_expect(rc_takes(command, own->id), "%s, its own option %d", command->name, i);
            cr_expect_eq(own->name != NULL, own->id >= RC_OWN, "%s, its own option %d",
                         command->name, i);
            for (int k = 0; k < i; k++) {
                cr_expect_neq(command->own[k].id, own->id, "%s, its own option %d", command->name,
                              i);
            }
            if (own->name != NULL) expect_owners(own);
        }
        for (int i = 0; i < command->n_often; i++) {
            cr_expect(rc_takes(command, command->often[i]), "%s, place %d", command->name, i);
        }
    }
}

Test(options, a_command_reads_an_option_by_its_own_type) {
    typed t;
    type_for(&t, "--gpus 4097", rc_find_command("gil"));
    cr_expect_eq(t.status, RC_USAGE);
    cr_expect(strstr(t.error.text, "--gpus: '4097' lies outside 1..") != NULL, "%s", t.error.text);
    finish(&t);
    type_for(&t, "--op list", rc_find_command("mapreduce"));
    cr_expect_eq(t.session.options.value[RC_OP].number, RS_MR_LIST);
    cr_expect_eq(t.session.options.value[RC_ORDER].number, RS_ORDER_SEED, "by the table's type");
    finish(&t);
}

Test(options, what_was_not_given_has_the_command_s_default) {
    typed t;
    type_for(&t, "--slices 7", rc_find_command("gil"));
    cr_assert_eq(t.status, RC_GOOD, "%s", t.error.text);
    cr_expect(value_named(&t, "slices")->number == 7 && value_named(&t, "slices")->text != NULL);
    cr_expect(value_named(&t, "iters")->number == 3 && value_named(&t, "iters")->text == NULL);
    cr_expect_eq(value_named(&t, "work")->number, 100000000000);
    cr_expect_eq(value_named(&t, "python-share")->num * 2, value_named(&t, "python-share")->den);
    finish(&t);
    type_for(&t, "", rc_find_command("train"));
    cr_assert(value_named(&t, "gpus")->n == 1 && value_named(&t, "gpus")->list[0] == 5);
    cr_expect_eq(value_named(&t, "python-share")->num * 10, value_named(&t, "python-share")->den);
    finish(&t);
}

Test(options, the_first_error_in_the_order_of_the_help_is_told) {
    typed t;
    type_for(&t, "--slices 7 --work y --iters x", rc_find_command("gil"));
    cr_expect_eq(t.status, RC_USAGE);
    cr_expect(strncmp(t.error.text, "--iters: ", 9) == 0, "%s", t.error.text);
    finish(&t);
    type_for(&t, "--iters x --iters 5", rc_find_command("gil"));
    cr_expect_eq(t.status, RC_GOOD, "only the last of equal options is read: %s", t.error.text);
    finish(&t);
    type_for(&t, "--iters x --help", rc_find_command("gil"));
    cr_expect_eq(t.status, RC_GOOD, "who asks for help gets it: %s", t.error.text);
    finish(&t);
}

/* The places of a list of words, or the numbers of a list. */
static void expect_list(const char *command, const char *line, rc_option_id id, int64_t n,
                        const int64_t expected[]) {
    typed t;
    type_for(&t, line, rc_find_command(command));
    const rc_value *value = &t.session.options.value[id];
    cr_assert_eq(t.status, RC_GOOD, "%s: %s", line, t.error.text);
    cr_assert_eq(value->n, n, "%s", line);
    for (int64_t i = 0; i < n; i++) cr_expect_eq(value->list[i], expected[i], "%s", line);
    finish(&t);
}

Test(options, lists_are_read_once_for_all_commands) {
    expect_list("verify", "--dtype f32,i8,f32", RC_DTYPE, 2, (int64_t[]){RS_F32, RS_I8});
    expect_list("verify", "--dtype all", RC_DTYPE, 0, NULL);
    expect_list("verify", "--op min", RC_OP, 1, (int64_t[]){RS_MIN});
    expect_list("compare", "--algo tree,ring", RC_ALGO, 2, (int64_t[]){2, 0});
    expect_list("compare", "--bytes 1KiB..5KiB", RC_BYTES, 3, (int64_t[]){1024, 4096, 5120});
    expect_list("train", "--batch 3,1", RC_BATCH, 2, (int64_t[]){3, 1});
    expect_list("run", "--size 640x480", RC_SIZE, 2, (int64_t[]){640, 480});
    expect_bad("--show ring,,cost", RC_USAGE, "--show 'ring,,cost': a name is missing");
    expect_bad("--show rign", RC_USAGE, "--show rign: did you mean 'ring'?");
    expect_bad("--size 1x1", RC_USAGE, "--size 1x1: write width x height");
    expect_bad("--scale 0.4", RC_USAGE, "--scale 0.4: write a number in 0.5..4");
    expect_bad("--export x.jpg", RC_USAGE, "write FILE.svg");
}

Test(options, a_share_is_a_part_of_one_or_a_percentage) {
    static const struct {
        const char *command, *text;
        uint64_t num, den; /* den 0: refused */
    } shares[] = {{"gil", "0", 0, 1},      {"gil", "0.0", 0, 1},      {"gil", "1", 1, 1},
                  {"gil", "25%", 25, 100}, {"gil", "1.01", 0, 0},     {"gil", "101%", 0, 0},
                  {"gil", "%", 0, 0},      {"gil", "half", 0, 0},     {"train", "0.1", 1, 10},
                  {"train", "2", 2, 1},    {"train", "10%", 10, 100}, {"train", "200", 0, 0}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        typed t;
        char line[64];
        snprintf(line, sizeof line, "--python-share %s", shares[i].text);
        type_for(&t, line, rc_find_command(shares[i].command));
        const rc_value *share = &t.session.options.value[RC_PYTHON_SHARE];
        cr_expect_eq(t.status == RC_GOOD, shares[i].den > 0, "%s: %s", line, t.error.text);
        const bool same = share->num == shares[i].num && share->den == shares[i].den;
        cr_expect(t.status != RC_GOOD || same, "%s", line);
        finish(&t);
    }
}

Test(options, operands_are_kept_apart) {
    typed t;
    type_for(&t, "a.sched --json -- --b", rc_find_command("check"));
    cr_assert_eq(t.status, RC_GOOD);
    cr_assert_eq(t.session.options.n_operands, 2);
    cr_expect_str_eq(t.session.options.operands[0], "a.sched");
    cr_expect_str_eq(t.session.options.operands[1], "--b");
    cr_expect(rc_given(&t.session.options, RC_JSON));
    finish(&t);
}

/* ------------------------------------------------------------------ files */

static char folder[] = "/tmp/ringsim-test-XXXXXX";

static void make_folder(void) {
    cr_assert(mkdtemp(folder) != NULL);
    cr_assert_eq(chdir(folder), 0);
}

static void put(const char *name, const char *text, size_t n) {
    FILE *file = fopen(name, "wb");
    cr_assert(file != NULL && fwrite(text, 1, n, file) == n && fclose(file) == 0);
}

static void remove_folder(void) {
    static const char *const names[] = {"two.sched", "bad.sched", "links.csv",
                                        "values",    "out",       "empty"};
    for (int i = 0; i < 6; i++) unlink(names[i]);
    rmdir(folder);
}

static const char two[] = "ringsim-schedule 1\nranks 2\nchunks 1\nstep\n0 -> 1 chunk 0 reduce\n"
                          "step\n1 -> 0 chunk 0 copy\n";

Test(options, a_schedule_file_brings_its_own_world_size, .init = make_folder,
     .fini = remove_folder) {
    put("two.sched", two, sizeof two - 1);
    put("bad.sched", "ringsim-schedule 1\nranks two\n", 29);
    put("empty", "", 0);
    typed t;
    expect_good(&t, "--algo two.sched --count 3");
    cr_expect_eq(t.asked.schedule.n_ranks, 2);
    cr_expect_str_eq(t.asked.file, "two.sched");
    cr_expect_eq(t.asked.schedule.n_steps, 2);
    finish(&t);
    expect_good(&t, "--algo ./two.sched --gpus 2 --count 0");
    cr_expect_eq(t.asked.schedule.n_transfers, 0, "nothing to send");
    cr_expect_str_eq(t.asked.schedule.name, "file");
    finish(&t);
    expect_bad("--algo two.sched --gpus 3", RC_USAGE, "is for 2 ranks");
    expect_bad("--algo two.sched --order seed", RC_USAGE, "--order");
    expect_bad("--algo two.sched --kill 2@0", RC_USAGE, "0..1");
    expect_bad("--algo bad.sched", RC_USAGE, "bad.sched: line 2");
    expect_bad("--algo ./empty", RC_USAGE, "./empty: ");
    expect_bad("--algo .", RC_USAGE, "directory");
}

Test(options, an_input_holds_exactly_what_the_run_needs, .init = make_folder,
     .fini = remove_folder) {
    put("values", "0123456789abcdefghijklmnopqrstuvwxyzABCD", 40);
    typed t;
    expect_good(&t, "--gpus 5 --input values --count 2");
    cr_assert(t.asked.request.input != NULL);
    cr_expect_eq(memcmp(t.asked.request.input, "0123456789", 10), 0);
    finish(&t);
    expect_good(&t, "--gpus 5 --input values --dtype i8");
    cr_expect_eq(t.asked.request.job.count, 8, "the file's length says how many");
    finish(&t);
    expect_good(&t, "--gpus 2 --input values --bytes 20 --output out");
    cr_expect_eq(t.asked.request.values, RS_VALUES_ALL, "an output needs all");
    finish(&t);
    expect_bad("--gpus 5 --input values --count 3", RC_USAGE, "holds 40 bytes");
    expect_bad("--gpus 3 --input values", RC_USAGE, "40 bytes are not the same number");
    expect_bad("--gpus 3 --input missing --count 1", RC_USAGE, "missing");
    expect_bad("--gpus 3 --input . --count 1", RC_USAGE, "directory");
}

Test(options, a_link_table_must_fit_the_world_size, .init = make_folder, .fini = remove_folder) {
    put("links.csv", "0,1,1us,1GB/s\n4,0,2us,2GB/s\n", 28);
    typed t;
    expect_good(&t, "--links links.csv");
    cr_assert_eq(t.asked.request.job.net.n_overrides, 2);
    cr_expect_eq(t.asked.request.job.net.overrides[1].src, 4);
    finish(&t);
    expect_bad("--gpus 4 --links links.csv", RC_USAGE, "--links links.csv: line 2, src");
}

/* Where the command stands in a line of words. */
static int word_of(const char *line) {
    char text[256];
    char *words[MOST_WORDS + 1];
    int n = 0;
    snprintf(text, sizeof text, "ringsim %s", line);
    for (char *at = strtok(text, " "); at != NULL && n < MOST_WORDS; at = strtok(NULL, " ")) {
        words[n++] = at;
    }
    const char *language = NULL;
    return rc_look_ahead(n, words, &language);
}

Test(options, the_first_word_is_found_behind_options_and_what_they_take) {
    cr_expect_eq(word_of("lesson 5"), 1);
    cr_expect_eq(word_of("--lang zh_CN lesson"), 3);
    cr_expect_eq(word_of("--lang=zh_CN lesson"), 2);
    cr_expect_eq(word_of("--json -n 5 --shuffle sampler"), 5);
    cr_expect_eq(word_of("-n5 compare"), 2);
    cr_expect_eq(word_of("--epoch 3 sampler"), 3, "--epochs is longer: it does not count");
    cr_expect_eq(word_of("--slow 1:2 run"), 2, "the beginning of several is refused later");
    cr_expect_eq(word_of("--json --gpus 4"), 0);
    cr_expect_eq(word_of(""), 0);
}

Test(options, no_command_is_found_behind_two_dashes_and_errors_do_not_hide_it) {
    cr_expect_eq(word_of("-- lesson"), 0);
    cr_expect_eq(word_of("--s lesson"), 2);
    cr_expect_eq(word_of("--frob lesson"), 2);
    cr_expect_eq(word_of("-hj 2 lesson"), 3, "several letters in one");
}

Test(options, the_language_is_what_lang_says_and_no_other_word) {
    static char *words[] = {"ringsim", "--json", "--lan=en", "--save", "--lang", "x", "--lang"};
    const char *language = NULL;
    cr_expect_eq(rc_look_ahead(2, words, &language), 0);
    cr_expect_null(language);
    cr_expect_eq(rc_look_ahead(6, words, &language), 0);
    cr_expect_str_eq(language, "x", "an option's whole name is no value: --save has none");
    static char *joined[] = {"ringsim", "--lan=en", "--save=--lang", "x", "--gpus", "--lang"};
    cr_expect_eq(rc_look_ahead(4, joined, &language), 3, "a file may have the name of an option");
    cr_expect_str_eq(language, "en");
    language = NULL;
    rc_look_ahead(7, words, &language);
    cr_expect_null(language, "its argument is missing: that is told later");
}

Test(options, letters_may_stand_together_and_their_argument_behind_them) {
    typed t;
    type_for(&t, "-n4 -- -n", rc_find_command("check"));
    cr_expect(t.status == RC_GOOD && t.session.options.value[RC_GPUS].number == 4);
    cr_assert_eq(t.session.options.n_operands, 1);
    cr_expect_str_eq(t.session.options.operands[0], "-n");
    finish(&t);
    type_for(&t, "-hn 3", rc_find_command("check"));
    cr_expect(t.status == RC_GOOD && rc_given(&t.session.options, RC_HELP));
    cr_expect_str_eq(t.session.options.value[RC_GPUS].text, "3");
    finish(&t);
    expect_bad("-hq", RC_USAGE, "there is no option -q");
    expect_bad("-hn", RC_USAGE, "-hn needs an argument: N");
}
