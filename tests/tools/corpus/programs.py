"""The OpenCL programs that four PyPI packages ship, each built as the package's own Python code builds it.

Owns the table only: which files make one program, with which options, headers and template values. A file that no Python code
of its package names stands by itself, with the definitions that its text asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain


@dataclass(frozen=True)
class Program:
    """files        one after the other, as "package:path below the package's folder of kernels"
    options         build options; -I for pyopencl's headers is added
    template        values for mako, where the file is a template
    before, after   text around the files: what the Python code puts there, or a kernel that calls the functions of a file
    keeps_includes  False for silx's and pyFAI's reader, which drops every #include line
    invalid         why no compiler takes it, for files that no Python code uses any more
    """

    package: str
    files: tuple[str, ...]
    options: str = ""
    template: dict[str, object] = field(default_factory=dict)
    before: str = ""
    after: str = ""
    keeps_includes: bool = True
    invalid: str = ""

    @property
    def name(self) -> str:
        return " + ".join(name.split(":")[1] for name in self.files)


# Where each package keeps its kernels, below its own folder.
FOLDERS = {"pyopencl": "cl", "silx": "resources/opencl", "pyFAI": "resources/openCL", "gputools": ""}


def silx(files: str, options: str = "", package: str = "silx", **more: str) -> Program:
    """silx's concatenate_cl_kernel and compile_kernels (silx/opencl/utils.py, processing.py), which pyFAI uses too."""
    names = tuple((each if ":" in each else f"{package}:{each}") + ".cl" for each in files.split())
    return Program(package, names, options, keeps_includes=False, **more)  # type: ignore[arg-type]


def pyfai(files: str, options: str = "", **more: str) -> Program:
    return silx(files, options, "pyFAI", **more)


def gputools(file: str, options: str = "", **template: object) -> Program:
    folder, name = file.split("/")
    return Program("gputools", (f"gputools:{folder}/kernels/{name}.cl",), options, template)


def pyopencl(header: str, after: str) -> Program:
    """A header of functions, in a kernel like the one that pyopencl generates around it (clmath.py, clrandom.py)."""
    before = f"#define PYOPENCL_DEFINE_CDOUBLE\n#include <pyopencl-complex.h>\n#include <{header}.cl>\n"
    return Program("pyopencl", (f"pyopencl:{header}.cl",), before=before, after=after)


_ELEMENTWISE = """
kernel void each({arguments}, long n) {{
    int lid = get_local_id(0);
    int gsize = get_global_size(0);
    int work_group_start = get_local_size(0) * get_group_id(0);
    long i;
    for (i = work_group_start + lid; i < n; i += gsize) {{ {operation}; }}
}}
"""


def elementwise(arguments: str, operation: str) -> str:
    return _ELEMENTWISE.format(arguments=arguments, operation=operation)


PYOPENCL = [
    pyopencl("pyopencl-airy", elementwise("global double *z, global double *x",
             "double ai, a, b, c; airy(x[i], &ai, &a, &b, &c); z[i] = ai")),
    pyopencl("pyopencl-bessel-j", elementwise("global double *z, int ord_n, global double *x", "z[i] = bessel_jn(ord_n, x[i])")),
    pyopencl("pyopencl-bessel-y", elementwise("global double *z, int ord_n, global double *x", "z[i] = bessel_yn(ord_n, x[i])")),
    pyopencl("pyopencl-bessel-j-complex", elementwise("global cdouble_t *z, int ord_n, global cdouble_t *x",
             "cdouble_t jv_loc; cdouble_t jvp1_loc; bessel_j_complex(ord_n, x[i], &jv_loc, &jvp1_loc); z[i] = jv_loc")),
    pyopencl("pyopencl-hankel-complex", elementwise("global cdouble_t *z, global cdouble_t *x",
             "cdouble_t h0; cdouble_t h1; hankel_01_complex(x[i], &h0, &h1, 1); z[i] = h0")),
    pyopencl("pyopencl-eval-tbl", elementwise("global double *z, constant double *table, global double *x",
             "z[i] = cephes_polevl(x[i], table, 5)")),
    *(pyopencl(f"pyopencl-random123/{name}", elementwise("global uint *z", f"""
        {generator}_key_t k = {{1, 2}}; {generator}_ctr_t c = {{1, 2, 3, 4}}; c = {generator}(c, k); z[i] = c.v[0]"""))
      for name, generator in (("philox", "philox4x32"), ("threefry", "threefry4x32"))),
]  # fmt: skip

