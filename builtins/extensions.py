"""What a program may find beyond the language's core: the extensions, and the optional features of OpenCL C 3.0 (6.2).

The one table of them: predefined macros, `#pragma OPENCL EXTENSION`, the rows' and constants' `requires`, CL_DEVICE_EXTENSIONS
and CL_DEVICE_OPENCL_C_FEATURES all derive from it. To offer one, set `offered` here, once all that it promises works.
"""

from __future__ import annotations

from typing import NamedTuple


class Extension(NamedTuple):
    """version is the extension's own; one that is not offered is here so that a pragma can tell it from a misspelt one.

    Where `only_on_gpus`, the extension is named only by CUDA's devices, whose sub-groups make independent forward progress
    (CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS). What it brings is there without its name, too.

    `since` is the version of OpenCL C that has the types which its functions take: in older ones no macro names it, nor its features.
    """

    name: str
    offered: bool = False
    version: tuple[int, int, int] = (1, 0, 0)
    only_on_gpus: bool = False
    since: int = 100


class Feature(NamedTuple):
    """An optional feature (6.2.1, table 1) by the name of its macro; `needs` are those that must come with it.

    `extension` is the one that brings it: then it is offered with it, and no version of OpenCL C implies it.
    """

    name: str
    offered: bool = False
    needs: tuple[str, ...] = ()
    extension: str = ""


_NAMES = """
cl_khr_gl_msaa_sharing
cl_khr_icd
cl_khr_select_fprounding_mode cl_khr_spir
cl_amd_fp64 cl_amd_media_ops cl_amd_media_ops2 cl_amd_printf cl_intel_printf
cl_intel_device_side_avc_motion_estimation cl_intel_planar_yuv cl_nv_compiler_options
__cl_clang_bitfields __cl_clang_function_pointers __cl_clang_variadic_functions
"""

EXTENSIONS: dict[str, Extension] = {
    each.name: each
    for each in (
        # The five that OpenCL 1.1 requires, and the other precisions.
        Extension("cl_khr_byte_addressable_store", offered=True),
        Extension("cl_khr_global_int32_base_atomics", offered=True),
        Extension("cl_khr_global_int32_extended_atomics", offered=True),
        Extension("cl_khr_local_int32_base_atomics", offered=True),
        Extension("cl_khr_local_int32_extended_atomics", offered=True),
        Extension("cl_khr_fp64", offered=True),
        Extension("cl_khr_fp16", offered=True),
        Extension("cl_khr_int64_base_atomics", offered=True),
        Extension("cl_khr_int64_extended_atomics", offered=True),
        # Programs take the name for NVIDIA's compiler, and then use PTX: all that Futhark generates does.
        Extension("cl_nv_pragma_unroll", offered=True, only_on_gpus=True),
        # "The Khronos subgroups extension guarantees that subgroups in a work group will make independent forward progress"
        # (cl_intel_subgroups, whose own do not).
        Extension("cl_khr_subgroups", offered=True, only_on_gpus=True),
        Extension("cl_khr_subgroup_ballot", offered=True),
        Extension("cl_khr_subgroup_clustered_reduce", offered=True),
        Extension("cl_khr_subgroup_extended_types", offered=True),
        Extension("cl_khr_subgroup_named_barrier", offered=True),
        Extension("cl_khr_subgroup_non_uniform_arithmetic", offered=True),
        Extension("cl_khr_subgroup_non_uniform_vote", offered=True),
        Extension("cl_khr_subgroup_rotate", offered=True),
        Extension("cl_khr_subgroup_shuffle", offered=True),
        Extension("cl_khr_subgroup_shuffle_relative", offered=True),
        Extension("cl_khr_work_group_uniform_arithmetic", offered=True),
        # Images (5.3).
        Extension("cl_khr_3d_image_writes", offered=True),
        Extension("cl_khr_depth_images", offered=True),
        Extension("cl_khr_device_enqueue_local_arg_types", offered=True),
        Extension("cl_khr_image2d_from_buffer", offered=True),
        Extension("cl_khr_mipmap_image", offered=True),
        Extension("cl_khr_mipmap_image_writes", offered=True),
        Extension("cl_khr_srgb_image_writes", offered=True),
        Extension("cl_khr_extended_bit_ops", offered=True),
        Extension("cl_khr_integer_dot_product", offered=True, version=(2, 0, 0)),
        Extension("cl_khr_async_work_group_copy_fence", offered=True),
        Extension("cl_khr_extended_async_copies", offered=True),
        Extension("cl_khr_expect_assume", offered=True),
        Extension("cl_khr_kernel_clock", offered=True, version=(0, 9, 0)),
        Extension("cl_ext_float_atomics", offered=True, since=200),
        Extension("cl_intel_media_block_io", offered=True),
        Extension("cl_intel_required_subgroup_size", offered=True),
        Extension("cl_intel_subgroup_local_block_io", offered=True),
        Extension("cl_intel_subgroup_matrix_multiply_accumulate", offered=True),
        Extension("cl_intel_subgroups", offered=True),
        Extension("cl_intel_subgroups_char", offered=True),
        Extension("cl_intel_subgroups_long", offered=True),
        Extension("cl_intel_subgroups_short", offered=True),
        Extension("cl_khr_initialize_memory", offered=True),
        *map(Extension, _NAMES.split()),
    )
}

