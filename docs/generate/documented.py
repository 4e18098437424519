"""What the documents of other implementations say of themselves, by the name of a row of features.md. Nothing here was tried.

A row that a document says nothing of is missing: the page shows "not known".
"""

from __future__ import annotations

from typing import NamedTuple

YES, NO = "yes", "no"


class Document(NamedTuple):
    """facts: a row's name, and what the document says."""

    name: str
    read: str
    facts: dict[str, str]


def _all(answer: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), answer)


POCL = Document(
    "PoCL 7 (documents)",
    "the pages *OpenCL conformance*, *Supported OpenCL features*, *NVIDIA GPU support* and the release notes 7.0 to 7.2 of "
    "[PoCL's manual](https://portablecl.org/docs/html/), for its CPU driver. Sub-groups, `half`, partitioning, command buffers and "
    "Intel's sub-groups are in builds that are not made for conformance only. Its CUDA driver, \"currently experimental\", offers "
    "OpenCL 1.2, and no images or samplers.",
    {
        "OpenCL": "3.0", "OpenCL C": "1.2, 3.0", "conformance tests passed": "yes, in 2025",
        **_all(YES, """__opencl_c_generic_address_space __opencl_c_program_scope_global_variables __opencl_c_subgroups
            __opencl_c_3d_image_writes cl_khr_3d_image_writes cl_khr_subgroups
            cl_khr_fp16 cl_khr_subgroup_ballot cl_khr_subgroup_shuffle cl_intel_subgroups cl_intel_subgroups_char
            cl_intel_subgroups_short cl_intel_subgroups_long cl_intel_required_subgroup_size"""),
        "cl_khr_command_buffer": "0.9.6", "cl_khr_command_buffer_mutable_dispatch": "0.9.3",
        **_all(NO, """__opencl_c_pipes __opencl_c_device_enqueue __opencl_c_read_write_images
            __opencl_c_work_group_collective_functions cl_khr_image2d_from_buffer cl_khr_srgb_image_writes cl_khr_depth_images
            cl_khr_gl_sharing"""),
        "device partitioning": YES, "coarse-grained shared virtual memory": YES, "SPIR-V programs": YES,
        "non-uniform work-groups": NO, "pipes": NO, "device-side queues": NO, "read-write images": NO,
        "work-group collectives": NO, "generic address space": YES,
    },
)

CLVK = Document(
    "clvk (documents)",
    "the [README of clvk](https://github.com/kpet/clvk), its limitations, and the restrictions in "
    "[*OpenCL C on Vulkan*](https://github.com/google/clspv/blob/main/docs/OpenCLCOnVulkan.md) of its compiler, clspv.",
    {
        "OpenCL": "3.0", "conformance tests passed": "yes",
        "out-of-order queues": NO, "device partitioning": NO, "native kernels": NO, "SPIR-V programs": YES,
        "__opencl_c_fp64": NO, "cl_khr_fp64": NO,
        "__opencl_c_atomic_scope_all_devices": NO, "__opencl_c_images": YES, "images": YES,
        "cl_khr_subgroups": YES, "cl_khr_icd": YES,
    },
)
