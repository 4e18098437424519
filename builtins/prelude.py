"""What stands before the user's code: the used part of the device library, composed for one port.

Owns the choice of items (those that the uses name, and their closure), their order, and the frame around them. It must not
know a single built-in function by name: signatures are `table`'s, code is in the section files (`*.cuh`) or composed from a
row by `compose` and `conversions`.

The section files are plain C++ that Python takes apart (`items`):

* An item is one definition: a line of code in column 0 and the lines after it that are indented or begin with `}`.
* Its name is read off its first line; functions are told apart by their parameter types.
* Between `namespace ocl {` and `}  // namespace ocl` it is the library's; outside it is global: there the host port supplies
  CUDA's vocabulary.
* Its dependencies are the identifiers in it: `::name` is a global item, `name` one of the library's, else a global one. All
  items of that name come along. Vector operators are not seen: library code writes components out. Names of parameters and
  variables count too, so they must not be those of functions.
* A port's file comes before the shared ones, and its function replaces a shared one of the same parameters. A file of the rounded variant
  comes before the port's likewise; one of the general variant stands in its place.
* `//` lines directly above an item are its comment.
* `//: name name` directly above names the items explicitly, and everything to the next blank line is one item.
  `//: always` puts it into every prelude.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Literal

from . import blocks, collectives, compose, conversions, half_functions, images, matrices, vector_data
from .constants import constants, is_c_macro
from .half_operators import assignment, is_half
from .items import Item, accepts, canonical, section
from .operators import NoSuchOperator, operator
from .table import Overload, overloads
from .typenames import is_vector, split

Port = Literal["cuda", "host"]
Variant = Literal["plain", "rounded", "general"]
VARIANTS: tuple[Variant, ...] = ("plain", "rounded", "general")
Use = tuple[str, ...]

# The section files in the order of the output. `{port}` files hold what the ports do differently, and, on the host, CUDA's
# vocabulary.
_SECTIONS = (
    "shared/vector",
    "shared/half",
    "{port}/half",
    "{port}/half_arithmetic",
    "shared/half_arithmetic",
    "{port}/math",
    "{port}/conversion",
    "{port}/workitem",
    "{port}/item_loops",
    "{port}/synchronization",
    "{port}/integer",
    "shared/integer",
    "shared/bit_operations",
    "{port}/dot_product",
    "shared/dot_product",
    "shared/math",
    "shared/math_double",
    "shared/math_fast",
    "shared/common",
    "shared/geometric",
    "shared/relational",
    "{port}/half_math",
    "shared/half_math",
    "{port}/vector_data",
    "shared/vector_data",
    "{port}/atomics",
    "shared/atomics",
    "shared/c11_atomics",
    "{port}/c11_atomics",
    "{port}/float_atomics",
    "shared/float_atomics",
    "{port}/async_copies",
    "shared/collectives",
    "{port}/sub_groups",
    "{port}/intel_sub_groups",
    "shared/matrices",
    "{port}/matrices",
    "{port}/named_barriers",
    "{port}/groups",
    "{port}/address_spaces",
    "shared/pipe",
    "{port}/pipe",
    "{port}/device_queue",
    "shared/device_queue",
    "{port}/clock",
    "shared/clock",
    "{port}/gnu",
    "shared/gnu",
    "shared/overflow",
    "{port}/conditional_sums",
    "{port}/printf",
    "shared/printf",
    "{port}/image",
    "shared/image",
    "shared/image_levels",
    "shared/image_sampling",
    "{port}/textures",
    "{port}/image_access",
    "{port}/block_elements",
    "shared/block_elements",
)
_FIRST_SECTION = 10  # places below are the composed types, constants and literals


class UnknownUse(Exception):
    """The library has nothing of that name and type: a bug of the caller's, since the table says what there is."""


@cache
def _head() -> str:
    return (Path(__file__).parent / "library" / "host" / "head.cuh").read_text(encoding="utf-8")


