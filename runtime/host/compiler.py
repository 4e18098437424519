"""From a translation to a shared object: the C++ text of a program with its launchers, and the flags that build it."""

from __future__ import annotations

import functools
import hashlib
import sys

from ...translator import Translation
from ...translator.ir.kernel_info import KernelInfo
from ...translator.options import BuildOptions
from ..driver.interface import BuildFailure
from ..process import debug_mode
from . import native
from .properties import cpu_facts
from .toolchain import find_compiler

# -fwrapv and -fno-strict-aliasing: what programs lean on. The others let GCC vectorise across work-items: OpenCL has neither
# errno nor floating-point traps.
FLAGS = ("-fvisibility=hidden", "-fno-asynchronous-unwind-tables", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
         "-fno-math-errno", "-fno-trapping-math")

UNSAFE = ("-funsafe-math-optimizations", "-ffp-contract=fast")

# What a build option adds. The others change the translation, or nothing here: this driver keeps denormals and infinities, and
# rounds divisions and roots correctly, whatever is allowed.
OPTION_FLAGS = {
    "mad_enable": ("-ffp-contract=fast",),
    "no_signed_zeros": ("-fno-signed-zeros",),
    "unsafe_math": UNSAFE,
    "fast_relaxed_math": UNSAFE,
    "debug": ("-g",),
}


def flags_for(options: BuildOptions, contract: bool = True) -> tuple[str, ...]:
    """Without `contract` no product and sum may become one fma, whatever the options allow."""
    chosen = [*find_compiler().kind.kernels, "-O1" if options.opt_disable else "-O3", *FLAGS]
    for option, flags in OPTION_FLAGS.items():
        if getattr(options, option):
            chosen += flags
    if debug_mode.active():
        chosen.append("-DOCL_WATCHED")  # launcher.cpp
    if not contract:
        chosen.append("-ffp-contract=off")
    return tuple(chosen)


def form_of(kernel: KernelInfo) -> str:
    """Which of the loops of launcher.cpp runs a kernel."""
    if kernel.item_loops:
        return "loops"
    if kernel.uses_barrier:
        return "fibers"
    if kernel.uses_local_memory or kernel.local_size or any(arg.kind == "local" for arg in kernel.args):
        return "groups"
    return "plain"


def launchers(kernels: tuple[KernelInfo, ...]) -> str:
    entries = [f"OCL_HOST_ENTRY({kernel.cxx_name}, {form_of(kernel)})\n" for kernel in kernels]
    return native.text_of("launcher.cpp") + "".join(entries)


def program_text(translation: Translation) -> str:
    # The program's own #line directives hold until the launcher's.
    program = '#line 1 "translated"\n' + translation.source("host")
    return "\n".join((native.text_of("interface.cpp"), program, launchers(translation.kernels)))


@functools.cache
def target() -> str:
    """The processor that -march=native means, and our own C++ that goes into every program and loads it."""
    facts = cpu_facts()
    processor = " ".join(facts.get(key, "") for key in ("model name", "flags", "CPU implementer", "CPU part", "Features"))
    ours = native.text_of("launcher.cpp") + native.source()
    return hashlib.sha256(f"{sys.platform} {processor}{ours}".encode()).hexdigest()


def identity(options: BuildOptions) -> str:
    """Compiler and flags."""
    return find_compiler().identity(flags_for(options))


def compile_program(translation: Translation, options: BuildOptions) -> bytes:
    if ("asm",) in translation.used_builtins:
        raise BuildFailure("error: the program has inline PTX assembly, which only CUDA devices understand")
    compiler = find_compiler()
    return compiler.build(program_text(translation), flags_for(options, translation.fp_contract), compiler.kind.libraries)
