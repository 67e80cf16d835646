/* test_nccl_words.c: NCCL's words in every spelling, and nothing else: names, versions; which combinations there are.
 */
#include "ringsim_tuning.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 1;

static int draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (int)((uint32_t)(state >> 33) % below);
}

/* ------------------------------------------------------------------ names */

enum { MOST_NAMES = 12 };
typedef int find_name(const char *text, size_t n); /* -1: none */

static int find_algorithm(const char *text, size_t n) {
    rn_nccl_algorithm found;
    return rn_nccl_find_algorithm(text, n, &found) ? (int)found : -1;
}
static int find_protocol(const char *text, size_t n) {
    rn_nccl_protocol found;
    return rn_nccl_find_protocol(text, n, &found) ? (int)found : -1;
}
static int find_collective(const char *text, size_t n) {
    rs_collective found;
    return rn_nccl_find_collective(text, n, &found) ? (int)found : -1;
}
static int find_path(const char *text, size_t n) {
    rn_nccl_path found;
    return rn_nccl_find_path(text, n, &found) ? (int)found : -1;
}

/* Letters and digits, small. */
static void plain(const char *text, char out[64]) {
    size_t n = 0;
    for (; *text != '\0'; text++) {
        if (*text != '_' && *text != '-')
            out[n++] = (char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text);
    }
    out[n] = '\0';
}

/* Writes the word as one might, now and then with a fault. */
static void spell(const char *word, char out[64]) {
    static const char any[] = "abLl12 x";
    size_t n = 0;
    const int fault = draw(3) == 0 ? draw((uint32_t)strlen(word) + 1) : -1;
    for (int i = 0; word[i] != '\0'; i++) {
        if (i == fault && draw(3) == 0) continue;
        if (draw(5) == 0) out[n++] = draw(2) ? '_' : '-';
        char c = i == fault ? any[draw(8)] : word[i];
        if (c >= 'a' && c <= 'z' && draw(2)) c = (char)(c - 32);
        out[n++] = c;
    }
    if (fault == (int)strlen(word)) out[n++] = any[draw(8)];
    if (draw(9) == 0) out[n++] = '_';
    out[n] = '\0';
}

static void every_spelling(const char *const names[], int n_names, find_name *find) {
    int n_found = 0, n_none = 0;
    for (int turn = 0; turn < 3000; turn++) {
        char text[64], own[64], other[64], behind[80];
        spell(names[draw((uint32_t)n_names)], text);
        plain(text, own);
        int is = -1;
        for (int i = 0; i < n_names; i++) {
            plain(names[i], other);
            if (strcmp(own, other) == 0) is = i;
        }
        cr_assert_eq(find(text, strlen(text)), is, "%s", text);
        snprintf(behind, sizeof behind, "%sx9", text);
        cr_assert_eq(find(behind, strlen(text)), is, "%s: what stands behind it counts", text);
        n_found += is >= 0;
        n_none += is < 0;
    }
    cr_expect(n_found > 1500 && n_none > 200, "%d, %d", n_found, n_none);
    cr_expect_eq(find("", 0), -1);
    cr_expect_eq(find("_-", 2), -1);
}

