"""The benchmark runs to its end on this machine, and every result that it times is right."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from support import gl
from support.c_programs import needs_compiler, needs_loader
from support.spirv_modules import can_compile
from tools.benchmark import every_function, rounds, tables

from cl2cuda.translator import parse_options, translate

ROOT = Path(__file__).resolve().parents[2]


def test_benchmark_of_the_host_device(tmp_path):
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark"), "--quick", "--rounds", "1", "--size", "small",
               "--stock-platform", "a platform that is not there", "--json", str(tmp_path / "numbers.json")]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=900)

    assert result.returncode == 0, result.stderr
    assert "a platform that is not there is left out" in result.stderr
    measurements = json.loads((tmp_path / "numbers.json").read_text())["measurements"]
    kernels = [name for name in measurements if name.startswith("device time")]
    assert len(kernels) == 31 and sum(name.startswith("host: ") for name in measurements) >= 77
    assert {"new process, empty caches", "new process, filled caches"} <= measurements.keys()
    for name, row in measurements.items():
        assert row["cl2cuda"]["minimum"] > 0, name
        assert name in result.stdout


def test_calls_in_a_context_of_several_devices():
    """All of the lists run there; where there are not so many devices, the benchmark says so."""
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark"), "--quick", "--rounds", "1", "--only", "calls", "further", "varied",
               "--stock-platform", "a platform that is not there", "--devices"]
    host = {**os.environ, "CL2CUDA_DEVICE": "host", "CL2CUDA_HOST_DEVICES": "2"}
    result = subprocess.run([*command, "2"], env=host, capture_output=True, text=True, timeout=900)
    assert result.returncode == 0 and "host: context made, dropped" in result.stdout, result.stderr
    result = subprocess.run([*command, "3"], env=host, capture_output=True, text=True, timeout=900)
    assert result.returncode and "no 3 devices on a platform named 'cl2cuda'" in result.stderr


def interrupted(command, seconds):
    """Ended after so long; its status, output and errors."""
    with subprocess.Popen(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


def test_an_interrupted_benchmark_shows_the_rounds_that_were_whole(tmp_path):
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark"), "--quick", "--rounds", "1000", "--size", "small",
               "--only", "copies", "--stock-platform", "a platform that is not there"]
    for seconds in (25, 100, 400):  # The first round takes as long as the machine's other work has it take.
        status, output, errors = interrupted(command, seconds)
        if "in the first round" not in errors:
            break
    assert status == 0, errors
    assert "of 1000 rounds are whole" in errors
    assert "copy 4 KiB to the device" in output


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_round_counts_for_neither_side(number, capsys):
    sides, handler = [SimpleNamespace(name=name, rounds=[]) for name in ("stock", "ours")], signal.getsignal(signal.SIGTERM)
    order = []

    def measure(side, round_):
        if len(order) == 5:
            os.kill(os.getpid(), number)
        order.append(side.name)
        side.rounds.append(round_)

    rounds.measure_in_rounds(sides, 9, measure)
    assert order == ["stock", "ours", "ours", "stock", "stock"]
    assert [side.rounds for side in sides] == [[0, 1], [0, 1]]
    assert "interrupted: 2 of 9 rounds are whole" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) is handler


def test_a_first_round_that_is_interrupted_shows_nothing():
    def measure(side, round_):
        raise KeyboardInterrupt

    with pytest.raises(SystemExit, match="in the first round"):
        rounds.measure_in_rounds([SimpleNamespace(name="ours", rounds=[])], 9, measure)


def test_tables_of_two_sides():
    """Medians, the smallest and the largest round, and both ratios; times are shown in the unit of their median."""
    lines = [tables.Line("launch", [[4e-6, 2e-6, 3e-6], [1.5e-6, 1e-6, 9e-7]], [1.8e-6, 9e-7]),
             tables.Line("build", [[0.5, 1.5], [1.99, 2.01]], [0.5, 1.99], "3 lines/s")]
    assert tables.table(["stock", "ours"], lines).splitlines() == [
        "|        |            stock |               ours | ratio | of the smallest |      rate |",
        "| ------ | ---------------: | -----------------: | ----: | --------------: | --------: |",
        "| launch |    3 us (2 to 4) |  1 us (0.9 to 1.5) |  0.33 |            0.50 |           |",
        "| build  | 1 s (0.5 to 1.5) | 2 s (1.99 to 2.01) |  2.00 |            3.98 | 3 lines/s |",
        "",
        "2 lines, by the medians: geometric mean 0.816, 1 above 1, 1 above 1.2",
        "2 lines, by the smallest times: geometric mean 1.411, 1 above 1, 1 above 1.2"]


def test_throughput_of_the_host_device():
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "functions.py"), "--quick", "--rounds", "1"]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr
    rates = {line[:34].strip(): line[34:50].strip() for line in result.stdout.splitlines()[1:]}
    measured = [float(rate) for rate in rates.values() if rate != "-"]  # so little, in one round, that the machine's other work hid it
    assert len(rates) >= 12 and len(measured) >= 9 and min(measured) >= 0


def test_kernels_of_every_function_translate():
    """What they take is only of interest on GPUs: here each would be a build of g++'s."""
    names = [name for name, *_ in every_function.lines()]
    assert len(names) == len(set(names)) > 450
    for name, *line in every_function.lines():
        assert translate(every_function.kernel(*line), parse_options("-cl-std=CL1.2")).kernels[0].name == "test", name


