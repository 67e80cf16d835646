/* memory.c: how much memory may still be taken, and the one line where it is not enough.
 *
 *     the machine (MemAvailable, a sixteenth left to the others) \
 *     the container (cgroup v2 or v1, every group above us too)   > the least of them
 *     this process (ulimit -v, ulimit -d)                        /
 */
#include "base/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Reads the number behind `key` in a file; the file's first number if key is "". -1: not there. */
static int64_t number_in(const char *path, const char *key) {
    FILE *stream = fopen(path, "r");
    if (stream == NULL) return -1;
    char line[256];
    long long number = -1;
    while (number < 0 && fgets(line, sizeof line, stream) != NULL) {
        const size_t n = strlen(key);
        if (strncmp(line, key, n) == 0 && sscanf(line + n, "%lld", &number) != 1) number = -1;
    }
    fclose(stream);
    return number;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What one group leaves; a group without a limit, or with a limit that no machine has, leaves all. */
static int64_t left_in(const char *folder, const char *limit, const char *usage) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    const int64_t most = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, usage);
    const int64_t used = number_in(path, "");
    if (most < 0 || used < 0 || most >= INT64_MAX / 2) return INT64_MAX;
    return most > used ? most - used : 0;
}

/* The group's own limit and those of all above it. */
static int64_t left_up(const char *root, const char *group, const char *limit, const char *usage) {
    char folder[1100];
    snprintf(folder, sizeof folder, "%s%.900s", root, group);
    int64_t left = INT64_MAX;
    for (;;) {
        left = least(left, left_in(folder, limit, usage));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < strlen(root)) return left;
        *slash = '\0';
    }
}

/* A container may have less than the machine. */
static int64_t container_bytes(void) {
    FILE *stream = fopen("/proc/self/cgroup", "r");
    char line[1024];
    int64_t left = INT64_MAX;
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *group = strchr(line, '/');
        if (group == NULL) continue;
        if (strncmp(line, "0::", 3) == 0) {
            left = least(left, left_up("/sys/fs/cgroup", group, "memory.max", "memory.current"));
        } else if (strstr(line, ":memory:") != NULL) {
            left = least(left, left_up("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes",
                                       "memory.usage_in_bytes"));
        }
    }
    if (stream != NULL) fclose(stream);
    return left;
}

/* What `ulimit -v` and `ulimit -d` leave of what the process has. */
static int64_t process_bytes(void) {
    struct rlimit limit;
    const int64_t space_kib = number_in("/proc/self/status", "VmSize:");
    const int64_t data_kib = number_in("/proc/self/status", "VmData:");
    int64_t left = INT64_MAX;
    if (space_kib >= 0 && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < INT64_MAX) {
        left = (int64_t)limit.rlim_cur - space_kib * 1024;
    }
    if (data_kib >= 0 && getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur < INT64_MAX) {
        left = least(left, (int64_t)limit.rlim_cur - data_kib * 1024);
    }
    return left > 0 ? left : 0;
}

static int64_t machine_bytes(void) {
    const int64_t available_kib = number_in("/proc/meminfo", "MemAvailable:");
    int64_t left = available_kib >= 0 ? available_kib * 1024 : INT64_MAX;
#ifdef _SC_PHYS_PAGES
    if (available_kib < 0) {
        left = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    }
#endif
    return left == INT64_MAX ? left : left - left / 16;
}

int64_t rc_memory_bytes(void) {
    return least(least(machine_bytes(), container_bytes()), process_bytes());
}

rc_exit rc_need_memory(rc_host *host, double need_bytes, const char *what, const char *instead,
                       rs_error *error) {
    const double small = 64e6; /* below that nobody need ask */
    const double have_bytes = (double)rc_memory_bytes();
    if (need_bytes < small || need_bytes <= have_bytes) {
        rc_host_needs(host, need_bytes);
        return RC_GOOD;
    }
    return rc_fail(error, RC_LACKS, _("%s takes %.1f GB of memory, and %.1f GB may be taken; %s"),
                   what, need_bytes / 1e9, have_bytes / 1e9, instead);
}
