/* How much memory may still be taken: control groups, read in a folder that the test makes. */
#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/host.h"
#include "support/naive_apply.h"

static char root[64];

static void make_root(void) {
    snprintf(root, sizeof root, "/tmp/ringsim-test-XXXXXX");
    cr_assert_not_null(mkdtemp(root));
}
static void remove_root(void) {
    char line[100];
    snprintf(line, sizeof line, "rm -rf %s", root);
    cr_expect_eq(system(line), 0);
}
TestSuite(memory, .init = make_root, .fini = remove_root);

/* Writes a file below the root, and makes the folders above it. */
static void put(const char *path, const char *text) {
    char whole[4096];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = whole + strlen(root); (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    FILE *stream = fopen(whole, "w");
    cr_assert_not_null(stream, "%s", whole);
    fputs(text, stream);
    fclose(stream);
}

static void put_number(const char *folder, const char *file, int64_t number) {
    char path[3000], text[40];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(text, sizeof text, "%" PRId64 "\n", number);
    put(path, text);
}

Test(memory, without_control_groups_all_is_left) {
    cr_expect_eq(rc_container_bytes(root), INT64_MAX);
    put("proc/self/cgroup", "0::/\n");
    cr_expect_eq(rc_container_bytes(root), INT64_MAX, "the machine's own group has no limit");
    put("sys/fs/cgroup/memory.max", "max\n");
    put("sys/fs/cgroup/memory.current", "1000\n");
    cr_expect_eq(rc_container_bytes(root), INT64_MAX);
    put("proc/self/cgroup", "nonsense\n\n7:\n0:\n");
    cr_expect_eq(rc_container_bytes(root), INT64_MAX);
}

/* Each version, at any depth: of our group and all above it the one that leaves least counts; groups
   beside them and below them do not. */
Test(memory, the_tightest_group_above_us_counts) {
    uint64_t state = 5;
    for (int i = 0; i < 60; i++) {
        const bool second = i % 2 == 0;
        const int depth = random_below(&state, 8);
        char folder[2000], group[1000] = "/", line[1100];
        int64_t expected = INT64_MAX;
        snprintf(folder, sizeof folder, second ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
        for (int level = 0; level <= depth; level++) {
            const int64_t used = random_below(&state, 1000000),
                          idle = random_below(&state, 1000000);
            const int64_t most = random_below(&state, 3) == 0 ? -1 : random_below(&state, 1000000);
            char stat[100];
            if (most >= 0)
                put_number(folder, second ? "memory.max" : "memory.limit_in_bytes", most);
            if (most < 0)
                put_number(folder, second ? "memory.max" : "memory.limit_in_bytes",
                           INT64_MAX - 4095);
            put_number(folder, second ? "memory.current" : "memory.usage_in_bytes", used);
            snprintf(stat, sizeof stat, "anon 1\n%sinactive_file %d\nactive_file 999999\n",
                     second ? "" : "inactive_file 999999\ntotal_", (int)idle);
            char path[2100];
            snprintf(path, sizeof path, "%s/memory.stat", folder);
            put(path, stat);
            const int64_t held = used > idle ? used - idle : 0;
            const int64_t left = most < 0 ? INT64_MAX : most > held ? most - held : 0;
            if (left < expected) expected = left;
            snprintf(path, sizeof path, "%s/beside", folder);
            put_number(path, second ? "memory.max" : "memory.limit_in_bytes", 0);
            put_number(path, second ? "memory.current" : "memory.usage_in_bytes", 0);
            if (level == depth) break;
            snprintf(folder + strlen(folder), 100, "/g%d-%d.slice", i, level);
            snprintf(group + (level == 0 ? 0 : strlen(group)), 100, "/g%d-%d.slice", i, level);
        }
        static const char *const controllers[] = {"memory", "cpu,memory", "memory,pids"};
        snprintf(line, sizeof line,
                 second ? "0::%s\n" : "12:cpuset:/other\n4:%2$s:%1$s\n1:name=systemd:/x\n", group,
                 controllers[i % 3]);
        put("proc/self/cgroup", line);
        cr_assert_eq(rc_container_bytes(root), expected,
                     "round %d, depth %d: %" PRId64 ", not %" PRId64, i, depth,
                     rc_container_bytes(root), expected);
        remove_root();
        make_root();
    }
}

/* A container may see its own group as the top, under the name that the machine has for it. */
Test(memory, a_group_that_is_not_to_be_seen_leaves_what_the_top_leaves) {
    put("proc/self/cgroup", "9:memory:/docker/0123456789abcdef\n0::/docker/0123456789abcdef\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "2000\n");
    cr_expect_eq(rc_container_bytes(root), 3000);
    put("proc/self/cgroup", "9:notmemory:/x\n0::/docker/0123456789abcdef\n");
    cr_expect_eq(rc_container_bytes(root), INT64_MAX);
}
