/* ddp_frames.c: what DistributedDataParallel minds, in sentences: who waits for whom and why, and what a case costs. */
#include "story/train/train_facts.h"
#include "text/words.h"

/* What DDP says in the next forward pass. */
#define UNFINISHED "\"Expected to have finished reduction in the prior iteration\""

static void say_unused(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const rs_ddp_case *ddp = plan->ddp;
    const int bucket = (int)f->of.time->n_exchanged + 1;
    const char *layer = plan->layers->items[ddp->unused].name;
    if (ddp->unused_rank < 0) {
        rv_frame_say(
            frame,
            _("No GPU finds a gradient of %s: bucket %d is never ready, and none behind it "
              "is sent. DDP hands over no sum: each GPU updates by its own gradients, and "
              "the next forward pass fails, %s."),
            layer, bucket, UNFINISHED);
        return;
    }
    rv_frame_say(
        frame,
        _("GPU %d finds no gradient of %s: its bucket %d is never ready. The others wait in "
          "that all-reduce, for ever; GPU %d goes on, and its next forward pass fails, %s."),
        (int)ddp->unused_rank, layer, bucket, (int)ddp->unused_rank, UNFINISHED);
}

void rv_say_stuck(const rv_train_facts *f, rv_frame *frame) {
    const rs_ddp_case *ddp = f->of.plan->ddp;
    const rs_training *result = f->of.result;
    if (ddp->unused >= 0) {
        say_unused(f, frame);
    } else if (result != NULL) {
        rv_frame_say(
            frame,
            _("After %d of %d updates GPU %d has no batch any more and has left the loop. The "
              "others wait for it in the all-reduce of bucket 1, for ever."),
            (int)result->n_steps, (int)(result->steps_per_epoch * f->of.train->n_epochs),
            (int)ddp->ended_rank);
    } else {
        rv_frame_say(
            frame,
            _("GPU %d has no batch any more and has left the loop. The others wait for it in "
              "the all-reduce of bucket 1, for ever."),
            (int)ddp->ended_rank);
    }
}

void rv_note_case(const rv_train_facts *f, rv_frame *frame) {
    const rs_step_plan *plan = f->of.plan;
    const rs_ddp_case *ddp = plan->ddp != NULL ? plan->ddp : &rs_ddp_usual;
    const rs_step_time *time = f->of.time;
    const char *bytes = rv_frame_bytes(frame, time->extra_bytes);
    const char *wait = rv_frame_time(frame, time->extra_ps);
    if (ddp->find_unused) {
        rv_frame_note(
            frame,
            _("unused layers count as ready; a map of them, %s, is all-reduced: %s; the walk "
              "through the graph that finds them is not timed"),
            bytes, wait);
    }
    if (ddp->join) {
        rv_frame_note(
            frame,
            _("GPU %d has no batch; Join answers for it, %d all-reduces of zeros; and all "
              "all-reduce two numbers, who is left and who exchanges: %s"),
            (int)ddp->ended_rank, (int)plan->n_buckets, wait);
    }
    if (ddp->buffers == RS_BUFFERS_BROADCAST) {
        rv_frame_note(frame, _("GPU 0's buffers, %s, go to all before the forward pass: %s"), bytes,
                      wait);
    }
    if (ddp->buffers == RS_BUFFERS_SYNC) {
        rv_frame_note(
            frame,
            _("SyncBatchNorm: %d small exchanges, %s together, for which the passes wait %s"),
            (int)time->n_extra, bytes, wait);
    }
    if (ddp->every_batch) {
        rv_frame_note(frame, _("all gradients are exchanged %d times; under no_sync once"),
                      (int)plan->accumulate);
    }
    if (ddp->buffers_kept && f->of.result != NULL) {
        rv_frame_note(
            frame,
            _("running means of the inputs: GPUs differ by up to %.3g; GPU 0's are off those "
              "of all samples by up to %.3g"),
            f->of.result->buffers_apart, f->of.result->buffers_off);
    }
}
