"""Program binaries: what clGetProgramInfo gives, clCreateProgramWithBinary takes and the cache stores.

A binary is a magic number, a SHA-256 of the rest, a JSON header and the driver's own bytes. It is checked before anything in it
is used, and holds no more than data: nothing is unpickled. The disk cache, which has a checksum of its own, has the rest alone.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Literal

from ...translator import CompiledObject
from ...translator.ir.kernel_info import KernelInfo, VariableInfo
from ...version import VERSION
from ..driver.unfinished_code import Code, UnfinishedCode, finished

_MAGIC = b"CL2CUDA\x0b"  # the last byte counts the format's versions
_PREFIX = len(_MAGIC) + 32

# What was unpacked last is kept, unless it is larger: programs load one binary for each of their contexts.
_MOST_KEPT, _LARGEST_KEPT = 4, 4 << 20

BinaryType = Literal["executable", "object", "library"]


class Damaged(Exception):
    """The bytes are not an intact binary of this version's format."""


@dataclass(frozen=True)
class Binary:
    """A program built for one device, or compiled for all (5.8.9, CL_PROGRAM_BINARY_TYPE).

    options         the text of the build, compile or link options
    log             the warnings

    An executable:
    driver          the driver that loads `code`
    made            the code, or what is going to be it
    target          the code that the device has to run
    kernels         by name
    blocks          kernels that only other kernels of the program launch (6.15.19), in the order of their numbers
    detailed        those tell why they cannot (-g)
    uniform         every work-group must have the full size (5.10: OpenCL C before 2.0, or -cl-uniform-work-group-size)
    global_size     bytes of its variables in the global address space
    variables       those of them that the host may know, by name

    A compiled object or a library:
    objects         what is to be linked
    """

    type: BinaryType
    options: str
    log: str = ""
    driver: str = ""
    target: str = ""
    kernels: dict[str, KernelInfo] = field(default_factory=dict)
    blocks: tuple[KernelInfo, ...] = ()
    detailed: bool = False
    uniform: bool = False
    global_size: int = 0
    variables: dict[str, VariableInfo] = field(default_factory=dict)
    made: Code = b""
    objects: tuple[CompiledObject, ...] = ()

    @property
    def code(self) -> bytes:
        """Waits for it; raises what the compiler has raised: BuildFailure, DriverError."""
        return finished(self.made)

    @property
    def error(self) -> BaseException | None:
        """What the compiler has raised so far."""
        return self.made.error if isinstance(self.made, UnfinishedCode) else None

    @property
    def is_finished(self) -> bool:
        return not isinstance(self.made, UnfinishedCode) or self.made.has_ended

    def when_finished(self, call: Callable[[], object], failed: Callable[[], object]) -> None:
        """Makes one of the calls when there is the code, or none: at once, or in the compiler's thread."""
        if isinstance(self.made, UnfinishedCode):
            self.made.then(lambda: failed() if self.error else call())
        else:
            call()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The kernels', in their order."""
        return tuple(self.kernels)

    def pack(self) -> bytes:
        return self._packed

    @cached_property
    def _packed(self) -> bytes:
        """Programs ask for the size and then for the bytes."""
        body = self.body()
        return _MAGIC + hashlib.sha256(body).digest() + body

    def body(self) -> bytes:
        header = {
            "cl2cuda": VERSION, "type": self.type, "options": self.options, "log": self.log, "driver": self.driver,
            "target": self.target, "uniform": self.uniform, "global_size": self.global_size,
            "variables": [each.to_json() for each in self.variables.values()],
            "kernels": [info.to_json() for info in self.kernels.values()],
            "blocks": [info.to_json() for info in self.blocks], "detailed": self.detailed,
            "objects": [each.to_json() for each in self.objects],
        }
        text = json.dumps(header, separators=(",", ":")).encode()
        return struct.pack("<I", len(text)) + text + self.code

    @classmethod
    def unpack(cls, data: bytes) -> Binary:
        """Raises Damaged."""
        return _kept(_Packed(data)) if len(data) <= _LARGEST_KEPT else _unpacked(bytes(data))

    @classmethod
    def of_body(cls, body: bytes) -> Binary:
        """Of what `body` gave. Raises Damaged."""
        try:
            (length,) = struct.unpack_from("<I", body)
            return cls._of(json.loads(body[4 : 4 + length]), body[4 + length :])
        except (struct.error, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise Damaged from error  # a digest proves no more than that the bytes are its maker's

    @classmethod
    def _of(cls, header: dict[str, Any], code: bytes) -> Binary:
        if header.pop("cl2cuda") != VERSION or header["type"] not in ("executable", "object", "library"):
            raise Damaged
        kernels = [KernelInfo.from_json(info) for info in header.pop("kernels")]
        variables = [VariableInfo(**each) for each in header.pop("variables")]
        blocks = tuple(map(KernelInfo.from_json, header.pop("blocks")))
        objects = tuple(map(CompiledObject.from_json, header.pop("objects")))
        return cls(kernels={info.name: info for info in kernels}, variables={each.name: each for each in variables}, blocks=blocks,
                   objects=objects, made=code, **header)


class _Packed(bytes):
    """A binary, which the digest in it tells from most others: hashes of all its bytes would take long."""

    def __hash__(self) -> int:
        return hash(self[len(_MAGIC) : _PREFIX])


def _unpacked(data: bytes) -> Binary:
    body = data[_PREFIX:]
    if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC) : _PREFIX]:
        raise Damaged
    return Binary.of_body(body)


_kept = lru_cache(_MOST_KEPT)(_unpacked)
