"""Sampler objects (5.7): how kernels read images. A kernel is given a sampler as the bits of builtins/opaque.py."""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ...builtins.extensions import EXTENSIONS
from ...builtins.opaque import MIP_FILTER_LINEAR, SAMPLER_BITS, lod_bits
from ..context.context import Context
from ..spec import codes
from ..spec.errors import CLError
from ..spec.queries import NotOffered, QueryTable

T = TypeVar("T")

ROUTINE = "clCreateSamplerWithProperties"

# Each property's default ("The default is CL_TRUE", CL_ADDRESS_CLAMP, CL_FILTER_NEAREST) and the bits of each value (table 41).
_PROPERTIES: dict[int, tuple[int, dict[int, int]]] = {
    codes.SAMPLER_NORMALIZED_COORDS: (1, {
        0: SAMPLER_BITS["CLK_NORMALIZED_COORDS_FALSE"],
        1: SAMPLER_BITS["CLK_NORMALIZED_COORDS_TRUE"],
    }),
    codes.SAMPLER_ADDRESSING_MODE: (codes.ADDRESS_CLAMP, {
        codes.ADDRESS_NONE: SAMPLER_BITS["CLK_ADDRESS_NONE"],
        codes.ADDRESS_CLAMP_TO_EDGE: SAMPLER_BITS["CLK_ADDRESS_CLAMP_TO_EDGE"],
        codes.ADDRESS_CLAMP: SAMPLER_BITS["CLK_ADDRESS_CLAMP"],
        codes.ADDRESS_REPEAT: SAMPLER_BITS["CLK_ADDRESS_REPEAT"],
        codes.ADDRESS_MIRRORED_REPEAT: SAMPLER_BITS["CLK_ADDRESS_MIRRORED_REPEAT"],
    }),
    codes.SAMPLER_FILTER_MODE: (codes.FILTER_NEAREST, {
        codes.FILTER_NEAREST: SAMPLER_BITS["CLK_FILTER_NEAREST"],
        codes.FILTER_LINEAR: SAMPLER_BITS["CLK_FILTER_LINEAR"],
    }),
}
# cl_khr_mipmap_image: the filter between levels of detail, and their limits, whose values are the bits of a cl_float.
_MIP_FILTERS = {codes.FILTER_NEAREST: 0, codes.FILTER_LINEAR: MIP_FILTER_LINEAR}
_MIPMAP_DEFAULTS = {codes.SAMPLER_MIP_FILTER_MODE: codes.FILTER_NEAREST, codes.SAMPLER_LOD_MIN: 0, codes.SAMPLER_LOD_MAX: 0x7F7FFFFF}
_REPEATS = (codes.ADDRESS_REPEAT, codes.ADDRESS_MIRRORED_REPEAT)


class Sampler:
    """cl_sampler. `properties` are (name, value, name, value, ..., 0) as the specification has them, the 0 may be missing; None
    is NULL.

    bits    what a kernel is given
    """

    context: Context
    values: Mapping[int, int]
    bits: int
    properties: tuple[int, ...] = ()
    released = False

    def __init__(self, context: Context, properties: Sequence[int] | None = None):
        _check_context(context)
        self.context = context
        if properties is not None:
            self.properties = _terminated(properties)
        self.values, self.bits = _values_and_bits(self.properties)

    def lod(self, name: int) -> float:
        """A limit of the level of detail as the number that it is."""
        return _lod(self.values, name)

    def get_info(self, param: int) -> Any:
        """clGetSamplerInfo."""
        return QUERIES.get(self, param)

    def release(self) -> None:
        """clReleaseSampler: kernels that were given the sampler keep its value."""
        self.released = True


def _terminated(properties: Sequence[int]) -> tuple[int, ...]:
    given = tuple(map(int, properties))
    return given if len(given) % 2 else (*given, 0)


