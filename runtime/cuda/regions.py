"""Regions of images and of rows in memory, and the structures in which CUDA is told of a copy between them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from ..driver.interface import ImagePart, Linear, Triple
from .arrays import array_end, linear_end
from .image import CudaImage


class Pitched(ctypes.Structure):
    """cudaPitchedPtr: address, bytes a row, bytes used in a row, rows a slice."""

    _fields_ = [("address", ctypes.c_void_p), ("pitch", ctypes.c_size_t), ("width", ctypes.c_size_t), ("rows", ctypes.c_size_t)]


class Memcpy3D(ctypes.Structure):
    """cudaMemcpy3DParms."""

    _fields_ = [
        ("source_array", ctypes.c_void_p), ("source_position", ctypes.c_size_t * 3), ("source", Pitched),
        ("destination_array", ctypes.c_void_p), ("destination_position", ctypes.c_size_t * 3), ("destination", Pitched),
        ("extent", ctypes.c_size_t * 3), ("kind", ctypes.c_int),
    ]


def copy_end(name: str, place: Linear | ImagePart, on_host: bool) -> dict[str, int]:
    """One end of a copy, in the structure's fields: an image's array, or rows in memory."""
    if isinstance(place, Linear):
        return linear_end(name, place, on_host)
    assert isinstance(place.image, CudaImage)
    return array_end(name, place.image.levels[place.level], place.offset)


def whole_rows(destination: Linear | ImagePart, source: Linear | ImagePart,
                region: Triple) -> list[tuple[Linear | ImagePart, Linear | ImagePart, Triple]]:
    """The copy as CUDA's structure can say it, whose ends are arrays or rows in memory. It counts a plane's size in rows: planes that are
    no whole number of rows apart go one by one."""
    ends = [_in_memory(end, region) for end in (destination, source)]
    if region[2] == 1 or not any(isinstance(end, Linear) and end.slice_pitch % end.row_pitch for end in ends):
        return [(ends[0], ends[1], region)]
    return [(moved(ends[0], (0, 0, z)), moved(ends[1], (0, 0, z)), (region[0], region[1], 1)) for z in range(region[2])]


def _in_memory(place: Linear | ImagePart, region: Triple) -> Linear | ImagePart:
    """Rows in memory, where it is that. Planes of one row are rows: of images in a one-dimensional array CUDA takes the next one a row's
    pitch on in copies within the device, whatever a plane's size is (seen with CUDA 13.0)."""
    if isinstance(place, ImagePart):
        rows = place.image.linear(place.level)
        if rows is None:
            return place
        place = rows.at(place.offset)
    return place._replace(row_pitch=place.slice_pitch) if region[1] == 1 < region[2] else place


def moved(place: Linear | ImagePart, by: Triple) -> Linear | ImagePart:
    """The place that many bytes, rows and planes on."""
    if isinstance(place, Linear):
        return place.at(by)
    x, y, z = place.offset
    return place._replace(offset=(x + by[0], y + by[1], z + by[2]))


def parts(rows: Linear, region: Triple, limit: int) -> Iterator[tuple[Triple, Triple]]:
    """(offset, size) of the parts of a region whose rows take at most so many bytes: whole planes if they do,
    and are whole rows apart, else rows of one plane; at least one row."""
    width, height, planes = region
    if rows.slice_pitch % rows.row_pitch == 0 and rows.slice_pitch <= limit:
        step = limit // rows.slice_pitch
        yield from (((0, 0, z), (width, height, min(step, planes - z))) for z in range(0, planes, step))
        return
    step = max(1, limit // rows.row_pitch)
    for z in range(planes):
        yield from (((0, y, z), (width, min(step, height - y), 1)) for y in range(0, height, step))
