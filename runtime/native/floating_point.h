/* How a thread computes with floating-point numbers: how it rounds, whether it flushes denormals, which exceptions it traps. A program may
   have changed that for itself: GCC's -ffast-math and gfortran's -ffpe-trap do so before `main`, Free Pascal always does. Kernels of the host
   device (runtime/host/faults.cpp) and the package's Python (opencl_icd/driver/python.c) compute as C begins (C11 7.6), and the thread
   has its own way again after them. For C and C++. */
#ifndef CL2CUDA_NATIVE_FLOATING_POINT_H
#define CL2CUDA_NATIVE_FLOATING_POINT_H

#if defined(__x86_64__)

/* MXCSR and the control word of the x87, which the C library's `fmod` uses. */
struct floating_point { unsigned vectors; unsigned short x87; };

enum { VECTORS_BEGIN = 0x1f80, VECTORS_TOLD = 0x3f, X87_BEGINS = 0x37f };

static inline void floating_point_vectors(unsigned word) { __asm__ volatile("ldmxcsr %0" : : "m"(word) : "memory"); }

static inline void floating_point_x87(unsigned short word) { __asm__ volatile("fnclex\n fldcw %0" : : "m"(word) : "memory"); }

static inline struct floating_point begin_floating_point(void)
{
    struct floating_point before;
    __asm__ volatile("stmxcsr %0\n fnstcw %1" : "=m"(before.vectors), "=m"(before.x87) : : "memory");
    if ((before.vectors & ~(unsigned)VECTORS_TOLD) != VECTORS_BEGIN)
        floating_point_vectors(VECTORS_BEGIN);
    if (before.x87 != X87_BEGINS)
        floating_point_x87(X87_BEGINS);
    return before;
}

/* What a kernel's exceptions have left is not told: no trap comes of it. */
static inline void end_floating_point(struct floating_point before)
{
    floating_point_vectors(before.vectors);
    if (before.x87 != X87_BEGINS)
        floating_point_x87(before.x87);
}

#elif defined(__aarch64__)

/* FPCR and FPSR. */
struct floating_point { unsigned long control, told; };

static inline void floating_point_control(unsigned long word) { __asm__ volatile("msr fpcr, %0" : : "r"(word) : "memory"); }

static inline struct floating_point begin_floating_point(void)
{
    struct floating_point before;
    __asm__ volatile("mrs %0, fpcr\n mrs %1, fpsr" : "=r"(before.control), "=r"(before.told) : : "memory");
    if (before.control)
        floating_point_control(0);
    return before;
}

static inline void end_floating_point(struct floating_point before)
{
    __asm__ volatile("msr fpsr, %0" : : "r"(before.told) : "memory");
    if (before.control)
        floating_point_control(before.control);
}

#else

struct floating_point { int unknown; };

static inline struct floating_point begin_floating_point(void) { return (struct floating_point){ 0 }; }
static inline void end_floating_point(struct floating_point before) { (void)before; }

#endif

#endif
