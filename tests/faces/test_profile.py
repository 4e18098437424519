"""`cl2cuda profile`: the sums over what traces tell, and what is shown of them."""

import dataclasses
import json
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest
from support.devices import first
from support.processes import environment

from cl2cuda.cli import main
from cl2cuda.profiling import commands, compare, counters, page, profile, roofline, table, timeline, units
from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import trace
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
GPU = {"name": "GPU <1>", "driver": "cuda", "driver_version": "CUDA 13.0", "compute_units": 4, "clock_mhz": 1000, "peak_bandwidth": 10**12,
       "peak_flops": 10**13}
NEEDS = {"registers": 20, "spill_stores": 0, "spill_loads": 0, "private_memory": 0, "local_memory": 512, "occupancy": 0.5}


def command(name, cat, start, dur, tid=1, **args):
    """Microseconds."""
    return {"name": name, "cat": cat, "ph": "X", "pid": 2, "tid": tid, "ts": start, "dur": dur, "args": args}


def launch(name, start, dur, size=(64,), **more):
    return command(name, "ndrange_kernel", start, dur, **{**NEEDS, "global_size": list(size), "local_size": [32], "argument_bytes": 8000, **more})


RECORDS = [
    {"name": "process_name", "ph": "M", "pid": 2, "tid": 0, "args": {"name": "GPU"}},
    {"name": "thread_name", "ph": "M", "pid": 2, "tid": 1, "args": {"name": "queue 1, in order"}},
    {"name": "thread_name", "ph": "M", "pid": 2, "tid": 2, "args": {"name": "queue 2, in order"}},
    {"name": "clBuildProgram", "cat": "host", "ph": "X", "pid": 1, "tid": 9, "ts": 130, "dur": 40, "args": {}},
    command("write_buffer", "write_buffer", 100, 10, bytes=50_000),
    launch("add", 110, 10), launch("add", 200, 30, size=(128,), registers=24, argument_bytes=16000),
    launch("mul", 215, 60, tid=2) | {"tid": 2},
    command("marker", "marker", 5000, 0),
    command("failed", "ndrange_kernel", 6000, 0, error="lost"),
]


def write_trace(path, records=RECORDS, started=10**9, process=7, facts=GPU, recording=3000):
    path.write_text(json.dumps({"traceEvents": records, "otherData": {
        "devices": {"2": facts}, "process": process, "started_ns": started, "recorded_ns": 10**9, "recording_ns": recording}}))
    return path


@pytest.fixture
def recorded(tmp_path):
    return commands.read([write_trace(tmp_path / "trace.json")])


@pytest.fixture
def made(recorded):
    return profile.profiled(recorded, ["a b.py", "x"], 3, 0.5, 0.4)


