"""The version strings that platform, devices, caches and binaries carry, from the project's one version."""

from __future__ import annotations

from ...version import VERSION

PLATFORM_VERSION = f"OpenCL 3.0 cl2cuda {VERSION}"
OPENCL_C_VERSION = f"OpenCL C 1.2 cl2cuda {VERSION}"
