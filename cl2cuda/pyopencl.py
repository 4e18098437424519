"""`from cl2cuda import pyopencl as cl`: PyOpenCL over cl2cuda. Importing this name installs cl2cuda and gives PyOpenCL itself."""

import sys

from .install import install

install()

import pyopencl  # noqa: E402

sys.modules[__name__] = pyopencl
