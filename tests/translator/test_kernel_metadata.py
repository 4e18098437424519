"""What clGetKernelArgInfo, clGetKernelInfo and clGetKernelWorkGroupInfo tell about kernels (API 5.9.4)."""

from __future__ import annotations

import dataclasses
import json

import pytest

from cl2cuda.translator import ArgInfo, CompileError, Dialect, KernelInfo, translate
from cl2cuda.translator.ir.kernel_info import ImagePlace


def argument(declaration: str, before: str = "", version: int = 120):
    source = f"{before}\nkernel void f({declaration}) {{ }}"
    dialect = dataclasses.replace(Dialect(version=version), extensions=(*Dialect().extensions, "cl_khr_fp16"))
    (kernel,) = translate(source, dialect=dialect).kernels
    (arg,) = kernel.args
    return arg


@pytest.fixture
def opaque_types(monkeypatch):
    """As if the device library defined all types."""
    for module in ("cl2cuda.builtins.opaque", "cl2cuda.translator.opencl_c.analyse.restrictions", "cl2cuda.translator.opencl_c.analyse.calls"):
        monkeypatch.setattr(f"{module}.in_library", lambda name: True)


@pytest.mark.parametrize(("declaration", "type_name", "qualifiers"), [
    ("global float4 *x", "float4*", ()),
    ("global unsigned char *x", "uchar*", ()),
    ("unsigned x", "uint", ()),
    ("unsigned long int x", "ulong", ()),
    ("const short int x", "short", ()),
    ("long long x", "long", ()),
    ("half x", "half", ()),
    ("global size_t *x", "size_t*", ()),
    ("global int const *x", "int*", ("const",)),
    ("global int *const x", "int*", ()),
    ("global int volatile *x", "int*", ("volatile",)),
    ("global int *volatile x", "int*", ()),
    ("global const int *restrict x", "int*", ("const", "restrict")),
    ("constant int *x", "int*", ("const",)),
    ("local double2 *x", "double2*", ()),
    ("global void *x", "void*", ()),
    ("global int x[]", "int*", ()),
])
def test_types_and_qualifiers(declaration, type_name, qualifiers):
    arg = argument(declaration)
    assert (arg.name, arg.type_name, arg.type_qualifiers, arg.access_qualifier) == ("x", type_name, qualifiers, "none")


@pytest.mark.parametrize(("before", "declaration", "type_name"), [
    ("typedef float4 point;", "global point *x", "point*"),
    ("typedef global float *floats;", "floats x", "floats"),
    ("struct body { float m; };", "struct body x", "struct body"),
    ("struct body { float m; };", "global struct body *x", "struct body*"),
    ("typedef struct { float m; } body;", "global body *x", "body*"),
    ("typedef struct body { float m; } body_t;", "body_t x", "body_t"),
    # A struct of several names is called as the kernel calls it.
    ("typedef struct body { float m; } body_t;", "global struct body *x", "struct body*"),
    ("typedef struct body { float m; } body_t;", "struct body x", "struct body"),
    ("typedef struct { float m; } body; typedef body body_t;", "global const body_t *restrict x", "body_t*"),
    ("struct body; typedef struct body body_t; struct body { float m; };", "global struct body x[]", "struct body*"),
    ("typedef struct body { float m; } body_t; typedef global body_t *bodies;", "bodies x", "bodies"),
    ("enum colour { RED };", "global enum colour *x", "enum colour*"),
    ("typedef enum colour { RED } colour_t;", "global colour_t *x", "colour_t*"),
])
def test_names_of_the_users(before, declaration, type_name):
    assert argument(declaration, before).type_name == type_name


def test_pointers_to_pointers():
    assert argument("global int *global *x", version=200).type_name == "int**"


@pytest.mark.parametrize(("declaration", "kind", "type_name", "access", "address", "qualifiers"), [
    ("image2d_t x", "image", "image2d_t", "read_only", "global", ()),
    ("write_only image3d_t x", "image", "image3d_t", "write_only", "global", ()),
    ("__read_only image1d_buffer_t x", "image", "image1d_buffer_t", "read_only", "global", ()),
    ("read_write image2d_array_t x", "image", "image2d_array_t", "read_write", "global", ()),
    ("sampler_t x", "sampler", "sampler_t", "none", "private", ()),
    ("queue_t x", "queue", "queue_t", "none", "private", ()),
    ("pipe int4 x", "pipe", "int4", "read_only", "global", ("pipe",)),
    ("write_only pipe uint x", "pipe", "uint", "write_only", "global", ("pipe",)),
])
def test_objects(opaque_types, declaration, kind, type_name, access, address, qualifiers):
    arg = argument(declaration, version=200)
    assert (arg.kind, arg.type_name, arg.access_qualifier, arg.address_qualifier, arg.type_qualifiers) == (
        kind, type_name, access, address, qualifiers)


