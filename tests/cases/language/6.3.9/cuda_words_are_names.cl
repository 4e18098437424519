// 6.3.9: Names reserved as keywords by C99 shall not be used otherwise.
// expect: valid
// result: 7
kernel void cuda_words_are_names(global int *out) {
    int threadIdx = 1, blockDim = 2, warpSize = 4;
    out[0] = threadIdx + blockDim + warpSize;
}
