/* sandbox_text.c: what a program in a sandbox wrote and how it ended; what the sandbox holds, in words. */
#include "sandbox/build.h"
#include "base/containers.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

rc_exec rc_run_limits(void) {
    enum { CPU_SECONDS = 2, WALL_MS = 6000, TEXT = 4096, ANSWERS = 64 << 20 };
    return (rc_exec){.cpu_seconds = CPU_SECONDS,
                     .wall_ms = WALL_MS,
                     .memory_bytes = (int64_t)256 << 20,
                     .most_text = TEXT,
                     .most_answers = ANSWERS};
}

void rc_stream_add(rc_stream *stream, const char *data, size_t n, size_t most) {
    assert(stream->n_bytes <= most);
    /* Where something is missing nothing more is added: what follows would be read as what is missing. */
    const size_t left = stream->n_dropped > 0 ? 0 : most - stream->n_bytes,
                 kept = n < left ? n : left;
    stream->n_dropped += n - kept;
    if (!rs_reserve(NULL, &stream->data, stream->n_bytes + kept + 1, &stream->capacity)) {
        stream->n_dropped += kept;
        return;
    }
    memcpy(stream->data + stream->n_bytes, data, kept);
    stream->n_bytes += kept;
    stream->data[stream->n_bytes] = '\0';
}

void rc_exec_result_free(rc_exec_result *result) {
    free(result->out.data);
    free(result->err.data);
    free(result->answers.data);
    *result = (rc_exec_result){0};
}

const char *const rc_sandbox_kinds[] = {"bubblewrap", "filter", NULL};

const char *rc_sandbox_text(const rc_sandbox *sandbox, char *out, size_t n_out) {
    if (sandbox->kind == RC_INTERPRETED) {
        snprintf(out, n_out, "%s", _("none: the file is interpreted, nothing of it is compiled"));
        return out;
    }
    snprintf(out, n_out, _("%s: %s%s%s%s"), rc_sandbox_kinds[sandbox->kind],
             sandbox->other_user ? _("another user, ") : "",
             sandbox->own_files ? _("own files, ") : _("it can read files, "),
             sandbox->own_processes ? _("own processes, ") : "",
             _("no network, system-call filter, limits"));
    return out;
}

static const char *signal_meaning(int number) {
    switch (number) {
    case SIGSEGV:
        return _("it touched memory that is not its own: an index out of range, a NULL "
                 "pointer, too deep a recursion, or no memory was left");
    case SIGBUS: return _("it used memory that is not there");
    case SIGFPE: return _("it divided by zero");
    case SIGABRT: return _("abort: an assertion failed, or the heap was damaged");
    case SIGILL: return _("it ran into what is no instruction");
    case SIGKILL: return _("killed");
    default: return strsignal(number);
    }
}

const char *rc_exec_result_text(const rc_exec_result *result, const rc_exec *exec, char *out,
                                size_t n_out) {
    const double seconds = (double)exec->wall_ms / 1000;
    const bool full = result->most_memory_bytes > exec->memory_bytes / 8 * 7;
    switch (result->end) {
    case RC_END_EXIT:
        snprintf(out, n_out, _("it ended before it had answered, exit status %d"), result->code);
        break;
    case RC_END_CPU:
        snprintf(out, n_out, _("it computed for %d s without coming to an end: an endless loop?"),
                 exec->cpu_seconds);
        break;
    case RC_END_WALL:
        snprintf(out, n_out, _("it was not done after %g s: it loops, sleeps or waits"), seconds);
        break;
    case RC_END_FLOOD:
        snprintf(out, n_out, _("it wrote without end: more than anybody reads"));
        break;
    case RC_END_REFUSED:
        snprintf(
            out, n_out,
            _("it asked the system for what no exercise needs: a process, a file to write to, the "
              "network, a signal to another process"));
        break;
    case RC_END_NOT_STARTED:
        snprintf(out, n_out, _("the system does not start it: %s"), _(strerror(result->code)));
        break;
    case RC_END_FILE: snprintf(out, n_out, _("it wrote too much to a file")); break;
    case RC_END_TROUBLE:
        snprintf(out, n_out, "%s", result->err.data != NULL ? result->err.data : "");
        break;
    case RC_END_SIGNAL:
        snprintf(out, n_out, _("it crashed, signal %d: %s"), result->code,
                 full ? _("the memory was used up") : signal_meaning(result->code));
        break;
    }
    return out;
}
