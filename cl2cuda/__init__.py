"""cl2cuda: OpenCL on CUDA."""

from .version import VERSION as __version__

__all__ = ["__version__"]
