// CUDA's math functions for the host: libm's where it has them, declared here since <cmath> would double the time of a
// compilation. What is simple is written so that loops over it vectorise.

extern "C" float acosf(float);
extern "C" float acoshf(float);
extern "C" float asinf(float);
extern "C" float asinhf(float);
extern "C" float atanf(float);
extern "C" float atanhf(float);
extern "C" float cbrtf(float);
extern "C" float ceilf(float);
extern "C" float cosf(float);
extern "C" float coshf(float);
extern "C" float erff(float);
extern "C" float erfcf(float);
extern "C" float expf(float);
extern "C" float exp10f(float);
extern "C" float exp2f(float);
extern "C" float expm1f(float);
extern "C" float fabsf(float);
extern "C" float floorf(float);
extern "C" float lgammaf(float);
extern "C" float logf(float);
extern "C" float log10f(float);
extern "C" float log1pf(float);
extern "C" float log2f(float);
extern "C" float logbf(float);
extern "C" float rintf(float);
extern "C" float sinf(float);
extern "C" float sinhf(float);
extern "C" float sqrtf(float);
extern "C" float tanf(float);
extern "C" float tanhf(float);
extern "C" float tgammaf(float);
extern "C" float truncf(float);
extern "C" float atan2f(float, float);
extern "C" float copysignf(float, float);
extern "C" float fmodf(float, float);
extern "C" float hypotf(float, float);
extern "C" float nextafterf(float, float);
extern "C" float powf(float, float);
extern "C" float remainderf(float, float);
extern "C" float fmaf(float, float, float);
extern "C" float frexpf(float, int*);
extern "C" int ilogbf(float);
extern "C" float ldexpf(float, int);
extern "C" void sincosf(float, float*, float*);

extern "C" double acos(double);
extern "C" double acosh(double);
extern "C" double asin(double);
extern "C" double asinh(double);
extern "C" double atan(double);
extern "C" double atanh(double);
extern "C" double cbrt(double);
extern "C" double ceil(double);
extern "C" double cos(double);
extern "C" double cosh(double);
extern "C" double erf(double);
extern "C" double erfc(double);
extern "C" double exp(double);
extern "C" double exp10(double);
extern "C" double exp2(double);
extern "C" double expm1(double);
extern "C" double fabs(double);
extern "C" double floor(double);
extern "C" double lgamma(double);
extern "C" double log(double);
extern "C" double log10(double);
extern "C" double log1p(double);
extern "C" double log2(double);
extern "C" double logb(double);
extern "C" double rint(double);
extern "C" double sin(double);
extern "C" double sinh(double);
extern "C" double sqrt(double);
extern "C" double tan(double);
extern "C" double tanh(double);
extern "C" double tgamma(double);
extern "C" double trunc(double);
extern "C" double atan2(double, double);
extern "C" double copysign(double, double);
extern "C" double fmod(double, double);
extern "C" double hypot(double, double);
extern "C" double nextafter(double, double);
extern "C" double pow(double, double);
extern "C" double remainder(double, double);
extern "C" double fma(double, double, double);
extern "C" double frexp(double, int*);
extern "C" int ilogb(double);
extern "C" double ldexp(double, int);
extern "C" void sincos(double, double*, double*);

// "If one argument is a NaN, fmax() returns the other argument." libm's are calls; these are two instructions in a vector loop.
__device__ float fmaxf(float x, float y) {
    float greater = x > y ? x : y;
    return y != y ? x : greater;
}
__device__ double fmax(double x, double y) {
    double greater = x > y ? x : y;
    return y != y ? x : greater;
}
__device__ float fminf(float x, float y) {
    float less = x < y ? x : y;
    return y != y ? x : less;
}
__device__ double fmin(double x, double y) {
    double less = x < y ? x : y;
    return y != y ? x : less;
}

__device__ float fdimf(float x, float y) { return x <= y ? 0 : x - y; }
__device__ double fdim(double x, double y) { return x <= y ? 0 : x - y; }

