// The native runtime, part 1: the threads, which live as long as the process and share out the units of a launch.
//
// The calling thread works too. It starts alone and wakes the others only when the launch turns out to be worth it, so
// that a small kernel costs no more than a call. One launch at a time has a pool's threads; a second one waits. The device
// has one pool, each of its sub-devices another.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

namespace ocl {
namespace host {

// What a work-item failed of: runtime/host/faults.py has the same.
struct fault {
    size signal, address;
    size overrun;     // 1 if it was the stack that the work-item overran
    size no_address;  // 1 if the processor told of no address: of a vector that is not aligned, or where no memory can be
    size known;       // 1 if `global_ids` are those of the work-item: in programs built in debug mode
    size global_ids[3];
};

static thread_local fault last_fault;

struct company;

struct job {
    int threads;
    const launch *what;
    chunk *run;
    size units, grain, next;
    int failed;      // 1 from the first fault on, which is in `failure`: no more units begin
    fault failure;
    company *together;  // whose units may wait for each other (waiting.cpp)
};

struct thread_pool {
    pthread_mutex_t launching, mutex;
    pthread_cond_t work, finished;
    pid_t process;   // the process whose threads these are: after a fork there are none
    int wanted, running;
    job *current;
    unsigned long long jobs;
    int inside;      // threads that work on the current job
};

constexpr thread_pool idle = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
                       0, 1, 0, nullptr, 0, 0};
static thread_pool whole = idle;
// Whose threads the calling thread's launches get: the whole device's, unless it chose a sub-device's.
static thread_local thread_pool *chosen = &whole;

constexpr long worth_waking_ns = 20000;

// Local memory of one work-group at a time: each thread has its own, which grows as launches ask for it.
static thread_local struct { unsigned char *base; size capacity; } local_memory_of_thread;

static unsigned char *local_memory(size bytes) {
    auto &own = local_memory_of_thread;
    if (own.capacity < bytes) {
        free(own.base);
        own.base = nullptr;
        own.capacity = 0;
        if (posix_memalign((void **)&own.base, 128, bytes)) {
            fprintf(stderr, "cl2cuda: no memory for %zu bytes of local memory\n", bytes);
            abort();
        }
        own.capacity = bytes;
    }
    return own.base;
}

// What a thread has at hand while it runs a kernel: where it goes on after a fault (faults.cpp), and the ids of its work-item in debug
// mode. Division by zero is caught (division.cpp) only in such threads.
struct risk {
    jmp_buf place;
    job *of;
    const char *name;  // the kernel's, and its function: for the last words, when the job itself may have been overwritten
    const void *function;
    const size *ids;
    floating_point program;  // how the thread computes outside of kernels
};

// Each thread's risk. No thread_local variable: handlers of signals look at it, where a thread's first look may allocate memory.
static pthread_key_t risk_key;

static risk *at_risk() { return (risk *)pthread_getspecific(risk_key); }

// Runs units such that a fault in them ends no more than the launch (faults.cpp).
static void run_guarded(job &, size first, size last, unsigned char *local);

static void run_units(job &j, size first, size last) { run_guarded(j, first, last, local_memory(j.what->dynamic_local)); }

// Large pieces first, small ones towards the end, so that the threads end together.
static bool take(job &j, size *first, size *last) {
    size next = __atomic_load_n(&j.next, __ATOMIC_RELAXED);
    while (next < j.units && !__atomic_load_n(&j.failed, __ATOMIC_RELAXED)) {
        size left = j.units - next, piece = left / (4 * (size)j.threads);
        piece = piece < j.grain ? j.grain : piece;
        piece = piece < left ? piece : left;
        if (__atomic_compare_exchange_n(&j.next, &next, next + piece, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            *first = next;
            *last = next + piece;
            return true;
        }
    }
    return false;
}

static void work_on(job &j) {
    size first, last;
    while (take(j, &first, &last))
        run_units(j, first, last);
}

static void *worker(void *of) {
    thread_pool &pool = *(thread_pool *)of;
    unsigned long long seen = 0;
    pthread_mutex_lock(&pool.mutex);
    for (;;) {
        while (!pool.current || pool.jobs == seen)
            pthread_cond_wait(&pool.work, &pool.mutex);
        job &j = *pool.current;
        seen = pool.jobs;
        pool.inside++;
        pthread_mutex_unlock(&pool.mutex);
        work_on(j);
        pthread_mutex_lock(&pool.mutex);
        if (--pool.inside == 0)
            pthread_cond_signal(&pool.finished);
    }
}

// A thread leaves the process's signals to the threads that know of them, all but those that it raises itself.
static bool start_thread(void *(*body)(void *), void *of) {
    const int raised[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (int own : raised)
        sigdelset(&blocked, own);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    const bool started = !pthread_create(&thread, &attributes, body, of);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return started;
}

static void start_workers(thread_pool &pool) {
    while (pool.running < pool.wanted - 1 && start_thread(worker, &pool))
        pool.running++;
}

static void forget_threads_of_the_parent(thread_pool &pool) {
    int wanted = pool.wanted;
    pool = idle;
    pool.wanted = wanted;
    pool.process = getpid();
}

static void work_together(thread_pool &pool, job &j) {
    pthread_mutex_lock(&pool.launching);
    pthread_mutex_lock(&pool.mutex);
    start_workers(pool);
    pool.current = &j;
    pool.jobs++;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.mutex);
    work_on(j);
    pthread_mutex_lock(&pool.mutex);
    pool.current = nullptr;
    while (pool.inside)
        pthread_cond_wait(&pool.finished, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
    pthread_mutex_unlock(&pool.launching);
}

static long now_ns() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

// Whether the other units, of which `done` have taken so long, are worth other threads.
static bool is_worth_waking(long took, size done, size left) { return (double)took * left >= (double)worth_waking_ns * done; }

}
}

extern "C" void ocl_host_threads(int count) { ocl::host::whole.wanted = count < 1 ? 1 : count; }

// A pool of its own for a sub-device, as long as the process lives: its threads do, too.
extern "C" void *ocl_host_thread_pool(int threads) {
    auto *own = (ocl::host::thread_pool *)malloc(sizeof(ocl::host::thread_pool));  // `new` is in the library of C++, which not every compiler links
    if (own) {
        *own = ocl::host::idle;
        own->wanted = threads;
    }
    return own;
}

// From now on launches of the calling thread run on this pool's threads; on the whole device's for a null pointer.
extern "C" void ocl_host_choose(void *own) {
    ocl::host::chosen = own ? (ocl::host::thread_pool *)own : &ocl::host::whole;
}

static void ocl_host_catch_division();
static void ocl_host_catch_faults();

extern "C" int ocl_host_parallel(const ocl::host::launch *what, ocl::host::size units, ocl::host::size grain, ocl::host::chunk *run) {
    using namespace ocl::host;
    thread_pool &pool = *chosen;
    job j = {pool.wanted, what, run, units, grain, 0, 0, {}, nullptr};
    if (!units)
        return 0;
    ocl_host_catch_faults();
    ocl_host_catch_division();
    if (pool.process != getpid())
        forget_threads_of_the_parent(pool);
    long start = now_ns();
    size probe = grain < units ? grain : units;
    run_units(j, 0, probe);
    j.next = probe;
    if (pool.wanted == 1 || !is_worth_waking(now_ns() - start, probe, units - probe))
        work_on(j);
    else
        work_together(pool, j);
    if (j.failed)
        last_fault = j.failure;
    return j.failed;
}
