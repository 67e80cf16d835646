/* launch_messages.c: what the processes of a job say to each other, as a sequence: a lifeline for each
 * process, and one for the file if there is one; a row or two for each moment of the bootstrap.
 *
 *        node 0                node 1
 *     rank 0    rank 1      rank 2    rank 3
 *       |<--connect--x         |         |      nobody listens yet
 *    listens      |            |         |
 *       |<--hello-|            |         |
 */
#include "story/story_launch.h"
#include "text/words.h"

enum { ALL = RV_ALL_OTHERS };

rv_tone rv_launch_tone(rs_process_state state) {
    switch (state) {
    case RS_PROCESS_ALONE: return RV_TONE_QUIET;
    case RS_PROCESS_TRYING: return RV_TONE_LEAVES;
    case RS_PROCESS_WAITING: return RV_TONE_NEW;
    case RS_PROCESS_JOINED:
    case RS_PROCESS_WORKING: return RV_TONE_GOOD;
    default: return RV_TONE_BAD;
    }
}

const char *rv_launch_gpus(const rs_process *p, rv_frame *frame) {
    const int first = (int)p->first_gpu, last = first + (int)p->n_gpus - 1;
    return last < first    ? ""
           : last == first ? rv_frame_text(frame, "%d", first)
                           : rv_frame_text(frame, p->n_gpus == 2 ? "%d %d" : "%d..%d", first, last);
}

/* ------------------------------------------------------------------ one moment's messages */

typedef struct teller {
    const rs_bootstrap *r;
    rv_frame *frame;
    rv_sequence *to;
    int32_t moment;
    int32_t hub, file; /* lifelines: where they meet; the file, -1: there is none */
} teller;

/* Adds a message of the moment. */
static void tell(teller *w, int32_t from, int32_t to, rv_tone tone, const char *text) {
    rv_sequence *s = w->to;
    const int32_t at = s->n_told++;
    s->messages[at] =
        (rv_message){.step = w->moment, .from = from, .to = to, .text = text, .tone = tone};
    for (int32_t i = 0; i < w->r->of.n_processes; i++) {
        s->stands[at * s->n_lines + i] = rv_launch_tone(rs_process_state_at(w->r, w->moment, i));
    }
}

static void lose(teller *w, int32_t from, int32_t to, const char *text) {
    tell(w, from, to, RV_TONE_BAD, text);
    w->to->messages[w->to->n_told - 1].lost = true;
}

static const char *exchanged_word(int32_t number) {
    switch (number) {
    case 1: return _("set: machine");
    case 2: return _("set: a vote");
    case 3: return _("set: its GPU");
    default: return _("set: NCCL id");
    }
}

static void tell_fault(teller *w, const rs_moment *m) {
    if (w->r->of.of.mistake == RS_NO_SET_DEVICE) {
        tell(w, ALL, ALL, RV_TONE_BAD, _("refused"));
    } else if (w->hub != 0) {
        lose(w, m->process, w->hub, _("not its run: ends"));
    } else {
        tell(w, 0, m->process, RV_TONE_BAD, _("refused"));
    }
}

static void tell_coming(teller *w, const rs_moment *m) {
    const rs_process p = rs_launch_process(&w->r->of, m->process < 0 ? 0 : m->process);
    switch (m->kind) {
    case RS_REFUSED: lose(w, m->process, 0, _("connect: refused")); break;
    case RS_LISTENS: tell(w, 0, 0, RV_TONE_NEW, _("listens")); break;
    case RS_HELLO:
        tell(w, m->process, 0, RV_TONE_PLAIN,
             rv_frame_text(w->frame, _("hello: rank %d of %d"), (int)p.rank, (int)p.world_size));
        break;
    case RS_WELCOMED: tell(w, 0, ALL, RV_TONE_GOOD, _("welcome")); break;
    case RS_FIRST_SLOT:
        tell(w, m->process, w->hub, RV_TONE_PLAIN,
             rv_frame_text(w->frame, _("writes: rank %d of %d"), (int)p.rank, (int)p.world_size));
        break;
    case RS_SLOT:
        tell(w, m->process, w->hub, RV_TONE_PLAIN,
             rv_frame_text(w->frame, _("writes: rank %d"), (int)p.rank));
        break;
    default: tell(w, w->hub, ALL, RV_TONE_GOOD, _("read: all slots taken"));
    }
}

static void tell_moment(teller *w, const rs_moment *m) {
    const int32_t hub = w->hub, file = w->file;
    switch (m->kind) {
    case RS_STARTED: tell(w, ALL, ALL, RV_TONE_QUIET, _("starts")); break;
    case RS_EXCHANGED:
        tell(w, ALL, hub, RV_TONE_PLAIN, exchanged_word(m->number));
        tell(w, hub, ALL, RV_TONE_PLAIN, _("get: all"));
        break;
    case RS_READY: tell(w, ALL, ALL, RV_TONE_GOOD, _("ready")); break;
    case RS_BOOTSTRAP_FAULT: tell_fault(w, m); break;
    case RS_ALONE: tell(w, 0, 0, RV_TONE_BAD, "all-reduce"); break;
    case RS_STALLED: lose(w, m->number, 0, _("never comes")); break;
    case RS_SAVED: tell(w, 0, file, RV_TONE_PLAIN, _("saves: 100 %")); break;
    case RS_TRUNCATED: tell(w, m->process, file, RV_TONE_BAD, _("opens: 0 %")); break;
    case RS_HALF_SAVED: tell(w, m->process, file, RV_TONE_PLAIN, _("saves: 50 %")); break;
    case RS_READ_SHORT: tell(w, file, 0, RV_TONE_BAD, _("read: 50 %")); break;
    case RS_ALL_SAVED: tell(w, ALL, file, RV_TONE_PLAIN, _("saves: 100 %")); break;
    default: tell_coming(w, m);
    }
}

/* ------------------------------------------------------------------ all of it */

static bool has_file(const rs_bootstrap *r) {
    return r->of.of.init == RS_INIT_FILE || r->of.of.mistake == RS_EVERYBODY_SAVES;
}

static void name_lines(const rs_bootstrap *r, rv_frame *frame, rv_sequence *s) {
    for (int32_t i = 0; i < r->of.n_processes; i++) {
        const rs_process p = rs_launch_process(&r->of, i);
        s->lines[i] =
            (rv_lifeline){.name = rv_frame_text(frame, _("process %d"), (int)i),
                          .note = rv_frame_text(frame, "GPU %s", rv_launch_gpus(&p, frame)),
                          .rank = i,
                          .group = rv_frame_text(frame, _("node %d"), (int)p.node)};
    }
    if (has_file(r))
        s->lines[s->n_lines - 1] = (rv_lifeline){.name = _("file"), .rank = -1, .apart = true};
}

void rv_launch_messages(const rs_bootstrap *r, int32_t moment, rv_frame *frame) {
    const int32_t n = r->of.n_processes, n_lines = n + (has_file(r) ? 1 : 0);
    rv_sequence *s =
        rv_frame_sequence(frame, _("Who says what to whom"), n_lines, 2 * r->n_moments);
    teller w = {.r = r,
                .frame = frame,
                .to = s,
                .hub = r->of.of.init == RS_INIT_FILE ? n : 0,
                .file = has_file(r) ? n : -1};
    int32_t n_told = 0;
    if (s == NULL) return;
    name_lines(r, frame, s);
    for (; w.moment < r->n_moments; w.moment++) {
        tell_moment(&w, &r->moments[w.moment]);
        if (w.moment <= moment) n_told = s->n_told;
    }
    s->n_messages = s->n_told;
    s->n_told = n_told;
}
