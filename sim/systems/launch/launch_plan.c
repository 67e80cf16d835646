/* launch_plan.c: from nodes and GPUs to processes: which there are, and which numbers each one
 * gets.
 *
 *     process i:   node = i / per_node,   local rank = i mod per_node,   rank = i
 *
 *   - A mistake changes which processes start, or the numbers that they get; all else follows from
 *     that.
 */
#include "ringsim_launch.h"

#include <assert.h>
#include <stdio.h>

static const char *const starters[RS_N_STARTERS] = {"torchrun", "launch", "spawn", "srun"};
static const char *const init_methods[RS_N_INIT_METHODS] = {"env", "tcp", "file"};
static const char *const mistakes[RS_N_MISTAKES] = {
    "none",          "world-size",       "rank-twice",
    "stale-file",    "rank0-collective", "everybody-saves",
    "no-set-device", "missing-nproc"};

const char *rs_starter_name(rs_starter starter) {
    return starters[starter];
}
const char *rs_init_method_name(rs_init_method init) {
    return init_methods[init];
}
const char *rs_mistake_name(rs_mistake mistake) {
    return mistakes[mistake];
}

/* Returns how many processes there must be for the mistake to do harm. */
static int32_t least_processes(rs_mistake mistake) {
    switch (mistake) {
    case RS_WORLD_SIZE:
    case RS_RANK0_COLLECTIVE:
    case RS_EVERYBODY_SAVES: return 2;
    case RS_RANK_TWICE: return 3;
    default: return 1;
    }
}

static rs_status check_mistake(const rs_launched *l, rs_error *error) {
    const rs_launch *of = &l->of;
    const int32_t least = least_processes(of->mistake);
    if (l->n_processes < least) {
        return rs_fail(error, RS_BAD_INPUT, "the mistake %s takes at least %d processes, not %d",
                       mistakes[of->mistake], (int)least, (int)l->n_processes);
    }
    if (of->mistake == RS_STALE_FILE && of->init != RS_INIT_FILE) {
        return rs_fail(error, RS_BAD_INPUT, "a stale file takes a file to meet at, not %s",
                       init_methods[of->init]);
    }
    const bool counted = of->starter == RS_TORCHRUN || of->starter == RS_TORCH_LAUNCH;
    if (of->mistake == RS_MISSING_NPROC && !counted) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%s has no --nproc-per-node to forget; torchrun and launch have",
                       starters[of->starter]);
    }
    const int32_t meant = of->gpus_per_node / of->gpus_per_process;
    if (of->mistake != RS_NO_SET_DEVICE || meant > 1) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT,
                   "with one process a node nobody can take another's GPU; give it fewer GPUs");
}

rs_status rs_launch_plan(const rs_launch *launch, rs_error *error, rs_launched *launched) {
    const int64_t nodes = launch->n_nodes, gpus = launch->gpus_per_node;
    const int64_t each = launch->gpus_per_process;
    if (nodes < 1 || gpus < 1 || each < 1) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%lld nodes, %lld GPUs a node, %lld GPUs a process: each is at least 1",
                       (long long)nodes, (long long)gpus, (long long)each);
    }
    if (gpus % each != 0) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%lld GPUs a node cannot be dealt to processes of %lld; give a divisor",
                       (long long)gpus, (long long)each);
    }
    if (nodes * (gpus / each) > RS_MAX_PROCESSES) {
        return rs_fail(error, RS_BAD_INPUT,
                       "%lld nodes x %lld / %lld = %lld processes; at most %d can be shown",
                       (long long)nodes, (long long)gpus, (long long)each,
                       (long long)(nodes * (gpus / each)), RS_MAX_PROCESSES);
    }
    rs_launched made = {.of = *launch, .per_node = (int32_t)(gpus / each)};
    if (launch->mistake == RS_MISSING_NPROC) made.per_node = 1;
    made.n_processes = (int32_t)nodes * made.per_node;
    const int32_t used = launch->mistake == RS_NO_SET_DEVICE ? (int32_t)(nodes * each)
                                                             : made.n_processes * (int32_t)each;
    made.idle_gpus = (int32_t)(nodes * gpus) - used;
    const rs_status status = check_mistake(&made, error);
    if (status == RS_OK) *launched = made;
    return status;
}

