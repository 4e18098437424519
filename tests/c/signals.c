/* Handlers that the program has set before its first kernel are called as the system itself would: with the signals blocked that they are
   to be spared, on the stack that they asked for, and of the thread that the signal is of. */
#define _GNU_SOURCE
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 65536, STACK = 1 << 18 };

static char stack[STACK];
static char *page;
static sigjmp_buf place;
static volatile sig_atomic_t divisions, faults, wrong;

static int blocks(int signal)
{
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, signal);
}

static void on_division(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    char here;
    divisions++;
    wrong += !(blocks(SIGUSR1) && blocks(signal) && !blocks(SIGUSR2) && (uintptr_t)&here - (uintptr_t)stack < STACK);
    siglongjmp(place, 1);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    faults++;
    wrong += !(!blocks(SIGUSR1) && !blocks(signal) && blocks(SIGUSR2) && (char *)info->si_addr == page);
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int flags, int spared)
{
    struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags };
    sigaddset(&action.sa_mask, spared);
    CHECK(!sigaction(signal, &action, NULL));
}

int main(void)
{
    const stack_t own = { .ss_sp = stack, .ss_size = STACK };
    CHECK(!sigaltstack(&own, NULL));
    handle(SIGFPE, on_division, SA_ONSTACK, SIGUSR1);
    handle(SIGSEGV, on_fault, SA_NODEFER, SIGUSR2);
    page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    start();
    cl_kernel kernel = kernel_of("kernel void k(global int *a) { size_t i = get_global_id(0); a[i] = 1 + a[i] / a[i]; }", "k");
    cl_int status;
    cl_mem buffer = clCreateBuffer(context, 0, 4096, NULL, &status);
    OK(status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    for (int round = 1; round <= 3; round++) {
        const int zero = 0;
        const size_t items = 1024;
        int result[1024];
        OK(clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 4096, 0, NULL, NULL));
        OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4096, result, 0, NULL, NULL));
        if (!sigsetjmp(place, 1))
            raise(SIGFPE);
        mprotect(page, PAGE, PROT_NONE);
        *(volatile char *)page = 1;
        CHECK(divisions == round && faults == round && !wrong);
        CHECK(!blocks(SIGUSR1) && !blocks(SIGUSR2) && !blocks(SIGFPE) && !blocks(SIGSEGV));
    }
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    finish();
    return 0;
}
