/* cmd_list.c: `ringsim list`: the algorithms, types, operations and commands there are. */
#include "cli.h"

#include <string.h>

typedef const char *(*name_at)(int i);

static const char *dtype_at(int i) {
    return i < RS_N_DTYPES ? rs_dtype_name((rs_dtype)i) : NULL;
}
static const char *op_at(int i) {
    return i < RS_N_OPS ? rs_op_name((rs_op)i) : NULL;
}
static const char *algorithm_at(int i) {
    return rs_algorithms[i] == NULL ? NULL : rs_algorithms[i]->name;
}
static const char *command_at(int i) {
    return rc_commands[i].bit == 0 ? NULL : rc_commands[i].name;
}

static const struct {
    const char *key, *title;
    name_at name;
} groups[] = {
    {"algorithms", N_("algorithms (--algo)"), algorithm_at},
    {"dtypes", N_("types (--dtype)"), dtype_at},
    {"ops", N_("operations (--op)"), op_at},
    {"commands", N_("commands"), command_at},
};
enum { N_GROUPS = 4 };

static void print_json(void) {
    printf("{\"schema\":\"ringsim.list/1\",\"version\":\"%s\"", RINGSIM_VERSION);
    for (int g = 0; g < N_GROUPS; g++) {
        printf(",\"%s\":[", groups[g].key);
        for (int i = 0; groups[g].name(i) != NULL; i++) {
            printf("%s\"%s\"", i == 0 ? "" : ",", groups[g].name(i));
        }
        putchar(']');
    }
    puts("}");
}

static void print_names(const char *title, name_at name) {
    printf("\n%s\n ", title);
    for (int i = 0; name(i) != NULL; i++) printf(" %s", name(i));
    puts("");
}

static void print_text(void) {
    puts(_(groups[0].title));
    for (int i = 0; rs_algorithms[i] != NULL; i++) {
        printf("  %-10s %s\n", rs_algorithms[i]->name, _(rs_algorithms[i]->summary));
    }
    print_names(_(groups[1].title), dtype_at);
    print_names(_(groups[2].title), op_at);
    printf("\n%s\n", _("link presets and lessons: none in this build yet"));
    printf("\n%s\n", _(groups[3].title));
    for (const rc_command *command = rc_commands; command->bit != 0; command++) {
        printf("  %-10s %s\n", command->name, _(command->summary));
    }
}

rc_exit rc_cmd_list(rc_session *session) {
    if (session->options.value[RC_JSON] != NULL) {
        print_json();
    } else {
        print_text();
    }
    return RC_GOOD;
}
