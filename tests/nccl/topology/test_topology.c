/* Topologies that other programs wrote: the same routes and rates as the presets of the same boxes. */
#include "config.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "topology/link_rates.h"
#include "ringsim_text.h"
#include "ringsim_topology.h"

#ifndef HAVE_EXPAT
Test(topology, is_left_out_of_this_build) {
    cr_skip("built without expat");
}
#else
#include "nccl/topology/topology_suite.h"

TestSuite(topology, .init = open_arena, .fini = close_arena);

static const char *slurp(const char *path, size_t *n_bytes) {
    char *text;
    cr_assert_eq(rc_read_file(path, RN_TOPOLOGY_BYTES, &arena, &error, &text, n_bytes), RC_GOOD,
                 "%s", error.text);
    rn_plain plain;
    cr_assert_eq(rn_make_plain(text, *n_bytes, &arena, &error, &plain), RS_OK);
    *n_bytes = plain.n_bytes;
    return plain.text;
}

static void read_box(const char *name, rs_machine *machine) {
    char path[120];
    size_t n;
    snprintf(path, sizeof path, "tests/data/topologies/%s", name);
    const char *text = slurp(path, &n);
    const rn_content content = rn_recognise(text, n);
    cr_assert_eq(content, strstr(name, ".xml") ? RN_TOPOLOGY_XML : RN_TOPO_MATRIX);
    cr_assert_eq(rn_read_topology(content, text, n, name, name, &arena, &findings, &error, machine),
                 RS_OK, "%s", error.text);
}

static void read_preset(const char *name, rs_machine *machine) {
    char path[120];
    size_t n;
    snprintf(path, sizeof path, "assets/machines/%s.machine", name);
    const char *text = slurp(path, &n);
    cr_assert_eq(rn_recognise(text, n), RN_OWN_MACHINE);
    cr_assert_eq(rs_parse_machine(text, n, name, &arena, &error, machine), RS_OK, "%s", error.text);
}

/* What a route is worth, and which GPUs it comes through. */
typedef struct worth {
    uint64_t least_Bps, least_raw_Bps;
    int64_t alpha_ps, n_ways;
    int worst_kind, n_wires;
    char gpus[200];
} worth;

static worth find_worth(rs_router *router, const rs_machine *machine, int32_t src, int32_t dst) {
    rs_route route;
    cr_assert_eq(rs_router_find(router, src, dst, 0, &error, &route), RS_OK, "%s", error.text);
    worth w = {UINT64_MAX, UINT64_MAX, 0, route.n_ways, 0, route.n_wires, ""};
    int32_t device = src;
    for (int32_t i = 0; i < route.n_wires; i++) {
        const rs_machine_link *link = &machine->links[route.wires[i] / 2];
        if (link->bandwidth_Bps < w.least_Bps) w.least_Bps = link->bandwidth_Bps;
        if (link->raw_Bps < w.least_raw_Bps) w.least_raw_Bps = link->raw_Bps;
        if (link->kind > w.worst_kind) w.worst_kind = link->kind;
        w.alpha_ps += link->alpha_ps;
        device = link->a == device ? link->b : link->a;
        if (device < machine->n_gpus) {
            const size_t n = strlen(w.gpus);
            snprintf(w.gpus + n, sizeof w.gpus - n, " %s", machine->names[device]);
        }
    }
    return w;
}

/* Two nodes of each: `more_ps` is the latency of the PCIe switches between GPU and NIC that the preset leaves out. */
static void compare_routes(rs_machine *read, rs_machine *preset, int64_t more_ps) {
    rs_machine two, other;
    rs_router *router, *router_of_other;
    cr_assert_eq(rs_machine_repeat(read, 2, "two", &arena, &error, &two), RS_OK, "%s", error.text);
    cr_assert_eq(rs_machine_repeat(preset, 2, "other", &arena, &error, &other), RS_OK);
    cr_assert(two.n_gpus == other.n_gpus && two.n_nodes == 2);
    cr_assert_eq(rs_router_new(&two, &arena, &error, &router), RS_OK);
    cr_assert_eq(rs_router_new(&other, &arena, &error, &router_of_other), RS_OK);
    for (int32_t src = 0; src < two.n_gpus; src++) {
        for (int32_t dst = 0; dst < two.n_gpus; dst++) {
            if (src == dst) continue;
            const worth a = find_worth(router, &two, src, dst);
            const worth b = find_worth(router_of_other, &other, src, dst);
            const bool apart = two.node[src] != two.node[dst];
            cr_expect(a.least_Bps == b.least_Bps && a.least_raw_Bps == b.least_raw_Bps, "%d to %d",
                      src, dst);
            cr_expect(a.worst_kind == b.worst_kind && strcmp(a.gpus, b.gpus) == 0, "%d to %d:%s,%s",
                      src, dst, a.gpus, b.gpus);
            cr_expect_eq(a.alpha_ps, b.alpha_ps + (apart ? more_ps : 0), "%d to %d: %lld, %lld ps",
                         src, dst, (long long)a.alpha_ps, (long long)b.alpha_ps);
            cr_expect(apart || (a.n_ways == b.n_ways && a.n_wires == b.n_wires), "%d to %d", src,
                      dst);
        }
    }
}

