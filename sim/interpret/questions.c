/* questions.c: asks a program's functions, as lessons/driver asks those that a compiler made.
 *
 *     question: "schedule 5 0 0", "average 2 0.5 0.25 10 30"       answer: the rows that the driver writes
 *
 *   - The table says of what a call is made: . a number of the question, < an array of them, > an array that the
 *     function writes. Behind an array stands its length: n the first number, m the second, p their product,
 *     q the first one squared, l as many as there may be; behind what is written, what is there before: z zeros,
 *     u bytes of 0x55 and m -1, of which u has not been written.
 */
#include "runner.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, MOST_SENDS = 64, MOST_RANKS = 4096, SEND_FIELDS = 4 };

/* One question under way. */
typedef struct asking {
    rs_runner *run;
    const char *at; /* of the question */
    rs_write write;
    void *context;
    bool is_none; /* it is no question */
} asking;

static const struct {
    const char *function, *arguments;
    bool tells; /* what the function returns; else only what it writes */
} kinds[] = {{"average", ".<n<n", true},
             {"sampler_indices", "...>lu", true},
             {"reduce_values", "..<m", true},
             {"reduce", "..<p>mu", false},
             {"naive_seconds", "....", true},
             {"ring_seconds", "....", true},
             {"half_latency_bytes", "...", true},
             {"choose", "....", true},
             {"world_size", "...", true},
             {"node_of", "...", true},
             {"local_rank", "...", true},
             {"first_gpu", "...", true},
             {"plan_calls", ".<n>nz", false},
             {"make_buckets", ".<n..>nu", true},
             {"exchange_end", ".<n<n", true},
             {"ring_order", ".<q>nz", false},
             {"ring_sum", "..<n", true},
             {"keeps_order", "....", true},
             {"what_to_set", ".....", true},
             {"algbw", "..", true},
             {"busbw", "...", true},
             {"flow_ends", ".<n.>nm", false},
             {"zero_kept", "...", true},
             {"zero_sent", "...", true},
             {"choose_way", ".<n<n.", true},
             {"bus_factor", "..", true},
             {"buckets_sent", ".<n<n", true},
             {"join_calls", ".<n..", true}};

static bool stopped(const asking *q) {
    return q->is_none || q->run->fault.status != RS_OK;
}

static rs_c_value next_number(asking *q, const rs_c_type *type) {
    char *end;
    rs_c_value value = {{0}};
    if (type->kind == RS_C_INT)
        value.i = strtoll(q->at, &end, 10);
    else
        value.d = strtod(q->at, &end);
    if (type->kind == RS_C_FLOAT) value.d = (float)value.d;
    q->is_none = q->is_none || end == q->at ||
                 (type->kind == RS_C_INT && (value.i < INT32_MIN || value.i > INT32_MAX));
    q->at = end;
    return value;
}

static int64_t next_int(asking *q, int64_t most) {
    const int64_t i = next_number(q, &rs_c_int).i;
    if (i < 0 || i > most) q->is_none = true;
    return q->is_none ? 0 : i;
}

static void put_row(const asking *q, const rs_answer_row row) {
    q->write(q->context, (const char *)row, sizeof(rs_answer_row));
}

static void say(const asking *q, const rs_c_type *type, rs_c_value value) {
    const double number = type->kind == RS_C_INT ? (double)value.i : value.d;
    rs_answer_row row = {RS_ANSWER_NUMBER};
    memcpy(row + 1, &number, sizeof number);
    put_row(q, row);
}

/* ------------------------------------------------------------------ single functions */

static int64_t length_of(char letter, const rs_c_value numbers[2]) {
    const int64_t a = numbers[0].i, b = numbers[1].i;
    if (letter == 'l') return MOST;
    if (letter == 'm') return b;
    if (letter == 'n' || a < 0 || a > MOST) return a;
    return letter == 'q' ? a * a : b >= 0 && b <= MOST ? a * b : -1;
}

