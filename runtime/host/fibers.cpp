// The native runtime, part 2: work-items that meet at barriers. Each runs on a stack of its own, a fiber; the fibers of a
// work-group take turns on one thread, and switching is a few instructions.
//
// A fiber runs items until one of them waits at a barrier; only then is the next fiber needed, so a work-group whose items
// meet no barrier runs on a single one. When every live item waits, the barrier opens and they are resumed in order.
// An item that returns is no longer waited for, and items that wait at different barriers open them together: a barrier
// that some items miss, which OpenCL leaves undefined, never hangs.
//
// Items may also wait for others of their sub-group. When no item can go on, and before a barrier opens, those of each sub-group
// that wait at the same place meet, and are resumed in order: builtins/library/host/sub_groups.cuh says why.

#include <string.h>
#include <sys/mman.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace ocl {
namespace host {

static size stack_size;
constexpr int stacks_in_a_slab = 64;
constexpr int guarded_stacks = 12000;  // each guard page costs two of the kernel's 65,530 mappings
constexpr size page = 4096;            // what a guard takes; rounded up by the kernel where pages are larger

#if defined(__x86_64__) || defined(__aarch64__)

struct context { void *stack_pointer; };

#ifdef __x86_64__

constexpr int resume_word = 0, frame_words = 2;  // the second one keeps the stack as the ABI wants it at a function's entry

// Leaves the place to go on from, and the registers that a clobber list cannot name, on the running stack, which has no red
// zone (native.py). It is inlined, with a jump instead of a return: the processor predicts both that jump and the way back
// into the kernel, since the item that goes on mostly stands where the one that waits does.
[[gnu::always_inline]] static inline void ocl_host_switch(context *from, context *to) {
    asm volatile("pushq %%rbp\n pushq %%rbx\n leaq 1f(%%rip), %%rax\n pushq %%rax\n"
                 "movq %%rsp, (%0)\n movq (%1), %%rsp\n popq %%rax\n jmpq *%%rax\n"
                 "1: popq %%rbx\n popq %%rbp\n"
                 : "+D"(from), "+S"(to)
                 :
                 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3",
                   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

#else

constexpr int resume_word = 11, frame_words = 20;  // x30, the link register

// Saves the callee-saved registers on the running stack, and its pointer in *from; the reverse for `to`.
extern "C" void ocl_host_switch(context *from, context *to) __attribute__((visibility("hidden")));

#define STRINGS(x) #x
#define STRING(x) STRINGS(x)
#define SWITCH STRING(__USER_LABEL_PREFIX__) "ocl_host_switch"

asm(".text\n.globl " SWITCH "\n" SWITCH ":\n"
    "sub sp, sp, #160\n"
    "stp x19, x20, [sp]\n stp x21, x22, [sp, #16]\n stp x23, x24, [sp, #32]\n stp x25, x26, [sp, #48]\n"
    "stp x27, x28, [sp, #64]\n stp x29, x30, [sp, #80]\n"
    "stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
    "mov x2, sp\n str x2, [x0]\n ldr x2, [x1]\n mov sp, x2\n"
    "ldp x19, x20, [sp]\n ldp x21, x22, [sp, #16]\n ldp x23, x24, [sp, #32]\n ldp x25, x26, [sp, #48]\n"
    "ldp x27, x28, [sp, #64]\n ldp x29, x30, [sp, #80]\n"
    "ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
    "add sp, sp, #160\n ret\n");

#endif

static void prepare(context &c, unsigned char *, unsigned char *top, void (*entry)()) {
    void **frame = (void **)top - frame_words;
    for (int i = 0; i < frame_words; i++)
        frame[i] = nullptr;
    frame[resume_word] = (void *)entry;
    c.stack_pointer = frame;
}

#else

typedef ucontext_t context;

static void ocl_host_switch(context *from, context *to) { swapcontext(from, to); }

static void prepare(context &c, unsigned char *bottom, unsigned char *top, void (*entry)()) {
    getcontext(&c);
    c.uc_stack.ss_sp = bottom;
    c.uc_stack.ss_size = (size)(top - bottom);
    c.uc_link = nullptr;
    makecontext(&c, entry, 0);
}

#endif

// What the items that meet see of each other: builtins/library/host/sub_groups.cuh has the same.
struct meeting {
    unsigned active;
    struct { unsigned char bytes[128]; } values[32];
};

// Items of one sub-group that wait for each other: a bit for each, and where, with what.
struct sub_group {
    unsigned waiting;
    int places[32];
    context *fibers[32];
    const void *values[32];
    size bytes[32];
    meeting last;
};

// What the items of a work-group exchange: builtins/library/host/groups.cuh has the same.
struct exchange {
    size arrived;
    unsigned long long values[1];
};

// An item that sleeps in a list; on its own stack.
struct sleeper {
    context *fiber;
    sleeper *before;
};

// The fibers of one thread. `waiting` holds those at a barrier: this round's from `read` to `open`, and, from the start,
// the ones that wait for the next round, which never overtake the reader. A round of items that have met, or that were woken,
// is in `met`; before, those are in `woken`.
struct scheduler {
    context caller, *running, **round, **waiting, **met, **woken, **idle;
    size read, open, written, wakes, idles;
    size meeting;  // items that wait in sub-groups
    size width;    // of the sub-groups
    sub_group *sub_groups;
    exchange *values;
    size items, started;
    const launch *what;
    body *run;
    size *global_ids, *local_ids;  // of the running item, while there is a work-group
    size passed;                   // how often an item has let others run
    size made, capacity;
    unsigned char **slabs;  // of stacks, the newest last
    context *contexts;      // of its stacks
};

static thread_local scheduler scheduler_of_thread;
static int guarded;

// Asked for once in a function: the compiler would rather call for the address again and again than keep it.
[[gnu::always_inline]] static inline scheduler &own_scheduler() {
    scheduler *fibers = &scheduler_of_thread;
    asm("" : "+r"(fibers));
    return *fibers;
}

static void out_of_memory() {
    fprintf(stderr, "cl2cuda: no memory for the stacks of a work-group's items (CL2CUDA_HOST_STACK sets their size)\n");
    abort();
}

static void new_slab(scheduler &fibers) {
    size bytes = stack_size * stacks_in_a_slab;
    void *slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fibers.contexts = (context *)calloc(stacks_in_a_slab, sizeof(context));
    if (slab == MAP_FAILED || !fibers.contexts)
        out_of_memory();
#ifdef MADV_NOHUGEPAGE
    madvise(slab, bytes, MADV_NOHUGEPAGE);  // a stack touches a page or two, not 2 MB
#endif
    size slabs = fibers.made / stacks_in_a_slab;  // the last has been counted already, and is not there yet
    if (!(fibers.slabs = (unsigned char **)realloc(fibers.slabs, (slabs + 1) * sizeof(void *))))
        out_of_memory();
    fibers.slabs[slabs] = (unsigned char *)slab;
}

static void live();

[[gnu::noinline]] static context *new_fiber(scheduler &fibers) {
    size place = fibers.made++ % stacks_in_a_slab;
    if (place == 0)
        new_slab(fibers);
    unsigned char *bottom = fibers.slabs[(fibers.made - 1) / stacks_in_a_slab] + place * stack_size;
    if (__atomic_fetch_add(&guarded, 1, __ATOMIC_RELAXED) < guarded_stacks)
        mprotect(bottom, page, PROT_NONE);
    // Tops that differ modulo the page spread the stacks over the cache's sets.
    prepare(fibers.contexts[place], bottom, bottom + stack_size - place % 32 * 128, live);
    return &fibers.contexts[place];
}

// Those that wait at the first of a sub-group's places, which get each other's values.
static void meet_first(scheduler &fibers, sub_group &g) {
    int place = 0x7fffffff;
    for (int i = 0; i < 32; i++)
        if ((g.waiting >> i & 1) && g.places[i] < place)
            place = g.places[i];
    g.last.active = 0;
    for (int i = 0; i < 32; i++)
        if ((g.waiting >> i & 1) && g.places[i] == place) {
            memcpy(g.last.values[i].bytes, g.values[i], g.bytes[i]);
            g.last.active |= 1u << i;
            fibers.met[fibers.open++] = g.fibers[i];
        }
    g.waiting &= ~g.last.active;
}

[[gnu::noinline]] static void meetings(scheduler &fibers) {
    fibers.round = fibers.met;
    fibers.read = fibers.open = 0;
    for (size i = 0; i * fibers.width < fibers.items; i++)
        if (fibers.sub_groups[i].waiting)
            meet_first(fibers, fibers.sub_groups[i]);
    fibers.meeting -= fibers.open;
}

// Whether all of a sub-group wait for each other: they need not wait for what the rest of the work-group does.
static bool is_full(const scheduler &fibers, size number) {
    const size first = number * fibers.width, lanes = fibers.items - first < fibers.width ? fibers.items - first : fibers.width;
    return fibers.sub_groups[number].waiting == ~0u >> (32 - lanes);
}

static bool has_full_sub_group(const scheduler &fibers) {
    for (size i = 0; fibers.meeting && i * fibers.width < fibers.items; i++)
        if (is_full(fibers, i))
            return true;
    return false;
}

[[gnu::noinline]] static void after_sleep(scheduler &fibers) {
    memcpy(fibers.met, fibers.woken, fibers.wakes * sizeof(context *));
    fibers.round = fibers.met;
    fibers.read = 0;
    fibers.open = fibers.wakes;
    for (size i = 0; fibers.meeting && i * fibers.width < fibers.items; i++)
        if (is_full(fibers, i))
            meet_first(fibers, fibers.sub_groups[i]);
    fibers.meeting -= fibers.open - fibers.wakes;
    fibers.wakes = 0;
}

[[gnu::always_inline]] static inline void next_round(scheduler &fibers) {
    if (fibers.wakes)
        return after_sleep(fibers);
    if (fibers.meeting)
        return meetings(fibers);
    fibers.round = fibers.waiting;
    fibers.open = fibers.written;
    fibers.read = fibers.written = 0;
}

// Gives the thread to the item that is next: one that has not begun, one of this round's, or, when all live ones wait, the
// first of the round that now begins. Without any, the work-group is done.
[[gnu::always_inline]] static inline void switch_from(scheduler &fibers, context *from) {
    if (fibers.started < fibers.items) {
        fibers.running = fibers.idles ? fibers.idle[--fibers.idles] : new_fiber(fibers);
    } else {
        if (fibers.read == fibers.open)
            next_round(fibers);
        fibers.running = fibers.open ? fibers.round[fibers.read++] : &fibers.caller;
    }
    if (fibers.running != from)
        ocl_host_switch(from, fibers.running);
}

static void live() {
    scheduler &fibers = own_scheduler();
    for (;;) {
        context *self = fibers.running;
        while (fibers.started < fibers.items)
            fibers.run(*fibers.what, fibers.started++);
        fibers.idle[fibers.idles++] = self;
        switch_from(fibers, self);
    }
}

static void make_room(scheduler &fibers, size items) {
    fibers.waiting = (context **)realloc(fibers.waiting, items * sizeof(context *));
    fibers.met = (context **)realloc(fibers.met, items * sizeof(context *));
    fibers.woken = (context **)realloc(fibers.woken, items * sizeof(context *));
    fibers.idle = (context **)realloc(fibers.idle, items * sizeof(context *));
    fibers.values = (exchange *)realloc(fibers.values, sizeof(exchange) + items * sizeof(fibers.values->values[0]));
    if (!fibers.waiting || !fibers.met || !fibers.woken || !fibers.idle || !fibers.values)
        out_of_memory();
    free(fibers.sub_groups);
    fibers.sub_groups = nullptr;
    fibers.capacity = items;
}

}
}

// After a fault in a work-item the others of its work-group stand where they were, and will not go on: their stacks are left.
static void abandon_fibers() { ocl::host::own_scheduler() = {}; }

extern "C" void ocl_host_stack(ocl::host::size bytes) { ocl::host::stack_size = (bytes + 0xffff) & ~(ocl::host::size)0xffff; }

extern "C" void ocl_host_group(const ocl::host::launch *what, ocl::host::size items, ocl::host::body *run,
                               ocl::host::size *global_ids, ocl::host::size *local_ids) {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    if (fibers.capacity < items)
        make_room(fibers, items);
    fibers.what = what;
    fibers.run = run;
    fibers.global_ids = global_ids;
    fibers.local_ids = local_ids;
    fibers.items = items;
    fibers.started = fibers.read = fibers.open = fibers.written = fibers.wakes = 0;
    fibers.values->arrived = 0;
    switch_from(fibers, &fibers.caller);
    fibers.global_ids = nullptr;
}

extern "C" void ocl_host_barrier(void) {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    fibers.waiting[fibers.written++] = fibers.running;
    switch_from(fibers, fibers.running);
}

extern "C" void ocl_host_sleep(void **sleepers) {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    sleeper self = {fibers.running, (sleeper *)*sleepers};
    *sleepers = &self;
    switch_from(fibers, fibers.running);
}

// In the order in which they fell asleep.
extern "C" void ocl_host_wake(void **sleepers) {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    size count = 0, i = 0;
    for (sleeper *s = (sleeper *)*sleepers; s; s = s->before)
        count++;
    for (sleeper *s = (sleeper *)*sleepers; s; s = s->before)
        fibers.woken[fibers.wakes + count - ++i] = s->fiber;
    fibers.wakes += count;
    *sleepers = nullptr;
}

// Lets the other items of the work-group run that can; false where there are none, or all of them have had their turns. Who waits at a
// barrier, or for its sub-group, cannot before the caller comes there, too.
static bool pass_turn() {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    if (!fibers.global_ids)
        return false;
    if (fibers.started == fibers.items && fibers.read == fibers.open && !fibers.wakes && !has_full_sub_group(fibers))
        return false;
    size ids[6];
    memcpy(ids, fibers.global_ids, 3 * sizeof(size));
    memcpy(ids + 3, fibers.local_ids, 3 * sizeof(size));
    fibers.woken[fibers.wakes++] = fibers.running;
    switch_from(fibers, fibers.running);
    memcpy(fibers.global_ids, ids, 3 * sizeof(size));
    memcpy(fibers.local_ids, ids + 3, 3 * sizeof(size));
    return ++fibers.passed % fibers.items != 0;
}

static bool on_own_stack(ocl::host::size address) {
    static thread_local ocl::host::size bottom, bytes;
    if (!bytes) {
#ifdef __APPLE__
        bytes = pthread_get_stacksize_np(pthread_self());
        bottom = (ocl::host::size)pthread_get_stackaddr_np(pthread_self()) - bytes;
#else
        pthread_attr_t attributes;
        void *lowest = nullptr;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstack(&attributes, &lowest, &bytes);
            pthread_attr_destroy(&attributes);
        }
        bottom = (ocl::host::size)lowest;
#endif
    }
    return address - bottom < bytes;
}

