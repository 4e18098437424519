"""How many processors a process may use, also in a container that has a share of their time."""

import os

import pytest

from cl2cuda.runtime.process import processors


@pytest.fixture
def cgroups(tmp_path, monkeypatch):
    monkeypatch.setattr(processors, "CGROUPS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(16)), raising=False)
    processors._share.cache_clear()
    yield tmp_path
    processors._share.cache_clear()


@pytest.mark.parametrize(("limit", "expected"), [
    ("max 100000", 16), ("200000 100000", 2), ("150000 100000", 2), ("10000 100000", 1), ("6400000 100000", 16), ("0 100000", 16), ("100 0", 16),
    ("", 16), ("100000", 16), ("many more", 16)])
def test_the_second_version(cgroups, limit, expected):
    (cgroups / "cpu.max").write_text(limit + "\n")
    assert processors.count() == expected


@pytest.mark.parametrize(("quota", "expected"), [("-1", 16), ("300000", 3), ("250000", 3), ("nothing", 16)])
def test_the_first_version(cgroups, quota, expected):
    (cgroups / "cpu").mkdir()
    (cgroups / "cpu" / "cpu.cfs_quota_us").write_text(quota + "\n")
    (cgroups / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    assert processors.count() == expected


def test_without_control_groups(cgroups):
    assert processors.count() == 16
