/* test_box_numbers.c: every number of a topology is taken from its least to its most and refused beyond; a NIC has the
 * number of its first port that counts; who says no speed has a port of 10 Gb/s, and the first of them is told.
 */
#include "config.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ringsim_topology.h"

#ifndef HAVE_EXPAT
Test(box_numbers, are_left_out_of_this_build) {
    cr_skip("built without expat");
}
#else
#include "nccl/topology/topology_suite.h"

TestSuite(box_numbers, .init = open_arena, .fini = close_arena);

static rs_status read_text(const char *text, rs_machine *machine) {
    close_arena();
    open_arena();
    return rn_read_topology(RN_TOPOLOGY_XML, text, strlen(text), "it", "it", &arena, &findings,
                            &error, machine);
}

/* ------------------------------------------------------------------ bounds */

enum { NUMBERS = 8 };
static const struct {
    const char *element, *name;
    long long least, most;
} numbers[NUMBERS] = {
    {"cpu", "numaid", -1, 4095},
    {"cpu", "familyid", 0, 2147483647},
    {"cpu", "modelid", 0, 2147483647},
    {"gpu", "dev", 0, 65535},
    {"gpu", "sm", 10, 999},
    {"net", "dev", 0, 65535},
    {"net", "speed", -1, 10000000},
    {"nvlink", "count", 1, 64},
};
static const long long usual[NUMBERS] = {0, 6, 85, 0, 80, 0, 100000, 4};

/* One of each; the number `which` is given as a text, the others as usual. */
static void write_box(int which, const char *given, char out[1200]) {
    char values[NUMBERS][40];
    for (int i = 0; i < NUMBERS; i++) {
        if (i == which) {
            snprintf(values[i], sizeof values[i], "%s", given);
        } else {
            snprintf(values[i], sizeof values[i], "%lld", usual[i]);
        }
    }
    snprintf(
        out, 1200,
        "<system>\n<cpu numaid=\"%s\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"%s\" "
        "modelid=\"%s\">\n<pci busid=\"0000:01:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" "
        "link_width=\"16\"><gpu dev=\"%s\" sm=\"%s\">"
        "<nvlink target=\"ff\" count=\"%s\" tclass=\"0x068000\"/></gpu></pci>\n"
        "<pci busid=\"0000:02:00.0\" class=\"0x020000\" link_speed=\"8 GT/s\" link_width=\"16\">"
        "<nic><net dev=\"%s\" speed=\"%s\"/></nic></pci></cpu></system>",
        values[0], values[1], values[2], values[3], values[4], values[7], values[5], values[6]);
}

Test(box_numbers, are_taken_from_the_least_to_the_most) {
    char text[1200], given[40], part[120];
    for (int which = 0; which < NUMBERS; which++) {
        const long long least = numbers[which].least, most = numbers[which].most;
        const long long values[] = {least - 2, least - 1, least,    least + 1, most / 2,
                                    most - 1,  most,      most + 1, most + 2,  most * 10};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            rs_machine machine;
            const bool good = values[k] >= least && values[k] <= most;
            snprintf(given, sizeof given, "%lld", values[k]);
            write_box(which, given, text);
            const rs_status status = read_text(text, &machine);
            cr_expect_eq(status == RS_OK, good, "%s %s: %s", numbers[which].name, given,
                         error.text);
            if (good) continue;
            snprintf(part, sizeof part, "%s: %s=\"%s\" is no number from %lld to %lld",
                     numbers[which].element, numbers[which].name, given, least, most);
            cr_expect_not_null(strstr(error.text, part), "%s, not %s", error.text, part);
        }
    }
}

/* In whole decimal digits, with nothing behind them. */
Test(box_numbers, are_digits) {
    static const char *const none[] = {"",    "x",    "12x", "1 ",  " 12", "+12",
                                       "1.0", "0x20", "1e2", "--1", "-",   "99999999999999999999"};
    char text[1200];
    rs_machine machine;
    for (int which = 0; which < NUMBERS; which++) {
        for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
            write_box(which, none[k], text);
            cr_expect_eq(read_text(text, &machine), RS_BAD_INPUT, "%s=\"%s\"", numbers[which].name,
                         none[k]);
        }
    }
}

/* ------------------------------------------------------------------ what is told once */

static int count(const char *part, int64_t *line) {
    int n = 0;
    *line = 0;
    for (int32_t i = 0; i < findings.n_kept; i++) {
        if (strstr(findings.list[i].said.text, part) == NULL) continue;
        if (n++ == 0) *line = findings.list[i].line;
    }
    return n;
}

/* Four processors, each of a kind that is known, or of none; each with a GPU, so that none is left out. */
Test(box_numbers, the_first_processor_that_is_not_known_is_told) {
    for (int drawn = 0; drawn < 16; drawn++) {
        char text[2000] = "<system>\n";
        rs_machine machine;
        int64_t line, want = 0;
        for (int i = 0; i < 4; i++) {
            const size_t n = strlen(text);
            const bool known = (drawn >> i & 1) == 0;
            snprintf(text + n, sizeof text - n,
                     "<cpu numaid=\"%d\" arch=\"%s\"><pci busid=\"000%d:01:00.0\" "
                     "class=\"0x030000\" link_speed=\"8 GT/s\" link_width=\"16\">"
                     "<gpu dev=\"%d\" sm=\"80\"/></pci></cpu>\n",
                     i, known ? "arm64" : "mips", i, i);
            if (!known && want == 0) want = 2 + i;
        }
        strcat(text, "</system>\n");
        cr_assert_eq(read_text(text, &machine), RS_OK, "%s", error.text);
        cr_expect_eq(count("arch or vendor is not known", &line), want > 0, "%d", drawn);
        cr_expect_eq(line, want, "%d", drawn);
        cr_expect_eq(findings.n_kept, want > 0);
    }
}

