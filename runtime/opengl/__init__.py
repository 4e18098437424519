"""OpenGL and EGL as they are, through ctypes: contexts that share the application's objects, what an object is, and its contents in
and out of memory. Nothing here knows OpenCL's objects, errors or rules; both drivers and the memory objects stand on it.

The libraries are loaded when something first asks for them, and a machine without them shares nothing.
"""
