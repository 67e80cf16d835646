/* story_launch.c: how the processes of a job find each other; a step is a moment of sim/systems/launch/launch_bootstrap.c.
 *
 *     the messages    who says what to whom, up to the moment         launch_messages.c
 *     the processes   rank  node  local rank  GPUs  told world size   how it stands
 *     what the followed process finds in its environment
 *
 * The start, before the first moment, shows what people type. Where the bootstrap fails, the last
 * sentence is the very line that `ringsim verify` would print.
 */
#include "story/story_launch.h"
#include "text/words.h"

#include <stdio.h>

static const rs_bootstrap *facts(const rv_story *story) {
    return story->context;
}

/* ------------------------------------------------------------------ the tables */

static const char *state_word(rs_process_state state) {
    switch (state) {
    case RS_PROCESS_ALONE: return _("started");
    case RS_PROCESS_TRYING: return _("tries again");
    case RS_PROCESS_WAITING: return _("waits");
    case RS_PROCESS_JOINED: return _("has met all");
    case RS_PROCESS_WORKING: return _("works");
    case RS_PROCESS_HANGING: return _("hangs");
    default: return _("failed");
    }
}

static void fill_processes(const rs_bootstrap *r, int32_t moment, rv_frame *frame) {
    enum { RANK, NODE, LOCAL, GPUS, SIZE, STANDS, N_COLUMNS };
    static const char *const heads[N_COLUMNS] = {N_("rank"),       N_("node"),
                                                 N_("local rank"), N_("its GPUs"),
                                                 N_("world size"), N_("how it stands")};
    rv_grid *grid = rv_frame_grid(frame, _("The processes"), r->of.n_processes, N_COLUMNS);
    if (grid == NULL) return;
    grid->ranks = true;
    rv_frame_columns(frame, grid, heads, N_COLUMNS);
    for (int32_t i = 0; i < r->of.n_processes; i++) {
        const rs_process p = rs_launch_process(&r->of, i);
        rv_frame_head(frame, grid, i, -1, _("process %d"), (int)i);
        const rv_tone rank = p.rank == i ? RV_TONE_PLAIN : RV_TONE_BAD;
        const rv_tone size = p.world_size == r->of.n_processes ? RV_TONE_PLAIN : RV_TONE_BAD;
        rv_frame_entry(frame, grid, i, RANK, rank, i, "%d", (int)p.rank);
        rv_frame_entry(frame, grid, i, NODE, RV_TONE_PLAIN, -1, "%d", (int)p.node);
        if (frame->figures) {
            rv_frame_entry(frame, grid, i, LOCAL, RV_TONE_PLAIN, -1, _("%d of %d"),
                           (int)p.local_rank, (int)p.local_world_size);
        } else {
            rv_frame_entry(frame, grid, i, LOCAL, RV_TONE_PLAIN, -1, "%d", (int)p.local_rank);
        }
        rv_frame_entry(frame, grid, i, GPUS, RV_TONE_PLAIN, -1, "%s", rv_launch_gpus(&p, frame));
        rv_frame_entry(frame, grid, i, SIZE, size, -1, "%d", (int)p.world_size);
        if (moment < 0) continue;
        const rs_process_state state = rs_process_state_at(r, moment, i);
        rv_frame_entry(frame, grid, i, STANDS, rv_launch_tone(state), -1, "%s", state_word(state));
    }
}

static void fill_variables(const rs_bootstrap *r, int32_t process, rv_frame *frame) {
    rs_variable variables[RS_MOST_VARIABLES];
    const int n = rs_launch_variables(&r->of, process, variables);
    rv_grid *grid = rv_frame_grid(frame,
                                  frame->figures ? _("What the last process is told")
                                                 : _("What the followed process is told"),
                                  n, 2);
    for (int i = 0; i < n; i++) {
        rv_frame_entry(frame, grid, i, 0, RV_TONE_PLAIN, -1, "%s", variables[i].name);
        rv_frame_entry(frame, grid, i, 1, RV_TONE_PLAIN, -1, "%s%s", variables[i].value,
                       variables[i].argument ? _(" (argument)") : "");
    }
}

/* ------------------------------------------------------------------ figures */

