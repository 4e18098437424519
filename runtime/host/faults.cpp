// The native runtime, part 3: a work-item that accesses memory which is not there, overruns its stack or traps ends its launch, and
// not the process.
//
// A kernel's code holds no lock and nothing that needs undoing, so the thread can leave it anywhere: the handler jumps back to where
// the thread began its units. It does so only from the kernel's own instructions. A fault inside of the C library, which a kernel
// has called, may leave that in any state, and a fault elsewhere is none of ours: both go on to whoever handled the signal
// before, after last words that name the kernel. So does that of a kernel which has overwritten where it is to return to. What the
// work-item wrote before to memory that is there, but not its own, stays.

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <ucontext.h>
#endif

namespace ocl {
namespace host {

constexpr int caught[] = {SIGSEGV, SIGBUS, SIGILL};
// What each signal meant before, by its number.
static struct sigaction before_ours[32];

// In debug mode, what the launch is.
static char announced[8192];

static bool read_registers(void *context, size *instruction, size *stack) {
#if defined(__linux__) && defined(__x86_64__)
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    *instruction = (size)registers[REG_RIP];
    *stack = (size)registers[REG_RSP];
    return true;
#elif defined(__linux__) && defined(__aarch64__)
    *instruction = ((ucontext_t *)context)->uc_mcontext.pc;
    *stack = ((ucontext_t *)context)->uc_mcontext.sp;
    return true;
#else
    return false;
#endif
}

// Both in one shared object: the kernel's.
static bool in_one_object(size instruction, const void *function) {
    Dl_info here, there;
    return dladdr((void *)instruction, &here) && dladdr(function, &there) && here.dli_fbase == there.dli_fbase;
}

// To whoever handled the signal before, as the system itself would call it: with the signals blocked that it is to be spared.
static void pass_on(struct sigaction &to, int signal, siginfo_t *info, void *context) {
    const bool sent = info->si_code <= 0;  // by a process, not of an instruction
    if (!(to.sa_flags & SA_SIGINFO) && (to.sa_handler == SIG_DFL || to.sa_handler == SIG_IGN)) {
        if (sent && to.sa_handler == SIG_IGN)
            return;
        sigaction(signal, &to, nullptr);  // the instruction runs again, and the process ends as it would have
        if (sent)
            raise(signal);
        return;
    }
    sigset_t spared = to.sa_mask, before;
    if (!(to.sa_flags & SA_NODEFER))
        sigaddset(&spared, signal);
    pthread_sigmask(SIG_BLOCK, &spared, &before);
    if (to.sa_flags & SA_SIGINFO)
        to.sa_sigaction(signal, info, context);
    else
        to.sa_handler(signal);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void say(const char *text) {
    if (write(2, text, strlen(text)) < 0)
        return;
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    if (risk *here = at_risk()) {
        pthread_setspecific(risk_key, nullptr);  // A fault in what follows ends the process.
        size instruction, stack;
        if (read_registers(context, &instruction, &stack) && in_one_object(instruction, here->function)) {
            if (!__atomic_exchange_n(&here->of->failed, 1, __ATOMIC_ACQ_REL)) {
                const size address = (size)info->si_addr;
                // A frame may be larger than the guard page; nothing else is so near to a stack's end.
                const bool overrun = signal == SIGSEGV && address - (stack - 0x10000) < 0x20000;
                fault &found = here->of->failure;
                const bool no_address = (signal == SIGSEGV && info->si_code == SI_KERNEL) || (signal == SIGBUS && info->si_code == BUS_ADRALN);
                found = {(size)signal, address, overrun, no_address, here->ids != nullptr, {}};
                for (int d = 0; d < 3 && here->ids; d++)
                    found.global_ids[d] = here->ids[d];
            }
            _longjmp(here->place, 1);
        }
        say("cl2cuda: the process ends by a fault in the kernel ");
        say(here->name);
        say(", or rather in the C library that it called, or after it wrote beyond its own arrays\n");
        say(announced);
        pthread_setspecific(risk_key, here);  // Who handled the signal before may mend what was wrong.
    }
    pass_on(before_ours[signal], signal, info, context);
}

// Signals of a thread that has overrun its stack need another one.
static void give_signal_stack() {
    static thread_local bool given;
    if (given)
        return;
    given = true;
    stack_t present;
    if (sigaltstack(nullptr, &present) || !(present.ss_flags & SS_DISABLE))
        return;
    static pthread_key_t owner;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    constexpr size bytes = 64 << 10;
    pthread_once(&once, [] {
        pthread_key_create(&owner, [](void *memory) {
            stack_t none = {};
            none.ss_flags = SS_DISABLE;
            sigaltstack(&none, nullptr);
            munmap(memory, bytes);
        });
    });
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    stack_t own = {};
    own.ss_sp = memory;
    own.ss_size = bytes;
    sigaltstack(&own, nullptr);
    pthread_setspecific(owner, memory);
}

[[gnu::noinline]] static void run_guarded(job &j, size first, size last, unsigned char *local) {
    give_signal_stack();
    static thread_local risk here;  // Off the stack, which a work-item may overwrite that writes beyond its arrays.
    here.of = &j;
    here.name = j.what->name;
    here.function = (const void *)j.run;
    here.ids = nullptr;
    here.program = begin_floating_point();
    if (_setjmp(here.place) == 0) {
        pthread_setspecific(risk_key, &here);
        j.run(*j.what, first, last, local);
    } else {
        abandon_fibers();
    }
    end_floating_point(here.program);
    pthread_setspecific(risk_key, nullptr);
}

}
}

// Once in a process: a handler that another part of it sets later is to pass on to this one what is not its own.
static void ocl_host_catch_faults() {
    using namespace ocl::host;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] {
        pthread_key_create(&risk_key, nullptr);
        struct sigaction own = {};
        own.sa_sigaction = on_fault;
        own.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
        for (int signal : caught)
            sigaction(signal, &own, &before_ours[signal]);
    });
}

extern "C" void ocl_host_watch(const ocl::host::size *global_ids) {
    if (ocl::host::risk *here = ocl::host::at_risk())
        here->ids = global_ids;
}

// What the calling thread's last failed launch failed of.
extern "C" void ocl_host_last_fault(ocl::host::fault *found) { *found = ocl::host::last_fault; }

// Debug mode's description of the next launch. An empty text ends it.
extern "C" void ocl_host_announce(const char *text) {
    strncpy(ocl::host::announced, text, sizeof ocl::host::announced - 1);
}
