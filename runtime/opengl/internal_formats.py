"""OpenGL's internal formats and the image formats that stand for them (5.3.3.3, table 34), one row each.

    OpenGL's name   its number   channel order   channel data type   shared with CUDA as it is

The last column is the list of cuGraphicsGLRegisterImage: the rest reaches CUDA through a pixel buffer. Three rows are beyond the
table, which allows that ("may (but are not guaranteed to) have a mapping").
"""

from __future__ import annotations

from typing import NamedTuple


class InternalFormat(NamedTuple):
    """`order` and `type` are OpenCL's names without CL_."""

    name: str
    number: int
    order: str
    type: str
    registers: bool

    @property
    def transfer(self) -> tuple[int, int]:
        """Format and type with which OpenGL reads and writes pixels as OpenCL has them in memory."""
        if self.type in _PACKED:
            return _PACKED[self.type]
        if self.order == "DEPTH_STENCIL":
            return _DEPTH_STENCIL, _FLOAT_32_UNSIGNED_INT_24_8_REV
        integers = "SIGNED_INT" in self.type
        return (_INTEGER_FORMATS if integers else _FORMATS)[self.order], _TYPES[self.type]


_DEPTH_STENCIL, _FLOAT_32_UNSIGNED_INT_24_8_REV = 0x84F9, 0x8DAD
_FORMATS = {"R": 0x1903, "RG": 0x8227, "RGBA": 0x1908, "sRGBA": 0x1908, "DEPTH": 0x1902}
_INTEGER_FORMATS = {"R": 0x8D94, "RG": 0x8228, "RGBA": 0x8D99}
_TYPES = {"UNORM_INT8": 0x1401, "SNORM_INT8": 0x1400, "UNORM_INT16": 0x1403, "SNORM_INT16": 0x1402, "SIGNED_INT8": 0x1400,
          "SIGNED_INT16": 0x1402, "SIGNED_INT32": 0x1404, "UNSIGNED_INT8": 0x1401, "UNSIGNED_INT16": 0x1403, "UNSIGNED_INT32": 0x1405,
          "HALF_FLOAT": 0x140B, "FLOAT": 0x1406}
# GL_RGB with 5_6_5, GL_RGBA with 10_10_10_2, GL_DEPTH_STENCIL with 24_8.
_PACKED = {"UNORM_SHORT_565": (0x1907, 0x8363), "UNORM_INT_101010_2": (0x1908, 0x8036), "UNORM_INT24": (_DEPTH_STENCIL, 0x84FA)}

_ROWS = """
RGBA8 8058 RGBA UNORM_INT8 yes
SRGB8_ALPHA8 8C43 sRGBA UNORM_INT8 no
RGBA8I 8D8E RGBA SIGNED_INT8 yes
RGBA16I 8D88 RGBA SIGNED_INT16 yes
RGBA32I 8D82 RGBA SIGNED_INT32 yes
RGBA8UI 8D7C RGBA UNSIGNED_INT8 yes
RGBA16UI 8D76 RGBA UNSIGNED_INT16 yes
RGBA32UI 8D70 RGBA UNSIGNED_INT32 yes
RGBA8_SNORM 8F97 RGBA SNORM_INT8 no
RGBA16 805B RGBA UNORM_INT16 yes
RGBA16_SNORM 8F9B RGBA SNORM_INT16 no
RGBA16F 881A RGBA HALF_FLOAT yes
RGBA32F 8814 RGBA FLOAT yes
R8 8229 R UNORM_INT8 yes
R8_SNORM 8F94 R SNORM_INT8 no
R16 822A R UNORM_INT16 yes
R16_SNORM 8F98 R SNORM_INT16 no
R16F 822D R HALF_FLOAT yes
R32F 822E R FLOAT yes
R8I 8231 R SIGNED_INT8 yes
R16I 8233 R SIGNED_INT16 yes
R32I 8235 R SIGNED_INT32 yes
R8UI 8232 R UNSIGNED_INT8 yes
R16UI 8234 R UNSIGNED_INT16 yes
R32UI 8236 R UNSIGNED_INT32 yes
RG8 822B RG UNORM_INT8 yes
RG8_SNORM 8F95 RG SNORM_INT8 no
RG16 822C RG UNORM_INT16 yes
RG16_SNORM 8F99 RG SNORM_INT16 no
RG16F 822F RG HALF_FLOAT yes
RG32F 8230 RG FLOAT yes
RG8I 8237 RG SIGNED_INT8 yes
RG16I 8239 RG SIGNED_INT16 yes
RG32I 823B RG SIGNED_INT32 yes
RG8UI 8238 RG UNSIGNED_INT8 yes
RG16UI 823A RG UNSIGNED_INT16 yes
RG32UI 823C RG UNSIGNED_INT32 yes
DEPTH_COMPONENT32F 8CAC DEPTH FLOAT no
DEPTH_COMPONENT16 81A5 DEPTH UNORM_INT16 no
DEPTH24_STENCIL8 88F0 DEPTH_STENCIL UNORM_INT24 no
DEPTH32F_STENCIL8 8CAD DEPTH_STENCIL FLOAT no
RGB10_A2 8059 RGBA UNORM_INT_101010_2 no
RGB565 8D62 RGB UNORM_SHORT_565 no
RGBA 1908 RGBA UNORM_INT8 no
"""

INTERNAL_FORMATS = {row.number: row for row in (
    InternalFormat(name, int(number, 16), order, type_, registers == "yes")
    for name, number, order, type_, registers in map(str.split, _ROWS.strip().splitlines()))}

# Without a size the implementation chooses one: this row holds only where it has chosen 8 bits.
UNSIZED_RGBA = 0x1908