Test(topology, of_a_box_has_the_routes_and_rates_of_its_preset) {
    static const struct {
        const char *file, *preset;
        int64_t more_ps;
        int64_t n_warnings, n_notes;
    } cases[] = {
        {"dgx-h100.xml", "dgx-h100", 1000000, 0, 0},  {"hgx-a100.xml", "hgx-a100", 1000000, 0, 0},
        {"dgx1-v100.xml", "dgx1-v100", 0, 0, 0},      {"gh200x4.xml", "gh200x4", 0, 2, 0},
        {"dgx-h100.topo", "dgx-h100", 1000000, 0, 1}, {"dgx1-v100.topo", "dgx1-v100", 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rs_machine read, preset;
        read_box(cases[i].file, &read);
        read_preset(cases[i].preset, &preset);
        cr_assert_eq(read.n_gpus, preset.n_gpus);
        cr_expect_str_eq(read.name, cases[i].file);
        cr_expect(findings.n[RN_WARNING] == cases[i].n_warnings &&
                      findings.n[RN_NOTE] == cases[i].n_notes,
                  "%s: %d found, first %s", cases[i].file, findings.n_kept,
                  findings.list[0].said.text);
        compare_routes(&read, &preset, cases[i].more_ps);
    }
}

/* What leaves a GPU by NVLink, by NICs, and whether switches add, is what the preset has. */
Test(topology, of_a_box_has_the_ports_of_its_preset) {
    static const char *const boxes[][2] = {
        {"dgx-h100.xml", "dgx-h100"},   {"hgx-a100.xml", "hgx-a100"},
        {"dgx1-v100.xml", "dgx1-v100"}, {"gh200x4.xml", "gh200x4"},
        {"dgx-h100.topo", "dgx-h100"},  {"dgx1-v100.topo", "dgx1-v100"}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        rs_machine machines[2];
        uint64_t sums[2][3] = {{0}};
        read_box(boxes[i][0], &machines[0]);
        read_preset(boxes[i][1], &machines[1]);
        for (int m = 0; m < 2; m++) {
            for (int32_t k = 0; k < machines[m].n_links; k++) {
                const rs_machine_link *link = &machines[m].links[k];
                if (link->kind == RS_NVLINK) sums[m][0] += link->bandwidth_Bps;
                if (link->kind == RS_NET) sums[m][1] += link->bandwidth_Bps;
            }
            for (int32_t d = 0; d < machines[m].n_devices; d++)
                sums[m][2] += machines[m].reduces[d];
        }
        cr_expect_arr_eq(sums[0], sums[1], sizeof sums[0], "%s", boxes[i][0]);
    }
}

/* ------------------------------------------------------------------ small ones */

static rs_status read_text(const char *text, rs_machine *machine) {
    const size_t n = strlen(text);
    return rn_read_topology(rn_recognise(text, n), text, n, "it", "it", &arena, &findings, &error,
                            machine);
}

static const rs_machine_link *link_of(const rs_machine *machine, const char *a, const char *b) {
    const int32_t from = rs_machine_device(machine, a, strlen(a));
    const int32_t to = rs_machine_device(machine, b, strlen(b));
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        if ((link->a == from && link->b == to) || (link->a == to && link->b == from)) return link;
    }
    cr_assert_fail("no link joins %s and %s", a, b);
    return NULL;
}

