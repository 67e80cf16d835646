/* accelerators.c: which GPUs and which NCCL this machine has: `doctor` asks in every build, with CUDA in
 * it or not.
 *
 *     libcuda.so.1 (the driver's own library) --> version, GPUs and their names
 *     /sys/bus/pci                            --> a GPU whose driver is missing
 *     libnccl.so.2                            --> version
 *
 * Libraries are loaded and asked; nothing runs on a GPU, and no memory is taken there.
 */
#include "verify/accelerators.h"

#include "base/exit.h"

#include <limits.h>
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum { MOST_GPUS = 64, LONGEST_NAME = 80 };

/* ------------------------------------------------------------------ the driver */

/* What we call of the driver's interface; all of it has been there since CUDA 4. */
typedef struct driver {
    int (*init)(unsigned flags);
    int (*version)(int *version);
    int (*count)(int *n);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int n, int device);
} driver;

static bool find_calls(void *library, driver *d) {
    /* The one way that ISO C leaves from an object's address to a function's. */
    const struct {
        const char *name;
        void *call;
    } calls[] = {{"cuInit", &d->init},
                 {"cuDriverGetVersion", &d->version},
                 {"cuDeviceGetCount", &d->count},
                 {"cuDeviceGet", &d->get},
                 {"cuDeviceGetName", &d->name}};
    for (int i = 0; i < 5; i++) {
        void *symbol = dlsym(library, calls[i].name);
        if (symbol == NULL) return false;
        memcpy(calls[i].call, &symbol, sizeof symbol);
    }
    return true;
}

/* "2 x NVIDIA H200, NVIDIA L4": equal neighbours together. */
static void list_names(const driver *d, rc_gpus *gpus) {
    char last[LONGEST_NAME] = "";
    size_t used = 0;
    int alike = 0;
    for (int i = 0; i <= gpus->n && i <= MOST_GPUS; i++) {
        char name[LONGEST_NAME] = "";
        int device;
        if (i < gpus->n && (d->get(&device, i) != 0 || d->name(name, sizeof name, device) != 0)) {
            snprintf(name, sizeof name, "?");
        }
        if (i > 0 && (i == gpus->n || strcmp(name, last) != 0)) {
            char text[LONGEST_NAME + 16];
            snprintf(text, sizeof text, alike > 1 ? "%2$d x %1$s" : "%s", last, alike);
            const int n = snprintf(gpus->names + used, sizeof gpus->names - used, "%s%s",
                                   used > 0 ? _(", ") : "", text);
            if (n > 0 && used + (size_t)n < sizeof gpus->names) used += (size_t)n;
            alike = 0;
        }
        memcpy(last, name, sizeof last);
        alike++;
    }
}

/* Reads the beginning of a file; "": there is none. */
static void read_text(const char *path, char *out, size_t n_out) {
    FILE *stream = fopen(path, "r");
    out[stream != NULL ? fread(out, 1, n_out - 1, stream) : 0] = '\0';
    if (stream != NULL) fclose(stream);
}

/* The kernel module's version, 580.82.07: the first word that begins as a number with a dot does. */
static void read_release(char *out, size_t n_out) {
    char text[512];
    read_text("/proc/driver/nvidia/version", text, sizeof text);
    for (const char *at = text; *at != '\0';
         at += strcspn(at, " \t\n"), at += strspn(at, " \t\n")) {
        const size_t length = strspn(at, "0123456789.");
        if (!isdigit((unsigned char)*at) || length < 5) continue;
        snprintf(out, n_out, "%.*s", (int)length, at);
        return;
    }
}

/* ------------------------------------------------------------------ the bus */

static bool holds(const char *folder, const char *file, const char *beginning) {
    char path[PATH_MAX], text[16];
    snprintf(path, sizeof path, "/sys/bus/pci/devices/%.200s/%s", folder, file);
    read_text(path, text, sizeof text);
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* A display or 3D controller that NVIDIA made. */
static bool on_the_bus(void) {
    DIR *devices = opendir("/sys/bus/pci/devices");
    bool found = false;
    if (devices == NULL) return false;
    for (const struct dirent *e; !found && (e = readdir(devices)) != NULL;) {
        found = holds(e->d_name, "vendor", "0x10de") && holds(e->d_name, "class", "0x03");
    }
    closedir(devices);
    return found;
}

/* ------------------------------------------------------------------ the two questions */

void rc_find_gpus(rc_gpus *gpus) {
    driver d;
    *gpus = (rc_gpus){.on_the_bus = on_the_bus()};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); /* stays: it has threads */
    if (library == NULL || !find_calls(library, &d)) return;
    gpus->driver = true;
    read_release(gpus->release, sizeof gpus->release);
    if (d.version(&gpus->cuda) != 0) gpus->cuda = 0;
    gpus->error = d.init(0);
    if (gpus->error == 0) gpus->error = d.count(&gpus->n);
    if (gpus->error != 0 || gpus->n < 0) gpus->n = 0;
    if (gpus->n > 0) list_names(&d, gpus);
}

/* Looks where a run would look. */
static void *open_nccl(void) {
    static const char *const usual[] = {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2",
                                        "/usr/local/cuda/lib/libnccl.so.2"};
    const char *named = getenv("RINGSIM_NCCL");
    if (named != NULL && named[0] != '\0') return dlopen(named, RTLD_LAZY | RTLD_LOCAL);
    void *library = NULL;
    for (int i = 0; i < 3 && library == NULL; i++) {
        library = dlopen(usual[i], RTLD_LAZY | RTLD_LOCAL);
    }
    return library;
}

int rc_find_nccl(void) {
    int (*ask)(int *version) = NULL;
    int version = 0;
    void *library = open_nccl();
    void *symbol = library != NULL ? dlsym(library, "ncclGetVersion") : NULL;
    if (symbol == NULL) return 0;
    memcpy(&ask, &symbol, sizeof symbol);
    return ask(&version) == 0 ? version : 0;
}
