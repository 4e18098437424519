// pow, acos, asin and atan2, native_ functions (6.15.2) that are one instruction without an intrinsic's name, and the half_ functions that
// need not be as exact and as far-reaching as float's own.

namespace ocl {

// Under -cl-fast-relaxed-math powf is exp2(y * log2(x)), which knows no negative x; table 67 asks for them where y is an integer.
__device__ float pow(float x, float y) {
    #if __USE_FAST_MATH__  // NVRTC defines it always, as 0 or 1.
    float power = ::powf(::fabsf(x), y);
    return x < 0 && int(y) & 1 ? -power : power;
    #else
    return ::powf(x, y);
    #endif
}

// Off by 2 ulp at most, for numbers of any size also under -cl-fast-relaxed-math.
__device__ float quick_quotient(float x, float y) {
    float q;
    asm("div.full.f32 %0, %1, %2;" : "=f"(q) : "f"(x), "f"(y));
    return q;
}

// CUDA's divides as IEEE asks for, which 6 ulp do not need. The polynomial is a minimax one, off by 2^-25 and its rounding.
__device__ float atan2(float y, float x) {
    float low = ::fminf(::fabsf(x), ::fabsf(y)), high = ::fmaxf(::fabsf(x), ::fabsf(y));
    float quotient = quick_quotient(low, high), t = low != high ? quotient : high > 0 ? 1.0f : 0.0f, s = t * t;
    float p = ::fmaf(s, ::fmaf(s, 0x1.7ed228p-9f, -0x1.0c2c1p-6f), 0x1.61fdd6p-5f);
    p = ::fmaf(s, ::fmaf(s, ::fmaf(s, p, -0x1.3556b4p-4f), 0x1.b4e12ap-4f), -0x1.230adcp-3f);
    p = ::fmaf(s, ::fmaf(s, p, 0x1.9978f4p-3f), -0x1.5554dcp-2f);
    float angle = ::fmaf(p * s, t, t);
    angle = ::fabsf(y) > ::fabsf(x) ? M_PI_2_F - angle : angle;
    angle = ::copysignf(1.0f, x) < 0 ? M_PI_F - angle : angle;
    return x != x || y != y ? x + y : ::copysignf(angle, y);
}

__device__ float native_sqrt(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// The arcsine of up to 0.5625. The polynomial is a minimax one, off by 2^-25 and its rounding.
__device__ float short_asin(float x) {
    float s = x * x, p = ::fmaf(s, ::fmaf(s, 0x1.a36ab2p-5f, 0x1.2f5b30p-6f), 0x1.7e74b2p-5f);
    p = ::fmaf(s, ::fmaf(s, p, 0x1.32970cp-4f), 0x1.555728p-3f);
    return ::fmaf(p * s, x, x);
}

// Half of so many pi, and x: 48 bits of pi / 2 are the product of two numbers.
__device__ float add_half_pi(float times, float x) { return ::fmaf(0x1.ddcb02p-1f * times, 0x1.aee9d6p+0f, x); }

// CUDA's take a square root as IEEE asks for, which 4 ulp do not need. acos(a) is 2 * asin(sqrt((1 - a) / 2)).
__device__ float acos(float x) {
    float a = ::fabsf(x), root = native_sqrt(::fmaf(-0.5f, a, 0.5f));
    bool near_one = a > 0.5625f;
    float r = short_asin(near_one ? root : a), times = near_one ? (x < 0 ? 2.0f : 0.0f) : 1.0f;
    return add_half_pi(times, ::copysignf(near_one ? 2 * r : r, near_one ? x : -x));
}

__device__ float asin(float x) {
    float a = ::fabsf(x), root = native_sqrt(::fmaf(-0.5f, a, 0.5f));
    bool near_one = a > 0.5625f;
    float r = short_asin(near_one ? root : a), rest = add_half_pi(1, -2 * r);
    return ::copysignf(near_one ? rest : r, x);
}

__device__ float native_exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ float native_recip(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ float native_rsqrt(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

// What is left of x when the nearest multiple of pi / 2, which comes in three parts, is taken off. Up to 2^16 that is not off by more
// than the last part's rounding; what the half_ functions get, and half, is no larger.
__device__ float rest_of_quarter(float x, int& quarter) {
    float k = ::rintf(x * M_2_PI_F);
    quarter = int(k);
    return ::fmaf(k, 0x1.ee59da0p-50f, ::fmaf(k, 0x1.777a5cp-25f, ::fmaf(k, -M_PI_2_F, x)));
}

// Sine and cosine of up to pi / 4.
__device__ float short_sin(float r) {
    float s = r * r;
    return ::fmaf(r * s, ::fmaf(s, ::fmaf(s, -0x1.9f6446p-13f, 0x1.110ea4p-7f), -0x1.555536p-3f), r);
}
__device__ float short_cos(float r) {
    float s = r * r;
    return ::fmaf(s, ::fmaf(s, ::fmaf(s, -0x1.6b5ed4p-10f, 0x1.555346p-5f), -0.5f), 1.0f);
}

// The sine of x >= 0 and so many quarters more.
__device__ float sin_of_quarters(float x, int more) {
    int quarter;
    float r = rest_of_quarter(x, quarter), y = (quarter + more) & 1 ? short_cos(r) : short_sin(r);
    return (quarter + more) & 2 ? -y : y;
}

__device__ float sin_of_angle(float x) { return ::copysignf(1.0f, x) * sin_of_quarters(::fabsf(x), 0); }
__device__ float cos_of_angle(float x) { return sin_of_quarters(::fabsf(x), 1); }
__device__ float tan_of_angle(float x) {
    int quarter;
    float r = rest_of_quarter(::fabsf(x), quarter), s = short_sin(r), c = short_cos(r);
    return ::copysignf(1.0f, x) * (quarter & 1 ? -c * native_recip(s) : s * native_recip(c));
}

// "x is an angle in radians, and must be in the range [-2^16, +2^16]." A larger one gives the sine of something, too, as Khronos' tests
// want it: up to 2^20 its own, roughly, then that of 0; infinity gives a NaN.
__device__ float angle_in_reach(float x) { return ::fabsf(x) > 0x1p20f ? x * 0.0f : x; }

__device__ float half_sin(float x) { return sin_of_angle(angle_in_reach(x)); }
__device__ float half_cos(float x) { return cos_of_angle(angle_in_reach(x)); }
__device__ float half_tan(float x) { return tan_of_angle(angle_in_reach(x)); }

}  // namespace ocl
