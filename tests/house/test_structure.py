"""The house stands as designed: which folder may import which, and that the packaging knows every folder."""

import ast
import configparser
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Each folder may import from itself and from those after it.
LAYERS = ("cl2cuda", "runtime", "translator", "builtins")
PURE = ("translator", "builtins")
GPU_PACKAGES = {"cupy", "cupy_backends", "cuda"}
# What a layer may import beside the standard library and the other layers.
PACKAGES = {
    "cl2cuda": {"numpy", "pyopencl", "pytools", "IPython", "numba"},
    "cl2cuda/cluster": {"numpy", "pyopencl", "distributed"},
    "runtime": {"numpy", "nvtx", "platformdirs", "ziglang"},
    "runtime/cuda": {"numpy", *GPU_PACKAGES},
    "runtime/remote": {"numpy", "msgpack"},
    "translator": {"pycparser"},
    "builtins": set(),
}
# The links inside cl2cuda/ show the other layers a second time.
SOURCES = sorted(
    path for layer in LAYERS for path in (ROOT / layer).rglob("*.py")
    if not any(parent.is_symlink() for parent in path.parents))


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0]


def module_name(path: Path) -> list[str]:
    """The module's installed name in parts: runtime/host/build.py is cl2cuda.runtime.host.build."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return [*(() if parts[0] == "cl2cuda" else ("cl2cuda",)), *parts]


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the absolute name of all that a file imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            # One dot is the module's own package; a package's __init__ counts as a module of it, so this holds there too.
            base = module_name(path)[: -node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def imported_layer(name: str) -> str | None:
    parts = name.split(".")
    if parts[0] != "cl2cuda":
        return None
    return parts[1] if len(parts) > 1 and parts[1] in LAYERS[1:] else "cl2cuda"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_arrows_run_one_way(path):
    allowed = LAYERS[LAYERS.index(layer_of(path)):]
    for line, name in imported_modules(path):
        # The version is the one fact of the outermost layer that every layer may know.
        if name.startswith("cl2cuda.version"):
            continue
        layer = imported_layer(name)
        assert layer is None or layer in allowed, f"{path.relative_to(ROOT)}:{line} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_packages_are_imported_where_they_belong(path):
    rooms = [room for room in PACKAGES if path.is_relative_to(ROOT / room)]
    allowed = PACKAGES[max(rooms, key=len)]
    for line, name in imported_modules(path):
        package = name.split(".")[0]
        if package not in sys.stdlib_module_names and package != "cl2cuda":
            assert package in allowed, f"{path.relative_to(ROOT)}:{line} imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_dataclasses_say_what_they_are(path):
    """Where one does not, `dataclasses` writes its signature down, which takes every process as long as the rest of the class."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(each) for each in node.decorator_list):
            assert ast.get_docstring(node), f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"


def test_builtins_is_a_namespace_package():
    assert not (ROOT / "builtins" / "__init__.py").exists()


def test_packaging_lists_every_folder():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    listed = set(setup["options"]["packages"].split())
    with_code = {".".join(module_name(path)[:-1]) for path in SOURCES}
    assert listed == with_code

    folders = dict(line.split(" = ") for line in setup["options"]["package_dir"].strip().splitlines())
    for package in listed:
        nearest = max((name for name in folders if f"{package}.".startswith(f"{name}.")), key=len)
        assert (ROOT / folders[nearest] / package[len(nearest):].lstrip(".").replace(".", "/")).is_dir()


def test_packaging_ships_the_files_that_are_no_python():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    folders = dict(line.split(" = ") for line in setup["options"]["package_dir"].strip().splitlines())
    shipped = set()
    for package, patterns in setup["options.package_data"].items():
        nearest = max((name for name in folders if f"{package}.".startswith(f"{name}.")), key=len)
        folder = ROOT / folders[nearest] / package[len(nearest):].lstrip(".").replace(".", "/")
        shipped |= {path for pattern in patterns.split(",") for path in folder.glob(pattern.strip())}
    for layer in LAYERS:
        for path in (ROOT / layer).rglob("*"):
            linked = any(parent.is_symlink() for parent in [path, *path.parents])
            if path.is_file() and not linked and path.suffix not in (".py", ".pyc"):
                assert path in shipped, f"{path.relative_to(ROOT)} would be missing in a wheel"


@pytest.mark.parametrize("layer", LAYERS[1:])
def test_links_show_the_layers_inside_the_package(layer):
    link = ROOT / "cl2cuda" / layer
    assert link.is_symlink() and str(link.readlink()) == f"../{layer}"


def test_no_file_is_a_drawer_for_everything():
    drawers = re.compile(r"utils?|helpers?|common|misc|manager", re.IGNORECASE)
    assert [path.name for path in SOURCES if drawers.fullmatch(path.stem)] == []
