"""Program binaries: what clGetProgramInfo gives, clCreateProgramWithBinary takes and the cache stores.

A binary is a magic number, a SHA-256 of the rest, a JSON header and the driver's own bytes. It is checked before anything in it
is used.
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import Any

from ..translator.kernel_info import KernelInfo

_MAGIC = b"CL2CUDA\x01"  # the last byte counts the format's versions
_PREFIX = len(_MAGIC) + 32


class Damaged(Exception):
    """The bytes are not an intact binary of this version's format."""


@dataclass(frozen=True)
class Binary:
    """A program built for one device.

    driver          the driver that loads `code`
    kernels         by name
    log             the warnings of the build
    options         the text of the build options
    uniform         every work-group must have the full size (5.10: OpenCL C before 2.0, or -cl-uniform-work-group-size)
    observes_groups the program can tell how its work-items are grouped
    global_size     bytes of its variables in the global address space
    """

    driver: str
    kernels: dict[str, KernelInfo]
    log: str
    options: str
    uniform: bool
    observes_groups: bool
    code: bytes
    global_size: int = 0

    def pack(self) -> bytes:
        header = {
            "driver": self.driver, "log": self.log, "options": self.options, "uniform": self.uniform,
            "observes_groups": self.observes_groups, "global_size": self.global_size,
            "kernels": [info.to_json() for info in self.kernels.values()],
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        body = struct.pack("<I", len(text)) + text + self.code
        return _MAGIC + hashlib.sha256(body).digest() + body

    @classmethod
    def unpack(cls, data: bytes) -> Binary:
        """Raises Damaged."""
        data = bytes(data)
        body = data[_PREFIX:]
        if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC) : _PREFIX]:
            raise Damaged
        (length,) = struct.unpack_from("<I", body)
        header: dict[str, Any] = json.loads(body[4 : 4 + length])
        kernels = [KernelInfo.from_json(info) for info in header.pop("kernels")]
        return cls(kernels={info.name: info for info in kernels}, code=body[4 + length :], **header)