_STATISTICS = "\n".join(
    f"kernel void {name}(global float *data, global float8 *out) {{ out[0] = {name}_(map_statistics(data, 0), map_statistics(data, 1)); }}"
    .replace(f"{name}_(", f"reduce_{name}(")
    for name in ("statistics", "statistics_simple", "statistics_double")
)  # fmt: skip
_DOUBLE_WORD = "kernel void add(global float2 *a, global float2 *b) { a[0] = dw_plus_dw(a[0], b[0]); b[0] = dw_times_dw(a[0], b[0]); }"
_KAHAN = "kernel void add(global float2 *a, global float2 *b) { a[0] = compensated_sum(a[0], b[0]); }"

SILX = [
    silx("addition"),
    silx("kahan", after=_KAHAN),
    silx("doubleword", after=_DOUBLE_WORD),
    silx("codec/bitshuffle_lz4"),
    silx("codec/byte_offset"),
    *(silx("image/cast image/map image/max_min image/histogram", f"-DNB_COLOR={n}") for n in (1, 3)),
    silx("sift/sift sift/memset sift/matching_gpu", "-D WORKGROUP_SIZE=64"),
    silx("sift/sift sift/memset sift/matching_cpu", "-D WORKGROUP_SIZE=16"),
    *(silx("sift/sift sift/convolution sift/preprocess sift/algebra sift/image sift/gaussian sift/reductions sift/memset "
           f"sift/orientation_{orientation} sift/descriptor_{descriptor}", "-D WORKGROUP_SIZE=128")
      for orientation, descriptor in (("gpu", "gpu1"), ("gpu", "gpu2"), ("cpu", "cpu"))),
    silx("sift/transform"),
    silx("sift/sift sift/addition"),
    silx("sift/interpolation"),
    *(silx("sparse", f"-DIMAGE_WIDTH=512 -DDTYPE={type} -DIDX_DTYPE=int") for type in ("float", "uchar", "uint")),
    silx("preprocess bitonic medfilt", "-D NIMAGE=1024"),
    silx("array_utils"),
    silx("preprocess", "-D NIMAGE=1024"),
    silx("doubleword statistics", after=_STATISTICS),
    silx("backproj array_utils"),
    silx("backproj array_utils", "-DDONT_USE_TEXTURES"),
    silx("backproj_helper"),
    silx("proj array_utils"),
    silx("proj array_utils", "-DDONT_USE_TEXTURES"),
    *(silx("convolution", f"-DUSED_CONV_MODE={mode}") for mode in (0, 1, 2)),
    *(silx("convolution_textures", f"-DUSED_CONV_MODE=0 -DIMAGE_DIMS={dims} -DFILTER_DIMS={filters}")
      for dims, filters in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 3))),
    silx("linalg"),
]  # fmt: skip

_FP64 = "-D cl_khr_fp64=1"
_AZIMUTHAL = "silx:doubleword preprocess memset"

PYFAI = [
    pyfai("addition"),
    pyfai("kahan", after=_KAHAN),
    pyfai("preprocess", f"-D NIMAGE=1024 {_FP64}"),
    pyfai(f"{_AZIMUTHAL} ocl_azim_CSR collective/reduction collective/scan collective/comb_sort medfilt",
          f"{_FP64} -D NBINS=1000 -D NIMAGE=4194304"),
    pyfai(f"{_AZIMUTHAL} ocl_azim_LUT", f"{_FP64} -D NBINS=1000  -D NIMAGE=4194304 -D NLUT=5 -D ON_CPU=0"),
    pyfai("silx:doubleword preprocess ocl_histo", f"{_FP64} -D NBINS=1000  -D NIMAGE=4194304 -D WORKGROUP_SIZE=32"),
    pyfai("deactivate_atomic64 silx:doubleword preprocess ocl_histo", f"{_FP64} -D NBINS=1000  -D NIMAGE=4194304 -D WORKGROUP_SIZE=32"),
    pyfai(f"{_AZIMUTHAL} ocl_azim_CSR sparsify peakfinder", f"{_FP64} -D NBINS=1000 -D NIMAGE=4194304"),
    pyfai("simple_peak_picker", _FP64),
    pyfai("silx:doubleword bitonic separate sigma_clip"),
    pyfai("collective/reduction collective/scan collective/comb_sort"),
    pyfai("ocl_lut", "-D BINS=1000 -D POS_SIZE=4194304 -D SIZE=4194304 -D WORKGROUP_SIZE=256 -D EPS=1.192093e-07"),
    *(pyfai(file, "-D BINS=1000  -D NIMAGE=4194304 -D WORKGROUP_SIZE=256 -D EPS=0.000000") for file in (
        "ocl_hist_pixelsplit", "ocl_lut_pixelsplit2", "ocl_lut_pixelsplit3", "ocl_lut_pixelsplit_test")),
    pyfai("ocl_lut_pixelsplit", "-D BINS=1000 -D NIMAGE=4194304", invalid="a parenthesis too many in line 344"),
    pyfai("ocl_bispev", invalid="'__kernel__' in line 52"),
    pyfai("reduction_test", "-D WORKGROUP_SIZE=256", invalid="'thread_id_loc' is not declared"),
    pyfai("reduction_test4", "-D WORKGROUP_SIZE=256"),
]  # fmt: skip

