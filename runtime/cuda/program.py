"""A translated program compiled for CUDA: the bytes that are cached and loaded.

The *plain* variant serves nearly every launch. The *general* one computes work-item ids in 64 bits from `ocl::launch`, and is
compiled when a launch first needs it; so its source travels with the program, also through caches and binaries.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...builtins.prelude import needs_general
from ...translator.kernel_info import KernelInfo
from .. import cache
from ..driver import BuildFailure
from . import nvrtc
from .options import flags

if TYPE_CHECKING:
    from ...translator import Translation
    from ...translator.options import BuildOptions
    from ..built_in_kernels import CompiledKernel


@dataclass(frozen=True)
class CudaProgram:
    """plain            the plain variant's code; b"" if the program's kernels only work in the general one
    symbols         by each kernel's name in C++ its symbol, the same in both variants
    log             with -cl-nv-verbose: registers, spills and memory of each kernel
    compiled        by their names the code of kernels that were not translated: pieces that are linked to a module of their own
    """

    arch: str
    flags: tuple[str, ...]
    symbols: dict[str, str]
    general_source: str
    plain: bytes
    log: str = ""
    compiled: dict[str, tuple[bytes, ...]] = field(default_factory=dict)

    @classmethod
    def compile(cls, translation: Translation, arch: str, flags: Sequence[str], compiler: nvrtc.Nvrtc) -> CudaProgram:
        general_source = translation.source("cuda", general_launch=True)
        # Variables that kernels change may not exist twice.
        only_general = needs_general(translation.used_builtins) or translation.global_size > 0
        source = general_source if only_general else translation.source("cuda")
        compiled = _build(source, arch, flags, translation.kernels, compiler)
        symbols = {name.rpartition("::")[2]: symbol for name, symbol in compiled.names.items()}
        log = compiled.log
        for name, symbol in symbols.items():
            log = log.replace(symbol, name)
        return cls(arch, tuple(flags), symbols, general_source, b"" if only_general else compiled.code, log)

    def general(self, compiler: nvrtc.Nvrtc) -> bytes:
        """The general variant's code, from the disk cache where it is there."""
        name = cache.key(("cuda general", self.general_source, self.arch, *self.flags, nvrtc.identity(compiler.version[0])))
        code = cache.load(name)
        if code is None:
            code = nvrtc.build(self.general_source, self.arch, self.flags, self._expressions(), library=compiler).code
            cache.store(name, code)
        return code

    def _expressions(self) -> list[str]:
        return [_expression(name) for name in self.symbols]

    def with_kernels(self, kernels: Sequence[CompiledKernel]) -> CudaProgram:
        """The program and kernels that were compiled elsewhere."""
        return replace(self, symbols=self.symbols | {each.info.cxx_name: each.symbol for each in kernels},
                       compiled={each.info.cxx_name: each.code for each in kernels})

    def pack(self) -> bytes:
        header = {"arch": self.arch, "flags": self.flags, "symbols": self.symbols, "general_source": self.general_source, "log": self.log,
                  "compiled": {name: [len(piece) for piece in code] for name, code in self.compiled.items()}, "plain": len(self.plain)}
        text = json.dumps(header, separators=(",", ":")).encode()
        pieces = [piece for code in self.compiled.values() for piece in code]
        return b"".join((struct.pack("<I", len(text)), text, self.plain, *pieces))

    @classmethod
    def unpack(cls, data: bytes) -> CudaProgram:
        (length,) = struct.unpack_from("<I", data)
        header = json.loads(data[4 : 4 + length])
        rest = io.BytesIO(data[4 + length :])
        plain = rest.read(header["plain"])
        compiled = {name: tuple(map(rest.read, sizes)) for name, sizes in header["compiled"].items()}
        return cls(header["arch"], tuple(header["flags"]), header["symbols"], header["general_source"], plain, header["log"], compiled)


def compiler_spec(newest: int, capability: tuple[int, int]) -> str:
    """For `compile_for`: the newest major version of CUDA whose code the NVIDIA driver loads, and the device's capability."""
    return json.dumps([newest, *capability])


def compile_for(spec: str, translation: Translation, options: BuildOptions) -> bytes:
    """What CudaDevice.compile yields, without the device."""
    newest, major, minor = json.loads(spec)
    compiler = nvrtc.nvrtc(newest)
    arch = compiler.architecture((major, minor))
    return CudaProgram.compile(translation, arch, flags(options, compiler.version, translation.fp_contract), compiler).pack()


def _expression(kernel: str) -> str:
    return f"&ocl::user::{kernel}"


def _build(source: str, arch: str, flags: Sequence[str], kernels: Sequence[KernelInfo],
           compiler: nvrtc.Nvrtc) -> nvrtc.Compiled:
    try:
        return nvrtc.build(source, arch, flags, [_expression(kernel.cxx_name) for kernel in kernels], library=compiler)
    except BuildFailure as failure:
        # The translator has accepted the program, so this is mostly its fault; NVRTC's words are what a report needs.
        raise BuildFailure(f"NVRTC refused the translated program:\n{failure.log}") from failure
