/* cmd_list.c: `ringsim list`: the algorithms, types, operations, labs and commands there are. */
#include "base/json_file.h"
#include "base/text.h"
#include "grade/lab.h"
#include "base/find_machine.h"
#include "run/command.h"
#include "sandbox/build.h"

typedef const char *(*name_at)(int i);

static const char *command_at(int i) {
    return rc_commands[i] != NULL ? rc_commands[i]->name : NULL;
}

static const struct {
    const char *key, *title;
    name_at name;
} groups[] = {
    {"algorithms", N_("algorithms (--algo)"), rc_algorithm_at},
    {"dtypes", N_("types (--dtype)"), rc_dtype_at},
    {"ops", N_("operations (--op)"), rc_op_at},
    {"commands", N_("commands"), command_at},
};
enum { N_GROUPS = 4 };

/* The labs, none where the lessons are not installed or cannot be read. */
typedef struct shelf {
    rc_lab *labs;
    int n;
} shelf;

static shelf find_labs(rc_session *session) {
    char lessons[PATH_MAX];
    rs_error ignored;
    shelf found = {NULL, 0};
    if (rc_lessons(session->program, &ignored, lessons) != RC_GOOD) return found;
    if (rc_read_labs(lessons, session->arena, &ignored, &found.labs, &found.n) != RC_GOOD) {
        found.n = 0;
    }
    return found;
}

static int points_of(const rc_lab *lab) {
    int points = 0;
    for (int i = 0; i < lab->n_parts; i++) points += lab->parts[i].points;
    return points;
}

static void print_json(const shelf *shown, const rc_machines *machines) {
    rs_json json;
    rc_json_begin(&json, "ringsim.list/1", stdout);
    for (int g = 0; g < N_GROUPS; g++) {
        rs_json_array(&json, groups[g].key);
        for (int i = 0; groups[g].name(i) != NULL; i++) {
            rs_json_text(&json, NULL, groups[g].name(i));
        }
        rs_json_close(&json);
    }
    rs_json_array(&json, "labs");
    for (int i = 0; i < shown->n; i++) rs_json_text(&json, NULL, shown->labs[i].id);
    rs_json_close(&json);
    rs_json_array(&json, "machines");
    for (int i = 0; machines->names[i] != NULL; i++) rs_json_text(&json, NULL, machines->names[i]);
    rs_json_close(&json);
    rc_json_end(&json);
}

static void print_names(const char *title, name_at name) {
    printf("\n%s\n ", title);
    for (int i = 0; name(i) != NULL; i++) printf(" %s", name(i));
    puts("");
}

static void print_machines(const rc_machines *machines) {
    if (machines->names[0] == NULL) return;
    printf("\n%s\n ", _("machines (machine NAME, NAME:NODES)"));
    for (int i = 0; machines->names[i] != NULL; i++) {
        printf("%s%s", i > 0 && i % 8 == 0 ? "\n  " : " ", machines->names[i]);
    }
    puts("");
}

static void print_text(const shelf *shown, const rc_machines *machines) {
    puts(_(groups[0].title));
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        printf("  %-13s %s\n", rs_algorithms[i]->name, _(rs_algorithms[i]->summary));
    }
    print_names(_(groups[1].title), rc_dtype_at);
    print_names(_(groups[2].title), rc_op_at);
    print_machines(machines);
    if (shown->n > 0) printf("\n%s\n", _("labs (grade LAB FILE)"));
    for (int i = 0; i < shown->n; i++) {
        const rc_lab *lab = &shown->labs[i];
        printf("  %-10s ", lab->id);
        rc_print_padded(lab->title, 30);
        printf(_(" %2d points\n"), points_of(lab));
    }
    printf("\n%s\n", _(groups[3].title));
    for (int i = 0; rc_commands[i] != NULL; i++) {
        printf("  %-10s %s\n", rc_commands[i]->name, _(rc_commands[i]->summary));
    }
}

static rc_exit cmd_list(rc_session *session) {
    const shelf shown = find_labs(session);
    rc_machines machines;
    rc_find_machines(session->program, &machines);
    if (rc_given(&session->options, RC_JSON)) {
        print_json(&shown, &machines);
    } else {
        print_text(&shown, &machines);
    }
    return RC_GOOD;
}

/* ------------------------------------------------------------------ its row */

const rc_command rc_command_list = {.name = "list",
                                    .operands = "",
                                    .summary = N_("algorithms, types and operations"),
                                    RC_TAKES(RC_LANG, RC_JSON),
                                    .run = cmd_list};
