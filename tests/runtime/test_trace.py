"""The timeline: what is recorded, and the file."""

import json
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.kernel_facts import arg, kernel_info
from support.processes import environment

from cl2cuda.runtime.commands.buffer import enqueue_fill_buffer, enqueue_marker
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory import known_memory
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.process import trace
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.queue.event import UserEvent
from cl2cuda.runtime.spec import codes


@pytest.fixture
def recorded(tmp_path):
    """Starts recording; the function that comes out ends it and gives the records."""
    path = tmp_path / "trace.json"
    trace.start(str(path))

    def end():
        trace.stop()
        return json.loads(path.read_text())["traceEvents"]

    yield end
    trace.stop()


def spans(records):
    return {record["name"]: record for record in records if record["ph"] == "X"}


def names(records, kind):
    return {(record["pid"], record["tid"]): record["args"]["name"] for record in records if record["name"] == kind}


def test_every_command_of_every_queue_is_a_span_on_its_lane(device, recorded):
    context = Context([device])
    in_order = create_command_queue(context, device)
    out_of_order = create_command_queue(context, device, codes.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
    buffer = Buffer(context, 0, 1 << 20)
    filled = enqueue_fill_buffer(in_order, buffer, b"x", 0, 1 << 20)
    enqueue_marker(out_of_order, [filled])
    in_order.finish()
    out_of_order.finish()
    records = recorded()
    found = spans(records)
    assert set(found) == {"fill_buffer", "marker"}
    fill, marker = found["fill_buffer"], found["marker"]
    assert fill["dur"] > 0 and fill["ts"] + fill["dur"] <= marker["ts"]
    assert fill["args"]["queued"] <= fill["args"]["submitted"] <= fill["ts"] + 1000
    assert names(records, "process_name") == {(1, 0): "host", (2, 0): device.properties.name}
    lanes = names(records, "thread_name")
    assert lanes[fill["pid"], fill["tid"]] == f"queue {in_order.serial}, in order"
    assert lanes[marker["pid"], marker["tid"]] == f"queue {out_of_order.serial}, out of order, stream 1"


def test_events_of_a_recorded_queue_profile_only_when_asked_to(fake, recorded):
    event = enqueue_marker(create_command_queue(fake.context, fake.device))
    event.wait()
    with pytest.raises(Exception, match="PROFILING_INFO_NOT_AVAILABLE"):
        event.profile(codes.PROFILING_COMMAND_START)


def test_kernels_by_name_and_builds_as_spans_of_the_host(real_device, recorded):
    context = Context([real_device])
    queue = create_command_queue(context, real_device)
    program = Program(context, "__kernel void traced_kernel(__global int *x) { x[0] = 1; }")
    program.build()
    kernel = Kernel(program, "traced_kernel")
    kernel.set_arg(0, Buffer(context, 0, 4))
    enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), None)
    queue.finish()
    found = spans(recorded())
    assert found["traced_kernel"]["cat"] == "ndrange_kernel" and found["traced_kernel"]["dur"] > 0
    build = found["clBuildProgram"]
    assert build["pid"] == 1 and build["ts"] + build["dur"] <= found["traced_kernel"]["ts"] + 1000
    # What it was made of, one after the other, unless a compiler process did it. The compiler may be at work when the build returns.
    if real_device.driver_device.compiler_spec is None:
        translation, compilation = found["translation"], found["compilation"]
        assert build["ts"] <= translation["ts"] and translation["ts"] + translation["dur"] <= compilation["ts"] <= build["ts"] + build["dur"]
        assert compilation["ts"] + compilation["dur"] <= found["traced_kernel"]["ts"] + 1000


def test_a_build_from_the_cache_in_the_trace(real_device, recorded, tmp_path, monkeypatch):
    monkeypatch.setenv("CL2CUDA_CACHE_DIR", str(tmp_path))
    context = Context([real_device])
    for _ in range(2):
        Program(context, "__kernel void cached_kernel(__global int *x) { x[0] = 2; }").build()
    records = [record for record in recorded() if record["ph"] == "X"]
    names = [record["name"] for record in records]
    assert names.count("clBuildProgram") == 2 and names.count("build cache") == 2 and names.count("translation") <= 1


def test_what_is_told_of_commands(fake, recorded):
    fake.kernels.append(kernel_info("scale", arg("a", "global"), arg("b", "constant"), arg("n", "value", 4)))
    fake.driver.bodies["scale"] = lambda parameters, sizes: None
    program = Program(fake.context, "")
    program.build()
    queue = create_command_queue(fake.context, fake.device)
    first, second = Buffer(fake.context, 0, 4096), Buffer(fake.context, 0, 64)
    kernel = Kernel(program, "scale")
    for index, value in enumerate((first, second, struct.pack("i", 3))):
        kernel.set_arg(index, value)
    enqueue_nd_range_kernel(queue, kernel, 2, None, (64, 6), (32, 2))
    kernel.set_arg(1, first)
    enqueue_nd_range_kernel(queue, kernel, 1, None, (64,), (32,), [gate := UserEvent(fake.context)])
    gate.set_status(0)
    enqueue_fill_buffer(queue, first, b"x", 0, 100)
    queue.finish()
    one, two, fill = (record["args"] for record in recorded() if record["ph"] == "X" and record["pid"] > 1)
    times = {"queued": one["queued"], "submitted": one["submitted"]}
    assert one == times | {"global_size": [64, 6], "local_size": [32, 2], "work_items": 384, "registers": 8, "spill_stores": 4, "spill_loads": 12,
                           "private_memory": 0, "local_memory": 0, "occupancy": 0.5, "argument_bytes": 4096 + 64}
    assert two["argument_bytes"] == 4096 and two["global_size"] == [64]
    assert fill["bytes"] == 100