@functools.lru_cache(256)
def _values_and_bits(properties: tuple[int, ...]) -> tuple[Mapping[int, int], int]:
    """Each property's value, and what a kernel is given: a program makes samplers of few kinds, often anew for each image."""
    values = {name: default for name, (default, _) in _PROPERTIES.items()} | _MIPMAP_DEFAULTS | _checked(properties)
    # Repeating needs normalised coordinates (OpenCL C 6.15.15.1): "a combination of these argument values" that is not valid.
    if values[codes.SAMPLER_ADDRESSING_MODE] in _REPEATS and not values[codes.SAMPLER_NORMALIZED_COORDS]:
        raise CLError(ROUTINE, "INVALID_VALUE", "CL_ADDRESS_REPEAT and CL_ADDRESS_MIRRORED_REPEAT need normalized coordinates")
    plain = sum(bits[values[name]] for name, (_, bits) in _PROPERTIES.items())
    limits = lod_bits(_lod(values, codes.SAMPLER_LOD_MIN), _lod(values, codes.SAMPLER_LOD_MAX))
    return values, plain | _MIP_FILTERS[values[codes.SAMPLER_MIP_FILTER_MODE]] | limits


def _lod(values: Mapping[int, int], name: int) -> float:
    return struct.unpack("<f", struct.pack("<I", values[name] & 0xFFFFFFFF))[0]


def _checked(properties: tuple[int, ...]) -> dict[int, int]:
    """CL_INVALID_VALUE "if the property name in sampler_properties is not a supported property name, if the value specified for a
    supported property name is not valid, or if the same property name is specified more than once"."""
    found: dict[int, int] = {}
    for name, value in zip(properties[::2], properties[1::2], strict=False):
        mipmapped = name in _MIPMAP_DEFAULTS and EXTENSIONS["cl_khr_mipmap_image"].offered
        if name not in _PROPERTIES and not mipmapped:
            raise CLError(ROUTINE, "INVALID_VALUE", f"{name:#x} is not a property of samplers")
        if name in found:
            raise CLError(ROUTINE, "INVALID_VALUE", f"the property {name:#x} is given twice")
        valid = _MIP_FILTERS if name == codes.SAMPLER_MIP_FILTER_MODE else {value: 0} if mipmapped else _PROPERTIES[name][1]
        if value not in valid:
            raise CLError(ROUTINE, "INVALID_VALUE", f"{value:#x} is not a value of the property {name:#x}")
        found[name] = value
    return found


def create_sampler(context: Context, normalized_coords: bool, addressing_mode: int, filter_mode: int) -> Sampler:
    """clCreateSampler, deprecated by version 2.0."""
    _check_context(context)
    # "If sampler was created using clCreateSampler, [...] param_value_size_ret equal to 0": it has no properties.
    sampler = Sampler.__new__(Sampler)
    sampler.context = context
    sampler.values, sampler.bits = _of_three(bool(normalized_coords), addressing_mode, filter_mode)
    return sampler


def _check_context(context: Context) -> None:
    if not context.has_images:
        raise CLError(ROUTINE, "INVALID_OPERATION", "no device of the context supports images: ask CL_DEVICE_IMAGE_SUPPORT")


@functools.lru_cache(256)
def _of_three(normalized_coords: bool, addressing_mode: int, filter_mode: int) -> tuple[Mapping[int, int], int]:
    return _values_and_bits(_terminated((codes.SAMPLER_NORMALIZED_COORDS, normalized_coords, codes.SAMPLER_ADDRESSING_MODE,
                                         addressing_mode, codes.SAMPLER_FILTER_MODE, filter_mode)))


def _mipmapped(value: T) -> T:
    if not EXTENSIONS["cl_khr_mipmap_image"].offered:
        raise NotOffered
    return value


QUERIES = QueryTable[Sampler]("clGetSamplerInfo", (
    ("SAMPLER_REFERENCE_COUNT", "uint", lambda s: 1),
    ("SAMPLER_CONTEXT", "object", lambda s: s.context),
    ("SAMPLER_NORMALIZED_COORDS", "bool", lambda s: bool(s.values[codes.SAMPLER_NORMALIZED_COORDS])),
    ("SAMPLER_ADDRESSING_MODE", "enum", lambda s: s.values[codes.SAMPLER_ADDRESSING_MODE]),
    ("SAMPLER_FILTER_MODE", "enum", lambda s: s.values[codes.SAMPLER_FILTER_MODE]),
    ("SAMPLER_MIP_FILTER_MODE", "enum", lambda s: _mipmapped(s.values[codes.SAMPLER_MIP_FILTER_MODE])),
    ("SAMPLER_LOD_MIN", "float", lambda s: _mipmapped(s.lod(codes.SAMPLER_LOD_MIN))),
    ("SAMPLER_LOD_MAX", "float", lambda s: _mipmapped(s.lod(codes.SAMPLER_LOD_MAX))),
    ("SAMPLER_PROPERTIES", "properties", lambda s: s.properties),
))