/* Makes an array for the function; NULL: not so long. */
static rs_c_cell *make_array(asking *q, const rs_c_type *of, int64_t n, const char *before,
                             rs_c_value *pointer) {
    rs_c_cell *cells = n >= 0 && n <= MOST ? rs_c_take_cells(q->run, (int32_t)n, pointer) : NULL;
    const int64_t start = *before == 'u' ? 0x55555555 : *before == 'm' ? -1 : 0;
    if (cells == NULL) q->is_none = true;
    for (int64_t i = 0; i < n && cells != NULL; i++) {
        cells[i].is_set = *before != 'u';
        cells[i].value = *before == '\0' ? next_number(q, of) : (rs_c_value){.i = start};
        if (*before != '\0' && of->kind != RS_C_INT) cells[i].value.d = (double)start;
    }
    return cells;
}

static void ask_function(asking *q, const rs_c_function *f, const char *arguments, bool tells) {
    rs_c_value values[RS_C_PARAMETERS], numbers[2] = {{{0}}};
    const rs_c_cell *written = NULL;
    int64_t n_written = 0;
    int n = 0, n_numbers = 0;
    for (const char *at = arguments; *at != '\0' && !stopped(q); at++, n++) {
        const rs_c_type *type = f->parameters[n];
        if (*at == '.') {
            values[n] = next_number(q, type);
            if (n_numbers < 2) numbers[n_numbers++] = values[n];
            continue;
        }
        const bool writes = *at == '>';
        const int64_t length = length_of(*++at, numbers);
        const rs_c_cell *cells = make_array(q, type->of, length, writes ? ++at : "", &values[n]);
        if (writes) written = cells, n_written = length;
    }
    if (stopped(q)) return;
    const rs_c_value value = rs_c_run(q->run, f, values, 0);
    if (tells && !stopped(q)) say(q, f->type, value);
    /* the sampler tells how many */
    if (arguments[0] == '.' && n_written == MOST) n_written = value.i <= MOST ? value.i : 0;
    for (int64_t i = 0; i < n_written && !stopped(q); i++)
        say(q, f->parameters[n - 1]->of, written[i].value);
}

/* Both are asked several times for one question. */
static void ask_ranges(asking *q, const rs_c_function *f) {
    const int64_t count = next_number(q, &rs_c_int).i, n = next_int(q, MOST_RANKS);
    rs_c_value first, length;
    rs_c_cell *a = rs_c_take_cells(q->run, 1, &first), *b = rs_c_take_cells(q->run, 1, &length);
    if (a == NULL || b == NULL) q->is_none = true;
    for (int64_t c = 0; c < n && !stopped(q); c++) {
        const rs_c_value values[] = {{.i = count}, {.i = n}, {.i = c}, first, length};
        *a = *b = (rs_c_cell){.value = {.i = -1}, .is_set = true};
        rs_c_run(q->run, f, values, 0);
        say(q, &rs_c_int, a->value);
        say(q, &rs_c_int, b->value);
    }
}

static void ask_reducers(asking *q, const rs_c_function *f) {
    const rs_c_value n = next_number(q, &rs_c_int);
    const int64_t count = next_int(q, MOST);
    for (int64_t i = 0; i < count && !stopped(q); i++) {
        const rs_c_value values[] = {next_number(q, &rs_c_int), n};
        if (!stopped(q)) say(q, f->type, rs_c_run(q->run, f, values, 0));
    }
}

/* ------------------------------------------------------------------ schedules */

typedef struct asked_plan {
    const rs_c_function *send_chunk, *send_to, *sends;
    int32_t n, n_steps, n_chunks;
    rs_c_value out; /* sends() writes there */
    rs_c_cell *cells;
} asked_plan;

