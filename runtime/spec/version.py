"""The version strings that platform and devices carry.

They name no release of ours: programs look for "1.0" or "1.1" anywhere in them, to tell devices that are older, and a release may
read so. CL_DRIVER_VERSION tells it.
"""

from __future__ import annotations

PLATFORM_VERSION = "OpenCL 3.0 cl2cuda"
OPENCL_C_VERSION = "OpenCL C 1.2 cl2cuda"
