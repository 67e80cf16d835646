/* test_lanes.c: which lanes PCIe has, for every width and generation: what they carry, what is said of others; who
 * says no width or no speed has 16 lanes of 8 GT/s, and the first of them is told.
 */
#include "config.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ringsim_topology.h"

#ifndef HAVE_EXPAT
Test(lanes, are_left_out_of_this_build) {
    cr_skip("built without expat");
}
#else
#include "nccl/topology/topology_suite.h"

TestSuite(lanes, .init = open_arena, .fini = close_arena);

enum { GPUS = 3 };

/* A box of three GPUs, one a line from line 2 on, each with what it says of its lanes. */
static rs_status read_gpus(const char said[GPUS][80], rs_machine *machine) {
    char text[2000] = "<system><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n";
    for (int i = 0; i < GPUS; i++) {
        const size_t n = strlen(text);
        snprintf(
            text + n, sizeof text - n,
            "<pci busid=\"0000:0%d:00.0\" class=\"0x030000\" %s><gpu dev=\"%d\" sm=\"89\"/></pci>\n",
            i + 1, said[i], i);
    }
    strcat(text, "</cpu></system>\n");
    return rn_read_topology(RN_TOPOLOGY_XML, text, strlen(text), "it", "it", &arena, &findings,
                            &error, machine);
}

static uint64_t raw_MBps(const rs_machine *machine, int32_t gpu) {
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (link->a == gpu || link->b == gpu) return link->raw_Bps / 1000000;
    }
    return 0;
}

/* Returns how many findings contain the text; the first one's line. */
static int count(const char *part, int64_t *line) {
    int n = 0;
    *line = 0;
    for (int32_t i = 0; i < findings.n_kept; i++) {
        if (strstr(findings.list[i].said.text, part) == NULL) continue;
        if (n++ == 0) *line = findings.list[i].line;
    }
    return n;
}

static void begin_box(char said[GPUS][80]) {
    close_arena();
    open_arena();
    for (int i = 0; i < GPUS; i++) strcpy(said[i], "link_speed=\"8 GT/s\" link_width=\"16\"");
}

Test(lanes, of_every_width_only_those_of_pcie_are_taken) {
    static const int real[] = {1, 2, 4, 8, 12, 16, 32};
    for (int width = 0; width <= 300; width++) {
        char said[GPUS][80], told[40];
        rs_machine machine;
        int64_t line;
        bool known = false;
        for (size_t i = 0; i < sizeof real / sizeof *real; i++) known = known || real[i] == width;
        begin_box(said);
        snprintf(said[1], sizeof said[1], "link_speed=\"8 GT/s\" link_width=\"%d\"", width);
        const rs_status status = read_gpus(said, &machine);
        cr_assert_eq(status == RS_OK, known || width == 0, "%d: %s", width, error.text);
        if (status == RS_OK) { /* a lane of 8 GT/s carries 984.625 MB/s */
            const uint64_t lanes = known ? (uint64_t)width : 16, want = 984625 * lanes / 1000;
            const uint64_t got = raw_MBps(&machine, 1);
            cr_expect(got >= want && got <= want + 1, "%d: %d MB/s, not %d", width, (int)got,
                      (int)want);
            cr_expect_eq(raw_MBps(&machine, 2), 15754);
            cr_expect_eq(count("link_width is not known", &line), width == 0);
            cr_expect_eq(line, width == 0 ? 3 : 0);
            cr_expect_eq(findings.n[RN_WARNING], width == 0);
            continue;
        }
        snprintf(told, sizeof told, "link_width=\"%d\"", width);
        cr_expect(count(told, &line) == 1 && line == 3, "%d: %s", width,
                  findings.list[0].said.text);
        cr_expect(count(width < 256 ? "lanes" : "is no number", &line) == 1, "%d: %s", width,
                  findings.list[0].said.text);
        cr_expect_eq(findings.n[RN_ERROR], 1);
    }
}

/* Of three GPUs each says its width and its speed, or not, in the ways that NCCL writes it. */
Test(lanes, the_first_that_says_nothing_is_told_and_the_others_are_alike) {
    static const char *const widths[] = {"link_width=\"4\"", "link_width=\"0\"", "link_width=\"\"",
                                         ""};
    static const char *const speeds[] = {"link_speed=\"32 GT/s\"", "link_speed=\"Unknown speed\"",
                                         "link_speed=\"\"", ""};
    for (unsigned drawn = 0; drawn < 1u << 12; drawn++) {
        char said[GPUS][80];
        rs_machine machine;
        int64_t line, want[2] = {0, 0};
        begin_box(said);
        for (int g = 0; g < GPUS; g++) {
            const unsigned w = drawn >> 2 * g & 3, s = drawn >> (6 + 2 * g) & 3;
            snprintf(said[g], sizeof said[g], "%s %s", speeds[s], widths[w]);
            if (w > 0 && want[0] == 0) want[0] = 2 + g;
            if (s > 0 && want[1] == 0) want[1] = 2 + g;
        }
        cr_assert_eq(read_gpus(said, &machine), RS_OK, "%s", error.text);
        cr_expect_eq(count("link_width is not known", &line), want[0] > 0, "%x", drawn);
        cr_expect_eq(line, want[0], "%x", drawn);
        cr_expect_eq(count("link_speed is not known", &line), want[1] > 0, "%x", drawn);
        cr_expect_eq(line, want[1], "%x", drawn);
        for (int g = 0; g < GPUS; g++) {
            const bool width = (drawn >> 2 * g & 3) == 0, speed = (drawn >> (6 + 2 * g) & 3) == 0;
            const uint64_t MBps = width && speed ? 15753 : width ? 3938 : speed ? 63015 : 15754;
            const uint64_t got = raw_MBps(&machine, g);
            cr_expect(got >= MBps - 1 && got <= MBps + 1, "%x: gpu%d: %d MB/s, not %d", drawn, g,
                      (int)got, (int)MBps);
        }
    }
}
#endif