/* Tells whether a process gets a wrong world size: on the last node somebody typed another
   command. */
static bool is_misled(const rs_launched *l, int32_t index) {
    if (l->of.mistake != RS_WORLD_SIZE) return false;
    return l->of.n_nodes > 1 ? index / l->per_node == l->of.n_nodes - 1
                             : index == l->n_processes - 1;
}

rs_process rs_launch_process(const rs_launched *l, int32_t index) {
    assert(index >= 0 && index < l->n_processes);
    const int32_t each = l->of.gpus_per_process;
    rs_process p = {.rank = index,
                    .world_size = l->n_processes,
                    .node = index / l->per_node,
                    .local_rank = index % l->per_node,
                    .local_world_size = l->per_node,
                    .n_gpus = each};
    p.first_gpu = l->of.mistake == RS_NO_SET_DEVICE ? 0 : p.local_rank * each;
    if (is_misled(l, index)) p.world_size += l->of.n_nodes > 1 ? l->per_node : 1;
    if (l->of.mistake == RS_RANK_TWICE && index == l->n_processes - 1) p.rank = index - 1;
    return p;
}

/* ------------------------------------------------------------------ commands and environments */

/* The commands that start a job, and what each process then finds in its
 * environment.
 *
 *     torchrun    RANK LOCAL_RANK WORLD_SIZE LOCAL_WORLD_SIZE GROUP_RANK ... MASTER_ADDR MASTER_PORT
 *     launch      RANK LOCAL_RANK WORLD_SIZE MASTER_ADDR MASTER_PORT; --local_rank=K unless --use_env
 *     spawn       nothing: fn(i, ...) gets its number as the first argument, the rest is up to the script
 *     srun        SLURM_PROCID SLURM_LOCALID SLURM_NTASKS ...; MASTER_ADDR only if it was set before
 *
 * Sources: PyTorch's documentation (docs/source/elastic/run.rst, torch/distributed/launch.py,
 * torch/multiprocessing/spawn.py) and Slurm's (srun(1), OUTPUT ENVIRONMENT VARIABLES).
 */

typedef struct word_list {
    rs_variable *out;
    int n;
} word_list;

static void put(word_list *l, const char *name, const char *value) {
    rs_variable *v = &l->out[l->n++];
    *v = (rs_variable){.name = name};
    snprintf(v->value, sizeof v->value, "%s", value);
}

static void put_number(word_list *l, const char *name, int32_t number) {
    char text[16];
    snprintf(text, sizeof text, "%d", (int)number);
    put(l, name, text);
}

static void put_master(word_list *l) {
    put(l, "MASTER_ADDR", "node0");
    put_number(l, "MASTER_PORT", RS_MASTER_PORT);
}

static void put_torchrun(word_list *l, const rs_process *p) {
    put_number(l, "RANK", p->rank);
    put_number(l, "WORLD_SIZE", p->world_size);
    put_number(l, "LOCAL_RANK", p->local_rank);
    put_number(l, "LOCAL_WORLD_SIZE", p->local_world_size);
    put_number(l, "GROUP_RANK", p->node);
    put(l, "TORCHELASTIC_RUN_ID", "none");
    put_master(l);
}

static void put_launch(word_list *l, const rs_process *p) {
    put_number(l, "RANK", p->rank);
    put_number(l, "WORLD_SIZE", p->world_size);
    put_number(l, "LOCAL_RANK", p->local_rank);
    put_master(l);
    put_number(l, "--local_rank", p->local_rank);
    l->out[l->n - 1].argument = true;
}