class Library:
    """The items of one port's section files, and how a use finds its own."""

    def __init__(self, port: Port, variant: Variant):
        self.port = port
        self.items: list[Item] = []
        for number, name in enumerate(_SECTIONS, _FIRST_SECTION):
            stem = name.format(port=port)
            own = section(f"{stem}_{variant}.cuh", number) if variant != "plain" else ()
            self.items += own
            if not (own and variant == "general"):
                self.items += section(f"{stem}.cuh", number)
        self.library: dict[str, list[Item]] = {}
        self.outer: dict[str, list[Item]] = {}
        for item in self.items:
            if any(other.parameters == item.parameters is not None for other in self.library.get(item.names[0], ()) if item.scope):
                continue  # the port's own definition, whose file comes first, replaces this one
            for name in item.names:
                (self.library if item.scope else self.outer).setdefault(name, []).append(item)
        self._found: dict[Use, tuple[Item, ...]] = {}
        self._composed: dict[tuple[str, tuple[str, ...]], Item] = {}
        self._needs: dict[Item, list[Item]] = {}

    @cached_property
    def always(self) -> list[Item]:
        return [item for item in self.items if item.always]

    def find(self, use: Use) -> tuple[Item, ...]:
        """The items that a use names directly. Threads that look for the same at once all get what the first of them has composed: another
        item of the same text would be another definition."""
        if (found := self._found.get(use)) is None:
            found = self._found.setdefault(use, tuple(self._find(*use)))
        return found

    def _find(self, kind: str, *rest: str) -> Iterable[Item]:
        match kind:
            case "type":
                return self._type(*rest)
            case "vec":
                return self.library[f"vec<{rest[0]}>"]
            case "get" | "set":
                return [*self.find(("type", rest[0])), *self.library[f"vec<{split(rest[0])[1]}>"]]
            case "op":
                return [operator(*rest) if any(map(is_vector, rest[1:])) else self._half_operator(*rest)]
            case "splat":
                return [compose.splat_item(*rest)]
            case "join":
                return [compose.join_item(*rest)]
            case "index":
                return self.library["at"]
            case "const" if rest[0] in constants:
                return [compose.constant_item(*rest)]
            case "item":
                return self.library[rest[0]]
            case "asm":
                return []
            case "local_memory":
                return self.library[kind]
            case "volatile":
                return self.library[rest[0]]
            case "fn":
                return [self._function(*rest)]
        raise UnknownUse(f"{(kind, *rest)}")

    def _half_operator(self, symbol: str, *operands: str) -> Item:
        """Scalars have C++'s own operators, but for half."""
        if not is_half(*operands):
            raise NoSuchOperator(f"C++ has the operator {symbol} for {', '.join(operands)}")
        found = assignment(symbol, *operands) or self._written(f"operator{symbol}", operands)
        if found is None:
            raise NoSuchOperator(f"no operator {symbol} for {', '.join(operands)}")
        return found

    def _type(self, name: str) -> list[Item]:
        if name in self.library:
            return self.library[name]
        item = compose.type_item(name)
        return [item] if item else []

    def _function(self, name: str, result: str, *parameters: str) -> Item:
        wanted = tuple(map(canonical, parameters))
        found = self._written(name, wanted)
        # A template takes every scalar, half too, for which there may be a better form.
        if found and not (found.placeholders and is_half(*parameters) and self._goes_through_float(name, wanted)):
            return found
        # Overloads that differ in what C++ does not know, address spaces and access qualifiers, share one definition.
        if (name, wanted) not in self._composed:
            composed = self._compose(find_overload(name, wanted))
            if composed is None:
                raise UnknownUse(f"no built-in function {result} {name}({', '.join(parameters)}) on {self.port}")
            self._composed.setdefault((name, wanted), composed)
        return self._composed[name, wanted]

    def _goes_through_float(self, name: str, wanted: tuple[str, ...]) -> bool:
        overload = find_overload(name, wanted)
        return overload is not None and overload.row.half == "float"

    def _compose(self, overload: Overload | None) -> Item | None:
        if overload is not None:
            match overload.row.kind:
                case "convert" | "as_type":
                    return conversions.item(overload)
                case "half_data":
                    return vector_data.item(overload)
                case "collective":
                    return collectives.item(overload, self.port)
                case "image":
                    return images.item(overload)
                case "block":
                    return blocks.item(overload)
                case "media_block":
                    return blocks.media_item(overload)
                case "matrix":
                    return matrices.item(overload, self.port)
                case "elementwise" | "mask" if is_vector(overload.result):
                    scalar = self.find(compose.scalar_use(overload))[0]
                    return compose.elementwise(overload, (*scalar.place, split(overload.result)[1]))
                case _ if overload.row.half == "float" and is_half(overload.result, *overload.parameters):
                    return half_functions.item(overload)
        return None

    def _written(self, name: str, wanted: tuple[str, ...]) -> Item | None:
        candidates = self.library.get(name, ())
        for item in candidates:
            # A group of definitions under one `//:` line has no parameters of its own and serves all.
            if item.parameters is None or (not item.placeholders and item.parameters == wanted):
                return item
        return next((item for item in candidates if accepts(item, wanted)), None)

    def needs(self, item: Item) -> list[Item]:
        """The items that the item names, by its uses or in its text."""
        if (needed := self._needs.get(item)) is None:
            found = [other for use in item.uses for other in self.find(use)]
            for reference in item.references:
                if reference not in item.placeholders:
                    found += self.find_reference(reference)
            needed = self._needs[item] = [other for other in found if other is not item]
        return needed

    def find_reference(self, reference: str) -> tuple[Item, ...]:
        """The items that an identifier in library code means."""
        if reference.startswith("::"):
            return tuple(self.outer.get(reference[2:], ()))
        if found := self.library.get(reference) or self.outer.get(reference):
            return tuple(found)
        if reference in constants:
            return self.find(("const", reference))
        return self.find(("type", reference)) if reference.isidentifier() else ()


