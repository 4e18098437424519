"""Contexts: what objects share, and memory on its way back to the device. It may import devices and what is below it."""
