// What keeps sums in loops under their conditions.

namespace ocl {

// The optimiser makes `if (condition) count++;` a sum that is always computed, and a choice between it and the old value: two instructions.
// It leaves under the condition what an assembly statement might change. That is empty, and so the machine has one sum with a predicate.
//: stays_conditional
__device__ void stays_conditional(int& sum) { asm("" : "+r"(sum)); }
__device__ void stays_conditional(uint& sum) { asm("" : "+r"(sum)); }
__device__ void stays_conditional(double& sum) { asm("" : "+d"(sum)); }

}  // namespace ocl
