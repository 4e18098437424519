"""The rooms of runtime and translator, and the arrows between them: counts, circles, and arrows that run upwards.

    python tests/tools/floors.py [--arrows]

The floors are those that a layer's `__init__` docstring lists, the top first: each line of its table names a room, or rooms that
stand side by side. An arrow is an import of any kind, also one inside a function or under TYPE_CHECKING.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("runtime", "translator")


@dataclass(frozen=True)
class Arrow:
    """One import: from a module to a module, both by their path below the layer, and where it stands."""

    source: str
    target: str
    line: int


@dataclass
class Layer:
    """A layer's modules, its arrows, and its floors: each is the set of rooms that stand on it, the top floor first."""

    name: str
    modules: frozenset[str]
    arrows: tuple[Arrow, ...]
    floors: tuple[frozenset[str], ...]
    rank: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.rank = {room: height for height, floor in enumerate(self.floors) for room in floor}

    def room(self, module: str) -> str:
        """The room of a module: the folder below the layer, or the file itself where it lies in the layer's own folder."""
        return module.split(".")[0]

    @property
    def unlisted(self) -> set[str]:
        return {self.room(module) for module in self.modules if module} - set(self.rank)

    @property
    def room_arrows(self) -> set[tuple[str, str]]:
        pairs = {(self.room(arrow.source), self.room(arrow.target)) for arrow in self.arrows}
        return {(source, target) for source, target in pairs if source != target and source and target}

    @property
    def upward(self) -> list[Arrow]:
        """Arrows to a room that stands higher or on the same floor, and those to the layer's own `__init__`."""
        return [arrow for arrow in self.arrows if arrow.source and self._runs_up(arrow)]

    def _runs_up(self, arrow: Arrow) -> bool:
        source, target = self.room(arrow.source), self.room(arrow.target)
        return source != target and self.rank.get(target, -1) <= self.rank.get(source, len(self.floors))

    @property
    def circles(self) -> list[list[str]]:
        """Modules that import each other in a circle, each group once."""
        arrows: dict[str, set[str]] = {module: set() for module in self.modules}
        for arrow in self.arrows:
            arrows[arrow.source].add(arrow.target)
        return [sorted(group) for group in strongly_connected(arrows) if len(group) > 1]


def strongly_connected(arrows: dict[str, set[str]]) -> Iterator[list[str]]:
    """Tarjan's algorithm: the groups of nodes that reach each other."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(node: str) -> Iterator[list[str]]:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in arrows[node]:
            if target not in index:
                yield from visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            place = stack.index(node)
            yield stack[place:]
            del stack[place:]

    for node in arrows:
        if node not in index:
            yield from visit(node)


def floors_of(docstring: str) -> tuple[frozenset[str], ...]:
    """The table in a layer's docstring: lines indented by four blanks that begin with names."""
    rows = re.findall(r"^    ([a-z_]+(?:, [a-z_]+)*)  +\S", docstring, flags=re.MULTILINE)
    return tuple(frozenset(row.split(", ")) for row in rows)


def layer(name: str) -> Layer:
    folder = ROOT / name
    files = {_module(folder, path): path for path in sorted(folder.rglob("*.py"))}
    arrows = tuple(arrow for module, path in files.items() for arrow in _arrows(name, module, path, files))
    init = folder / "__init__.py"
    docstring = ast.get_docstring(ast.parse(init.read_text(encoding="utf-8")), clean=False) or "" if init.exists() else ""
    return Layer(name, frozenset(files), arrows, floors_of(docstring))


def _module(folder: Path, path: Path) -> str:
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _arrows(layer_name: str, module: str, path: Path, files: dict[str, Path]) -> Iterator[Arrow]:
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    above = package.split(".") if package else []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for name in _imported(node, above, f"cl2cuda.{layer_name}"):
            target = name if name in files else name.rpartition(".")[0]
            if target != module and target in files:
                yield Arrow(module, target, node.lineno)


def _imported(node: ast.AST, above: list[str], layer_name: str) -> Iterator[str]:
    """The names, below the layer, of what a node imports: modules, or what stands in one. `above` is the package that the node is in."""
    if isinstance(node, ast.Import):
        yield from (alias.name[len(layer_name) + 1 :] for alias in node.names if f"{alias.name}.".startswith(f"{layer_name}."))
    elif isinstance(node, ast.ImportFrom) and 0 < node.level <= len(above) + 1:
        base = [*above[: len(above) - node.level + 1], *([node.module] if node.module else [])]
        yield from (".".join([*base, alias.name]) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and f"{node.module}.".startswith(f"{layer_name}."):
        base = [node.module[len(layer_name) + 1 :]] if node.module != layer_name else []
        yield from (".".join([*base, alias.name]) for alias in node.names)


def report(layers: Iterable[Layer], arrows: bool) -> Iterator[str]:
    for each in layers:
        rooms = {each.room(module) for module in each.modules if module}
        yield (f"{each.name}: {len(each.modules)} modules, {len({(a.source, a.target) for a in each.arrows})} arrows; {len(rooms)} rooms, "
               f"{len(each.room_arrows)} arrows between them; {len(each.upward)} upwards, {len(each.circles)} circles")
        if arrows:
            yield from (f"    upwards: {a.source} -> {a.target} (line {a.line})" for a in each.upward)
            yield from (f"    circle: {' '.join(circle)}" for circle in each.circles)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arrows", action="store_true", help="also print each arrow that runs upwards, and each circle")
    print("\n".join(report(map(layer, LAYERS), parser.parse_args().arrows)))


if __name__ == "__main__":
    main()
