"""Kernels and their arguments. It may import image and what is below it."""
