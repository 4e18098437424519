"""Platform and device: the query tables are complete and say what the specification asks of the values."""

import re

import pytest
from support.fake_driver import FakeDevice

from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices import queries as device_queries
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError
from cl2cuda.runtime.spec.queries import version

TYPES = {"uint", "ulong", "size_t", "size_t[]", "bool", "bool[]", "bitfield", "enum", "enum[]", "partition_property[]", "string", "object", "name_version[]",
         "uchar[]", "uint[]", "ulong[]", "string[]", "pci_bus_info"}
PYTHON = {"uint": int, "ulong": int, "size_t": int, "bool": bool, "bitfield": int, "enum": int, "string": str}


# What only some devices know.
OPTIONAL = re.compile(r"_NV$|_IMPORT_HANDLE_TYPES_KHR$|DEVICE_UUID_KHR$|PCI_BUS_INFO_KHR$")


def by_name(device):
    return {row.name: row.value(device) for row in device_queries.QUERIES.rows if not OPTIONAL.search(row.name)}


def test_every_query_of_the_table_has_a_value_of_its_type(device):
    for row in device_queries.QUERIES.rows:
        assert row.type in TYPES
        try:
            value = device.get_info(row.code)
        except CLError as error:
            assert OPTIONAL.search(row.name) and error.status == "INVALID_VALUE" and not (device.is_cuda and "_NV" in row.name)
            continue
        assert isinstance(value, PYTHON.get(row.type, object)), row
        if row.type.endswith("[]"):
            assert isinstance(value, bytes if row.type == "uchar[]" else tuple), row


def test_codes_are_unique():
    codes_seen = [row.code for row in device_queries.QUERIES.rows]
    assert len(set(codes_seen)) == len(codes_seen)
    # Every code from CL_DEVICE_TYPE to CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED but those of extensions.
    assert set(range(0x1000, 0x1073)) - set(codes_seen) == {0x105F}


