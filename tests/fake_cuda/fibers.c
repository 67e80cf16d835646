/* fibers.c: stacks of their own for the device's threads, and the change from one to another.
 *
 *     the host's stack --- enter ---> fiber --- pass on ---> fiber --- leave ---> the host's stack
 *
 *   - A fiber is taken with a function that never returns. Given back while it idles, it goes on there
 *     when it is taken again; else it forgets what it was doing, and begins anew.
 *   - On x86-64 the change is a dozen instructions; elsewhere ucontext does it, at two system calls each.
 *   - An address sanitizer is told of every change.
 */
#include "inside.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 128 << 10 };
#else
enum { STACK_BYTES = 32 << 10 };
#endif
enum { STACKS_A_SLAB = 64 };
static const unsigned char canary[16] = "end of a stack!";

struct emu_fiber {
    emu_fiber *next; /* of those that are free */
    char *stack;
    emu_body *body;
#ifdef __x86_64__
    void *sp;
#else
    ucontext_t context;
#endif
    void *fake;   /* the sanitizer's, which is dear: kept as long as the fiber */
    bool forgets; /* it was in the midst of something when it was given back */
};
static emu_fiber *idle, *now;
static emu_fiber host; /* whoever entered */
#ifdef SANITIZED
static const void *host_bottom;
static size_t host_size;
static bool host_left; /* in the last change */

/* Behind a change: to be called on the stack that was changed to. */
static void arrive(emu_fiber *here) {
    const void *bottom = NULL; /* of the stack that was left */
    size_t size = 0;
    __sanitizer_finish_switch_fiber(here->fake, &bottom, &size);
    if (!host_left) return;
    host_bottom = bottom;
    host_size = size;
}
#endif

#ifdef __x86_64__
/* Puts away what a called function must keep, and takes up what the other side put away. */
void emu_switch(void **from, void *to);
__asm__(
    ".text\n"
    ".globl emu_switch\n"
    ".type emu_switch, @function\n"
    "emu_switch:\n"
    "    endbr64\n"
    "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
    "    ret\n"
    ".size emu_switch, .-emu_switch\n");
#endif

/* Goes over from one to the other; comes back when somebody goes over to `from`. */
static void change(emu_fiber *from, emu_fiber *to) {
#ifdef SANITIZED
    host_left = from == &host;
    __sanitizer_start_switch_fiber(&from->fake, to == &host ? host_bottom : to->stack,
                                   to == &host ? host_size : STACK_BYTES);
#endif
#ifdef __x86_64__
    emu_switch(&from->sp, to->sp);
#else
    swapcontext(&from->context, &to->context);
#endif
#ifdef SANITIZED
    arrive(from);
#endif
}

static void begin(void) {
#ifdef SANITIZED
    arrive(now);
#endif
    now->body();
    abort();
}

static bool more(void) {
    char *slab = mmap(NULL, (size_t)STACK_BYTES * STACKS_A_SLAB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    emu_fiber *fibers = calloc(STACKS_A_SLAB, sizeof *fibers);
    if (slab == MAP_FAILED || fibers == NULL) return false;
    for (int i = 0; i < STACKS_A_SLAB; i++) {
        fibers[i].stack = slab + (size_t)i * STACK_BYTES;
        fibers[i].next = idle;
        idle = &fibers[i];
    }
    return true;
}

emu_fiber *emu_fiber_take(emu_body *body) {
    if (idle == NULL && !more()) {
        fprintf(stderr, "emulated device: no memory for the stacks of its threads\n");
        abort();
    }
    emu_fiber *fiber = idle;
    idle = fiber->next;
    if (fiber->body == body && !fiber->forgets) return fiber;
    fiber->body = body;
#ifdef SANITIZED
    __asan_unpoison_memory_region(fiber->stack,
                                  STACK_BYTES); /* whoever had it may not have ended */
#endif
    memcpy(fiber->stack, canary, sizeof canary);
#ifdef __x86_64__
    void (*entry)(void) = begin;
    char *top = fiber->stack + STACK_BYTES - 16; /* an address to return to, and none behind it */
    memset(top - 48, 0, 64);
    memcpy(top, &entry, sizeof entry);
    fiber->sp = top - 48;
#else
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK_BYTES;
    fiber->context.uc_link = NULL;
    makecontext(&fiber->context, begin, 0);
#endif
    return fiber;
}

void emu_fiber_give(emu_fiber *fiber, bool idles) {
    assert(fiber != now);
    fiber->forgets = !idles;
    if (memcmp(fiber->stack, canary, sizeof canary) != 0) {
        fprintf(stderr, "emulated device: a thread's stack of %d bytes is too small\n",
                STACK_BYTES);
        abort();
    }
    fiber->next = idle;
    idle = fiber;
}

void emu_fiber_enter(emu_fiber *fiber) {
    assert(now == NULL);
    now = fiber;
    change(&host, fiber);
    now = NULL;
}

void emu_fiber_pass_on(emu_fiber *next) {
    emu_fiber *here = now;
    now = next;
    change(here, next);
}

void emu_fiber_leave(void) {
    change(now, &host);
}

emu_fiber *emu_fiber_now(void) {
    return now;
}

void emu_fiber_prefetch(const emu_fiber *fiber) {
    enum { LINE = 64, LINES = 4 };
#ifdef __x86_64__
    for (int i = 0; i < LINES; i++) __builtin_prefetch((const char *)fiber->sp + i * LINE);
#else
    (void)fiber;
#endif
}
