"""Little contents of images of which Python has the command: the function in C gives them to the stream that commands in C use
(runtime/native/box_copies.c)."""

from __future__ import annotations

import ctypes
import struct

from ..driver.interface import ImagePart, Linear, NativeStream, Triple

# struct native_stream; and struct array, struct box and struct linear of runtime/native/boxes.h.
_STREAM = struct.Struct(f"<{len(NativeStream._fields)}Q")
_ARRAY, _BOX, _ROWS = struct.Struct("<10Q"), struct.Struct("<6Q"), struct.Struct("<3Q")
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_char_p] * 4, ctypes.c_int, ctypes.c_void_p)


class BoxWriter:
    """Of one stream, of which native code knows."""

    def __init__(self, stream: NativeStream):
        self._stream = _STREAM.pack(*stream)
        self._write = _WRITE(stream.write_box)

    def write(self, to: ImagePart, rows: Linear, region: Triple) -> bool:
        """Whether the stream was given all of the copy, of (bytes, rows, planes); pageable memory has been read then. Else it is to be made
        in another way, which says what is wrong. In the stream's context."""
        array, layout = to.image.array, to.image.layout
        if not array:
            return False
        size, (x, y, z), (width, height, depth) = layout.format.element_size, to.offset, region
        return self._write(self._stream, _ARRAY.pack(array, 0, size, *layout.size(), 0, 0, 0, 0),
                           _BOX.pack(x // size, y, z, width // size, height, depth), _ROWS.pack(*rows), 0, None) != 0
