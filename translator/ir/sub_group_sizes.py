"""What intel_reqd_sub_group_size may ask for: a warp and its tiles. Kernels that do not ask have the largest.

Devices tell these sizes before anything is known of kernels, so this file stands by itself.
"""

SUB_GROUP_SIZES = (8, 16, 32)
