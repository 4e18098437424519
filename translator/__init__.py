"""OpenCL C to CUDA C++: text to text, with the metadata of each kernel. Pure: no GPU, no CuPy, no NumPy."""
class Translation: pass
