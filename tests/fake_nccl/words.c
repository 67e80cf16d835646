/* words.c: what NCCL says: names of errors, its last error, and NCCL_DEBUG's lines. */
#include "nccl_emu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char last_error[1024];

/* NCCL speaks on standard output, where a program's own report goes, too. */
static void speak(const char *kind, const char *text) {
    const char *file = getenv("NCCL_DEBUG_FILE");
    FILE *out = file != NULL ? fopen(file, "a") : stdout;
    if (out == NULL) return;
    fprintf(out, "emulated:%d:%d [0] %s %s\n", (int)getpid(), (int)getpid(), kind, text);
    if (out == stdout) {
        fflush(out);
    } else {
        fclose(out);
    }
}

ncclResult_t en_warn(ncclResult_t result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    if (en_is_set("NCCL_DEBUG", "WARN") || en_is_set("NCCL_DEBUG", "INFO")) {
        speak("NCCL WARN", last_error);
    }
    return result;
}

void en_info(const char *format, ...) {
    char text[1024];
    if (!en_is_set("NCCL_DEBUG", "INFO")) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    speak("NCCL INFO", text);
}

const char *ncclGetErrorString(ncclResult_t result) {
    static const char *const texts[] = {
        [ncclSuccess] = "no error",
        [ncclUnhandledCudaError] = "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        [ncclSystemError] = "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        [ncclInternalError] = "internal error - please report this issue to the NCCL developers",
        [ncclInvalidArgument] = "invalid argument (run with NCCL_DEBUG=WARN for details)",
        [ncclInvalidUsage] = "invalid usage (run with NCCL_DEBUG=WARN for details)",
        [ncclRemoteError] = "remote process exited or there was a network error",
        [ncclInProgress] = "NCCL operation in progress"};
    return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t comm) {
    (void)comm;
    return last_error;
}

ncclResult_t ncclGetVersion(int *version) {
    if (version == NULL) return en_warn(ncclInvalidArgument, "GetVersion : version is NULL");
    *version = en_version();
    return ncclSuccess;
}

/* Once a process, when the first communicator is made. */
void en_version_line(void) {
    static bool said;
    char text[64];
    const int v = en_version();
    const bool wanted = en_is_set("NCCL_DEBUG", "VERSION") || en_is_set("NCCL_DEBUG", "WARN") ||
                        en_is_set("NCCL_DEBUG", "INFO");
    if (said || !wanted) return;
    said = true;
    snprintf(text, sizeof text, "%d.%d.%d (emulated)", v / 10000, v / 100 % 100, v % 100);
    speak("NCCL version", text);
}