// "Returns y if x < y, otherwise it returns x." Of a NaN and a number it is the number, as on GPUs: programs that build NaNs end them so.
__device__ float max(float x, float y) { return ::fmaxf(y, x); }
__device__ double max(double x, double y) { return ::fmax(y, x); }
__device__ float min(float x, float y) { return ::fminf(y, x); }
__device__ double min(double x, double y) { return ::fmin(y, x); }

// The number before one half, added before truncation, rounds halves away from zero and nothing else.
__device__ float roundf(float x) { return ::truncf(x + ::copysignf(0x1.fffffep-2f, x)); }
__device__ double round(double x) { return ::trunc(x + ::copysign(0x1.fffffffffffffp-2, x)); }

__device__ float rsqrtf(float x) { return 1 / ::sqrtf(x); }
__device__ double rsqrt(double x) { return 1 / ::sqrt(x); }

// The argument is brought into [0, 1/4] without an error, so that the zeros are exact.
__device__ double sinpi(double x) {
    double a = ::fabs(x), r = a - 2 * ::floor(a / 2), s = r < 1 ? r : r - 1, t = s > 0.5 ? 1 - s : s;
    double y = t <= 0.25 ? ::sin(3.141592653589793 * t) : ::cos(3.141592653589793 * (0.5 - t));
    return ::copysign(1.0, x) * (r > 1 ? -y : y);
}
__device__ double cospi(double x) {
    double a = ::fabs(x), r = a - 2 * ::floor(a / 2), s = r > 1 ? 2 - r : r, t = s > 0.5 ? 1 - s : s;
    double y = t <= 0.25 ? ::cos(3.141592653589793 * t) : ::sin(3.141592653589793 * (0.5 - t));
    return s > 0.5 ? -y : y;
}
__device__ float sinpif(float x) { return ::sinpi(x); }
__device__ float cospif(float x) { return ::cospi(x); }

__device__ void sincospif(float x, float* s, float* c) { *s = ::sinpi(x), *c = ::cospi(x); }
__device__ void sincospi(double x, double* s, double* c) { *s = ::sinpi(x), *c = ::cospi(x); }

__device__ float __sinf(float x) { return ::sinf(x); }
__device__ float __cosf(float x) { return ::cosf(x); }
__device__ float __tanf(float x) { return ::tanf(x); }
__device__ float __expf(float x) { return ::expf(x); }
__device__ float __exp10f(float x) { return ::exp10f(x); }
__device__ float __logf(float x) { return ::logf(x); }
__device__ float __log2f(float x) { return ::log2f(x); }
__device__ float __log10f(float x) { return ::log10f(x); }
__device__ float __powf(float x, float y) { return ::powf(x, y); }
__device__ float __fdividef(float x, float y) { return x / y; }
__device__ float __fdiv_rn(float x, float y) { return x / y; }
__device__ float __frcp_rn(float x) { return 1 / x; }
__device__ double __ddiv_rn(double x, double y) { return x / y; }

namespace ocl {

__device__ float native_exp2(float x) { return ::exp2f(x); }
__device__ float native_recip(float x) { return 1 / x; }
__device__ float native_rsqrt(float x) { return 1 / ::sqrtf(x); }
__device__ float native_sqrt(float x) { return ::sqrtf(x); }

// glibc's errs by up to 4 ulp, twice what is allowed: one step of Newton's mends it. The step's error of a number that is small has no
// digits, so such a number is scaled.
__device__ double cbrt(double x) {
    bool small = ::fabs(x) < 0x1p-900;
    double scaled = small ? x * 0x1p300 : x;
    double r = ::cbrt(scaled), square = r * r, error = ::fma(square, r, -scaled) + ::fma(r, r, -square) * r;
    double better = r - error / (3 * square);
    return x - x == 0 && x != 0 ? small ? better * 0x1p-100 : better : r;
}

}  // namespace ocl
