"""Programs that leave OpenCL: kernels with the functions that launch them, and whole projects.

    port          a project: what is found in it, what is written of it
    page, plan    the report for people; the host calls and what CUDA has for them
    sources       kernels in files and in strings of programs; `encoding` of such files
    launchers     functions that launch kernels: for CUDA C++, CuPy and Numba
    cuda_file     the CUDA of a program, in the two variants that launches need

Nothing here needs a GPU, CuPy or Numba; what is written does.
"""