class TestSums:
    def test_kernels(self, made):
        [device] = made.devices
        mul, add = device.kernels
        assert (mul.name, mul.times.calls, add.name, add.times.calls) == ("mul", 1, "add", 2)
        assert add.times.total == pytest.approx(40e-6) and add.times.mean == pytest.approx(20e-6) and add.times.deviation == pytest.approx(10e-6)
        assert (add.times.least, add.times.most) == (pytest.approx(10e-6), pytest.approx(30e-6)) and add.share == pytest.approx(0.4)
        assert add.sizes == (((64,), (32,), 1), ((128,), (32,), 1)) and add.registers == (20, 24) and add.occupancy == (0.5, 0.5)
        assert add.argument_bytes == 12000 and add.argument_rate == pytest.approx(12000 / 20e-6)

    def test_copies_and_the_host(self, made):
        [copy] = made.devices[0].copies
        assert (copy.name, copy.bytes, copy.rate) == ("write_buffer", 50_000, pytest.approx(5e9))
        assert [(row.name, row.times.calls) for row in made.host] == [("clBuildProgram", 1)]

    def test_busy_and_idle(self, made):
        [device] = made.devices
        # 100 to 120 and 200 to 275: the two queues' kernels overlap; a marker occupies nothing.
        assert device.span == pytest.approx(175e-6) and device.busy == pytest.approx(95e-6) and device.idle == pytest.approx(80e-6)
        [gap] = device.longest
        assert (gap.seconds, gap.after, gap.before, gap.host) == (pytest.approx(80e-6), "add", "add", ("clBuildProgram",))

    def test_a_command_inside_another_ends_no_gap(self, tmp_path):
        records = [launch("long", 0, 100), launch("short", 10, 5), launch("next", 90, 20), launch("last", 120, 1)]
        [device] = profile.profiled(commands.read([write_trace(tmp_path / "t.json", records)]), ["x"], 0, 1.0).devices
        assert [(gap.after, gap.before, gap.seconds) for gap in device.longest] == [("next", "last", pytest.approx(10e-6))]
        assert device.busy == pytest.approx(111e-6)

    def test_what_failed_is_told(self, made):
        assert made.commands == 4 and made.notes == ("1 commands are left out: their device had failed and told no times",)

    def test_several_processes_share_a_time_line(self, tmp_path):
        paths = [write_trace(tmp_path / "trace.1.json", [launch("one", 0, 10)], started=10**9, process=1),
                 write_trace(tmp_path / "trace.2.json", [launch("two", 0, 10)], started=10**9 + 50_000, process=2)]
        recorded = commands.read(paths)
        [device] = recorded.devices
        assert [(each.name, round(each.start * 1e6)) for each in device.commands] == [("one", 0), ("two", 50)]
        assert recorded.processes == 2 and recorded.recording == pytest.approx(6e-6)

    def test_what_is_not_told_is_none(self, tmp_path):
        records = [command("f", "ndrange_kernel", 0, 5), command("f", "ndrange_kernel", 9, 5, argument_bytes=4), command("map_buffer", "map_buffer", 20, 1)]
        facts = {**GPU, "peak_bandwidth": None, "peak_flops": None}
        [device] = profile.profiled(commands.read([write_trace(tmp_path / "t.json", records, facts=facts)]), ["x"], 0, 1.0).devices
        [row], [copy] = device.kernels, device.copies
        assert (row.registers, row.spill_stores, row.occupancy, row.argument_bytes, row.argument_rate, copy.rate) == (None,) * 6
        assert roofline.missing(device) == "the peaks of this device are not known"

    @pytest.mark.parametrize("text", ["", "[]", "{}", '{"traceEvents": [', '{"otherData": {"devices": {}}}'])
    def test_what_is_no_trace(self, tmp_path, text):
        (tmp_path / "trace.json").write_text(text)
        with pytest.raises(commands.NoTrace, match=r"trace\.json' is no whole trace"):
            commands.read([tmp_path / "trace.json"])

    def test_without_a_trace(self):
        with pytest.raises(commands.NoTrace, match="no command-queue"):
            commands.read([])

    def test_files_hold_everything(self, made):
        counted = counters.add(made, {"add": counters.Sums(2, 100.0, 50.0)})
        assert profile.from_json(profile.to_json(counted), "p.json") == counted

    @pytest.mark.parametrize("text", ["", "[]", '{"cl2cuda_profile": 1}', '{"cl2cuda_profile": 99, "cl2cuda": "9"}'])
    def test_what_is_no_profile(self, text):
        with pytest.raises(profile.NoProfile, match=r"'p\.json' is"):
            profile.from_json(text, "p.json")


