/* test_nccl_spellings.c: lines that are put together from parts, against what was put in: settings, transports, counts of
 * channels, heads of lines, and what switches GDR off.
 */
#include "log_text.h"

TestSuite(nccl_spellings, .init = start, .fini = stop);

/* ------------------------------------------------------------------ is it NCCL's? */

/* A line is NCCL's by a mark that stands whole in its first 511 bytes; zeros are blanks. */
Test(nccl_spellings, a_line_is_one_of_nccl_s_by_a_whole_mark) {
    static const char *const marks[] = {"NCCL INFO ", "NCCL WARN ", "NCCL TRACE "};
    char line[600];
    for (int mark = 0; mark < 3; mark++) {
        const size_t n_mark = strlen(marks[mark]);
        for (size_t at = 0; at < 520; at += at == 20 ? 470 : 1) {
            for (size_t n = at; n < at + n_mark + 3; n++) {
                const size_t seen = n < 511 ? n : 511;
                memset(line, at % 2 ? 'x' : '\0', sizeof line);
                for (size_t i = 0; i < n_mark; i++)
                    line[at + i] = marks[mark][i] == ' ' && at % 3 == 0 ? '\0' : marks[mark][i];
                cr_assert_eq(rn_nccl_is_log_line(line, n), at + n_mark <= seen,
                             "%s at %zu, %zu bytes", marks[mark], at, n);
            }
        }
        for (size_t i = 0; i < n_mark; i++) {
            snprintf(line, sizeof line, "h:1:2 [0] %sx", marks[mark]);
            line[10 + i]++;
            cr_expect_not(rn_nccl_is_log_line(line, strlen(line)), "%s", line);
        }
        snprintf(line, sizeof line, "NCCL NCCL info NCCL %s", marks[mark]);
        cr_expect(rn_nccl_is_log_line(line, strlen(line)));
    }
}

/* Without a mark: what may stand before the version, its letter, and behind it. The reader takes the same lines. */
Test(nccl_spellings, a_bare_version_stands_alone_or_behind_a_prefix) {
    static const struct {
        const char *text;
        bool is;
    } before[] = {{"", true},      {" ", true},   {"rank 0: ", true}, {"[1,0]<stdout>:", true},
                  {"<out>", true}, {"(a)", true}, {"[0]", true},      {"a|", true},
                  {"x", false},    {"a,", false}, {"'", false},       {"(", false},
                  {"[", false},    {"a-", false}},
      behind[] = {{"", true},          {" HEAD:45b618a+", true}, {" compiled with CUDA 12", true},
                  {" HEAD", true},     {" or so", false},        {" HEA", false},
                  {" compiled", true}, {" compile ", false},     {" head", false}};
    static const struct {
        const char *text;
        bool is;
    } names[] = {{"NCCL version 2.18.3+cuda12.2", true}, {"RCCL version 2.20.5+hip6.2", true},
                 {"NCCL version 2.4.8", true},           {"MCCL version 2.18.3", false},
                 {"CCL version 2.18.3", false},          {"NCCL version 3.18.3", false},
                 {"NCCL Version 2.18.3", false}};
    for (size_t b = 0; b < sizeof before / sizeof *before; b++) {
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            for (size_t e = 0; e < sizeof behind / sizeof *behind; e++) {
                char line[200];
                const bool compiled = strcmp(behind[e].text, " compiled") == 0;
                const bool is = before[b].is && names[n].is && behind[e].is && !compiled;
                snprintf(line, sizeof line, "%s%s%s", before[b].text, names[n].text,
                         behind[e].text);
                cr_expect_eq(rn_nccl_is_log_line(line, strlen(line)), is, "'%s'", line);
                begin_log(1);
                ADD("%s\n", line);
                LOG_SAYS("Using network IB");
                read_log();
                cr_expect_eq(log_.n_used, 1 + is, "'%s'", line);
                cr_expect_eq(log_.rccl, is && n == 1, "'%s'", line);
                cr_expect_eq(log_.version_line, is && n != 1, "'%s'", line);
            }
        }
    }
}

/* ------------------------------------------------------------------ settings */

