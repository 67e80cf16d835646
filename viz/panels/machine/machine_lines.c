/* machine_lines.c: a run's machine in the terminal and in plain text: the wires that are busiest at the moment.
 *
 *     Machine  use at 6.27 ms; bottleneck left → right, 99.8 % full
 *              left → right  100 %  network 2 GB/s  rank 3 to 4
 *
 * Of the whole run, where ranks do not live on the GPU of their number, also which they live on.
 */
#include "model/tempo.h"
#include "panels/machine/machine_view.h"
#include "terminal/compose.h"
#include "text/say.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 256, COLUMN = 9, MOST_WIRES = 3 };

static const rv_load *load_of(const rv_composition *page) {
    const rv_model *model = page->playback->subject.model;
    if (model->traffic == NULL || rv_is_hidden(page->playback)) return NULL;
    const int64_t now_ps = rv_time_at(model, model->step, rv_progress_of(model->moment));
    return rv_traffic_at(model->traffic, model->step, now_ps);
}

static bool tells_place(const rv_model *model, const rv_load *load) {
    return load != NULL && load->whole && model->report->request.job.net.place != NULL;
}

int rv_wire_lines(rv_composition *page, int most) {
    const rv_model *model = page->playback->subject.model;
    const rv_load *load = load_of(page);
    int32_t wires[MOST_WIRES];
    int wanted = 1;
    if (load != NULL) wanted += rv_busiest_wires(model->traffic, load, MOST_WIRES, wires);
    if (tells_place(model, load)) wanted++;
    return wanted < most ? wanted : most;
}

/* Writes signs beyond ASCII as others, where the screen has none. */
static void put(const rv_composition *page, int y, const char *text) {
    static const char *const signs[][2] = {{"→", "->"}, {"↔", "<->"}, {"×", "x"}, {"–", "-"}};
    char plain[2 * TEXT];
    size_t n = 0;
    for (const char *at = text; *at != '\0' && n + 4 < sizeof plain;) {
        size_t i = 0;
        while (i < 4 && strncmp(at, signs[i][0], strlen(signs[i][0])) != 0) i++;
        if (i == 4 || !page->playback->ascii) {
            plain[n++] = *at++;
            continue;
        }
        n += (size_t)snprintf(plain + n, sizeof plain - n, "%s", signs[i][1]);
        at += strlen(signs[i][0]);
    }
    plain[n] = '\0';
    rv_put_words(page->screen, COLUMN, y, page->screen->width - COLUMN - 1, RV_PLAIN, plain);
}

static void say_place(const rv_model *model, char *out) {
    const rs_job *job = &model->report->request.job;
    rv_say say = rv_say_to(out, TEXT);
    rv_say_more(&say, "%s", _("ranks 0, 1, 2, ... live on GPUs"));
    for (int32_t r = 0; r < job->schedule->n_ranks; r++) {
        rv_say_more(&say, " %d", (int)job->net.place[r]);
    }
}

/* Says when that is, and which wire bounds the run. */
static void say_head(const rv_composition *page, const rv_load *load, char *out) {
    const rv_model *model = page->playback->subject.model;
    char time[32];
    int64_t share;
    rv_say say = rv_say_to(out, TEXT);
    if (load == NULL) {
        rv_say_more(&say, "%s", model->report->request.job.net.machine->name);
        return;
    }
    rv_format_time(load->time_ps, time, sizeof time);
    if (load->whole) {
        rv_say_more(&say, "%s", _("use over the whole run"));
    } else {
        rv_say_more(&say, _("use at %s"), time);
    }
    const int32_t wire = rv_traffic_bottleneck(model->traffic, &share);
    if (wire < 0) return;
    rv_say_more(&say, "%s", _("; bottleneck "));
    rv_say_wire(&say, model->report->request.job.net.machine, wire);
    rv_format_percent(share, 1000, time, sizeof time);
    rv_say_more(&say, _(", %s full"), time);
}

void rv_compose_wires(const rv_composition *page, int y, int n_lines) {
    const rv_model *model = page->playback->subject.model;
    const rv_load *load = load_of(page);
    int32_t wires[MOST_WIRES];
    char text[TEXT];
    rv_put(page->screen, 1, y, COLUMN - 2, RV_BOLD, _("Machine"));
    say_head(page, load, text);
    put(page, y, text);
    if (load == NULL) return;
    if (tells_place(model, load) && n_lines > 1) {
        say_place(model, text);
        put(page, y + --n_lines, text);
    }
    const int32_t n = rv_busiest_wires(model->traffic, load, MOST_WIRES, wires);
    for (int32_t i = 0; i < n && i + 1 < n_lines; i++) {
        rv_say say = rv_say_to(text, sizeof text);
        rv_say_busy(&say, model, load, wires[i]);
        put(page, y + 1 + i, text);
    }
}