_LINEAR = "-D SAMPLER_FILTER=CLK_FILTER_LINEAR"
_CLAMP = "-D SAMPLER_ADDRESS=CLK_ADDRESS_CLAMP"
_NUMBERS = ("float", "uchar", "ushort", "int")
_READERS = (("float", "read_imagef"), ("uchar", "read_imageui"), ("int", "read_imagei"))
_FILTERS = ("(val>res?val:res)", "res+(float)(val)/49", "res+(val*native_exp((float)(-(ht-3)*(ht-3)/2/1.5/1.5)))")

GPUTOOLS = [
    gputools("convolve/convolve"),
    gputools("convolve/convolve1"),
    gputools("convolve/convolve2"),
    gputools("convolve/convolve3"),
    gputools("convolve/convolve3", "-D SHORTTYPE"),
    gputools("convolve/conv_spatial2", "-D ADDRESSMODE=CLK_ADDRESS_CLAMP"),
    gputools("convolve/conv_spatial3", "-D ADDRESSMODE=CLK_ADDRESS_CLAMP"),
    gputools("convolve/correlate_kernels"),
    *(gputools("convolve/convolve_sep", f"-D DTYPE={type}") for type in _NUMBERS),
    *(gputools("convolve/generic_separable_filter", DTYPE=type, FSIZE_X=7, FSIZE_Y=7, FSIZE_Z=1, FUNC=function, DEFAULT="-INFINITY")
      for type in _NUMBERS for function in _FILTERS),
    gputools("convolve/generic_separable_filter", "-cl-unsafe-math-optimizations",
             DTYPE="float", FSIZE_X=7, FSIZE_Y=7, FSIZE_Z=7, FUNC="(val<res?val:res)", DEFAULT="INFINITY"),
    *(gputools("convolve/median_filter", DTYPE=type, FSIZE_X=3, FSIZE_Y=3, FSIZE_Z=z, CVAL=0) for type in _NUMBERS for z in (1, 3)),
    *(gputools("convolve/rank_downscale", DTYPE=type, FSIZE_X=3, FSIZE_Y=3, FSIZE_Z=z, CVAL=0) for type in _NUMBERS for z in (0, 3)),
    gputools("core/copy_resampled"),
    gputools("deconv/deconv_rl"),
    *(gputools(f"denoise/{name}") for name in (
        "bilateral2", "bilateral3", "bilateralAdapt", "bilateral_shared", "dct_8x8", "dct_8x8_new", "dct_8x8x8", "nlm3_thresh",
        "nlm_fast", "nlm_fast3", "nlmeans", "nlmeans3d", "nlmeans_projected", "patch_kernel", "tv_chambolle")),
    gputools("denoise/nlm2", "-D FS=2 -D BS=3"),
    gputools("denoise/nlm3", "-D FS=2 -D BS=3"),
    gputools("fft/fftshift"),
    gputools("noise/perlin"),
    gputools("transforms/affine", f"{_LINEAR} {_CLAMP}"),
    *(gputools("transforms/geometric_transform", f"{_LINEAR} {_CLAMP} -D DTYPE={type} -D READ_IMAGE={reader}",
               FUNC2="0.5f*c1+c0,c0", FUNC3="c2,c1,c0") for type, reader in _READERS),
    *(gputools("transforms/integral_image", f"-D DTYPE={type}") for type in ("float", "ulong", "long")),
    gputools("transforms/map_coordinates", f"{_LINEAR} {_CLAMP} -D DTYPE=float"),
    *(gputools("transforms/scale", f"{_LINEAR} -D TYPENAME={type} -D READ_IMAGE={reader}") for type, reader in _READERS),
    gputools("transforms/transformations"),
]  # fmt: skip

PROGRAMS = list(chain(PYOPENCL, SILX, PYFAI, GPUTOOLS))
