"""What a program sees by `#ifdef` (OpenCL C 6.2 and 6.12): each macro is there where the specification has it, in every version of the
language, and the device's lists of extensions, features and versions say the same."""

from __future__ import annotations

import re

import pytest
from support.devices import first

from cl2cuda.builtins.extensions import EXTENSIONS, FEATURES
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.api_extensions import API_EXTENSIONS
from cl2cuda.runtime.spec.queries import version as numbered

VERSIONS = (100, 110, 120, 200, 300)
OPTIONAL = sorted({*EXTENSIONS, *FEATURES, *(each.name for each in API_EXTENSIONS)})

# 6.12: the integer that a macro substitutes, whatever the device; "kernel_exec" takes arguments, and NULL is a pointer.
EVERYWHERE = {"CL_VERSION_1_0": 100, "CL_VERSION_1_1": 110, "CL_VERSION_1_2": 120, "CL_VERSION_2_0": 200, "CL_VERSION_3_0": 300}
NO_INTEGERS = ("NULL", "kernel_exec", "__kernel_exec", "__FILE__", "__LINE__", "__ROUNDING_MODE__")
BY_OPTION = {"__FAST_RELAXED_MATH__": "-cl-fast-relaxed-math"}

# What the functions of an extension take is there since a version of the language: in older ones there is nothing that its macro could tell.
SINCE = {"cl_ext_float_atomics": 200}

