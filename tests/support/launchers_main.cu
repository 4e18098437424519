// Runs the kernels of the examples, and one that asks for its ids, through their headers; prints a hash of each result. The inputs
// are those of launchers_runs.py, which runs the same through OpenCL and CuPy.
#include "blur_sobel.cuh"
#include "histogram.cuh"
#include "ids.cuh"
#include "mandelbrot.cuh"
#include "matmul.cuh"
#include "nbody.cuh"
#include "rotate.cuh"
#include <cstdint>
#include <cstdio>

using cl2cuda::nd_range;

void hash(const char* name, const void* data, size_t size) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < size; ++i) h = (h ^ ((const unsigned char*)data)[i]) * 1099511628211u;
    std::printf("%s %016llx\n", name, (unsigned long long)h);
}

void check(cudaError_t error) {
    if (error) std::printf("error %s\n", cudaGetErrorString(error));
}

template<class T> T* shared(size_t count) {
    T* memory = nullptr;
    check(cudaMallocManaged(&memory, count * sizeof(T)));
    cudaMemset(memory, 0, count * sizeof(T));
    cudaDeviceSynchronize();
    return memory;
}

template<class T> void done(const char* name, const T* data, size_t count) {
    check(cudaDeviceSynchronize());
    hash(name, data, count * sizeof(T));
}

int main() {
    const int m = 70, n = 50, k = 60;
    float *a = shared<float>(m * k), *b = shared<float>(k * n), *c = shared<float>(m * n);
    for (int i = 0; i < m * k; ++i) a[i] = i % 7;
    for (int i = 0; i < k * n; ++i) b[i] = i % 5;
    check(matmul_kernels::matmul(nd_range(64, 80), a, b, c, m, n, k));
    done("matmul", c, m * n);

    unsigned char* data = shared<unsigned char>(100000);
    unsigned* counts = shared<unsigned>(256);
    for (int i = 0; i < 100000; ++i) data[i] = (i % 1000) * (i % 1000) % 251;
    check(histogram_kernels::histogram(nd_range(256 * 16).in_groups(64), data, 100000, counts));
    done("histogram", counts, 256);

    float *bodies = shared<float>(4 * 256), *velocities = shared<float>(4 * 256), *moved = shared<float>(4 * 256);
    for (int i = 0; i < 4 * 256; ++i) bodies[i] = (i * 37 % 101) / 64.0f;
    using vector = ocl_nbody::float4;
    check(nbody_kernels::advance(nd_range(256).in_groups(64), (vector*)bodies, (vector*)velocities, (vector*)moved, 256, 0.01f, 0.5f,
                                 cl2cuda::local_bytes(16 * 64)));
    done("nbody", moved, 4 * 256);

    unsigned char* picture = shared<unsigned char>(4 * 96 * 64);
    check(mandelbrot_kernels::mandelbrot(nd_range(96, 64), (ocl_mandelbrot::uchar4*)picture, {-0.75f, 0.0f}, 3.0f, 60, 2));
    done("mandelbrot", picture, 4 * 96 * 64);

    unsigned char *blurred = shared<unsigned char>(4 * 96 * 64), *edges = shared<unsigned char>(4 * 96 * 64);
    using pixel = ocl_blur_sobel::uchar4;
    check(blur_sobel_kernels::blur(nd_range(96, 64), (pixel*)picture, (pixel*)blurred));
    check(blur_sobel_kernels::sobel(nd_range(96, 64), (pixel*)blurred, (pixel*)edges));
    done("blur_sobel", edges, 4 * 96 * 64);

    auto source = cl2cuda::image::of_2d(cl2cuda::RGBA, cl2cuda::UNORM_INT8, 96, 64);
    auto target = cl2cuda::image::of_2d(cl2cuda::RGBA, cl2cuda::UNORM_INT8, 96, 64);
    source.write(picture);
    check(rotate_kernels::rotate_picture(nd_range(96, 64), source, target, 0.5f));
    target.read(blurred);
    done("rotate", blurred, 4 * 96 * 64);

    unsigned* ids = shared<unsigned>(8 * 35 * 9);
    check(ids_kernels::ids(nd_range(35, 9).in_groups(8, 4).from(3, 2), ids, ocl_ids_general::user::Places{35, {3, 2}}));
    done("ids", ids, 8 * 35 * 9);
}
