/* drawn_line.c: see drawn_line.h. */
#include "drawn_line.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "run/command.h"
#include "support/session.h"

enum { WORD = 64, MOST_OPERANDS = 8 };

/* A command with what may stand behind it and which of its options are left out. */
typedef struct kind {
    const char *command;
    const char *operands[MOST_OPERANDS]; /* one of them; none: "" */
    const char *always;                  /* these words come first; "": none */
    const char *left_out;                /* names between blanks */
} kind;

/* What opens windows, waits for keys, measures time, asks this machine or paints with its fonts. */
#define NOT_HERE                                                                                   \
    " help version lang view speed theme scale size reduced-motion export sheet slides bare sandbox interpret step "
#define AS_TEXT NOT_HERE "json transfers csv "
static const kind kinds[] = {
    {"run", {""}, "--gpus 4 --bytes 64KiB", NOT_HERE "moment "},
    {"run", {""}, "--gpus 6 --bytes 3kB --view text --at 1", AS_TEXT "at "},
    {"run",
     {""},
     "--machine box:2,gpus=4,port=100GB/s,nics=2x100Gb/s --bytes 64KiB",
     NOT_HERE "moment "},
    {"compare", {""}, "--gpus 2,3,8", NOT_HERE "at "},
    {"check",
     {"tests/golden/flows/07.sched", "tree.sched", "short.sched", "learner.c --interpret"},
     "",
     NOT_HERE},
    {"view", {"four.trace", "dead.trace"}, "--view text --at 2", AS_TEXT "at "},
    {"view",
     {"four.trace", "zero.trace four.trace", "slow.trace zero.trace", "four.trace slow.trace"},
     "",
     NOT_HERE "moment at "},
    {"fit", {"four.trace", "slow.trace", "four.trace slow.trace", "perf.txt"}, "", NOT_HERE},
    {"machine",
     {"assets/machines/dgx-h100.machine", "assets/machines/hgx-a100.machine:2",
      "assets/machines/thin-wire.machine", "box:4,gpus=2,port=10GB/s,nics=2x10GB/s",
      "assets/machines/torus4x4.machine", "tests/data/topologies/dgx1-v100.topo"},
     "",
     NOT_HERE},
    {"estimate", {""}, "--machine assets/machines/dgx-h100.machine:2", NOT_HERE},
    {"explain",
     {"tests/data/nccl-logs/two-nodes.log", "lessons/20-reading-nccl/good.log"},
     "--why 1MiB",
     NOT_HERE "nccl launch nccl-algo nccl-proto like fabric at why "},
    {"explain",
     {"tests/data/topologies/dgx1-v100.topo", "tests/data/topologies/hgx-a100.xml"},
     "",
     NOT_HERE},
    {"hang", {"jobs/job1", "jobs/job2", "jobs/job3"}, "", NOT_HERE "at moment "},
    {"train", {""}, "--gpus 3 --model linreg --view text --at 1", AS_TEXT "at "},
    {"train",
     {""},
     "--gpus 4 --model mlp --hidden 4 --dataset 40 --epochs 2 --json",
     NOT_HERE "json at moment csv hidden dataset epochs "},
    {"train",
     {""},
     "--gpus 4 --model assets/gpt2.lay",
     NOT_HERE "model at moment dataset shuffle check lr "},
    {"sampler", {""}, "--view text --at 1", AS_TEXT "at "},
    {"sampler", {""}, "--dataset 23", NOT_HERE "moment at "},
    {"mapreduce", {""}, "--text tests/data/lesson.md", NOT_HERE "moment "},
    {"launch", {""}, "", NOT_HERE "moment "},
    {"gil", {""}, "--cores 4 --iters 0", NOT_HERE "iters cores moment "},
    {"hang",
     {"jobs/job1", "jobs/job2", "jobs/job4", "jobs/job5"},
     "--view text --at 1",
     AS_TEXT "at "},
    {"explain",
     {"lessons/20-reading-nccl/good.log", "tests/data/nccl-logs/two-nodes.log"},
     "--step --view text",
     AS_TEXT "at nccl launch nccl-algo nccl-proto like fabric why collective "},
    {"compare", {""}, "--gpus 2..6 --bytes 1MB --view text --at 1", AS_TEXT "at plot "},
    {"launch", {""}, "--view text --at 1", AS_TEXT "at "},
    {"gil", {""}, "--cores 4 --iters 0 --view text --at 2", AS_TEXT "at iters cores "},
    {"estimate", {""}, "--machine assets/machines/hgx-a100.machine:4 --json", NOT_HERE "csv "},
    {"lesson", {"3", "9", "13", "17"}, "--view text", AS_TEXT "reset class key gift "},
    {"lesson", {"1", "5", "tree-or-ring", "20"}, "--json", NOT_HERE "reset class json gift "},
};
const int n_line_kinds = sizeof kinds / sizeof *kinds;

