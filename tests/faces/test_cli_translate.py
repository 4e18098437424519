"""`cl2cuda translate` and `cl2cuda check` as a person uses them: what they write, what they say, how they exit."""

import argparse
import io
import shutil
import subprocess
import sys

import pytest
from support.spirv_assembler import assemble
from support.spirv_cases import whole

from cl2cuda.cli import check, inputs, main, translate
from cl2cuda.cli.progress import Progress
from cl2cuda.translator.options import BuildOptions

SCALE = """
__kernel void scale(__global float *x, float factor)
{
    x[get_global_id(0)] *= factor;
}
"""
HELPER = "float twice(float x) { return x + x; }\n"
USES_HELPER = "__kernel void run(__global float *x) { x[0] = twice(x[0]); }\n"
INVALID = "__kernel void broken(__global float *x)\n{\n    x[0] = undeclared;\n}\n"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a command in a folder of its own and returns its exit status."""
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser(prog="cl2cuda")
    subparsers = parser.add_subparsers()
    for command in (translate, check):
        command.add_parsers(subparsers)

    def run(*words):
        arguments = parser.parse_args(list(words))
        return arguments.func(arguments)

    return run


@pytest.fixture
def files(tmp_path):
    for name, text in {"scale": SCALE, "helper": HELPER, "uses_helper": USES_HELPER, "invalid": INVALID}.items():
        (tmp_path / f"{name}.cl").write_text(text)
    return tmp_path


class TestModules:
    """Modules of SPIR-V in the place of OpenCL C."""

    def test_a_module_is_told_by_its_first_word(self, run, files, capsys):
        (files / "module.spv").write_bytes(assemble(whole("OpStore %out %u5\nOpReturn\nOpFunctionEnd\n")))
        assert run("translate", "module.spv") == 0
        out = capsys.readouterr().out
        assert "__global__ void k(unsigned int *out, unsigned int *in)" in out and "*out = 5u;" in out
        assert run("translate", "-o", "cuda/", "module.spv", "scale.cl") == 0
        assert (files / "cuda" / "module.cu").exists()

    def test_a_damaged_module_is_told_where(self, run, files, capsys):
        (files / "module.spv").write_bytes(assemble(whole("OpStore %out %f1\nOpReturn\nOpFunctionEnd\n")))
        assert run("check", "module.spv", "scale.cl") == 1
        err = capsys.readouterr().err
        assert "module.spv: OpStore at word" in err and "1 of 2 programs invalid" in err

    def test_modules_are_no_text_to_put_together(self, run, files, capsys):
        (files / "module.spv").write_bytes(assemble(whole("OpReturn\nOpFunctionEnd\n")))
        assert run("translate", "--concat", "module.spv", "scale.cl") == 2
        assert "is none" in capsys.readouterr().err


def test_a_comment_in_latin_1_is_no_mistake(run, files, capsys):
    (files / "latin.cl").write_bytes(b"// \xa9 caf\xe9\n" + SCALE.encode())
    assert run("translate", "latin.cl") == 0
    assert "scale(" in capsys.readouterr().out


@pytest.mark.parametrize(("pragma", "option", "words"), [
    ("", "-w", "--prec-div=false --prec-sqrt=false --fmad=true"),
    ("#pragma OPENCL FP_CONTRACT OFF", "-w", "--fmad=false"),
    ("", "-cl-fp32-correctly-rounded-divide-sqrt", "--prec-div=true --prec-sqrt=true"),
    ("", "-cl-fast-relaxed-math", "--use_fast_math"),
    ("", "-cl-denorms-are-zero", "--ftz=true"),
])  # fmt: skip
def test_a_standalone_file_says_how_its_arithmetic_is_compiled(run, files, capsys, pragma, option, words):
    (files / "sum.cl").write_text(f"{pragma}\n{SCALE}")
    assert run("translate", "--standalone", option, "sum.cl") == 0
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("// Compile with: nvcc --std=c++20 ") and words in line and line.endswith(" -c sum.cu")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-8-sig"])
def test_byte_order_marks_tell_the_encoding(run, files, capsys, encoding):
    (files / "marked.cl").write_bytes(("\ufeff" * (encoding == "utf-16-be") + SCALE).encode(encoding))
    assert run("translate", "marked.cl") == 0
    out, err = capsys.readouterr()
    assert "scale(" in out and err == ""


def test_a_long_line_is_shown_around_its_mistake(run, files, capsys):
    steps = " ".join(f"x[{n}] = {n};" for n in range(5000))
    (files / "long.cl").write_text(f"kernel void f(global float *x) {{ {steps} x[0] = undeclared; {steps} }}\n")
    assert run("translate", "long.cl") == 1
    _, line, caret = capsys.readouterr().err.splitlines()
    assert line.startswith("    ...") and line.endswith("...") and len(line) < 220
    assert line[caret.index("^") :].startswith("undeclared;")


def test_what_no_kernel_reaches_is_printed_on_demand(run, files, capsys):
    (files / "half.cl").write_text(HELPER + SCALE)
    assert run("translate", "half.cl") == 0
    assert "twice" not in capsys.readouterr().out
    assert run("translate", "--all", "half.cl") == 0
    assert "twice" in capsys.readouterr().out


class TestTranslate:
    def test_one_file_goes_to_the_standard_output(self, run, files, capsys):
        assert run("translate", "scale.cl") == 0
        out, err = capsys.readouterr()
        assert "__global__ void scale(" in out
        assert "--standalone" in out.split("__global__")[0], "the head says how to get a file that compiles"
        assert err == ""
        assert sorted(files.glob("*.cu")) == []

    def test_standard_input(self, run, files, capsys, monkeypatch):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SCALE.encode())))
        assert run("translate", "-") == 0
        assert "__global__ void scale(" in capsys.readouterr().out

    def test_output_file(self, run, files, capsys):
        assert run("translate", "scale.cl", "-o", "out/scaled.cu") == 0
        assert "__global__ void scale(" in (files / "out" / "scaled.cu").read_text()
        assert capsys.readouterr().out == ""

    def test_several_files_go_to_a_file_each(self, run, files):
        assert run("translate", "scale.cl", "helper.cl") == 0
        assert "scale" in (files / "scale.cu").read_text()
        assert "twice" in (files / "helper.cu").read_text()

    @pytest.mark.parametrize("folder", ["out", "out/"])
    def test_several_files_into_a_folder(self, run, files, folder):
        assert run("translate", "scale.cl", "helper.cl", "-o", folder) == 0
        assert {path.name for path in (files / "out").iterdir()} == {"scale.cu", "helper.cu"}

    def test_one_file_into_a_folder(self, run, files):
        assert run("translate", "scale.cl", "-o", "out/") == 0
        assert (files / "out" / "scale.cu").exists()

    def test_concat_makes_one_program(self, run, files, capsys):
        assert run("translate", "--concat", "helper.cl", "uses_helper.cl") == 0
        out = capsys.readouterr().out
        assert out.index("twice") < out.index("__global__ void run(")

    def test_concat_keeps_the_place_of_an_error(self, run, files, capsys):
        assert run("translate", "--concat", "helper.cl", "invalid.cl") == 1
        assert "invalid.cl:3:" in capsys.readouterr().err

    def test_concat_shows_the_line_of_an_error(self, run, files, capsys):
        (files / "again.cl").write_text(HELPER)
        assert run("translate", "--concat", "helper.cl", "again.cl", "scale.cl") == 1
        assert f"helper.cl:1:7: note: previous definition is here\n    {HELPER}" in capsys.readouterr().err

    def test_a_line_directive_is_not_the_line_that_it_names(self, run, files, capsys):
        (files / "named.cl").write_text('#line 1 "named.cl"\n' + INVALID.replace("\n", " "))
        assert run("translate", "named.cl") == 1
        assert "error: use of undeclared identifier 'undeclared'\n    __kernel void broken" in capsys.readouterr().err

    def test_files_stand_on_both_sides_of_options(self, files, monkeypatch, capsys):
        monkeypatch.chdir(files)
        assert main(["translate", "helper.cl", "--concat", "-DN=1", "uses_helper.cl", "-w"]) == 0
        assert "__global__ void run(" in capsys.readouterr().out
        with pytest.raises(SystemExit) as exit:
            main(["translate", "scale.cl", "--unknown", "helper.cl"])
        assert exit.value.code == 2
        assert "unrecognized arguments: --unknown" in capsys.readouterr().err

    def test_an_invalid_program_does_not_stop_the_others(self, run, files, capsys):
        assert run("translate", "invalid.cl", "scale.cl") == 1
        assert (files / "scale.cu").exists()
        assert not (files / "invalid.cu").exists()
        assert "invalid.cl:3:12: error:" in capsys.readouterr().err

    def test_build_options_reach_the_program(self, run, files, capsys):
        (files / "sub").mkdir()
        (files / "sub" / "extra.h").write_text("#define EXTRA 3.0f\n")
        (files / "options.cl").write_text(
            '#include "extra.h"\n__kernel void f(__global float *x) { x[0] = EXTRA + NUMBER + OTHER; }\n')
        assert run("translate", "-DNUMBER=5.0f", "-D", "OTHER=6.0f", "-I", "sub", "-cl-std=CL1.2", "-w", "options.cl") == 0
        out = capsys.readouterr().out
        assert "3.0f" in out and "5.0f" in out and "6.0f" in out
        assert run("translate", "-DNUMBER=5.0f", "-U", "NUMBER", "-DNUMBER=7.0f", "-DOTHER", "-UOTHER", "-D", "OTHER=8.0f", "-I", "sub",
                   "options.cl") == 0
        out = capsys.readouterr().out
        assert "7.0f" in out and "8.0f" in out

    def test_standalone_names_the_command_that_compiles_it(self, run, files, capsys):
        assert run("translate", "--standalone", "scale.cl") == 0
        assert "// Compile with: nvcc --std=c++20 --prec-div=false --prec-sqrt=false --fmad=true -c scale.cu\n" in capsys.readouterr().out
        assert run("translate", "--standalone", "scale.cl", "-o", "out/other.cu") == 0
        assert " -c other.cu\n" in (files / "out" / "other.cu").read_text()

    def test_standalone_with_a_work_dimension_says_where_it_comes_from(self, run, files, capsys):
        (files / "dimension.cl").write_text("__kernel void f(__global uint *x) { x[0] = get_work_dim() + get_global_id(0); }\n")
        assert run("translate", "--standalone", "dimension.cl") == 0
        out = capsys.readouterr().out
        assert "writes its sizes to `ocl::launch`" in out.split("namespace")[0] and "return launch.work_dim" in out

    @pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc is not installed")
    def test_nvcc_alone_compiles_a_standalone_file(self, run, files):
        (files / "vectors.cl").write_text(
            "__kernel void f(__global float4 *x) { float4 v = x[get_global_id(0)]; x[0].xyz = sin(v.zyx) * 2.0f; "
            'printf("%v4hlf\\n", v); }\n')
        assert run("translate", "--standalone", "vectors.cl", "-o", "vectors.cu") == 0
        result = subprocess.run(["nvcc", "-std=c++20", "-c", "vectors.cu"], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr


class TestCheck:
    def test_valid(self, run, files, capsys):
        assert run("check", "scale.cl", "helper.cl") == 0
        assert capsys.readouterr() == ("", "2 programs valid\n")

    def test_invalid(self, run, files, capsys):
        assert run("check", "scale.cl", "invalid.cl") == 1
        out, err = capsys.readouterr()
        assert out == ""
        lines = err.splitlines()
        assert lines[0].startswith("invalid.cl:3:12: error: ") and "undeclared" in lines[0]
        assert lines[1].endswith("x[0] = undeclared;")
        assert lines[2].index("^") == lines[1].index("undeclared")
        assert lines[-1] == "1 of 2 programs invalid, 1 error"
        assert not list(files.glob("*.cu"))


class TestMistakes:
    """Exit status 2, one line for each problem, nothing written."""

    def expect(self, status, capsys, *words):
        out, err = capsys.readouterr()
        assert status == 2
        assert out == ""
        assert err.startswith("cl2cuda: error: ") and "Traceback" not in err
        for word in words:
            assert word in err

    def test_all_missing_files_are_named_at_once(self, run, files, capsys):
        self.expect(run("translate", "scale.cl", "no.cl", "nor_this.cl"), capsys, "'no.cl'", "'nor_this.cl'")
        assert not list(files.glob("*.cu"))

    def test_folder_as_input(self, run, files, capsys):
        self.expect(run("check", str(files)), capsys, "is a folder", "*.cl")

    def test_unknown_build_option(self, run, files, capsys):
        self.expect(run("check", "-cl-no-such-thing", "scale.cl"), capsys, "-cl-no-such-thing")

    def test_one_output_file_for_several_translations(self, run, files, capsys):
        (files / "out.cu").write_text("")
        self.expect(run("translate", "scale.cl", "helper.cl", "-o", "out.cu"), capsys, "--concat")

    def test_two_inputs_of_one_name(self, run, files, capsys):
        (files / "other").mkdir()
        (files / "other" / "scale.cl").write_text(SCALE)
        self.expect(run("translate", "scale.cl", "other/scale.cl"), capsys, "scale.cu", "other")

    def test_output_over_the_input(self, run, files, capsys):
        self.expect(run("translate", "scale.cl", "-o", "./scale.cl"), capsys, "overwrite")
        assert (files / "scale.cl").read_text() == SCALE

    def test_output_that_cannot_be_written(self, run, files, capsys):
        (files / "file").write_text("")
        self.expect(run("translate", "scale.cl", "-o", "file/out.cu"), capsys, "cannot write")


def test_options_keep_their_order_and_words(run, files, monkeypatch):
    seen = []
    monkeypatch.setattr(inputs, "parse_options", lambda text: seen.append(text) or BuildOptions())
    run("check", "-cl-std=CL2.0", "-D", "A=1", "scale.cl", "-Werror", "-DB", "-I", "some folder", "-w", "-cl-mad-enable")
    assert seen == ['-cl-std=CL2.0 -DA=1 -Werror -DB "-Isome folder" -w -cl-mad-enable']


def test_progress_shows_only_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert list(Progress(["a.cl", "b.cl", "c.cl", "d.cl"])) == ["a.cl", "b.cl", "c.cl", "d.cl"]
        assert ("2/4 c.cl" in stream.getvalue()) is shown
