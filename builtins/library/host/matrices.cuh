// Products of matrices by a sub-group (cl_intel_subgroup_matrix_multiply_accumulate) on the host: the work-items meet with their parts.

namespace ocl {

//: matrix_mad
template<uint N, class EA, class EB, class Acc, class A, class B, class C>
__device__ C matrix_mad(A a, B b, C acc, int place) {
    const met<A, N> others = meet(a, place, sub_group_tile<N>{});
    return matrix_column_of<N, EA, EB, Acc, A>([&](uint i) { return others[i]; }, b, acc);
}

}  // namespace ocl
