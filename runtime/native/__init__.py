"""Calls in C for Python's own use, where a C compiler was at installation: launches that go on as they were made before, `calls.c`, and
kernels' arguments that are plain memory, `arguments.c`. Everything works the same without them, only slower. The driver library for
programs in C is another one (cl2cuda/opencl_icd).

    library   the compiled calls, or None
    build     compiles them
"""
