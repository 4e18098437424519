"""Writes a picture as PNG with nothing but the standard library."""

import struct
import zlib


def write_png(path, pixels):
    """pixels: uint8, of shape (height, width) for grey, (height, width, 3) for RGB or (height, width, 4) for RGBA."""
    height, width = pixels.shape[:2]
    colour_type = {1: 0, 3: 2, 4: 6}[pixels[0, 0].size]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, colour_type, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(rows, 6)))
        file.write(chunk(b"IEND", b""))
