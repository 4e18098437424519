"""The CUDA driver: translated programs compiled by NVRTC and run through CuPy. The only importer of CuPy."""
