"""Compiler processes: what comes back from them, and what happens when they die. No GPU is needed: they only compile."""

import contextlib
import os
import sys
import threading
import time
import traceback
from types import SimpleNamespace

import pytest
from support.threads import ends

from cl2cuda.runtime.build import build as builds
from cl2cuda.runtime.build import compiler_pool
from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.program import compile_for, compiler_spec
from cl2cuda.runtime.driver.interface import BuildFailure, DriverMissing
from cl2cuda.translator import CompileError
from cl2cuda.translator.options import parse_options

try:
    nvrtc.find()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)

SPEC = compiler_spec(nvrtc.nvrtc().version[0], (9, 0))
DEVICE = SimpleNamespace(driver_name="cuda", driver_device=SimpleNamespace(
    target="sm_90", compiler_spec=SPEC, begin_compiling=None, compiler_identity=lambda options: "nvrtc", properties=SimpleNamespace(item_loops=False),
    compile=lambda translation, options: compile_for(SPEC, translation, options), compiler_start=contextlib.nullcontext))
SOURCE = "kernel void k(global float *p, float x) { p[get_global_id(0)] = sin(x) + N; }"
OWN = compiler_pool.POOL  # the process's, which few tests use


@pytest.fixture(autouse=True)
def pool(monkeypatch):
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    pool = compiler_pool.Pool()
    monkeypatch.setattr(compiler_pool, "POOL", pool)
    yield pool
    pool.unload()


def build(source=SOURCE, options="-DN=1", apart=True, headers=()):
    step = builds.SourceStep(source, options, parse_options(options), dict(headers))
    return builds.Builder(step, apart).executable(DEVICE)


def test_a_process_makes_the_same_binary(pool, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a folder of -I may be relative
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "n.h").write_text("#define M 2\n")
    source = '#include "n.h"\n#include "virtual.h"\n' + SOURCE.replace("N;", "N + M + V;")
    arguments = {"source": source, "options": "-DN=1 -Isub -cl-mad-enable", "headers": [("virtual.h", "#define V 3\n")]}
    assert build(**arguments) == build(**arguments, apart=False)
    assert pool.started == 1


@pytest.mark.parametrize("valid", [True, False])
def test_the_compiler_starts_before_a_program_is_translated(valid, monkeypatch):
    order, translated = [], builds.SourceStep.translated

    @contextlib.contextmanager
    def start():
        order.append("start")
        try:
            yield
        finally:
            order.append("end")

    def noted(step, item_loops):
        order.append("translation")
        return translated(step, item_loops)

    monkeypatch.setattr(builds.SourceStep, "translated", noted)
    monkeypatch.setattr(DEVICE.driver_device, "compiler_start", start)
    monkeypatch.setattr(DEVICE.driver_device, "compile", lambda translation, options: order.append("compilation") or b"")
    if valid:
        build(apart=False)
    else:
        with pytest.raises(CompileError):
            build(SOURCE + "}", apart=False)
    assert order == ["start", "translation", *["compilation"] * valid, "end"]


def test_objects_are_linked_there_too():
    objects = [builds.SourceStep(text, "", parse_options("")).compiled_object().objects[0] for text in (
        "float f(float); kernel void k(global float *p) { *p = f(1); }", "float f(float x) { return x; }")]
    step = builds.LinkStep(tuple(objects), "", builds.LinkOptions())
    assert builds.Builder(step, apart=True).executable(DEVICE) == builds.Builder(step).executable(DEVICE)


@pytest.mark.parametrize("length", [100_000, 3_000_000])
def test_orders_and_replies_may_be_longer_than_a_pipe_holds(pool, length):
    comment = f"/* {'x' * length} */"
    assert build(SOURCE + comment) == build(SOURCE + comment, apart=False)
    with pytest.raises(BuildFailure) as refused:
        build(f"{SOURCE} int wrong = {'y' * length};")
    assert "y" * length in str(refused.value)
    assert pool.started == 1  # and it did not go to rest between the two


def test_invalid_programs_have_the_same_log():
    logs = []
    for apart in (True, False):
        with pytest.raises(builds.Refused) as refusal:
            build("kernel void k(int x) { y = 1; }", apart=apart)
        logs.append(builds.build_log(refusal.value))
    assert logs[0] == logs[1]
    assert "use of undeclared identifier 'y'" in logs[0]


def test_a_build_alone_stays_in_the_process_and_overlapping_ones_do_not(pool):
    build(apart=False)
    assert pool.started == 0
    made = []

    def while_another_is_built():
        made.append(pool.run(lambda: None, dict, False) if made else build(apart=False))
        return made[0]

    assert pool.run(while_another_is_built, dict, False).kernels.keys() == {"k"}
    assert pool.started == 1
    build(apart=False)
    assert len(pool.idle) == 1


def test_who_waits_goes_on_in_the_process_when_that_is_sooner(pool, monkeypatch):
    """A process that takes long to start keeps nobody waiting."""
    slow = compiler_pool.START.replace("compiler_process.main", "import time; time.sleep(3); compiler_process.main")
    monkeypatch.setattr(compiler_pool, "START", slow)
    found = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: build(options=f"-DN={n}", apart=False)})) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 3
    with pool.changed:  # none may be left behind
        assert pool.changed.wait_for(lambda: not pool.starting, 60)