class TestShown:
    def test_as_text(self, made):
        text = table.as_text(made)
        assert text.startswith("'a b.py' x: 500 ms, exit status 3\n")
        assert re.search(r"^add +2 +40\.0 us +40 % +20\.0 us +10\.0 us +30\.0 us +50 % +20 to 24 +0/0 B +0 B +512 B +50 % +0\.60 GB/s +0\.1 %$",
                         text, re.MULTILINE)
        assert re.search(r"^write_buffer +1 +10\.0 us +10\.0 us +48\.8 KiB +5\.00 GB/s$", text, re.MULTILINE)
        assert "175 us from the first command to the end of the last, busy 95.0 us (54 %), idle 80.0 us in 1 gap" in text
        assert "took 3.00 us of the host's time, 750 ns a command" in text and "500 ms with the profile and 400 ms without: +25.0 %" in text

    def test_figures(self):
        assert [units.time(value) for value in (0.99999, 12.345, 1e-9, 0, None)] == ["1.00 s", "12.3 s", "1 ns", "0 ns", "-"]
        assert [units.size(value) for value in (0, 1023, 1024, 3 << 30)] == ["0 B", "1023 B", "1.00 KiB", "3.00 GiB"]
        assert [units.percent(value) for value in (0, 0.0001, 0.0123, 0.5)] == ["0 %", "< 0.1 %", "1.2 %", "50 %"]

    def test_the_page_needs_no_network_and_is_well_formed(self, made, recorded):
        text = page.page(counters.add(made, {"add": counters.Sums(1, 5e5, 4e6)}), recorded)
        assert not re.search(r"https?:|src=|<link|@import", text)
        for picture in re.findall(r"<svg class=\"(?:timeline|roofline)\".*?</svg>(?:</svg>)?", text, re.DOTALL):
            xml.fromstring(picture)
        assert "GPU &lt;1&gt;" in text and "GPU <1>" not in text
        assert {"add", "mul", "write_buffer"} <= set(re.findall(r"<code>(\w+)</code>", text))

    def test_the_timeline_has_a_bar_a_command(self, made, recorded):
        picture = xml.fromstring(timeline.draw(recorded, made))
        [bars] = [each for each in picture.iter() if each.get("class") == "bars"]
        titles = [each[0].text for each in bars]
        assert len(titles) == 5 and titles[0].startswith("write_buffer: 10.0 us, from 0.100 ms, 50000 bytes")
        assert [float(each.get("x")) for each in bars][:3] == pytest.approx([0, 10 / 175, 100 / 175])

    def test_many_commands_are_drawn_together(self, tmp_path):
        records = [launch("f", 3 * number, 2) for number in range(50_000)]
        recorded = commands.read([write_trace(tmp_path / "t.json", records)])
        picture = timeline.draw(recorded, profile.profiled(recorded, ["x"], 0, 1.0))
        assert 500 < picture.count("<rect") < 10_000 and re.search(r"<title>\d+ commands, from", picture)

    def test_the_roofline_has_kernels_that_were_counted(self, made):
        assert "--counters" in roofline.missing(made.devices[0])
        # 8 operations a byte in 20 us: 200 Gflop/s, below the roof of 8 Tflop/s.
        [device] = counters.add(made, {"add": counters.Sums(2, 1e6, 8e6)}).devices
        assert roofline.missing(device) == ""
        text = roofline.draw(device, {"add": "#123456"})
        xml.fromstring(text)
        assert "<title>add: 8.00 flop/byte, 200 Gflop/s, 2.50 % of what the roof allows</title>" in text and "mul" not in text


class TestCompare:
    @pytest.fixture
    def files(self, tmp_path, made):
        slower = [{**each, "dur": each["dur"] * 2} if each["name"] == "mul" else {**each, "name": "sub"} if each["name"] == "add" else each
                  for each in RECORDS]
        after = profile.profiled(commands.read([write_trace(tmp_path / "t.json", slower)]), ["b.py"], 0, 0.6)
        for name, each in (("a.json", made), ("b.json", after)):
            (tmp_path / name).write_text(profile.to_json(each))
        return str(tmp_path / "a.json"), str(tmp_path / "b.json")

    def test_as_text(self, files, capsys):
        assert main(["profile", "--compare", *files]) == 0
        out = capsys.readouterr().out
        assert re.search(r"^mul +1 +1 +60\.0 us +120 us +\+100\.0 % +\+60\.0 us$", out, re.MULTILINE)
        assert re.search(r"^add .* gone +-40\.0 us$", out, re.MULTILINE) and re.search(r"^sub .* new +\+40\.0 us$", out, re.MULTILINE)

    def test_as_files(self, files, tmp_path):
        assert main(["profile", "--json", str(tmp_path / "c.json"), "--html", str(tmp_path / "c.html"), "--compare", *files]) == 0
        changes = {each["name"]: each for each in json.loads((tmp_path / "c.json").read_text())["changes"]}
        assert changes["mul"]["ratio"] == pytest.approx(2) and changes["add"]["after"] is None
        assert "+100.0 %" in (tmp_path / "c.html").read_text()

    def test_chance(self):
        some = profile.Times.of([1.0, 2.0, 3.0])
        assert not compare.Change("device 1", "f", some, profile.Times.of([1.5, 2.5, 3.0])).certain
        assert compare.Change("device 1", "f", some, profile.Times.of([5.0, 6.0, 7.0])).certain

    @pytest.mark.parametrize("words, said", [
        (["--compare", "missing.json", "missing.json"], "cannot read 'missing.json'"), (["--compare", __file__, __file__], "is no profile"),
        (["--counters", "--compare", "a", "b"], "runs no program"), ([], "which program?")])
    def test_mistakes(self, words, said, capsys):
        assert main(["profile", *words]) == 2
        assert said in capsys.readouterr().err


