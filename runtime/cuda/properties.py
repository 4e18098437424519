"""A CUDA device's facts, asked attribute by attribute."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..driver.properties import DeviceProperties, ImageLimits
from ..opengl import library as opengl
from . import shared_memory
from .api import Cuda
from .context import CAPABILITY_MAJOR, CAPABILITY_MINOR

# cudaDeviceAttr, by the names of the header.
MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1, 2, 3, 4
TOTAL_CONSTANT_MEMORY, WARP_SIZE, REGISTERS_PER_BLOCK, CLOCK_RATE = 9, 10, 12, 13
MULTI_PROCESSOR_COUNT, KERNEL_EXEC_TIMEOUT, INTEGRATED, ECC_ENABLED = 16, 17, 18, 32
PCI_BUS_ID, PCI_DEVICE_ID, PCI_DOMAIN_ID = 33, 34, 50
MEMORY_CLOCK_RATE, MEMORY_BUS_WIDTH, L2_CACHE_SIZE, MAX_THREADS_PER_MULTIPROCESSOR, ASYNC_ENGINE_COUNT = 36, 37, 38, 39, 40
FILE_DESCRIPTORS = 103  # CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
SHARED_MEMORY_OPTIN = 97

TEXTURE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT = 14, 51
# The sizes of textures and of surfaces: each image may become both, and 1D and 2D images and arrays share OpenCL's limits.
PLANE_WIDTHS, PLANE_HEIGHTS = (21, 22, 27, 42, 55, 56, 61, 63), (23, 28, 57, 64)
VOLUME_WIDTHS, VOLUME_HEIGHTS, VOLUME_DEPTHS = (24, 58), (25, 59), (26, 60)
LAYERS = (29, 43, 62, 65)

# Kernels read images over buffers as plain memory, by 32-bit coordinates.
MAX_BUFFER_ELEMENTS = 1 << 28

NVIDIA_VENDOR_ID = 0x10DE

# Results of single-precision additions, or multiplications, that a multiprocessor has in a clock cycle, by the compute capability: the
# table of arithmetic instructions in the CUDA C++ Programming Guide. A minor version that is not there is as the one before it.
SINGLES_A_CYCLE = {(5, 0): 128, (6, 0): 64, (6, 1): 128, (7, 0): 64, (8, 0): 64, (8, 6): 128, (9, 0): 128, (10, 0): 128, (12, 0): 128}


def query(cuda: Cuda, ordinal: int) -> DeviceProperties:
    @cache
    def attribute(number: int) -> int:
        """Once each: some take CUDA half a millisecond."""
        return cuda.call(cuda.runtime.deviceGetAttribute, number, ordinal)

    general = cuda.description(ordinal)
    version = cuda.runtime.driverGetVersion()
    name = general["name"]
    memory = int(general["totalGlobalMem"])
    return DeviceProperties(
        name=name.decode() if isinstance(name, bytes) else str(name),
        vendor="NVIDIA Corporation",
        vendor_id=NVIDIA_VENDOR_ID,
        is_gpu=True,
        compute_units=attribute(MULTI_PROCESSOR_COUNT),
        clock_mhz=attribute(CLOCK_RATE) // 1000,
        global_memory=memory,
        max_allocation=memory,
        local_memory=attribute(SHARED_MEMORY_OPTIN),
        constant_memory=attribute(TOTAL_CONSTANT_MEMORY),
        global_cache=attribute(L2_CACHE_SIZE),
        global_cacheline=128,
        max_work_group_size=attribute(MAX_THREADS_PER_BLOCK),
        # CUDA's blocks are less deep; the general variant of a program folds work-groups (`launch`).
        max_work_item_sizes=(attribute(MAX_BLOCK_DIM_X), attribute(MAX_BLOCK_DIM_Y), attribute(MAX_THREADS_PER_BLOCK)),
        sub_group_size=attribute(WARP_SIZE),
        # Kernel parameters may have 32,764 bytes since CUDA 12.1 on compute capability 7.0 and later, 4,096 before.
        max_parameter_size=32764 if version >= 12010 and attribute(CAPABILITY_MAJOR) >= 7 else 4096,
        base_address_align=128,
        unified_memory=bool(attribute(INTEGRATED)),
        driver_version=f"CUDA {version // 1000}.{version % 1000 // 10}",
        extensions=(),
        images=_images(attribute),
        shared_memory=shared_memory.capabilities(cuda, ordinal),
        extra=_extra(cuda, attribute) | _identity(cuda, ordinal, general),
    )


def _images(attribute: Callable[[int], int]) -> ImageLimits:
    def least(numbers: tuple[int, ...]) -> int:
        return min(map(attribute, numbers))

    return ImageLimits(
        plane=(least(PLANE_WIDTHS), least(PLANE_HEIGHTS)),
        volume=(least(VOLUME_WIDTHS), least(VOLUME_HEIGHTS), least(VOLUME_DEPTHS)),
        layers=least(LAYERS),
        buffer=MAX_BUFFER_ELEMENTS,
        pitch_align=attribute(TEXTURE_PITCH_ALIGNMENT),  # in elements, of which the smallest have one byte
        base_align=1,  # where textures cannot be, kernels compute what they read
    )


def _identity(cuda: Cuda, ordinal: int, general: dict[str, Any]) -> dict[str, Any]:
    """What tells the device from others. A locally unique identifier exists on Windows only; elsewhere it is empty or zero."""
    luid = bytes(general.get("luid", b"")).ljust(8, b"\0")[:8]
    mask = {"luid": luid, "node_mask": int(general.get("luidDeviceNodeMask", 0))} if any(luid) else {}
    uuid = bytes(general["uuid"])
    if len(uuid) < 16:
        uuid = cuda.uuid(ordinal)
    return {"uuid": uuid, **mask} if uuid else mask


def _peaks(attribute: Callable[[int], int]) -> dict[str, Any]:
    """Bytes that the device's memory moves in a second, at two transfers a clock cycle, and operations on single floats, an fma being two;
    only what is known. Clock rates are in kHz, the bus is in bits."""
    capability = attribute(CAPABILITY_MAJOR), attribute(CAPABILITY_MINOR)
    older = [each for each in SINGLES_A_CYCLE if each <= capability and each[0] == capability[0]]
    found = {"peak_bandwidth": 2 * attribute(MEMORY_CLOCK_RATE) * 1000 * attribute(MEMORY_BUS_WIDTH) // 8}
    if older:
        found["peak_flops"] = 2 * SINGLES_A_CYCLE[max(older)] * attribute(MULTI_PROCESSOR_COUNT) * attribute(CLOCK_RATE) * 1000
    return {name: value for name, value in found.items() if value}


def _extra(cuda: Cuda, attribute: Callable[[int], int]) -> dict[str, Any]:
    return _peaks(attribute) | {
        "timer_resolution_ns": 500,  # cudaEventElapsedTime: "a resolution of around 0.5 microseconds"
        "error_correction": bool(attribute(ECC_ENABLED)),
        "compute_capability_major": attribute(CAPABILITY_MAJOR),
        "compute_capability_minor": attribute(CAPABILITY_MINOR),
        "registers_per_block": attribute(REGISTERS_PER_BLOCK),
        "warp_size": attribute(WARP_SIZE),
        "gpu_overlap": attribute(ASYNC_ENGINE_COUNT) > 0,
        "kernel_exec_timeout": bool(attribute(KERNEL_EXEC_TIMEOUT)),
        "integrated_memory": bool(attribute(INTEGRATED)),
        "async_engine_count": attribute(ASYNC_ENGINE_COUNT),
        "texture_alignment": attribute(TEXTURE_ALIGNMENT),
        "texture_pitch_alignment": attribute(TEXTURE_PITCH_ALIGNMENT),
        "pci_bus_id": attribute(PCI_BUS_ID),
        "pci_slot_id": attribute(PCI_DEVICE_ID),
        "pci_domain_id": attribute(PCI_DOMAIN_ID),
        "memory_handles": ("opaque_fd",) if cuda.library is not None and attribute(FILE_DESCRIPTORS) else (),
        # NVIDIA's Vulkan is what exports semaphores; its driver is in the same libraries as NVIDIA's OpenGL.
        "semaphore_handles": ("opaque_fd",) if cuda.library is not None and opengl.nvidia_available() else (),
    }
