"""Build steps: what binaries are made of, and the way there. A step is data only, so that a compiler process
can do it.

A *source* step translates a program's text or compiles it to an object, an *IL* step a module of SPIR-V, a *link* step
joins objects. Owns the order of cache, translation and the driver's compiler; knows nothing of program objects and their states.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import json
import os
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from ... import translator
from ...translator import CompiledObject, Translation
from ...translator.diagnostics import CompileError, InternalError
from ...translator.options import BuildOptions, LinkOptions, linked_options
from ..driver import unfinished_code
from ..driver.device import DriverDevice
from ..driver.interface import BuildFailure
from ..driver.unfinished_code import Code
from ..process import disk_cache, ending, imports_ahead, processors, trace
from . import checked_functions, source_files
from .binary import Binary, Damaged

# A process whose programs are all in the cache does without, and without what it imports.
imports_ahead.expect_for_translations(__package__, ".compiler_pool")

Phase = Callable[[str], contextlib.AbstractContextManager[None]]

# Bytes of a kernel's parameters. (CUDA 12.1 has more from Volta on.)
MOST_PARAMETERS = 4096

# What may be wrong with a program, as opposed to with the machine: what a build log tells.
Refused = (CompileError, InternalError, BuildFailure)


def build_log(refusal: BaseException) -> str:
    return refusal.log if isinstance(refusal, BuildFailure) else str(refusal)


class BuildStep(Protocol):
    """What is to be built, and how.

    option_text     what clGetProgramBuildInfo gives back
    options         those that the driver's compiler is to follow
    translation     made when it is first needed; `with_item_loops` is that for devices which want them
    """

    @property
    def option_text(self) -> str: ...
    @property
    def options(self) -> BuildOptions: ...
    @property
    def translation(self) -> Translation: ...
    @property
    def with_item_loops(self) -> Translation: ...

    def cache_parts(self) -> list[str] | None:
        """All that decides the result beside the compiler; None for what cannot be cached."""

    def to_json(self) -> dict[str, Any]: ...


class Translated:
    """A step's translation in its two forms."""

    def translated(self, item_loops: bool) -> Translation:
        raise NotImplementedError

    @cached_property
    def translation(self) -> Translation:
        return self.translated(item_loops=False)

    @cached_property
    def with_item_loops(self) -> Translation:
        return self.translated(item_loops=True)


@dataclass(frozen=True)
class SourceStep(Translated):
    """`headers` are the embedded ones of clCompileProgram, by the names that #include uses."""

    source: str
    option_text: str
    options: BuildOptions
    headers: Mapping[str, str] = field(default_factory=dict)

    def translated(self, item_loops: bool) -> Translation:
        made = translator.translate(self.source, self.options, headers=self.headers, item_loops=item_loops,
                                    checked=checked_functions.known())
        checked_functions.keep()
        return source_files.with_file(made, self.source) if self.options.debug else made

    def cache_parts(self) -> list[str] | None:
        found = disk_cache.headers((self.source, *self.headers.values()), self.options.include_dirs)
        if found is None:
            return None
        embedded = [part for pair in self.headers.items() for part in pair]
        return ["source", self.source, self.option_text, repr(self.options), *embedded, *found]

    def compiled_object(self) -> Binary:
        """clCompileProgram: checked, and ready to be linked, for every kind of device."""
        return _cached(self.cache_parts(), ("object",), self._compile)

    def _compile(self) -> Binary:
        compiled = translator.compile_object(self.source, self.options, headers=self.headers, checked=checked_functions.known())
        checked_functions.keep()
        return Binary("object", self.option_text, _warnings(compiled.diagnostics), objects=(compiled,))

    def to_json(self) -> dict[str, Any]:
        return {"source": self.source, "option_text": self.option_text, "options": self.options.to_json(),
                "headers": dict(self.headers)}


@dataclass(frozen=True)
class ILStep(Translated):
    """A module of SPIR-V; `constants` are values of its specialization constants, by SpecId."""

    il: bytes
    option_text: str
    options: BuildOptions
    constants: Mapping[int, bytes] = field(default_factory=dict)

    def translated(self, item_loops: bool) -> Translation:
        return translator.translate_il(self.il, self.options, constants=self.constants, item_loops=item_loops)

    def cache_parts(self) -> list[str] | None:
        chosen = sorted((id, value.hex()) for id, value in self.constants.items())
        return ["il", hashlib.sha256(self.il).hexdigest(), self.option_text, repr(self.options), repr(chosen)]

    def compiled_object(self) -> Binary:
        """clCompileProgram: checked, and ready to be linked, for every kind of device."""
        return _cached(self.cache_parts(), ("object",), self._compile)

    def _compile(self) -> Binary:
        compiled = translator.compile_il_object(self.il, self.options, constants=self.constants)
        return Binary("object", self.option_text, _warnings(compiled.diagnostics), objects=(compiled,))

    def to_json(self) -> dict[str, Any]:
        return {"il": base64.b64encode(self.il).decode(), "option_text": self.option_text, "options": self.options.to_json(),
                "constants": {str(id): value.hex() for id, value in self.constants.items()}}


@dataclass(frozen=True)
class LinkStep(Translated):
    """clLinkProgram: compiled objects become one program."""

    objects: tuple[CompiledObject, ...]
    option_text: str
    link_options: LinkOptions

    @cached_property
    def options(self) -> BuildOptions:
        return linked_options([(each.options, each.takes_link_options) for each in self.objects], self.link_options)

    def translated(self, item_loops: bool) -> Translation:
        return translator.link(self.objects, item_loops=item_loops, checked=checked_functions.known())

    def cache_parts(self) -> list[str] | None:
        return ["link", self.option_text, *(json.dumps(each.to_json()) for each in self.objects)]

    def library(self) -> Binary:
        """With -create-library: the objects, which from now on decide themselves whether link options change
        them."""
        takes = self.link_options.enable_link_options
        objects = [dataclasses.replace(each, takes_link_options=each.takes_link_options and takes) for each in self.objects]
        return Binary("library", self.option_text, objects=tuple(objects))

    def to_json(self) -> dict[str, Any]:
        return {"objects": [each.to_json() for each in self.objects], "option_text": self.option_text,
                "link_options": self.link_options._asdict()}


