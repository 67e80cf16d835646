/* find_machine.c: which machine is meant: a preset beside the program, a file, a box. */
#include "base/text.h"
#include "base/units.h"
#include "base/find_machine.h"
#include "ringsim_text.h"
#include "ringsim_topology.h"

#include <string.h>
#include <unistd.h>

static const char ending[] = ".machine";
enum { MACHINE_LIMIT = 256 * 1024 * 1024 };

/* ------------------------------------------------------------------ presets */

/* Lists the presets of one folder; returns how many there are. */
static int list_folder(const char *folder, rc_machines *found) {
    char path[PATH_MAX], **names;
    rs_arena scratch;
    int n = 0;
    const size_t n_ending = sizeof ending - 1;
    snprintf(path, sizeof path, "%.2000s/machines", folder);
    rs_arena_init(&scratch, NULL);
    const int n_names = rc_list_folder(path, &scratch, &names);
    for (int i = 0; i < n_names && n < RC_MOST_MACHINES; i++) {
        const size_t length = strlen(names[i]);
        if (!rc_ends_with(names[i], ending) || length - n_ending >= RC_MACHINE_NAME) continue;
        memcpy(found->text[n], names[i], length - n_ending);
        found->text[n++][length - n_ending] = '\0';
    }
    rs_arena_free(&scratch);
    return n;
}

void rc_find_machines(const char *program, rc_machines *found) {
    rc_folders folders;
    int n = 0;
    rc_find_folders(program, RC_ASSETS, &folders);
    for (int i = 0; n == 0 && folders.list[i] != NULL; i++) n = list_folder(folders.list[i], found);
    for (int i = 0; i < n; i++) found->names[i] = found->text[i];
    found->names[n] = NULL;
}

/* Writes where the preset lies; false: there is none of that name. */
static bool find_preset(const char *program, const char *name, char out[PATH_MAX]) {
    rc_folders folders;
    rc_find_folders(program, RC_ASSETS, &folders);
    for (int i = 0; folders.list[i] != NULL; i++) {
        snprintf(out, PATH_MAX, "%.2000s/machines/%.100s%s", folders.list[i], name, ending);
        if (access(out, R_OK) == 0) return true;
    }
    return false;
}

static rc_exit no_such_machine(const char *program, const char *name, rs_error *error) {
    rc_machines known;
    rc_find_machines(program, &known);
    const char *near = rc_nearest(name, known.names);
    if (near != NULL) {
        return rc_fail(error, RC_USAGE,
                       _("%.60s: there is no such machine; did you mean '%s'? 'ringsim list' names "
                         "them"),
                       name, near);
    }
    return rc_fail(
        error, RC_USAGE,
        _("%.60s: there is no such machine; 'ringsim list' names them, a file is "
          "FILE.machine or FILE.xml, nodes of GPUs are box:2,gpus=8,port=370.8GB/s,nics=8x50GB/s"),
        name);
}

/* ------------------------------------------------------------------ reading */

/* Cuts :NODES off a name; 0: it says none. */
static rc_exit cut_nodes(char *name, rs_error *error, int64_t *nodes) {
    char *colon = strrchr(name, ':');
    *nodes = 0;
    if (colon == NULL || colon[1 + strspn(colon + 1, "0123456789")] != '\0') return RC_GOOD;
    const rc_exit status = rc_parse_integer(colon + 1, 1, RS_MAX_MACHINE_GPUS, error, nodes);
    *colon = '\0';
    return status;
}

/* Reads what is to be so many nodes; 0: one. */
static rc_exit read_file(const char *path, const char *typed, int64_t nodes, rs_arena *arena,
                         rs_error *error, rs_machine *machine) {
    char *text;
    size_t n_bytes;
    rn_plain plain;
    rc_exit status = rc_read_file(path, MACHINE_LIMIT, arena, error, &text, &n_bytes);
    if (status == RC_GOOD) status = rc_exit_of(rn_make_plain(text, n_bytes, arena, error, &plain));
    if (status != RC_GOOD) return status;
    const rn_content content = rn_recognise(plain.text, plain.n_bytes);
    if (content == RN_MSCCL_XML) {
        return rc_fail(
            error, RC_USAGE,
            _("%.200s: a program of MSCCL's, not a machine: ringsim check FILE judges it"), path);
    }
    if (content != RN_OWN_MACHINE) {
        rn_findings found;
        const rs_status made = rn_read_topology(content, plain.text, plain.n_bytes, path, typed,
                                                arena, &found, error, machine);
        if (made != RS_OK) return rc_exit_of_reader(made);
        if (found.n_lost > 0) { /* a part of a machine is explained, but is none */
            found.list[0].level = RN_ERROR;
            return rc_exit_of_reader(rn_first_error(&found, path, error));
        }
        if (nodes > 1 && rs_machine_device(machine, "fabric", 6) < 0) {
            return rc_fail(error, RC_USAGE,
                           _("%.200s: without a NIC %lld nodes cannot reach each other"), path,
                           (long long)nodes);
        }
        rc_print_findings(&found, path);
        return RC_GOOD;
    }
    return rc_prefix(error,
                     rc_exit_of(rs_parse_machine(text, n_bytes, typed, arena, error, machine)),
                     "%.200s", typed);
}

rc_exit rc_machine_read(const char *program, const char *typed, rs_arena *arena, rs_error *error,
                        rs_machine *machine) {
    char name[PATH_MAX], place[PATH_MAX];
    int64_t nodes = 0;
    rs_machine node;
    if (strncmp(typed, "box:", 4) == 0) {
        return rc_prefix(error, rc_read_box(typed + 4, arena, error, machine), "%.100s", typed);
    }
    if (strlen(typed) >= sizeof name) return no_such_machine(program, "...", error);
    snprintf(name, sizeof name, "%s", typed);
    rc_exit status = RC_GOOD;
    if (strchr(typed, '/') == NULL || access(typed, F_OK) != 0)
        status = cut_nodes(name, error, &nodes);
    if (status != RC_GOOD) return rc_prefix(error, status, "%.100s", typed);
    bool is_file = strchr(name, '/') != NULL || rc_ends_with(name, ending) ||
                   rc_ends_with(name, ".xml") || strcmp(name, "-") == 0;
    if (!is_file && !find_preset(program, name, place)) {
        is_file = access(name, F_OK) == 0;
        if (!is_file) return no_such_machine(program, name, error);
    }
    status =
        read_file(is_file ? name : place, typed, nodes, arena, error, nodes > 1 ? &node : machine);
    if (status != RC_GOOD || nodes <= 1) return status;
    status = rc_exit_of(rs_machine_repeat(&node, (int32_t)nodes, typed, arena, error, machine));
    return rc_prefix(error, status, "%.100s", typed);
}
