/* cmd_doctor.c: `ringsim doctor`: what this machine can do, and how to get what it lacks.
 *
 *     detect (files, PATH, shared libraries, the compiler's macros) --> one line a thing
 *     what is missing --> one line to type, for the package manager that is there
 *
 * Nothing is started but the window's module, and nothing is installed. It says only what it has seen.
 */
#include "config.h"
#include "base/text.h"
#include "ringsim_gpu.h"
#include "ringsim_tuning.h"
#include "run/show.h"
#include "sandbox/sandbox.h"
#include "verify/accelerators.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { N_MANAGERS = 4 };
static const char *const managers[N_MANAGERS] = {"apt-get", "dnf", "pacman", "brew"};
static const char *const install[N_MANAGERS] = {"apt-get install", "dnf install", "pacman -S",
                                                "brew install"};

/* What may be missing, and the packages that bring it, in the order of the managers. */
typedef struct thing {
    const char *name, *what_for;
    const char *packages[N_MANAGERS]; /* "": not packaged there */
} thing;

#define TOOL(...) /* the scripts' */
enum {
#define THING(id, ...) THING_##id,
#include "doctor/packages.h"
#undef THING
    N_THINGS,
    N_EVERYWHERE = THING_driver /* those after it are for runs on GPUs */
};
static const thing things[N_THINGS] = {
#define THING(id, name, what_for, ...) {name, what_for, {__VA_ARGS__}},
#include "doctor/packages.h"
#undef THING
};

typedef struct finding {
    bool missing[N_THINGS];
} finding;