/* Returns a sentence about the mistake; NULL: there is none. */
static const char *mistake_sentence(rs_mistake mistake) {
    switch (mistake) {
    case RS_WORLD_SIZE: return _("The mistake: the last node is told another world size");
    case RS_RANK_TWICE:
        return _("The mistake: the last process gets the rank of the one before it, by a wrong "
                 "formula or by hand");
    case RS_STALE_FILE: return _("The mistake: the file is there already, from an earlier run");
    case RS_RANK0_COLLECTIVE: return _("The mistake: an all-reduce stands inside `if (rank == 0)`");
    case RS_EVERYBODY_SAVES: return _("The mistake: every rank saves, into one file");
    case RS_NO_SET_DEVICE:
        return _("The mistake: nobody calls set_device, so every process takes GPU 0");
    case RS_MISSING_NPROC:
        return _("The mistake: no --nproc-per-node, so each node starts one process");
    default: return NULL;
    }
}

static void note_commands(const rs_launched *l, rv_frame *frame) {
    enum { MOST_NODES = 4 };
    for (int32_t node = 0; node < l->of.n_nodes; node++) {
        char command[RS_COMMAND_TEXT];
        const bool last = node == l->of.n_nodes - 1;
        if (node >= MOST_NODES - 1 && !last) continue; /* all but the last are alike */
        rs_launch_command(l, node, command);
        if (command[0] == '\0') continue;
        if (node > MOST_NODES - 1) rv_frame_note(frame, "...");
        rv_frame_command(frame, "node%d$ %s", (int)node, command);
    }
}

/* What the last process makes of its argument, and that it must choose its GPU. */
static void note_last(const rs_launched *l, rv_frame *frame) {
    rs_variable variables[RS_MOST_VARIABLES];
    const int n = rs_launch_variables(l, l->n_processes - 1, variables);
    const rs_process p = rs_launch_process(l, l->n_processes - 1);
    for (int i = 0; i < n; i++) {
        if (!variables[i].argument) continue;
        if (variables[i].name[0] == '-') {
            rv_frame_note(frame, _("... and the argument %s=%s, unless --use_env is given"),
                          variables[i].name, variables[i].value);
        } else {
            rv_frame_note(
                frame, _("... and the first argument of fn: %s; its rank is %d x %d + %s"),
                variables[i].value, (int)p.node, (int)p.local_world_size, variables[i].value);
        }
    }
    rv_frame_note(frame,
                  _("it sees all %d GPUs of its node (CUDA_VISIBLE_DEVICES is inherited), and must "
                    "take its own:"),
                  (int)l->of.gpus_per_node);
    rv_frame_note(frame, "  torch.cuda.set_device(%d)",
                  (int)(p.local_rank * l->of.gpus_per_process));
    if (l->of.starter == RS_SRUN) {
        rv_frame_note(frame, "%s",
                      _("srun --exclusive --ntasks 1, a line for each process, shows each its own "
                        "GPUs alone, counted from 0."));
    }
}

static void note_figures(const rs_bootstrap *r, rv_frame *frame) {
    const rs_launch *of = &r->of.of;
    const int nodes = (int)of->n_nodes, gpus = (int)of->gpus_per_node;
    const int each = (int)of->gpus_per_process;
    const char *mistake = mistake_sentence(of->mistake);
    note_last(&r->of, frame);
    rv_frame_note(frame, "%s", "");
    rv_frame_note(frame,
                  _("nodes: %d, GPUs on each: %d, GPUs a process: %d; %d x %d / %d = %d processes"),
                  nodes, gpus, each, nodes, gpus, each, nodes * (gpus / each));
    note_commands(&r->of, frame);
    if (mistake != NULL) rv_frame_note(frame, "%s", mistake);
}

/* ------------------------------------------------------------------ the sentences */

static const char *exchange_word(int32_t number) {
    switch (number) {
    case 1: return _("machines and GPUs");
    case 2: return _("a vote, whether everybody can go on");
    case 3: return _("the GPU that each has taken");
    default: return _("NCCL's unique id, which rank 0 alone has");
    }
}

