"""The signature table's lines for images (OpenCL C 3.0, section 6.15.15): many types, few shapes of functions.

A pure table; `rows` describes the notation. Missing: multi-sample images (cl_khr_gl_msaa_sharing), which come from OpenGL only.
"""

from __future__ import annotations

from collections.abc import Mapping

# The coordinates of an element of each image: integers, or with a sampler floats too.
_PLAIN = {"image2d_t": "int2", "image2d_array_t": "int4", "image1d_t": "int", "image1d_array_t": "int2"}
_VOLUME = {"image3d_t": "int4"}
_BUFFER = {"image1d_buffer_t": "int"}
_DEPTH = {"image2d_depth_t": "int2", "image2d_array_depth_t": "int4"}
_IMAGES = (*_PLAIN, *_VOLUME, *_BUFFER, *_DEPTH)
_PLANES = [image for image in _IMAGES if image.startswith("image2d")]
_ARRAYS = [image for image in _IMAGES if "array" in image]

_COLORS = {"f": "float4", "i": "int4", "ui": "uint4", "h": "half4"}
_VALUE = {"f": "float"}


def _lines(pattern: str, images: Mapping[str, str], colors: Mapping[str, str] = _COLORS) -> str:
    return "".join(
        pattern.format(suffix, color, image, coord, coord.replace("int", "float")) + " | requires=cl_khr_fp16" * (suffix == "h") + "\n"
        for image, coord in images.items()
        for suffix, color in colors.items()
    )


def _both(pattern: str) -> str:
    return _lines(pattern, _PLAIN | _VOLUME) + _lines(pattern, _DEPTH, _VALUE)


READS = _both("{1} read_image{0}(read_only {2} image, sampler_t sampler, {3} coord)") + _both(
    "{1} read_image{0}(read_only {2} image, sampler_t sampler, {4} coord)"
)
_READ = "{1} read_image{0}(aQual {2} image, {3} coord)"
SAMPLERLESS_READS = _lines(_READ, _PLAIN | _VOLUME | _BUFFER) + _lines(_READ, _DEPTH, _VALUE)
_WRITE = "void write_image{0}(aQual {2} image, {3} coord, {1} color)"
WRITES = _lines(_WRITE, _PLAIN | _BUFFER) + _lines(_WRITE, _DEPTH, _VALUE)
VOLUME_WRITES = _lines(_WRITE, _VOLUME)

# cl_khr_mipmap_image: the level of detail is given or computed from gradients, which have no component for an array's layer. (The
# specification misprints write_imageui's colour as int4 in two places.) Integers and floats only: read_imageh has no such form.
_MIPMAPPED = _PLAIN | _VOLUME
_MIP_COLORS = {suffix: color for suffix, color in _COLORS.items() if suffix != "h"}
_GRADIENTS = {"image1d_t": "float", "image1d_array_t": "float", "image2d_t": "float2", "image2d_array_t": "float2", "image3d_t": "float4",
              "image2d_depth_t": "float2", "image2d_array_depth_t": "float2"}  # fmt: skip


def _mipmapped(pattern: str) -> str:
    return _lines(pattern, _MIPMAPPED, _MIP_COLORS) + _lines(pattern, _DEPTH, _VALUE)


_LOD_READ = "{1} read_image{0}(read_only {2} image, sampler_t sampler, {4} coord, float lod)"
_LOD_WRITE = "void write_image{0}(write_only {2} image, {3} coord, int lod, {1} color)"
MIPMAP_READS = _mipmapped(_LOD_READ) + "".join(
    line.replace("float lod", f"{gradient} gradient_x, {gradient} gradient_y")
    for image, gradient in _GRADIENTS.items()
    for line in _mipmapped(_LOD_READ).splitlines(keepends=True)
    if f" {image} " in line
)
MIPMAP_WRITES = _mipmapped(_LOD_WRITE)
MIPMAP_QUERIES = "\n".join(f"int get_image_num_mip_levels(aQual {image} image)" for image in _GRADIENTS)

QUERIES = "\n".join(
    [
        *(f"int get_image_width(aQual {image} image)" for image in _IMAGES),
        *(f"int get_image_height(aQual {image} image)" for image in (*_PLANES, *_VOLUME)),
        "int get_image_depth(aQual image3d_t image)",
        *(f"int get_image_channel_data_type(aQual {image} image)" for image in _IMAGES),
        *(f"int get_image_channel_order(aQual {image} image)" for image in _IMAGES),
        *(f"int2 get_image_dim(aQual {image} image)" for image in _PLANES),
        "int4 get_image_dim(aQual image3d_t image)",
        *(f"size_t get_image_array_size(aQual {image} image)" for image in _ARRAYS),
    ]
)