Test(nccl_words, names_are_found_in_every_spelling_and_nothing_else) {
    static const char *const algorithms[] = {
        "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
    static const char *const protocols[] = {"LL", "LL128", "Simple"};
    static const char *const collectives[RS_N_COLLECTIVES] = {
        [RS_COLL_ALL_REDUCE] = "AllReduce", [RS_COLL_REDUCE_SCATTER] = "ReduceScatter",
        [RS_COLL_ALL_GATHER] = "AllGather", [RS_COLL_BROADCAST] = "Broadcast",
        [RS_COLL_REDUCE] = "Reduce",        [RS_COLL_ALL_TO_ALL] = "AlltoAll"};
    static const char *const paths[] = {"LOC", "NVL", "NVB", "C2C", "PIX", "PXB",
                                        "P2C", "PXN", "PHB", "SYS", "NET", "DIS"};
    every_spelling(algorithms, 7, find_algorithm);
    every_spelling(protocols, 3, find_protocol);
    every_spelling(collectives, RS_N_COLLECTIVES, find_collective);
    every_spelling(paths, 12, find_path);
    for (int i = 0; i < 7; i++) {
        cr_expect_str_eq(rn_nccl_algorithm_title((rn_nccl_algorithm)i), algorithms[i]);
        const char *name = rn_nccl_algorithm_name((rn_nccl_algorithm)i);
        cr_expect_eq(find_algorithm(name, strlen(name)), i);
    }
    for (int i = 0; i < 3; i++) {
        cr_expect_str_eq(rn_nccl_protocol_title((rn_nccl_protocol)i), protocols[i]);
        const char *name = rn_nccl_protocol_name((rn_nccl_protocol)i);
        cr_expect_eq(find_protocol(name, strlen(name)), i);
    }
    for (int i = 0; i < RS_N_COLLECTIVES; i++) {
        cr_expect_str_eq(rn_nccl_collective_title((rs_collective)i), collectives[i]);
        const char *name = rn_nccl_collective_name((rs_collective)i);
        cr_expect_eq(find_collective(name, strlen(name)), i);
    }
    for (int i = 0; i < 12; i++) cr_expect_str_eq(rn_nccl_path_name((rn_nccl_path)i), paths[i]);
}

/* ------------------------------------------------------------------ combinations */

/* All of an all-reduce but PAT; rings of all, all-to-all apart; shards by what the switch adds, and PAT. Only trees and rings
   have other protocols than Simple. */
Test(nccl_words, the_combinations_are_these) {
    static const char *const rows[RS_N_COLLECTIVES] = {
        /* a letter an algorithm, as titled */
        [RS_COLL_ALL_REDUCE] = "TRDCNV.", [RS_COLL_REDUCE_SCATTER] = ".RD.N.P",
        [RS_COLL_ALL_GATHER] = ".RD.N.P", [RS_COLL_BROADCAST] = ".R.....",
        [RS_COLL_REDUCE] = ".R.....",     [RS_COLL_ALL_TO_ALL] = "......."};
    for (int coll = 0; coll < RS_N_COLLECTIVES; coll++) {
        for (int a = 0; a < RN_NCCL_N_ALGORITHMS; a++) {
            for (int p = 0; p < RN_NCCL_N_PROTOCOLS; p++) {
                const bool has = rows[coll][a] != '.' && (p == RN_NCCL_SIMPLE || a < 2);
                cr_expect_eq(
                    rn_nccl_has((rs_collective)coll, (rn_nccl_algorithm)a, (rn_nccl_protocol)p),
                    has, "%d %d %d", coll, a, p);
            }
        }
    }
}

/* ------------------------------------------------------------------ versions */

/* Parts up to 9.99.99, two at least, and whatever stands behind them; or one number from 10000 to 99999, alone. */
Test(nccl_words, versions_are_read_up_to_their_bounds) {
    static const int parts[][9] = {{0, 1, 2, 9, 10, 11, 99, 100, 99999},
                                   {0, 1, 18, 98, 99, 100, 101, 999, 100000},
                                   {0, 1, 7, 98, 99, 100, 101, 999, 100000}};
    static const char *const tails[] = {"", "+cuda12.9", ".4", " compiled", "x"};
    for (int i = 0; i < 9 * 9 * 9 * 5; i++) {
        const int a = parts[0][i % 9], b = parts[1][i / 9 % 9], c = parts[2][i / 81 % 9];
        const char *tail = tails[i / 729];
        char text[64];
        int32_t version = -7;
        snprintf(text, sizeof text, "%d.%d.%d%s", a, b, c, tail);
        const bool is = a <= 9 && b <= 99 && c <= 99;
        cr_assert_eq(rn_nccl_read_version(text, &version), is, "%s", text);
        cr_assert_eq(version, is ? a * 10000 + b * 100 + c : -7, "%s", text);
        if (tail[0] == '.' || c > 0) continue; /* without the last part */
        version = -7;
        snprintf(text, sizeof text, "%d.%d%s", a, b, tail);
        cr_assert_eq(rn_nccl_read_version(text, &version), a <= 9 && b <= 99, "%s", text);
        cr_assert_eq(version, a <= 9 && b <= 99 ? a * 10000 + b * 100 : -7, "%s", text);
    }
    static const int bare[] = {0, 9, 2290, 9999, 10000, 10001, 22907, 99999, 100000, 229071};
    for (int i = 0; i < 50; i++) {
        char text[64];
        int32_t version = -7;
        const int number = bare[i % 10];
        snprintf(text, sizeof text, "%d%s", number, tails[i / 10]);
        /* "22907.4" has two parts, of which the first is none */
        const bool is = number >= 10000 && number <= 99999 && i / 10 == 0;
        const bool parted = i / 10 == 2 && number <= 9;
        cr_assert_eq(rn_nccl_read_version(text, &version), is || parted, "%s", text);
        cr_assert_eq(version, is ? number : parted ? number * 10000 + 400 : -7, "%s", text);
    }
    static const char *const none[] = {"", ".", "2.", "2..3", "2.x", "x", "-2.3", " 2.3", "2.3."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        int32_t version = -7;
        cr_expect_not(rn_nccl_read_version(none[i], &version), "%s", none[i]);
        cr_expect_eq(version, -7);
    }
}

Test(nccl_words, versions_are_written_as_they_are_read) {
    for (int32_t version = 10000; version < 100000; version += 1 + version % 7) {
        char text[16], again[16];
        int32_t read = 0;
        snprintf(again, sizeof again, "%d.%d.%d", (int)version / 10000, (int)version / 100 % 100,
                 (int)version % 100);
        cr_assert_eq(rn_nccl_version_text(version, text), text);
        cr_assert_str_eq(text, again);
        cr_assert(rn_nccl_read_version(text, &read) && read == version);
        cr_assert_eq(rn_nccl_checked(version), version >= 21800 && version <= 23099);
    }
    cr_expect(!rn_nccl_checked(21799) && rn_nccl_checked(21800) && rn_nccl_checked(23099) &&
              !rn_nccl_checked(23100));
}
