"""Build options: OpenCL API 5.8.6."""

import pytest

from cl2cuda.translator.options import BuildOptions, OptionError, parse_options


def test_no_options_are_the_defaults():
    assert parse_options("") == parse_options("  \n ") == parse_options([]) == BuildOptions()


@pytest.mark.parametrize(
    ("text", "defines"),
    [
        ("-D A", (("A", "1"),)),
        ("-DA", (("A", "1"),)),
        ("-D A=2 -DB=3", (("A", "2"), ("B", "3"))),
        ("-D A=", (("A", ""),)),
        ("-D A==", (("A", "="),)),
        ('-D A="x + y"', (("A", "x + y"),)),
        ("-D 'A=x + y'", (("A", "x + y"),)),
        (r"-DNAME=\"text\"", (("NAME", '"text"'),)),
        (r'-D "NAME=\"a b\""', (("NAME", '"a b"'),)),
        ("-DSQUARE(x)=((x)*(x))", (("SQUARE(x)", "((x)*(x))"),)),
        ('-D "ADD(a, b)=a + b"', (("ADD(a, b)", "a + b"),)),
        ("-D A=1\n-D B", (("A", "1"), ("B", "1"))),
        ('-D "A=1\nB"', (("A", "1"),)),  # "truncated by embedded newline characters"
    ],
)
def test_defines(text, defines):
    assert parse_options(text).defines == defines


def test_words_are_taken_as_they_are():
    options = parse_options(["-D", "A=x y", "-I", "/a b/c", "-DB='q'"])
    assert options.defines == (("A", "x y"), ("B", "'q'"))
    assert options.include_dirs == ("/a b/c",)


@pytest.mark.parametrize("text", ['-I "/a b/c" -I/d', r"-I /a\ b/c -I /d", '-I"/a b/c" -I  /d'])
def test_include_folders(text):
    assert parse_options(text).include_dirs == ("/a b/c", "/d")


def test_backslashes_of_windows_paths_stay():
    assert parse_options(r"-I C:\headers\cl").include_dirs == (r"C:\headers\cl",)


@pytest.mark.parametrize(("text", "version"), [("-cl-std=CL1.1", 110), ("-cl-std=CL2.0", 200), ("-cl-std=cl3.0", 300), ("", 120)])
def test_language_version(text, version):
    assert parse_options(text).version == version


def test_math_options_set_what_they_imply():
    options = parse_options("-cl-fast-relaxed-math")
    assert options.fast_relaxed_math and options.finite_math_only and options.unsafe_math
    assert options.mad_enable and options.no_signed_zeros and options.denorms_are_zero
    assert not parse_options("-cl-unsafe-math-optimizations").finite_math_only


def test_flags():
    options = parse_options("-w -Werror -g -cl-kernel-arg-info -cl-opt-disable -cl-strict-aliasing -x clc")
    assert options.no_warnings and options.warnings_as_errors and options.debug
    assert options.kernel_arg_info and options.opt_disable


def test_levels_of_optimization():
    assert parse_options("-O0") == parse_options("-cl-opt-disable")
    for level in range(1, 6):
        assert parse_options(f"-I . -O{level} -DN=1") == parse_options("-I . -DN=1")


def test_options_of_nvidia():
    options = parse_options("-cl-nv-verbose -cl-nv-maxrregcount=32 -cl-nv-opt-level 2")
    assert (options.nv_verbose, options.nv_max_registers, options.nv_opt_level) == (True, 32, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-cl-fast-relaxed-mat", "unknown build option '-cl-fast-relaxed-mat'; did you mean '-cl-fast-relaxed-math'?"),
        ("-cl-stdd=CL1.2", "unknown build option '-cl-stdd=CL1.2'; did you mean '-cl-std'?"),
        ("kernel.cl", "unknown build option 'kernel.cl'"),
        ("-O6", "unknown build option '-O6'; did you mean '-O5'?"),
        ("-D", "option '-D' needs a value"),
        ("-D 3=4", "option '-D' needs a macro name, not '3=4'"),
        ("-cl-std=CL9.9", "'-cl-std=CL9.9' is not supported: use one of CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"),
        ("-cl-std=CLC++", "'-cl-std=CLC++' is not supported: use one of CL1.0, CL1.1, CL1.2, CL2.0, CL3.0"),
        ("-x spir", "'-x spir' is not supported: only OpenCL C ('-x clc') is"),
        ('-I "/a b', 'missing closing quote in build options: "/a b'),
        ("-cl-nv-maxrregcount=many", "option '-cl-nv-maxrregcount' needs a number, not 'many'"),
    ],
)
def test_errors(text, message):
    with pytest.raises(OptionError) as error:
        parse_options(text)
    assert str(error.value) == message
