"""Rooms stand on floors: an import of any kind, also one inside a function or under TYPE_CHECKING, runs downwards and never in a circle."""

import pytest
from tools import floors

# The language's own rules need each other: expressions, conversions, calls and declarations are one hub (docs/design.md).
HUBS = {"translator": {"opencl_c.analyse"}}


@pytest.fixture(scope="module", params=floors.LAYERS)
def layer(request):
    return floors.layer(request.param)


def test_every_room_is_listed(layer):
    """The layer's docstring names each room, and no other."""
    rooms = {layer.room(module) for module in layer.modules if module}
    assert layer.unlisted == set()
    assert set(layer.rank) <= rooms


def test_no_import_runs_upwards(layer):
    assert [f"{layer.name}/{arrow.source}:{arrow.line} imports {arrow.target}" for arrow in layer.upward] == []


def test_no_modules_import_each_other_in_a_circle(layer):
    hubs = tuple(HUBS.get(layer.name, ()))
    outside = [circle for circle in layer.circles if not any(all(f"{each}.".startswith(f"{hub}.") for each in circle) for hub in hubs)]
    assert outside == []


def test_rooms_do_not_need_each_other_in_a_circle(layer):
    arrows = {room: {target for source, target in layer.room_arrows if source == room} for room in layer.rank}
    assert [group for group in floors.strongly_connected(arrows) if len(group) > 1] == []


def test_imports_of_every_kind_are_seen(tmp_path, monkeypatch):
    """The tool finds what it is to find: else the tests above would pass whatever stands in the code."""
    room = tmp_path / "house"
    for path, text in {
        "__init__.py": '"""Rooms:\n\n    attic    the top\n    cellar   the bottom\n"""\n',
        "attic/__init__.py": "", "attic/boxes.py": "from ..cellar import stones\n",
        "cellar/__init__.py": "", "cellar/stones.py": (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..attic.boxes import Box\n"
            "def late():\n    from .. import attic\n    from . import walls\n"),
        "cellar/walls.py": "from .stones import late\n", "shed.py": "import os, cl2cuda.house.attic.boxes\nfrom cl2cuda.house.cellar import walls\n",
    }.items():
        (room / path).parent.mkdir(parents=True, exist_ok=True)
        (room / path).write_text(text)
    monkeypatch.setattr(floors, "ROOT", tmp_path)
    house = floors.layer("house")
    assert {(arrow.source, arrow.target, arrow.line) for arrow in house.upward} == {
        ("cellar.stones", "attic.boxes", 3), ("cellar.stones", "attic", 5), ("shed", "attic.boxes", 1), ("shed", "cellar.walls", 2)}
    assert house.circles == [["attic.boxes", "cellar.stones", "cellar.walls"]]
    assert house.unlisted == {"shed"}
