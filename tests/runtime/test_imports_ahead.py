"""Modules that are imported while a process waits."""

from __future__ import annotations

import sys

import pytest

from cl2cuda.runtime.process import imports_ahead


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Modules a and b, which add to the list that `order` imports from the package."""
    (tmp_path / "ahead").mkdir()
    (tmp_path / "ahead" / "__init__.py").write_text("order = []")
    for name in "ab":
        (tmp_path / "ahead" / f"{name}.py").write_text(f"from . import order\norder.append({name!r})")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(imports_ahead, "_expected", type(imports_ahead._expected)())
    monkeypatch.setattr(imports_ahead, "_for_translations", type(imports_ahead._expected)())
    monkeypatch.setattr(imports_ahead, "_for_images", type(imports_ahead._expected)())
    monkeypatch.setattr(imports_ahead, "_foreign", set())
    yield __import__("ahead")
    for name in [name for name in sys.modules if name.split(".")[0] == "ahead"]:
        del sys.modules[name]


def test_each_step_imports_one(package):
    imports_ahead.expect("ahead", ".b", ".a")
    steps = imports_ahead.steps()
    assert package.order == []
    next(steps)
    assert package.order == ["b"]
    assert list(steps) == [None]
    assert package.order == ["b", "a"]
    assert list(imports_ahead.steps()) == []


def test_who_waits_next_goes_on(package):
    imports_ahead.expect("ahead", ".a", ".b")
    next(imports_ahead.steps())
    next(imports_ahead.steps())
    assert package.order == ["a", "b"]


def test_a_module_that_cannot_be_imported_is_said(package):
    imports_ahead.expect("ahead", ".missing")
    with pytest.raises(ModuleNotFoundError, match=r"ahead\.missing"):
        next(imports_ahead.steps())


def test_what_translations_take_is_imported_for_them_alone(package):
    imports_ahead.expect_for_translations("ahead", ".b")
    imports_ahead.expect("ahead", ".a")
    assert list(imports_ahead.steps()) == [None] and package.order == ["a"]
    assert list(imports_ahead.steps_for_translations()) == [None] and package.order == ["a", "b"]


def test_what_images_take_is_imported_for_them_alone(package):
    imports_ahead.expect_for_images("ahead", ".b")
    imports_ahead.expect("ahead", ".a")
    assert list(imports_ahead.steps()) == [None] and package.order == ["a"]
    assert list(imports_ahead.steps_for_images()) == [None] and package.order == ["a", "b"]


def test_modules_of_others_are_imported_where_their_package_is(package):
    imports_ahead.expect_of_others("ahead", ".a", ".missing", ".b")
    imports_ahead.expect_of_others("nowhere", ".a")
    assert len(list(imports_ahead.steps())) == 4 and package.order == ["a", "b"]
    assert "nowhere" not in sys.modules


def test_a_package_of_others_that_is_being_imported_is_left_alone(package, monkeypatch):
    monkeypatch.setattr(package.__spec__, "_initializing", True, raising=False)
    imports_ahead.expect_of_others("ahead", ".a")
    assert list(imports_ahead.steps()) == [None] and package.order == []