Test(topology, of_pcie_alone_has_rates_by_generation_and_lanes) {
    static const struct {
        const char *speed;
        int lanes;
        uint64_t MBps, raw_MBps;
    } cases[] = {{"2.5 GT/s", 16, 3000, 4000},        {"5 GT/s", 8, 3000, 4000},
                 {"8 GT/s", 16, 12000, 15754},        {"16.0 GT/s PCIe", 16, 24000, 31507},
                 {"32.0 GT/s PCIe", 4, 12000, 15753}, {"64.0 GT/s PCIe", 16, 96000, 121000},
                 {"16 GT/s", 12, 18000, 23630},       {"", 0, 12000, 15754},
                 {"Unknown", 16, 12000, 15754}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        rs_machine machine;
        snprintf(
            text, sizeof text,
            "<system><cpu numaid=\"-1\" arch=\"x86_64\" vendor=\"AuthenticAMD\">"
            "<pci busid=\"0000:01:00.0\" class=\"0x030000\" link_speed=\"%s\" link_width=\"%d\">"
            "<gpu dev=\"0\" sm=\"89\"/></pci></cpu></system>",
            cases[i].speed, cases[i].lanes);
        cr_assert_eq(read_text(text, &machine), RS_OK, "%s", error.text);
        const rs_machine_link *link = link_of(&machine, "gpu0", "cpu");
        cr_expect(link->bandwidth_Bps / 1000000 == cases[i].MBps &&
                      link->raw_Bps / 1000000 == cases[i].raw_MBps && link->kind == RS_PCIE,
                  "%s x%d: %llu, %llu", cases[i].speed, cases[i].lanes,
                  (unsigned long long)link->bandwidth_Bps, (unsigned long long)link->raw_Bps);
    }
}

