"""Memory objects but images: buffers, pipes, samplers, shared virtual memory. It may import program and what is below it.

    foreign          memory that is not OpenCL's
    buffer, pipe     the objects; their memory is `storage`
    sampler, svm     samplers, allocations of shared virtual memory
    memory_object    what all memory objects have in common
    replicated       storage in a context of several devices: contents valid in several places
    storage          where contents are on a device, their shadow on the host
    uses             which commands wrote contents or read them on another device
    directory        which bytes are valid where
    mapping          regions that are mapped into host memory
    known_memory     what debug mode and traces remember of addresses
"""