static const char *one_of(const char *const *list, int n) {
    return list[session_below(n)];
}
#define ONE_OF(...)                                                                                \
    one_of((const char *const[]){__VA_ARGS__},                                                     \
           (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))

/* ------------------------------------------------------------------ a value of a type */

static const char *name_of(const rc_type *type) {
    const char *names[256];
    int n = 0;
    if (type->word != NULL) names[n++] = type->word;
    for (int i = 0; n < 255; i++) {
        const char *name = type->names != NULL ? type->names[i] : type->name_at(i);
        if (name == NULL) break;
        names[n++] = name;
    }
    return one_of(names, n);
}

static const char *amount_of(rc_quantity quantity) {
    switch (quantity) {
    case RC_IN_BYTES: return ONE_OF("0", "1", "100", "4KiB", "1MB", "3000001", "0.5KiB");
    case RC_IN_BYTES_PER_S: return ONE_OF("1GB/s", "20GB/s", "8Gb/s", "3B/s", "0.5GB/s");
    case RC_IN_PS: return ONE_OF("0", "1us", "2.5ms", "300ns", "40us");
    case RC_IN_FLOPS: return ONE_OF("1TFLOP/s", "312TFLOP/s", "1e9");
    }
    return "";
}

static void write_fault(const char *form, char out[WORD]) {
    const char *time = ONE_OF("1us", "2ms", "0", "40us"), *factor = ONE_OF("2", "4", "1", "1.5");
    const int rank = session_below(7), step = session_below(5);
    const char *end = strstr(form, ":TIME") != NULL     ? time
                      : strstr(form, ":FACTOR") != NULL ? factor
                                                        : NULL;
    char at[16] = "";
    if (strchr(form, '@') != NULL) snprintf(at, sizeof at, "@%d", step);
    snprintf(out, WORD, "%d%s%s%s", rank, at, end == NULL ? "" : ":", end == NULL ? "" : end);
}

