// Common functions (6.15.4), scalar.

namespace ocl {

// "Returns fmin(fmax(x, minval), maxval)."
__device__ float clamp(float x, float low, float high) { return ::fminf(::fmaxf(x, low), high); }
__device__ double clamp(double x, double low, double high) { return ::fmin(::fmax(x, low), high); }

__device__ float degrees(float x) { return x * 0x1.ca5dc2p+5f; }
__device__ double degrees(double x) { return x * 0x1.ca5dc1a63c1f8p+5; }

__device__ float max(float x, float y) { return ::max(x, y); }
__device__ double max(double x, double y) { return ::max(x, y); }

__device__ float min(float x, float y) { return ::min(x, y); }
__device__ double min(double x, double y) { return ::min(x, y); }

__device__ float mix(float x, float y, float a) { return x + (y - x) * a; }
__device__ double mix(double x, double y, double a) { return x + (y - x) * a; }

__device__ float radians(float x) { return x * 0x1.1df46ap-6f; }
__device__ double radians(double x) { return x * 0x1.1df46a2529d39p-6; }

__device__ float step(float edge, float x) { return x < edge ? 0.0f : 1.0f; }
__device__ double step(double edge, double x) { return x < edge ? 0.0 : 1.0; }

__device__ float smoothstep(float edge0, float edge1, float x) {
    float t = ::fminf(::fmaxf((x - edge0) / (edge1 - edge0), 0.0f), 1.0f);
    return t * t * (3 - 2 * t);
}
__device__ double smoothstep(double edge0, double edge1, double x) {
    double t = ::fmin(::fmax((x - edge0) / (edge1 - edge0), 0.0), 1.0);
    return t * t * (3 - 2 * t);
}

// "Returns 1.0 if x > 0, -0.0 if x = -0.0, +0.0 if x = +0.0, or -1.0 if x < 0. Returns 0.0 if x is a NaN."
__device__ float sign(float x) { return x > 0 ? 1.0f : x < 0 ? -1.0f : x == 0 ? x : 0.0f; }
__device__ double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? x : 0.0; }

}  // namespace ocl
