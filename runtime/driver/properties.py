"""What a driver says of its device: the facts that OpenCL's queries derive from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .linear import Triple


@dataclass(frozen=True)
class ImageLimits:
    """The largest images of a device, in elements: of 1, 2 and 3 dimensions (1 and 2 share `plane`), images
    in an array, images in one dimension over a buffer. `pitch_align` is for the rows, `base_align` for the
    start of 2D images over a buffer."""

    plane: tuple[int, int]
    volume: Triple
    layers: int
    buffer: int
    pitch_align: int
    base_align: int


@dataclass(frozen=True)
class DeviceProperties:
    """Facts about a device that OpenCL's queries derive from; one field a fact, in the driver's own units
    (bytes, MHz).

    `unified_memory` of a device that is no GPU says that device addresses are the host's own, so that mapping
    needs no copy. `shared_memory` says what memory at one address for host and device can do
    (CL_DEVICE_SVM_CAPABILITIES): 0 for none. `item_loops`: kernels with barriers are to be translated as functions for
    whole work-groups, where that is possible. `extra` holds what only some drivers know: "timer_resolution_ns",
    "error_correction", and the facts behind CL_DEVICE_*_NV.
    """

    name: str
    vendor: str
    vendor_id: int
    is_gpu: bool
    compute_units: int
    clock_mhz: int
    global_memory: int
    max_allocation: int
    local_memory: int
    constant_memory: int
    global_cache: int
    global_cacheline: int
    max_work_group_size: int
    max_work_item_sizes: Triple
    sub_group_size: int
    max_parameter_size: int
    base_address_align: int
    unified_memory: bool
    driver_version: str
    extensions: tuple[str, ...]
    images: ImageLimits | None = None
    shared_memory: int = 0
    item_loops: bool = False
    extra: dict[str, Any] = field(default_factory=dict)
