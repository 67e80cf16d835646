/* Broken topologies: each is refused, or warned of, with its line. */
#include "config.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_topology.h"

#ifndef HAVE_EXPAT
Test(topology_lint, is_left_out_of_this_build) {
    cr_skip("built without expat");
}
#else
#include "nccl/topology/topology_suite.h"

TestSuite(topology_lint, .init = open_arena, .fini = close_arena);

/* A good one: a case puts something else in the place of a part of it. */
static const char whole[] =
    /* 1 */
    "<system version=\"1\">\n"
    /* 2 */
    " <cpu numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\">\n"
    /* 3 */
    "  <pci busid=\"0000:04:00.0\" class=\"0x060400\" link_speed=\"8 GT/s\" link_width=\"16\">\n"
    /* 4 */
    "   <pci busid=\"0000:06:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" link_width=\"16\">\n"
    /* 5 */ "    <gpu dev=\"0\" sm=\"70\" rank=\"0\">\n"
    /* 6 */ "     <nvlink target=\"0000:07:00.0\" count=\"2\" tclass=\"0x030200\"/>\n"
    /* 7 */ "     <c2c bw=\"1000\" count=\"2\"/>\n"
    /* 8 */ "    </gpu>\n"
    /* 9 */ "   </pci>\n"
    /* 10 */
    "   <pci busid=\"0000:07:00.0\" class=\"0x030200\" link_speed=\"8.0 GT/s PCIe\" link_width=\"8\">\n"
    /* 11 */ "    <gpu dev=\"1\" sm=\"70\" rank=\"1\">\n"
    /* 12 */ "     <nvlink target=\"0000:06:00.0\" count=\"2\" tclass=\"0x030200\"/>\n"
    /* 13 */ "    </gpu>\n"
    /* 14 */ "   </pci>\n"
    /* 15 */
    "   <pci busid=\"0000:08:00.0\" class=\"0x020000\" link_speed=\"8 GT/s\" link_width=\"16\">\n"
    /* 16 */ "    <nic>\n"
    /* 17 */ "     <net name=\"mlx5_0\" dev=\"0\" speed=\"100000\" port=\"1\"/>\n"
    /* 18 */ "    </nic>\n"
    /* 19 */ "   </pci>\n"
    /* 20 */ "  </pci>\n"
    /* 21 */ " </cpu>\n"
    /* 22 */
    " <cpu numaid=\"1\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\"/>\n"
    /* 23 */ "</system>\n";

typedef struct spoilt {
    const char *from, *to;
    const char *says; /* it:LINE: what */
} spoilt;

/* Returns the text of `of` with the first `from` replaced by `to`. */
static char *spoil(const char *of, const spoilt *by) {
    const char *at = strstr(of, by->from);
    cr_assert_not_null(at, "'%s' is no part of the good text", by->from);
    const size_t n = strlen(of) + strlen(by->to) + 1;
    char *text = rs_alloc(&arena, n, 1);
    snprintf(text, n, "%.*s%s%s", (int)(at - of), of, by->to, at + strlen(by->from));
    return text;
}

static rs_status read_text(const char *text) {
    rs_machine machine;
    const size_t n = strlen(text);
    error.text[0] = '\0';
    return rn_read_topology(rn_recognise(text, n), text, n, "it", "it", &arena, &findings, &error,
                            &machine);
}

static void refuses(const char *of, const spoilt cases[], size_t n) {
    for (size_t i = 0; i < n; i++) {
        const rs_status status = read_text(spoil(of, &cases[i]));
        cr_expect_eq(status, RS_BAD_INPUT, "%s -> %s: exit %d", cases[i].from, cases[i].to, status);
        cr_expect(strncmp(error.text, cases[i].says, strlen(cases[i].says)) == 0,
                  "%s -> %s:\n  %s\n  wanted %s", cases[i].from, cases[i].to, error.text,
                  cases[i].says);
        cr_expect_null(strchr(error.text, '\n'));
    }
}