static void put_srun(word_list *l, const rs_process *p, rs_init_method init) {
    put_number(l, "SLURM_PROCID", p->rank);
    put_number(l, "SLURM_STEP_NUM_TASKS", p->world_size);
    put_number(l, "SLURM_LOCALID", p->local_rank);
    put_number(l, "SLURM_NODEID", p->node);
    put(l, "SLURM_STEP_ID", "0");
    if (init == RS_INIT_ENV) put_master(l); /* srun passes on what the user has set */
}

int rs_launch_variables(const rs_launched *launched, int32_t index,
                        rs_variable out[RS_MOST_VARIABLES]) {
    const rs_process p = rs_launch_process(launched, index);
    word_list l = {.out = out};
    switch (launched->of.starter) {
    case RS_TORCHRUN: put_torchrun(&l, &p); break;
    case RS_TORCH_LAUNCH: put_launch(&l, &p); break;
    case RS_SRUN: put_srun(&l, &p, launched->of.init); break;
    default:
        put_number(&l, "i", p.local_rank);
        l.out[l.n - 1].argument = true;
        if (launched->of.init == RS_INIT_ENV) put_master(&l); /* set by the script */
    }
    return l.n;
}

/* ------------------------------------------------------------------ what is typed */

/* Returns the number of nodes in a node's command: by mistake the last node's may have one more. */
static int32_t told_nodes(const rs_launched *l, int32_t node) {
    const bool last = node == l->of.n_nodes - 1 && node > 0;
    return l->of.n_nodes + (l->of.mistake == RS_WORLD_SIZE && last ? 1 : 0);
}

void rs_launch_command(const rs_launched *l, int32_t node, char out[RS_COMMAND_TEXT]) {
    const int nodes = told_nodes(l, node), each = l->per_node;
    char nproc[32] = "";
    out[0] = '\0';
    if (l->of.mistake != RS_MISSING_NPROC) {
        snprintf(nproc, sizeof nproc,
                 l->of.starter == RS_TORCHRUN ? " --nproc-per-node %d" : " --nproc_per_node %d",
                 each);
    }
    switch (l->of.starter) {
    case RS_TORCHRUN:
        snprintf(out, RS_COMMAND_TEXT,
                 "torchrun --nnodes %d%s --node-rank %d --master-addr node0 --master-port %d "
                 "train.py",
                 nodes, nproc, (int)node, RS_MASTER_PORT);
        break;
    case RS_TORCH_LAUNCH:
        snprintf(out, RS_COMMAND_TEXT,
                 "python -m torch.distributed.launch --nnodes %d%s --node_rank %d --master_addr "
                 "node0 --master_port %d train.py",
                 nodes, nproc, (int)node, RS_MASTER_PORT);
        break;
    case RS_MP_SPAWN:
        snprintf(out, RS_COMMAND_TEXT,
                 "python train.py --nodes %d --node %d    # mp.spawn(fn, nprocs=%d)", nodes,
                 (int)node, each);
        break;
    default:
        if (node > 0) return; /* Slurm starts them all */
        snprintf(out, RS_COMMAND_TEXT,
                 "%ssrun --nodes %d --ntasks-per-node %d --gpus-per-node %d python train.py",
                 l->of.init == RS_INIT_ENV ? "MASTER_ADDR=node0 MASTER_PORT=29500 " : "",
                 (int)l->of.n_nodes, each, (int)l->of.gpus_per_node);
    }
}

void rs_launch_where(const rs_launched *l, char out[RS_VARIABLE_TEXT]) {
    if (l->of.init == RS_INIT_FILE) {
        snprintf(out, RS_VARIABLE_TEXT, "file:///shared/meeting");
    } else {
        snprintf(out, RS_VARIABLE_TEXT, "tcp://node0:%d", RS_MASTER_PORT);
    }
}
