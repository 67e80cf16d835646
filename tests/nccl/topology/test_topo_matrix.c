/* nvidia-smi topo -m: in several ages, and broken, each with its line. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "ringsim_text.h"
#include "ringsim_topology.h"
#include "topology/link_rates.h"

static rs_arena arena;
static rs_error error;
static rn_findings findings;
static rs_machine machine;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(topo_matrix, .init = open_arena, .fini = close_arena);

static rs_status read_text(const char *text) {
    rn_plain plain;
    error.text[0] = '\0';
    cr_assert_eq(rn_make_plain(text, strlen(text), &arena, &error, &plain), RS_OK);
    cr_assert_eq(rn_recognise(plain.text, plain.n_bytes), RN_TOPO_MATRIX, "%.60s", text);
    return rn_read_topology(RN_TOPO_MATRIX, plain.text, plain.n_bytes, "it", "it", &arena,
                            &findings, &error, &machine);
}

static const char whole[] =
    /* 1 */ "$ nvidia-smi topo -m\n"
            /* 2 */
            "        GPU0    GPU1    GPU2    NIC0    CPU Affinity    NUMA Affinity   GPU NUMA ID\n"
            /* 3 */ "GPU0     X      NV4     SYS     PIX     0-15,32-47      0               N/A\n"
            /* 4 */ "GPU1    NV4      X      SYS     NODE    0-15,32-47      0               N/A\n"
            /* 5 */ "GPU2    SYS     SYS      X      SYS     16-31,48-63     1               N/A\n"
            /* 6 */ "NIC0    PIX     NODE    SYS      X\n"
            /* 7 */ "\n"
            /* 8 */ "NIC Legend:\n"
            /* 9 */ "\n"
            /* 10 */ "  NIC0: mlx5_0\n";

typedef struct spoilt {
    const char *from, *to;
    const char *says;
} spoilt;

static const char *spoil(const spoilt *by) {
    static char text[2000];
    const char *at = strstr(whole, by->from);
    cr_assert_not_null(at, "'%s' is no part of the good text", by->from);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - whole), whole, by->to,
             at + strlen(by->from));
    return text;
}

static const rs_machine_link *link_of(const char *a, const char *b) {
    const int32_t from = rs_machine_device(&machine, a, strlen(a));
    const int32_t to = rs_machine_device(&machine, b, strlen(b));
    for (int32_t i = 0; i < machine.n_links; i++) {
        const rs_machine_link *link = &machine.links[i];
        if ((link->a == from && link->b == to) || (link->a == to && link->b == from)) return link;
    }
    cr_assert_fail("no link joins %s and %s", a, b);
    return NULL;
}

Test(topo_matrix, is_a_tree_of_pcie_with_nvlinks) {
    cr_assert_eq(read_text(whole), RS_OK, "%s", error.text);
    cr_expect(findings.n_kept == 1 && findings.list[0].line == 2 &&
              findings.list[0].level == RN_NOTE);
    cr_expect_not_null(strstr(findings.list[0].said.text,
                              "by 4 NVLinks a GPU it is taken for RTX A6000: NVLink 12 GB/s"),
                       "%s", findings.list[0].said.text);
    cr_expect(machine.n_gpus == 3 && machine.n_devices == 3 + 5 &&
              machine.n_links == 1 + 3 + 2 + 1 + 1);
    cr_expect_eq(link_of("gpu0", "gpu1")->bandwidth_Bps, 48000000000);
    cr_expect(link_of("gpu0", "pix0")->kind == RS_PCIE && link_of("nic0", "pix0")->kind == RS_PCIE);
    cr_expect_eq(link_of("gpu1", "cpu0")->bandwidth_Bps, 24000000000);
    cr_expect_eq(link_of("pix0", "cpu0")->bandwidth_Bps, 25000000000,
                 "as wide as the NIC below it");
    cr_expect_eq(link_of("gpu2", "cpu1")->bandwidth_Bps, 24000000000);
    cr_expect(link_of("cpu0", "cpu1")->kind == RS_CPU &&
              link_of("cpu0", "cpu1")->bandwidth_Bps == 16000000000);
    cr_expect_eq(link_of("nic0", "fabric")->bandwidth_Bps, 25000000000);
}