# A feature, the query that tells of it, and the bits there: all of the value where there are none.
FACTS = [
    ("__opencl_c_3d_image_writes", "IMAGE3D_MAX_WIDTH", None),
    ("__opencl_c_atomic_order_acq_rel", "ATOMIC_MEMORY_CAPABILITIES", codes.DEVICE_ATOMIC_ORDER_ACQ_REL),
    ("__opencl_c_atomic_order_seq_cst", "ATOMIC_MEMORY_CAPABILITIES", codes.DEVICE_ATOMIC_ORDER_SEQ_CST),
    ("__opencl_c_atomic_order_seq_cst", "ATOMIC_FENCE_CAPABILITIES", codes.DEVICE_ATOMIC_ORDER_SEQ_CST),
    ("__opencl_c_atomic_scope_device", "ATOMIC_MEMORY_CAPABILITIES", codes.DEVICE_ATOMIC_SCOPE_DEVICE),
    ("__opencl_c_atomic_scope_device", "ATOMIC_FENCE_CAPABILITIES", codes.DEVICE_ATOMIC_SCOPE_DEVICE),
    ("__opencl_c_atomic_scope_all_devices", "ATOMIC_MEMORY_CAPABILITIES", codes.DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ("__opencl_c_atomic_scope_all_devices", "ATOMIC_FENCE_CAPABILITIES", codes.DEVICE_ATOMIC_SCOPE_ALL_DEVICES),
    ("__opencl_c_device_enqueue", "DEVICE_ENQUEUE_CAPABILITIES", codes.DEVICE_QUEUE_SUPPORTED),
    ("__opencl_c_fp64", "DOUBLE_FP_CONFIG", None),
    ("__opencl_c_generic_address_space", "GENERIC_ADDRESS_SPACE_SUPPORT", None),
    ("__opencl_c_images", "IMAGE_SUPPORT", None),
    ("__opencl_c_integer_dot_product_input_4x8bit", "INTEGER_DOT_PRODUCT_CAPABILITIES_KHR",
     codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR),
    ("__opencl_c_integer_dot_product_input_4x8bit_packed", "INTEGER_DOT_PRODUCT_CAPABILITIES_KHR",
     codes.DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR),
    ("__opencl_c_kernel_clock_scope_device", "KERNEL_CLOCK_CAPABILITIES_KHR", codes.DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR),
    ("__opencl_c_kernel_clock_scope_work_group", "KERNEL_CLOCK_CAPABILITIES_KHR", codes.DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR),
    ("__opencl_c_kernel_clock_scope_sub_group", "KERNEL_CLOCK_CAPABILITIES_KHR", codes.DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR),
    ("__opencl_c_pipes", "PIPE_SUPPORT", None),
    ("__opencl_c_program_scope_global_variables", "MAX_GLOBAL_VARIABLE_SIZE", None),
    ("__opencl_c_read_write_images", "MAX_READ_WRITE_IMAGE_ARGS", None),
    ("__opencl_c_subgroups", "MAX_NUM_SUB_GROUPS", None),
    ("__opencl_c_work_group_collective_functions", "WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT", None),
    *((f"__opencl_c_ext_fp{bits}_{space}_atomic_{operation}", f"{kind}_FP_ATOMIC_CAPABILITIES_EXT", bit << shift)
      for bits, kind in ((16, "HALF"), (32, "SINGLE"), (64, "DOUBLE"))
      for space, shift in (("global", 0), ("local", 16))
      for operation, bit in (("load_store", 1), ("add", 2), ("min_max", 4)) if bits == 16 or bit > 1),
]


@pytest.fixture
def imagined_cuda(monkeypatch: pytest.MonkeyPatch) -> Device:
    """Nothing is compiled for it: programs are but translated."""
    device = first("imagined cuda")
    monkeypatch.setattr(device.driver_device, "compile", lambda translation, options: b"")
    monkeypatch.setattr(device.driver_device, "compiler_identity", lambda options: "none")
    return device


@pytest.fixture(params=["host", "remote", "imagined cuda", "cuda"])
def translating(request: pytest.FixtureRequest) -> Device:
    """The first device of each driver that translates programs."""
    return request.getfixturevalue("imagined_cuda") if request.param == "imagined cuda" else first(request.param)


def fact(device: Device, name: str):
    return device.get_info(getattr(codes, f"DEVICE_{name}"))


def text_of(version: int) -> str:
    return f"-cl-std=CL{version // 100}.{version // 10 % 10}"


def probe(names: list[str], values: dict[str, int]) -> str:
    """A kernel with a parameter of each name that is defined, and one more where it substitutes the integer."""
    parameters = "".join(f"\n#ifdef {name}\n, int has_{name}\n#endif" for name in names)
    compared = "".join(f"\n#if defined {name} && {name} == {value}\n, int is_{name}\n#endif" for name, value in values.items())
    return f"kernel void probe(global int *out{parameters}{compared}\n) {{ }}"


def built(device: Device, source: str, options: str) -> Program:
    program = Program(Context([device]), source)
    program.build(options)
    return program


def linked(device: Device, source: str, options: str) -> Program:
    program = Program(Context([device]), source)
    program.compile(options)
    return link_program(program.context, [device], "", [program])


def seen(program: Program, prefix: str = "has_") -> set[str]:
    (info,) = program.definitions("clCreateKernel", "probe")
    assert info is not None
    return {each.name[len(prefix):] for each in info.args if each.name.startswith(prefix)}


def listed(device: Device) -> tuple[set[str], set[str]]:
    """CL_DEVICE_EXTENSIONS that the language has, and CL_DEVICE_OPENCL_C_FEATURES."""
    extensions = {*fact(device, "EXTENSIONS").split()} - {each.name for each in API_EXTENSIONS}
    return extensions, {name for name, _ in fact(device, "OPENCL_C_FEATURES")}


@pytest.mark.parametrize("make", [built, linked])
@pytest.mark.parametrize("version", VERSIONS)
def test_macros_of_extensions_and_features(translating, version, make):
    extensions, features = listed(translating)
    expected = {name for name in extensions if version >= SINCE.get(name, 100)}
    # "Feature test macros require support for OpenCL C 3.0 or newer"; "implementations for earlier OpenCL C versions are allowed to define
    # [them] but they are not required to do so": those of an extension that is there say what it brings.
    expected |= {name for name in features if version >= 300 or FEATURES[name].extension in expected}
    program = make(translating, probe(OPTIONAL, dict.fromkeys(OPTIONAL, 1)), text_of(version))
    assert seen(program) == expected
    assert seen(program, "is_") == expected


@pytest.mark.parametrize("separately", [False, True])
def test_each_device_of_a_program_has_its_own(imagined_cuda, separately):
    devices = [imagined_cuda, first("host")]
    context = Context(devices)
    program = Program(context, "kernel void f(global int *out) { }\n#ifdef cl_khr_subgroups\nkernel void sub_groups(global int *out) { }\n#endif")
    if separately:
        program.compile()
        program = link_program(context, devices, "", [program])
    else:
        program.build()
    named = [set(binary.kernels) for device in devices if (binary := program.binary(device))]
    assert named == [{"f", "sub_groups"}, {"f"}]
    assert ["cl_khr_subgroups" in listed(device)[0] for device in devices] == [True, False]


@pytest.mark.parametrize("version", VERSIONS)
def test_macros_that_every_program_has(translating, version):
    values = EVERYWHERE | {"__OPENCL_VERSION__": 300, "__OPENCL_C_VERSION__": version}
    values |= {name: 1 for name, query in (("__ENDIAN_LITTLE__", "ENDIAN_LITTLE"), ("__IMAGE_SUPPORT__", "IMAGE_SUPPORT"))
               if fact(translating, query)}
    names = [*EVERYWHERE, "__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__ENDIAN_LITTLE__", "__IMAGE_SUPPORT__", *NO_INTEGERS, *BY_OPTION]
    program = built(translating, probe(names, values), text_of(version))
    assert seen(program, "is_") == set(values)
    assert seen(program) == {*values, *NO_INTEGERS}


@pytest.mark.parametrize(("name", "option"), BY_OPTION.items())
def test_macros_that_an_option_defines(translating, name, option):
    assert seen(built(translating, probe([name], {name: 1}), option), "is_") == {name}


def test_rounding_to_nearest_is_the_mode_that_programs_paste(real_device):
    built(real_device, """#define PASTE(a, b) a ## b
    #define ROUNDED(a, b) PASTE(a, b)
    kernel void f(global float *out, int n) { *out = ROUNDED(convert_float_, __ROUNDING_MODE__)(n); }""", "")


def test_versions_that_the_device_lists_are_those_that_options_take(translating):
    """"Calls [...] will fail to compile the program for any devices [...] when CL_DEVICE_OPENCL_C_ALL_VERSIONS does not include" the version."""
    expected = [("OpenCL C", numbered(version // 100, version // 10 % 10)) for version in VERSIONS]
    assert list(fact(translating, "OPENCL_C_ALL_VERSIONS")) == expected
    major, minor = map(int, re.findall(r"\d+", fact(translating, "OPENCL_C_VERSION"))[:2])
    # The default is "the highest OpenCL C 1.x language version".
    assert seen(built(translating, probe([], {"__OPENCL_C_VERSION__": major * 100 + minor * 10}), ""), "is_") == {"__OPENCL_C_VERSION__"}
    assert ("OpenCL C", numbered(major, minor)) in expected and (major, minor) == (1, 2)


@pytest.mark.parametrize(("feature", "query", "bits"), FACTS, ids=[f"{feature}-{query}" for feature, query, _ in FACTS])
def test_queries_say_what_features_say(device, feature, query, bits):
    value = fact(device, query)
    assert bool(value if bits is None else value & bits) == (feature in listed(device)[1])


def test_every_feature_that_a_query_tells_of_is_compared():
    """All but 64-bit integers, which a device of the full profile always has."""
    assert set(FEATURES) - {feature for feature, _, _ in FACTS} == {"__opencl_c_int64"}


def test_features_and_extensions_of_one_function_come_together(device):
    extensions, features = listed(device)
    assert fact(device, "PROFILE") == "FULL_PROFILE" and "__opencl_c_int64" in features
    for extension, feature in (("cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"), ("cl_khr_fp64", "__opencl_c_fp64")):
        assert (extension in extensions) == (feature in features)
    for feature in features:
        assert features.issuperset(FEATURES[feature].needs)
        assert FEATURES[feature].extension in {"", *extensions}


def test_lists_with_versions_have_the_names_without(device):
    assert fact(device, "EXTENSIONS").split() == [name for name, _ in fact(device, "EXTENSIONS_WITH_VERSION")]
    assert {number for _, number in fact(device, "OPENCL_C_FEATURES")} == {numbered(3, 0)}
    for names in (fact(device, "EXTENSIONS").split(), [name for name, _ in fact(device, "OPENCL_C_FEATURES")]):
        assert len(set(names)) == len(names)
