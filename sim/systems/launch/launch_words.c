/* launch_words.c: the commands that start a job, and what each process then finds in its
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
#include "ringsim_launch.h"

#include <stdio.h>
#include <string.h>

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