def step_from_json(data: dict[str, Any]) -> BuildStep:
    if "objects" in data:
        objects = tuple(CompiledObject.from_json(each) for each in data["objects"])
        allowed = tuple(data["link_options"].pop("allowed"))
        return LinkStep(objects, data["option_text"], LinkOptions(**data["link_options"], allowed=allowed))
    options = BuildOptions.from_json(data["options"])
    if "il" in data:
        constants = {int(id): bytes.fromhex(value) for id, value in data["constants"].items()}
        return ILStep(base64.b64decode(data["il"]), data["option_text"], options, constants)
    return SourceStep(data["source"], data["option_text"], options, data["headers"])


class Target(Protocol):
    """What a build is for: a device and the name of its driver."""

    @property
    def driver_name(self) -> str: ...
    @property
    def driver_device(self) -> DriverDevice: ...


class Builder:
    """Executables of one build step for the devices of one call: each kind of device is compiled for once.

    apart       whether a compiler process is to do it, since nobody waits
    """

    def __init__(self, step: BuildStep, apart: bool = False):
        self.step = step
        self.apart = apart
        self._made: dict[tuple[str, ...], Binary] = {}

    def executable(self, target: Target) -> Binary:
        driver = target.driver_device
        kind = (target.driver_name, driver.target, driver.compiler_identity(self.step.options))
        if kind not in self._made:
            self._made[kind] = _cached(self.step.cache_parts(), kind, lambda: self._make(target.driver_name, driver))
        return self._made[kind]

    def _make(self, name: str, driver: DriverDevice) -> Binary:
        spec = driver.compiler_spec

        def compile(translation: Translation, options: BuildOptions) -> Code:
            if self.apart or driver.begin_compiling is None or not _may_go_on(translation):
                with trace.span("compilation"):
                    return driver.compile(translation, options)
            ended = trace.beside("compilation")
            code = driver.begin_compiling(translation, options)
            code.then(ended)
            return code

        def here() -> Binary:
            with driver.compiler_start():
                return make_executable(self.step, name, driver.target, compile, driver.properties.item_loops, trace.span)

        def order() -> dict[str, Any]:
            return {"step": self.step.to_json(), "driver": name, "target": driver.target, "spec": spec, "folder": os.getcwd()}

        if spec is None:
            binary = here()
        else:
            from .compiler_pool import POOL

            binary = POOL.run(here, order, self.apart)
        if self.step.options.nv_verbose:
            binary = dataclasses.replace(binary, log=binary.log + driver.compiler_log(binary.code))
        return binary


def _may_go_on(translation: Translation) -> bool:
    """Whether the compiler may be at work when the build returns: it takes all that the translator takes, but for assembly, and for more
    parameters than a release of CUDA's has room for. So long as there are processors for what is under way; and not in a program in C,
    whose end would take NVRTC apart while it is at work."""
    room = all(sum(arg.parameter_size for arg in kernel.args) <= MOST_PARAMETERS for kernel in translation.kernels)
    return room and ("asm",) not in translation.used_builtins and unfinished_code.count() < processors.count() and ending.is_pythons


def _untold(phase: str) -> contextlib.AbstractContextManager[None]:
    return contextlib.nullcontext()


def make_executable(step: BuildStep, driver: str, target: str, compile: Callable[[Translation, BuildOptions], Code],
                    item_loops: bool = False, phase: Phase = _untold) -> Binary:
    """Raises one of `Refused` for an invalid program. `phase` tells, by a name, what is done when."""
    options = step.options
    with phase("translation"):
        translation = step.with_item_loops if item_loops else step.translation
    return Binary(
        "executable", step.option_text, _warnings(translation.diagnostics), driver, target,
        kernels={info.name: info for info in translation.kernels if info.block < 0},
        blocks=tuple(sorted((info for info in translation.kernels if info.block >= 0), key=lambda info: info.block)),
        detailed=options.debug,
        uniform=options.version < 200 or options.uniform_work_group_size,
        global_size=translation.global_size,
        variables={each.name: each for each in translation.variables},
        made=compile(translation, options),
    )


def _warnings(diagnostics: tuple[translator.Diagnostic, ...]) -> str:
    return "".join(f"{diagnostic}\n" for diagnostic in diagnostics)


def _cached(parts: list[str] | None, kind: tuple[str, ...], make: Callable[[], Binary]) -> Binary:
    if parts is None:
        return make()
    with trace.span("build cache"):
        name = disk_cache.key((*kind, *parts))
        data = disk_cache.load(name)
        if data is None and (same := _under_way.get(name)) is not None and same.error is None:
            return same
        if data is not None:
            try:
                return Binary.of_body(data)
            except Damaged:
                disk_cache.discard(name)
    with disk_cache.making(name) as entry:
        binary = make()
    if not binary.is_finished and disk_cache.directory() is not None:
        _under_way[name] = binary

    def store() -> None:
        entry.store(binary.body())
        _under_way.pop(name, None)

    binary.when_finished(store, entry.drop)
    return binary


# What the cache is going to have, by name.
_under_way: weakref.WeakValueDictionary[str, Binary] = weakref.WeakValueDictionary()
