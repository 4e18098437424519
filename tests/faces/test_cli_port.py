"""`cl2cuda port`: what it finds in a project, what it writes, what it leaves to a person."""

import os
import re
from html.parser import HTMLParser

import pytest

from cl2cuda.cli import main
from cl2cuda.porting import host_calls, port, settings, sources
from cl2cuda.runtime.spec.entry_points import ENTRY_POINTS

SCALE = "kernel void scale(global float *a, float f) { a[get_global_id(0)] *= f; }\n"
CXX = """#include <CL/cl.h>
const char *source = R"CLC(
__kernel void add(__global int *a) { a[get_global_id(0)] += 1; }
)CLC";
const char *other = R"(not a program)";
void run() { clEnqueueNDRangeKernel(q, k, 1, 0, &n, 0, 0, 0, 0); clFinish(q); clFinish(q); clCreatePipe(c, 0, 4, 8, 0, 0); }
"""
PYTHON = '''"""kernel void documentation() is no program."""
import pyopencl as cl
SOURCE = """
kernel void twice(global T *a) { a[get_global_id(0)] *= 2; }
"""
program = cl.Program(context, SOURCE).build(options=["-DT=float"])
other = cl.Program(context, "kernel void halve(global float *a) { a[0] /= DIVISOR; }").build("-D DIVISOR=2")
made = cl.Program(context, f"kernel void made(global float *a) {{ a[0] = {value}; }}").build()
queue.finish()
'''


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "kernels").mkdir(parents=True)
    (folder / "kernels" / "scale.cl").write_text(SCALE)
    return folder


def run(project, *words):
    return main(["port", str(project), "-o", str(project.parent / "out"), *words])


def report(project):
    return (project.parent / "out" / "report.html").read_text()


class TestSources:
    def test_raw_strings_of_cxx(self):
        [found] = sources.find("main.cpp", CXX)
        assert found.text.strip().startswith("__kernel void add") and found.line == 2

    def test_strings_of_python_with_their_options(self):
        twice, half, made = sorted(sources.find("run.py", PYTHON), key=lambda each: each.line)
        assert "twice" in twice.text and twice.options == "-DT=float" and not twice.pieces
        assert "halve" in half.text and half.options == "-D DIVISOR=2"
        assert "made" in made.text and "f-string" in made.pieces

    @pytest.mark.parametrize("expression, pieces", [
        ('"kernel void f(global float *a) { a[0] = %d; }" % n', "%"), ('"kernel void f() { %s }".replace("%s", body)', "replace"),
        ('"kernel void f() {" + body + "}"', "+"), ('"""kernel void f(global ${T} *a) {}"""', "template"),
        ('"kernel void f()" "{}"', "")])
    def test_pieces(self, expression, pieces):
        [found] = sources.find("run.py", f"source = {expression}\n")
        assert pieces in found.pieces and bool(pieces) == bool(found.pieces)

    def test_python_that_is_none_has_no_programs(self):
        assert sources.find("old.py", "print 'kernel void f() {}'\n") == []

    def test_a_kernel_in_a_comment_is_none(self):
        [found] = sources.find("helper.cl", "// kernel void f()\nfloat g(float x) { return x; }\n")
        assert not found.has_kernels