def test_the_file_tells_of_devices_and_of_recording(device, recorded, tmp_path):
    queue = create_command_queue(Context([device]), device)
    enqueue_marker(queue).wait()
    recorded()
    other = json.loads((tmp_path / "trace.json").read_text())["otherData"]
    assert other["devices"] == {"2": json.loads(json.dumps(device.facts))} and other["process"] == os.getpid()
    assert 0 < other["recording_ns"] < other["recorded_ns"]


def test_commands_that_were_held_and_many(fake, recorded):
    queue = create_command_queue(fake.context, fake.device)
    gate = UserEvent(fake.context)
    enqueue_marker(queue, [gate])
    gate.set_status(0)
    for _ in range(2 * trace.MANY):
        enqueue_marker(queue).wait()
    assert len([record for record in recorded() if record["ph"] == "X"]) == 2 * trace.MANY + 1


def test_buffers_of_before_the_first_queue_are_remembered(real_device, monkeypatch, tmp_path):
    """Where the environment asks for the trace: finding the devices starts it."""
    monkeypatch.setenv(trace.VARIABLE, str(tmp_path / "trace.json"))
    monkeypatch.setenv("CL2CUDA_DEVICE", real_device.driver_name)
    try:
        device = platforms.Platform().devices()[0]
        buffer = Buffer(Context([device]), 0, 256)
        assert known_memory.found(buffer.address) == (buffer.storage, buffer.address)
    finally:
        trace.stop()


def test_nothing_is_recorded_where_nobody_asked(fake, monkeypatch):
    monkeypatch.delenv(trace.VARIABLE, raising=False)
    queue = create_command_queue(fake.context, fake.device)
    assert queue.recorder is None and not queue.needs_full_submit
    with trace.span("nothing"):
        pass


def test_threads_that_ask_first_get_one_recorder(tmp_path, monkeypatch):
    """Queues of several threads, none made before: each that made a recorder would write the file without the others' commands."""
    monkeypatch.setenv(trace.VARIABLE, str(tmp_path / "trace.json"))
    monkeypatch.setattr(trace, "_RECORDER", None)
    given, recorder = [], trace.Recorder
    other = threading.Thread(target=lambda: given.append(trace.recorder()))

    def made(path):
        monkeypatch.setattr(trace, "Recorder", recorder)
        other.start()
        other.join(0.2)  # where nothing holds it, it makes its own meanwhile
        return recorder(path)

    monkeypatch.setattr(trace, "Recorder", made)
    given.append(trace.recorder())
    other.join()
    trace.stop()
    assert given[0] is given[1]


ROOT = Path(__file__).resolve().parents[2]


def run_with_trace(script, path, device, *arguments):
    subprocess.run([sys.executable, "-m", "cl2cuda", "run", "--trace", str(path), str(script), *arguments], check=True,
                   env=environment(CL2CUDA_DEVICE=device))
    return json.loads(path.read_text())["traceEvents"]


def test_two_kernels_and_a_copy_overlap(real_device, tmp_path):
    """What the picture in the documentation shows. (The host device's share of the processors decides there; elsewhere it may keep the
    host from giving all commands while the first of them runs, unless that takes long enough.)"""
    for longer in ("1", "8", "64") if real_device.is_cuda else ("1",):
        records = run_with_trace(ROOT / "examples" / "overlap.py", tmp_path / "trace.json", real_device.driver_name, longer)
        found = [spans(records)[name] for name in ("squares", "triples", "write_buffer")]
        start, end = max(span["ts"] for span in found), min(span["ts"] + span["dur"] for span in found)
        if end > start:
            break
    assert end > start or not real_device.is_cuda, found
    picture = tmp_path / "picture.svg"
    subprocess.run([sys.executable, str(ROOT / "docs" / "timeline.py"), str(tmp_path / "trace.json"), str(picture)], check=True)
    assert all(f"<title>{name}:" in picture.read_text() for name in ("squares", "triples", "write_buffer"))


def test_run_with_trace(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import pyopencl as cl\nq = cl.CommandQueue(cl.Context(cl.get_platforms()[0].get_devices()))\ncl.enqueue_marker(q).wait()\n")
    assert spans(run_with_trace(script, tmp_path / "trace.json", "host")).keys() == {"marker"}
