/* box.c: nodes of GPUs at one NVSwitch each, and NICs, said in one word.
 *
 *     box:2,gpus=8,port=370.8GB/s,nics=8x50GB/s,latency=300ns,nic-latency=1.35us,nvls
 *
 *     gpu0 ... gpu7 --- node0.sw                    nvlink, `port` each
 *     gpu0 --- node0.nic0 ... gpu7 --- node0.nic7   pcie, as wide as the wider of port and NIC
 *     node0.nic0 --- fabric --- node1.nic0          net
 *
 *   - Of k NICs and g GPUs, GPU i has NIC i k / g where k <= g, and else each NIC j with j g / k = i.
 *   - One node is written as text, read like any other, and repeated.
 */
#include "base/text.h"
#include "base/units.h"
#include "base/find_machine.h"

#include <assert.h>
#include <string.h>

enum { MOST_GPUS = 4096, MOST_NICS = 4096, LINE = 160, PART = 64 };

typedef struct box {
    int64_t nodes, gpus, nics;
    int64_t port_Bps, nic_Bps, pcie_Bps; /* 0: not said */
    int64_t alpha_ps, nic_alpha_ps;
    bool adds; /* the NVSwitch */
} box;

static const char form[] = "box:2,gpus=8,port=370.8GB/s,nics=8x50GB/s";

/* Reads K x RATE, or a rate alone. */
static rc_exit read_nics(const char *text, rs_error *error, box *b) {
    const size_t n = strspn(text, "0123456789");
    b->nics = 1;
    if (n > 0 && n < PART && text[n] == 'x') {
        char number[PART];
        memcpy(number, text, n);
        number[n] = '\0';
        const rc_exit status = rc_parse_integer(number, 1, MOST_NICS, error, &b->nics);
        if (status != RC_GOOD) return status;
        text += n + 1;
    }
    return rc_parse_amount(RC_IN_BYTES_PER_S, text, error, &b->nic_Bps);
}

enum { GPUS, PORT, NICS, PCIE, LATENCY, NIC_LATENCY, NVLS };
static const char *const fields[] = {"gpus",    "port",        "nics", "pcie",
                                     "latency", "nic-latency", "nvls", NULL};

static rc_exit read_value(int field, const char *value, rs_error *error, box *b) {
    switch (field) {
    case GPUS: return rc_parse_integer(value, 1, MOST_GPUS, error, &b->gpus);
    case PORT: return rc_parse_amount(RC_IN_BYTES_PER_S, value, error, &b->port_Bps);
    case NICS: return read_nics(value, error, b);
    case PCIE: return rc_parse_amount(RC_IN_BYTES_PER_S, value, error, &b->pcie_Bps);
    case LATENCY: return rc_parse_amount(RC_IN_PS, value, error, &b->alpha_ps);
    default: return rc_parse_amount(RC_IN_PS, value, error, &b->nic_alpha_ps);
    }
}

/* Reads NAME=VALUE, or nvls alone. */
static rc_exit read_field(char *part, unsigned *said, rs_error *error, box *b) {
    char *value = strchr(part, '=');
    int field = 0;
    const bool alone = strcmp(part, fields[NVLS]) == 0;
    if (value == NULL && !alone) {
        return rc_fail(error, RC_USAGE, _("'%.40s' is no NAME=VALUE; write %s"), part, form);
    }
    if (value != NULL) *value++ = '\0';
    const rc_exit known = rc_parse_choice("box", part, fields, error, &field);
    if (known != RC_GOOD) return known;
    if (*said >> field & 1) return rc_fail(error, RC_USAGE, _("'%s' is said twice"), fields[field]);
    *said |= 1u << field;
    if (field == NVLS) {
        b->adds = true;
        return value == NULL ? RC_GOOD
                             : rc_fail(error, RC_USAGE, _("'nvls' stands alone: without '='"));
    }
    return rc_prefix(error, read_value(field, value, error, b), "%s", fields[field]);
}

