// A warp of 32 threads that meet at barriers, and what CUDA gives them: for the library's code of matrix products, which can so run
// without a GPU. mma's fragments lie as PTX describes them (Parallel Thread Execution ISA, "Matrix fragments for mma.m16n8k16").

#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

#define __device__ inline
#define __noinline__
#define __CUDA_ARCH__ 800

static thread_local unsigned model_lane;
static std::barrier<> *model_barrier;
static uint64_t model_values[32];
static unsigned model_first[32][4], model_second[32][2];

// What the lanes take each other for.
extern "C" { unsigned model_active = 0xffffffffu; }

static unsigned __activemask() { return model_active; }

static unsigned __shfl_xor_sync(unsigned, unsigned value, unsigned mask) {
    model_values[model_lane] = value;
    model_barrier->arrive_and_wait();
    const unsigned there = (unsigned)model_values[model_lane ^ mask];
    model_barrier->arrive_and_wait();
    return there;
}

template<class T> static T __shfl_sync(unsigned, T value, unsigned lane, unsigned width) {
    model_values[model_lane] = value;
    model_barrier->arrive_and_wait();
    const T there = (T)model_values[(model_lane & ~(width - 1)) + lane % width];
    model_barrier->arrive_and_wait();
    return there;
}

static unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    const uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) result |= (unsigned)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    return result;
}

// first, second: structs that say how many bits an element has, and pick one from a word.
template<class First, class Second, class S>
static void model_product(S (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1) {
    const unsigned first[4] = {a0, a1, a2, a3}, second[2] = {b0, b1};
    for (int i = 0; i < 4; i++) model_first[model_lane][i] = first[i];
    for (int i = 0; i < 2; i++) model_second[model_lane][i] = second[i];
    model_barrier->arrive_and_wait();
    constexpr unsigned in_word = 32 / First::element_bits;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned row = model_lane / 4 + i / 2 * 8, column = model_lane % 4 * 2 + i % 2;
        for (unsigned k = 0; k < 8 * in_word; k++) {
            const unsigned word = k / in_word;
            const unsigned of_first = model_first[row % 8 * 4 + word % 4][word / 4 * 2 + row / 8];
            const unsigned of_second = model_second[column * 4 + word % 4][word / 4];
            d[i] += First::of(of_first, k % in_word) * Second::of(of_second, k % in_word);
        }
    }
    model_barrier->arrive_and_wait();
}

template<class F> static void model_warp(F lane_does) {
    std::barrier<> all(32);
    model_barrier = &all;
    std::vector<std::thread> lanes;
    for (unsigned lane = 0; lane < 32; lane++) lanes.emplace_back([=] { model_lane = lane, lane_does(lane); });
    for (std::thread &lane : lanes) lane.join();
}
