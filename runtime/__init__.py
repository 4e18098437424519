"""OpenCL's object model and commands, over a driver. One file per OpenCL noun."""
