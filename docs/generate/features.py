"""features.md: what cl2cuda offers, from its tables, beside other implementations: what they answered, or their documents say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import devices
from documented import CLVK, NO, POCL, YES, Document
from markdown import MADE, table
from probes import PROBES, Probe

from cl2cuda.builtins.extensions import FEATURES
from cl2cuda.cli.info import _size, answers
from cl2cuda.runtime.devices.queries import QUERIES
from cl2cuda.translator import CompileError, OptionError, parse_options, translate

ANSWERS = Path(__file__).with_name("answers")

CONFORMANCE = "conformance tests passed"

Answers = dict[str, Any]


class Implementation(NamedTuple):
    """A column: how it is called, and what it says of each row of each table."""

    title: str
    cell: Callable[[str], str]


class Capability(NamedTuple):
    """A row that clGetDeviceInfo answers. `holds` takes the answers, by name without CL_DEVICE_."""

    name: str
    section: str
    holds: Callable[[Answers], Any]


def _bit(query: str, mask: int) -> Callable[[Answers], bool]:
    return lambda found: bool(found.get(query, 0) & mask)


def _is(query: str) -> Callable[[Answers], bool]:
    return lambda found: bool(found.get(query, 0))


CAPABILITIES = (
    Capability("out-of-order queues", "5.1", _bit("QUEUE_ON_HOST_PROPERTIES", 1)),
    Capability("profiling", "5.15", _bit("QUEUE_ON_HOST_PROPERTIES", 2)),
    Capability("native kernels", "5.10", _bit("EXECUTION_CAPABILITIES", 2)),
    Capability("device partitioning", "4.3", lambda found: any(found.get("PARTITION_PROPERTIES") or ())),
    Capability("images", "5.3", _is("IMAGE_SUPPORT")),
    Capability("read-write images", "5.3", _is("MAX_READ_WRITE_IMAGE_ARGS")),
    Capability("pipes", "5.4", _is("PIPE_SUPPORT")),
    Capability("coarse-grained shared virtual memory", "5.6", _bit("SVM_CAPABILITIES", 1)),
    Capability("fine-grained shared buffers", "5.6", _bit("SVM_CAPABILITIES", 2)),
    Capability("fine-grained shared system memory", "5.6", _bit("SVM_CAPABILITIES", 4)),
    Capability("atomics in shared virtual memory", "5.6", _bit("SVM_CAPABILITIES", 8)),
    Capability("SPIR-V programs", "5.8.1", _is("IL_VERSION")),
    Capability("non-uniform work-groups", "5.10", _is("NON_UNIFORM_WORK_GROUP_SUPPORT")),
    Capability("generic address space", "6.7", _is("GENERIC_ADDRESS_SPACE_SUPPORT")),
    Capability("work-group collectives", "6.15.16", _is("WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT")),
    Capability("device-side queues", "5.1", _is("QUEUE_ON_DEVICE_MAX_SIZE")),
    Capability("denormals of `float`", "4.2", _bit("SINGLE_FP_CONFIG", 1)),
    Capability("correctly rounded `/` and `sqrt` of `float`, on demand", "4.2", _bit("SINGLE_FP_CONFIG", 128)),
)

# Queries that answer with a size, as the page calls them; those of bytes are shown as such.
LIMITS = {
    "LOCAL_MEM_SIZE": "local memory of a work-group", "MAX_PARAMETER_SIZE": "arguments of a kernel",
    "MAX_CONSTANT_BUFFER_SIZE": "a `constant` buffer", "MAX_CONSTANT_ARGS": "`constant` arguments",
    "GLOBAL_MEM_SIZE": "global memory", "MAX_MEM_ALLOC_SIZE": "one buffer", "MAX_GLOBAL_VARIABLE_SIZE": "a variable of program scope",
    "MAX_WORK_GROUP_SIZE": "work-items of a work-group", "MAX_NUM_SUB_GROUPS": "sub-groups of a work-group",
    "MAX_READ_IMAGE_ARGS": "images that a kernel reads", "MAX_WRITE_IMAGE_ARGS": "images that it writes",
    "MAX_READ_WRITE_IMAGE_ARGS": "images that it does both with", "MAX_SAMPLERS": "samplers",
    "IMAGE2D_MAX_WIDTH": "width of a 2D image", "IMAGE2D_MAX_HEIGHT": "height of a 2D image",
    "IMAGE3D_MAX_WIDTH": "width of a 3D image", "IMAGE_MAX_ARRAY_SIZE": "layers of an image array",
    "IMAGE_MAX_BUFFER_SIZE": "pixels of an image over a buffer",
    "PIPE_MAX_PACKET_SIZE": "a pipe's packet", "PRINTF_BUFFER_SIZE": "buffer of `printf`",
}
BYTES = {"LOCAL_MEM_SIZE", "MAX_PARAMETER_SIZE", "MAX_CONSTANT_BUFFER_SIZE", "GLOBAL_MEM_SIZE", "MAX_MEM_ALLOC_SIZE",
         "MAX_GLOBAL_VARIABLE_SIZE", "PIPE_MAX_PACKET_SIZE", "PRINTF_BUFFER_SIZE"}


class Tried(NamedTuple):
    """An implementation that was asked by `answers.py`: file NAME.json in answers/."""

    name: str
    answers: Answers

    @property
    def device(self) -> Answers:
        return self.answers["device"]

    @property
    def title(self) -> str:
        return "cl2cuda" if self.name == "cl2cuda" else f"{_PROPER.get(self.name, self.name)} {self.device['DRIVER_VERSION']}"

    @property
    def source(self) -> str:
        return f"what it answered to stock PyOpenCL for the device {self.device['NAME']}"


_PROPER = {"nvidia": "NVIDIA", "pocl": "PoCL"}


def tried() -> dict[str, Tried]:
    return {path.stem: Tried(path.stem, json.loads(path.read_text())) for path in sorted(ANSWERS.glob("*.json"))}


def ours(device: Any) -> Answers:
    """As `answers.py` writes them, from the tables."""
    return {name.removeprefix("DEVICE_"): value for name, value in answers(QUERIES, device).items()}


def versions(pairs: Any) -> dict[str, str]:
    """{name: version} of a list of cl_name_version; cl2cuda's hold numbers, the others' text."""
    return {name: _dotted(number) for name, number in pairs or ()}


def _dotted(version: int | str) -> str:
    if isinstance(version, str):
        return version
    return f"{version >> 22}.{version >> 12 & 0x3FF}.{version & 0xFFF}"


def language_versions(found: Answers) -> str:
    return ", ".join(dict.fromkeys(_dotted(number).removesuffix(".0") for _, number in found["OPENCL_C_ALL_VERSIONS"]))


def facts(found: Answers) -> dict[str, str]:
    """Row by row, what an implementation answered: a version, yes, or no for what is missing."""
    said = {"OpenCL": found["VERSION"].split()[1], "OpenCL C": language_versions(found),
            CONFORMANCE: found.get("LATEST_CONFORMANCE_VERSION_PASSED", "not known") or "none"}
    said |= {name: YES for name in versions(found["OPENCL_C_FEATURES"])}
    listed = versions(found.get("EXTENSIONS_WITH_VERSION")) or {}
    said |= {name: listed.get(name, YES) for name in found["EXTENSIONS"].split()}
    return said | {row.name: YES if row.holds(found) else NO for row in CAPABILITIES}


def answered(title: str, said: dict[str, str]) -> Implementation:
    return Implementation(title, lambda row: said.get(row, NO))


def documented(document: Document) -> Implementation:
    return Implementation(document.name, lambda row: document.facts.get(row, "not known"))


def both_devices() -> Implementation:
    """cl2cuda: one word where GPU and host device agree."""
    gpu, host = facts(ours(devices.gpu())), facts(ours(devices.host()))

    def cell(row: str) -> str:
        on_gpu, on_host = gpu.get(row, NO), host.get(row, NO)
        if on_gpu == on_host:
            return on_gpu
        return f"{on_gpu} (GPU)" if on_host == NO else f"{on_host} (host device)" if on_gpu == NO else f"{on_gpu}, host {on_host}"

    return Implementation("cl2cuda", cell)


def translates(probe: Probe) -> bool:
    try:
        translate(probe.source, parse_options(f"-cl-std=CL{probe.std}"))
    except (CompileError, OptionError):
        return False
    return True


def page() -> str:
    return MADE + "\n".join(_parts())


def _parts() -> Iterator[str]:
    found = tried()
    measured = found.pop("cl2cuda")
    columns = [both_devices(), *(answered(each.title, facts(each.device)) for each in found.values()), documented(POCL), documented(CLVK)]
    titles = [column.title for column in columns]

    def rows(names: list[str], shown: Callable[[str], str] = str) -> list[list[str]]:
        return [[shown(name), *(column.cell(name) for column in columns)] for name in names]

    yield _INTRODUCTION.format(
        columns="\n".join([*(_item(each.title, f"{each.source}.") for each in found.values()),
                           *(_item(each.name, each.read) for each in (POCL, CLVK))]))
    yield "## Versions\n"
    yield table(["", *titles], rows(["OpenCL", "OpenCL C", CONFORMANCE]))
    yield "## The API\n"
    yield table(["", "section", *titles],
                [[row.name, row.section, *(column.cell(row.name) for column in columns)] for row in CAPABILITIES])
    yield "## Features of OpenCL C 3.0\n\nBy their macros (OpenCL C 3.0, 6.2.1, and the extensions that bring more):\n"
    yield table(["macro", *titles], rows(list(FEATURES), "`{}`".format))
    yield "## Extensions\n\nThose that cl2cuda or one of the tried implementations offers, with their versions where they say them:\n"
    asked = [ours(devices.gpu()), ours(devices.host()), *(each.device for each in found.values())]
    offered = {name for answers in asked for name in answers["EXTENSIONS"].split()}
    yield table(["extension", *titles], rows(sorted(offered), "`{}`".format))
    yield "## What builds\n\n" + _PROBES
    yield table(["", "section or extension", "`-cl-std`", "cl2cuda", *(each.title for each in found.values())],
                [[probe.what, probe.section, f"CL{probe.std}", YES if translates(probe) else NO,
                  *(NO if each.answers["probes"][probe.what] else YES for each in found.values())] for probe in PROBES])
    yield from _limits([measured, *(each for each in found.values() if each.device["NAME"] == measured.device["NAME"])])


def _limits(beside: list[Tried]) -> Iterator[str]:
    """What implementations answered for one device."""
    titles = [each.title for each in beside]
    yield f"## Limits of the device {beside[0].device['NAME']}\n"
    yield table(["at most", "query", *titles],
                [[what, f"`CL_DEVICE_{query}`", *(_limit(query, each.device) for each in beside)] for query, what in LIMITS.items()])
    yield "Formats of images that kernels read, write, and do both with:\n"
    yield table(["", *titles],
                [[f"{kind[5:]} images", *(_formats(kind, each.answers["image_formats"]) for each in beside)]
                 for kind in ("IMAGE1D", "IMAGE2D", "IMAGE3D")])


def _item(name: str, about: str) -> str:
    return fill(f"- **{name}**: {about}", 130, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def _limit(query: str, found: Answers) -> str:
    value = found.get(query)
    if value is None:
        return "no answer"
    return _size(value) if query in BYTES else f"{value:,}"


def _formats(kind: str, counts: dict[str, int]) -> str:
    return ", ".join(str(counts[f"{kind} {access}"]) for access in ("READ_ONLY", "WRITE_ONLY", "KERNEL_READ_AND_WRITE"))


_INTRODUCTION = """# Features, beside other implementations

The column of cl2cuda comes from its own tables: what it says here is what `cl2cuda info` says and what programs are told. Where a
GPU and the host device differ, the cell says so. The others:

{columns}

"not known" is what a document does not say. `docs/generate/answers.py` asks an implementation; its answers in `docs/generate/answers/`
make a column.
"""

_PROBES = """Small programs that use one thing each (`docs/generate/probes.py`): does the program build? An implementation may build what
it does not announce, and the other way round.
"""