/* Writes a value for the option; of a text such as a file's name by what its argument is called. */
static void write_value(const char *argument, const rc_type *type, char out[WORD]) {
    rc_read_as *const read = type == NULL ? NULL : type->read;
    const char *text = NULL;
    if (read == rc_as_integer || read == rc_as_world) {
        const int64_t most = type->most < type->least + 12 ? type->most : type->least + 12;
        const int64_t number = type->least + session_below((int32_t)(most - type->least) + 1);
        snprintf(out, WORD, "%lld", (long long)number + (session_below(20) == 0 ? -1 : 0));
        return;
    }
    if (read == rc_as_fault) {
        write_fault(argument, out);
        return;
    }
    if (read == rc_as_amount)
        text = amount_of((rc_quantity)type->least);
    else if (read == rc_as_step)
        text = ONE_OF("0", "1", "2", "5", "99");
    else if (read == rc_as_seed)
        text = ONE_OF("0", "7", "18446744073709551615");
    else if (read == rc_as_cut)
        text = ONE_OF("gpu0:gpu1", "nic0:leaf", "0:1", "node0:node1");
    else if (read == rc_as_place)
        text = ONE_OF("block", "cyclic", "ring", "3,2,1,0", "0,1");
    else if (read == rc_as_factor)
        text = ONE_OF("1", "2", "1.5", "0.25");
    else if (read == rc_as_share)
        text = ONE_OF("0", "0.1", "50%", "1");
    else if (read == rc_as_numbers)
        text = ONE_OF("2,4", "1..3", "8", "3,3,5");
    else if (read == rc_as_sizes)
        text = ONE_OF("1KiB,1MiB", "1KiB..64KiB", "8", "1MB");
    else if (read == rc_as_counts)
        text = ONE_OF("1,10", "1..8", "0", "1000");
    else if (read == rc_as_data)
        text = ONE_OF("digits", "index", "random", "3,1,2", "1e8,1,-1e8");
    else if (read == rc_as_algorithm && session_below(8) == 0)
        text = "tree.sched";
    else if (read == rc_as_word || read == rc_as_algorithm)
        text = name_of(type);
    else if (read == rc_as_words) {
        const char *first = name_of(type); /* drawn in this order by any compiler */
        snprintf(out, WORD, "%.20s,%.20s", first, name_of(type));
        return;
    } else if (strstr(argument, "box:") != NULL) {
        text = ONE_OF("box:3,gpus=2,port=20GB/s,nics=1x50GB/s,latency=1us",
                      "assets/machines/hgx-a100.machine:2", "assets/machines/thin-wire.machine",
                      "box:2,gpus=2,port=50GB/s,nics=1x100Gb/s", "assets/machines/bus.machine",
                      "box:1,gpus=8,port=200GB/s", "assets/machines/dgx1-v100.machine",
                      "assets/machines/line.machine");
    } else if (strcmp(argument, "VERSION") == 0) {
        text = ONE_OF("2.18.3", "2.21.5", "2.23.4", "2.26", "2.27.7", "2.30.1", "3.1");
    } else if (strcmp(argument, "PRESET") == 0) {
        text = ONE_OF("dgx-h100", "hgx-a100", "dgx1-v100", "b200", "line");
    } else if (strcmp(argument, "TABLE") == 0) {
        text = ONE_OF("perf.txt", "links.csv");
    } else if (strcmp(argument, "LIST") == 0) {
        text = ONE_OF("Ring", "^NVLS", "Tree,Ring", "Simple", "^LL128", "LL,Simple", "2,3", "16");
    } else if (strcmp(argument, "FILE") == 0) {
        text = ONE_OF("out.a", "-", "out.json");
    } else if (strstr(argument, "csv") != NULL) {
        text = "links.csv";
    } else if (strstr(argument, "FOLDER") != NULL) {
        text = "out";
    } else if (strstr(argument, "FILE") != NULL || strstr(argument, "json") != NULL) {
        text = ONE_OF("-", "out.trace", "out.json");
    } else {
        text = ONE_OF("1", "2", "3", "10", "0", "16", "0:1", "1,2,3");
    }
    snprintf(out, WORD, "%s", text);
}

/* ------------------------------------------------------------------ a line */

static bool is_left_out(const char *name, const kind *of) {
    char word[WORD];
    snprintf(word, sizeof word, " %s ", name);
    return strstr(of->left_out, word) != NULL;
}

void draw_line(int kind_index, char line[LINE]) {
    const kind *of = &kinds[kind_index];
    const rc_command *command = rc_find_command(of->command);
    int n_operands = 0;
    while (n_operands < MOST_OPERANDS && of->operands[n_operands] != NULL) n_operands++;
    const char *operand = of->operands[session_below(n_operands)];
    int n = snprintf(line, LINE, "%s%s%s%s%s", of->command, operand[0] != '\0' ? " " : "", operand,
                     of->always[0] != '\0' ? " " : "", of->always);
    for (int k = 1 + session_below(4); k > 0; k--) {
        const rc_option option =
            rc_option_of(command, command->takes[session_below(command->n_takes)]);
        char value[WORD] = "", word[WORD];
        snprintf(word, sizeof word, " --%s", option.name);
        if (is_left_out(option.name, of) || strstr(line, word) != NULL) {
            k += session_below(8) > 0; /* another one, in the end */
            continue;
        }
        if (option.argument != NULL) write_value(option.argument, option.type, value);
        n += snprintf(line + n, LINE - (size_t)n, "%s%s%s", word,
                      option.argument != NULL ? " " : "", value);
    }
}
