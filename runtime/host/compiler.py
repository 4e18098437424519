"""From a translation to a shared object: the C++ text of a program with its launchers, and the flags that build it."""

from __future__ import annotations

import functools
import hashlib
import re
import sys

from ...translator.ir.kernel_info import KernelInfo, VariableInfo
from ...translator.options import BuildOptions
from ...translator.translation import OPENING, Translation
from ..driver.interface import BuildFailure
from ..driver.unfinished_code import UnfinishedCode
from ..process import debug_mode
from ..process.workers import Workers
from . import native
from .module import place_of
from .properties import cpu_facts
from .toolchain import find_compiler

# -fwrapv and -fno-strict-aliasing: what programs lean on. The others let GCC vectorise across work-items: OpenCL has neither
# errno nor floating-point traps. Of printf("%s\n", 0) GCC would make puts(0), which ends the process where printf says "(null)".
FLAGS = ("-fvisibility=hidden", "-fno-asynchronous-unwind-tables", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
         "-fno-math-errno", "-fno-trapping-math", "-fno-builtin-printf")

# GCC's time for a function grows with the square of its size and more: one kernel that 300 helpers of ten lines are inlined into takes
# it 35 s, and 5.5 s where it may stop inlining. From so many characters of translated text on it may. Smaller programs are inlined
# whole, as vectorising across work-items wants it.
LARGE = 20_000
LEAVES_OUT_OF_LINE = "#undef __device__\n#define __device__ static inline\n"

TRIPLE = re.compile(r"[a-z]3\b")  # float3, vload3

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


def flags_for(options: BuildOptions, contract: bool = True, large: bool = False, triples: bool = False) -> tuple[str, ...]:
    """Without `contract` no product and sum may become one fma, whatever the options allow."""
    chosen = [*find_compiler().kind.kernels, "-O1" if options.opt_disable else "-O3", *FLAGS]
    for option, flags in OPTION_FLAGS.items():
        if getattr(options, option):
            chosen += flags
    if debug_mode.active():
        chosen.append("-DOCL_WATCHED")  # launcher.cpp
    if not contract:
        chosen.append("-ffp-contract=off")
    if large:
        chosen += find_compiler().kind.large
    if triples:
        chosen += find_compiler().kind.triples
    return tuple(chosen)


def form_of(kernel: KernelInfo) -> str:
    """Which of the loops of launcher.cpp runs a kernel."""
    if kernel.waits:
        return "waiting"
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


def places(variables: tuple[VariableInfo, ...]) -> str:
    """Pointers to the variables: they themselves stay hidden, since functions of the program are quicker with variables of their own."""
    return "".join(f'extern "C" __attribute__((visibility("default"))) void *{place_of(each)};\n'
                   f"void *{place_of(each)} = (void *)&ocl::user::{each.cxx_name};\n" for each in variables)


def program_text(translation: Translation) -> tuple[str, bool]:
    """The whole program, and whether it is so large that the compiler may leave functions out of line."""
    library, opening, user = translation.source("host").partition(OPENING)
    large = bool(find_compiler().kind.large) and len(user) > LARGE
    if large or translation.recursive:  # GCC refuses what cannot be inlined whole.
        opening = LEAVES_OUT_OF_LINE + opening
    # The program's own #line directives hold until the launcher's.
    program = '#line 1 "translated"\n' + library + opening + user
    text = "\n".join((native.text_of("interface.cpp"), program, launchers(translation.kernels) + places(translation.variables)))
    return text, large


def has_triples(translation: Translation) -> bool:
    """Whether the program has vectors of three components."""
    return any(TRIPLE.search(word) for use in translation.used_builtins for word in use if isinstance(word, str))


@functools.cache
def target() -> str:
    """The processor that -march=native means, and our own C++ that goes into every program and loads it."""
    facts = cpu_facts()
    processor = " ".join(facts.get(key, "") for key in ("model name", "flags", "CPU implementer", "CPU part", "Features"))
    ours = native.text_of("launcher.cpp") + native.source()
    return hashlib.sha256(f"{sys.platform} {processor}{ours}".encode()).hexdigest()


def identity(options: BuildOptions) -> str:
    """Compiler and flags, those for large programs and for triples, too."""
    return find_compiler().identity(flags_for(options, large=True, triples=True))


# Its threads wait for the compiler, which is a process.
_THREADS = Workers(64, "cl2cuda: C++ compiler")


def begin_program(translation: Translation, options: BuildOptions) -> UnfinishedCode:
    """Begins to compile it."""
    if ("asm",) in translation.used_builtins:
        raise BuildFailure("error: the program has inline PTX assembly, which only CUDA devices understand")
    compiler = find_compiler()
    text, large = program_text(translation)
    flags = flags_for(options, translation.fp_contract, large, has_triples(translation))
    code = UnfinishedCode()
    _THREADS.make(lambda: code.finish(lambda: compiler.build(text, flags, compiler.kind.libraries)))
    return code


def compile_program(translation: Translation, options: BuildOptions) -> bytes:
    return begin_program(translation, options).result()
