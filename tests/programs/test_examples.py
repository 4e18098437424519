"""Every example runs unmodified through `cl2cuda run`, as a visitor would start it, and agrees with NumPy."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.gl_points import needs_right_draws
from support.processes import cuda_devices, environment

from cl2cuda.runtime.opengl import library as opengl

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"

# The line that each example prints once it has compared its result with NumPy's, and the file that it writes.
EXPECTED = {
    "array_arithmetic": ("12 computations on 100,000 elements agree with NumPy", None),
    "blur_sobel": ("a photograph of 512 x 512 pixels, blurred, and its edges equal NumPy's", "blur_sobel.png"),
    "half_matmul": ("in half equals NumPy's product", None),
    "heat": ("768 x 768 cells, as NumPy computes them", None),
    "histogram": ("the counts of 5,000,000 bytes equal NumPy's", None),
    "interop": ("as NumPy says", None),
    "mandelbrot": ("as NumPy sees them", "mandelbrot.png"),
    "mariani_silver": ("as NumPy sees them", "mariani_silver.png"),
    "matmul": ("equals NumPy's product", None),
    "nbody": ("of where NumPy sees them", None),
    "overlap": ("two kernels and a copy gave what they have to", None),
    "particles": ("of where NumPy sees them", "particles.png"),
    "reduction": ("agree with NumPy's", None),
    "rotate": ("turned by 30 degrees, is where NumPy turns it", "rotate.png"),
    "scan": ("500,003 prefix sums and the 44,636 picked elements equal NumPy's", None),
    "vector_add": ("1,000,000 sums", None),
}
NEEDS = {"array_arithmetic": "mako", "reduction": "mako", "scan": "mako", "blur_sobel": "skimage", "particles": "OpenGL"}


@pytest.fixture(scope="session", params=["host", "cuda"])
def device(request):
    if request.param == "cuda" and not cuda_devices():
        pytest.skip("no CUDA device")
    return request.param


def run(example, device, folder, *, cache):
    variables = environment(CL2CUDA_DEVICE=device, CL2CUDA_CACHE_DIR=str(cache), XDG_CACHE_HOME=str(cache))
    return subprocess.run(
        [sys.executable, "-m", "cl2cuda", "run", str(EXAMPLES / f"{example}.py")],
        cwd=folder, env=variables, capture_output=True, text=True, encoding="utf-8", timeout=300)


@pytest.mark.parametrize("example", sorted(EXPECTED))
def test_example(example, device, tmp_path):
    if example in NEEDS:
        pytest.importorskip(NEEDS[example])
    if example == "particles":
        if opengl.egl() is None:
            pytest.skip("EGL is not installed")
        needs_right_draws()
    line, picture = EXPECTED[example]

    result = run(example, device, tmp_path, cache=tmp_path / "cache")

    if example == "particles" and "no OpenGL shares" in result.stderr:
        pytest.skip(result.stderr.strip())

    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith(f"{example}: ") and line in result.stdout
    assert result.stderr == ""
    if picture:
        io = pytest.importorskip("skimage.io")
        rows, columns, _ = io.imread(tmp_path / picture).shape
        assert rows >= 512 and columns > rows


@pytest.mark.parametrize("count", [2, 3, 4])
def test_heat_flows_from_device_to_device(device, count, tmp_path):
    """On as many host devices as wanted; with GPUs, on all there are."""
    variables = environment(CL2CUDA_DEVICE=device, CL2CUDA_HOST_DEVICES=str(count), CL2CUDA_CACHE_DIR=str(tmp_path))
    command = [sys.executable, "-m", "cl2cuda", "run", str(EXAMPLES / "heat.py"), "96", "25"]
    result = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, encoding="utf-8", timeout=300)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    rows = result.stdout.splitlines()
    assert rows[0] == "heat: 96 x 96 cells, as NumPy computes them"
    assert device == "cuda" or rows[-1].startswith(f"  on {count} devices: 25 steps in ")


def test_every_example_is_run():
    programs = {path.stem for path in EXAMPLES.glob("*.py") if "import pyopencl" in path.read_text()}
    assert programs == set(EXPECTED)
    assert {path.stem for path in EXAMPLES.glob("*.cl")} <= programs


def test_examples_know_nothing_of_cl2cuda():
    """But for the one that shares memory with other libraries, which OpenCL has no words for."""
    for path in EXAMPLES.iterdir():
        if path.suffix in (".py", ".cl") and path.stem != "interop":
            assert "cl2cuda" not in path.read_text()