/* Each way to say a setting with every value of up to four signs: quotes around it and a point behind it are left out. */
Test(nccl_spellings, a_setting_s_value_is_without_quotes_and_point) {
    static const char *const forms[][2] = {{"NCCL_A1 set by environment to ", ""},
                                           {"NCCL_A1 set to ", ""},
                                           {"  NCCL_A1  set  to   ", ""},
                                           {"NET/OFI Setting NCCL_A1 to ", ""},
                                           {"NET/OFI Adding NCCL_A1 to ", ""},
                                           {"NET/OFI Adding NCCL_A1=", " to environment"},
                                           {"NET/OFI Setting NCCL_A1=", " to environment"}};
    static const char signs[] = "a\".";
    for (int form = 0; form < 7; form++) {
        for (int number = 0; number < 3 * 3 * 3 * 3 * 4; number++) {
            char value[8] = "";
            const int n = 1 + number % 4;
            for (int i = 0, rest = number / 4; i < n; i++, rest /= 3) value[i] = signs[rest % 3];
            char wanted[8];
            size_t from = 0, to = (size_t)n;
            if (n > 1 && value[0] == '"' && value[n - 1] == '"') from++, to--;
            if (to > from && value[to - 1] == '.') to--;
            snprintf(wanted, sizeof wanted, "%.*s", (int)(to - from), value + from);
            begin_log(1);
            LOG_SAYS("%s%s%s", forms[form][0], value, forms[form][1]);
            read_log();
            cr_assert_eq(log_.n_settings, 1, "%s", text);
            cr_assert_str_eq(log_.settings[0].name, "NCCL_A1");
            cr_assert_str_eq(log_.settings[0].value, wanted, "%s", text);
            cr_assert_eq(log_.settings[0].plugin, form > 2);
            cr_assert(log_.n_used == 1 && log_.n_unknown == 0);
        }
    }
}

/* With one letter of its words changed it is none; a value may stop a line, and may be long. */
Test(nccl_spellings, a_setting_is_one_by_all_its_words) {
    static const char *const lines[] = {"NCCL_A1 set by environment to 7", "NCCL_A1 set to 7",
                                        "NET/OFI Setting NCCL_A1 to 7",
                                        "NET/OFI Adding NCCL_A1=7 to environment"};
    for (int which = 0; which < 4; which++) {
        const size_t n = strlen(lines[which]),
                     name = (size_t)(strstr(lines[which], "A1") - lines[which]);
        for (size_t i = 0; i < n; i++) {
            char line[100];
            snprintf(line, sizeof line, "%s", lines[which]);
            line[i] = line[i] == ' ' ? 'x' : ' ';
            if (i == name || i == name + 1 || lines[which][i] == '7') continue;
            begin_log(1);
            LOG_SAYS("Using network IB");
            LOG_SAYS("%s", line);
            read_log();
            cr_expect_eq(log_.n_settings, 0, "%s", line);
            cr_expect_eq(log_.n_unknown, which < 2 || i < 4, "%s", line);
        }
    }
    for (int form = 0; form < 2; form++) {
        for (int n = 185; n < 195; n++) {
            char value[200];
            memset(value, 'v', sizeof value);
            begin_log(1);
            LOG_SAYS("%s%.*s%s", form == 0 ? "NCCL_A1 set to " : "NET/OFI Adding NCCL_A1=", n,
                     value, form == 0 ? "." : " to environment");
            read_log();
            cr_assert_eq(log_.n_settings, 1);
            cr_assert_eq(strlen(log_.settings[0].value), (size_t)(n < 191 ? n : 191));
        }
    }
}

/* Every rank says the same; what a plugin said at any time is a plugin's. */
Test(nccl_spellings, settings_differ_by_name_and_value) {
    for (uint64_t seed = 1; seed <= 300; seed++) {
        int line[9] = {0}, order[9], n = 0;
        bool plugin[9] = {false};
        begin_log(seed);
        for (int i = 0, said = 1 + draw(12); i < said; i++) {
            const int which = draw(9), by = draw(3) == 0;
            LOG_SAYS(by ? "NET/OFI Adding NCCL_N%d=%d to environment" : "NCCL_N%d set to %d",
                     which / 3, which % 3);
            if (line[which] == 0) order[n++] = which, line[which] = (int)n_lines;
            plugin[which] = plugin[which] || by;
        }
        read_log();
        cr_assert_eq(log_.n_settings, n, "seed %d", (int)seed);
        for (int i = 0; i < n; i++) {
            const rn_nccl_setting *s = &log_.settings[i];
            cr_assert(s->name[6] == '0' + order[i] / 3 && s->value[0] == '0' + order[i] % 3);
            cr_assert(s->line == line[order[i]] && s->plugin == plugin[order[i]]);
        }
    }
}