static void warns(const char *of, const spoilt cases[], size_t n) {
    char text[RS_ERROR_TEXT + 40];
    for (size_t i = 0; i < n; i++) {
        cr_expect_eq(read_text(spoil(of, &cases[i])), RS_OK, "%s: %s", cases[i].to, error.text);
        const rn_finding *found = &findings.list[0];
        snprintf(text, sizeof text, "it:%lld: %s", (long long)found->line, found->said.text);
        cr_expect(findings.n[RN_WARNING] >= 1 &&
                      strncmp(text, cases[i].says, strlen(cases[i].says)) == 0,
                  "%s -> %s:\n  %s\n  wanted %s", cases[i].from, cases[i].to, text, cases[i].says);
    }
}

Test(topology_lint, a_good_one_is_read_without_a_word) {
    cr_expect_eq(read_text(whole), RS_OK, "%s", error.text);
    cr_expect_eq(findings.n_kept, 0);
}

#define all_of(list) list, sizeof(list) / sizeof *(list)

Test(topology_lint, names_the_line_of_what_is_no_xml_or_no_topology) {
    static const spoilt cases[] = {
        {"</nic>", "</nik>", "it:18: column 7: this is no XML: "},
        {"dev=\"1\"", "dev=1", "it:11: column 14: this is no XML"},
        {"sm=\"70\" rank=\"1\"", "sm=\"70\" sm=\"70\"", "it:11: column "},
        {"</system>\n", "", "it:23: column 1: the file was cut here, within <system>"},
        {"<system version=\"1\">\n", "<system version=\"1\">\r\n<!-- \xc3\xa9 --></x>\n",
         "it:2: column 13: this is no XML: "},
        {"<system version=\"1\">\n", "<system version=\"1\">\r</x>\n",
         "it:2: column 3: this is no XML: "},
        {"name=\"mlx5_0\"", "name=\"&lol;\"", "it:17: column "},
        {"<system version=\"1\">\n",
         "<!DOCTYPE system [<!ENTITY a \"b\">]>\n<system version=\"&a;\">\n",
         "it:1: <!DOCTYPE: no document type"},
        {"<system version=\"1\">\n", "<!DOCTYPE system SYSTEM \"file:///etc/passwd\">\n<system>\n",
         "it:1: <!DOCTYPE: no document type"},
        {"<system version=\"1\">", "<graphs version=\"1\"></graphs>",
         "it:1: <graphs>: NCCL's topology begins"},
        {"affinity=\"ff\"",
         "affinity=\"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123"
         "4567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
         "012345678901234567890123456789012345678901234567890123456789\"",
         "it:2: cpu affinity: more than 255 bytes"},
    };
    refuses(whole, all_of(cases));
}

Test(topology_lint, names_the_line_of_what_stands_where_it_cannot) {
    static const spoilt cases[] = {
        {"   <pci busid=\"0000:06:00.0\"", "<gpu dev=\"7\"/>   <pci busid=\"0000:06:00.0\"",
         "it:4: gpu in a pci of class 0x060400"},
        {" <cpu numaid=\"1\"", "<gpu dev=\"7\"/> <cpu numaid=\"1\"",
         "it:22: gpu in system; it stands in pci"},
        {"    <nic>\n", "<net dev=\"3\"/>    <nic>\n", "it:16: net in pci; it stands in nic"},
        {"    <nic>\n", "<nic/>    <nic>\n", "it:16: nic: this pci holds a device already"},
        {"    <nic>\n", "<cpu numaid=\"7\"/>    <nic>\n", "it:16: cpu in pci; it stands in system"},
        {"     <c2c", "<pci busid=\"0:1:2.3\" class=\"0x03\"/>     <c2c",
         "it:7: pci in gpu; it stands in cpu, pci"},
        {"   </pci>\n   <pci busid=\"0000:07", "<gpu dev=\"5\"/>   </pci>\n   <pci busid=\"0000:07",
         "it:9: gpu: this pci holds a device already"},
        {"    </gpu>\n   </pci>\n",
         "    </gpu><pci busid=\"0000:77:00.0\" class=\"0x060400\" link_width=\"16\"/>\n   </pci>\n",
         "it:8: pci: below a GPU or a NIC there is nothing"},
        {"</cpu>\n <cpu", "<nvlink target=\"0000:06:00.0\" count=\"1\"/></cpu>\n <cpu",
         "it:21: nvlink in cpu; it stands in gpu"},
        {"</cpu>\n <cpu", "<c2c bw=\"1\" count=\"1\"/></cpu>\n <cpu",
         "it:21: c2c in cpu; it stands in gpu"},
        {"</cpu>\n <cpu", "<system/></cpu>\n <cpu", "it:21: system: there is one"},
    };
    refuses(whole, all_of(cases));
}

