"""clGetDeviceInfo (4.2, table 5), one row a query. Values are true of what works here, so that programs can
choose by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from ...builtins.extensions import EXTENSIONS, FEATURES, OFFERED_FEATURES
from ...builtins.opaque import ARGUMENTS
from ...translator.ir.sub_group_sizes import SUB_GROUP_SIZES
from ...version import VERSION
from ..driver.device import DriverDevice
from ..driver.properties import DeviceProperties, ImageLimits
from ..process.disk_cache import edition
from ..spec import codes
from ..spec.queries import NotOffered, QueryTable, version
from ..spec.version import OPENCL_C_VERSION, PLATFORM_VERSION
from . import built_in_kernels, usm_capabilities
from .partition import partition_properties


class QueriedDevice(Protocol):
    """What the queries ask of a device."""

    partition: tuple[int, ...]
    properties: DeviceProperties
    driver_device: DriverDevice

    @property
    def platform(self) -> object: ...
    @property
    def parent(self) -> object: ...
    @property
    def is_cuda(self) -> bool: ...
    @property
    def type(self) -> int: ...
    @property
    def extensions(self) -> tuple[tuple[str, int], ...]: ...
    @property
    def independent_sub_groups(self) -> bool: ...


Value = Callable[[QueriedDevice], object]
Rows = tuple[tuple[str, str, Value], ...]

_FP = codes.FP_DENORM | codes.FP_INF_NAN | codes.FP_ROUND_TO_NEAREST | codes.FP_FMA


def _property(name: str) -> Value:
    """A fact that drivers tell by that name: these rows say the same of as many fields."""
    return lambda device: getattr(device.properties, name)


def _constant(value: object) -> Value:
    return lambda device: value


def _spirv() -> Any:
    """The front end, which finding devices is not to wait for."""
    from ...translator import spirv

    return spirv


def _offered(name: str) -> bool:
    """Whether the language offers that extension or feature."""
    return (EXTENSIONS.get(name) or FEATURES[name]).offered


def _extra(name: str, default: object = NotOffered) -> Value:
    """A fact that only some drivers know: its default, or no such query, on the others."""

    def value(device: QueriedDevice) -> object:
        found = device.properties.extra.get(name, default)
        if found is NotOffered:
            raise NotOffered
        return found

    return value


def _uuid_of(text: str) -> bytes:
    import uuid  # which is for this alone, and not quickly imported

    return uuid.uuid5(uuid.NAMESPACE_OID, text).bytes


def _pci_bus_info(device: QueriedDevice) -> tuple[int, int, int, int]:
    """Domain, bus, device, function."""
    extra = device.properties.extra
    if "pci_bus_id" not in extra:
        raise NotOffered
    return extra["pci_domain_id"], extra["pci_bus_id"], extra["pci_slot_id"], 0  # of a GPU, the first function computes


_VECTOR_TYPES = (("CHAR", 1), ("SHORT", 1), ("INT", 1), ("LONG", 1), ("FLOAT", 1),
                 ("DOUBLE", int(_offered("cl_khr_fp64"))), ("HALF", int(_offered("cl_khr_fp16"))))

# Variables of program scope are static data of the compiled program; both compilers take far more than this.
_GLOBAL_VARIABLES = 64 << 20 if _offered("__opencl_c_program_scope_global_variables") else 0

# Both kinds of device are scalar machines to one work-item; 0 says that there is no such type.
_VECTOR_WIDTHS: Rows = tuple(
    (f"DEVICE_{kind}_VECTOR_WIDTH_{name}", "uint", _constant(width)) for kind in ("PREFERRED", "NATIVE") for name, width in _VECTOR_TYPES)

_IDENTITY: Rows = (
    ("DEVICE_TYPE", "bitfield", lambda d: d.type),
    ("DEVICE_VENDOR_ID", "uint", _property("vendor_id")),
    ("DEVICE_NAME", "string", _property("name")),
    ("DEVICE_VENDOR", "string", _property("vendor")),
    # PyOpenCL, and others, keep binaries by this text: it changes with what builds and loads them.
    ("DRIVER_VERSION", "string",
     lambda d: f"{VERSION} on {d.properties.driver_version} ({edition()[:8]} {d.driver_device.target[:8]})"),
    ("DEVICE_PROFILE", "string", _constant("FULL_PROFILE")),
    ("DEVICE_VERSION", "string", _constant(PLATFORM_VERSION)),
    ("DEVICE_EXTENSIONS", "string", lambda d: " ".join(name for name, _ in d.extensions)),
    ("DEVICE_PLATFORM", "object", lambda d: d.platform),
    ("DEVICE_OPENCL_C_VERSION", "string", _constant(OPENCL_C_VERSION)),
    ("DEVICE_BUILT_IN_KERNELS", "string", lambda d: ";".join(each.name for each in built_in_kernels.of_device(d))),
    ("DEVICE_IL_VERSION", "string", lambda d: " ".join(f"SPIR-V_{major}.{minor}" for major, minor in _spirv().SPIRV_VERSIONS)),
    ("DEVICE_NUMERIC_VERSION", "uint", _constant(version(3, 0))),
    ("DEVICE_EXTENSIONS_WITH_VERSION", "name_version[]", lambda d: d.extensions),
    ("DEVICE_ILS_WITH_VERSION", "name_version[]", lambda d: tuple(("SPIR-V", version(*each)) for each in _spirv().SPIRV_VERSIONS)),
    ("DEVICE_BUILT_IN_KERNELS_WITH_VERSION", "name_version[]",
     lambda d: tuple((each.name, version(*each.version)) for each in built_in_kernels.of_device(d))),
    ("DEVICE_OPENCL_C_ALL_VERSIONS", "name_version[]",
     _constant(tuple(("OpenCL C", version(*v)) for v in ((1, 0), (1, 1), (1, 2), (2, 0), (3, 0))))),
    ("DEVICE_OPENCL_C_FEATURES", "name_version[]", _constant(tuple((each.name, version(3, 0)) for each in OFFERED_FEATURES))),
    ("DEVICE_LATEST_CONFORMANCE_VERSION_PASSED", "string", _constant("v0000-01-01-00")),
)

# Every order and scope (builtins/extensions.py offers the features).
_ATOMICS = (codes.DEVICE_ATOMIC_ORDER_RELAXED | codes.DEVICE_ATOMIC_ORDER_ACQ_REL | codes.DEVICE_ATOMIC_ORDER_SEQ_CST
            | codes.DEVICE_ATOMIC_SCOPE_WORK_GROUP | codes.DEVICE_ATOMIC_SCOPE_DEVICE | codes.DEVICE_ATOMIC_SCOPE_ALL_DEVICES)

# cl_khr_device_uuid, cl_khr_pci_bus_info
_HARDWARE: Rows = (
    ("DEVICE_UUID_KHR", "uchar[]", _extra("uuid")),
    ("DRIVER_UUID_KHR", "uchar[]", lambda d: _uuid_of(d.properties.driver_version)),
    ("DEVICE_LUID_VALID_KHR", "bool", lambda d: any(d.properties.extra.get("luid", b""))),
    ("DEVICE_LUID_KHR", "uchar[]", _extra("luid", bytes(8))),
    ("DEVICE_NODE_MASK_KHR", "uint", _extra("node_mask", 0)),
    ("DEVICE_PCI_BUS_INFO_KHR", "pci_bus_info", _pci_bus_info),
)

_EXECUTION: Rows = (
    ("DEVICE_MAX_COMPUTE_UNITS", "uint", _property("compute_units")),
    ("DEVICE_MAX_WORK_ITEM_DIMENSIONS", "uint", _constant(3)),
    ("DEVICE_MAX_WORK_GROUP_SIZE", "size_t", _property("max_work_group_size")),
    ("DEVICE_MAX_WORK_ITEM_SIZES", "size_t[]", _property("max_work_item_sizes")),
    ("DEVICE_MAX_CLOCK_FREQUENCY", "uint", _property("clock_mhz")),
    ("DEVICE_ADDRESS_BITS", "uint", _constant(64)),
    ("DEVICE_MAX_PARAMETER_SIZE", "size_t", _property("max_parameter_size")),
    # Arithmetic rounds to nearest; the other rounding modes exist only in conversions.
    ("DEVICE_SINGLE_FP_CONFIG", "bitfield", _constant(_FP | codes.FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)),
    # The other modes, which conversions have, are part of "the minimum [...] capability" of version 1.2, which the conformance
    # tests ask of every version.
    ("DEVICE_DOUBLE_FP_CONFIG", "bitfield",
     _constant(_FP | codes.FP_ROUND_TO_ZERO | codes.FP_ROUND_TO_INF if _offered("cl_khr_fp64") else 0)),
    ("DEVICE_HALF_FP_CONFIG", "bitfield", _constant(_FP if _offered("cl_khr_fp16") else 0)),
    ("DEVICE_PROFILING_TIMER_RESOLUTION", "size_t", _extra("timer_resolution_ns", 1)),
    ("DEVICE_ENDIAN_LITTLE", "bool", _constant(True)),
    ("DEVICE_AVAILABLE", "bool", lambda device: not device.driver_device.lost),
    ("DEVICE_COMPILER_AVAILABLE", "bool", _constant(True)),
    ("DEVICE_LINKER_AVAILABLE", "bool", _constant(True)),
    ("DEVICE_EXECUTION_CAPABILITIES", "bitfield", _constant(codes.EXEC_KERNEL | codes.EXEC_NATIVE_KERNEL)),
    ("DEVICE_QUEUE_ON_HOST_PROPERTIES", "bitfield",
     _constant(codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE)),
    ("DEVICE_PRINTF_BUFFER_SIZE", "size_t", _constant(1 << 20)),
    ("DEVICE_PREFERRED_INTEROP_USER_SYNC", "bool", _constant(True)),
    ("DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", "bool", _constant(True)),
    ("DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", "size_t", _property("sub_group_size")),
    ("DEVICE_ATOMIC_MEMORY_CAPABILITIES", "bitfield", _constant(_ATOMICS)),
    ("DEVICE_ATOMIC_FENCE_CAPABILITIES", "bitfield", _constant(_ATOMICS | codes.DEVICE_ATOMIC_SCOPE_WORK_ITEM)),
)

_MEMORY: Rows = (
    ("DEVICE_MAX_MEM_ALLOC_SIZE", "ulong", _property("max_allocation")),
    ("DEVICE_MEM_BASE_ADDR_ALIGN", "uint", lambda d: d.properties.base_address_align * 8),  # in bits
    ("DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", "uint", _constant(128)),
    ("DEVICE_GLOBAL_MEM_CACHE_TYPE", "enum", _constant(codes.READ_WRITE_CACHE)),
    ("DEVICE_GLOBAL_MEM_CACHELINE_SIZE", "uint", _property("global_cacheline")),
    ("DEVICE_GLOBAL_MEM_CACHE_SIZE", "ulong", _property("global_cache")),
    ("DEVICE_GLOBAL_MEM_SIZE", "ulong", _property("global_memory")),
    ("DEVICE_MAX_CONSTANT_BUFFER_SIZE", "ulong", _property("constant_memory")),
    # A constant argument is a pointer in the argument block: only the block's size bounds their number.
    ("DEVICE_MAX_CONSTANT_ARGS", "uint", lambda d: min(255, d.properties.max_parameter_size // 8)),
    ("DEVICE_LOCAL_MEM_TYPE", "enum", lambda d: codes.LOCAL if d.properties.is_gpu else codes.GLOBAL),
    ("DEVICE_LOCAL_MEM_SIZE", "ulong", _property("local_memory")),
    ("DEVICE_ERROR_CORRECTION_SUPPORT", "bool", _extra("error_correction", False)),
    ("DEVICE_HOST_UNIFIED_MEMORY", "bool", _property("unified_memory")),
    ("DEVICE_MAX_GLOBAL_VARIABLE_SIZE", "size_t", _constant(_GLOBAL_VARIABLES)),
    ("DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE", "size_t", _constant(_GLOBAL_VARIABLES)),
    ("DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT", "uint", _constant(0)),
    ("DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT", "uint", _constant(0)),
    ("DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT", "uint", _constant(0)),
    ("DEVICE_SVM_CAPABILITIES", "bitfield", _property("shared_memory")),
    ("DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", "bool", _constant(_offered("__opencl_c_generic_address_space"))),
)

# An image's argument is a structure in the argument block: more images than these do not fit there.
_MAX_IMAGE_ARGS = 128
# Thousands would fit, but NVRTC needs two minutes for a kernel with 4,096 of them.
_MAX_SAMPLERS = 128


def max_image_args(device: QueriedDevice) -> int:
    """How many images of each access qualifier a kernel may have, and how many of the writing ones together; 0 on a device
    without images."""
    if not (device.properties.images and _offered("__opencl_c_images")):
        return 0
    return min(_MAX_IMAGE_ARGS, device.properties.max_parameter_size // ARGUMENTS["image"][0])


def max_samplers(device: QueriedDevice) -> int:
    return min(_MAX_SAMPLERS, device.properties.max_parameter_size // ARGUMENTS["sampler"][0]) if max_image_args(device) else 0


def _image_limit(limit: Callable[[ImageLimits], int]) -> Callable[[QueriedDevice], int]:
    """"The value is 0 otherwise", of a device without images."""
    def value(device: QueriedDevice) -> int:
        images = device.properties.images
        return limit(images) if images is not None and max_image_args(device) else 0

    return value


_IMAGES: Rows = (
    ("DEVICE_IMAGE_SUPPORT", "bool", lambda d: max_image_args(d) > 0),
    ("DEVICE_MAX_READ_IMAGE_ARGS", "uint", max_image_args),
    ("DEVICE_MAX_WRITE_IMAGE_ARGS", "uint", max_image_args),
    ("DEVICE_MAX_READ_WRITE_IMAGE_ARGS", "uint", lambda d: max_image_args(d) if _offered("__opencl_c_read_write_images") else 0),
    ("DEVICE_IMAGE2D_MAX_WIDTH", "size_t", _image_limit(lambda images: images.plane[0])),
    ("DEVICE_IMAGE2D_MAX_HEIGHT", "size_t", _image_limit(lambda images: images.plane[1])),
    ("DEVICE_IMAGE3D_MAX_WIDTH", "size_t", _image_limit(lambda images: images.volume[0])),
    ("DEVICE_IMAGE3D_MAX_HEIGHT", "size_t", _image_limit(lambda images: images.volume[1])),
    ("DEVICE_IMAGE3D_MAX_DEPTH", "size_t", _image_limit(lambda images: images.volume[2])),
    ("DEVICE_IMAGE_MAX_BUFFER_SIZE", "size_t", _image_limit(lambda images: images.buffer)),
    ("DEVICE_IMAGE_MAX_ARRAY_SIZE", "size_t", _image_limit(lambda images: images.layers)),
    ("DEVICE_MAX_SAMPLERS", "uint", max_samplers),
    ("DEVICE_IMAGE_PITCH_ALIGNMENT", "uint", _image_limit(lambda images: images.pitch_align)),
    ("DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT", "uint", _image_limit(lambda images: images.base_align)),
)

_PARTITION: Rows = (
    ("DEVICE_PARENT_DEVICE", "object", lambda d: d.parent),
    ("DEVICE_PARTITION_MAX_SUB_DEVICES", "uint", lambda d: d.properties.compute_units if any(partition_properties(d.driver_device)) else 1),
    ("DEVICE_PARTITION_PROPERTIES", "partition_property[]", lambda d: partition_properties(d.driver_device)),
    ("DEVICE_PARTITION_AFFINITY_DOMAIN", "bitfield", _constant(0)),
    ("DEVICE_PARTITION_TYPE", "partition_property[]", lambda d: d.partition),
    ("DEVICE_REFERENCE_COUNT", "uint", _constant(1)),
)

# Queues on the device (5.1).
QUEUE_ON_DEVICE_PREFERRED_SIZE = 1 << 20
MAX_ON_DEVICE_QUEUES, MAX_ON_DEVICE_EVENTS = 16, 1 << 16


def max_queue_size(device: QueriedDevice) -> int:
    """CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE: two million small commands, where as many queues as there may be leave room for others."""
    return min(1 << 28, max(1 << 20, device.properties.global_memory // 64 >> 20 << 20))


_DEVICE_QUEUES: Rows = (
    ("DEVICE_QUEUE_ON_DEVICE_PROPERTIES", "bitfield",
     _constant(codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE)),
    ("DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", "uint", _constant(QUEUE_ON_DEVICE_PREFERRED_SIZE)),
    ("DEVICE_QUEUE_ON_DEVICE_MAX_SIZE", "uint", max_queue_size),
    ("DEVICE_MAX_ON_DEVICE_QUEUES", "uint", _constant(MAX_ON_DEVICE_QUEUES)),
    ("DEVICE_MAX_ON_DEVICE_EVENTS", "uint", _constant(MAX_ON_DEVICE_EVENTS)),
    ("DEVICE_DEVICE_ENQUEUE_CAPABILITIES", "bitfield",
     _constant(codes.DEVICE_QUEUE_SUPPORTED | codes.DEVICE_QUEUE_REPLACEABLE_DEFAULT)),
)

_CONCURRENCY: Rows = (
    ("DEVICE_MAX_NUM_SUB_GROUPS", "uint", lambda d: d.properties.max_work_group_size // min(SUB_GROUP_SIZES)),
    ("DEVICE_MAX_NAMED_BARRIER_COUNT_KHR", "uint", _constant(15)),  # the hardware's barriers but the work-group's own
    ("DEVICE_SUB_GROUP_SIZES_INTEL", "size_t[]", _constant(SUB_GROUP_SIZES)),
    ("DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS", "bool", lambda d: d.independent_sub_groups),
    ("DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", "bool",
     _constant(_offered("__opencl_c_work_group_collective_functions"))),
)


def _atomic_capabilities(type_: str) -> int:
    """CL_DEVICE_{SINGLE,DOUBLE,HALF}_FP_ATOMIC_CAPABILITIES_EXT: what the features say. float and double need
    none to be loaded."""
    found = 0
    for space, shift in (("global", 0), ("local", 16)):
        for operation, bit in (("load_store", 0), ("add", 1), ("min_max", 2)):
            name = f"__opencl_c_ext_{type_}_{space}_atomic_{operation}"
            if name not in FEATURES or _offered(name):
                found |= 1 << (bit + shift)
    return found


def _dot_acceleration(device: QueriedDevice) -> tuple[bool, ...]:
    """cl_device_integer_dot_product_acceleration_properties_khr: signed, unsigned, mixed, and each
    accumulating with saturation. GPUs have an instruction that all six are made of."""
    return (device.properties.is_gpu,) * 6


PIPE_MAX_PACKET_SIZE = 1 << 16  # bytes

_PIPES: Rows = (
    ("DEVICE_PIPE_SUPPORT", "bool", _constant(_offered("__opencl_c_pipes"))),
    # An argument block has room for more, but compilers take minutes for kernels that use 255.
    ("DEVICE_MAX_PIPE_ARGS", "uint", lambda d: min(64, d.properties.max_parameter_size // 8)),
    # Nothing but its number of packets bounds a pipe's reservations; programs take the number for one that they can try.
    ("DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", "uint", _constant(1 << 16)),
    ("DEVICE_PIPE_MAX_PACKET_SIZE", "uint", _constant(PIPE_MAX_PACKET_SIZE)),
)

# cl_khr_integer_dot_product, cl_khr_kernel_clock, cl_ext_float_atomics
_OF_EXTENSIONS: Rows = (
    ("DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR", "bitfield",
     _constant(codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR)),
    ("DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR", "bool[]", _dot_acceleration),
    ("DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR", "bool[]", _dot_acceleration),
    ("DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR", "bitfield",
     _constant(codes.DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | codes.DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
               | codes.DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)),
    ("DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT", "bitfield", _constant(_atomic_capabilities("fp32"))),
    ("DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT", "bitfield", _constant(_atomic_capabilities("fp64"))),
    ("DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT", "bitfield", _constant(_atomic_capabilities("fp16"))),
)

# cl_khr_terminate_context: see Context.terminate.
_TERMINATION: Rows = (("DEVICE_TERMINATE_CAPABILITY_KHR", "bitfield", _constant(0)),)

# The properties that a command-queue may have for command-buffers to run on it.
COMMAND_BUFFER_QUEUE_PROPERTIES = codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE

_COMMAND_BUFFERS: Rows = (
    ("DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR", "bitfield",
     _constant(codes.COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | codes.COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR)),
    ("DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR", "bitfield", _constant(0)),
    # "The mandated minimum capability is: CL_QUEUE_PROFILING_ENABLE."
    ("DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR", "bitfield", _constant(COMMAND_BUFFER_QUEUE_PROPERTIES)),
    ("DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR", "bitfield",
     _constant(codes.MUTABLE_DISPATCH_ALL_FIELDS)),
)


def _imported(what: str, code: int) -> Value:
    """The handle types of external objects; no such query on devices that import none."""

    def value(device: QueriedDevice) -> object:
        if not device.properties.extra.get(what):
            raise NotOffered
        return (code,)

    return value


_SHARING: Rows = (
    ("DEVICE_SEMAPHORE_TYPES_KHR", "enum[]", _constant((codes.SEMAPHORE_TYPE_BINARY_KHR,))),
    ("DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", "enum[]", _imported("semaphore_handles", codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR)),
    ("DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", "enum[]", _constant(())),
    ("DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", "enum[]",
     _imported("memory_handles", codes.EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)),
    ("DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR", "enum[]", _constant(())),
)

# cl_nv_device_attribute_query: only CUDA devices know these.
_NVIDIA: Rows = (
    ("DEVICE_COMPUTE_CAPABILITY_MAJOR_NV", "uint", _extra("compute_capability_major")),
    ("DEVICE_COMPUTE_CAPABILITY_MINOR_NV", "uint", _extra("compute_capability_minor")),
    ("DEVICE_REGISTERS_PER_BLOCK_NV", "uint", _extra("registers_per_block")),
    ("DEVICE_WARP_SIZE_NV", "uint", _extra("warp_size")),
    ("DEVICE_GPU_OVERLAP_NV", "bool", _extra("gpu_overlap")),
    ("DEVICE_KERNEL_EXEC_TIMEOUT_NV", "bool", _extra("kernel_exec_timeout")),
    ("DEVICE_INTEGRATED_MEMORY_NV", "bool", _extra("integrated_memory")),
    ("DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV", "uint", _extra("async_engine_count")),
    ("DEVICE_PCI_BUS_ID_NV", "uint", _extra("pci_bus_id")),
    ("DEVICE_PCI_SLOT_ID_NV", "uint", _extra("pci_slot_id")),
    ("DEVICE_PCI_DOMAIN_ID_NV", "uint", _extra("pci_domain_id")),
)

# cl_intel_unified_shared_memory
_USM: Rows = (
    ("DEVICE_HOST_MEM_CAPABILITIES_INTEL", "bitfield", lambda d: usm_capabilities.host(d.properties)),
    ("DEVICE_DEVICE_MEM_CAPABILITIES_INTEL", "bitfield", lambda d: usm_capabilities.device(d.properties)),
    ("DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", "bitfield", lambda d: usm_capabilities.shared(d.properties)),
    ("DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL", "bitfield", lambda d: usm_capabilities.shared(d.properties)),
    ("DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL", "bitfield", lambda d: usm_capabilities.system(d.properties)),
)

# cl_khr_spirv_queries
_SPIRV: Rows = (
    ("DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR", "string[]", lambda d: _spirv().INSTRUCTION_SETS),
    ("DEVICE_SPIRV_EXTENSIONS_KHR", "string[]", lambda d: tuple(sorted(_spirv().EXTENSIONS))),
    ("DEVICE_SPIRV_CAPABILITIES_KHR", "uint[]", lambda d: _spirv().capabilities()),
)

QUERIES = QueryTable[QueriedDevice]("clGetDeviceInfo", (
    *_IDENTITY, *_HARDWARE, *_EXECUTION, *_VECTOR_WIDTHS, *_MEMORY, *_IMAGES, *_PARTITION, *_PIPES, *_DEVICE_QUEUES,
    *_CONCURRENCY, *_TERMINATION,
    *_COMMAND_BUFFERS, *_SHARING, *_OF_EXTENSIONS, *_NVIDIA, *_USM, *_SPIRV))