class TestPort:
    def test_a_whole_project(self, project, capsys):
        (project / "main.cpp").write_text(CXX)
        (project / "run.py").write_text(PYTHON)
        assert run(project) == 1, "a program is put together at run time"
        out, err = capsys.readouterr()
        written = {str(path.relative_to(project.parent / "out")) for path in (project.parent / "out").rglob("*") if path.is_file()}
        assert {"kernels/scale.cu", "kernels/scale.cuh", "main.cu", "main.cuh", "run.cu", "run_2.cu", "report.html"} <= written
        assert "4 of 5 programs ported, 0 partly, 1 not" in out and "ported      kernels/scale.cl" in out and err == ""
        page = report(project)
        assert "f-string" in page and 'href="kernels/scale.cuh"' in page

    def test_all_ported_is_0(self, project, capsys):
        assert run(project) == 0
        assert "1 of 1 program ported" in capsys.readouterr().out

    @pytest.mark.parametrize("launchers, files", [("cupy", {"scale.cu", "scale.py"}), ("numba", {"scale_numba.cu", "scale_numba.py"})])
    def test_launchers(self, project, launchers, files):
        assert run(project, "--launchers", launchers) == 0
        assert {path.name for path in (project.parent / "out" / "kernels").iterdir()} == files

    def test_options_and_files_before_are_given_in_a_file(self, project, capsys):
        (project / "types.cl").write_text("typedef float real;\n")
        (project / "kernels" / "real.cl").write_text('#include "sizes.h"\nkernel void f(global real *a) { a[0] = SIZE * FACTOR; }\n')
        (project / "include").mkdir()
        (project / "include" / "sizes.h").write_text("#define SIZE 3\n")
        assert run(project) == 1
        out = capsys.readouterr().out
        assert "not ported  kernels/real.cl" in out and "sizes.h" in out
        (project.parent / "options.ini").write_text("[kernels/real.cl]\noptions = -D FACTOR=2 -I include\nbefore = types.cl\n")
        assert main(["port", str(project), "-o", str(project.parent / "second"), "--options", str(project.parent / "options.ini")]) == 0

    def test_a_file_before_that_is_not_there(self, project, capsys):
        (project / "use.cl").write_text("kernel void f(global float *a) { a[0] = 1; }\n")
        (project.parent / "options.ini").write_text("[use.cl]\nbefore = types.cl\n")
        assert main(["port", str(project), "-o", str(project.parent / "second"), "--options", str(project.parent / "options.ini")]) == 1
        said = "use.cl  cannot read 'types.cl', which 'before' of the options names: No such file or directory"
        assert re.search("not ported +" + re.escape(said).replace(r"\ \ ", " +"), capsys.readouterr().out)

    def test_what_a_program_lacks_is_looked_for_in_the_others(self, project):
        (project / "sums.cl").write_text("static float2 exact(float2 sum, float value) { return sum; }\ntypedef struct { int a; } point;\n"
                                         "#define HALF 0.5f\n/* other(int x) { } */ float other(int x);\n")
        (project / "use.cl").write_text("kernel void f(global float2 *a, global point *p) { a[0] = exact(a[1], HALF) + other(1); }\n")
        assert run(project) == 1
        page = re.sub(r"&#x27;|&#39;", "'", report(project))
        [said] = re.findall(r"<li>([^<]*sums\.cl[^<]*)</li>", page)
        assert "'point' is in sums.cl" in said and "`before = sums.cl`" in said and "other" not in said
        (project.parent / "options.ini").write_text("[use.cl]\nbefore = sums.cl\n")
        main(["port", str(project), "-o", str(project.parent / "second"), "--options", str(project.parent / "options.ini")])
        assert "sums.cl</code>: if" not in (project.parent / "second" / "report.html").read_text()

    def test_an_error_names_its_place_in_the_project(self, project):
        (project / "run.py").write_text('import x\n\nSOURCE = """\nkernel void f(global float *a) {\n    a[0] = unknown;\n}\n"""\n')
        assert run(project) == 1
        assert "run.py:5:12: error:" in report(project)

    def test_what_needs_a_person(self, project):
        (project / "queue.cl").write_text("#pragma OPENCL EXTENSION cl_amd_media_ops : enable\n"
                                          "kernel void f(global int *a) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ a[0] = 1; }); }\n")
        assert run(project) == 1
        page = report(project)
        assert "enqueues kernels from kernels" in page and "cl_amd_media_ops" in page

    def test_host_calls(self, project):
        (project / "main.cpp").write_text(CXX)
        run(project)
        page = report(project)
        assert re.search(r"<code>clFinish</code></td><td>2</td><td><a href=\"https://docs.nvidia.com/[^\"]*STREAM.html\"><code>cudaStreamSynchronize", page)
        assert re.search(r"<code>clCreatePipe</code></td><td>1</td><td>.*?no one counterpart", page)

    def test_the_page_stands_alone_and_escapes(self, project):
        (project / "kernels" / "a&b.cl").write_text("kernel void f(global int *a) { a[0] = <b>; }\n")
        run(project)
        page = report(project)

        class Reader(HTMLParser):
            sources, tags = [], []

            def handle_starttag(self, tag, attributes):
                self.tags.append(tag)
                self.sources += [value for name, value in attributes if name == "src"]

        reader = Reader()
        reader.feed(page)
        assert reader.sources == [] and not {"script", "link", "b>"} & set(reader.tags)
        assert "a&amp;b.cl" in page and "&lt;b&gt;" in page