/* PHB and NODE alike: below one processor, without NVLinks or affinities that would say so, too. */
Test(topo_matrix, has_one_processor_for_phb_and_node) {
    cr_assert_eq(read_text("GPU0 GPU1 GPU2 GPU3\nGPU0 X NODE PHB SYS\nGPU1 NODE X NODE SYS\n"
                           "GPU2 PHB NODE X SYS\nGPU3 SYS SYS SYS X\n"),
                 RS_OK, "%s", error.text);
    cr_expect(machine.n_devices == 4 + 2 && machine.n_links == 4 + 1 &&
              findings.n[RN_WARNING] == 0);
    cr_expect(link_of("gpu0", "cpu0") && link_of("gpu1", "cpu0") && link_of("gpu2", "cpu0"));
    cr_expect(link_of("gpu3", "cpu1") && link_of("cpu0", "cpu1"));
}

/* The same machine, said as other versions say it, or as it comes out of a terminal. */
Test(topo_matrix, of_other_ages_and_terminals_is_the_same) {
    static const char *const texts[] = {
        "\t\033[4mGPU0\tGPU1\tGPU2\tmlx5_0\tCPU Affinity\033[0m\n"
        "GPU0\t X \tNV4\tSOC\tPIX\t0-15,32-47\nGPU1\tNV4\t X \tSOC\tPHB\t0-15,32-47\n"
        "GPU2\tSOC\tSOC\t X \tSOC\t16-31,48-63\nmlx5_0\tPIX\tPHB\tSOC\t X \t\n\nLegend:\n",
        "\r\n\t[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID[0m\r\n"
        "GPU0\t X \tNV4\tSYS\tPIX\t0-15\t0\t\tN/A\r\nGPU1\tNV4\t X \tSYS\tNODE\t0-15\t0\t\tN/A\r\n"
        "GPU2\tSYS\tSYS\t X \tSYS\tN/A\tN/A\r\nNIC0\tPIX\tNODE\tSYS\t X",
        ("Ann: GPU0 GPU1 GPU2 NIC0\nGPU0 X NV4 SYS PIX 0-15 0\nGPU1 NV4 X SYS NODE 0-15 0\n"
         "GPU2 SYS SYS X SYS 16-31 1\nNIC0 PIX NODE SYS X\n"),
        "GPU0 GPU1 GPU2 NIC0\nGPU0 X NV4 SYS PIX\nGPU1 NV4 X SYS NODE\nGPU2 SYS SYS X SYS\nNIC0 PIX NODE SYS X\n",
    };
    cr_assert_eq(read_text(whole), RS_OK, "%s", error.text);
    const rs_machine first = machine;
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(read_text(texts[i]), RS_OK, "%d: %s", i, error.text);
        cr_assert(machine.n_links == first.n_links && machine.n_devices == first.n_devices, "%d",
                  i);
        for (int32_t k = 0; k < machine.n_links; k++) {
            const rs_machine_link *a = &machine.links[k], *b = &first.links[k];
            cr_expect(a->a == b->a && a->b == b->b && a->bandwidth_Bps == b->bandwidth_Bps &&
                          a->raw_Bps == b->raw_Bps && a->kind == b->kind &&
                          a->alpha_ps == b->alpha_ps,
                      "%d: link %d", i, (int)k);
        }
    }
}

/* n GPUs, each with so many NVLinks to each other. */
static void read_all_to_all(int n, int n_links) {
    char text[20000], *at = text;
    for (int i = 0; i < n; i++) at += sprintf(at, "\tGPU%d", i);
    at += sprintf(at, "\tCPU Affinity\n");
    for (int i = 0; i < n; i++) {
        at += sprintf(at, "GPU%d", i);
        for (int k = 0; k < n; k++)
            at += i == k ? sprintf(at, "\t X ") : sprintf(at, "\tNV%d", n_links);
        at += sprintf(at, "\t0-7\n");
    }
    cr_assert_eq(read_text(text), RS_OK, "%s", error.text);
}

