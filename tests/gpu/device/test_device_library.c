/* test_device_library.c: which file of NCCL is loaded, which version it says it is, and what is said where none will do. On the
 * EMULATED device, with the fake NCCL at whatever place a test wants one.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device/device_cuda.h"
#include "nccl/nccl_world.h"

static const char *const usual[] = {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2",
                                    "/usr/local/cuda/lib/libnccl.so.2"};
enum { N_USUAL = 3 };

static bool ours;           /* names of NCCL are answered here */
static const char *there;   /* the one that there is */
static const char *another; /* what there is instead of the fake; NULL: the fake */
static char asked[400];     /* all that was looked for */

static const char *fake(void) {
    static char library[4200];
    const char *build = getenv("BUILD");
    snprintf(library, sizeof library, "%s/device/libnccl.so.2", build != NULL ? build : "build");
    return library;
}

void *dlopen(const char *name, int how) {
    void *(*system)(const char *, int);
    *(void **)&system = dlsym(RTLD_NEXT, "dlopen");
    if (!ours || name == NULL) return system(name, how);
    const size_t n = strlen(asked);
    snprintf(asked + n, sizeof asked - n, "%s ", name);
    return there != NULL && strcmp(name, there) == 0
               ? system(another != NULL ? another : fake(), how)
               : system("/nowhere/at-all", how);
}

static rs_status load(rs_error *error, rg_nccl *nccl) {
    *nccl = (rg_nccl){0};
    error->text[0] = asked[0] = '\0';
    ours = true;
    const rs_status status = rg_nccl_load(error, nccl);
    ours = false;
    return status;
}

/* The file that RINGSIM_NCCL names, and no other; where it names none, the usual places one after the other. */
Test(device_library, is_looked_for_where_the_user_says_or_where_it_usually_is) {
    static const char *const names[] = {NULL, "", "/my/nccl.so", "/my/other.so"};
    cuda_machine("");
    for (int i = 0; i < 4 * (N_USUAL + 2); i++) {
        const char *name = names[i % 4];
        const int at = i / 4; /* N_USUAL: what is named; then nowhere */
        const bool named = name != NULL && name[0] != '\0';
        char wanted[400] = "";
        rs_error error;
        rg_nccl nccl;
        there = at < N_USUAL ? usual[at] : at == N_USUAL ? names[2] : NULL;
        if (name == NULL) unsetenv("RINGSIM_NCCL");
        if (name != NULL) setenv("RINGSIM_NCCL", name, 1);
        const bool found = named ? there != NULL && strcmp(name, there) == 0 : at < N_USUAL;
        if (named) snprintf(wanted, sizeof wanted, "%s ", name);
        for (int k = 0; k < N_USUAL && !named; k++) {
            snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s ", usual[k]);
            if (k == at) break;
        }
        const rs_status status = load(&error, &nccl);
        cr_expect_str_eq(asked, wanted, "%s, not %s", asked, wanted);
        cr_expect_eq(status, found ? RS_OK : RS_UNSUPPORTED, "%d: %s", i, error.text);
        if (found)
            cr_expect(nccl.version > 0 && nccl.ncclSend != NULL && nccl.ncclGroupEnd != NULL);
        if (!found && named) {
            char head[80];
            snprintf(head, sizeof head, "RINGSIM_NCCL=%s: /nowhere/at-all: cannot open", name);
            cuda_says(error.text, head);
        }
        if (!found && !named) {
            cr_expect_eq(strncmp(error.text, "no libnccl.so.2; install", 24), 0, "%s", error.text);
        }
    }
}

/* Until 2.8 a version was one digit shorter; before 2.14 it will not do. */
Test(device_library, says_its_version_as_people_write_it) {
    static const struct {
        int version;
        const char *text;
    } cases[] = {{2213, "2.2.13"},   {2708, "2.7.8"},   {9999, "9.9.99"},    {20805, "2.8.5"},
                 {21399, "2.13.99"}, {21400, "2.14.0"}, {21403, "2.14.3"},   {21702, "2.17.2"},
                 {22809, "2.28.9"},  {30012, "3.0.12"}, {123456, "12.34.56"}};
    cuda_machine("");
    setenv("RINGSIM_NCCL", "/my/nccl.so", 1);
    there = "/my/nccl.so";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16], told[48];
        rs_error error;
        rg_nccl nccl;
        snprintf(text, sizeof text, "%d", cases[i].version);
        setenv("EMU_NCCL_VERSION", text, 1);
        const rs_status status = load(&error, &nccl);
        const bool good = cases[i].version >= RG_NCCL_OLDEST;
        cr_expect_eq(status, good ? RS_OK : RS_UNSUPPORTED, "%d: %s", cases[i].version, error.text);
        cr_expect_eq(nccl.version, cases[i].version);
        cr_expect_str_eq(nccl.version_text, cases[i].text);
        snprintf(told, sizeof told, "NCCL %s is too old; install 2.14", cases[i].text);
        if (!good) cuda_says(error.text, told);
    }
}

/* A library of that name which is another one, or does not say its version: named as what it lacks. */
Test(device_library, that_is_another_one_will_not_do) {
    rs_error error;
    rg_nccl nccl;
    cuda_machine("");
    setenv("RINGSIM_NCCL", "/my/nccl.so", 1);
    there = "/my/nccl.so";
    another = "libm.so.6";
    cr_expect_eq(load(&error, &nccl), RS_UNSUPPORTED);
    cuda_says(error.text, "libnccl.so.2 has no nccl");
    cuda_says(error.text, "; install NCCL 2.14 or later, or let RINGSIM_NCCL name one");
    another = NULL;
    cr_expect_eq(load(&error, &nccl), RS_OK, "%s", error.text);
}
