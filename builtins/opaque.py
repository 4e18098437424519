"""The types without operators (6.3.3, table 4; 6.15.12.4): names, and what a program needs to name one.

A pure table. `library` says whether the section files define the type: until they do, a program that names it is valid but
cannot be compiled.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["image", "sampler", "event", "queue", "clk_event", "reserve_id", "ndrange", "atomic", "pipe", "named_barrier"]


class OpaqueType(NamedTuple):
    """requires    an extension or feature; a feature is implied by OpenCL C 2.x
    before      the version below which the type is no name at all
    since       the version from which it needs no `requires`; None: it always does
    library     whether the device library defines it
    size        bytes, as sizeof says
    """

    name: str
    kind: Kind
    since: int = 100
    requires: str = ""
    core: int = 1000
    library: bool = False
    size: int = 8


_ENQUEUE, _PIPES = "__opencl_c_device_enqueue", "__opencl_c_pipes"
_ATOMICS = {"int": 4, "uint": 4, "long": 8, "ulong": 8, "float": 4, "double": 8, "flag": 4, "intptr_t": 8, "uintptr_t": 8,
            "size_t": 8, "ptrdiff_t": 8}
_HALF_ATOMICS = "__opencl_c_ext_fp16_global_atomic_load_store or __opencl_c_ext_fp16_local_atomic_load_store"
_MSAA = ("image2d_msaa_t", "image2d_array_msaa_t", "image2d_msaa_depth_t", "image2d_array_msaa_depth_t")

OPAQUE: dict[str, OpaqueType] = {
    each.name: each
    for each in (
        OpaqueType("image2d_t", "image", library=True),
        OpaqueType("image3d_t", "image", library=True),
        OpaqueType("image2d_array_t", "image", since=120, library=True),
        OpaqueType("image1d_t", "image", since=120, library=True),
        OpaqueType("image1d_buffer_t", "image", since=120, library=True),
        OpaqueType("image1d_array_t", "image", since=120, library=True),
        OpaqueType("image2d_depth_t", "image", requires="cl_khr_depth_images", core=200, library=True),
        OpaqueType("image2d_array_depth_t", "image", requires="cl_khr_depth_images", core=200, library=True),
        *(OpaqueType(name, "image", requires="cl_khr_gl_msaa_sharing") for name in _MSAA),
        OpaqueType("sampler_t", "sampler", library=True),
        OpaqueType("event_t", "event", library=True),
        OpaqueType("queue_t", "queue", since=200, requires=_ENQUEUE, library=True),
        OpaqueType("ndrange_t", "ndrange", since=200, requires=_ENQUEUE, library=True, size=80),
        OpaqueType("clk_event_t", "clk_event", since=200, requires=_ENQUEUE, library=True),
        OpaqueType("named_barrier_t", "named_barrier", since=200, requires="cl_khr_subgroup_named_barrier", library=True, size=16),
        OpaqueType("reserve_id_t", "reserve_id", since=200, requires=_PIPES, library=True),
        *(OpaqueType(f"atomic_{name}", "atomic", since=200, library=True, size=size) for name, size in _ATOMICS.items()),
        OpaqueType("atomic_half", "atomic", since=200, requires=_HALF_ATOMICS, library=True, size=2),
    )
}


def in_library(name: str) -> bool:
    """Whether a program that names the type can be compiled."""
    return name in OPAQUE and OPAQUE[name].library


def cxx_name(name: str, access: str | None) -> str:
    """What the device library calls the type. Images that are read and written are another type: they are read in another way."""
    return f"read_write_{name}" if access == "read_write" else name


# Bytes and alignment of a kernel's parameter of each kind: `image_argument` and `sampler_t` of image.cuh.
ARGUMENTS: dict[str, tuple[int, int]] = {"image": (152, 8), "sampler": (4, 4)}

# Integer types of a name of their own (6.15.8, 6.15.12): values of enumerations of the library.
ENUMERATIONS = {"cl_mem_fence_flags": "uint", "memory_order": "int", "memory_scope": "int", "kernel_enqueue_flags_t": "int",
                "clk_profiling_info": "int"}
ENUMERATIONS_20 = frozenset(ENUMERATIONS) - {"cl_mem_fence_flags"}

# Samplers' bits (6.3.3, 6.15.15.1) by the values of the OpenCL headers, and the fence of images: int and uint constants.
SAMPLER_BITS = {
    "CLK_ADDRESS_NONE": 0, "CLK_ADDRESS_CLAMP_TO_EDGE": 2, "CLK_ADDRESS_CLAMP": 4, "CLK_ADDRESS_REPEAT": 6,
    "CLK_ADDRESS_MIRRORED_REPEAT": 8, "CLK_NORMALIZED_COORDS_FALSE": 0, "CLK_NORMALIZED_COORDS_TRUE": 1,
    "CLK_FILTER_NEAREST": 0x10, "CLK_FILTER_LINEAR": 0x20,
}  # fmt: skip

# What a sampler object adds for mipmapped images (cl_khr_mipmap_image); image.cuh says how a sampler's 32 bits are laid out.
MIP_FILTER_LINEAR = 0x40
LOD_MIN_SHIFT, LOD_MAX_SHIFT, LOD_LIMIT = 8, 20, 4095  # in 1/256; the maximum is stored as LOD_LIMIT less its value


def lod_bits(lod_min: float, lod_max: float) -> int:
    """The bits of CL_SAMPLER_LOD_MIN_KHR and CL_SAMPLER_LOD_MAX_KHR in a sampler's argument."""
    least, greatest = (min(max(round(min(lod, 16.0) * 256), 0), LOD_LIMIT) for lod in (lod_min, lod_max))
    return least << LOD_MIN_SHIFT | (LOD_LIMIT - greatest) << LOD_MAX_SHIFT