class TestMistakes:
    """Exit status 2, a sentence, and nothing written."""

    def expect(self, project, output, capsys, *said, words=()):
        before = sorted(project.parent.rglob("*"))
        assert main(["port", str(project), "-o", str(output), *words]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("cl2cuda: error: ") and all(each in err for each in said), err
        assert sorted(project.parent.rglob("*")) == before

    def test_no_kernels(self, project, capsys):
        (project / "kernels" / "scale.cl").write_text("float f(float x) { return x; }\n")
        self.expect(project, project.parent / "out", capsys, "no kernels")

    def test_no_folder(self, project, capsys):
        self.expect(project / "nowhere", project.parent / "out", capsys, "there is no folder")
        self.expect(project / "kernels" / "scale.cl", project.parent / "out", capsys, "is a file")

    def test_output_inside_the_project(self, project, capsys):
        self.expect(project, project / "out", capsys, "lies inside the project")
        self.expect(project, project, capsys, "lies inside the project")
        self.expect(project, project.parent, capsys, "lies inside the output")

    def test_output_that_is_there_already(self, project, capsys):
        (project.parent / "out").mkdir()
        (project.parent / "out" / "precious.txt").write_text("mine")
        self.expect(project, project.parent / "out", capsys, "not an empty folder")

    def test_settings(self, project, capsys):
        (project.parent / "options.ini").write_text("options = -D A\n")
        self.expect(project, project.parent / "out", capsys, words=("--options", str(project.parent / "options.ini")))
        (project.parent / "options.ini").write_text("[*.cl]\noption = -D A\n")
        self.expect(project, project.parent / "out", capsys, "'option'", words=("--options", str(project.parent / "options.ini")))

    def test_output_that_cannot_be_written(self, project, capsys):
        (project.parent / "file").write_text("")
        self.expect(project, project.parent / "file" / "out", capsys, "cannot write")

    def test_a_file_that_cannot_be_read_is_told_and_the_rest_ported(self, project, capsys, monkeypatch):
        (project / "secret.cl").write_text(SCALE)
        read = sources.read

        def refuse(path):
            if path.name == "secret.cl":
                raise PermissionError(13, os.strerror(13))
            return read(path)

        monkeypatch.setattr(sources, "read", refuse)
        assert run(project) == 1
        out, err = capsys.readouterr()
        assert "cannot read 'secret.cl': Permission denied" in err and "1 of 1 program ported" in out
        assert "secret.cl" in report(project)

    def test_nothing_stays_half_written(self, project, monkeypatch):
        monkeypatch.setattr(port.Path, "rename", lambda *_: (_ for _ in ()).throw(OSError(28, os.strerror(28))))
        assert run(project) == 2
        assert [path.name for path in project.parent.iterdir()] == ["project"]


def test_every_host_call_of_the_table_is_openclss():
    missing = {row.opencl for row in host_calls.TABLE} - ENTRY_POINTS.keys()
    older = {"clCreateCommandQueue", "clCreateSampler", "clCreateContextFromType"}
    assert {name for name in missing if not name.startswith("clRelease")} <= older
    assert all(row.cuda or row.remark for row in host_calls.TABLE)


def test_the_last_section_that_says_something_counts():
    found = settings.parse("[*.cl]\noptions = -D A\nbefore = x.cl\n[a.cl]\noptions = -D B\n", "s")
    assert (found.get("a.cl", "options"), found.get("a.cl", "before"), found.get("b.cl", "options")) == ("-D B", "x.cl", "-D A")
