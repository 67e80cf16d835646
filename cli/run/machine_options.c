/* machine_options.c: the machine that transfers share, what is broken in it, and where ranks live.
 *
 *     --machine NAME[:NODES]|FILE|box:...  --place block|cyclic|ring|LIST  --cut A:B  --slow-link A:B:FACTOR
 */
#include "base/find_machine.h"
#include "run/request.h"

#include <string.h>

/* Finds the devices of A:B, or A:B:FACTOR. */
static rc_exit find_ends(const rs_machine *machine, const char *option, const char *text,
                         rs_error *error, int32_t ends[2]) {
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        const size_t n = strcspn(at, ":");
        ends[i] = rs_machine_device(machine, at, n);
        if (ends[i] < 0) {
            return rc_fail(error, RC_USAGE, _("--%s %.60s: machine %s has no device '%.*s'"),
                           option, text, machine->name, (int)(n < 60 ? n : 60), at);
        }
        at += n + (at[n] == ':');
    }
    return RC_GOOD;
}

static rc_exit disturb(rc_session *session, const rc_repeated *typed, rs_machine *machine) {
    const char *option = rc_option_table[typed->id].name;
    const rs_fault *fault = &typed->value.fault;
    int32_t ends[2];
    const rc_exit found = find_ends(machine, option, typed->value.text, session->error, ends);
    if (found != RC_GOOD) return found;
    const rs_status status =
        typed->id == RC_CUT
            ? rs_machine_cut(machine, ends[0], ends[1], session->arena, session->error)
            : rs_machine_slow(machine, ends[0], ends[1], fault->factor_num, fault->factor_den,
                              session->arena, session->error);
    return rc_prefix(session->error, rc_exit_of(status), "--%s %.60s", option, typed->value.text);
}

static bool is_of_links(const rc_repeated *typed) {
    return typed->id == RC_CUT || rc_is_between_devices(&typed->value.fault);
}

/* Tells whether --place deals the ranks out over the nodes. */
static bool is_dealt(const rc_options *options) {
    const rc_value *place = &options->value[RC_PLACE];
    return rc_given(options, RC_PLACE) && place->list == NULL && place->number == RS_PLACE_CYCLIC;
}

/* What a machine has itself, or what only a machine has. */
static rc_exit check_company(const rc_options *options, bool machine, rs_error *error) {
    static const rc_option_id of_links[] = {RC_ALPHA, RC_BANDWIDTH, RC_LINKS};
    for (int i = 0; machine && i < 3; i++) {
        if (!rc_given(options, (int)of_links[i])) continue;
        return rc_fail(error, RC_USAGE, _("--%s: the machine's links have their own; leave it out"),
                       rc_option_table[of_links[i]].name);
    }
    if (machine) return RC_GOOD;
    const bool in_nodes = is_dealt(options) && rc_given(options, RC_PER_NODE);
    if (rc_given(options, RC_PLACE) && !in_nodes) {
        return rc_fail(error, RC_USAGE,
                       _("--place: say on which --machine; cyclic also goes with --gpus-per-node"));
    }
    for (int i = 0; i < options->n_repeated; i++) {
        const rc_repeated *typed = &options->repeated[i];
        if (!is_of_links(typed)) continue;
        return rc_fail(error, RC_USAGE, _("--%s %.60s: say in which --machine"),
                       rc_option_table[typed->id].name, typed->value.text);
    }
    return RC_GOOD;
}

rc_exit rc_take_machine(rc_session *session, rs_machine **machine) {
    const rc_options *options = &session->options;
    const char *text = options->value[RC_MACHINE].text;
    *machine = NULL;
    rc_exit status = check_company(options, text != NULL, session->error);
    if (status != RC_GOOD || text == NULL) return status;
    rs_machine *made = rs_alloc(session->arena, 1, sizeof *made);
    if (made == NULL) return rc_no_memory(session->error);
    status = rc_machine_read(session->program, text, session->arena, session->error, made);
    for (int i = 0; i < options->n_repeated && status == RC_GOOD; i++) {
        if (is_of_links(&options->repeated[i])) {
            status = disturb(session, &options->repeated[i], made);
        }
    }
    if (status == RC_GOOD) *machine = made;
    return status;
}

