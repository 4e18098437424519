"""A sample of the OpenCL programs that PyPI packages ship (`python tests/tools/corpus` builds them all) for one architecture each."""

from __future__ import annotations

import pytest
from tools.corpus.build import Missing, build, text
from tools.corpus.programs import PROGRAMS, Program

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.driver.interface import DriverMissing

try:
    nvrtc.nvrtc()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)

SAMPLE = [
    "philox", "airy", "kahan", "codec/byte_offset", "sift/matching_cpu", "image/cast", "medfilt", "statistics", "comb_sort", "ocl_histo",
    "ocl_lut_pixelsplit2", "ocl_bispev", "rank_downscale", "fftshift", "integral_image", "nlm2",
]  # fmt: skip


def first(name: str) -> Program:
    return next(p for p in PROGRAMS if any(name in file for file in p.files))


@pytest.mark.parametrize(("name", "arch"), [(name, ("sm_75", "sm_90", "sm_120")[i % 3]) for i, name in enumerate(SAMPLE)])
def test_programs_of_packages_compile(name, arch):
    program = first(name)
    try:
        result = build(program, (arch,))
    except Missing as package:
        pytest.skip(f"{package} is not installed")
    if result.images and result.error:
        assert "is not supported yet by cl2cuda" in result.error
    else:
        assert bool(result.error) == bool(program.invalid), result.error



def test_text_is_put_together_as_silx_does():
    try:
        source = text(first("statistics"))
    except Missing as package:
        pytest.skip(f"{package} is not installed")
    assert "\n#include " not in source and "map_statistics" in source