static void say_exchange(const rs_bootstrap *r, const rs_moment *m, rv_frame *frame) {
    if (r->of.of.init == RS_INIT_FILE) {
        rv_frame_say(frame, _("Exchange %d: %s. Each writes its own into the file, then reads all"),
                     (int)m->number, exchange_word(m->number));
    } else {
        rv_frame_say(frame,
                     _("Exchange %d: %s. Each gives its own to rank 0, which hands all to each; "
                       "messages: %d"),
                     (int)m->number, exchange_word(m->number), (int)m->messages);
    }
}

static void say_checkpoint(const rs_moment *m, rv_frame *frame) {
    const int rank = (int)m->process;
    switch (m->kind) {
    case RS_SAVED:
        rv_frame_say(frame, _("Rank %d has saved the checkpoint: the file is whole"), rank);
        break;
    case RS_TRUNCATED:
        rv_frame_say(
            frame, _("Rank %d saves, too: it opens the same file to write, and the file is empty"),
            rank);
        break;
    case RS_HALF_SAVED:
        rv_frame_say(frame, _("Rank %d has written %d %% of it"), rank, (int)m->file_percent);
        break;
    case RS_READ_SHORT:
        rv_frame_say(frame, _("Rank %d reads back what it saved, and finds %d %% of it"), rank,
                     (int)m->number);
        break;
    default:
        rv_frame_say(frame,
                     _("All %d have written the same bytes: the file is whole again, by luck"),
                     (int)m->number);
    }
}

static void say_coming(const rs_bootstrap *r, const rs_moment *m, rv_frame *frame) {
    char where[RS_VARIABLE_TEXT];
    rs_launch_where(&r->of, where);
    const rs_process p = rs_launch_process(&r->of, m->process);
    switch (m->kind) {
    case RS_REFUSED:
        rv_frame_say(
            frame,
            _("Rank %d comes to %s before rank 0 listens: refused; it will try again in a few "
              "milliseconds"),
            (int)p.rank, where);
        break;
    case RS_LISTENS:
        rv_frame_say(frame, _("Rank 0 listens at %s and waits for %d more"), where,
                     (int)r->of.n_processes - 1);
        break;
    case RS_HELLO:
        rv_frame_say(
            frame, _("Process %d connects and says: rank %d of %d, this version; rank 0 judges it"),
            (int)m->process, (int)p.rank, (int)p.world_size);
        break;
    case RS_WELCOMED:
        rv_frame_say(frame, _("Nobody is missing: rank 0 says welcome to each; messages: %d"),
                     (int)m->messages);
        break;
    case RS_FIRST_SLOT:
        rv_frame_say(frame,
                     _("Rank %d is the first at %s: it writes how many they are, and its own slot"),
                     (int)p.rank, where);
        break;
    default:
        rv_frame_say(frame, _("Rank %d locks the file, finds its slot free and takes it"),
                     (int)p.rank);
    }
}

static const char *fault_sentence(const rs_launch *of) {
    return of->mistake == RS_NO_SET_DEVICE
               ? _("NCCL finds two ranks on one GPU and refuses; all end")
           : of->init == RS_INIT_FILE
               ? _("Whoever opens the file finds what is wrong: it is over for all")
               : _("Rank 0 refuses it and says why; one rank then never comes, and all give up");
}

static void say_moment(const rs_bootstrap *r, const rs_moment *m, rv_frame *frame) {
    switch (m->kind) {
    case RS_STARTED:
        rv_frame_say(
            frame,
            _("%d processes run; each has its numbers, and knows nobody. All see all GPUs of "
              "their node"),
            (int)r->of.n_processes);
        break;
    case RS_ALL_SLOTS:
        rv_frame_say(frame,
                     _("Everybody reads the file now and then, and sees: all slots are taken"));
        break;
    case RS_EXCHANGED: say_exchange(r, m, frame); break;
    case RS_READY: rv_frame_say(frame, _("The communicator stands: the work begins")); break;
    case RS_BOOTSTRAP_FAULT: rv_frame_say(frame, "%s", fault_sentence(&r->of.of)); break;
    case RS_ALONE:
        rv_frame_say(frame, _("Rank 0 calls an all-reduce in `if (rank == 0)`; the others do not"));
        break;
    case RS_STALLED:
        rv_frame_say(frame, _("Rank 0 waits for rank %d, which never comes; no error, no message"),
                     (int)m->number);
        break;
    case RS_SAVED:
    case RS_TRUNCATED:
    case RS_HALF_SAVED:
    case RS_READ_SHORT:
    case RS_ALL_SAVED: say_checkpoint(m, frame); break;
    default: say_coming(r, m, frame);
    }
}

