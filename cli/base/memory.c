/* memory.c: how much memory may still be taken, and the one line where it is not enough.
 *
 *     the machine (MemAvailable, a sixteenth left to the others) \
 *     the container (cgroup v2 or v1, every group above us too)   > the least of them
 *     this process (ulimit -v, ulimit -d)                        /
 */
#include "base/host.h"

#include <limits.h>
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

/* The files of a version of control groups, and where its groups lie. */
typedef struct cgroup_files {
    const char *folder, *limit, *usage,
        *idle; /* idle: of memory.stat, the page cache that goes first */
} cgroup_files;
static const cgroup_files version_1 = {"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                       "memory.usage_in_bytes", "total_inactive_file "};
static const cgroup_files version_2 = {"sys/fs/cgroup", "memory.max", "memory.current",
                                       "inactive_file "};

/* What one group leaves; a group without a limit, or with a limit that no machine has, leaves all. */
static int64_t left_in(const char *folder, const cgroup_files *files) {
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", folder, files->limit);
    const int64_t most = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, files->usage);
    int64_t used = number_in(path, "");
    if (most < 0 || used < 0 || most >= INT64_MAX / 2) return INT64_MAX;
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const int64_t idle = number_in(path, files->idle);
    if (idle > 0) used -= least(idle, used);
    return most > used ? most - used : 0;
}

/* The group's own limit and those of all above it, up to the folder where the groups lie. */
static int64_t left_up(const char *root, const char *group, const cgroup_files *files) {
    char folder[PATH_MAX];
    const int n_root = snprintf(folder, sizeof folder, "%s/%s", root, files->folder);
    if (n_root < 0 || (size_t)n_root >= sizeof folder) return INT64_MAX;
    snprintf(folder + n_root, sizeof folder - (size_t)n_root, "%s", group);
    int64_t left = INT64_MAX;
    for (;;) {
        left = least(left, left_in(folder, files));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash - folder < n_root) return left;
        *slash = '\0';
    }
}

/* Tells whether a list such as "cpu,memory" names the controller of memory; it ends before `end`. */
static bool names_memory(const char *list, const char *end) {
    while (list < end) {
        const size_t n = strcspn(list, ",:");
        if (n == 6 && strncmp(list, "memory", n) == 0) return true;
        list += n + 1;
    }
    return false;
}

/* A line of /proc/self/cgroup: "0::/group" of version 2, "4:cpu,memory:/group" of version 1. */
static int64_t left_by(const char *root, const char *line) {
    const char *list = strchr(line, ':');
    const char *end = list == NULL ? NULL : strchr(list + 1, ':');
    if (end == NULL) return INT64_MAX;
    if (end == list + 1) return left_up(root, end + 1, &version_2);
    return names_memory(list + 1, end) ? left_up(root, end + 1, &version_1) : INT64_MAX;
}

int64_t rc_container_bytes(const char *root) {
    char line[PATH_MAX];
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *stream = fopen(line, "r");
    int64_t left = INT64_MAX;
    while (stream != NULL && fgets(line, sizeof line, stream) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        left = least(left, left_by(root, line));
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
    return least(least(machine_bytes(), rc_container_bytes("")), process_bytes());
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