Test(topology, knows_what_joins_processors) {
    static const struct {
        const char *what;
        uint64_t MBps;
    } cases[] = {
        {"arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"79\"", 6000},
        {"arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\"", 10000},
        {"arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\"", 22000},
        {"arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"173\"", 40000},
        {"arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"207\"", 40000},
        {"arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"143\" modelid=\"49\"", 16000},
        {"arch=\"x86_64\" vendor=\"CentaurHauls\" familyid=\"7\" modelid=\"91\"", 9000},
        {"arch=\"x86_64\" vendor=\"CentaurHauls\" familyid=\"7\" modelid=\"59\"", 6000},
        {"arch=\"ppc64\"", 32000},
        {"arch=\"arm64\"", 6000},
        {"arch=\"riscv\"", 5000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        rs_machine machine;
        snprintf(
            text, sizeof text,
            "<system><cpu numaid=\"0\" %s/><cpu numaid=\"1\" %s><pci busid=\"0000:81:00.0\" "
            "class=\"0x030000\" link_speed=\"8 GT/s\" link_width=\"16\"><gpu dev=\"1\"/></pci></cpu>"
            "<cpu numaid=\"2\" %s><pci busid=\"0000:01:00.0\" class=\"0x030000\" link_speed=\"8 GT/s\" "
            "link_width=\"16\"><gpu dev=\"0\"/></pci></cpu></system>",
            cases[i].what, cases[i].what, cases[i].what);
        cr_assert_eq(read_text(text, &machine), RS_OK, "%s", error.text);
        cr_expect_eq(link_of(&machine, "cpu1", "cpu2")->bandwidth_Bps / 1000000, cases[i].MBps,
                     "%s", cases[i].what);
        cr_expect_eq(link_of(&machine, "gpu0", "cpu2")->kind, RS_PCIE);
        cr_expect_eq(machine.n_devices, 4, "a processor without devices is left out");
    }
}

/* As in IBM's AC922: each processor has NVLinks to its own GPU. */
Test(topology, joins_a_gpu_to_its_own_processor_by_nvlink) {
    char text[2000];
    size_t n = (size_t)snprintf(text, sizeof text, "<system>");
    for (int i = 0; i < 3; i++) {
        n += (size_t)snprintf(
            text + n, sizeof text - n,
            "<cpu numaid=\"%d\" arch=\"ppc64\"><pci busid=\"000%d:01:00.0\" class=\"0x030200\" "
            "link_speed=\"8 GT/s\" link_width=\"16\"><gpu dev=\"%d\" sm=\"70\">"
            "<nvlink target=\"\" count=\"%d\" tclass=\"0x068001\"/></gpu></pci></cpu>",
            i, i, i, i + 1);
    }
    snprintf(text + n, sizeof text - n, "</system>");
    rs_machine machine;
    cr_assert_eq(read_text(text, &machine), RS_OK, "%s", error.text);
    int n_nvlinks = 0;
    for (int32_t i = 0; i < machine.n_links; i++) {
        const rs_machine_link *link = &machine.links[i];
        if (link->kind != RS_NVLINK) continue;
        char cpu[16];
        snprintf(cpu, sizeof cpu, "cpu%d", (int)link->a);
        cr_expect_str_eq(machine.names[link->b], cpu);
        cr_expect_eq(link->bandwidth_Bps, (uint64_t)(link->a + 1) * 20000000000u);
        n_nvlinks++;
    }
    cr_expect_eq(n_nvlinks, 3);
}

/* Between two GPUs an NVLink is as fast as the slower one, whichever is named first; to a processor as fast as the GPU. */
Test(topology, of_unlike_gpus_an_nvlink_is_the_slower_ones) {
    static const int kinds[] = {60, 70, 80, 90};
    for (int i = 0; i < 16; i++) {
        const int a = kinds[i / 4], b = kinds[i % 4];
        const uint64_t slower = rn_nvlink_rate(a < b ? a : b).Bps;
        char text[2000];
        rs_machine machine;
        snprintf(text, sizeof text,
                 "<system><cpu numaid=\"0\" arch=\"ppc64\">"
                 "<pci busid=\"0000:01:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" "
                 "link_width=\"16\"><gpu dev=\"0\" sm=\"%d\">"
                 "<nvlink target=\"0000:02:00.0\" count=\"2\" tclass=\"0x030200\"/>"
                 "<nvlink target=\"\" count=\"1\" tclass=\"0x068001\"/></gpu></pci>"
                 "<pci busid=\"0000:02:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" "
                 "link_width=\"16\"><gpu dev=\"1\" sm=\"%d\">"
                 "<nvlink target=\"0000:01:00.0\" count=\"2\" tclass=\"0x030200\"/></gpu></pci>"
                 "</cpu></system>",
                 a, b);
        cr_assert_eq(read_text(text, &machine), RS_OK, "%s", error.text);
        int n_nvlinks = 0;
        for (int32_t k = 0; k < machine.n_links; k++) {
            const rs_machine_link *link = &machine.links[k];
            const bool between = link->a < 2 && link->b < 2;
            if (link->kind != RS_NVLINK) continue;
            cr_expect_eq(link->bandwidth_Bps, between ? 2 * slower : rn_nvlink_rate(a).Bps,
                         "sm %d and %d: %llu", a, b, (unsigned long long)link->bandwidth_Bps);
            n_nvlinks++;
        }
        cr_expect_eq(n_nvlinks, 2);
    }
}

/* Of GPUs with NVLinks the first that does not say what it is is told, once; a number that is none is an error. */
Test(topology, gpus_with_nvlinks_say_what_they_are) {
    static const char *const said[] = {"sm=\"80\"", "", "sm=\"eighty\"", "sm=\"9\""};
    for (int k = 0; k < 64; k++) { /* two GPUs, each of four kinds; who has NVLinks */
        const int kinds[] = {k % 4, k / 4 % 4};
        const bool links[] = {k / 16 % 2 != 0, k / 32 != 0};
        char text[2000] = "<system>\n<cpu numaid=\"0\" arch=\"x86_64\">\n";
        rs_machine machine;
        int missing = 0, wrong = 0;
        for (int g = 0; g < 2; g++) {
            snprintf(
                text + strlen(text), 600,
                "<pci busid=\"0000:0%d:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" link_width=\"16\">\n"
                "<gpu dev=\"%d\" %s>%s</gpu></pci>\n",
                g + 1, g, said[kinds[g]],
                links[g] ? "<nvlink target=\"ff\" count=\"1\" tclass=\"0x068000\"/>" : "");
            if (kinds[g] == 1 && links[g] && missing == 0) missing = 4 + 2 * g;
            wrong += kinds[g] >= 2;
        }
        strcat(text, "</cpu></system>");
        const rs_status status = read_text(text, &machine);
        int told = 0;
        for (int32_t i = 0; i < findings.n_kept; i++) {
            if (strstr(findings.list[i].said.text, "sm is missing") == NULL) continue;
            cr_expect_eq(findings.list[i].line, missing, "%s", text);
            told++;
        }
        cr_expect_eq(told, missing > 0, "%d times in\n%s", told, text);
        cr_expect_eq(findings.n[RN_ERROR], wrong, "%s", text);
        cr_expect_eq(status == RS_OK, wrong == 0, "%s", text);
    }
}

/* NVSwitches of one box join the GPUs of two hosts; each host has numbers and bus ids of its own. */
Test(topology, of_two_hosts_with_one_nvlink_domain_is_one_node) {
    char text[4000] = "<system>";
    rs_machine machine;
    for (int host = 0; host < 2; host++) {
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "<cpu host_hash=\"0x%d\" numaid=\"0\" arch=\"arm64\">", 7 + host);
        for (int gpu = 1; gpu >= 0; gpu--) {
            snprintf(
                text + strlen(text), sizeof text - strlen(text),
                "<pci busid=\"0008:0%d:00.0\" class=\"0x030200\" link_speed=\"32 GT/s\" link_width=\"16\">"
                "<gpu dev=\"%d\" sm=\"100\"><nvlink target=\"ff\" count=\"18\" tclass=\"0x068000\"/>"
                "</gpu></pci>",
                gpu + 1, gpu);
        }
        strcat(text, "</cpu>");
    }
    strcat(text, "</system>");
    cr_assert_eq(read_text(text, &machine), RS_OK, "%s", error.text);
    cr_expect(machine.n_gpus == 4 && machine.n_nodes == 1 && machine.n_links == 8);
    cr_expect_eq(link_of(&machine, "gpu3", "nvsw")->bandwidth_Bps, 721800000000);
    cr_expect_eq(link_of(&machine, "gpu2", "host1.cpu0")->kind, RS_PCIE);
    cr_expect(machine.reduces[rs_machine_device(&machine, "nvsw", 4)]);
}

