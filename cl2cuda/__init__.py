"""cl2cuda: OpenCL on CUDA.

    import cl2cuda; cl2cuda.install()          # before the first `import pyopencl`
    from cl2cuda import pyopencl as cl         # the same in one line
    %load_ext cl2cuda                          # in IPython and Jupyter
    cl2cuda run SCRIPT.py                      # for a program that nobody wants to change
"""

from .install import InstalledTooLate, install, load_ipython_extension
from .version import VERSION as __version__

__all__ = ["InstalledTooLate", "__version__", "install", "load_ipython_extension"]
