"""Functions that launch translated kernels without OpenCL: what `cl2cuda translate --launchers` writes beside them.

    cuda, cupy, numba   each writes its files for a program
    program             the program that they are given, and what a launch of a kernel takes
    support/            what the written files contain as it stands: C++ for nvcc, Python for CuPy
"""
