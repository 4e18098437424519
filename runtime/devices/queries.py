"""clGetDeviceInfo (4.2, table 5), one row a query. Values are true of what works here, so that programs can choose by them:
device-side queues say that they are not there."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from ...builtins.extensions import EXTENSIONS, FEATURES, OFFERED_FEATURES
from ...builtins.opaque import ARGUMENTS
from ...translator import SPIRV_VERSIONS
from ...translator.ir.kernel_info import SUB_GROUP_SIZES
from ...version import VERSION
from ..driver.interface import ImageLimits
from ..process.disk_cache import edition
from ..spec import codes
from ..spec.queries import NotOffered, QueryTable, version
from ..spec.version import OPENCL_C_VERSION, PLATFORM_VERSION
from . import built_in_kernels
from .partition import partition_properties

_FP = codes.FP_DENORM | codes.FP_INF_NAN | codes.FP_ROUND_TO_NEAREST | codes.FP_FMA


def _property(name: str) -> Callable[[Any], Any]:
    return lambda device: getattr(device.properties, name)


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda device: value


def _offered(name: str) -> bool:
    """Whether the language offers that extension or feature."""
    return (EXTENSIONS.get(name) or FEATURES[name]).offered


def _extra(name: str, default: Any = NotOffered) -> Callable[[Any], Any]:
    """A fact that only some drivers know: its default, or no such query, on the others."""

    def value(device: Any) -> Any:
        found = device.properties.extra.get(name, default)
        if found is NotOffered:
            raise NotOffered
        return found

    return value


def _names(table: str) -> Callable[[Any], Any]:
    return lambda device: " ".join(name for name, _ in getattr(device, table))


def _pci_bus_info(device: Any) -> tuple[int, int, int, int]:
    """Domain, bus, device, function."""
    extra = device.properties.extra
    if "pci_bus_id" not in extra:
        raise NotOffered
    return extra["pci_domain_id"], extra["pci_bus_id"], extra["pci_slot_id"], 0  # of a GPU, the first function computes


_VECTOR_TYPES = (("CHAR", 1), ("SHORT", 1), ("INT", 1), ("LONG", 1), ("FLOAT", 1),
                 ("DOUBLE", int(_offered("cl_khr_fp64"))), ("HALF", int(_offered("cl_khr_fp16"))))
_PREFERRED_CODES = (0x1006, 0x1007, 0x1008, 0x1009, 0x100A, 0x100B, 0x1034)
_NATIVE_CODES = (0x1036, 0x1037, 0x1038, 0x1039, 0x103A, 0x103B, 0x103C)

# Variables of program scope are static data of the compiled program; both compilers take far more than this.
_GLOBAL_VARIABLES = 64 << 20 if _offered("__opencl_c_program_scope_global_variables") else 0

# Both kinds of device are scalar machines to one work-item; 0 says that there is no such type.
_VECTOR_WIDTHS = tuple(
    (f"DEVICE_{kind}_VECTOR_WIDTH_{name}", code, "uint", _constant(width))
    for kind, numbers in (("PREFERRED", _PREFERRED_CODES), ("NATIVE", _NATIVE_CODES))
    for (name, width), code in zip(_VECTOR_TYPES, numbers, strict=True)
)

_IDENTITY = (
    ("DEVICE_TYPE", 0x1000, "bitfield", lambda d: d.type),
    ("DEVICE_VENDOR_ID", 0x1001, "uint", _property("vendor_id")),
    ("DEVICE_NAME", 0x102B, "string", _property("name")),
    ("DEVICE_VENDOR", 0x102C, "string", _property("vendor")),
    # PyOpenCL, and others, keep binaries by this text: it changes with what builds and loads them.
    ("DRIVER_VERSION", 0x102D, "string",
     lambda d: f"{VERSION} on {d.properties.driver_version} ({edition()[:8]} {d.driver_device.target[:8]})"),
    ("DEVICE_PROFILE", 0x102E, "string", _constant("FULL_PROFILE")),
    ("DEVICE_VERSION", 0x102F, "string", _constant(PLATFORM_VERSION)),
    ("DEVICE_EXTENSIONS", 0x1030, "string", _names("extensions")),
    ("DEVICE_PLATFORM", 0x1031, "object", lambda d: d.platform),
    ("DEVICE_OPENCL_C_VERSION", 0x103D, "string", _constant(OPENCL_C_VERSION)),
    ("DEVICE_BUILT_IN_KERNELS", 0x103F, "string", lambda d: ";".join(each.name for each in built_in_kernels.of_device(d))),
    ("DEVICE_IL_VERSION", 0x105B, "string", _constant(" ".join(f"SPIR-V_{major}.{minor}" for major, minor in SPIRV_VERSIONS))),
    ("DEVICE_NUMERIC_VERSION", 0x105E, "uint", _constant(version(3, 0))),
    ("DEVICE_EXTENSIONS_WITH_VERSION", 0x1060, "name_version[]", lambda d: d.extensions),
    ("DEVICE_ILS_WITH_VERSION", 0x1061, "name_version[]", _constant(tuple(("SPIR-V", version(*each)) for each in SPIRV_VERSIONS))),
    ("DEVICE_BUILT_IN_KERNELS_WITH_VERSION", 0x1062, "name_version[]",
     lambda d: tuple((each.name, version(*each.version)) for each in built_in_kernels.of_device(d))),
    ("DEVICE_OPENCL_C_ALL_VERSIONS", 0x1066, "name_version[]",
     _constant(tuple(("OpenCL C", version(*v)) for v in ((1, 0), (1, 1), (1, 2), (3, 0))))),
    ("DEVICE_OPENCL_C_FEATURES", 0x106F, "name_version[]", _constant(tuple((each.name, version(3, 0)) for each in OFFERED_FEATURES))),
    ("DEVICE_LATEST_CONFORMANCE_VERSION_PASSED", 0x1072, "string", _constant("")),
)

# Every order and scope (builtins/extensions.py offers the features).
_ATOMICS = (codes.DEVICE_ATOMIC_ORDER_RELAXED | codes.DEVICE_ATOMIC_ORDER_ACQ_REL | codes.DEVICE_ATOMIC_ORDER_SEQ_CST
            | codes.DEVICE_ATOMIC_SCOPE_WORK_GROUP | codes.DEVICE_ATOMIC_SCOPE_DEVICE | codes.DEVICE_ATOMIC_SCOPE_ALL_DEVICES)

# cl_khr_device_uuid, cl_khr_pci_bus_info
_HARDWARE = (
    ("DEVICE_UUID_KHR", 0x106A, "uchar[]", _extra("uuid")),
    ("DRIVER_UUID_KHR", 0x106B, "uchar[]", lambda d: uuid.uuid5(uuid.NAMESPACE_OID, d.properties.driver_version).bytes),
    ("DEVICE_LUID_VALID_KHR", 0x106C, "bool", lambda d: any(d.properties.extra.get("luid", b""))),
    ("DEVICE_LUID_KHR", 0x106D, "uchar[]", _extra("luid", bytes(8))),
    ("DEVICE_NODE_MASK_KHR", 0x106E, "uint", _extra("node_mask", 0)),
    ("DEVICE_PCI_BUS_INFO_KHR", 0x410F, "pci_bus_info", _pci_bus_info),
)

_EXECUTION = (
    ("DEVICE_MAX_COMPUTE_UNITS", 0x1002, "uint", _property("compute_units")),
    ("DEVICE_MAX_WORK_ITEM_DIMENSIONS", 0x1003, "uint", _constant(3)),
    ("DEVICE_MAX_WORK_GROUP_SIZE", 0x1004, "size_t", _property("max_work_group_size")),
    ("DEVICE_MAX_WORK_ITEM_SIZES", 0x1005, "size_t[]", _property("max_work_item_sizes")),
    ("DEVICE_MAX_CLOCK_FREQUENCY", 0x100C, "uint", _property("clock_mhz")),
    ("DEVICE_ADDRESS_BITS", 0x100D, "uint", _constant(64)),
    ("DEVICE_MAX_PARAMETER_SIZE", 0x1017, "size_t", _property("max_parameter_size")),
    # Arithmetic rounds to nearest; the other rounding modes exist only in conversions.
    ("DEVICE_SINGLE_FP_CONFIG", 0x101B, "bitfield", _constant(_FP | codes.FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)),
    ("DEVICE_DOUBLE_FP_CONFIG", 0x1032, "bitfield", _constant(_FP if _offered("cl_khr_fp64") else 0)),
    ("DEVICE_HALF_FP_CONFIG", 0x1033, "bitfield", _constant(_FP if _offered("cl_khr_fp16") else 0)),
    ("DEVICE_PROFILING_TIMER_RESOLUTION", 0x1025, "size_t", _extra("timer_resolution_ns", 1)),
    ("DEVICE_ENDIAN_LITTLE", 0x1026, "bool", _constant(True)),
    ("DEVICE_AVAILABLE", 0x1027, "bool", _constant(True)),
    ("DEVICE_COMPILER_AVAILABLE", 0x1028, "bool", _constant(True)),
    ("DEVICE_LINKER_AVAILABLE", 0x103E, "bool", _constant(True)),
    ("DEVICE_EXECUTION_CAPABILITIES", 0x1029, "bitfield", _constant(codes.EXEC_KERNEL | codes.EXEC_NATIVE_KERNEL)),
    ("DEVICE_QUEUE_ON_HOST_PROPERTIES", 0x102A, "bitfield",
     _constant(codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | codes.QUEUE_PROFILING_ENABLE)),
    ("DEVICE_PRINTF_BUFFER_SIZE", 0x1049, "size_t", _constant(1 << 20)),
    ("DEVICE_PREFERRED_INTEROP_USER_SYNC", 0x1048, "bool", _constant(True)),
    ("DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT", 0x1065, "bool", _constant(True)),
    ("DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", 0x1067, "size_t", _property("sub_group_size")),
    ("DEVICE_ATOMIC_MEMORY_CAPABILITIES", 0x1063, "bitfield", _constant(_ATOMICS)),
    ("DEVICE_ATOMIC_FENCE_CAPABILITIES", 0x1064, "bitfield", _constant(_ATOMICS | codes.DEVICE_ATOMIC_SCOPE_WORK_ITEM)),
)

_MEMORY = (
    ("DEVICE_MAX_MEM_ALLOC_SIZE", 0x1010, "ulong", _property("max_allocation")),
    ("DEVICE_MEM_BASE_ADDR_ALIGN", 0x1019, "uint", lambda d: d.properties.base_address_align * 8),  # in bits
    ("DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", 0x101A, "uint", _constant(128)),
    ("DEVICE_GLOBAL_MEM_CACHE_TYPE", 0x101C, "enum", _constant(codes.READ_WRITE_CACHE)),
    ("DEVICE_GLOBAL_MEM_CACHELINE_SIZE", 0x101D, "uint", _property("global_cacheline")),
    ("DEVICE_GLOBAL_MEM_CACHE_SIZE", 0x101E, "ulong", _property("global_cache")),
    ("DEVICE_GLOBAL_MEM_SIZE", 0x101F, "ulong", _property("global_memory")),
    ("DEVICE_MAX_CONSTANT_BUFFER_SIZE", 0x1020, "ulong", _property("constant_memory")),
    # A constant argument is a pointer in the argument block: only the block's size bounds their number.
    ("DEVICE_MAX_CONSTANT_ARGS", 0x1021, "uint", lambda d: min(255, d.properties.max_parameter_size // 8)),
    ("DEVICE_LOCAL_MEM_TYPE", 0x1022, "enum", lambda d: codes.LOCAL if d.properties.is_gpu else codes.GLOBAL),
    ("DEVICE_LOCAL_MEM_SIZE", 0x1023, "ulong", _property("local_memory")),
    ("DEVICE_ERROR_CORRECTION_SUPPORT", 0x1024, "bool", _extra("error_correction", False)),
    ("DEVICE_HOST_UNIFIED_MEMORY", 0x1035, "bool", _property("unified_memory")),
    ("DEVICE_MAX_GLOBAL_VARIABLE_SIZE", 0x104D, "size_t", _constant(_GLOBAL_VARIABLES)),
    ("DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE", 0x1054, "size_t", _constant(_GLOBAL_VARIABLES)),
    ("DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT", 0x1058, "uint", _constant(0)),
    ("DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT", 0x1059, "uint", _constant(0)),
    ("DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT", 0x105A, "uint", _constant(0)),
    ("DEVICE_SVM_CAPABILITIES", 0x1053, "bitfield", _property("shared_memory")),
    ("DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT", 0x1069, "bool", _constant(_offered("__opencl_c_generic_address_space"))),
)

# An image's argument is a structure in the argument block: more images than these do not fit there.
_MAX_IMAGE_ARGS = 128


def max_image_args(device: Any) -> int:
    """Of each access qualifier, and of writing ones together; 0 on a device without images."""
    if not (device.properties.images and _offered("__opencl_c_images")):
        return 0
    return min(_MAX_IMAGE_ARGS, device.properties.max_parameter_size // ARGUMENTS["image"][0])


def max_samplers(device: Any) -> int:
    return device.properties.max_parameter_size // ARGUMENTS["sampler"][0] if max_image_args(device) else 0


def _image_limit(limit: Callable[[ImageLimits], int]) -> Callable[[Any], int]:
    """"The value is 0 otherwise", of a device without images."""
    return lambda device: limit(device.properties.images) if max_image_args(device) else 0


_IMAGES = (
    ("DEVICE_IMAGE_SUPPORT", 0x1016, "bool", lambda d: max_image_args(d) > 0),
    ("DEVICE_MAX_READ_IMAGE_ARGS", 0x100E, "uint", max_image_args),
    ("DEVICE_MAX_WRITE_IMAGE_ARGS", 0x100F, "uint", max_image_args),
    ("DEVICE_MAX_READ_WRITE_IMAGE_ARGS", 0x104C, "uint", lambda d: max_image_args(d) if _offered("__opencl_c_read_write_images") else 0),
    ("DEVICE_IMAGE2D_MAX_WIDTH", 0x1011, "size_t", _image_limit(lambda images: images.plane[0])),
    ("DEVICE_IMAGE2D_MAX_HEIGHT", 0x1012, "size_t", _image_limit(lambda images: images.plane[1])),
    ("DEVICE_IMAGE3D_MAX_WIDTH", 0x1013, "size_t", _image_limit(lambda images: images.volume[0])),
    ("DEVICE_IMAGE3D_MAX_HEIGHT", 0x1014, "size_t", _image_limit(lambda images: images.volume[1])),
    ("DEVICE_IMAGE3D_MAX_DEPTH", 0x1015, "size_t", _image_limit(lambda images: images.volume[2])),
    ("DEVICE_IMAGE_MAX_BUFFER_SIZE", 0x1040, "size_t", _image_limit(lambda images: images.buffer)),
    ("DEVICE_IMAGE_MAX_ARRAY_SIZE", 0x1041, "size_t", _image_limit(lambda images: images.layers)),
    ("DEVICE_MAX_SAMPLERS", 0x1018, "uint", max_samplers),
    ("DEVICE_IMAGE_PITCH_ALIGNMENT", 0x104A, "uint", _image_limit(lambda images: images.pitch_align)),
    ("DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT", 0x104B, "uint", _image_limit(lambda images: images.base_align)),
)

_PARTITION = (
    ("DEVICE_PARENT_DEVICE", 0x1042, "object", lambda d: d.parent),
    ("DEVICE_PARTITION_MAX_SUB_DEVICES", 0x1043, "uint", lambda d: d.properties.compute_units if any(partition_properties(d)) else 1),
    ("DEVICE_PARTITION_PROPERTIES", 0x1044, "enum[]", partition_properties),
    ("DEVICE_PARTITION_AFFINITY_DOMAIN", 0x1045, "bitfield", _constant(0)),
    ("DEVICE_PARTITION_TYPE", 0x1046, "enum[]", lambda d: d.partition),
    ("DEVICE_REFERENCE_COUNT", 0x1047, "uint", _constant(1)),
)

# Not there yet: the specification says which value means that.
_ABSENT = (
    ("DEVICE_QUEUE_ON_DEVICE_PROPERTIES", 0x104E, "bitfield", _constant(0)),
    ("DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", 0x104F, "uint", _constant(0)),
    ("DEVICE_QUEUE_ON_DEVICE_MAX_SIZE", 0x1050, "uint", _constant(0)),
    ("DEVICE_MAX_ON_DEVICE_QUEUES", 0x1051, "uint", _constant(0)),
    ("DEVICE_MAX_ON_DEVICE_EVENTS", 0x1052, "uint", _constant(0)),
    ("DEVICE_DEVICE_ENQUEUE_CAPABILITIES", 0x1070, "bitfield", _constant(0)),
    ("DEVICE_MAX_NUM_SUB_GROUPS", 0x105C, "uint", lambda d: d.properties.max_work_group_size // min(SUB_GROUP_SIZES)),
    ("DEVICE_MAX_NAMED_BARRIER_COUNT_KHR", 0x2035, "uint", _constant(15)),  # the hardware's barriers but the work-group's own
    ("DEVICE_SUB_GROUP_SIZES_INTEL", 0x4108, "size_t[]", _constant(SUB_GROUP_SIZES)),
    ("DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS", 0x105D, "bool", _constant(False)),
    ("DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", 0x1068, "bool",
     _constant(_offered("__opencl_c_work_group_collective_functions"))),
)



def _atomic_capabilities(type_: str) -> int:
    """CL_DEVICE_{SINGLE,DOUBLE,HALF}_FP_ATOMIC_CAPABILITIES_EXT: what the features say. float and double need none to be loaded."""
    found = 0
    for space, shift in (("global", 0), ("local", 16)):
        for operation, bit in (("load_store", 0), ("add", 1), ("min_max", 2)):
            name = f"__opencl_c_ext_{type_}_{space}_atomic_{operation}"
            if name not in FEATURES or _offered(name):
                found |= 1 << (bit + shift)
    return found


def _dot_acceleration(device: Any) -> tuple[bool, ...]:
    """cl_device_integer_dot_product_acceleration_properties_khr: signed, unsigned, mixed, and each accumulating with saturation.
    GPUs have an instruction that all six are made of."""
    return (device.properties.is_gpu,) * 6


PIPE_MAX_PACKET_SIZE = 1 << 16  # bytes

_PIPES = (
    ("DEVICE_PIPE_SUPPORT", 0x1071, "bool", _constant(_offered("__opencl_c_pipes"))),
    # As many as an argument block has room for.
    ("DEVICE_MAX_PIPE_ARGS", 0x1055, "uint", lambda d: min(255, d.properties.max_parameter_size // 8)),
    # Nothing but its number of packets bounds a pipe's reservations.
    ("DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS", 0x1056, "uint", _constant(2**31 - 1)),
    ("DEVICE_PIPE_MAX_PACKET_SIZE", 0x1057, "uint", _constant(PIPE_MAX_PACKET_SIZE)),
)

# cl_khr_integer_dot_product, cl_khr_kernel_clock, cl_ext_float_atomics
_OF_EXTENSIONS = (
    ("DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR", 0x1073, "bitfield",
     _constant(codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR | codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR)),
    ("DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR", 0x1074, "bool[]", _dot_acceleration),
    ("DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR", 0x1075, "bool[]", _dot_acceleration),
    ("DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR", 0x1076, "bitfield",
     _constant(codes.DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR | codes.DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR
               | codes.DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)),
    ("DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT", 0x4231, "bitfield", _constant(_atomic_capabilities("fp32"))),
    ("DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT", 0x4232, "bitfield", _constant(_atomic_capabilities("fp64"))),
    ("DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT", 0x4233, "bitfield", _constant(_atomic_capabilities("fp16"))),
)

# cl_khr_terminate_context: see Context.terminate.
_TERMINATION = (("DEVICE_TERMINATE_CAPABILITY_KHR", 0x2031, "bitfield", _constant(0)),)

_COMMAND_BUFFERS = (
    ("DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR", codes.DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, "bitfield",
     _constant(codes.COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR | codes.COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR
               | codes.COMMAND_BUFFER_CAPABILITY_OUT_OF_ORDER_KHR)),
    ("DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR", codes.DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR, "bitfield",
     _constant(0)),
    ("DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR", codes.DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR, "bitfield",
     _constant(codes.MUTABLE_DISPATCH_ALL_FIELDS)),
)


def _imported(what: str, code: int) -> Callable[[Any], Any]:
    """The handle types of external objects; no such query on devices that import none."""

    def value(device: Any) -> Any:
        if not device.properties.extra.get(what):
            raise NotOffered
        return (code,)

    return value


_SHARING = (
    ("DEVICE_SEMAPHORE_TYPES_KHR", 0x204C, "enum[]", _constant((codes.SEMAPHORE_TYPE_BINARY_KHR,))),
    ("DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR", 0x204D, "enum[]", _imported("semaphore_handles", codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR)),
    ("DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR", 0x204E, "enum[]", _constant(())),
    ("DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR", 0x204F, "enum[]",
     _imported("memory_handles", codes.EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR)),
    ("DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR", 0x2052, "enum[]", _constant(())),
)

# cl_nv_device_attribute_query: only CUDA devices know these.
_NVIDIA = (
    ("DEVICE_COMPUTE_CAPABILITY_MAJOR_NV", 0x4000, "uint", _extra("compute_capability_major")),
    ("DEVICE_COMPUTE_CAPABILITY_MINOR_NV", 0x4001, "uint", _extra("compute_capability_minor")),
    ("DEVICE_REGISTERS_PER_BLOCK_NV", 0x4002, "uint", _extra("registers_per_block")),
    ("DEVICE_WARP_SIZE_NV", 0x4003, "uint", _extra("warp_size")),
    ("DEVICE_GPU_OVERLAP_NV", 0x4004, "bool", _extra("gpu_overlap")),
    ("DEVICE_KERNEL_EXEC_TIMEOUT_NV", 0x4005, "bool", _extra("kernel_exec_timeout")),
    ("DEVICE_INTEGRATED_MEMORY_NV", 0x4006, "bool", _extra("integrated_memory")),
    ("DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV", 0x4007, "uint", _extra("async_engine_count")),
    ("DEVICE_PCI_BUS_ID_NV", 0x4008, "uint", _extra("pci_bus_id")),
    ("DEVICE_PCI_SLOT_ID_NV", 0x4009, "uint", _extra("pci_slot_id")),
    ("DEVICE_PCI_DOMAIN_ID_NV", 0x400A, "uint", _extra("pci_domain_id")),
)

QUERIES = QueryTable("clGetDeviceInfo", (
    *_IDENTITY, *_HARDWARE, *_EXECUTION, *_VECTOR_WIDTHS, *_MEMORY, *_IMAGES, *_PARTITION, *_PIPES, *_ABSENT, *_TERMINATION,
    *_COMMAND_BUFFERS, *_SHARING, *_OF_EXTENSIONS, *_NVIDIA))