/* A list names a GPU for each rank. */
static rc_exit take_list(const rc_value *value, const rs_machine *machine, int32_t n_ranks,
                         rs_error *error, int32_t place[]) {
    if (value->n != n_ranks) {
        return rc_fail(error, RC_USAGE, _("--place: %lld GPUs for %d ranks; name one for each"),
                       (long long)value->n, (int)n_ranks);
    }
    for (int32_t r = 0; r < n_ranks; r++) {
        if (value->list[r] >= machine->n_gpus) {
            return rc_fail(error, RC_USAGE, _("--place: GPU %lld; %s has GPUs 0..%d"),
                           (long long)value->list[r], machine->name, (int)machine->n_gpus - 1);
        }
        place[r] = (int32_t)value->list[r];
    }
    return RC_GOOD;
}

rc_exit rc_take_place(rc_session *session, const rs_machine *machine, int32_t n_ranks,
                      const int32_t **place) {
    const rc_value *value = &session->options.value[RC_PLACE];
    *place = NULL;
    if (n_ranks > machine->n_gpus) {
        return rc_fail(session->error, RC_USAGE, _("--gpus %d: machine %s has %d GPUs"),
                       (int)n_ranks, machine->name, (int)machine->n_gpus);
    }
    if (value->list == NULL && value->number == RS_PLACE_BLOCK) return RC_GOOD; /* in order */
    int32_t *made = rs_alloc(session->arena, (size_t)machine->n_gpus, sizeof *made);
    if (made == NULL) return rc_no_memory(session->error);
    *place = made;
    if (value->list != NULL) return take_list(value, machine, n_ranks, session->error, made);
    return rc_exit_of(
        rs_place_ranks(machine, (rs_placing)value->number, session->arena, session->error, made));
}

rc_exit rc_take_nodes(rc_session *session, const rs_net *net, const rs_algorithm *algorithm,
                      rs_spec *spec) {
    const rc_options *options = &session->options;
    const bool given = rc_given(options, RC_PER_NODE);
    if (algorithm->accepts == NULL) {
        if (!given) return RC_GOOD;
        return rc_fail(
            session->error, RC_USAGE,
            _("--gpus-per-node: only two-level, rings and double-tree know of nodes, not %s"),
            algorithm->name);
    }
    if (net != NULL && net->machine != NULL && spec->n_ranks <= net->machine->n_gpus) {
        const rs_status status =
            rs_ranks_in_nodes(net->machine, net->place, spec->n_ranks, session->arena,
                              session->error, &spec->gpus_per_node, &spec->dealt);
        if (status != RS_OK) return rc_exit_of(status);
    }
    if (!given) return RC_GOOD;
    spec->gpus_per_node = (int32_t)options->value[RC_PER_NODE].number;
    spec->dealt = is_dealt(options);
    return RC_GOOD;
}

/* The links of node 0 to the network: a channel for each fills them. */
static int32_t nics_of_a_node(const rs_machine *machine) {
    int32_t n = 0;
    for (int32_t i = 0; i < machine->n_links && machine->n_nodes > 1; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (link->kind != RS_NET) continue;
        n += machine->node[link->a] == 0 || machine->node[link->b] == 0;
    }
    return n > RS_MAX_CHANNELS ? RS_MAX_CHANNELS : n;
}

int32_t rc_channels(const rc_options *options, const rs_machine *machine,
                    const rs_algorithm *algorithm) {
    if (rc_given(options, RC_CHANNELS)) return (int32_t)options->value[RC_CHANNELS].number;
    return machine == NULL || algorithm->one_channel ? 0 : nics_of_a_node(machine);
}
