// The native runtime, part 4: integer division by zero, and of the least integer by -1, gives 0 in a kernel. OpenCL leaves
// the value open but not the program's life (OpenCL C 6.3); x86 raises an exception. The handler puts 0 into quotient and
// remainder and steps over the instruction. Elsewhere (aarch64) nothing traps.

#if defined(__linux__) && defined(__x86_64__)

#include <ucontext.h>

namespace ocl {
namespace host {

static struct sigaction previous;

// The length of a `div` or `idiv` and its operand's width in bytes; length 0 for any other instruction.
struct decoded { int length, width; };

// [prefixes] [REX] F6|F7 ModRM [SIB] [displacement], with /6 (div) or /7 (idiv) in ModRM (Intel SDM volume 2, 2.1).
static decoded decode_division(const unsigned char *at) {
    const unsigned char *p = at;
    bool half = false, wide = false;
    for (;; p++) {
        if (*p == 0x66)
            half = true;
        else if (*p != 0x67 && *p != 0x2e && *p != 0x36 && *p != 0x3e && *p != 0x26 && *p != 0x64 && *p != 0x65 && *p != 0xf2 && *p != 0xf3)
            break;
    }
    if ((*p & 0xf0) == 0x40)
        wide = *p++ & 8;
    unsigned char opcode = *p++, modrm = *p++;
    int mode = modrm >> 6, operation = modrm >> 3 & 7, base = modrm & 7;
    if ((opcode != 0xf6 && opcode != 0xf7) || operation < 6)
        return {0, 0};
    if (mode != 3) {
        if (base == 4)
            base = *p++ & 7;
        if (mode == 1)
            p += 1;
        else if (mode == 2 || base == 5)  // base 5 without a mode: a bare displacement, or one from the instruction pointer
            p += 4;
    }
    return {(int)(p - at), opcode == 0xf6 ? 1 : wide ? 8 : half ? 2 : 4};
}

static void on_division(int signal, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    decoded found = at_risk() && info->si_code == FPE_INTDIV ? decode_division((unsigned char *)registers[REG_RIP]) : decoded{0, 0};
    if (!found.length)
        return pass_on(previous, signal, info, context);
    long long kept = found.width <= 2 ? ~0xffffll : 0;  // 8 bits: both results are in AX; 16 bits leave the rest as it is
    registers[REG_RAX] &= kept;
    if (found.width > 1)
        registers[REG_RDX] &= kept;
    registers[REG_RIP] += found.length;
}

}
}

// Before every launch, since another part of the process may have put its own handler there.
static void ocl_host_catch_division() {
    using namespace ocl::host;
    struct sigaction present;
    sigaction(SIGFPE, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) && present.sa_sigaction == on_division)
        return;
    previous = present;
    struct sigaction own = {};
    own.sa_sigaction = on_division;
    own.sa_flags = SA_SIGINFO | SA_NODEFER | (present.sa_flags & SA_ONSTACK);  // on the stack that the other one is used to
    sigaction(SIGFPE, &own, nullptr);
}

#else

static void ocl_host_catch_division() {}

#endif
