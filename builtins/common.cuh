// Common functions (6.15.4), scalar.

namespace ocl {

// "Returns fmin(fmax(x, minval), maxval)."
__device__ float clamp(float x, float low, float high) { return ::fminf(::fmaxf(x, low), high); }

__device__ double clamp(double x, double low, double high) { return ::fmin(::fmax(x, low), high); }

__device__ float max(float x, float y) { return ::max(x, y); }

__device__ double max(double x, double y) { return ::max(x, y); }

__device__ float min(float x, float y) { return ::min(x, y); }

__device__ double min(double x, double y) { return ::min(x, y); }

}  // namespace ocl
