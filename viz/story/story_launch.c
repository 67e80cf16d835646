/* story_launch.c: how the processes of a job find each other; a step is a moment of sim/systems/launch/launch_bootstrap.c.
 *
 *     the messages    who says what to whom, up to the moment
 *     the processes   rank  node  local rank  GPUs  told world size   how it stands
 *     what the followed process finds in its environment
 *
 * The start, before the first moment, shows what people type. Where the bootstrap fails, the last
 * sentence is the very line that `ringsim verify` would print.
 */
#include "story/story_launch.h"
#include "text/words.h"

static const rs_bootstrap *facts(const rv_story *story) {
    return story->context;
}

/* ------------------------------------------------------------------ the tables */

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

/* Returns a process's GPUs: "2 3", "0..7". */
static const char *gpus_of(const rs_process *p, rv_frame *frame) {
    const int first = (int)p->first_gpu, last = first + (int)p->n_gpus - 1;
    return last < first    ? ""
           : last == first ? rv_frame_text(frame, "%d", first)
                           : rv_frame_text(frame, p->n_gpus == 2 ? "%d %d" : "%d..%d", first, last);
}

static const char *state_word(rs_process_state state) {
    static const char *const words[] = {N_("started"),     N_("tries again"), N_("waits"),
                                        N_("has met all"), N_("works"),       N_("hangs"),
                                        N_("failed")};
    return _(words[state]);
}

static void fill_processes(const rs_bootstrap *r, int32_t moment, rv_frame *frame) {
    enum { RANK, NODE, LOCAL, GPUS, SIZE, STANDS, N_COLUMNS };
    static const char *const heads[N_COLUMNS] = {N_("rank"),       N_("node"),
                                                 N_("local rank"), N_("its GPUs"),
                                                 N_("world size"), N_("how it stands")};
    rv_grid *grid = rv_frame_grid(frame, _("The processes"), r->of.n_processes, N_COLUMNS);
    if (grid == NULL) return;
    grid->ranks = true;
    rv_grid_columns(grid, heads, N_COLUMNS);
    for (int32_t i = 0; i < r->of.n_processes; i++) {
        const rs_process p = rs_launch_process(&r->of, i);
        rv_grid_head(grid, i, -1, _("process %d"), (int)i);
        const rv_tone rank = p.rank == i ? RV_TONE_PLAIN : RV_TONE_BAD;
        const rv_tone size = p.world_size == r->of.n_processes ? RV_TONE_PLAIN : RV_TONE_BAD;
        rv_grid_write(grid, i, RANK, rank, i, "%d", (int)p.rank);
        rv_grid_plain(grid, i, NODE, "%d", (int)p.node);
        if (frame->figures) {
            rv_grid_plain(grid, i, LOCAL, _("%d of %d"), (int)p.local_rank,
                          (int)p.local_world_size);
        } else {
            rv_grid_plain(grid, i, LOCAL, "%d", (int)p.local_rank);
        }
        rv_grid_plain(grid, i, GPUS, "%s", gpus_of(&p, frame));
        rv_grid_write(grid, i, SIZE, size, -1, "%d", (int)p.world_size);
        if (moment < 0) continue;
        const rs_process_state state = rs_process_state_at(r, moment, i);
        rv_grid_write(grid, i, STANDS, rv_launch_tone(state), -1, "%s", state_word(state));
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
        rv_grid_plain(grid, i, 0, "%s", variables[i].name);
        rv_grid_plain(grid, i, 1, "%s%s", variables[i].value,
                      variables[i].argument ? _(" (argument)") : "");
    }
}

/* ------------------------------------------------------------------ figures */

