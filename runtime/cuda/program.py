"""A translated program compiled for CUDA: the bytes that are cached and loaded.

The *plain* variant serves nearly every launch; of a program with several kernels it is compiled in parts, side by side. The *swapped*
one is the plain one that also reads and writes images in BGRA order, and writes sRGB (`image_variant`); the *general* one computes
work-item ids in 64 bits from `ocl::launch`. Both are compiled when a launch first needs them; so their source travels with the program,
also through caches and binaries.
"""

from __future__ import annotations

import functools
import io
import json
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..driver.device import CompiledKernel, Spills
from ..driver.interface import BuildFailure
from ..driver.unfinished_code import UnfinishedCode
from ..process import disk_cache, processors
from . import dependent_launch, nvrtc, rounded_launch
from .image_variant import images_of
from .kernel_starts import beginning
from .options import flags

if TYPE_CHECKING:
    from ...builtins.prelude import Variant
    from ...translator import Translation
    from ...translator.options import BuildOptions

# Shorter parts gain nothing. Of 58 first builds of real programs on an H200's machine with 16 processors the geometric mean beside NVIDIA's
# OpenCL was 0.96 with 24, 0.94 with 10, 0.91 with 5 and 0.95 with 2.
PART_LINES = 6
MOST_PARTS = 8

_NONE: frozenset[str] = frozenset()

# In the assembler's log.
_SPILLS = re.compile(r"Function properties for (.*)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads")


@dataclass(frozen=True)
class CudaProgram:
    """plain            the plain variant's code, a module for each part of the kernels; none if they only work in the general one
    parts            by each kernel's name in C++ which of them has it
    swapped_source  the plain variant's source, if any kernel of it takes images whose format may ask for another variant
    symbols         by each kernel's name in C++ its symbol, the same in all variants
    log             the assembler's: registers, spills and memory of each kernel
    general_code    of a program whose kernels only work in the general variant, that one's code
    waits           the kernels of all variants but the general one wait for the grid before them (dependent_launch.py)
    rounds          the kernels that cannot tell how they are grouped: they end past the global size in the rounded variant
    rounded_source  that one's source, if there are any (rounded_launch.py)
    compiled        by their names the code of kernels that were not translated: pieces that are linked to a module of their own
    """

    arch: str
    flags: tuple[str, ...]
    symbols: dict[str, str]
    general_source: str
    swapped_source: str
    plain: tuple[bytes, ...] = ()
    parts: dict[str, int] = field(default_factory=dict)
    log: str = ""
    general_code: bytes = b""
    waits: bool = False
    rounds: frozenset[str] = frozenset()
    rounded_source: str = ""
    compiled: dict[str, tuple[bytes, ...]] = field(default_factory=dict)

    @classmethod
    def begin(cls, translation: Translation, arch: str, flags: Sequence[str], compiler: nvrtc.Nvrtc) -> UnfinishedCode:
        """Begins to compile it; the code is the packed program."""
        # Here, since a program from the cache does not need the library's tables.
        from ...builtins.prelude import needs_general
        from ...translator.division import divided

        # Variables that kernels change may not exist twice.
        only_general = needs_general(translation.used_builtins) or translation.global_size > 0
        plain, waits = (translation, False) if only_general else plain_variant(translation, arch)
        variant: Variant = "general" if only_general else "plain"
        pieces = (plain,) if only_general else divided(plain, min(processors.count(), MOST_PARTS), PART_LINES)
        builds = [functools.partial(_build, piece, variant, arch, flags, compiler) for piece in pieces]

        def made(compiled: list[nvrtc.Compiled]) -> bytes:
            program = cls(arch, tuple(flags), {}, general_source, swapped_source, waits=waits, rounds=rounds,
                          rounded_source=rounded_source)
            return program._with_compiled(compiled, only_general).pack()

        with nvrtc.side_by_side(builds, made) as code:
            # While NVRTC is at work: what variants that are needed later are compiled from, and the file that all goes to.
            general_source = translation.source("cuda", variant="general")
            takes_images = not only_general and any(images_of(kernel) for kernel in plain.kernels)
            swapped_source = plain.source("cuda") if takes_images else ""
            rounded_source, rounds = ("", _NONE) if only_general else rounded_variant(translation, waits)
            disk_cache.begin()
        return code

    def _with_compiled(self, compiled: Sequence[nvrtc.Compiled], only_general: bool) -> CudaProgram:
        """What NVRTC gave for the parts of the plain variant, or for the general one."""
        symbols = {_name(expression): symbol for each in compiled for expression, symbol in each.names.items()}
        # Equal programs are equal bytes: how long it took is no part of them.
        log = re.sub(r"^.*Compile time = .*\n?", "", "\n".join(each.log for each in compiled), flags=re.MULTILINE)
        for name, symbol in symbols.items():
            log = log.replace(symbol, name)
        if only_general:
            return replace(self, symbols=symbols, log=log, general_code=compiled[0].code)
        parts = {_name(expression): number for number, each in enumerate(compiled) for expression in each.names}
        return replace(self, symbols=symbols, log=log, plain=tuple(each.code for each in compiled), parts=parts)

    def spills(self, kernel: str) -> Spills | None:
        """Of a kernel, by its name in C++; None where the code is PTX, which the NVIDIA driver compiles."""
        return self._spills.get(kernel)

    @functools.cached_property
    def _spills(self) -> dict[str, Spills]:
        return {each[1]: Spills(int(each[2]), int(each[3])) for each in _SPILLS.finditer(self.log)}

    def general(self, compiler: nvrtc.Nvrtc) -> bytes:
        """The general variant's code."""
        return self.general_code or self._variant("cuda general", self.general_source, self.flags, compiler)

    def swapped(self, compiler: nvrtc.Nvrtc) -> bytes:
        """The swapped variant's code."""
        return self._variant("cuda swapped", self.swapped_source, (*self.flags, "-DOCL_SWAPPED=1"), compiler)

    def rounded(self, compiler: nvrtc.Nvrtc) -> bytes:
        """The rounded variant's code."""
        return self._variant("cuda rounded", self.rounded_source, self.flags, compiler)

    def _variant(self, kind: str, source: str, flags: Sequence[str], compiler: nvrtc.Nvrtc) -> bytes:
        """The code of a variant, from the disk cache where it is there."""
        name = disk_cache.key((kind, source, self.arch, *flags, nvrtc.identity(compiler.version[0])))
        code = disk_cache.load(name)
        if code is None:
            build = functools.partial(nvrtc.build, source, self.arch, flags, self._expressions(), library=compiler)
            code = nvrtc.apart(build).code
            disk_cache.store(name, code)
        return code

    def _expressions(self) -> list[str]:
        return [_expression(name) for name in self.symbols]

    def with_kernels(self, kernels: Sequence[CompiledKernel]) -> CudaProgram:
        """The program and kernels that were compiled elsewhere."""
        return replace(self, symbols=self.symbols | {each.info.cxx_name: each.symbol for each in kernels},
                       compiled={each.info.cxx_name: each.code for each in kernels})

    def pack(self) -> bytes:
        header = {"arch": self.arch, "flags": self.flags, "symbols": self.symbols, "general_source": self.general_source,
                  "swapped_source": self.swapped_source, "log": self.log, "parts": self.parts, "waits": self.waits,
                  "rounds": sorted(self.rounds), "rounded_source": self.rounded_source,
                  "plain": [len(code) for code in self.plain], "general": len(self.general_code),
                  "compiled": {name: [len(piece) for piece in code] for name, code in self.compiled.items()}}
        text = json.dumps(header, separators=(",", ":")).encode()
        pieces = [piece for code in self.compiled.values() for piece in code]
        return b"".join((struct.pack("<I", len(text)), text, *self.plain, self.general_code, *pieces))

    @classmethod
    def unpack(cls, data: bytes) -> CudaProgram:
        (length,) = struct.unpack_from("<I", data)
        header = json.loads(data[4 : 4 + length])
        rest = io.BytesIO(data[4 + length :])
        plain, general = tuple(map(rest.read, header["plain"])), rest.read(header["general"])
        compiled = {name: tuple(map(rest.read, sizes)) for name, sizes in header["compiled"].items()}
        return cls(header["arch"], tuple(header["flags"]), header["symbols"], header["general_source"], header["swapped_source"], plain,
                   header["parts"], header["log"], general, header["waits"],
                   frozenset(header["rounds"]), header["rounded_source"], compiled)


