/* landlock.c: which files a sandboxed program may open: the kernel's Landlock, version 1 of its interface.
 *
 *     rules (these folders, the box) --> put on this process and all that it starts
 */
#ifdef __linux__
#include "sandbox/enter.h"

#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of <linux/landlock.h>, which not every machine has. */
struct ruleset {
    uint64_t handled_access_fs;
};
struct beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));
enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    PATH_BENEATH = 1,
    EXECUTE = 1,
    WRITE_FILE = 2,
    READ_FILE = 4,
    READ_DIR = 8,
    EVERYTHING = (1 << 13) - 1
};

static void allow(int rules, const char *path, uint64_t access) {
    const int folder = open(path, O_PATH | O_CLOEXEC);
    if (folder < 0) return; /* what is not there needs no rule */
    const struct beneath rule = {access, folder};
    syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0);
    close(folder);
}

bool rc_landlock(const char *const shown[], const char *box, bool writing) {
    static const char *const files[] = {"/etc/ld.so.cache", "/etc/ld.so.preload", NULL};
    assert(box[0] == '/');
    const uint64_t reading = EXECUTE | READ_FILE | READ_DIR;
    const struct ruleset all = {EVERYTHING};
    const int rules = (int)syscall(CREATE_RULESET, &all, sizeof all, 0);
    if (rules < 0) return false;
    for (int i = 0; shown[i] != NULL; i++) allow(rules, shown[i], reading);
    for (int i = 0; files[i] != NULL; i++) allow(rules, files[i], READ_FILE);
    allow(rules, "/dev/null", READ_FILE | WRITE_FILE);
    allow(rules, box, writing ? (uint64_t)EVERYTHING : reading);
    const bool held =
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, rules, 0) == 0;
    close(rules);
    return held;
}

#endif