@lru_cache(maxsize=4096)
def find_overload(name: str, wanted: tuple[str, ...]) -> Overload | None:
    return next((o for o in overloads(name) if tuple(map(canonical, o.parameters)) == wanted), None)


@cache
def library(port: Port, variant: Variant = "plain") -> Library:
    return Library(port, variant)


def reading(port: Port) -> Iterator[None]:
    """Reads the section files that `prelude` needs, one with each step, and makes the libraries of them."""
    for number, name in enumerate(_SECTIONS, _FIRST_SECTION):
        section(f"{name.format(port=port)}.cuh", number)
        yield
    for variant in VARIANTS if port == "cuda" else VARIANTS[:1]:
        library(port, variant)
        yield


@cache
def function_names() -> frozenset[str]:
    """The library's functions, its own ones too: what C++ finds beside a user's function of that name, by its arguments."""
    items = (item for port in ("cuda", "host") for item in library(port).items if item.scope and item.parameters is not None)
    return frozenset(name for item in items for name in item.names)


def needs_general(uses: Iterable[Use]) -> bool:
    """Whether a use is known only to CUDA's general launch variant: `get_work_dim`."""
    plain, general = library("cuda").library, library("cuda", "general").library
    return any(use[0] == "fn" and use[1] in general and use[1] not in plain for use in uses)


def prelude(port: Port, uses: Iterable[Use], *, variant: Variant = "plain", comments: bool = False) -> str:
    """Everything before the user's code: the used items and their closure, in namespace `ocl`.

    variant    CUDA's work-item functions are those of `cuda/workitem.cuh`, or with those of `cuda/workitem_rounded.cuh` before them, or of
               `cuda/workitem_general.cuh`
    comments   keep the section files' comments and lay the items out: for a person
    Equal uses give equal text, in whatever order they come. Raises UnknownUse.
    """
    return _composed(port, frozenset(uses), variant if port == "cuda" else "plain", comments)