def test_attributes():
    source = """
    kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(16, 1, 1), reqd_work_group_size(8, 4, 2)))
    void f(global int *x) { }
    __attribute__((intel_reqd_sub_group_size(16))) __attribute__((nosvm)) kernel void g(global int *x) { }
    kernel void h(global int *x) { }"""
    f, g, h = translate(source).kernels
    assert f.attributes == "vec_type_hint(float4) work_group_size_hint(16,1,1) reqd_work_group_size(8,4,2)"
    assert (f.reqd_work_group_size, f.work_group_size_hint, f.vec_type_hint, f.reqd_sub_group_size) == ((8, 4, 2), (16, 1, 1), "float4", None)
    assert (g.attributes, g.reqd_sub_group_size) == ("intel_reqd_sub_group_size(16) nosvm", 16)
    assert (h.attributes, h.reqd_work_group_size) == ("", None)


@pytest.mark.parametrize(("attribute", "message"), [
    ("intel_reqd_sub_group_size(7)", "requires one of the sub-group sizes"),
    ("reqd_work_group_size(8, 4)", "requires three positive integer constants"),
    ("work_group_size_hint(8, n, 1)", "use of undeclared identifier 'n'"),
    ("vec_type_hint(void)", "non-vectorizable"),
])
def test_wrong_attributes(attribute, message):
    with pytest.raises(CompileError, match=message):
        translate(f"kernel __attribute__(({attribute})) void f(global int *x) {{ }}")


def test_kernel_attributes_are_for_kernels():
    with pytest.raises(CompileError, match="can only be applied to an OpenCL kernel function"):
        translate("__attribute__((reqd_work_group_size(1, 1, 1))) void f(global int *x) { }")


def test_samplers_and_images_as_printed(opaque_types):
    source = """constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR;
void g(read_only image2d_t img, sampler_t s) { }
kernel void f(read_only image2d_t img, sampler_t given) {
    const sampler_t own = CLK_ADDRESS_CLAMP;
    g(img, linear);
    g(img, own);
    g(img, given);
    g(img, CLK_FILTER_NEAREST | CLK_ADDRESS_NONE);
}"""
    translation = translate(source)
    text = translation.user_source
    assert "constexpr sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_FILTER_LINEAR;" in text
    assert "__global__ void f(const __grid_constant__ image2d_t img, sampler_t given) {" in text
    assert "g(img, CLK_FILTER_NEAREST | CLK_ADDRESS_NONE);" in text
    assert ("type", "image2d_t") in translation.used_builtins and ("type", "sampler_t") in translation.used_builtins


def changed(info, **more):
    """With another value than the default in every field."""
    others = {"str": "x", "bool": True, "int": 5, "tuple[str, ...]": ("a", "b"), "tuple[int, int, int] | None": (1, 2, 3), "int | None": 7,
              "tuple[int, ...] | None": (4, 5),
              "tuple[ImagePlace, ...]": (ImagePlace(8, "image2d_t", "read_only"),)}
    fields = {each.name: others.get(each.type, "x") for each in dataclasses.fields(info)}
    return dataclasses.replace(info, **{**fields, "parameter": False, **more} if isinstance(info, ArgInfo) else {**fields, **more})


def test_all_that_is_known_survives_json():
    plain = ArgInfo("a", "int", "value", 4, 4)
    whole = changed(plain)
    for kernel in (KernelInfo("f", ()), KernelInfo("f", (plain, whole)), changed(KernelInfo("f", ()), args=(whole, plain))):
        again = KernelInfo.from_json(json.loads(json.dumps(kernel.to_json())))
        assert again == kernel and again.declarations == kernel.declarations
        assert all(type(each) is type(before) for each, before in zip(vars(again).values(), vars(kernel).values(), strict=True))
    assert all(getattr(whole, each.name) != each.default for each in dataclasses.fields(ArgInfo))


def test_defaults_are_not_told():
    kernel = KernelInfo("f", (ArgInfo("a", "int", "value", 4, 4),))
    assert kernel.to_json() == {"name": "f", "cxx_name": "f",
                                "args": [{"name": "a", "type_name": "int", "kind": "value", "size": 4, "align": 4}]}


@pytest.mark.parametrize("data", [
    {}, {"name": "f"}, {"args": []}, {"name": "f", "args": [{}]}, {"name": "f", "args": [5]}, {"name": "f", "args": 5},
    {"name": "f", "args": [], "surplus": 1}])
def test_what_is_no_kernel_is_none(data):
    with pytest.raises((KeyError, TypeError, AttributeError)):
        KernelInfo.from_json(data)