extern "C" bool ocl_host_on_stack(const volatile void *p) {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    const size address = (size)p, slab = stack_size * stacks_in_a_slab;
    for (size i = 0; i * stacks_in_a_slab < fibers.made; i++)
        if (address - (size)fibers.slabs[i] < slab)
            return true;
    return on_own_stack(address);
}

extern "C" void *ocl_host_exchange(void) { return ocl::host::own_scheduler().values; }

extern "C" const void *ocl_host_meet(ocl::host::size item, unsigned width, int place, const void *value, ocl::host::size bytes) {
    using namespace ocl::host;
    scheduler &fibers = own_scheduler();
    // As many as the smallest sub-groups need: memory that is not touched costs nothing.
    if (!fibers.sub_groups && !(fibers.sub_groups = (sub_group *)calloc((fibers.capacity + 7) / 8, sizeof(sub_group))))
        out_of_memory();
    sub_group &g = fibers.sub_groups[item / width];
    const unsigned lane = item % width;
    g.waiting |= 1u << lane;
    g.places[lane] = place;
    g.fibers[lane] = fibers.running;
    g.values[lane] = value;
    g.bytes[lane] = bytes;
    fibers.width = width;
    fibers.meeting++;
    switch_from(fibers, fibers.running);
    return &g.last;
}
