// CUDA's conversion intrinsics for the host.

// To an integer: "values outside the representable range shall clamp to the nearest representable value" (6.4.3.3).
//: saturated
template<class D, class S> __device__ D saturated(S x) {
    constexpr bool is_signed = D(-1) < D(0);
    constexpr D least = is_signed ? D(1ull << (8 * sizeof(D) - 1)) : D(0), greatest = ~least;
    constexpr S beyond = S(greatest / 2 + 1) * 2;
    S low = x >= S(least) ? x : S(least), inside = low < beyond ? low : S(0);
    // Converted without a condition, which keeps loops free of branches.
    D converted = D(inside);
    return x >= beyond ? greatest : x != x ? D(0) : converted;
}

__device__ int __float2int_rn(float x) { return ::saturated<int>(::rintf(x)); }
__device__ int __float2int_rz(float x) { return ::saturated<int>(::truncf(x)); }
__device__ int __float2int_ru(float x) { return ::saturated<int>(::ceilf(x)); }
__device__ int __float2int_rd(float x) { return ::saturated<int>(::floorf(x)); }
__device__ unsigned __float2uint_rn(float x) { return ::saturated<unsigned>(::rintf(x)); }
__device__ unsigned __float2uint_rz(float x) { return ::saturated<unsigned>(::truncf(x)); }
__device__ unsigned __float2uint_ru(float x) { return ::saturated<unsigned>(::ceilf(x)); }
__device__ unsigned __float2uint_rd(float x) { return ::saturated<unsigned>(::floorf(x)); }
__device__ long __float2ll_rn(float x) { return ::saturated<long>(::rintf(x)); }
__device__ long __float2ll_rz(float x) { return ::saturated<long>(::truncf(x)); }
__device__ long __float2ll_ru(float x) { return ::saturated<long>(::ceilf(x)); }
__device__ long __float2ll_rd(float x) { return ::saturated<long>(::floorf(x)); }
__device__ unsigned long __float2ull_rn(float x) { return ::saturated<unsigned long>(::rintf(x)); }
__device__ unsigned long __float2ull_rz(float x) { return ::saturated<unsigned long>(::truncf(x)); }
__device__ unsigned long __float2ull_ru(float x) { return ::saturated<unsigned long>(::ceilf(x)); }
__device__ unsigned long __float2ull_rd(float x) { return ::saturated<unsigned long>(::floorf(x)); }

__device__ int __double2int_rn(double x) { return ::saturated<int>(::rint(x)); }
__device__ int __double2int_rz(double x) { return ::saturated<int>(::trunc(x)); }
__device__ int __double2int_ru(double x) { return ::saturated<int>(::ceil(x)); }
__device__ int __double2int_rd(double x) { return ::saturated<int>(::floor(x)); }
__device__ unsigned __double2uint_rn(double x) { return ::saturated<unsigned>(::rint(x)); }
__device__ unsigned __double2uint_rz(double x) { return ::saturated<unsigned>(::trunc(x)); }
__device__ unsigned __double2uint_ru(double x) { return ::saturated<unsigned>(::ceil(x)); }
__device__ unsigned __double2uint_rd(double x) { return ::saturated<unsigned>(::floor(x)); }
__device__ long __double2ll_rn(double x) { return ::saturated<long>(::rint(x)); }
__device__ long __double2ll_rz(double x) { return ::saturated<long>(::trunc(x)); }
__device__ long __double2ll_ru(double x) { return ::saturated<long>(::ceil(x)); }
__device__ long __double2ll_rd(double x) { return ::saturated<long>(::floor(x)); }
__device__ unsigned long __double2ull_rn(double x) { return ::saturated<unsigned long>(::rint(x)); }
__device__ unsigned long __double2ull_rz(double x) { return ::saturated<unsigned long>(::trunc(x)); }
__device__ unsigned long __double2ull_ru(double x) { return ::saturated<unsigned long>(::ceil(x)); }
__device__ unsigned long __double2ull_rd(double x) { return ::saturated<unsigned long>(::floor(x)); }

// To a float in another direction than to the nearest: the nearest one is compared with the exact value.
// The bits of the next one away from zero are one more. (GCC 12 takes calls of nextafterf under two conditions out of order in vectors of 16.)
//: beside rounded_down rounded_up rounded_to_zero
template<class F, class I> __device__ F beside(F x, bool up) {
    I bits = __builtin_bit_cast(I, x), least = I(1) | (up ? I(0) : I(1) << (8 * sizeof(I) - 1));
    return __builtin_bit_cast(F, x == 0 ? least : bits + ((x > 0) == up ? I(1) : I(-1)));
}
__device__ float beside(float x, bool up) { return ::beside<float, unsigned>(x, up); }
__device__ double beside(double x, bool up) { return ::beside<double, unsigned long>(x, up); }
template<class F, class S> __device__ F rounded_down(S x) { return F(x) > (long double)x ? ::beside(F(x), false) : F(x); }
template<class F, class S> __device__ F rounded_up(S x) { return F(x) < (long double)x ? ::beside(F(x), true) : F(x); }
template<class F, class S> __device__ F rounded_to_zero(S x) { return x < 0 ? ::rounded_up<F>(x) : ::rounded_down<F>(x); }

__device__ float __int2float_rz(int x) { return ::rounded_to_zero<float>(x); }
__device__ float __int2float_ru(int x) { return ::rounded_up<float>(x); }
__device__ float __int2float_rd(int x) { return ::rounded_down<float>(x); }
__device__ float __uint2float_rz(unsigned x) { return ::rounded_to_zero<float>(x); }
__device__ float __uint2float_ru(unsigned x) { return ::rounded_up<float>(x); }
__device__ float __uint2float_rd(unsigned x) { return ::rounded_down<float>(x); }
__device__ float __ll2float_rz(long x) { return ::rounded_to_zero<float>(x); }
__device__ float __ll2float_ru(long x) { return ::rounded_up<float>(x); }
__device__ float __ll2float_rd(long x) { return ::rounded_down<float>(x); }
__device__ float __ull2float_rz(unsigned long x) { return ::rounded_to_zero<float>(x); }
__device__ float __ull2float_ru(unsigned long x) { return ::rounded_up<float>(x); }
__device__ float __ull2float_rd(unsigned long x) { return ::rounded_down<float>(x); }
__device__ double __ll2double_rz(long x) { return ::rounded_to_zero<double>(x); }
__device__ double __ll2double_ru(long x) { return ::rounded_up<double>(x); }
__device__ double __ll2double_rd(long x) { return ::rounded_down<double>(x); }
__device__ double __ull2double_rz(unsigned long x) { return ::rounded_to_zero<double>(x); }
__device__ double __ull2double_ru(unsigned long x) { return ::rounded_up<double>(x); }
__device__ double __ull2double_rd(unsigned long x) { return ::rounded_down<double>(x); }
__device__ float __double2float_rz(double x) { return ::rounded_to_zero<float>(x); }
__device__ float __double2float_ru(double x) { return ::rounded_up<float>(x); }
__device__ float __double2float_rd(double x) { return ::rounded_down<float>(x); }

namespace ocl {

__device__ uchar float_to_uchar_rn(float x) { return ::saturated<uchar>(::rintf(x)); }
__device__ uchar float_to_uchar_rz(float x) { return ::saturated<uchar>(::truncf(x)); }
__device__ uchar float_to_uchar_ru(float x) { return ::saturated<uchar>(::ceilf(x)); }
__device__ uchar float_to_uchar_rd(float x) { return ::saturated<uchar>(::floorf(x)); }

}  // namespace ocl
