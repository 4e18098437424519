// Math functions (6.15.2) of double. CUDA's own wherever it meets the bound of section 7.4 and the edge cases of 7.5.

namespace ocl {

__device__ double acos(double x) { return ::acos(x); }
__device__ double acosh(double x) { return ::acosh(x); }
__device__ double acospi(double x) { return ::acos(x) * M_1_PI; }
__device__ double asin(double x) { return ::asin(x); }
__device__ double asinh(double x) { return ::asinh(x); }
__device__ double asinpi(double x) { return ::asin(x) * M_1_PI; }
__device__ double atan(double x) { return ::atan(x); }
__device__ double atan2(double y, double x) { return ::atan2(y, x); }
__device__ double atanh(double x) { return ::atanh(x); }
__device__ double atanpi(double x) { return ::atan(x) * M_1_PI; }
__device__ double atan2pi(double y, double x) { return ::atan2(y, x) * M_1_PI; }
__device__ double cbrt(double x) { return ::cbrt(x); }
__device__ double ceil(double x) { return ::ceil(x); }
__device__ double copysign(double x, double y) { return ::copysign(x, y); }
__device__ double cos(double x) { return ::cos(x); }
__device__ double cosh(double x) { return ::cosh(x); }
__device__ double cospi(double x) { return ::cospi(x); }
__device__ double erfc(double x) { return ::erfc(x); }
__device__ double erf(double x) { return ::erf(x); }
__device__ double exp(double x) { return ::exp(x); }
__device__ double exp2(double x) { return ::exp2(x); }
__device__ double exp10(double x) { return ::exp10(x); }
__device__ double expm1(double x) { return ::expm1(x); }
__device__ double fabs(double x) { return ::fabs(x); }
__device__ double fdim(double x, double y) { return ::fdim(x, y); }
__device__ double floor(double x) { return ::floor(x); }
__device__ double fma(double a, double b, double c) { return ::fma(a, b, c); }
__device__ double fmax(double x, double y) { return ::fmax(x, y); }
__device__ double fmin(double x, double y) { return ::fmin(x, y); }
__device__ double fmod(double x, double y) { return ::fmod(x, y); }

// "fract(x, iptr) shall not return a value greater than or equal to 1.0"; a zero and an infinity give a zero of their sign.
__device__ double fract(double x, double* whole) {
    double down = ::floor(x), part = x - down;
    *whole = down;
    if (x == 0 || ::fabs(x) == HUGE_VAL) return ::copysign(0.0, x);
    return part >= 1 ? 0x1.fffffffffffffp-1 : part;
}

// "frexp(±∞, exp) returns ±∞ and stores 0 in exp", and so of a NaN.
__device__ double frexp(double x, int* exponent) {
    double fraction = ::frexp(x, exponent);
    if (!(::fabs(x) < HUGE_VAL)) *exponent = 0;
    return fraction;
}

// CUDA's overflows already where the result rounds to the largest number.
__device__ double hypot(double x, double y) {
    const double h = ::hypot(x, y);
    if (h <= DBL_MAX || !(::fabs(x) <= DBL_MAX && ::fabs(y) <= DBL_MAX)) return h;
    x *= 0x1p-600, y *= 0x1p-600;
    return ::sqrt(::fma(x, x, y * y)) * 0x1p600;
}

// CUDA's has OpenCL's results of zero and of a NaN, a C library its own.
__device__ int ilogb(double x) {
    #ifdef __CUDA_ARCH__
    return ::ilogb(x);
    #else
    return x != x ? FP_ILOGBNAN : x == 0 ? FP_ILOGB0 : ::ilogb(x);
    #endif
}

__device__ double ldexp(double x, int k) { return ::ldexp(x, k); }
__device__ double lgamma(double x) { return ::lgamma(x); }

// "lgamma_r(x, signp) returns 0 in signp if x is zero or a negative integer"; else gamma's sign changes at each of them.
__device__ double lgamma_r(double x, int* sign) {
    double down = ::floor(x);
    *sign = x == 0 || (x < 0 && x == down) ? 0 : x < 0 && ::fmod(down, 2.0) != 0 ? -1 : 1;
    return ::lgamma(x);
}

__device__ double log(double x) { return ::log(x); }
__device__ double log2(double x) { return ::log2(x); }
__device__ double log10(double x) { return ::log10(x); }
__device__ double log1p(double x) { return ::log1p(x); }
__device__ double logb(double x) { return ::logb(x); }

// One instruction of a GPU, also in a program that contracts no products and sums.
__device__ double mad(double a, double b, double c) {
    #ifdef __CUDA_ARCH__
    return ::fma(a, b, c);
    #else
    return a * b + c;
    #endif
}

__device__ double maxmag(double x, double y) {
    double a = ::fabs(x), b = ::fabs(y);
    return a > b ? x : b > a ? y : ::fmax(x, y);
}

__device__ double minmag(double x, double y) {
    double a = ::fabs(x), b = ::fabs(y);
    return a < b ? x : b < a ? y : ::fmin(x, y);
}

// As 7.5.2 writes it.
__device__ double modf(double x, double* whole) {
    *whole = ::trunc(x);
    return ::copysign(::fabs(x) == HUGE_VAL ? 0.0 : x - *whole, x);
}

__device__ double nan(ulong code) { return __builtin_bit_cast(double, 0x7ff8000000000000 | (code & 0x7ffffffffffff)); }
__device__ double nextafter(double x, double y) { return ::nextafter(x, y); }
__device__ double pow(double x, double y) { return ::pow(x, y); }
__device__ double pown(double x, int n) { return ::pow(x, double(n)); }

// pow, but for what 7.5.1 says of bases and exponents at the edges.
__device__ double powr(double x, double y) {
    bool undefined = x < 0 || (y == 0 && (x == 0 || x == HUGE_VAL)) || (x == 1 && ::fabs(y) == HUGE_VAL) || x != x || y != y;
    return undefined ? NAN : ::pow(::fabs(x), y);
}

__device__ double remainder(double x, double y) { return ::remainder(x, y); }

// Less 128 y, of which the quotient's lowest bits do not tell, the quotient is small: a division finds it but for one, and what is left of
// x is exact.
__device__ double remquo(double x, double y, int* quotient) {
    double a = ::fabs(x), b = ::fabs(y);
    *quotient = 0;
    if (!(a < HUGE_VAL) || b != b || b == 0) return NAN;
    if (b == HUGE_VAL) return x;
    if (b < 0x1p1016 && a >= 128 * b) a = ::fmod(a, 128 * b);
    double q = ::rint(a / b), r = ::fma(-q, b, a);
    bool odd = (int)q & 1;
    if (r > b - r || (r == b - r && odd)) q += 1, r -= b;
    else if (-r > b + r || (-r == b + r && odd)) q -= 1, r += b;
    int bits = (int)q & 127;
    *quotient = (x < 0) == (y < 0) ? bits : -bits;
    return ::copysign(1.0, x) < 0 ? -r : r;
}

__device__ double rint(double x) { return ::rint(x); }

// x^(1/n), with the part of 1 / n that its rounding loses put in afterwards: the root's logarithm for that is its bits', within 0.06.
__device__ double rootn(double x, int n) {
    bool odd = n & 1;
    double m = n, inverse = 1 / m, lost = ::fma(-inverse, m, 1.0), root = ::pow(::fabs(x), inverse);
    if (n == 0 || (x < 0 && !odd)) return NAN;
    if (root > 0 && root < HUGE_VAL) {
        double logarithm = int((__builtin_bit_cast(long, root) >> 32) - 0x3ff00000) * (M_LN2 * 0x1p-20);
        root = ::fma(root * lost, logarithm, root);
    }
    return odd ? ::copysign(root, x) : root;
}

__device__ double round(double x) { return ::round(x); }
__device__ double rsqrt(double x) { return ::rsqrt(x); }
__device__ double sin(double x) { return ::sin(x); }

__device__ double sincos(double x, double* cosine) {
    double s, c;
    ::sincos(x, &s, &c);
    *cosine = c;
    return s;
}

__device__ double sinh(double x) { return ::sinh(x); }
__device__ double sinpi(double x) { return ::sinpi(x); }
__device__ double sqrt(double x) { return ::sqrt(x); }
__device__ double tan(double x) { return ::tan(x); }
__device__ double tanh(double x) { return ::tanh(x); }

// The quotient of the exact zeros gives the signs that 7.5.1 asks for.
__device__ double tanpi(double x) {
    double s, c;
    ::sincospi(x, &s, &c);
    return ::__ddiv_rn(s, c);
}

__device__ double tgamma(double x) { return ::tgamma(x); }
__device__ double trunc(double x) { return ::trunc(x); }

}  // namespace ocl