Test(topology, of_a_template_takes_devices_by_class_and_bus_id) {
    rs_machine machine;
    cr_assert_eq(
        read_text(
            "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n"
            "<pci busid=\"ffff:ff:01.0\" class=\"0x060400\" link_speed=\"16 GT/s\" link_width=\"16\">\n"
            "<pci busid=\"0002:00:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"16\"/>\n"
            "<pci busid=\"0001:00:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"8\"/>\n"
            "<pci busid=\"0101:00:00.0\" class=\"0x020700\" link_speed=\"16 GT/s\" link_width=\"16\"/>\n"
            "</pci></cpu></system>",
            &machine),
        RS_OK, "%s", error.text);
    cr_expect(machine.n_gpus == 2 && findings.n[RN_WARNING] == 1 && findings.list[0].line == 1);
    cr_expect_eq(link_of(&machine, "nic0", "fabric")->bandwidth_Bps, 25000000000);
    cr_expect_eq(link_of(&machine, "gpu1", "pci.ffffff010")->raw_Bps, 31507000000);
    cr_expect_eq(link_of(&machine, "gpu0", "pci.ffffff010")->raw_Bps, 15753500000);
}

Test(topology, a_nic_of_two_ports_has_two_links_and_what_is_fused_or_unused_none) {
    rs_machine machine;
    cr_assert_eq(
        read_text(
            "<system><cpu numaid=\"0\" arch=\"arm64\"><pci busid=\"0:01:00.0\" class=\"0x030200\" "
            "link_speed=\"16 GT/s\" link_width=\"16\"><gpu dev=\"0\" sm=\"80\"/></pci>"
            "<pci busid=\"0:02:00.0\" class=\"0x020000\" link_speed=\"16 GT/s\" link_width=\"16\"><nic>"
            "<net dev=\"4\" speed=\"100000\"/><net dev=\"5\" speed=\"100000\"/>"
            "<net dev=\"6\" speed=\"100000\" net=\"0\"/><net dev=\"7\" keep=\"0\"/><gin dev=\"4\"/>"
            "</nic></pci><nic><net dev=\"9\" speed=\"-1\"/></nic><nic/></cpu></system>",
            &machine),
        RS_OK, "%s", error.text);
    int n_net = 0;
    for (int32_t i = 0; i < machine.n_links; i++) n_net += machine.links[i].kind == RS_NET;
    cr_expect_eq(n_net, 3);
    cr_expect_eq(link_of(&machine, "nic4", "fabric")->bandwidth_Bps, 12500000000);
    cr_expect_eq(link_of(&machine, "nic4", "cpu0")->bandwidth_Bps, 25000000000,
                 "as wide as its ports");
    cr_expect_eq(link_of(&machine, "nic9", "fabric")->bandwidth_Bps, 1250000000, "NCCL's 10 Gb/s");
    cr_expect_eq(machine.n_devices, 1 + 4);
}
#endif
