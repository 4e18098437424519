"""OpenCL's objects and commands, over a driver. Faces call this room; it imports translator and builtins, and no face.

Its rooms, the top floor first; each imports only from those below it:

    command_buffer   recorded commands (cl_khr_command_buffer)
    commands         what is enqueued: one file a kind of command
    kernel           kernels and their arguments
    graphics         memory objects and events made of OpenGL's and EGL's objects
    image            image objects and their storage
    memory           buffers, pipes, samplers, shared virtual memory
    program          programs, built or linked
    queue            command-queues, events, the order of what runs
    context          contexts, and memory that their queues give back
    devices          platform, devices, their queries
    build            from a source to a binary, in this process or another, and the disk cache of both
    cuda, host, remote   the drivers
    native           launches, copies and markers in C for Python's own calls
    process          what a process has one of: environment, debug mode, trace, workers
    driver           the interface of a driver
    opengl           OpenGL and EGL as they are, through ctypes
    spec             codes, errors, versions, queries: facts of the specification
"""