/* Returns a sentence about the mistake; NULL: there is none. */
static const char *mistake_sentence(rs_mistake mistake) {
    static const char *const sentences[RS_N_MISTAKES] = {
        [RS_WORLD_SIZE] = N_("The mistake: the last node is told another world size"),
        [RS_RANK_TWICE] =
            N_("The mistake: the last process gets the rank of the one before it, by a "
               "wrong formula or by hand"),
        [RS_STALE_FILE] = N_("The mistake: the file is there already, from an earlier run"),
        [RS_RANK0_COLLECTIVE] = N_("The mistake: an all-reduce stands inside `if (rank == 0)`"),
        [RS_EVERYBODY_SAVES] = N_("The mistake: every rank saves, into one file"),
        [RS_NO_SET_DEVICE] =
            N_("The mistake: nobody calls set_device, so every process takes GPU 0"),
        [RS_MISSING_NPROC] =
            N_("The mistake: no --nproc-per-node, so each node starts one process")};
    return sentences[mistake] != NULL ? _(sentences[mistake]) : NULL;
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
    static const char *const words[] = {
        N_("machines and GPUs"), N_("a vote; one that cannot go on ends it for all"),
        N_("the GPU that each has taken"), N_("NCCL's unique id, which rank 0 alone has")};
    return _(words[number >= 1 && number <= 3 ? number - 1 : 3]);
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
        rv_frame_say(frame,
                     _("Process %d connects: rank %d of %d, and this version; rank 0 checks both"),
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

/* Says why it does not work, as the bootstrap itself does where it says a line. */
static void say_failure(const rs_bootstrap *r, rv_frame *frame) {
    char why[RS_ERROR_TEXT];
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
    default: rv_frame_say(frame, "%s", rs_error_said(&r->why, rv_gettext, why, sizeof why));
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

/* ------------------------------------------------------------------ the messages
 *
 * A lifeline for each process, and one for the file if there is one; a row or two for each moment:
 *
 *        node 0                node 1
 *     rank 0    rank 1      rank 2    rank 3
 *       |<--connect--x         |         |      nobody listens yet
 *    listens      |            |         |
 *       |<--hello-|            |         |
 */

enum { ALL = RV_ALL_OTHERS };

typedef struct message_list {
    const rs_bootstrap *r;
    rv_frame *frame;
    rv_sequence *to;
    int32_t moment;
    int32_t hub, file; /* lifelines: where they meet; the file, -1: there is none */
} message_list;

/* Adds a message of the moment. */
static void add_message(message_list *w, int32_t from, int32_t to, rv_tone tone, const char *text) {
    rv_sequence *s = w->to;
    const int32_t at = s->n_told++;
    s->messages[at] =
        (rv_message){.step = w->moment, .from = from, .to = to, .text = text, .tone = tone};
    for (int32_t i = 0; i < w->r->of.n_processes; i++) {
        s->stands[at * s->n_lines + i] = rv_launch_tone(rs_process_state_at(w->r, w->moment, i));
    }
}

static void add_lost(message_list *w, int32_t from, int32_t to, const char *text) {
    add_message(w, from, to, RV_TONE_BAD, text);
    w->to->messages[w->to->n_told - 1].lost = true;
}

static const char *exchanged_word(int32_t number) {
    static const char *const words[] = {N_("set: machine"), N_("set: can go on"),
                                        N_("set: its GPU"), N_("set: NCCL id")};
    return _(words[number >= 1 && number <= 3 ? number - 1 : 3]);
}

static void tell_fault(message_list *w, const rs_moment *m) {
    if (w->r->of.of.mistake == RS_NO_SET_DEVICE) {
        add_message(w, ALL, ALL, RV_TONE_BAD, _("refused"));
    } else if (w->hub != 0) {
        add_lost(w, m->process, w->hub, _("not its run: ends"));
    } else {
        add_message(w, 0, m->process, RV_TONE_BAD, _("refused"));
    }
}

static void tell_coming(message_list *w, const rs_moment *m) {
    const rs_process p = rs_launch_process(&w->r->of, m->process < 0 ? 0 : m->process);
    switch (m->kind) {
    case RS_REFUSED: add_lost(w, m->process, 0, _("connect: refused")); break;
    case RS_LISTENS: add_message(w, 0, 0, RV_TONE_NEW, _("listens")); break;
    case RS_HELLO:
        add_message(
            w, m->process, 0, RV_TONE_PLAIN,
            rv_frame_text(w->frame, _("hello: rank %d of %d"), (int)p.rank, (int)p.world_size));
        break;
    case RS_WELCOMED: add_message(w, 0, ALL, RV_TONE_GOOD, _("welcome")); break;
    case RS_FIRST_SLOT:
        add_message(
            w, m->process, w->hub, RV_TONE_PLAIN,
            rv_frame_text(w->frame, _("writes: rank %d of %d"), (int)p.rank, (int)p.world_size));
        break;
    case RS_SLOT:
        add_message(w, m->process, w->hub, RV_TONE_PLAIN,
                    rv_frame_text(w->frame, _("writes: rank %d"), (int)p.rank));
        break;
    default: add_message(w, w->hub, ALL, RV_TONE_GOOD, _("read: all slots taken"));
    }
}

static void tell_moment(message_list *w, const rs_moment *m) {
    const int32_t hub = w->hub, file = w->file;
    switch (m->kind) {
    case RS_STARTED: add_message(w, ALL, ALL, RV_TONE_QUIET, _("starts")); break;
    case RS_EXCHANGED:
        add_message(w, ALL, hub, RV_TONE_PLAIN, exchanged_word(m->number));
        add_message(w, hub, ALL, RV_TONE_PLAIN, _("get: all"));
        break;
    case RS_READY: add_message(w, ALL, ALL, RV_TONE_GOOD, _("ready")); break;
    case RS_BOOTSTRAP_FAULT: tell_fault(w, m); break;
    case RS_ALONE: add_message(w, 0, 0, RV_TONE_BAD, "all-reduce"); break;
    case RS_STALLED: add_lost(w, m->number, 0, _("never comes")); break;
    case RS_SAVED: add_message(w, 0, file, RV_TONE_PLAIN, _("saves: 100 %")); break;
    case RS_TRUNCATED: add_message(w, m->process, file, RV_TONE_BAD, _("opens: 0 %")); break;
    case RS_HALF_SAVED: add_message(w, m->process, file, RV_TONE_PLAIN, _("saves: 50 %")); break;
    case RS_READ_SHORT: add_message(w, file, 0, RV_TONE_BAD, _("read: 50 %")); break;
    case RS_ALL_SAVED: add_message(w, ALL, file, RV_TONE_PLAIN, _("saves: 100 %")); break;
    default: tell_coming(w, m);
    }
}

static bool has_file(const rs_bootstrap *r) {
    return r->of.of.init == RS_INIT_FILE || r->of.of.mistake == RS_EVERYBODY_SAVES;
}

static void name_lines(const rs_bootstrap *r, rv_frame *frame, rv_sequence *s) {
    for (int32_t i = 0; i < r->of.n_processes; i++) {
        const rs_process p = rs_launch_process(&r->of, i);
        s->lines[i] = (rv_lifeline){.name = rv_frame_text(frame, _("process %d"), (int)i),
                                    .note = rv_frame_text(frame, "GPU %s", gpus_of(&p, frame)),
                                    .rank = i,
                                    .group = rv_frame_text(frame, _("node %d"), (int)p.node)};
    }
    if (has_file(r))
        s->lines[s->n_lines - 1] = (rv_lifeline){.name = _("file"), .rank = -1, .apart = true};
}

static void fill_messages(const rs_bootstrap *r, int32_t moment, rv_frame *frame) {
    const int32_t n = r->of.n_processes, n_lines = n + (has_file(r) ? 1 : 0);
    rv_sequence *s =
        rv_frame_sequence(frame, _("Who says what to whom"), n_lines, 2 * r->n_moments);
    message_list w = {.r = r,
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

/* ------------------------------------------------------------------ the whole */

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
    fill_messages(r, moment, frame);
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
