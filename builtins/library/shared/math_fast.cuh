// The half_ and native_ functions of float (6.15.2). A half_ function may err by 8192 ulp, everywhere: of CUDA's fast
// intrinsics only those keep that bound which are not exact to an absolute error alone. A native_ function is CUDA's fastest.

namespace ocl {

__device__ float half_cos(float x) { return ::cosf(x); }
__device__ float half_divide(float x, float y) { return x / y; }
__device__ float half_exp(float x) { return ::__expf(x); }
__device__ float half_exp2(float x) { return ::exp2f(x); }
__device__ float half_exp10(float x) { return ::__exp10f(x); }
__device__ float half_log(float x) { return ::logf(x); }
__device__ float half_log2(float x) { return ::log2f(x); }
__device__ float half_log10(float x) { return ::log10f(x); }
__device__ float half_powr(float x, float y) { return powr(x, y); }
__device__ float half_recip(float x) { return 1 / x; }
__device__ float half_rsqrt(float x) { return ::rsqrtf(x); }
__device__ float half_sin(float x) { return ::sinf(x); }
__device__ float half_sqrt(float x) { return ::sqrtf(x); }
__device__ float half_tan(float x) { return ::tanf(x); }

__device__ float native_cos(float x) { return ::__cosf(x); }
__device__ float native_divide(float x, float y) { return ::__fdividef(x, y); }
__device__ float native_exp(float x) { return ::__expf(x); }
__device__ float native_exp10(float x) { return ::__exp10f(x); }
__device__ float native_log(float x) { return ::__logf(x); }
__device__ float native_log2(float x) { return ::__log2f(x); }
__device__ float native_log10(float x) { return ::__log10f(x); }
__device__ float native_powr(float x, float y) { return ::__powf(x, y); }
__device__ float native_sin(float x) { return ::__sinf(x); }
__device__ float native_tan(float x) { return ::__tanf(x); }

}  // namespace ocl