static bool has_library(const char *const names[]) {
    for (int i = 0; names[i] != NULL; i++) {
        void *library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
        if (library == NULL) continue;
        dlclose(library);
        return true;
    }
    return false;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

/* ------------------------------------------------------------------ one line a thing */

static void line(const char *name, const char *answer, const char *text) {
    fputs("  ", stdout);
    rc_print_padded(name, 12);
    rc_print_padded(answer, *answer == '\0' || *text == '\0' ? 0 : 6);
    puts(text);
}

static void report_plain(const char *name, bool good, const char *text) {
    line(name, good ? _("yes") : _("no"), text);
}

static void report(finding *found, int one, bool good, const char *text) {
    report_plain(things[one].name, good, text);
    found->missing[one] = !good;
}

static void report_machine(void) {
    char text[160];
    snprintf(text, sizeof text, _("%d cores, %.1f GB of memory left"), rc_cores(),
             (double)rc_memory_bytes() / 1e9);
    report_plain(_("cores"), true, text);
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2"), avx512 = __builtin_cpu_supports("avx512f");
    report_plain("AVX", avx2 || avx512, avx512 ? "AVX2, AVX-512" : avx2 ? "AVX2" : "");
#endif
}

static void report_terminal(void) {
    const bool terminal = isatty(STDOUT_FILENO) == 1 && isatty(STDIN_FILENO) == 1;
    const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
    char text[160];
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = (struct winsize){0};
    snprintf(text, sizeof text, _("TERM=%.40s, %d x %d characters"), term != NULL ? term : "",
             size.ws_col, size.ws_row);
    report_plain(_("terminal"), terminal, terminal ? text : _("stdin or stdout is no terminal"));
    const bool wanted = no_color == NULL || no_color[0] == '\0';
    const bool colour = terminal && wanted && term != NULL && strcmp(term, "dumb") != 0;
    report_plain(_("colours"), colour, wanted ? "" : _("NO_COLOR is set"));
    report_plain(_("language"), true, rv_language());
}

/* What this program was built with; a library installed later needs a new make. */
static void report_build(finding *found) {
    bool curses = false, markdown = false, xml = false, gzip = false, filter = false;
#ifdef HAVE_CURSES
    curses = true;
#endif
#ifdef HAVE_MD4C
    markdown = true;
#endif
#ifdef HAVE_EXPAT
    xml = true;
#endif
#ifdef HAVE_ZLIB
    gzip = true;
#endif
#ifdef HAVE_SECCOMP
    filter = true;
#endif
    report(found, THING_curses, curses,
           curses ? "" : _("not built in: the walk-through is plain text"));
    report(found, THING_md4c, markdown, markdown ? "" : _("not built in: the course is refused"));
    report(found, THING_expat, xml, xml ? "" : _("not built in: --machine FILE.xml is refused"));
    report(found, THING_zlib, gzip,
           gzip ? "" : _("not built in: hang reads no compressed dump, grade no zip"));
    report(found, THING_seccomp, filter,
           filter ? "" : _("not built in: a learner's C is refused without --interpret"));
    report(found, THING_gettext, rc_in_path("msgfmt"), _("msgfmt, for the Chinese catalogue"));
    report(found, THING_criterion,
           has_library((const char *const[]){"libcriterion.so.3", "libcriterion.so",
                                             "libcriterion.dylib", NULL}),
           _("for make test"));
}

/* The window's libraries are the build's, as ncurses is; whether they load shows below. */
static void report_window(rc_session *session, finding *found) {
    const char *lost = rc_gui_built() ? "" : _("not built in: everything is shown on the terminal");
    report(found, THING_sdl, rc_gui_built(), lost);
    report(found, THING_pango, rc_gui_built(), lost);
    report(found, THING_ffmpeg, rc_in_path("ffmpeg"), _("for films: --export FILE.mp4, FILE.gif"));
    rs_error reason = {.text = ""};
    const bool loads = rc_gui(session, &reason) == RC_GOOD;
    report_plain(_("window"), loads, loads ? "" : rc_said(&reason));
    if (!loads) return;
    const bool display = rc_window_ready(session, &reason) == RC_GOOD;
    report_plain(_("display"), display, display ? "" : rc_said(&reason));
}

/* Both are needed: mpirun to start ranks, and the module that they load. */
static void report_mpi(finding *found) {
    bool built = false;
#ifdef HAVE_MPI
    built = true;
#endif
    const bool starts = rc_in_path("mpirun");
    report(found, THING_mpi, built && starts,
           !built    ? _("not built in: verify --on mpi is refused")
           : !starts ? _("no mpirun: verify --on mpi is refused")
                     : _("verify --on mpi runs schedules as CPU processes"));
}

/* Which sandbox holds learners' C files; it is built for a moment. */
static void report_sandbox(void) {
    rc_sandbox sandbox;
    rs_error reason = {.text = ""};
    char text[240];
    const bool works = rc_sandbox_open(RC_SANDBOX_ANY, &reason, &sandbox) == RC_GOOD;
    if (works) {
        rc_sandbox_text(&sandbox, text, sizeof text);
        const size_t n = strlen(text);
        if (!sandbox.own_files) {
            snprintf(text + n, sizeof text - n, "%s", _("; with bubblewrap also own files"));
        }
        rc_sandbox_close(&sandbox);
    }
    report_plain(_("exercises"), works, works ? text : rc_said(&reason));
}

static void report_driver(const rc_gpus *gpus, finding *found) {
    char text[160];
    if (!gpus->driver) {
        report_plain(_("driver"), false,
                     gpus->on_the_bus
                         ? _("an NVIDIA GPU is here, but not its driver (libcuda.so.1)")
                         : _("no NVIDIA driver, and no NVIDIA GPU to be seen"));
        found->missing[THING_driver] = gpus->on_the_bus;
        return;
    }
    snprintf(text, sizeof text, _("NVIDIA driver %s, for CUDA up to %d.%d"), gpus->release,
             gpus->cuda / 1000, gpus->cuda % 1000 / 10);
    report_plain(_("driver"), true, text);
    if (gpus->error != 0) {
        snprintf(text, sizeof text, _("the driver does not start: CUDA's error %d"), gpus->error);
    }
    report_plain("GPU", gpus->n > 0,
                 gpus->error != 0 ? text
                 : gpus->n > 0    ? gpus->names
                                  : _("none"));
}

/* Whether a run could begin, said by who would run it. */
static void report_backend(rg_kind kind, int one, finding *found, bool built, bool driver,
                           const char *version) {
    const rg_setup setup = {.n_ranks = 2};
    rs_error reason = {.text = ""};
    const bool can = built && rg_available(kind, &setup, &reason);
    const char *why = driver ? rc_said(&reason) : _("no NVIDIA driver");
    char text[sizeof reason.text + 64];
    snprintf(text, sizeof text,
             can     ? _("%sverify --on %s can run")
             : built ? _("%sbuilt in, but cannot run here: %s")
                     : _("%snot built in: verify --on %s is refused"),
             version, built && !can ? why : rg_kind_name(kind));
    report(found, one, built, text);
}

static void report_cuda(finding *found, const rc_gpus *gpus) {
    bool cuda = false, nccl = false;
#ifdef HAVE_CUDA
    cuda = true;
#endif
#ifdef HAVE_NCCL
    nccl = true;
#endif
    report_driver(gpus, found);
    const bool nvcc = rc_in_path("nvcc") || exists("/usr/local/cuda/bin/nvcc");
    report_backend(RG_CUDA, THING_cuda, found, cuda, gpus->driver,
                   !cuda && nvcc ? _("nvcc is here, make again; ") : "");
    char number[16], version[64] = "";
    const int found_nccl = rc_find_nccl();
    if (found_nccl > 0) {
        snprintf(version, sizeof version, _("NCCL %s; "), rn_nccl_version_text(found_nccl, number));
    }
    report_backend(RG_NCCL, THING_nccl, found, nccl, gpus->driver, version);
    /* of what is not built in, something may be here */
    found->missing[THING_cuda] = !cuda && !nvcc;
    found->missing[THING_nccl] = found_nccl == 0 || (cuda && !nccl);
}

/* ------------------------------------------------------------------ how to get the rest */

static void report_how(const finding *found, int first, int end, int manager) {
    printf("  %-8s%s%s", manager == 0 ? "apt" : managers[manager], manager == 3 ? "" : "sudo ",
           install[manager]);
    for (int i = first; i < end; i++) {
        const char *packages = things[i].packages[manager];
        if (!found->missing[i] || packages[0] == '\0') continue;
        putchar(' ');
        for (; *packages != '\0'; packages++) {
            if (*packages != '?') putchar(*packages);
        }
    }
    puts("");
}

/* Returns the package manager of this machine, -1 if it has none that we know. */
static int find_manager(void) {
    for (int m = 0; m < N_MANAGERS; m++) {
        if (rc_in_path(managers[m])) return m;
    }
    return -1;
}

/* Lists what is missing of things[first..end-1], and the line to type; all lines if nobody knows. */
static void report_missing(const finding *found, int first, int end, const char *heading) {
    int n = 0;
    for (int i = first; i < end; i++) n += found->missing[i];
    if (n == 0) return;
    printf("\n%s\n", heading);
    for (int i = first; i < end; i++) {
        if (found->missing[i]) line(things[i].name, "", _(things[i].what_for));
    }
    const int here = find_manager();
    for (int m = 0; m < N_MANAGERS; m++) {
        if (here < 0 || here == m) report_how(found, first, end, m);
    }
}

static rc_exit cmd_doctor(rc_session *session) {
    finding found = {0};
    rc_gpus gpus;
    rc_find_gpus(&gpus);
    printf("ringsim %s\n", RINGSIM_VERSION);
    report_machine();
    report_terminal();
    report_build(&found);
    report_window(session, &found);
    report_mpi(&found);
    report_sandbox();
    report_cuda(&found, &gpus);
    report_missing(&found, 0, N_EVERYWHERE,
                   _("missing for what this build can do; get it with the line below, then make:"));
    report_missing(
        &found, N_EVERYWHERE, N_THINGS,
        gpus.on_the_bus || gpus.driver
            ? _("missing for runs on this machine's GPUs (packages of NVIDIA's, or of the "
                "distribution's non-free part):")
            : _("missing for runs on NVIDIA GPUs, of which there is none here:"));
    return RC_GOOD;
}

/* ------------------------------------------------------------------ its row */

const rc_command rc_command_doctor = {
    .name = "doctor",
    .operands = "",
    .summary = N_("what this machine can do, and how to get what it lacks"),
    RC_TAKES(RC_LANG),
    .run = cmd_doctor};