Test(topology_lint, names_the_line_of_what_is_missing_or_no_number) {
    static const spoilt cases[] = {
        {"numaid=\"1\"", "", "it:22: cpu: numaid is missing"},
        {"numaid=\"1\"", "numaid=\"x\"", "it:22: cpu: numaid=\"x\" is no number from -1 to 4095"},
        {"numaid=\"1\"", "numaid=\"-2\"", "it:22: cpu: numaid=\"-2\" is no number"},
        {"familyid=\"6\"", "familyid=\"six\"", "it:2: cpu: familyid=\"six\" is no number"},
        {"busid=\"0000:04:00.0\"", "", "it:3: pci: busid is missing"},
        {"busid=\"0000:04:00.0\"", "busid=\"04:00\"", "it:3: pci: busid=\"04:00\" is none"},
        {"busid=\"0000:04:00.0\"", "busid=\"0000:4:00.0\"",
         "it:3: pci: busid=\"0000:4:00.0\" is none"},
        {"class=\"0x060400\"", "class=\"bridge\"", "it:3: pci: class=\"bridge\" is none"},
        {"link_width=\"8\"", "link_width=\"7\"", "it:10: pci: link_width=\"7\": PCIe has 1, 2, 4"},
        {"link_width=\"8\"", "link_width=\"-1\"", "it:10: pci: link_width=\"-1\" is no number"},
        {"link_width=\"8\"", "link_width=\"x16\"", "it:10: pci: link_width=\"x16\" is no number"},
        {"8.0 GT/s PCIe", "9 GT/s", "it:10: pci: link_speed=\"9 GT/s\": PCIe has 2.5, 5"},
        {"8.0 GT/s PCIe", "8", "it:10: pci: link_speed=\"8\": PCIe has"},
        {"8.0 GT/s PCIe", "0 GT/s", "it:10: pci: link_speed=\"0 GT/s\": PCIe has"},
        {"dev=\"1\"", "", "it:11: gpu: dev is missing"},
        {"dev=\"1\"", "dev=\"99999999999999999999\"",
         "it:11: gpu: dev=\"99999999999999999999\" is no number"},
        {"sm=\"70\" rank=\"1\"", "sm=\"7.0\"", "it:11: gpu: sm=\"7.0\" is no number"},
        {"count=\"2\"", "", "it:6: nvlink: count is missing"},
        {"count=\"2\"", "count=\"0\"", "it:6: nvlink: count=\"0\" is no number from 1 to 64"},
        {"target=\"0000:07:00.0\"", "", "it:6: nvlink: target is missing"},
        {"target=\"0000:07:00.0\"", "target=\"7\"", "it:6: nvlink: target=\"7\" is no bus id"},
        {"tclass=\"0x030200\"", "tclass=\"0x020000\"", "it:6: nvlink: tclass=\"0x020000\" is none"},
        {"bw=\"1000\"", "", "it:7: c2c: bw is missing"},
        {"<c2c", "<c2c bw=\"1\" count=\"1\"/><c2c", "it:7: c2c: the second of this gpu"},
        {"dev=\"0\" speed", "speed", "it:17: net: dev is missing"},
        {"speed=\"100000\"", "speed=\"fast\"", "it:17: net: speed=\"fast\" is no number"},
        {"speed=\"100000\"", "speed=\"10000001\"", "it:17: net: speed=\"10000001\" is no number"},
    };
    refuses(whole, all_of(cases));
}