static void say_start(const rs_bootstrap *r, rv_frame *frame) {
    const rs_launch *of = &r->of.of;
    const char *mistake = mistake_sentence(of->mistake);
    if (mistake != NULL) {
        rv_frame_say(frame, "%s", mistake);
    } else {
        rv_frame_say(
            frame,
            _("Nodes: %d, GPUs on each: %d, GPUs a process: %d; %s starts %d processes a node, %d in all"),
            (int)of->n_nodes, (int)of->gpus_per_node, (int)of->gpus_per_process,
            rs_starter_name(of->starter), (int)r->of.per_node, (int)r->of.n_processes);
    }
}

/* Says why it does not work. A line that the bootstrap itself prints stays in English, as there. */
static void say_failure(const rs_bootstrap *r, rv_frame *frame) {
    switch (r->of.of.mistake) {
    case RS_RANK0_COLLECTIVE:
        rv_frame_say(frame,
                     _("Rank 0 hangs, and nothing says why; the others' next collective will meet "
                       "its call"));
        break;
    case RS_EVERYBODY_SAVES:
        rv_frame_say(frame,
                     _("Whoever reads meanwhile gets a part of the checkpoint; %d processes wrote "
                       "one file"),
                     (int)r->of.n_processes);
        break;
    case RS_NO_SET_DEVICE:
        rv_frame_say(frame,
                     _("Ranks 0 and 1 are both on GPU 0 of node 0 (NCCL: Duplicate GPU detected); "
                       "call set_device(local_rank)"));
        break;
    default: rv_frame_say(frame, "%s", r->text);
    }
}

static void say_end(const rs_bootstrap *r, rv_frame *frame) {
    frame->good = r->completes && r->of.idle_gpus == 0;
    frame->bad = !frame->good;
    if (!r->completes) {
        say_failure(r, frame);
    } else if (r->of.idle_gpus > 0) {
        rv_frame_say(frame, _("It works, and nobody complains; but %d of %d GPUs are idle"),
                     (int)r->of.idle_gpus, (int)(r->of.of.n_nodes * r->of.of.gpus_per_node));
    } else {
        rv_frame_say(frame, _("All have met: %d ranks, each with GPUs of its own"),
                     (int)r->of.n_processes);
    }
}

static const char *phase_of(rs_moment_kind kind) {
    if (kind == RS_STARTED) return _("start");
    if (kind < RS_EXCHANGED || kind == RS_BOOTSTRAP_FAULT) return _("meeting");
    return kind == RS_EXCHANGED ? _("exchange") : _("work");
}

static void fill_frame(const rv_story *story, int32_t step, int32_t rank, rv_frame *frame) {
    const rs_bootstrap *r = facts(story);
    const int32_t moment = step < r->n_moments ? step : r->n_moments - 1;
    if (step < 0) {
        say_start(r, frame);
    } else if (step >= r->n_moments) {
        say_end(r, frame);
    } else {
        frame->phase = phase_of(r->moments[step].kind);
        frame->bad = r->moments[step].kind == RS_BOOTSTRAP_FAULT ||
                     r->moments[step].kind == RS_STALLED || r->moments[step].kind == RS_READ_SHORT;
        say_moment(r, &r->moments[step], frame);
    }
    rv_launch_messages(r, moment, frame);
    fill_processes(r, moment, frame);
    const int32_t last = r->of.n_processes - 1;
    fill_variables(r, frame->figures ? last : rank <= last ? rank : 0, frame);
    if (frame->figures) note_figures(r, frame);
}

void rv_story_launch(const rs_bootstrap *of, rv_story *story) {
    *story = (rv_story){
        .name = of->of.of.mistake != RS_NO_MISTAKE ? N_("How processes meet, with a mistake")
                                                   : N_("How processes meet"),
        .n_steps = of->n_moments,
        .n_ranks = of->of.n_processes,
        .frame = fill_frame,
        .context = of,
        .lists_moments = true,
        .words = {[RV_TONE_LEAVES] = N_("tries again"), [RV_TONE_GOOD] = N_("has met all")}};
}
