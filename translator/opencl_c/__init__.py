"""The front end for OpenCL C: preprocess -> parse -> analyse -> ir. It may import ir, options and diagnostics, not emit."""
