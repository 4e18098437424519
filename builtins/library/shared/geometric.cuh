// Geometric functions (6.15.5) of 1 to 4 components.

namespace ocl {

template<class T> __device__ vec<T, 3> cross(vec<T, 3> a, vec<T, 3> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template<class T> __device__ vec<T, 4> cross(vec<T, 4> a, vec<T, 4> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}

template<class T> __device__ T dot(T a, T b) { return a * b; }
// Where a program computes a product itself that is one of these, a compiler would add it instead of fusing the two.
template<class T> __device__ T dot(vec<T, 2> a, vec<T, 2> b) { return mad(a.x, b.x, a.y * b.y); }
template<class T> __device__ T dot(vec<T, 3> a, vec<T, 3> b) { return mad(a.z, b.z, mad(a.x, b.x, a.y * b.y)); }
template<class T> __device__ T dot(vec<T, 4> a, vec<T, 4> b) { return mad(a.w, b.w, mad(a.z, b.z, mad(a.x, b.x, a.y * b.y))); }

// "length calculates the length of a vector without overflow or extraordinary precision loss due to underflow" (7.5.1), and so
// do distance and normalize: where a sum of squares is no good, the vector is multiplied by a power of two first.
__device__ bool is_good_square(float square) { return square > 0x1p-100f && square < 0x1p127f; }
__device__ bool is_good_square(double square) { return square > 0x1p-900 && square < 0x1p1023; }

__device__ float scale_down(float) { return 0x1p-66f; }
__device__ double scale_down(double) { return 0x1p-600; }

__device__ float scale_up(float) { return 0x1p86f; }
__device__ double scale_up(double) { return 0x1p600; }

template<class T> __device__ T largest(T x, T y, T z, T w) {
    return fmax(fmax(fabs(x), fabs(y)), fmax(fabs(z), fabs(w)));
}

template<class T> __device__ T scaled_length(T x, T y, T z, T w) {
    bool is_large = largest(x, y, z, w) > 1;
    T scale = is_large ? scale_down(x) : scale_up(x);
    x *= scale, y *= scale, z *= scale, w *= scale;
    return sqrt(x * x + y * y + z * z + w * w) * (is_large ? 1 / scale_down(x) : 1 / scale_up(x));
}

template<class T> __device__ T length(T v) { return fabs(v); }
template<class T> __device__ T length(vec<T, 2> v) {
    T s = v.x * v.x + v.y * v.y;
    return is_good_square(s) ? sqrt(s) : scaled_length(v.x, v.y, T(0), T(0));
}
template<class T> __device__ T length(vec<T, 3> v) {
    T s = v.x * v.x + v.y * v.y + v.z * v.z;
    return is_good_square(s) ? sqrt(s) : scaled_length(v.x, v.y, v.z, T(0));
}
template<class T> __device__ T length(vec<T, 4> v) {
    T s = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    return is_good_square(s) ? sqrt(s) : scaled_length(v.x, v.y, v.z, v.w);
}

template<class T> __device__ T distance(T a, T b) { return fabs(a - b); }
template<class T> __device__ T distance(vec<T, 2> a, vec<T, 2> b) { return length(vec<T, 2>{a.x - b.x, a.y - b.y}); }
template<class T> __device__ T distance(vec<T, 3> a, vec<T, 3> b) { return length(vec<T, 3>{a.x - b.x, a.y - b.y, a.z - b.z}); }
template<class T> __device__ T distance(vec<T, 4> a, vec<T, 4> b) {
    return length(vec<T, 4>{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w});
}

// normalize of an infinite vector "shall proceed as if": v[i] = isinf(v[i]) ? copysign(1.0, v[i]) : 0.0 * v[i] (7.5.1).
template<class T> __device__ T finite_direction(T x, T infinite) { return fabs(x) == infinite ? copysign(T(1), x) : 0 * x; }

// A vector that is too long is not made shorter and then divided: what underflows in the first step would be lost for the second.
// A length that is nearly too large for its type has no inverse that is normal; a sixteenth of it has.
template<class T> __device__ vec<T, 4> scaled_normalize(T x, T y, T z, T w) {
    T most = largest(x, y, z, w), scale = most > 1 ? T(0.0625) : scale_up(x), down = most > 1 ? scale_down(x) : 1;
    if (most - most != 0) {
        x = finite_direction(x, most), y = finite_direction(y, most), z = finite_direction(z, most), w = finite_direction(w, most);
        scale = down = 1;
    }
    x *= scale, y *= scale, z *= scale, w *= scale;
    T a = x * down, b = y * down, c = z * down, d = w * down;
    T square = a * a + b * b + c * c + d * d, r = (square == 0 ? 1 : rsqrt(square)) * down;
    return {x * r, y * r, z * r, w * r};
}

template<class T> __device__ T normalize(T v) { return v == 0 || v != v ? v : copysign(T(1), v); }
template<class T> __device__ vec<T, 2> normalize(vec<T, 2> v) {
    T square = v.x * v.x + v.y * v.y, r = rsqrt(square);
    if (is_good_square(square)) return {v.x * r, v.y * r};
    vec<T, 4> u = scaled_normalize(v.x, v.y, T(0), T(0));
    return {u.x, u.y};
}
template<class T> __device__ vec<T, 3> normalize(vec<T, 3> v) {
    T square = v.x * v.x + v.y * v.y + v.z * v.z, r = rsqrt(square);
    if (is_good_square(square)) return {v.x * r, v.y * r, v.z * r};
    vec<T, 4> u = scaled_normalize(v.x, v.y, v.z, T(0));
    return {u.x, u.y, u.z};
}
template<class T> __device__ vec<T, 4> normalize(vec<T, 4> v) {
    T square = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, r = rsqrt(square);
    if (is_good_square(square)) return {v.x * r, v.y * r, v.z * r, v.w * r};
    vec<T, 4> u = scaled_normalize(v.x, v.y, v.z, v.w);
    return {u.x, u.y, u.z, u.w};
}

// "If the sum of squares is less than FLT_MIN then the implementation may return back p."
__device__ float inverse_length(float square) { return square < FLT_MIN ? 1.0f : ::rsqrtf(square); }

__device__ float fast_length(float v) { return ::fabsf(v); }
__device__ float fast_length(float2 v) { return ::sqrtf(v.x * v.x + v.y * v.y); }
__device__ float fast_length(float3 v) { return ::sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }
__device__ float fast_length(float4 v) { return ::sqrtf(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w); }

__device__ float fast_distance(float a, float b) { return ::fabsf(a - b); }
__device__ float fast_distance(float2 a, float2 b) { return fast_length(float2{a.x - b.x, a.y - b.y}); }
__device__ float fast_distance(float3 a, float3 b) { return fast_length(float3{a.x - b.x, a.y - b.y, a.z - b.z}); }
__device__ float fast_distance(float4 a, float4 b) { return fast_length(float4{a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}); }

__device__ float fast_normalize(float v) { return v * inverse_length(v * v); }
__device__ float2 fast_normalize(float2 v) {
    float r = inverse_length(v.x * v.x + v.y * v.y);
    return {v.x * r, v.y * r};
}
__device__ float3 fast_normalize(float3 v) {
    float r = inverse_length(v.x * v.x + v.y * v.y + v.z * v.z);
    return {v.x * r, v.y * r, v.z * r};
}
__device__ float4 fast_normalize(float4 v) {
    float r = inverse_length(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
    return {v.x * r, v.y * r, v.z * r, v.w * r};
}

}  // namespace ocl
