// The native runtime, part 6: launches whose work-groups may wait for each other, in loops that end by what others do
// (translator/ir/item_loops/waiting.py finds those loops).
//
// OpenCL promises none of them that the others make progress. GPUs run as many side by side as they have room for, in the order of
// their numbers, and programs count on it. So here: units begin one by one in that order, and for each that is found waiting another
// thread begins the next one. The threads are this part's own, kept for the next launch, so launches may wait for each other, too.

#include <sched.h>

namespace ocl {
namespace host {

constexpr int most_threads = 512;               // of a launch
constexpr long known_waiting_ns = 10000;        // who has waited so long is no longer counted among those that work
constexpr long awake_ns = 200000;               // who waits longer sleeps in between, so that those who work have the processor
constexpr long shortest_sleep_ns = 20000;       // the longest grows with those that sleep: to wake many takes the processor, too
constexpr long longest_sleep_ns = 500000, sleep_for_each_ns = 20000;
constexpr long longest_wait_ns = 50000000;      // between two calls
constexpr long look_again_ns = 20000000;
constexpr long present_ns = 1000000000;         // who has not called for so long does something else

static long patience_ns;

// A thread of a launch. The others read `idle_for` and `last`.
struct member {
    member *next;
    bool counted;      // among those that wait
    long last;         // when it called last
    long waited;       // for how long its latest loop has been waiting
    long idle_for;     // the same, where it did nothing else
};

struct company {
    job work;
    member *members;
    int count, asked, waiting;  // threads that are there, or are asked to come; those asked; those that wait
    company *next;              // that asks for threads, too
    long looked;                // when a thread last looked whether all wait
};

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t asked, left;
    pid_t process;
    int resting, wanted;  // threads without a launch; how many are asked for
    company *asking;
} crew = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, nullptr};

static thread_local member own_member;

template<class T> static inline T seen(const T &value) { return __atomic_load_n(&value, __ATOMIC_RELAXED); }
template<class T> static inline void show(T &place, T value) { __atomic_store_n(&place, value, __ATOMIC_RELAXED); }

static bool has_units(company &c) { return seen(c.work.next) < c.work.units && !seen(c.work.failed); }

static int working(company &c) { return seen(c.count) - seen(c.waiting); }

static void enter(company &c, member &self) {
    self = {c.members, false, 0, 0, 0};
    c.members = &self;
}

static void leave(company &c, member &self) {
    member **place = &c.members;
    while (*place != &self)
        place = &(*place)->next;
    *place = self.next;
    show(c.count, c.count - 1);
}

static void end_unit(company &c, member &self) {
    if (self.counted)
        __atomic_fetch_sub(&c.waiting, 1, __ATOMIC_RELAXED);
    self.counted = false;
    self.waited = 0;
    show(self.idle_for, 0L);
}

// Runs units until there are none, or more threads work than the device has. Called with the crew's mutex, which it gives back while a unit
// runs: who leaves is not counted any more when the next one decides.
static void take_turns(company &c, member &self) {
    while (has_units(c) && working(c) <= c.work.threads) {
        const size unit = __atomic_fetch_add(&c.work.next, 1, __ATOMIC_RELAXED);
        if (unit >= c.work.units)
            break;
        pthread_mutex_unlock(&crew.mutex);
        run_units(c.work, unit, unit + 1);
        pthread_mutex_lock(&crew.mutex);
        end_unit(c, self);
    }
}

static void *crew_thread(void *) {
    pthread_mutex_lock(&crew.mutex);
    for (;;) {
        while (!crew.asking) {
            crew.resting++;
            pthread_cond_wait(&crew.asked, &crew.mutex);
            crew.resting--;
        }
        company &c = *crew.asking;
        crew.wanted--;
        if (--c.asked == 0)
            crew.asking = c.next;
        enter(c, own_member);
        take_turns(c, own_member);
        leave(c, own_member);
        pthread_cond_broadcast(&crew.left);
    }
}

static void take_back(company &c, int threads) {
    if (!threads)
        return;
    company **place = &crew.asking;
    while (*place != &c)
        place = &(*place)->next;
    if (!(c.asked -= threads))
        *place = c.next;
    crew.wanted -= threads;
    show(c.count, c.count - threads);
}

// One more thread for the launch; false if there can be none. Called with the mutex.
static bool ask(company &c) {
    if (c.count >= most_threads)
        return false;
    show(c.count, c.count + 1);
    crew.wanted++;
    if (!c.asked++) {
        c.next = crew.asking;
        crew.asking = &c;
    }
    if (crew.resting >= crew.wanted)
        pthread_cond_signal(&crew.asked);
    else if (!start_thread(crew_thread, nullptr)) {
        take_back(c, 1);
        return false;
    }
    return true;
}

