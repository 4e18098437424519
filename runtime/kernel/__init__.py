"""Kernels and their arguments. It may import image and what is below it.

    watch, sub_groups   what debug mode says of a launch; clGetKernelSubGroupInfo
    kernel              the object
    arguments           a setter for each argument, which checks what it is given
    argument_values     the values in the driver's form
    array_argument, accepted_images   which values an argument takes
    nd_range, work_size               an index space, and the work-group size that is chosen for it
"""
