/* Threads that help with work in parts, of all the process. They sleep until they are invited, or poll for a while where they have just helped:
   programs that copy do so again and again, and to wake a thread takes longer than most copies. None of them knows Python, or calls CUDA. */
#define _GNU_SOURCE
#include "helpers.h"

#include "moves.h"
#include "stream_waits.h"

#include <pthread.h>
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t invited = PTHREAD_COND_INITIALIZER;
static struct work *works;
static int most, started, asleep, polling;
static unsigned calls; /* behind the invitations, for those that poll */
static unsigned forks;

/* From when on the processor is left to others, and then for how long. */
enum { LONG_NS = 2000000, REST_NS = 50000 };

void rest(uint64_t waited_ns)
{
    if (waited_ns < ALONE_NS) {
        relax();
    } else if (waited_ns < LONG_NS) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){ 0, REST_NS }, NULL);
    }
}

/* With the lock, where a thread finds no work: returns when there may be some. */
static void wait_for_call(int has_helped)
{
    if (!has_helped) {
        asleep++;
        pthread_cond_wait(&invited, &lock);
        asleep--;
        return;
    }
    unsigned before = __atomic_load_n(&calls, __ATOMIC_RELAXED);
    polling++;
    pthread_mutex_unlock(&lock);
    for (uint64_t start = now_ns(); __atomic_load_n(&calls, __ATOMIC_RELAXED) == before && now_ns() - start < ALONE_NS;)
        relax();
    pthread_mutex_lock(&lock);
    polling--;
}

static void *help(void *unused)
{
    int has_helped = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    for (;;) {
        struct work *work = works;
        while (work && !work->invitations)
            work = work->next;
        if (!work) {
            wait_for_call(has_helped);
            has_helped = 0;
            continue;
        }
        work->invitations--;
        __atomic_add_fetch(&work->inside, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(&lock);
        work->help(work);
        __atomic_sub_fetch(&work->inside, 1, __ATOMIC_RELEASE); /* The work may be gone from here on. */
        pthread_mutex_lock(&lock);
        has_helped = 1;
    }
    return NULL;
}

/* With the lock. A thread takes no signals: they are for the program's own. */
static int start_helper(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int done = !pthread_create(&thread, NULL, help, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!done)
        return 0;
    pthread_detach(thread);
#ifdef __linux__
    pthread_setname_np(thread, "cl2cuda copies");
#endif
    started++;
    return 1;
}

void share_work(struct work *work)
{
    work->invitations = work->inside = 0;
    pthread_mutex_lock(&lock);
    work->next = works;
    works = work;
    pthread_mutex_unlock(&lock);
}

void invite_helpers(struct work *work, int count)
{
    pthread_mutex_lock(&lock);
    work->invitations += count;
    int unheard = count > polling ? count - polling : 0, wakes = unheard < asleep ? unheard : asleep;
    if (wakes && wakes == asleep)
        pthread_cond_broadcast(&invited);
    else
        for (int i = 0; i < wakes; i++)
            pthread_cond_signal(&invited);
    for (int missing = unheard - wakes; missing > 0 && started < most && start_helper(); missing--) {
    }
    pthread_mutex_unlock(&lock);
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED); /* Only now, when they need not wait for the lock. */
}

void finish_work(struct work *work)
{
    struct work **place = &works;
    pthread_mutex_lock(&lock);
    while (*place != work)
        place = &(*place)->next;
    *place = work->next;
    pthread_mutex_unlock(&lock);
    for (uint64_t since = 0; __atomic_load_n(&work->inside, __ATOMIC_ACQUIRE);) {
        uint64_t now = now_ns();
        since = since ? since : now;
        rest(now - since);
    }
}

/* A copy in the memory of the host: of less than HELPED bytes helpers that are called when it begins would come too late. */
enum { HELPED = 512 << 10, PART = 64 << 10, HELPERS_OF_A_COPY = 2 };

/* Whether there was one left. */
static int copy_part(struct parts *parts)
{
    size_t at = __atomic_fetch_add(&parts->next, parts->part, __ATOMIC_RELAXED);
    if (at >= parts->size)
        return 0;
    size_t left = parts->size - at, size = left < parts->part ? left : parts->part;
    if (!parts->copied) {
        memcpy(parts->to + at, parts->from + at, size);
        return 1;
    }
    move_for_device(parts->to + at, parts->from + at, size);
    __atomic_store_n(&parts->copied[at / parts->part], 1, __ATOMIC_RELEASE);
    return 1;
}

static void help_to_copy(struct work *work)
{
    struct parts *parts = (struct parts *)work;
    for (uint64_t since = 0, now; !__atomic_load_n(&parts->is_there, __ATOMIC_ACQUIRE); rest(now - since)) {
        now = now_ns();
        since = since ? since : now;
        if (now - since >= ALONE_NS)
            return;
    }
    while (copy_part(parts)) {
    }
}

static void call(struct parts *parts)
{
    int allowed = __atomic_load_n(&most, __ATOMIC_RELAXED), others = (int)((parts->size - 1) / parts->part);
    others = others < HELPERS_OF_A_COPY ? others : HELPERS_OF_A_COPY;
    parts->work.help = help_to_copy;
    share_work(&parts->work);
    invite_helpers(&parts->work, allowed < others ? allowed : others);
}

void call_for_copy(struct parts *parts, void *to, const void *from, size_t size)
{
    *parts = (struct parts){ .to = to, .from = from, .size = size, .part = PART };
    call(parts);
}

/* Helpers find nothing left. */
static void take_all(struct parts *parts)
{
    __atomic_store_n(&parts->next, parts->size, __ATOMIC_RELAXED);
}

void end_copy(struct parts *parts)
{
    take_all(parts);
    finish_work(&parts->work);
}

void finish_copy(struct parts *parts, int is_there)
{
    if (!is_there)
        take_all(parts);
    __atomic_store_n(&parts->is_there, 1, __ATOMIC_RELEASE);
    while (copy_part(parts)) {
    }
    finish_work(&parts->work);
}

void begin_copy(struct parts *parts, void *to, const void *from, size_t size, size_t part, unsigned char *copied)
{
    *parts = (struct parts){ .to = to, .from = from, .size = size, .part = part, .copied = copied, .is_there = 1 };
    call(parts);
}

size_t copy_on(struct parts *parts, size_t done)
{
    int was_left = copy_part(parts);
    while (done < parts->size && __atomic_load_n(&parts->copied[done / parts->part], __ATOMIC_ACQUIRE))
        done = parts->size - done > parts->part ? done + parts->part : parts->size;
    if (!was_left)
        relax();
    return done;
}

void copy_with_helpers(void *to, const void *from, size_t size)
{
    struct parts parts;
    if (size < HELPED) {
        memcpy(to, from, size);
        return;
    }
    call_for_copy(&parts, to, from, size);
    finish_copy(&parts, 1);
}

void allow_helpers(int count)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&most, count > most ? count : most, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

unsigned forks_before(void)
{
    return forks;
}

static void begin_anew_in_child(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    invited = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    works = NULL;
    started = asleep = polling = 0;
    forks++;
}

int prepare_helpers(void)
{
    return !pthread_atfork(NULL, NULL, begin_anew_in_child);
}