/* An element that is refused is the only one told, whatever stands below it. */
Test(box_numbers, below_what_is_refused_nothing_is_told) {
    static const char *const spoilt[][2] = {
        {"numaid=\"0\"", "numaid=\"x\""},
        {"busid=\"0000:01:00.0\"", "busid=\"1\""},
        {"busid=\"0000:02:00.0\"", "busid=\"2\""},
        {"busid=\"0000:03:00.0\"", "busid=\"3\""},
    };
    static const int lines[] = {2, 3, 4, 5};
    static const char good[] =
        "<system>\n<cpu numaid=\"0\" arch=\"arm64\">\n"
        "<pci busid=\"0000:01:00.0\" class=\"0x060400\" link_speed=\"8 GT/s\" link_width=\"16\">\n"
        "<pci busid=\"0000:02:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" link_width=\"16\">"
        "<gpu dev=\"0\" sm=\"80\"><nvlink target=\"ff\" count=\"4\" tclass=\"0x068000\"/></gpu></pci>\n"
        "<pci busid=\"0000:03:00.0\" class=\"0x020000\" link_speed=\"8 GT/s\" link_width=\"16\">"
        "<nic><net dev=\"0\" speed=\"1000\"/></nic></pci>\n</pci></cpu></system>";
    char text[1200];
    rs_machine machine;
    cr_assert_eq(read_text(good, &machine), RS_OK, "%s", error.text);
    cr_assert_eq(findings.n_kept, 0);
    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        const char *at = strstr(good, spoilt[i][0]);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, spoilt[i][1],
                 at + strlen(spoilt[i][0]));
        cr_expect_eq(read_text(text, &machine), RS_BAD_INPUT);
        cr_expect_eq(findings.n[RN_ERROR], 1, "%s: %s", spoilt[i][1], error.text);
        cr_expect_eq(findings.list[0].line, lines[i]);
    }
}

/* ------------------------------------------------------------------ ports */

enum { NETS = 3 };

static bool joins(const rs_machine *machine, const rs_machine_link *link, const char *a) {
    return strcmp(machine->names[link->a], a) == 0 || strcmp(machine->names[link->b], a) == 0;
}

/* Two NICs of up to three ports each; a port is used, fused into another, not kept, or says no speed. */
Test(box_numbers, a_nic_has_the_number_of_its_first_port_that_counts) {
    static const char *const kinds[4] = {"speed=\"100000\"", "speed=\"100000\" net=\"0\"",
                                         "speed=\"100000\" keep=\"0\"", "speed=\"-1\""};
    for (unsigned drawn = 0; drawn < 1u << 12; drawn++) {
        char text[2000] =
            "<system><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n"
            "<pci busid=\"0000:01:00.0\" class=\"0x030000\" link_speed=\"8 GT/s\" link_width=\"16\">"
            "<gpu dev=\"0\" sm=\"80\"/></pci>\n";
        rs_machine machine;
        int first[2] = {-1, -1}, n_ports[2] = {0, 0}, told = 0, want_line = 0;
        uint64_t Bps[2] = {0, 0};
        for (int p = 0; p < 2 * NETS; p++) { /* a port a line, from line 5 and 9 on */
            const unsigned kind = drawn >> 2 * p & 3;
            const int nic = p / NETS;
            size_t n = strlen(text);
            if (p % NETS == 0) {
                snprintf(text + n, sizeof text - n,
                         "<pci busid=\"0000:0%d:00.0\" class=\"0x020000\" "
                         "link_speed=\"64 GT/s\" link_width=\"16\"><nic>\n",
                         2 + nic);
                n = strlen(text);
            }
            snprintf(text + n, sizeof text - n, "<net dev=\"%d\" %s/>%s", 7 - p, kinds[kind],
                     p % NETS == NETS - 1 ? "</nic></pci>\n" : "\n");
            if (kind == 1 || kind == 2) continue;
            if (first[nic] < 0) first[nic] = 7 - p;
            n_ports[nic]++;
            Bps[nic] += kind == 0 ? 12500000000u : 1250000000u;
            if (kind == 3 && want_line == 0) want_line = 4 + nic * NETS + p % NETS + nic;
        }
        strcat(text, "</cpu></system>\n");
        cr_assert_eq(read_text(text, &machine), RS_OK, "%s in\n%s", error.text, text);
        for (int32_t i = 0; i < findings.n_kept; i++) {
            if (strstr(findings.list[i].said.text, "net: speed is not known") == NULL) continue;
            cr_expect_eq(findings.list[i].line, want_line, "%x: line %d, not %d", drawn,
                         (int)findings.list[i].line, want_line);
            told++;
        }
        cr_expect_eq(told, want_line > 0, "%x", drawn);
        for (int nic = 0; nic < 2; nic++) {
            char name[16];
            int n = 0;
            uint64_t sum = 0;
            if (first[nic] < 0) continue;
            snprintf(name, sizeof name, "nic%d", first[nic]);
            for (int32_t i = 0; i < machine.n_links; i++) {
                const rs_machine_link *link = &machine.links[i];
                if (link->kind != RS_NET || !joins(&machine, link, name)) continue;
                sum += link->bandwidth_Bps;
                n++;
            }
            cr_expect(n == n_ports[nic] && sum == Bps[nic], "%x: %s: %d ports, %llu B/s", drawn,
                      name, n, (unsigned long long)sum);
        }
    }
}
#endif
