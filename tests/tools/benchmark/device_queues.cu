// CUDA's own dynamic parallelism, by hand: what device_queues.py measures beside kernels that enqueue kernels. Built by that:
//     nvcc -std=c++17 -O3 -arch=native -rdc=true device_queues.cu -lcudadevrt -o device_queues
// Arguments: how often each is repeated, then wide:COUNT or deep:COUNT; a line "form count seconds", or "form count - why", for each.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__global__ void one(int* count) { atomicAdd(count, 1); }

__global__ void wide(int* count, int each) {
    for (int i = 0; i < each; i++) one<<<1, 1, 0, cudaStreamFireAndForget>>>(count);
}

__global__ void deep(int* count, int left) {
    atomicAdd(count, 1);
    if (left > 1) deep<<<1, 1, 0, cudaStreamTailLaunch>>>(count, left - 1);
}

static void launch(bool is_wide, int* count, int number) {
    if (!is_wide) {
        deep<<<1, 1>>>(count, number);
        return;
    }
    const int items = number % 1000 == 0 ? 1000 : number % 100 == 0 ? 100 : 1;
    wide<<<items, 1>>>(count, number / items);
}

int main(int argc, char** argv) {
    int* count;
    cudaMalloc(&count, sizeof(int));
    for (int i = 2; i < argc; i++) {
        const bool is_wide = strncmp(argv[i], "wide", 4) == 0;
        const int number = atoi(strchr(argv[i], ':') + 1);
        cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, std::max(number, 2048));
        double best = 1e30;
        std::string wrong;
        for (int turn = 0; turn <= atoi(argv[1]) && wrong.empty(); turn++) {  // the first one loads
            cudaMemset(count, 0, sizeof(int));
            cudaDeviceSynchronize();
            const auto start = std::chrono::steady_clock::now();
            launch(is_wide, count, number);
            const cudaError_t error = cudaDeviceSynchronize();
            best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
            int found = 0;
            cudaMemcpy(&found, count, sizeof(int), cudaMemcpyDeviceToHost);
            if (error != cudaSuccess) wrong = cudaGetErrorString(error);
            else if (found != number) wrong = std::to_string(found) + " have run";
        }
        if (wrong.empty()) printf("%.4s %d %.9f\n", argv[i], number, best);
        else printf("%.4s %d - %s\n", argv[i], number, wrong.c_str());
        fflush(stdout);
        cudaGetLastError();
    }
}