/* Both write what a rank sends and return how many messages that are; whether the run was stopped is for who asks. */
static int64_t ask_ring(asking *q, const asked_plan *p, int32_t step, int32_t rank,
                        rs_answer_row rows[]) {
    const rs_c_value place[] = {{.i = rank}, {.i = p->n}},
                     asked[] = {{.i = step}, {.i = rank}, {.i = p->n}};
    const int64_t to =
        p->send_to != NULL ? rs_c_run(q->run, p->send_to, place, 0).i : (rank + 1) % p->n;
    const int64_t chunk = stopped(q) ? 0 : rs_c_run(q->run, p->send_chunk, asked, 0).i;
    const rs_answer_row row = {step, rank, (int32_t)to, (int32_t)chunk, 1, step >= p->n - 1};
    memcpy(rows[0], row, sizeof row);
    return 1;
}

static int64_t ask_any(asking *q, const asked_plan *p, int32_t step, int32_t rank,
                       rs_answer_row rows[]) {
    const rs_c_value asked[] = {{.i = step}, {.i = rank}, {.i = p->n}, p->out};
    for (int i = 0; i < MOST_SENDS * SEND_FIELDS; i++) p->cells[i] = (rs_c_cell){.is_set = true};
    const int64_t count = rs_c_run(q->run, p->sends, asked, 0).i;
    for (int64_t i = 0; i < count && i < MOST_SENDS; i++) {
        int32_t *row = rows[i];
        row[0] = step, row[1] = rank;
        for (int k = 0; k < SEND_FIELDS; k++)
            row[2 + k] = (int32_t)p->cells[i * SEND_FIELDS + k].value.i;
        if (row[4] == 0) row[4] = 1;
        row[5] = row[5] != 0;
    }
    return count;
}

static bool is_message(const asked_plan *p, const rs_answer_row m) {
    const int32_t least = p->sends == NULL ? 1 - p->n_chunks : 0; /* see ask_schedule.c */
    return m[2] >= 0 && m[2] < p->n && m[2] != m[1] && m[3] >= least && m[4] >= 0 &&
           m[3] < p->n_chunks && m[4] <= p->n_chunks - m[3];
}

static void say_plan(asking *q, const asked_plan *p, bool backwards) {
    rs_answer_row rows[MOST_SENDS];
    for (int32_t i = 0; i < p->n_steps * p->n; i++) {
        const int32_t at = backwards ? p->n_steps * p->n - 1 - i : i, step = at / p->n,
                      rank = at % p->n;
        const int64_t count = (p->sends != NULL ? ask_any : ask_ring)(q, p, step, rank, rows);
        if (stopped(q)) return;
        if (count < 0 || count > MOST_SENDS)
            return put_row(q, (rs_answer_row){RS_ANSWER_COUNT, step, rank, (int32_t)count});
        for (int64_t k = 0; k < count; k++) {
            const int32_t *row = rows[backwards ? count - 1 - k : k];
            put_row(q, row);
            if (!is_message(p, row)) return;
        }
    }
}

static int32_t ask_size(asking *q, const char *function, int32_t otherwise, int32_t n) {
    const rs_c_function *f = rs_c_find_function(q->run->program, function);
    return f != NULL ? (int32_t)rs_c_run(q->run, f, (const rs_c_value[]){{.i = n}}, 0).i
                     : otherwise;
}

static void ask_schedule(asking *q) {
    const rs_program *program = q->run->program;
    asked_plan p = {.send_chunk = rs_c_find_function(program, "send_chunk"),
                    .send_to = rs_c_find_function(program, "send_to"),
                    .sends = rs_c_find_function(program, "sends")};
    p.n = (int32_t)next_int(q, MOST_RANKS);
    const bool first_only = next_int(q, 1) != 0, backwards = next_int(q, 1) != 0;
    if (stopped(q)) return;
    if (p.send_chunk == NULL && p.sends == NULL)
        return put_row(q, (rs_answer_row){RS_ANSWER_MISSING});
    p.cells = rs_c_take_cells(q->run, MOST_SENDS * SEND_FIELDS, &p.out);
    if (p.cells == NULL || p.n < 1) {
        q->is_none = true;
        return;
    }
    p.n_chunks = p.n;
    p.n_steps = first_only ? p.n - 1 : 2 * (p.n - 1);
    if (p.sends != NULL) p.n_chunks = ask_size(q, "chunks", p.n_chunks, p.n);
    if (p.sends != NULL && !first_only && !stopped(q))
        p.n_steps = ask_size(q, "steps", p.n_steps, p.n);
    if (stopped(q)) return;
    put_row(q, (rs_answer_row){RS_ANSWER_SIZES, p.n_chunks, p.n_steps, p.sends == NULL});
    if (p.n_steps >= 0 && p.n_steps <= RS_ANSWER_STEPS && p.n_chunks >= 1 &&
        p.n_chunks <= RS_ANSWER_CHUNKS)
        say_plan(q, &p, backwards);
}

