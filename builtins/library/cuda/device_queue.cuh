// Where a kernel on CUDA keeps what it was told about device queues: every work-item writes the same.

namespace ocl {

//: launched
__shared__ enqueuing launched;

}  // namespace ocl