/* ------------------------------------------------------------------ transports */

/* Names of drawn parts: what a device's number and what ends a name leave of them, up to 63 bytes. */
Test(nccl_spellings, a_transport_s_name_is_its_parts_without_numbers) {
    static const char *const kept[] = {"/IB", "/GDRDMA", "x", "/a7", "7", " Lib", "(3)", "/"},
                             *const left_out[] = {"/0", "/7", "/9", "/12", "/3(4)", "/5x[y]"},
                             *const ends[] = {"",          "  [0]",
                                              " [1] more", " comm 0x7 nRanks 8",
                                              "  NET/IB",  " comm 7"};
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        char name[300] = "N", wanted[300] = "N";
        begin_log(seed);
        for (int i = draw(seed % 3 ? 5 : 30); i > 0; i--) {
            const char *last = wanted + strlen(wanted) - 1;
            const bool slash = *last == '/';
            if (draw(2)) {
                strcat(name, left_out[draw(6)]);
                strcat(name, "/NET");
                strcat(wanted, "/NET");
            } else {
                const char *part = kept[draw(slash ? 3 : 8)]; /* "/7" would be a number */
                strcat(name, part);
                strcat(wanted, part);
            }
        }
        if (draw(3) == 0) strcat(name, left_out[draw(6)]);
        LOG_SAYS("Channel 00/0 : 0[0] -> 1[0] via %s%s", name, ends[draw(6)]);
        read_log();
        wanted[RN_NCCL_WORD - 1] = '\0';
        cr_assert_eq(log_.n_transports, 1);
        cr_assert_str_eq(log_.transports[0].name, wanted, "seed %d: %s", (int)seed, text);
    }
}

/* An end is a rank, with a number in brackets or none. */
Test(nccl_spellings, a_connection_has_two_whole_ends) {
    static const struct {
        const char *end;
        bool is;
    } ends[] = {{"0[0]", true},      {"1[41000]", true}, {"7[0a9f]", true}, {"7[0x5f]", true},
                {"131072[1]", true}, {"3", true},        {"3[]", true},     {"131073[1]", false},
                {"-1[0]", false},    {"3[g]", false},    {"3[0", false},    {"3(0)", false},
                {"3[0)", false},     {"x[0]", false},    {"3x", false},     {"", false}};
    for (int a = 0; a < 16; a++) {
        for (int b = 0; b < 16; b++) {
            begin_log(1);
            LOG_SAYS("Ring 00 : %s -> %s via P2P/IPC", ends[a].end, ends[b].end);
            read_log();
            cr_expect_eq(log_.n_transports, ends[a].is && ends[b].is, "%s", text);
            cr_expect_eq(log_.n_unknown, !(ends[a].is && ends[b].is), "%s", text);
        }
    }
    static const char *const none[] = {
        "Ring 00 : 0[0] - > 1[0] via P2P",     "Ring 00 0[0] -> 1[0] via P2P",
        "Ring 00 : 0[0] -> 1[0] by P2P",       "Ring 00/x : 0[0] -> 1[0] via P2P",
        "Ring 00/4097 : 0[0] -> 1[0] via P2P", "CollNet 00/0 : 0 [receive]"};
    for (int i = 0; i < 6; i++) {
        begin_log(1);
        LOG_SAYS("%s", none[i]);
        read_log();
        cr_expect(log_.n_transports == 0 && log_.n_unknown == 1, "%s", text);
    }
}

/* ------------------------------------------------------------------ counts of channels */