NCU = '''==PROF== Connected to process 12 (/usr/bin/python3)
==PROF== Profiling "add" - 0: 0%....50%....100% - 3 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","12","python3","127.0.0.1","add","1","7","(32, 1, 1)","(2, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","byte","1,000"
"0","12","python3","127.0.0.1","add","1","7","(32, 1, 1)","(2, 1, 1)","0","9.0","Command line profiler metrics","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","inst","50"
"0","12","python3","127.0.0.1","add","1","7","(32, 1, 1)","(2, 1, 1)","0","9.0","Command line profiler metrics","smsp__sass_thread_inst_executed_op_dadd_pred_on.sum","inst","7"
"1","12","python3","127.0.0.1","add","1","7","(32, 1, 1)","(2, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","byte","3000.00"
==PROF== Disconnected from process 12
'''


class TestCounters:
    def test_what_nsight_compute_writes(self):
        assert counters.read(NCU) == {"add": counters.Sums(2, 4000.0, 107.0)}

    @pytest.mark.parametrize("text", ["add", "ocl::user::add(float *, int)", "void ocl::user::add<int>(T1 *)"])
    def test_names(self, text):
        assert counters.kernel_name(text) == "add"

    def test_not_allowed(self):
        said = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the target device 0."
        with pytest.raises(counters.NotCounted, match="ERR_NVGPUCTRPERM"):
            counters.read(f"==PROF== Connected\n{said}\n")
        with pytest.raises(counters.NotCounted, match="no number"):
            counters.read(NCU.replace('"1,000"', '"n/a"'))
        with pytest.raises(counters.NotCounted, match=r"no number for dram__bytes\.sum of 'add' but 'nan'"):
            counters.read(NCU.replace('"1,000"', '"nan"'))

    def test_only_gpus_have_them(self, made):
        host = dataclasses.replace(made, devices=(dataclasses.replace(made.devices[0], facts={**GPU, "driver": "host"}),))
        sums = {"add": counters.Sums(2, 4000.0, 107.0)}
        assert counters.add(host, sums) == host
        _, add = counters.add(made, sums).devices[0].kernels
        assert add.counted == profile.Counted(2000.0, 53.5) and add.counted_rate == pytest.approx(1e8)

    def test_a_missing_program(self, monkeypatch, capsys):
        monkeypatch.setenv("PATH", "/nowhere")
        assert main(["profile", "--counters", "x.py"]) == 2
        assert "ncu, which is not on the PATH" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["imagined cuda", "cuda"])
def test_what_a_cuda_device_tells(name, tmp_path, compiler):
    device = first(name)
    path = tmp_path / "trace.json"
    trace.start(str(path))
    try:
        context = Context([device])
        queue = create_command_queue(context, device)
        program = Program(context, "kernel void scale(global float *a, float by) { local float t[64]; t[get_local_id(0)] = by;"
                                   " barrier(CLK_LOCAL_MEM_FENCE); a[get_global_id(0)] *= t[0]; }")
        program.build()
        kernel, buffer = Kernel(program, "scale"), Buffer(context, 0, 4 << 10)
        enqueue_fill_buffer(queue, buffer, bytes(4), 0, 4 << 10)
        kernel.set_arg(0, buffer)
        kernel.set_arg(1, struct.pack("f", 2))
        for _ in range(3):
            enqueue_nd_range_kernel(queue, kernel, 1, None, (1024,), (64,))
        queue.finish()
    finally:
        trace.stop()
    [found] = profile.profiled(commands.read([path]), ["x"], 0, 1.0).devices
    [row], [copy] = found.kernels, found.copies
    assert row.times.calls == 3 and row.sizes == (((1024,), (64,), 3),) and row.argument_bytes == 4096
    assert row.registers[0] > 0 and row.spill_stores == row.spill_loads == (0, 0) and 0 < row.occupancy[0] <= 1
    assert (copy.name, copy.bytes) == ("fill_buffer", 4096)
    assert found.facts["peak_bandwidth"] > 10**9 and found.facts["peak_flops"] > 10**9
    if name == "cuda":
        assert row.local_memory == (256, 256) and 10**11 < found.facts["peak_bandwidth"] < 10**14


