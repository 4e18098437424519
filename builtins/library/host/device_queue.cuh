// Where a kernel on the host keeps what it was told about device queues: with the thread, which runs one kernel at a time.

namespace ocl {

//: launched
static thread_local enqueuing launched;

}  // namespace ocl