/* Each count up to 4096, in any order; behind the first part that is none nothing more is read. */
Test(nccl_spellings, counts_of_channels_are_read_up_to_what_is_none) {
    static const char *const parts[] = {"collnet channels", "nvls channels", "p2p channels",
                                        "p2p channels per peer", "other channels"};
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        int counts[5] = {-1, -1, -1, -1, -1};
        bool ended = false;
        begin_log(seed);
        const int first = draw(3) == 0 ? 4095 + draw(3) : draw(100);
        LOG_SAYS("Using network IB");
        ADD("h:1:2 [0] NCCL INFO %d coll channels", first);
        for (int i = draw(7); i > 0; i--) {
            const int part = draw(9) == 0 ? 4 : draw(4);
            const int n = draw(6) == 0 ? 4095 + draw(4) : draw(100);
            const bool comma = draw(12) != 0;
            ADD("%s %d %s", comma ? "," : "", n, parts[part]);
            ended = ended || n > 4096 || !comma || part == 4;
            if (!ended) counts[part] = n;
        }
        ADD("\n");
        read_log();
        const bool is = first <= 4096;
        cr_assert_eq(log_.n_unknown, !is, "%s", text);
        cr_assert_eq(log_.channels_line, is ? 2 : 0);
        cr_assert_eq(log_.n_coll_channels, is ? first : -1, "%s", text);
        cr_assert_eq(log_.n_nvls_channels, is ? counts[1] : -1, "%s", text);
    }
}

/* ------------------------------------------------------------------ lines by how they begin */

/* Of the search: "GPU/" and a bus in hexadecimal digits. */
Test(nccl_spellings, a_gpu_of_the_search_has_a_number) {
    for (int c = 33; c < 127; c++) {
        begin_log(1);
        LOG_SAYS("GPU/%c :GPU/81000 (3/24.0/PHB)", c);
        LOG_SAYS("GPU/%c", c);
        LOG_SAYS("GPU/");
        LOG_SAYS("GPU/ %c", c);
        read_log();
        const bool is = strchr("0123456789abcdef", c) != NULL;
        cr_expect_eq(log_.n_unknown, is ? 2 : 4, "%c", c);
    }
}

/* A link of the system has a sign, a speed in brackets and an end; only switches and NICs are counted. */
Test(nccl_spellings, a_link_of_the_system_has_all_its_parts) {
    static const struct {
        const char *link;
        bool is, nvs;
    } links[] = {{"+ NVL[370.8] - NVS/0", true, true},    {"   +  NVL[1] - NVS/0", true, true},
                 {"+ PCI[24.0] - GPU/1000", true, false}, {"+ NVL[370.8] - NVS", true, false},
                 {"+ NVL[370.8] - ", false, false},       {"+ NVL370.8] - NVS/0", false, false},
                 {"+ NVL[370.8] NVS/0", false, false},    {"+ NVL[370.8]- NVS/0", false, false},
                 {"- NVL[370.8] - NVS/0", false, false},  {"+NVL[370.8] - NVS/0", false, false},
                 {"NVL[370.8] - NVS/0", false, false}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        begin_log(1);
        LOG_SAYS("=== System : maxBw 24.0 totalBw 24.0 ===");
        LOG_SAYS("%s", links[i].link);
        read_log();
        cr_expect_eq(log_.n_unknown, !links[i].is, "%s", links[i].link);
        cr_expect_eq(log_.n_nvswitches, links[i].nvs, "%s", links[i].link);
    }
}

/* Whatever the line begins with, its words say that there is no GDR, or no InfiniBand: the first such line is told. */
Test(nccl_spellings, what_is_off_is_found_behind_any_beginning) {
    static const char *const begins[] = {"", "NET/IB : ", "NET/1 : ", "NET/AWS : ", "x.cc:7 "};
    static const char *const words[] = {"GPU Direct RDMA Disabled for HCA 0", "disabling GDR",
                                        "GDR not supported", "No device found.",
                                        "Failed to open libibverbs.so"};
    for (int b = 0; b < 5; b++) {
        for (int w = 0; w < 5; w++) {
            const bool no_gdr = w < 3, no_ib = (w == 3 && b == 1) || (w == 4 && b == 0);
            begin_log(1);
            LOG_SAYS("Using network IB");
            LOG_SAYS("%s%s", begins[b], words[w]);
            LOG_SAYS("%s%s", begins[b], words[w]);
            read_log();
            cr_expect_eq(log_.no_gdr_line, no_gdr ? 2 : 0, "%s", text);
            cr_expect_eq(log_.no_ib_line, no_ib ? 2 : 0, "%s", text);
            const bool known = no_gdr || no_ib || (b > 0 && b < 4);
            cr_expect_eq(log_.n_unknown, known ? 0 : 2, "%s", text);
        }
    }
}