def test_frames_with_opengl_of_the_host_device():
    """By its own library; the machine's OpenCL, if there is one, may share with none."""
    if gl.MISSING or not shutil.which("cc") or not gl.displays():
        pytest.skip("there is no C compiler, or no OpenGL that needs no screen")
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "opengl.py"), "--quick", "--rounds", "1",
               "--other", "a library that is not there"]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=300)

    if "fatal error: CL/" in result.stderr:
        pytest.skip("OpenCL's headers are not installed")
    assert result.returncode == 0, result.stderr + result.stdout
    rows = [line.split(" | ") for line in result.stdout.splitlines() if line.startswith("| buffer") or line.startswith("| texture")]
    assert len(rows) == 5 and all(float(row[2]) > 0 and row[5] == "right / - |" for row in rows), result.stdout


def test_the_cost_of_builds_is_measured_on_equal_programs():
    nvrtc = pytest.importorskip("cl2cuda.runtime.cuda.nvrtc")
    try:
        nvrtc.nvrtc()
    except Exception as error:
        pytest.skip(f"no NVRTC: {error}")
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "builds.py"), "--rounds", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()[2:-1]]
    assert len(rows) == 10 and {"matmul", "black_scholes", "tone"} <= {row[0] for row in rows}
    assert all(float(row[2]) > 0 and float(row[3]) > 0 for row in rows)


def test_kernels_with_barriers_compute_the_same_in_both_forms():
    """Scans, stencils, sorts, reductions and more, as real programs have them, with loops over the work-items and with a stack for each."""
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "work_groups.py"), "--stock-platform", "", "--repeat", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr
    rows = result.stdout.splitlines()[1:]
    assert len(rows) >= 19 and all(row.endswith("equal") for row in rows), result.stdout


def test_bandwidth_between_host_devices():
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "devices.py"), "--stock-platform", "", "--most", "16", "--turns", "2"]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host", "CL2CUDA_HOST_DEVICES": "2"}, capture_output=True, text=True,
                            timeout=300)

    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    assert [row[:2] for row in rows] == [[way, size] for size in ("1", "16") for way in ("copy", "migrate", "kernel")]
    assert all(float(row[3]) > 0 for row in rows)


def test_kernels_launched_by_kernels_are_counted():
    command = [sys.executable, "-m", "cl2cuda", "run", str(ROOT / "tests" / "tools" / "benchmark" / "device_queues.py"),
               "--repeat", "1", "--wide", "1,1000", "--deep", "30"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)

    assert result.returncode == 0, result.stderr
    rows = [line for line in result.stdout.splitlines() if line.startswith(("| wide", "| deep"))]
    assert len(rows) == 3, result.stdout


@pytest.mark.skipif(not can_compile(), reason="clang or llvm-spirv is not installed")
def test_kernels_from_spirv_compute_the_same():
    command = [sys.executable, "-m", "cl2cuda", "run", str(ROOT / "tests" / "tools" / "benchmark" / "spirv.py"), "--only", "kernels",
               "--repeat", "1"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)

    assert result.returncode == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()[3:-2]]
    assert len(rows) == 10 and all(float(row[-1]) > 0 for row in rows), result.stdout


def test_growth_of_the_host_device():
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "growth.py"), "--stock-platform", "", "--launches", "1600",
               "--objects", "100"]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr
    rows = dict(line.rsplit(None, 1) for line in result.stdout.splitlines()[1:])
    assert len(rows) == 10 and all(float(value.replace(",", "")) > 0 for name, value in rows.items() if name.startswith("launches"))


def test_event_times_of_the_host_device():
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "event_times.py"), "--stock-platform", "", "--turns", "2"]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=300)

    assert result.returncode == 0, result.stderr
    rows = [line.rsplit(None, 1) for line in result.stdout.splitlines()[1:]]
    assert len(rows) == 11 and all(float(value) > 0 for _, value in rows), result.stdout


def test_calls_from_c_of_the_host_device(tmp_path):
    needs_compiler()
    needs_loader()
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "from_c.py"), "--stock", "", "--rounds", "1", "--calls", "20",
               "--json", str(tmp_path / "times.json")]
    result = subprocess.run(command, env={**os.environ, "CL2CUDA_DEVICE": "host"}, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    [(name, [times])] = json.loads((tmp_path / "times.json").read_text()).items()
    assert name.startswith("cl2cuda") and len(times) == 284 and min(times.values()) >= 0
    assert all(f"| {line} " in result.stdout for line in times)


COMPILER = """\
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho cl2cuda, a device\necho a call 1.5\necho >> %s\n' "$ENDED" > "$2"
chmod +x "$2"
"""


def test_interrupted_calls_from_c_show_the_rounds_that_were_whole(tmp_path):
    """The compiler makes programs that have measured at once, and add a line to a file."""
    needs_compiler()
    ended, compiler = tmp_path / "ended", tmp_path / "compiler.sh"
    ended.touch()
    compiler.write_text(COMPILER)
    command = [sys.executable, str(ROOT / "tests" / "tools" / "benchmark" / "from_c.py"), "--stock", "", "--rounds", "1000000",
               "--only", "calls", "--json", str(tmp_path / "times.json")]
    environment = {**os.environ, "CC": f"sh {compiler}", "ENDED": str(ended)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while len(ended.read_text()) < 3 and process.poll() is None:
            time.sleep(0.01)
        process.terminate()
        output, errors = process.communicate(timeout=60)

    assert process.returncode == 0, errors
    assert "of 1000000 rounds are whole" in errors
    assert "| calls: a call " in output
    assert len(json.loads((tmp_path / "times.json").read_text())["cl2cuda, a device"]) >= 2