// Whether all threads of the launch have been waiting for longer than one has patience, and no unit can begin. Called with the mutex.
static bool is_stuck(company &c) {
    if (c.asked || (has_units(c) && ask(c)))
        return false;
    const long now = now_ns();
    for (member *m = c.members; m; m = m->next)
        if (seen(m->idle_for) < patience_ns || now - seen(m->last) > present_ns)
            return false;
    return true;
}

static void rest(company &c, long waited) {
    const long longest = longest_sleep_ns + seen(c.waiting) * sleep_for_each_ns;
    long ns = waited / 4;
    ns = ns < shortest_sleep_ns ? shortest_sleep_ns : ns > longest ? longest : ns;
    const timespec time = {0, ns};
    nanosleep(&time, nullptr);
}

// A process that was stopped meanwhile has not waited all that time.
static void add_wait(member &self, long ns, bool idle) {
    ns = ns < longest_wait_ns ? ns : longest_wait_ns;
    self.waited += ns;
    show(self.idle_for, idle ? self.idle_for + ns : 0L);
}

// Who begins to wait has got what it waited for before.
static void come_by(member &self, bool idle, bool begins) {
    const long now = now_ns(), since = now - self.last;
    if (begins) {
        self.waited = 0;
        show(self.idle_for, 0L);
    } else {
        add_wait(self, since, idle);
    }
    show(self.last, now);
}

static void wait_for_others(company &c, member &self, bool idle) {
    if (self.waited > known_waiting_ns) {
        if (!self.counted)
            __atomic_fetch_add(&c.waiting, 1, __ATOMIC_RELAXED);
        self.counted = true;
        if (has_units(c) && working(c) < c.work.threads) {
            pthread_mutex_lock(&crew.mutex);
            if (has_units(c) && working(c) < c.work.threads)
                ask(c);
            pthread_mutex_unlock(&crew.mutex);
        }
    }
    if (idle && self.waited > awake_ns)
        rest(c, self.waited);
    else
        sched_yield();
    if (patience_ns && self.idle_for > patience_ns && self.last - seen(c.looked) > look_again_ns) {
        show(c.looked, self.last);
        pthread_mutex_lock(&crew.mutex);
        if (is_stuck(c))
            __atomic_store_n(&c.work.failed, 1, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&crew.mutex);
    }
}

static void forget_crew_of_the_parent() {
    if (crew.process != getpid())
        crew = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, getpid(), 0, 0, nullptr};
}

}
}

extern "C" void ocl_host_patience(long seconds) { ocl::host::patience_ns = seconds * 1000000000L; }

extern "C" void ocl_host_give_way(bool idle, bool begins) {
    using namespace ocl::host;
    risk *here = at_risk();
    if (!here)
        return;
    company *c = here->of->together;
    if (c)
        come_by(own_member, idle, begins);
    if (pass_turn())
        return;
    if (seen(here->of->failed))
        _longjmp(here->place, 1);
    if (c)
        wait_for_others(*c, own_member, idle);
    else
        sched_yield();
}

extern "C" int ocl_host_together(const ocl::host::launch *what, ocl::host::size units, ocl::host::chunk *run) {
    using namespace ocl::host;
    if (!units)
        return 0;
    company c = {{chosen->wanted, what, run, units, 1, 1, 0, {}, &c}, nullptr, 1, 0, 0, nullptr, 0};
    member &self = own_member;
    ocl_host_catch_faults();
    ocl_host_catch_division();
    forget_crew_of_the_parent();
    pthread_mutex_lock(&crew.mutex);
    enter(c, self);
    pthread_mutex_unlock(&crew.mutex);
    const long start = now_ns();
    run_units(c.work, 0, 1);
    const long took = now_ns() - start;
    pthread_mutex_lock(&crew.mutex);
    end_unit(c, self);
    if (has_units(c) && is_worth_waking(took, 1, units - 1))
        while (working(c) < c.work.threads && (size)c.count < units && ask(c)) {}
    take_turns(c, self);
    if (!has_units(c))
        take_back(c, c.asked);
    leave(c, self);
    while (c.count)
        pthread_cond_wait(&crew.left, &crew.mutex);
    pthread_mutex_unlock(&crew.mutex);
    if (c.work.failed)
        last_fault = c.work.failure;
    return c.work.failed;
}