Test(topology_lint, names_the_line_of_what_contradicts_another) {
    static const spoilt cases[] = {
        {"numaid=\"1\"", "numaid=\"0\"", "it:22: cpu: numaid 0 stands in line 2 already"},
        {"0000:08:00.0", "0000:07:00.0", "it:15: busid 7000 stands in line 10 already"},
        {"busid=\"0000:07:00.0\"", "busid=\"0000:04:00.0\"",
         "it:6: nvlink: no GPU here has bus id 0000:07:00.0"},
        {"dev=\"1\"", "dev=\"0\"", "it:10: gpu dev 0 stands in line 4 already"},
        {"</nic>", "<net dev=\"0\" speed=\"1000\"/></nic>",
         "it:18: net dev 0 stands in line 17 already"},
        {"target=\"0000:07:00.0\"", "target=\"0000:06:00.0\"",
         "it:12: nvlink: 2 to the GPU of line 4, which has none back"},
        {"target=\"0000:07:00.0\"", "target=\"0000:09:00.0\"",
         "it:6: nvlink: no GPU here has bus id 0000:09:00.0"},
        {"     <nvlink target=\"0000:07:00.0\" count=\"2\" tclass=\"0x030200\"/>\n", "\n",
         "it:12: nvlink: 2 to the GPU of line 4, which has none back"},
        {"     <nvlink target=\"0000:06:00.0\" count=\"2\" tclass=\"0x030200\"/>\n", "\n",
         "it:6: nvlink: 2 to the GPU of line 10, which has none back"},
        {"<cpu numaid=\"1\"",
         "<cpu host_hash=\"0x2\" numaid=\"1\"><pci busid=\"0:6:0.0\" class=\"0x0\"/></cpu><cpu numaid=\"1\"",
         "it:22: pci: busid=\"0:6:0.0\" is none"},
        {"<cpu numaid=\"1\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\"/>",
         "<cpu host_hash=\"0x2\" numaid=\"0\" arch=\"arm64\"><pci busid=\"0000:06:00.0\" class=\"0x030200\" "
         "link_speed=\"8 GT/s\" link_width=\"16\"><gpu dev=\"0\" sm=\"70\"/></pci></cpu>",
         "it:22: gpu: no way leads from it to the GPU of line 4"},
    };
    refuses(whole, all_of(cases));
    const spoilt far = {"     <c2c",
                        "<nvlink target=\"x\" count=\"64\" tclass=\"0x068000\"/>     <c2c", ""};
    const char *text = spoil(whole, &far);
    for (int i = 0; i < 15; i++) text = spoil(text, &far);
    cr_expect_eq(read_text(text), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:4: gpu: 1026 NVLinks");
    const spoilt two = {"dev=\"1\" sm=\"70\"", "dev=\"0\" sm=\"x\"", ""};
    cr_expect_eq(read_text(spoil(whole, &two)), RS_BAD_INPUT);
    cr_expect_not_null(strstr(error.text, "(errors besides this one: "), "%s", error.text);
}

/* All GPUs with too many: none is left to compare with. */
Test(topology_lint, refuses_too_many_nvlinks_of_every_gpu) {
    char *text = rs_alloc(&arena, 300, 40);
    strcpy(
        text,
        "<system><cpu numaid=\"0\" arch=\"arm64\">\n<pci busid=\"0:01:00.0\" class=\"0x03\"><gpu dev=\"0\" sm=\"90\">");
    for (int i = 0; i < 16; i++)
        strcat(text, "<nvlink target=\"x\" count=\"64\" tclass=\"0x068000\"/>");
    strcat(text, "</gpu></pci></cpu></system>");
    cr_expect_eq(read_text(text), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:2: gpu: 1024 NVLinks");
}

/* NCCL writes a NIC whose place it does not know below every processor. */
Test(topology_lint, takes_a_nic_below_every_processor_for_one) {
    char *text =
        spoil(whole, &(spoilt){"modelid=\"85\"/>",
                               "modelid=\"85\"><nic><net name=\"eth0\" dev=\"1\" speed=\"10000\"/>"
                               "<net name=\"eth1\" dev=\"2\" speed=\"10000\"/></nic></cpu>",
                               ""});
    text = spoil(
        text, &(spoilt){"\n </cpu>",
                        "<nic><net name=\"eth0\" dev=\"1\" speed=\"10000\"/></nic>\n </cpu>", ""});
    cr_expect_eq(read_text(text), RS_OK, "%s", error.text);
    cr_expect(findings.n[RN_NOTE] == 1 && findings.n[RN_WARNING] == 0 &&
              findings.list[0].line == 22);
}

Test(topology_lint, of_a_template_wants_devices_to_be_leaves) {
    cr_expect_eq(
        read_text(
            "<system><cpu numaid=\"0\" arch=\"arm64\">\n<pci busid=\"0:01:00.0\" class=\"0x030200\">\n"
            "<pci busid=\"0:02:00.0\" class=\"0x030200\"/>\n</pci></cpu></system>"),
        RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:3: pci: below a GPU or a NIC there is nothing");
    cr_expect_eq(
        read_text(
            "<system><cpu numaid=\"0\" arch=\"arm64\"><nic><net dev=\"3\" speed=\"1000\"/></nic>"
            "<pci busid=\"0:01:00.0\" class=\"0x030200\"/><pci busid=\"0:02:00.0\" class=\"0x020000\"/>"
            "<pci busid=\"0:03:00.0\" class=\"0x020000\"/></cpu></system>"),
        RS_OK, "%s", error.text);
}

Test(topology_lint, names_what_has_no_gpu) {
    cr_expect_eq(read_text("<system>\n</system>"), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:1: there is no GPU");
    cr_expect_eq(read_text("<system><cpu numaid=\"0\" arch=\"arm64\"/></system>"), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:1: there is no GPU");
}

Test(topology_lint, warns_of_what_is_odd_and_goes_on) {
    static const spoilt cases[] = {
        {"version=\"1\"", "version=\"2\"", "it:1: system: version=\"2\""},
        {"<system version=\"1\">\n", "", "it:1: <cpu> without <system> around it"},
        {"arch=\"x86_64\"", "arch=\"mips\"", "it:2: cpu: arch or vendor is not known"},
        {"link_width=\"8\"", "link_width=\"0\"", "it:10: pci: link_width is not known"},
        {"link_width=\"8\"", "", "it:10: pci: link_width is not known"},
        {"8.0 GT/s PCIe", "", "it:10: pci: link_speed is not known"},
        {"8.0 GT/s PCIe", "Unknown speed", "it:10: pci: link_speed is not known"},
        {"sm=\"70\" rank=\"1\"", "", "it:11: gpu: sm is missing"},
        {"link_speed=\"8 GT/s\" link_width=\"16\"", "link_speed=\"2.5 GT/s\" link_width=\"1\"",
         "it:3: pci: 0.25 GB/s lead up from here, 15.75 down to line 4"},
        {"class=\"0x020000\"", "class=\"0x060400\"", "it:16: nic in a pci of class 0x060400"},
        {"speed=\"100000\"", "", "it:17: net: speed is not known"},
        {"speed=\"100000\"", "speed=\"0\"", "it:17: net: speed is not known"},
        {"speed=\"100000\"", "speed=\"200000\"",
         "it:17: net: 25 GB/s do not fit through the NIC's PCIe (line 15)"},
        {"    <nic>\n", "<what ever=\"1\"><gpu/></what>    <nic>\n",
         "it:16: <what> is no element that is known"},
        {"</gpu>\n   </pci>\n   <pci busid=\"0000:07",
         "<nvlink target=\"0000:c4:00.0\" count=\"1\" tclass=\"0x068000\"/></gpu>\n   </pci>\n   <pci busid=\"0000:07",
         "it:10: gpu: 0 NVLinks to switches, the GPU of line 4 has 1"},
        {"</gpu>\n   </pci>\n   <pci busid=\"0000:07",
         "<nvlink count=\"7\" target=\"\" tclass=\"0x068001\"/></gpu>\n   </pci>\n   <pci busid=\"0000:07",
         "it:4: gpu: 9 NVLinks; a GPU of sm 70 has 6"},
        {"<nvlink target=\"0000:07:00.0\" count=\"2\"",
         "<nvlink target=\"0000:07:00.0\" count=\"1\"/><nvlink target=\"0000:07:00.0\" count=\"1\"",
         "it:6: nvlink: this target stands in line 6 already"},
    };
    warns(whole, all_of(cases));
}

/* What NCCL writes besides is passed over without a word, with all inside; of anything else there is one. */
Test(topology_lint, knows_by_name_what_means_nothing_for_wires) {
    static const char *const names[] = {"gin",   "rma",   "rail",     "plane", "pcilink", "gi",
                                        "ginny", "rail2", "pcilinks", "what",  "RMA",     NULL};
    for (int i = 0; names[i] != NULL; i++) {
        char element[64];
        snprintf(element, sizeof element, "<%s a=\"1\"><gpu/></%s>    <nic>\n", names[i], names[i]);
        findings = (rn_findings){.n_kept = 0};
        cr_expect_eq(read_text(spoil(whole, &(spoilt){.from = "    <nic>\n", .to = element})),
                     RS_OK, "%s: %s", names[i], error.text);
        cr_expect_eq(findings.n[RN_WARNING], i < 5 ? 0 : 1, "<%s>", names[i]);
    }
}

/* ------------------------------------------------------------------ what is too much */

static char *repeated(const char *before, const char *what, int n, const char *after) {
    const size_t length = strlen(what),
                 n_bytes = strlen(before) + strlen(after) + length * (size_t)n + 1;
    char *text = rs_alloc(&arena, n_bytes, 1), *at = text + sprintf(text, "%s", before);
    for (int i = 0; i < n; i++, at += length) memcpy(at, what, length);
    strcpy(at, after);
    return text;
}

Test(topology_lint, refuses_too_much_within_bounded_memory) {
    static const char *const parts[][2] = {
        {"<pci busid=\"0:01:00.0\" class=\"0x06\">", "elements in elements: at most 64"},
        {"<other>", "elements in elements: at most 64"},
        {"<nic/>", "too many elements: at most 100000"}};
    for (int i = 0; i < 3; i++) {
        char *text =
            repeated("<system><cpu numaid=\"0\" arch=\"arm64\">\n", parts[i][0], 200000, "");
        cr_expect_eq(read_text(text), RS_BAD_INPUT);
        cr_expect(strncmp(error.text, "it:2: ", 6) == 0 && strstr(error.text, parts[i][1]), "%s",
                  error.text);
    }
    cr_expect_eq(read_text(repeated("<system>", "<cpu numaid=\"0\"/>", 300, "</system>")),
                 RS_BAD_INPUT);
    cr_expect_not_null(strstr(error.text, "numaid 0 stands in line 1"), "%s", error.text);
    char *many = repeated("<system>", "", 0, "");
    many = rs_alloc(&arena, 300, 40);
    strcpy(many, "<system>");
    for (int i = 0; i < 257; i++)
        sprintf(many + strlen(many), "<cpu numaid=\"%d\" arch=\"arm64\"/>", i);
    strcat(many, "</system>");
    cr_expect_eq(read_text(many), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it:1: too many processors: at most 256");
    char *large = repeated("<system>", "                                ", RN_TOPOLOGY_BYTES / 32,
                           "</system>");
    cr_expect_eq(read_text(large), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "it: more than 16 MiB: no topology is so large");
    cr_expect_lt(arena.n_bytes, 64 * 1024 * 1024, "what was refused leaves nothing behind");
}

Test(topology_lint, keeps_what_matters_most_in_the_order_of_its_lines) {
    rn_findings few = {.n_kept = 0};
    for (int i = 0; i < 1000; i++) rn_find(&few, i % 2 ? RN_WARNING : RN_NOTE, 1000 - i, "%d", i);
    cr_assert_eq(few.n_kept, RN_MOST_FINDINGS);
    for (int i = 0; i < few.n_kept; i++) cr_expect_eq(few.list[i].line, 2 * i + 1);
    for (int i = 0; i < 60; i++) rn_find(&few, RN_ERROR, 500 + i, "%d", i);
    cr_expect_eq(few.n[RN_ERROR], 60);
    cr_expect_eq(rn_first_error(&few, "f", &error), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "f:500: 0 (errors besides this one: 59)");
    for (int i = 1; i < few.n_kept; i++) cr_expect_geq(few.list[i].line, few.list[i - 1].line);
}
#endif