Test(topo_matrix, has_switches_where_no_gpu_has_so_many_nvlinks) {
    static const struct {
        int n, n_links;
        bool switches;
        uint64_t GBps10; /* of the link, in tenths */
    } cases[] = {{8, 18, true, 3708}, {8, 12, true, 2400},  {16, 6, true, 1200},
                 {4, 18, true, 3708}, {4, 6, false, 1236},  {4, 4, false, 800},
                 {2, 4, false, 480},  {2, 12, false, 2400}, {2, 18, false, 3708},
                 {2, 2, false, 400},  {3, 12, true, 2400}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        read_all_to_all(cases[i].n, cases[i].n_links);
        const rs_machine_link *link = link_of("gpu0", cases[i].switches ? "nvsw" : "gpu1");
        cr_expect_eq(link->bandwidth_Bps / 100000000, cases[i].GBps10, "%d GPUs, NV%d: %llu",
                     cases[i].n, cases[i].n_links, (unsigned long long)link->bandwidth_Bps);
        cr_expect(findings.n[RN_WARNING] == 0 && findings.n[RN_NOTE] == 1);
    }
}

Test(topo_matrix, that_is_broken_is_refused_with_its_line) {
    static const spoilt cases[] = {
        {"GPU1    NV4      X ", "GPU1    NV3      X ",
         "it:4: row GPU1, column GPU0: NV3, the other way round NV4 (line 3)"},
        {"NIC0    PIX     NODE", "NIC0    PXB     NODE",
         "it:6: row NIC0, column GPU0: PXB, the other way round PIX (line 3)"},
        {"NV4     SYS     PIX", "NV4     FAR     PIX",
         "it:3: row GPU0, column GPU2: 'FAR' is none of X, NV#"},
        {"NV4     SYS     PIX", "GNS     SYS     PIX",
         "it:3: row GPU0, column GPU1: 'GNS' is of nvidia-smi topo -p2p"},
        {"NV4     SYS     PIX", "NVx     SYS     PIX",
         "it:3: row GPU0, column GPU1: 'NVx' is none of"},
        {"NV4     SYS     PIX", "NV999   SYS     PIX",
         "it:3: row GPU0, column GPU1: 'NV999' is none of"},
        {"NV4     SYS     PIX", "NV0     SYS     PIX", "it:3: row GPU0, column GPU1: 0 NVLinks"},
        {"NV4     SYS     PIX", "NV200   SYS     PIX", "it:3: row GPU0, column GPU1: 200 NVLinks"},
        {"NV4     SYS     PIX", "NV4     X       PIX",
         "it:3: row GPU0, column GPU2: X stands for a device itself"},
        {"GPU0     X ", "GPU0    PIX", "it:3: row GPU0, column GPU0: X stands for a device itself"},
        {"PIX     0-15", "PIX     SYS     0-15", "it:3: row GPU0: more columns than the 4 devices"},
        {"GPU1    NV4      X ", "GPU2    NV4      X ", "it:4: the row of GPU1 is missing here"},
        {"GPU1    NV4      X ", "GPU01   NV4      X ", "it:4: the row of GPU1 is missing here"},
        {"GPU0    GPU1    GPU2    NIC0", "GPU0    GPU1    GPU1    NIC0",
         "it:2: column 3: GPU1 has a column already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(read_text(spoil(&cases[i])), RS_BAD_INPUT, "%s", cases[i].to);
        cr_expect(strncmp(error.text, cases[i].says, strlen(cases[i].says)) == 0,
                  "%s:\n  %s\n  wanted %s", cases[i].to, error.text, cases[i].says);
    }
    cr_expect_eq(read_text("GPU0 GPU1\nGPU0 X SYS\n"), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:3: the row of GPU1 is missing here");
    cr_expect_eq(read_text("GPU0 GPU00\nGPU0 X SYS\nGPU00 SYS X\n"), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:3: gpu dev 0 stands in line 2 already");
}

Test(topo_matrix, whose_gpus_are_whole_goes_on_with_what_there_is) {
    static const spoilt cases[] = {
        {"NV4     SYS     PIX", "NV4     SYS     NV2",
         "row GPU0, column NIC0: NVLinks join GPUs only"},
        {"NV4     SYS     PIX ", "NV4     SYS ", "row GPU0: 3 columns, the head names 4 devices"},
        {"PIX     NODE    SYS      X", "PIX     NODE    SYS",
         "row NIC0: 3 columns, the head names 4 devices"},
        {"NIC0    PIX     NODE    SYS      X\n", "", "the row of NIC0 is missing here"},
        {"NIC0    PIX     NODE    SYS      X\n", "NIC0    PIX     N",
         "row NIC0, column GPU1: 'N' is none of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(read_text(spoil(&cases[i])), RS_OK, "%s: %s", cases[i].to, error.text);
        cr_expect(machine.n_gpus == 3 && link_of("gpu0", "gpu1") != NULL);
        cr_expect_eq(findings.n[RN_WARNING], 1);
        const char *said = findings.list[0].level == RN_WARNING ? findings.list[0].said.text
                                                                : findings.list[1].said.text;
        cr_expect(strncmp(said, cases[i].says, strlen(cases[i].says)) == 0, "%s", said);
    }
}

/* From a later GPU on, without the head, and cut in the last row: two GPUs are told of. */
Test(topo_matrix, whose_rows_are_not_all_there_is_of_the_gpus_that_have_one) {
    cr_assert_eq(read_text("GPU1 NV18 X NV18 NV18 SYS 0-7 0\nGPU2 NV18 NV18 X NV18 SYS 0-7 0\n"
                           "GPU3 NV18 NV1"),
                 RS_OK, "%s", error.text);
    cr_expect(machine.n_gpus == 2 && findings.n[RN_WARNING] >= 2);
}

/* nvidia-smi's list of GPUs, or its CSV, beside the matrix says what they are; two models say nothing. */
Test(topo_matrix, what_stands_beside_it_says_the_generation) {
    static const char matrix[] = "GPU0 GPU1\nGPU0 X PHB\nGPU1 PHB X\n";
    static const struct {
        const char *beside;
        int32_t sm, pcie, lanes;
    } cases[] = {
        {"", 0, 4, 16},
        {"|   0  NVIDIA H100 80GB HBM3  |\n", 90, 5, 16},
        {"GPU 0: Tesla V100-SXM2-16GB\nGPU 1: Tesla V100-SXM2-16GB\n", 70, 3, 16},
        {"GPU 0: NVIDIA H100\nGPU 1: NVIDIA A100\n", 0, 4, 16},
        {"index, name, pcie.link.gen.max, pcie.link.width.max\n0, NVIDIA L40S, 3, 8\n", 89, 3, 8},
        {"somebody's H100\n", 0, 4, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s", cases[i].beside, matrix);
        cr_assert_eq(read_text(text), RS_OK, "%s", error.text);
        cr_expect_eq(machine.sm, cases[i].sm, "%s: %d", cases[i].beside, machine.sm);
        cr_expect_eq(link_of("gpu0", "cpu0")->bandwidth_Bps,
                     rn_pcie_rate(cases[i].pcie, cases[i].lanes).Bps, "%s", cases[i].beside);
    }
}

Test(topo_matrix, that_is_no_tree_is_taken_for_the_nearest_one) {
    cr_expect_eq(read_text("GPU0 GPU1 NIC0\nGPU0 X SYS PIX\nGPU1 SYS X PIX\nNIC0 PIX PIX X\n"),
                 RS_OK);
    cr_expect(findings.n[RN_NOTE] == 2 && findings.list[1].line == 3);
    cr_expect_not_null(
        strstr(findings.list[1].said.text, "row GPU1, column GPU0: nearer to each other"), "%s",
        findings.list[1].said.text);
    cr_expect(link_of("gpu0", "pix0") && link_of("gpu1", "pix0") && link_of("nic0", "pix0"));
    cr_expect_eq(read_text("GPU0 GPU1 GPU2\nGPU0 X NV10 NV10\nGPU1 NV10 X NV4\nGPU2 NV10 NV4 X\n"),
                 RS_OK);
    cr_expect_not_null(strstr(findings.list[0].said.text, "gpu: 20 NVLinks; a GPU of sm 90 has 18"),
                       "%s", findings.list[0].said.text);
}

Test(topo_matrix, that_is_too_large_is_refused) {
    enum { N = 300 };
    char *text = rs_alloc(&arena, N, 16), *at = text;
    for (int i = 0; i < N; i++) at += sprintf(at, " GPU%d", i);
    strcpy(at, "\n");
    cr_expect_eq(read_text(text), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:1: too many columns: at most 256 devices");
    char *line = rs_alloc(&arena, 100001, 1); /* a line that is too long is no head */
    memset(line, 'G', 100000);
    cr_expect_eq(rn_recognise(line, 100000), RN_OWN_MACHINE);
}

Test(topo_matrix, columns_that_run_together_are_taken_apart) {
    static const char text[] = "        GPU0    GPU1    NIC0NIC1    CPU Affinity    NUMA Affinity\n"
                               "GPU0     X      NV4     PIXSYS      0-15    0\n"
                               "GPU1    NV4      X      SYSPIX      0-15    0\n"
                               "NIC0    PIX     SYS      X NODE\n"
                               "NIC1    SYS     PIX     NODE X\n";
    cr_assert_eq(read_text(text), RS_OK, "%s", error.text);
    cr_assert_eq(machine.n_gpus, 2);
    cr_assert_not_null(
        strstr(findings.list[0].said.text, "NIC0NIC1: two columns that run together"));
    cr_assert_eq(findings.n[RN_NOTE], 3); /* once; a pair that is nearer; that no speeds are said */
}

/* Of the head any names may, behind the first one. */
Test(topo_matrix, names_of_any_kind_that_run_together_are_taken_apart) {
    static const char *const names[] = {"GPU1", "NIC0", "GPU2", "GPU3"};
    for (unsigned gaps = 0; gaps < 8; gaps++) {
        char text[400] = "        GPU0    ";
        for (unsigned i = 0; i < 4; i++) {
            strcat(text, names[i]);
            if ((gaps >> i & 1) == 0) strcat(text, "    ");
        }
        strcat(text, "CPU Affinity\n"
                     "GPU0     X      NV4     PIX     NV4     NV4     0-15\n"
                     "GPU1    NV4      X      PHB     NV4     NV4     0-15\n"
                     "NIC0    PIX     PHB      X      PHB     PHB\n"
                     "GPU2    NV4     NV4     PHB      X      NV4     0-15\n"
                     "GPU3    NV4     NV4     PHB     NV4      X      0-15\n");
        cr_assert_eq(read_text(text), RS_OK, "%s:\n%s", error.text, text);
        cr_expect_eq(machine.n_gpus, 4);
        cr_expect_eq(findings.n[RN_NOTE], 1 + (gaps != 0), "%s", text);
    }
}

Test(topo_matrix, what_only_looks_run_together_is_no_cell) {
    static const char text[] = "        GPU0    GPU1    CPU Affinity\n"
                               "GPU0     X      SYSLOG  0-15\n"
                               "GPU1    SYS      X      0-15\n";
    cr_assert_eq(read_text(text), RS_BAD_INPUT);
    cr_assert_not_null(strstr(error.text, "'SYSLOG' is none of"), "%s", error.text);
}

/* Where a cell is missing, what stands next is the processors' list: whichever digit that begins with, the row is short. */
Test(topo_matrix, a_short_row_is_short_whatever_processors_follow) {
    for (int digit = 0; digit <= 10; digit++) {
        char row[120];
        snprintf(row, sizeof row, "GPU1    NV4      X      SYS     %s      0               N/A\n",
                 digit == 10 ? "N/A" : (char[]){(char)('0' + digit), '-', '9', '9', '\0'});
        const spoilt by = {
            "GPU1    NV4      X      SYS     NODE    0-15,32-47      0               N/A\n", row,
            ""};
        cr_expect_eq(read_text(spoil(&by)), RS_OK);
        cr_assert_eq(findings.n[RN_WARNING], 1);
        const rn_finding *said = findings.list;
        while (said->level != RN_WARNING) said++;
        cr_expect_str_eq(said->said.text, "row GPU1: 3 columns, the head names 4 devices");
    }
}

Test(topo_matrix, a_text_without_a_matrix_has_none) {
    static const char *const texts[] = {"", "A GPU is fast\n", "\n\nX\n"};
    for (int i = 0; i < 3; i++) {
        findings = (rn_findings){.n_kept = 0};
        cr_expect_eq(rn_read_topology(RN_TOPO_MATRIX, texts[i], strlen(texts[i]), "it", "it",
                                      &arena, &findings, &error, &machine),
                     RS_BAD_INPUT);
        cr_expect_str_eq(error.text, "it:1: there is no matrix of nvidia-smi topo -m");
    }
}