@lru_cache(maxsize=16)  # the parts of one program ask for the same, and programs of one application often do
def _composed(port: Port, uses: frozenset[Use], variant: Variant, comments: bool) -> str:
    closure = _Closure(library(port, variant), uses)
    ordered = closure.ordered()
    outer = [item for item in ordered if not item.scope]
    inner = [item for item in ordered if item.scope]
    parts = [_head() if comments else _bare(_head())] if port == "host" else []
    if comments and port == "cuda":
        if any("::printf" in item.references for item in inner):
            parts.append("#include <cstdio>\n")  # NVRTC knows printf by itself, nvcc does not
        parts += _undefined(item.names[0] for item in inner if item.names[0] in constants and is_c_macro(item.names[0]))
    for group, frame in ((outer, "{}"), (inner, "namespace ocl {{\n{}}}\n")):
        if group:
            text = _laid_out(group) if comments else "".join(_bare(item.text) for item in group)
            parts.append(frame.format(text))
    return ("\n" if comments else "").join(parts)


def _undefined(names: Iterable[str]) -> list[str]:
    """nvcc, which compiles what a person is shown, includes C's headers, where these are macros."""
    lines = "".join(f"#undef {name}\n" for name in names)
    return [f"// C's headers have these as macros.\n{lines}"] if lines else []


class _Closure:
    """The items that uses need, with what each of them needs."""

    def __init__(self, library: Library, uses: frozenset[Use]):
        self.library = library
        self.needs: dict[Item, list[Item]] = {}
        self.members: dict[int, set[str]] = {}
        pending = list(library.always)
        for use in sorted(uses):
            if use[0] in ("get", "set"):
                pending += self._member(*use)
            pending += library.find(use)
        while pending:
            item = pending.pop()
            if item not in self.needs:
                self.needs[item] = self.library.needs(item)
                pending += self.needs[item]

    def _member(self, kind: str, type_: str, name: str) -> tuple[Item, ...]:
        width = split(type_)[1]
        text = (compose.getter if kind == "get" else compose.setter)(width, name)
        self.members.setdefault(width, set()).add(text)
        return self.library.find(("vec", str(compose.swizzle_width(width, name))))

    def ordered(self) -> list[Item]:
        """Dependencies first, else by place; a cycle (functions of one group) is cut at its first item."""
        waiting = {item: {id(n) for n in needs} for item, needs in self.needs.items()}
        dependents: dict[int, list[Item]] = {}
        for item, needs in self.needs.items():
            for needed in set(needs):
                dependents.setdefault(id(needed), []).append(item)
        ready = [_Ordered(item) for item, needs in waiting.items() if not needs]
        heapq.heapify(ready)
        ordered: list[Item] = []
        while ready:
            item = heapq.heappop(ready).item
            ordered.append(item)
            for dependent in dependents.get(id(item), ()):
                waiting[dependent].discard(id(item))
                if not waiting[dependent]:
                    heapq.heappush(ready, _Ordered(dependent))
        if len(ordered) < len(waiting):
            cycle = [item.names[0] for item in waiting if item not in set(ordered)]
            raise RuntimeError(f"section files: items need each other: {', '.join(cycle)}")
        return [self._with_members(item) for item in ordered]

    def _with_members(self, item: Item) -> Item:
        width = next((w for w in self.members if f"vec<{w}>" in item.names), None)
        if width is None:
            return item
        members = "".join(f"    {line}\n" for line in sorted(self.members[width]))
        return replace(item, text=item.text.removesuffix("};") + members + "};")


class _Ordered:
    def __init__(self, item: Item):
        self.item = item
        self.key = (item.place, item.text)

    def __lt__(self, other: _Ordered) -> bool:
        return self.key < other.key


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|[ \t]*//[^\n]*')


@lru_cache(maxsize=4096)
def _bare(text: str) -> str:
    """The text without comments and without empty lines, ending in a line break."""
    lines = _COMMENT.sub(lambda m: m[1] or "", text).splitlines()
    return "\n".join(line for line in lines if line.strip()) + "\n"


def _laid_out(items: list[Item]) -> str:
    """Items as in a well-kept file: each with its comment, an empty line around those that have one or are long."""
    text, apart = "", True
    for item in items:
        own = bool(item.comment) or "\n" in item.text
        text += ("\n" if text and (own or apart) else "") + item.comment + item.text + "\n"
        apart = own
    return text
