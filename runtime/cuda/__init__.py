"""The CUDA driver: translated programs compiled by NVRTC and run through CuPy. The only importer of CuPy.

One file each: `launching` (cuLaunchKernel, by one thread or by several), `api` (CuPy and the few calls it lacks),
`nvrtc` (the compiler), `options` (its flags), `properties`, `context` (what a device's parts share), `timeline`, `staging`,
`shared_memory`, `arrays` and `image`, `capture`, `box_writes`, `copy_sizes`, `image_copies`, `stream` (copies, fills, fences),
`linker` (pieces of others' code), `launch` (grids and variants), `module` (loading), `graph` (recorded commands),
`external` (what others exported), `peer` (copies between devices), `device`, `devices` (all of them).
Each imports only from those before it. `initialization` stands beside them: CUDA's own start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import initialization, preparation

if TYPE_CHECKING:
    from ..driver.device import Driver


def driver() -> Driver:
    """What runtime/devices/platform.py loads. Who only compiles imports none of what devices take. While CUDA starts, what programs are
    going to need is imported."""
    initialization.begin()
    from .devices import CudaDriver

    initialization.end(preparation.steps())
    return CudaDriver()
