// Integer functions (6.15.3), scalar; a template stands for the eight integer types, or for those that its neighbours leave.

namespace ocl {

//: unsigned_of
template<class T> struct unsigned_of { using type = T; };
template<> struct unsigned_of<char> { using type = uchar; };
template<> struct unsigned_of<short> { using type = ushort; };
template<> struct unsigned_of<int> { using type = uint; };
template<> struct unsigned_of<long> { using type = ulong; };

//: signed_of
template<class T> struct signed_of { using type = T; };
template<> struct signed_of<uchar> { using type = char; };
template<> struct signed_of<ushort> { using type = short; };
template<> struct signed_of<uint> { using type = int; };
template<> struct signed_of<ulong> { using type = long; };

// Bits of a type, its least and its greatest value.
template<class T> constexpr int bits = 8 * sizeof(T);
template<class T> constexpr bool is_signed = T(-1) < T(0);
template<class T> constexpr T least = is_signed<T> ? T(1ull << (bits<T> - 1)) : T(0);
template<class T> constexpr T greatest = T(~least<T>);

// |x| as the unsigned type: the least value has one, too.
template<class T> __device__ typename unsigned_of<T>::type abs(T x) {
    using U = typename unsigned_of<T>::type;
    return x < T(0) ? U(0) - U(x) : U(x);
}

template<class T> __device__ typename unsigned_of<T>::type abs_diff(T x, T y) {
    using U = typename unsigned_of<T>::type;
    if constexpr (sizeof(T) < 4) return U(::__sad(int(x), int(y), 0));
    if constexpr (sizeof(T) == 4) return is_signed<T> ? ::__sad(x, y, 0) : ::__usad(x, y, 0);
    return x < y ? U(y) - U(x) : U(x) - U(y);
}

// What is narrower than int is added as int and clamped; int and long overflow where both signs differ from the sum's.
template<class T> __device__ T add_sat(T x, T y) {
    using U = typename unsigned_of<T>::type;
    if constexpr (sizeof(T) < 4) {
        int sum = x + y;
        return sum < least<T> ? least<T> : sum > greatest<T> ? greatest<T> : T(sum);
    }
    T sum = T(U(x) + U(y));
    if constexpr (is_signed<T>) return ((x ^ sum) & (y ^ sum)) >= 0 ? sum : x < 0 ? least<T> : greatest<T>;
    return sum < x ? greatest<T> : sum;
}

template<class T> __device__ T sub_sat(T x, T y) {
    using U = typename unsigned_of<T>::type;
    if constexpr (sizeof(T) < 4) {
        int difference = x - y;
        return difference < least<T> ? least<T> : difference > greatest<T> ? greatest<T> : T(difference);
    }
    T difference = T(U(x) - U(y));
    if constexpr (is_signed<T>) return ((x ^ y) & (x ^ difference)) >= 0 ? difference : x < 0 ? least<T> : greatest<T>;
    return x < y ? T(0) : difference;
}

// "The intermediate sum does not modulo overflow": an int holds that of narrower types; else it is the common bits, and half of those that
// differ.
template<class T> __device__ T hadd(T x, T y) {
    if constexpr (sizeof(T) < 4) return T((x + y) >> 1);
    return (x & y) + ((x ^ y) >> 1);
}

template<class T> __device__ T rhadd(T x, T y) {
    if constexpr (sizeof(T) < 4) return T((x + y + 1) >> 1);
    return (x | y) - ((x ^ y) >> 1);
}

// Those of uchar are CUDA's of int: by a comparison they would become instructions of 16 bits, whose other half has to be masked. Those of
// short and ushort become such, of two at once.
template<class T> __device__ T max(T x, T y) {
    if constexpr (sizeof(T) == 1 && !is_signed<T>) return T(::max(int(x), int(y)));
    return x < y ? y : x;
}

template<class T> __device__ T min(T x, T y) {
    if constexpr (sizeof(T) == 1 && !is_signed<T>) return T(::min(int(x), int(y)));
    return y < x ? y : x;
}

template<class T> __device__ T clamp(T x, T low, T high) { return min(max(x, low), high); }

// "If x is 0, returns the size in bits of the type of x."
template<class T> __device__ T clz(T x) {
    if constexpr (sizeof(T) == 8) return ::__clzll(x);
    return ::__clz(int(typename unsigned_of<T>::type(x))) - (32 - bits<T>);
}

template<class T> __device__ T ctz(T x) {
    if constexpr (sizeof(T) == 8) return x == 0 ? 64 : ::__ffsll(x) - 1;
    return x == 0 ? bits<T> : ::__ffs(int(x)) - 1;
}

template<class T> __device__ T popcount(T x) {
    if constexpr (sizeof(T) == 8) return ::__popcll(x);
    return ::__popc(typename unsigned_of<T>::type(x));
}

template<class T> __device__ T mul_hi(T x, T y) { return (x * y) >> (8 * sizeof(T)); }
__device__ ushort mul_hi(ushort x, ushort y) { return uint(x) * y >> 16; }
__device__ int mul_hi(int x, int y) { return ::__mulhi(x, y); }
__device__ uint mul_hi(uint x, uint y) { return ::__umulhi(x, y); }
__device__ long mul_hi(long x, long y) { return ::__mul64hi(x, y); }
__device__ ulong mul_hi(ulong x, ulong y) { return ::__umul64hi(x, y); }

template<class T> __device__ T mad_hi(T a, T b, T c) {
    using U = typename unsigned_of<T>::type;
    return T(U(mul_hi(a, b)) + U(c));
}

// Up to 32 bits the exact value fits into a long; of a 64-bit product the high half tells whether it overflows.
template<class T> __device__ T mad_sat(T a, T b, T c) {
    int exact = a * b + c;
    return exact < least<T> ? least<T> : exact > greatest<T> ? greatest<T> : T(exact);
}

// 65535 * 65535 + 65535 fits into an unsigned int only.
__device__ ushort mad_sat(ushort a, ushort b, ushort c) {
    uint exact = uint(a) * b + c;
    return exact > 65535 ? 65535 : exact;
}

__device__ int mad_sat(int a, int b, int c) {
    long exact = long(a) * b + c;
    return exact < least<int> ? least<int> : exact > greatest<int> ? greatest<int> : int(exact);
}

__device__ uint mad_sat(uint a, uint b, uint c) {
    ulong exact = ulong(a) * b + c;
    return exact > greatest<uint> ? greatest<uint> : uint(exact);
}

__device__ long mad_sat(long a, long b, long c) {
    ulong low = ulong(a) * ulong(b), sum = low + ulong(c);
    long high = ::__mul64hi(a, b) + (c >> 63) + (sum < low);
    return high == long(sum) >> 63 ? long(sum) : high < 0 ? least<long> : greatest<long>;
}

__device__ ulong mad_sat(ulong a, ulong b, ulong c) {
    ulong low = a * b, sum = low + c;
    return ::__umul64hi(a, b) != 0 || sum < low ? greatest<ulong> : sum;
}

// An intrinsic where it is one instruction: shifts become that, too, but count as three when a compiler decides which loops to unroll.
template<class T> __device__ T rotate(T v, T i) {
    using U = typename unsigned_of<T>::type;
    #ifdef __CUDA_ARCH__
    if constexpr (sizeof(T) == 4) return T(::__funnelshift_l(U(v), U(v), U(i)));
    #endif
    int left = i & (bits<T> - 1), right = -left & (bits<T> - 1);
    return T(U(U(v) << left) | U(U(v) >> right));
}

__device__ short upsample(char high, uchar low) { return short(ushort(uchar(high)) << 8 | low); }

__device__ ushort upsample(uchar high, uchar low) { return ushort(high) << 8 | low; }

__device__ int upsample(short high, ushort low) { return int(uint(ushort(high)) << 16 | low); }

__device__ uint upsample(ushort high, ushort low) { return uint(high) << 16 | low; }

__device__ long upsample(int high, uint low) { return long(ulong(uint(high)) << 32 | low); }

__device__ ulong upsample(uint high, uint low) { return ulong(high) << 32 | low; }

// "mul24 should only be used when values in x and y are in the range": then the full product is the 24-bit one, and the
// hardware multiplies 32 bits faster.
template<class T> __device__ T mul24(T x, T y) { return x * y; }

template<class T> __device__ T mad24(T x, T y, T z) { return x * y + z; }

// x++ and x-- for signed integers narrower than int. NVRTC takes their overflow for undefined in ++ and --, where C computes in
// int and brings the result back into the range.
//: post_step
template<class T> __device__ T post_step(T& x, int by) {
    T old = x;
    x = (T)(x + by);
    return old;
}

}  // namespace ocl
