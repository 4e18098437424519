"""docs/design.md tells the truth: its rooms are the layers' own, its paths exist, and its recipes name every place to touch."""

import ast
import re
import subprocess
import sys

import pytest
from tools import floors
from tools.floors import ROOT

PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
NATIVE_CALLS = (ROOT / "docs" / "native-calls.md").read_text(encoding="utf-8")
PRODUCT = ("runtime", "translator", "builtins", "cl2cuda")
# The extension's own start, and what its files share.
STOOD_ON = {"calls.c", "copies.c", "errors.c", "functions.c", "staging.c", "target.c"}
RECIPES = re.findall(r"^### (.+)\n\n((?:1\. .*\n(?:.+\n)*))\nExample: `(\w+)`$", PAGE, flags=re.MULTILINE)


def section(title: str) -> str:
    return re.split(r"^#+ ", PAGE.split(f"### {title}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("name", floors.LAYERS)
def test_the_rooms_are_those_of_the_layers_docstring(name):
    rows = re.findall(r"^\| ([a-z_, ]+) \| (.+) \|$", section(name), flags=re.MULTILINE)[1:]
    docstring = ast.get_docstring(ast.parse((ROOT / name / "__init__.py").read_text(encoding="utf-8")), clean=False)
    assert [(room.strip(), text) for room, text in rows] == re.findall(r"^    ([a-z_]+(?:, [a-z_]+)*)  +(\S.*)$", docstring, re.MULTILINE)


def test_every_path_exists():
    paths = set(re.findall(r"`((?:runtime|translator|builtins|cl2cuda|tests|docs|library)/[\w/.-]*)`", PAGE + NATIVE_CALLS))
    paths |= set(re.findall(r"python (tests/[\w/.]+)", PAGE))
    assert len(paths) > 20
    assert [path for path in paths if not any((ROOT / base / path).exists() for base in ("", "builtins"))] == []


def test_every_file_in_c_exists():
    """What docs/native-calls.md names without a folder is in runtime/native, and what it names with `driver/` in the driver library."""
    named = set(re.findall(r"`((?:driver/)?\w+\.(?:c|h|py))`", NATIVE_CALLS))
    assert len(named) > 40
    assert [name for name in named if not any((ROOT / base / name).exists() for base in ("runtime/native", "cl2cuda/opencl_icd"))] == []
    # Each file of either library is named, but those that only hold what the others stand on.
    of_table = set(re.findall(r"`(\w+\.c)`", NATIVE_CALLS))
    assert {path.name for path in (ROOT / "runtime" / "native").glob("*.c")} - of_table <= STOOD_ON


def test_recipes_are_found():
    assert len(RECIPES) == PAGE.split("## Recipes")[1].count("\n### ") >= 7


@pytest.mark.parametrize(("title", "places", "example"), RECIPES, ids=[title for title, _, _ in RECIPES])
def test_a_recipe_names_every_place(title, places, example):
    named = {re.match(r"\d+\. `([\w/.]+)`", place)[1] for place in re.findall(r"^\d+\. .*$", places, flags=re.MULTILINE)}
    found = {str(path.relative_to(ROOT)) for layer in PRODUCT for path in (ROOT / layer).rglob("*")
             if path.suffix in (".py", ".cuh", ".cpp", ".c", ".h") and not any(parent.is_symlink() for parent in path.parents)
             and re.search(rf"\b{example}\b", path.read_text(encoding="utf-8"))}
    assert found == named, title


def test_the_counts_of_rooms_can_be_printed():
    printed = subprocess.run([sys.executable, str(ROOT / "tests" / "tools" / "floors.py")], capture_output=True, text=True, check=True).stdout
    for name in floors.LAYERS:
        assert re.search(rf"^{name}: \d+ modules, \d+ arrows; \d+ rooms, \d+ arrows between them; \d+ upwards, \d+ circles$", printed, re.MULTILINE)