def test_none_are_started_where_they_are_not_wanted(pool, monkeypatch):
    monkeypatch.setenv("CL2CUDA_COMPILER_PROCESSES", "0")
    build()
    assert pool.started == 0


def test_threads_share_no_more_processes_than_allowed(pool, monkeypatch):
    monkeypatch.setenv("CL2CUDA_COMPILER_PROCESSES", "2")
    found = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: build(options=f"-DN={n}")})) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n].options for n in range(5)] == [f"-DN={n}" for n in range(5)]
    assert 1 <= len(pool.idle) <= pool.started <= 2
    build()
    pool.unload()
    assert pool.idle == []
    build()


@pytest.mark.parametrize("code, how", [("import os; os.abort()", "by signal SIGABRT"), ("1 / 0", "with status 1"),
                                       ("import os; os.kill(os.getpid(), 11)", "by signal SIGSEGV")])
def test_a_crash_of_the_compiler_is_a_failed_build(monkeypatch, code, how):
    crash = f"from cl2cuda.runtime.cuda import nvrtc\ndef build(*a, **k):\n    {code}\nnvrtc.build = build\n"
    start = compiler_pool.START.replace("; ", "\n").replace("compiler_process.main", crash + "compiler_process.main")
    monkeypatch.setattr(compiler_pool, "START", start)
    with pytest.raises(BuildFailure, match=how) as failure:
        build()
    assert "The application goes on" in failure.value.log
    monkeypatch.undo()
    monkeypatch.setenv("CL2CUDA_NO_CACHE", "1")
    assert build().kernels.keys() == {"k"}


def test_a_process_that_went_to_rest_is_replaced(pool, monkeypatch):
    brief = compiler_pool.START.replace("compiler_process.main", "compiler_process.PATIENCE = 0.1; compiler_process.main")
    monkeypatch.setattr(compiler_pool, "START", brief)
    build()
    deadline = time.monotonic() + 20
    while pool.idle[0].code is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert build().kernels.keys() == {"k"}


@pytest.mark.parametrize("executable", [sys.executable, "/no/python"])
def test_where_no_process_can_be_started_builds_stay_in_this_one(pool, monkeypatch, executable):
    monkeypatch.setattr(compiler_pool, "START", "pass")
    monkeypatch.setattr(sys, "executable", executable)
    assert build().kernels.keys() == {"k"}
    assert pool.broken and pool.started == 0


def test_an_application_that_embeds_python_is_not_started_again(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/opt/simulation/bin/simulate")
    assert compiler_pool.limit() == 0
    assert build().kernels.keys() == {"k"}


def test_a_forked_process_has_processes_of_its_own(monkeypatch):
    pool = OWN
    monkeypatch.setattr(compiler_pool, "POOL", pool)
    build()
    started = pool.started  # the process's own pool: other tests may have used it before
    child = os.fork()
    if not child:
        try:
            works = pool.started == 0 and build(apart=False).kernels.keys() == {"k"} and build().kernels.keys() == {"k"}
        except BaseException:
            traceback.print_exc()  # or this process would go on with the tests
            works = False
        os._exit(0 if works else 1)
    assert os.waitpid(child, 0)[1] == 0
    build()
    assert pool.started == started
    pool.unload()


def test_what_the_driver_says_comes_back(monkeypatch):
    monkeypatch.setattr(DEVICE.driver_device, "compiler_spec", compiler_spec(nvrtc.nvrtc().version[0], (1, 0)))
    with pytest.raises(DriverMissing, match=r"compute capability 1\.0"):  # no NVRTC compiles for that
        build()


@pytest.mark.parametrize("what", ["a thread", "a process"])
def test_without_what_a_process_takes_builds_are_made_here(pool, monkeypatch, what):
    """And nobody waits for one that never comes."""
    def refused(*given):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(*((threading.Thread, "start") if what == "a thread" else (compiler_pool, "CompilerProcess")), refused)
    found = []

    def builds_here():
        found.append(pool.run(lambda: "made here", dict, True))

    if what == "a thread":
        builds_here()
    else:
        assert ends(builds_here)
    assert found == ["made here"] and pool.broken and pool.started == pool.starting == 0


@pytest.mark.parametrize("apart", [False, True])
def test_a_build_that_is_interrupted_as_it_begins_holds_up_no_other(pool, monkeypatch, apart):
    """Neither those that are made here, nor those by the process that it was to have."""
    genuine, found = pool._take, []
    if apart:
        build()
    before = pool.started, len(pool.idle)

    def interrupted(*given):
        genuine(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as meanwhile, pytest.raises(KeyboardInterrupt):
        meanwhile.setattr(pool, "_take", interrupted)
        pool.run(lambda: "interrupted", dict, apart)
    assert (pool.started, len(pool.idle)) == before
    assert ends(lambda: found.append(build() if apart else pool.run(lambda: "made here", dict, False))) and found
