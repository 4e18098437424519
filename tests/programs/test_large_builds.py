"""`python tests/tools/benchmark/large_builds.py`: a row a program, and what it says of compilers that are missing, slow or fail."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import environment
from tools.benchmark import large_builds

TOOL = Path(large_builds.__file__)


def test_a_row_of_a_file(compiler, tmp_path):
    (tmp_path / "k.cl").write_text("kernel void k(global float *a) { a[get_global_id(0)] *= 2; }")
    done = subprocess.run([sys.executable, str(TOOL), "--stock", "no such platform", "--limit", "60", str(tmp_path / "k.cl")],
                          capture_output=True, text=True, env=environment(), check=True)
    row = done.stdout.splitlines()[-1].split()
    name, lines, whole, now, *cuda = row[:6]
    assert (name, lines, len(row)) == ("k.cl", "0", 12) and float(whole) >= 0 and float(now) >= 0 and min(map(int, cuda)) > 0, done.stdout
    assert float(row[7]) > 0 and float(row[8]) >= 0, "NVRTC's seconds, and the translation's share"
    assert row[11] == "none", "another OpenCL"


@pytest.fixture
def rows(capsys):
    made = large_builds.Rows(2, 1)

    def run(*measures):
        row = large_builds.Row("a program", 0.5, dict.fromkeys(large_builds.COLUMNS[len(measures) :], "-"))
        made.rows.append(row)
        for column, measure in zip(large_builds.COLUMNS, measures, strict=False):
            made._fork(row, column, measure)
        made.finish()
        return row.cells, capsys.readouterr().out

    return run


def busy():
    while True:
        pass


def fails():
    raise ValueError


def test_what_compilers_come_to(rows):
    cells, printed = rows(lambda: "0.25", lambda: "2.00", fails, busy)
    assert [cells[each] for each in large_builds.COLUMNS] == ["0.25", "2.00", "failed", "> 1", "-", "-"]
    assert printed.split() == ["a", "program", "0.25", "2.00", "0.25", "failed", ">", "1", "-", "-"], "0.5 seconds of translation through 2"


def test_rows_come_in_order(rows):
    cells, printed = rows(*[lambda: "0.10"] * 6)
    assert set(cells.values()) == {"0.10"} and printed.startswith("a program") and "5.00" in printed
