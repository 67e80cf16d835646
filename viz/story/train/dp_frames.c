/* dp_frames.c: the sentences of a step of dp, in which everything goes through GPU 0. */
#include "story/train/train_facts.h"
#include "text/words.h"

enum { NUMBER = 32 };

static void say_time(int64_t ps, char out[NUMBER]) {
    rv_format_time(ps, out, NUMBER);
}

static void fill_dp_forward(const rv_train_facts *f, rv_frame *frame) {
    char gil[NUMBER];
    say_time(f->of.time->gil_ps, gil);
    frame->phase = _("forward pass");
    rv_frame_say(
        frame,
        _("A thread for each GPU starts its kernels. The threads run Python one at a time: "
          "the lock (GIL) is held for %s in all. Kernels run without it, and so does the "
          "backward pass."),
        gil);
    rv_fill_busy(f, frame);
}

static void fill_dp_work(rs_work work, const char *now, rv_frame *frame) {
    switch (work) {
    case RS_WORK_SCATTER:
        rv_frame_say(frame, _("GPU 0 cuts the batch and sends each GPU its part: done after %s."),
                     now);
        break;
    case RS_WORK_COPY_MODEL:
        rv_frame_say(
            frame,
            _("GPU 0 sends the whole model to every other GPU, one after another, in every step: "
              "done after %s. The copies are thrown away at the step's end."),
            now);
        break;
    case RS_WORK_GATHER:
        rv_frame_say(
            frame,
            _("GPU 0 gathers all outputs, until %s, and computes the loss of the whole batch "
              "alone."),
            now);
        break;
    case RS_WORK_SCATTER_LOSS:
        rv_frame_say(
            frame, _("GPU 0 sends each GPU its part of the loss's gradient: done after %s."), now);
        break;
    case RS_WORK_BACKWARD:
        rv_frame_say(frame, _("Each GPU runs backward through its copy: the last until %s."), now);
        break;
    case RS_WORK_REDUCE:
        rv_frame_say(
            frame,
            _("GPU 0 takes in the gradients of all copies and adds them, until %s. Each is "
              "divided by the whole batch already, so the sum is the mean: DataParallel adds "
              "where DDP averages."),
            now);
        break;
    default:
        rv_frame_say(frame, _("GPU 0 updates the only model that stays. The step took %s."), now);
        break;
    }
}

static const char *dp_phase(rs_work work) {
    switch (work) {
    case RS_WORK_SCATTER: return _("batch out");
    case RS_WORK_COPY_MODEL: return _("model out");
    case RS_WORK_GATHER: return _("outputs in, loss");
    case RS_WORK_SCATTER_LOSS: return _("loss out");
    case RS_WORK_BACKWARD: return _("backward pass");
    case RS_WORK_REDUCE: return _("gradients in");
    default: return _("update");
    }
}

void rv_fill_dp(const rv_train_facts *f, const rv_train_moment *m, rv_frame *frame) {
    char now[NUMBER];
    if (m->work == RS_WORK_FORWARD) {
        fill_dp_forward(f, frame);
        return;
    }
    say_time(m->now_ps, now);
    frame->phase = dp_phase(m->work);
    fill_dp_work(m->work, now, frame);
    if (m->work != RS_WORK_UPDATE) return;
    rv_fill_busy(f, frame);
    rv_fill_scaling(f, frame);
}
