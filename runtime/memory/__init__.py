"""Memory objects but images: buffers, pipes, samplers, shared virtual memory. It may import program and what is below it.

    foreign          memory that is not OpenCL's
    buffer, pipe     the objects; their memory is `storage`
    sampler, svm     samplers, allocations of shared virtual memory
    memory_object    what all memory objects have in common
    storage          where contents are, how they move to another device, their shadow on the host
    mapping          regions that are mapped into host memory
    known_memory     what debug mode and traces remember of addresses
"""