def run(*words, device="host", **variables):
    return subprocess.run([sys.executable, "-m", "cl2cuda", "profile", *map(str, words)], capture_output=True, text=True,
                          env=environment(CL2CUDA_DEVICE=device, **variables))


class TestPrograms:
    def test_an_example(self, real_device, tmp_path):
        done = run("--json", tmp_path / "p.json", "--html", tmp_path / "p.html", EXAMPLES / "nbody.py", device=real_device.driver_name)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("nbody:") and re.search(r"^advance +20 ", done.stdout, re.MULTILINE)
        made = profile.from_json((tmp_path / "p.json").read_text(), "p.json")
        [device] = made.devices
        assert device.name == real_device.properties.name and device.kernels[0].times.calls == 20
        assert device.busy <= device.span <= made.wall and 0 < made.recording < made.wall
        assert (device.kernels[0].registers is not None) == real_device.is_cuda
        assert "<title>advance:" in (tmp_path / "p.html").read_text()

    def test_the_programs_arguments_and_status_are_its_own(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text("import sys, pyopencl as cl\nq = cl.CommandQueue(cl.create_some_context(interactive=False))\n"
                          "cl.enqueue_fill_buffer(q, cl.Buffer(q.context, cl.mem_flags.READ_WRITE, 64), b'x', 0, 64)\nq.finish()\n"
                          "print(sys.argv[1:])\nsys.exit(7)\n")
        done = run(script, "--json", "mine", "--compare")
        assert done.returncode == 7 and done.stdout.startswith("['--json', 'mine', '--compare']\n") and "exit status 7" in done.stdout

    def test_the_processes_that_it_starts_are_part_of_it(self, tmp_path):
        child = tmp_path / "child.py"
        child.write_text("import pyopencl as cl\nq = cl.CommandQueue(cl.create_some_context(interactive=False))\n"
                         "cl.enqueue_fill_buffer(q, cl.Buffer(q.context, cl.mem_flags.READ_WRITE, 64), b'x', 0, 64).wait()\n")
        parent = tmp_path / "parent.py"
        parent.write_text(f"import subprocess, sys\nfor _ in range(2): subprocess.run([sys.executable, '-m', 'cl2cuda', 'run', {str(child)!r}], check=True)\n")
        done = run("--json", tmp_path / "p.json", parent)
        assert done.returncode == 0, done.stderr
        made = profile.from_json((tmp_path / "p.json").read_text(), "p.json")
        assert made.processes == 2 and made.devices[0].copies[0].times.calls == 2

    def test_overhead(self, tmp_path):
        done = run("--overhead", EXAMPLES / "reduction.py")
        assert done.returncode == 0 and done.stdout.count("reduction:") == 1
        assert re.search(r"the program took .* with the profile and .* without: [+-]\d", done.stdout)

    def test_nothing_to_show(self, tmp_path):
        (tmp_path / "empty.py").write_text("print('hello')\n")
        done = run(tmp_path / "empty.py")
        assert (done.returncode, done.stdout) == (1, "hello\n") and "there is nothing to show: the program made no command-queue" in done.stderr
        assert run(tmp_path / "missing.py").returncode == 2

    def test_counters_on_the_host_device(self, tmp_path):
        stand_in = tmp_path / "ncu"
        stand_in.write_text("#!/bin/sh\nexit 1\n")
        stand_in.chmod(0o755)
        import os
        done = run("--counters", EXAMPLES / "reduction.py", PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        assert done.returncode == 0 and "nothing was counted: the program used no GPU" in done.stdout