static rc_exit read_fields(const char *text, rs_error *error, box *b) {
    unsigned said = 0;
    for (const char *at = text; *at != '\0';) {
        char part[PART];
        const size_t n = strcspn(at, ",");
        if (n >= sizeof part) return rc_fail(error, RC_USAGE, _("'%.20s...' is too long"), at);
        memcpy(part, at, n);
        part[n] = '\0';
        const rc_exit status =
            at == text ? rc_parse_integer(part, 1, RS_MAX_MACHINE_GPUS, error, &b->nodes)
                       : read_field(part, &said, error, b);
        if (status != RC_GOOD) return status;
        at += n;
        if (*at == ',') at++;
    }
    if (b->nodes == 0 || b->gpus == 0 || b->port_Bps == 0) {
        return rc_fail(error, RC_USAGE, _("a box has nodes, gpus and port: write %s"), form);
    }
    if (b->nodes > 1 && b->nics == 0) {
        return rc_fail(error, RC_USAGE,
                       _("%lld nodes need NICs to reach each other: add nics=8x50GB/s"),
                       (long long)b->nodes);
    }
    return RC_GOOD;
}

/* Writes one node as .machine text; returns its length. */
static size_t write_node(const box *b, char *out, size_t room) {
    const int64_t pcie = b->pcie_Bps > 0            ? b->pcie_Bps
                         : b->port_Bps > b->nic_Bps ? b->port_Bps
                                                    : b->nic_Bps;
    size_t n = (size_t)snprintf(out, room, "ringsim-machine 1\ngpus %lld\nswitch sw%s\n",
                                (long long)b->gpus, b->adds ? " reduces" : "");
    for (int64_t i = 0; i < b->gpus; i++) {
        n += (size_t)snprintf(out + n, room - n,
                              "link gpu%lld sw bandwidth %lldB/s latency %lldps\n", (long long)i,
                              (long long)b->port_Bps, (long long)b->alpha_ps);
    }
    for (int64_t j = 0; j < b->nics; j++) {
        n += (size_t)snprintf(out + n, room - n, "switch nic%lld\n", (long long)j);
    }
    const int64_t pairs = b->nics == 0 ? 0 : b->nics > b->gpus ? b->nics : b->gpus;
    for (int64_t i = 0; i < pairs; i++) { /* the more numerous of the two goes through all */
        const bool few = b->nics <= b->gpus;
        n += (size_t)snprintf(out + n, room - n,
                              "link gpu%lld nic%lld bandwidth %lldB/s kind pcie\n",
                              (long long)(few ? i : i * b->gpus / b->nics),
                              (long long)(few ? i * b->nics / b->gpus : i), (long long)pcie);
    }
    if (b->nics > 0) n += (size_t)snprintf(out + n, room - n, "switch fabric\n");
    for (int64_t j = 0; j < b->nics; j++) {
        n += (size_t)snprintf(out + n, room - n,
                              "link nic%lld fabric bandwidth %lldB/s latency %lldps kind net\n",
                              (long long)j, (long long)b->nic_Bps, (long long)b->nic_alpha_ps);
    }
    assert(n < room);
    return n;
}

/* Refuses, in the words of what was typed, what a machine cannot have. */
static rc_exit check_rates(const box *b, rs_error *error) {
    const int64_t least = 1000, most = 10000000000000000, longest_ps = 1000000000000;
    const int64_t rates[] = {b->port_Bps, b->nics > 0 ? b->nic_Bps : least,
                             b->pcie_Bps > 0 ? b->pcie_Bps : least};
    for (int i = 0; i < 3; i++) {
        if (rates[i] >= least && rates[i] <= most) continue;
        return rc_fail(error, RC_USAGE, _("%s: a bandwidth is 1 kB/s to 10 PB/s"),
                       fields[PORT + i]);
    }
    if (b->alpha_ps <= longest_ps && b->nic_alpha_ps <= longest_ps) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("%s: a latency is 0 to 1 s"),
                   fields[b->alpha_ps > longest_ps ? LATENCY : NIC_LATENCY]);
}

rc_exit rc_read_box(const char *text, rs_arena *arena, rs_error *error, rs_machine *machine) {
    box b = {0};
    char name[PART * 4];
    rs_machine node;
    rc_exit status = read_fields(text, error, &b);
    if (status == RC_GOOD) status = check_rates(&b, error);
    if (status != RC_GOOD) return status;
    const size_t room = LINE * (size_t)(4 + 2 * b.gpus + 4 * b.nics);
    char *written = rs_alloc(arena, room, 1);
    if (written == NULL) return rc_no_memory(error);
    snprintf(name, sizeof name, "box:%.240s", text);
    const size_t n = write_node(&b, written, room);
    rs_status made = rs_parse_machine(written, n, name, arena, error, &node);
    if (made == RS_OK) {
        made = rs_machine_repeat(&node, (int32_t)b.nodes, name, arena, error, machine);
    }
    return rc_exit_of(made);
}
