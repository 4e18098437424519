// The native runtime, part 4: in debug mode, the last words of a kernel that accesses memory which is not there.
//
// A launch that was announced runs unit by unit, so the handler knows which work-item, or in kernels with barriers which
// work-group, the thread was at. It speaks, and lets the process end as it would have.

#include <string.h>

namespace ocl {
namespace host {

static struct sigaction before_segv, before_bus;

static void on_fault(int signal, siginfo_t *info, void *) {
    if (in_kernel && announced[0]) {
        char text[sizeof announced + 256];
        int length = snprintf(text, sizeof text, "cl2cuda: no memory for the kernel at %p, in unit %zu: a work-item, or a work-group where "
                              "the kernel has barriers, counted along x, then y, then z\n%s\n", info->si_addr, unit_of_thread, announced);
        if (write(2, text, (size_t)length) < 0)
            announced[0] = 0;
    }
    sigaction(signal, signal == SIGBUS ? &before_bus : &before_segv, nullptr);  // the instruction runs again
}

}
}

// An empty text ends it.
extern "C" void ocl_host_announce(const char *text) {
    using namespace ocl::host;
    strncpy(announced, text, sizeof announced - 1);
    struct sigaction present;
    sigaction(SIGSEGV, nullptr, &present);
    if (!announced[0] || ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == on_fault))
        return;
    struct sigaction own = {};
    own.sa_sigaction = on_fault;
    own.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &own, &before_segv);
    sigaction(SIGBUS, &own, &before_bus);
}