def test_minimums_of_the_specification(device):
    value = by_name(device)
    assert value["DEVICE_MAX_WORK_ITEM_DIMENSIONS"] >= 3
    assert value["DEVICE_MAX_PARAMETER_SIZE"] >= 1024
    assert value["DEVICE_MEM_BASE_ADDR_ALIGN"] >= 1024
    assert value["DEVICE_LOCAL_MEM_SIZE"] >= 32 << 10
    assert value["DEVICE_MAX_CONSTANT_BUFFER_SIZE"] >= 64 << 10
    assert value["DEVICE_MAX_CONSTANT_ARGS"] >= 8
    assert value["DEVICE_PRINTF_BUFFER_SIZE"] >= 1 << 20
    quarter = max(min(1 << 30, value["DEVICE_GLOBAL_MEM_SIZE"] // 4), 0)
    assert value["DEVICE_MAX_MEM_ALLOC_SIZE"] >= quarter
    assert value["DEVICE_SINGLE_FP_CONFIG"] & codes.FP_ROUND_TO_NEAREST
    # Programs take a device for an older one where "1.0" or "1.1" is anywhere in its version, so that no other number may be there.
    assert value["DEVICE_VERSION"] == "OpenCL 3.0 cl2cuda"
    assert value["DEVICE_OPENCL_C_VERSION"] == "OpenCL C 1.2 cl2cuda"
    assert "cl_khr_global_int32_base_atomics" in value["DEVICE_EXTENSIONS"]
    if device.driver_name != "remote":  # whose memory is another process's
        assert value["DEVICE_SVM_CAPABILITIES"] & codes.DEVICE_SVM_COARSE_GRAIN_BUFFER


def test_what_two_queries_say_is_the_same(device):
    """Facts that the specification has in two forms."""
    value = by_name(device)
    major, minor = map(int, re.findall(r"\d+", value["DEVICE_VERSION"])[:2])
    assert value["DEVICE_NUMERIC_VERSION"] == version(major, minor)
    ils = [tuple(map(int, re.findall(r"\d+", text))) for text in value["DEVICE_IL_VERSION"].split()]
    assert value["DEVICE_ILS_WITH_VERSION"] == tuple(("SPIR-V", version(*each)) for each in ils)
    assert value["DEVICE_BUILT_IN_KERNELS"] == ";".join(name for name, _ in value["DEVICE_BUILT_IN_KERNELS_WITH_VERSION"])
    assert (value["DEVICE_GLOBAL_MEM_CACHE_TYPE"] == codes.NONE) == (value["DEVICE_GLOBAL_MEM_CACHE_SIZE"] == 0)
    assert value["DEVICE_GLOBAL_MEM_CACHELINE_SIZE"].bit_count() == 1
    assert value["DEVICE_LOCAL_MEM_TYPE"] == (codes.LOCAL if value["DEVICE_TYPE"] == codes.DEVICE_TYPE_GPU else codes.GLOBAL)
    assert len(value["DEVICE_MAX_WORK_ITEM_SIZES"]) == value["DEVICE_MAX_WORK_ITEM_DIMENSIONS"]
    assert value["DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE"] >= value["DEVICE_MAX_GLOBAL_VARIABLE_SIZE"]
    assert value["DEVICE_MAX_CONSTANT_BUFFER_SIZE"] <= value["DEVICE_GLOBAL_MEM_SIZE"]
    assert re.fullmatch(r"v\d{4}-\d\d-\d\d-\d\d", value["DEVICE_LATEST_CONFORMANCE_VERSION_PASSED"])
    assert value["DEVICE_LUID_VALID_KHR"] == any(value["DEVICE_LUID_KHR"])
    if value["DEVICE_SVM_CAPABILITIES"] & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM:
        assert value["DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL"]


@pytest.mark.parametrize(("type_", "extension"), [*((each, "") for each in ("CHAR", "SHORT", "INT", "LONG", "FLOAT")),
                                                  ("DOUBLE", "cl_khr_fp64"), ("HALF", "cl_khr_fp16")])
def test_vector_widths_are_those_of_types(device, type_, extension):
    """"If double precision is not supported, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE must return 0", and so on."""
    offered = extension in ("", *device.get_info(codes.DEVICE_EXTENSIONS).split())
    for kind in ("PREFERRED", "NATIVE"):
        assert device.get_info(getattr(codes, f"DEVICE_{kind}_VECTOR_WIDTH_{type_}")) in ((1, 2, 4, 8, 16) if offered else (0,))


@pytest.mark.parametrize("memory", ["PLATFORM", "GLOBAL", "LOCAL"])
def test_atomic_types_need_no_more_than_their_own_alignment(device, memory):
    """"A value of 0 indicates natural alignment": which every object of the type has."""
    assert device.get_info(getattr(codes, f"DEVICE_PREFERRED_{memory}_ATOMIC_ALIGNMENT")) == 0


def test_what_only_cuda_knows(cuda_device):
    """cl_nv_device_attribute_query, against what CUDA and the core's queries say."""
    value = {row.name: row.value(cuda_device) for row in device_queries.QUERIES.rows if row.name.endswith("_NV")}
    assert value["DEVICE_WARP_SIZE_NV"] == cuda_device.get_info(codes.DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
    assert bool(value["DEVICE_INTEGRATED_MEMORY_NV"]) == bool(cuda_device.get_info(codes.DEVICE_HOST_UNIFIED_MEMORY))
    assert value["DEVICE_GPU_OVERLAP_NV"] == (value["DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV"] > 0)
    assert value["DEVICE_REGISTERS_PER_BLOCK_NV"] >= cuda_device.get_info(codes.DEVICE_MAX_WORK_GROUP_SIZE)
    assert (value["DEVICE_COMPUTE_CAPABILITY_MAJOR_NV"], value["DEVICE_COMPUTE_CAPABILITY_MINOR_NV"]) >= (5, 0)


def test_minimums_of_images(real_device):
    value = by_name(real_device)
    least = {"MAX_READ_IMAGE_ARGS": 128, "MAX_WRITE_IMAGE_ARGS": 64, "MAX_READ_WRITE_IMAGE_ARGS": 64, "IMAGE2D_MAX_WIDTH": 16384,
             "IMAGE2D_MAX_HEIGHT": 16384, "IMAGE3D_MAX_WIDTH": 2048, "IMAGE3D_MAX_HEIGHT": 2048, "IMAGE3D_MAX_DEPTH": 2048,
             "IMAGE_MAX_BUFFER_SIZE": 65536, "IMAGE_MAX_ARRAY_SIZE": 2048, "MAX_SAMPLERS": 16}
    assert value["DEVICE_IMAGE_SUPPORT"]
    for name, minimum in least.items():
        assert value[f"DEVICE_{name}"] >= minimum, name
    for name in ("IMAGE_PITCH_ALIGNMENT", "IMAGE_BASE_ADDRESS_ALIGNMENT"):
        assert value[f"DEVICE_{name}"].bit_count() == 1, "a power of two"


def test_a_device_without_images_says_so():
    device = Device(platforms.Platform(), "fake", FakeDevice(images=None))
    value = by_name(device)
    assert not value["DEVICE_IMAGE_SUPPORT"]
    assert not any(value[name] for name in value if "IMAGE" in name or "SAMPLERS" in name)


def test_a_device_says_its_driver(device):
    vendor = device.get_info(0x102C)
    assert (vendor == "NVIDIA Corporation") == device.is_cuda
    assert device.get_info(0x1031) is device.platform


def test_real_devices_have_an_identity(real_device):
    assert len(real_device.get_info(0x106A)) == len(real_device.get_info(0x106B)) == 16
    assert any(real_device.get_info(0x106A)) and len(real_device.get_info(0x106D)) == 8
    extensions = dict(real_device.extensions)
    assert "cl_khr_device_uuid" in extensions and ("cl_khr_pci_bus_info" in extensions) == real_device.is_cuda
    if real_device.is_cuda:
        nv = [real_device.get_info(code) for code in (0x400A, 0x4008, 0x4009)]
        assert real_device.get_info(0x410F) == (*nv, 0)


def test_the_platform_says_what_all_its_devices_share():
    own = platforms.Platform()
    own._devices = [Device(own, "fake", FakeDevice(extra={"memory_handles": handles, "semaphore_handles": handles}))
                    for handles in (("opaque_fd",), ())]
    assert own.get_info(0x2036) == (1,) and own.get_info(0x2037) == own.get_info(0x2044) == own.get_info(0x2038) == ()
    del own._devices[1]
    assert own.get_info(0x2037) == (codes.SEMAPHORE_HANDLE_OPAQUE_FD_KHR,)


def test_unknown_queries_are_refused(fake):
    for ask in (fake.device.get_info, fake.context.get_info, fake.device.platform.get_info):
        with pytest.raises(CLError) as caught:
            ask(0x7777)
        assert caught.value.code == -30


class Driver:
    absence = ""

    def __init__(self, *devices):
        self.found = devices

    def devices(self):
        return self.found


def choose(monkeypatch, cuda, host, choice=None, remote=None):
    drivers = {"cuda": cuda, "remote": remote, "host": host}

    def load(name):
        if drivers[name] is None:
            raise DriverMissing(f"no {name}")
        return drivers[name]

    monkeypatch.setattr(platforms, "load_driver", load)
    if choice is None:
        monkeypatch.delenv("CL2CUDA_DEVICE", raising=False)
    else:
        monkeypatch.setenv("CL2CUDA_DEVICE", choice)
    return platforms.chosen_drivers()


def test_which_devices_are_offered(monkeypatch):
    gpu, host, none = Driver("gpu"), Driver("host"), Driver()
    assert choose(monkeypatch, gpu, host) == [gpu]
    assert choose(monkeypatch, none, host) == [host]
    assert choose(monkeypatch, None, host) == [host]
    assert choose(monkeypatch, gpu, host, "host") == [host]
    assert choose(monkeypatch, gpu, host, "all") == [gpu, host]
    assert choose(monkeypatch, none, host, "all") == [host]
    cluster = Driver("a worker's")
    assert choose(monkeypatch, gpu, host, remote=cluster) == [gpu, cluster]
    assert choose(monkeypatch, none, host, remote=cluster) == [cluster]
    assert choose(monkeypatch, gpu, host, "all", remote=cluster) == [gpu, cluster, host]
    assert choose(monkeypatch, gpu, host, "remote", remote=cluster) == [cluster]
    with pytest.raises(CLError, match="CL2CUDA_DEVICE=cuda: no cuda"):
        choose(monkeypatch, None, host, "cuda")
    none.absence = "there is no GPU in this machine"
    with pytest.raises(CLError, match="CL2CUDA_DEVICE=cuda: there is no GPU in this machine"):
        choose(monkeypatch, none, host, "cuda")
    assert platforms.absences() == {"cuda": none.absence, "remote": "no remote"}
    with pytest.raises(CLError, match="DEVICE_NOT_FOUND"):
        choose(monkeypatch, gpu, host, "tpu")


def test_platform(monkeypatch):
    offered = platforms.Platform()
    gpu = Device(offered, "cuda", FakeDevice())
    cpu = Device(offered, "host", FakeDevice(is_gpu=False))
    offered._devices = [gpu, cpu]
    assert offered.devices() == [gpu, cpu]
    assert offered.devices(codes.DEVICE_TYPE_CPU) == [cpu]
    assert offered.devices(codes.DEVICE_TYPE_DEFAULT) == [gpu]
    assert offered.devices(codes.DEVICE_TYPE_ACCELERATOR) == []
    with pytest.raises(CLError, match="INVALID_DEVICE_TYPE"):
        offered.devices(0)
    assert "cl2cuda" in offered.get_info(0x0902) and "NVIDIA CUDA" in offered.get_info(0x0902)
    assert "cl_nv_device_attribute_query" in gpu.get_info(0x1030)
    assert "cl_nv_device_attribute_query" not in offered.get_info(0x0904)  # only what all devices have


def test_timers(device):
    host = device.host_timer()
    first, second = device.timers(), device.timers()
    assert host <= first[1] <= second[1] and first[0] < second[0]
    assert abs((second[1] - first[1]) - (second[0] - first[0])) < 50_000_000
    assert platforms.platforms()[0].get_info(0x0905) == 1


def test_what_modules_may_declare(device):
    """cl_khr_spirv_queries: numbers of capabilities, names of extensions and of instruction sets."""
    assert device.get_info(codes.DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR) == ("OpenCL.std",)
    kernel, linkage, shader = 6, 5, 1
    capabilities = device.get_info(codes.DEVICE_SPIRV_CAPABILITIES_KHR)
    assert {kernel, linkage} <= set(capabilities) and shader not in capabilities
    assert "SPV_KHR_linkonce_odr" in device.get_info(codes.DEVICE_SPIRV_EXTENSIONS_KHR)