def compiler_spec(newest: int, capability: tuple[int, int]) -> str:
    """For `compile_for`: the newest major version of CUDA whose code the NVIDIA driver loads, and the device's capability."""
    return json.dumps([newest, *capability])


def compile_for(spec: str, translation: Translation, options: BuildOptions) -> bytes:
    """What CudaDevice.compile yields, without the device."""
    return begin_for(spec, translation, options).result()


def begin_for(spec: str, translation: Translation, options: BuildOptions) -> UnfinishedCode:
    """Begins to compile it."""
    newest, major, minor = json.loads(spec)
    compiler = nvrtc.nvrtc(newest)
    arch = compiler.architecture((major, minor))
    return CudaProgram.begin(translation, arch, flags(options, compiler.version, translation.fp_contract), compiler)


def _expression(kernel: str) -> str:
    return f"&ocl::user::{kernel}"


def _name(expression: str) -> str:
    return expression.rpartition("::")[2]


def plain_variant(translation: Translation, arch: str) -> tuple[Translation, bool]:
    """The program whose kernels begin as in the plain variant, and whether they wait for the grid before them (`CudaProgram.waits`)."""
    waiting = None
    if dependent_launch.is_known_to(arch):
        waiting = beginning(translation, {kernel.cxx_name: dependent_launch.WAIT for kernel in translation.kernels})
    return waiting or translation, waiting is not None


def rounded_variant(translation: Translation, waits: bool) -> tuple[str, frozenset[str]]:
    """The source of the variant whose kernels end past the global size, and which of them do (`CudaProgram.rounds`). `waits` is that of
    the plain variant."""
    rounds = rounded_launch.rounded_kernels(translation)
    statements = {kernel.cxx_name: " ".join((*[dependent_launch.WAIT] * waits, *[rounded_launch.CHECK] * (kernel.cxx_name in rounds)))
                  for kernel in translation.kernels if waits or kernel.cxx_name in rounds}
    begun = beginning(translation, statements) if rounds else None
    if begun is None:
        return "", _NONE
    begun = replace(begun, used_builtins=(*begun.used_builtins, rounded_launch.USE))
    return begun.source("cuda", variant="rounded" if rounded_launch.tells_sizes(translation) else "plain"), rounds


def _build(translation: Translation, variant: Variant, arch: str, flags: Sequence[str], compiler: nvrtc.Nvrtc,
           begun: Callable[[], object]) -> nvrtc.Compiled:
    source = translation.source("cuda", variant=variant)
    try:
        return nvrtc.build(source, arch, flags, [_expression(kernel.cxx_name) for kernel in translation.kernels], begun,
                           library=compiler)
    except BuildFailure as failure:
        # The translator has accepted the program, so this is mostly its fault; NVRTC's words are what a report needs.
        raise BuildFailure(f"NVRTC refused the translated program:\n{failure.log}") from failure