/* ------------------------------------------------------------------ any */

static void ask(asking *q, const char *name) {
    const rs_c_function *f = rs_c_find_function(q->run->program, name);
    if (strcmp(name, "schedule") == 0) return ask_schedule(q);
    const bool ranges = strcmp(name, "chunk_range") == 0,
               reducers = strcmp(name, "reducer_of") == 0;
    size_t i = 0;
    while (i < sizeof kinds / sizeof kinds[0] && strcmp(kinds[i].function, name) != 0) i++;
    if (i == sizeof kinds / sizeof kinds[0] && !ranges && !reducers) {
        q->is_none = true;
    } else if (f == NULL) {
        put_row(q, (rs_answer_row){RS_ANSWER_MISSING});
    } else if (ranges) {
        ask_ranges(q, f);
    } else if (reducers) {
        ask_reducers(q, f);
    } else {
        ask_function(q, f, kinds[i].arguments, kinds[i].tells);
    }
}

static void begin(rs_runner *run, rs_error *error) {
    run->fault = rs_c_no_fault(error);
    run->top = run->frame = run->program->n_globals;
    run->steps_left = 0;
    run->steps_beyond = run->limits.n_steps;
}

rs_status rs_runner_ask(rs_runner *run, const char *question, rs_write write, void *context,
                        rs_error *error) {
    char name[32];
    const size_t n = strcspn(question, " \n");
    asking q = {.run = run, .at = question + n, .write = write, .context = context};
    begin(run, error);
    if (n >= sizeof name) return RS_UNSUPPORTED;
    memcpy(name, question, n);
    name[n] = '\0';
    ask(&q, name);
    if (!stopped(&q)) put_row(&q, (rs_answer_row){RS_ANSWER_END});
    if (run->said.write != NULL) rs_printer_flush(&run->said);
    if (!q.is_none) return run->fault.status;
    rs_c_no_fault(error);
    return RS_UNSUPPORTED;
}

rs_status rs_runner_watch(rs_runner *run, int32_t step, int32_t rank, int32_t n,
                          rs_watched *watched, rs_error *error) {
    const rs_c_function *f = rs_c_find_function(run->program, "send_chunk");
    const bool lists = f == NULL;
    rs_c_value values[] = {{.i = step}, {.i = rank}, {.i = n}, {{0}}};
    if (lists) f = rs_c_find_function(run->program, "sends");
    *watched = (rs_watched){.n_lines = run->program->n_lines};
    if (watched->n_lines > RS_MOST_WATCHED) watched->n_lines = RS_MOST_WATCHED;
    begin(run, error);
    if (f == NULL) return RS_UNSUPPORTED;
    rs_c_cell *cells = rs_c_take_cells(run, MOST_SENDS * SEND_FIELDS, &values[3]);
    if (cells == NULL) {
        rs_c_blame(&run->fault, RS_UNSUPPORTED, 0, N_("'%s' needs more memory than there is"),
                   rs_c_named(f->name).text);
        return run->fault.status;
    }
    for (int i = 0; i < MOST_SENDS * SEND_FIELDS; i++) cells[i] = (rs_c_cell){.is_set = true};
    run->watched = watched;
    memcpy(watched->code, run->program->code, sizeof watched->code);
    watched->returned = rs_c_run(run, f, values, 0).i;
    run->watched = NULL;
    return run->fault.status;
}
