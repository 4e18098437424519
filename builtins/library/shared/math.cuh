// Math functions (6.15.2) of float. CUDA's own wherever it meets the bound of section 7.4 and the edge cases of 7.5.

namespace ocl {

__device__ float acos(float x) { return ::acosf(x); }
__device__ float acosh(float x) { return ::acoshf(x); }
__device__ float acospi(float x) { return acos(x) * M_1_PI_F; }
__device__ float asin(float x) { return ::asinf(x); }
__device__ float asinh(float x) { return ::asinhf(x); }
__device__ float asinpi(float x) { return asin(x) * M_1_PI_F; }
__device__ float atan(float x) { return ::atanf(x); }
__device__ float atan2(float y, float x) { return ::atan2f(y, x); }
__device__ float atanh(float x) { return ::atanhf(x); }
__device__ float atanpi(float x) { return ::atanf(x) * M_1_PI_F; }
__device__ float atan2pi(float y, float x) { return atan2(y, x) * M_1_PI_F; }
__device__ float cbrt(float x) { return ::cbrtf(x); }
__device__ float ceil(float x) { return ::ceilf(x); }
__device__ float copysign(float x, float y) { return ::copysignf(x, y); }
__device__ float cos(float x) { return ::cosf(x); }
__device__ float cosh(float x) { return ::coshf(x); }
__device__ float cospi(float x) { return ::cospif(x); }
__device__ float erfc(float x) { return ::erfcf(x); }
__device__ float erf(float x) { return ::erff(x); }
__device__ float exp(float x) { return ::expf(x); }
__device__ float exp2(float x) { return ::exp2f(x); }
__device__ float exp10(float x) { return ::exp10f(x); }
__device__ float expm1(float x) { return ::expm1f(x); }
__device__ float fabs(float x) { return ::fabsf(x); }
__device__ float fdim(float x, float y) { return ::fdimf(x, y); }
__device__ float floor(float x) { return ::floorf(x); }
__device__ float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
__device__ float fmax(float x, float y) { return ::fmaxf(x, y); }
__device__ float fmin(float x, float y) { return ::fminf(x, y); }
__device__ float fmod(float x, float y) { return ::fmodf(x, y); }

// "fract(x, iptr) shall not return a value greater than or equal to 1.0"; a zero and an infinity give a zero of their sign.
__device__ float fract(float x, float* whole) {
    float down = ::floorf(x), part = x - down;
    *whole = down;
    if (x == 0 || ::fabsf(x) == INFINITY) return ::copysignf(0.0f, x);
    return part >= 1 ? 0x1.fffffep-1f : part;
}

// "frexp(±∞, exp) returns ±∞ and stores 0 in exp", and so of a NaN.
__device__ float frexp(float x, int* exponent) {
    float fraction = ::frexpf(x, exponent);
    if (!(::fabsf(x) < INFINITY)) *exponent = 0;
    return fraction;
}

__device__ float hypot(float x, float y) { return ::hypotf(x, y); }

// CUDA's has OpenCL's results of zero and of a NaN, a C library its own.
__device__ int ilogb(float x) {
    #ifdef __CUDA_ARCH__
    return ::ilogbf(x);
    #else
    return x != x ? FP_ILOGBNAN : x == 0 ? FP_ILOGB0 : ::ilogbf(x);
    #endif
}

__device__ float ldexp(float x, int k) { return ::ldexpf(x, k); }
__device__ float lgamma(float x) { return ::lgammaf(x); }

// "lgamma_r(x, signp) returns 0 in signp if x is zero or a negative integer"; else gamma's sign changes at each of them.
__device__ float lgamma_r(float x, int* sign) {
    float down = ::floorf(x);
    *sign = x == 0 || (x < 0 && x == down) ? 0 : x < 0 && ::fmodf(down, 2.0f) != 0 ? -1 : 1;
    return ::lgammaf(x);
}

__device__ float log(float x) { return ::logf(x); }
__device__ float log2(float x) { return ::log2f(x); }
__device__ float log10(float x) { return ::log10f(x); }
__device__ float log1p(float x) { return ::log1pf(x); }
__device__ float logb(float x) { return ::logbf(x); }

// One instruction of a GPU, also in a program that contracts no products and sums.
__device__ float mad(float a, float b, float c) {
    #ifdef __CUDA_ARCH__
    return ::fmaf(a, b, c);
    #else
    return a * b + c;
    #endif
}

__device__ float maxmag(float x, float y) {
    float a = ::fabsf(x), b = ::fabsf(y);
    return a > b ? x : b > a ? y : ::fmaxf(x, y);
}

__device__ float minmag(float x, float y) {
    float a = ::fabsf(x), b = ::fabsf(y);
    return a < b ? x : b < a ? y : ::fminf(x, y);
}

// As 7.5.2 writes it.
__device__ float modf(float x, float* whole) {
    *whole = ::truncf(x);
    return ::copysignf(::fabsf(x) == INFINITY ? 0.0f : x - *whole, x);
}

__device__ float nan(uint code) { return __builtin_bit_cast(float, 0x7fc00000 | (code & 0x3fffff)); }
__device__ float nextafter(float x, float y) { return ::nextafterf(x, y); }
__device__ float pow(float x, float y) { return ::powf(x, y); }

// An exponent that float cannot hold is taken in two parts of the same sign, so that neither overflows alone. An odd one keeps x's
// sign; powf, which need not know negative numbers under -cl-fast-relaxed-math, gets none.
__device__ float pown(float x, int n) {
    int low = n > -0x1000000 && n < 0x1000000 ? 0 : n % 256;
    float a = ::fabsf(x), power = ::powf(a, float(n - low));
    if (low != 0) power *= ::powf(a, float(low));
    return n & 1 ? ::copysignf(power, x) : power;
}

// pow, but for what 7.5.1 says of bases and exponents at the edges.
__device__ float powr(float x, float y) {
    #if __USE_FAST_MATH__  // of NVRTC's alone
    return ::__powf(x, y);
    #else
    bool undefined = x < 0 || (y == 0 && (x == 0 || x == INFINITY)) || (x == 1 && ::fabsf(y) == INFINITY) || x != x || y != y;
    return undefined ? NAN : ::powf(::fabsf(x), y);
    #endif
}

__device__ float remainder(float x, float y) { return ::remainderf(x, y); }

// Less 128 y, of which the quotient's lowest bits do not tell, the quotient is small: a division finds it but for one, and what is left of
// x is exact.
__device__ float remquo(float x, float y, int* quotient) {
    float a = ::fabsf(x), b = ::fabsf(y);
    *quotient = 0;
    if (!(a < INFINITY) || b != b || b == 0) return NAN;
    if (b == INFINITY) return x;
    if (b < 0x1p120f && a >= 128 * b) a = ::fmodf(a, 128 * b);
    float q = ::rintf(::__fdiv_rn(a, b)), r = ::fmaf(-q, b, a);
    bool odd = (int)q & 1;
    if (r > b - r || (r == b - r && odd)) q += 1, r -= b;
    else if (-r > b + r || (-r == b + r && odd)) q -= 1, r += b;
    int bits = (int)q & 127;
    *quotient = (x < 0) == (y < 0) ? bits : -bits;
    return ::copysignf(1.0f, x) < 0 ? -r : r;
}

__device__ float rint(float x) { return ::rintf(x); }

// x^(1/n), with the part of 1 / n that its rounding loses put in afterwards: the root's logarithm for that is its bits', within 0.06.
__device__ float rootn(float x, int n) {
    bool odd = n & 1;
    float m = n, inverse = 1 / m, lost = ::fmaf(-inverse, m, 1.0f), root = ::powf(::fabsf(x), inverse);
    if (n == 0 || (x < 0 && !odd)) return NAN;
    if (root > 0 && root < INFINITY) root = ::fmaf(root * lost, (__builtin_bit_cast(int, root) - 0x3f800000) * (M_LN2_F * 0x1p-23f), root);
    return odd ? ::copysignf(root, x) : root;
}

__device__ float round(float x) { return ::roundf(x); }
__device__ float rsqrt(float x) { return ::rsqrtf(x); }
__device__ float sin(float x) { return ::sinf(x); }

__device__ float sincos(float x, float* cosine) {
    float s, c;
    ::sincosf(x, &s, &c);
    *cosine = c;
    return s;
}

__device__ float sinh(float x) { return ::sinhf(x); }
__device__ float sinpi(float x) { return ::sinpif(x); }
__device__ float sqrt(float x) { return ::sqrtf(x); }
__device__ float tan(float x) { return ::tanf(x); }
__device__ float tanh(float x) { return ::tanhf(x); }

// The quotient of the exact zeros gives the signs that 7.5.1 asks for.
__device__ float tanpi(float x) {
    float s, c;
    ::sincospif(x, &s, &c);
    return ::__fdiv_rn(s, c);
}

__device__ float tgamma(float x) { return ::tgammaf(x); }
__device__ float trunc(float x) { return ::truncf(x); }

// Not OpenCL's: what the translator makes of quotients in double that become floats.
__device__ float divide_to_nearest(float x, float y) { return ::__fdiv_rn(x, y); }
__device__ float reciprocal_to_nearest(float x) { return ::__frcp_rn(x); }

}  // namespace ocl