_FLOAT_ATOMICS = [f"ext_fp{bits}_{space}_atomic_{operation}"
                  for bits in (32, 64) for space in ("global", "local") for operation in ("add", "min_max")]
_HALF_ATOMICS = [f"ext_fp16_{space}_atomic_{operation}" for space in ("global", "local") for operation in ("load_store", "add", "min_max")]


def _of_extension(extension: str, *names: str, offered: bool = True) -> list[Feature]:
    return [Feature(f"__opencl_c_{name}", offered and EXTENSIONS[extension].offered, extension=extension) for name in names]


FEATURES: dict[str, Feature] = {
    each.name: each
    for each in (
        Feature("__opencl_c_int64", offered=True),
        Feature("__opencl_c_fp64", offered=True),
        Feature("__opencl_c_images", offered=True),
        Feature("__opencl_c_3d_image_writes", offered=True, needs=("__opencl_c_images",)),
        Feature("__opencl_c_read_write_images", offered=True, needs=("__opencl_c_images",)),
        Feature("__opencl_c_atomic_order_acq_rel", offered=True),
        Feature("__opencl_c_atomic_order_seq_cst", offered=True),
        Feature("__opencl_c_atomic_scope_device", offered=True),
        Feature("__opencl_c_atomic_scope_all_devices", offered=True),
        Feature("__opencl_c_generic_address_space", offered=True),
        Feature("__opencl_c_program_scope_global_variables", offered=True),
        Feature("__opencl_c_pipes", offered=True, needs=("__opencl_c_generic_address_space",)),
        Feature("__opencl_c_device_enqueue", offered=True,
                needs=("__opencl_c_generic_address_space", "__opencl_c_program_scope_global_variables")),
        Feature("__opencl_c_subgroups", offered=True),
        Feature("__opencl_c_work_group_collective_functions", offered=True),
        *_of_extension("cl_khr_integer_dot_product", "integer_dot_product_input_4x8bit", "integer_dot_product_input_4x8bit_packed"),
        *_of_extension("cl_khr_kernel_clock", *(f"kernel_clock_scope_{scope}" for scope in ("device", "work_group", "sub_group"))),
        *_of_extension("cl_ext_float_atomics", *_FLOAT_ATOMICS),
        # half has no atomics but these.
        *_of_extension("cl_ext_float_atomics", *_HALF_ATOMICS, offered=EXTENSIONS["cl_khr_fp16"].offered),
    )
}  # fmt: skip

OFFERED_EXTENSIONS = tuple(each for each in EXTENSIONS.values() if each.offered)
OFFERED_FEATURES = tuple(each for each in FEATURES.values() if each.offered)
