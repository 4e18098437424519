"""Stand-ins for the files that the tests of silx and pyFAI fetch from the network: of the same names, sizes and kinds.

A pytest plugin (`-p standins`), so that SciPy's photograph is another one before a test asks for it. What the tests compare a result
with is computed here by NumPy, or by the packages themselves on the CPU.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

# The places where pyFAI's tests expect the brightest peaks of the picture Pilatus6M.cbf (pyFAI/opencl/test/test_peak_finder.py).
PEAKS = [(88, 705), (1097, 907), (833, 930), (1520, 1083), (1463, 1249), (1721, 1281), (1274, 1316), (1662, 1372), (165, 1433), (304, 1423),
         (1058, 1449), (1260, 1839), (806, 2006), (129, 2149), (1981, 2272), (1045, 2446)]

PONI = """PixelSize1: 0.000172
PixelSize2: 0.000172
Distance: {distance}
Poni1: {poni1}
Poni2: {poni2}
Rot1: 0.006
Rot2: 0.007
Rot3: 0.0
SplineFile: None
Wavelength: {wavelength}
"""


@cache
def photograph(sides: tuple[int, int] = (512, 512)) -> np.ndarray:
    """Grey values of spots of all sizes and of edges, on a background that changes slowly."""
    rng = np.random.default_rng(1)
    rows, columns = np.mgrid[: sides[0], : sides[1]].astype(float)
    picture = 110 + 40 * np.sin(columns / 80) * np.cos(rows / 60)
    for _ in range(40):
        row, column, height, width = rng.integers(0, sides[0]), rng.integers(0, sides[1]), *rng.integers(10, 120, 2)
        picture[row : row + height, column : column + width] += rng.uniform(-40, 40)
    for _ in range(600):
        row, column, radius = rng.integers(0, sides[0]), rng.integers(0, sides[1]), rng.uniform(1.5, 25)
        near = np.s_[max(0, int(row - 4 * radius)) : int(row + 4 * radius), max(0, int(column - 4 * radius)) : int(column + 4 * radius)]
        distance = (rows[near] - row) ** 2 + (columns[near] - column) ** 2
        picture[near] += rng.uniform(-60, 60) * np.exp(-distance / (2 * radius**2))
    return np.clip(picture + rng.normal(0, 2, sides), 0, 255).astype(np.uint8)


@cache
def phantom() -> np.ndarray:
    """Ellipses inside of one another, with soft edges, as a section of a head has them; 512 x 512."""
    rows, columns = (np.mgrid[:512, :512] - 255.5) / 256
    picture = np.zeros((512, 512))
    for value, height, width, row, column in [(120, 0.9, 0.68, 0, 0), (-60, 0.85, 0.62, 0, 0), (30, 0.3, 0.12, 0, 0.22),
                                              (30, 0.36, 0.15, 0.05, -0.22), (40, 0.2, 0.22, -0.4, 0), (50, 0.05, 0.05, 0.1, 0),
                                              (60, 0.03, 0.06, 0.6, 0.1)]:
        outside = np.hypot((rows - row) / height, (columns - column) / width) - 1
        picture += value / (1 + np.exp(np.clip(outside * 128 * min(height, width), -50, 50)))
    return picture.round().astype(np.float32)  # Whole numbers, as a picture has them: their differences are exact.


@cache
def sinogram() -> np.ndarray:
    """500 projections of the phantom over half a turn."""
    from scipy.ndimage import map_coordinates

    steps = np.arange(512) - 255.5
    projections = []
    for angle in np.arange(500) * (np.pi / 500):
        across, along = np.meshgrid(steps, steps)
        where = [along * np.cos(angle) - across * np.sin(angle) + 255.5, across * np.cos(angle) + along * np.sin(angle) + 255.5]
        projections.append(map_coordinates(phantom(), where, order=1).sum(axis=0))
    return np.array(projections, np.float32)


def reconstruction() -> np.ndarray:
    """Filtered backprojection of the sinogram with silx's own filter, in NumPy."""
    from silx.image.tomography import compute_fourier_filter

    sino = sinogram()
    count, width = sino.shape
    padded = 2 * 1024
    response = compute_fourier_filter(padded, "ramlak")
    filtered = np.fft.irfft(np.fft.rfft(sino, padded) * response[: padded // 2 + 1], padded)[:, :width]
    steps = np.arange(width) - (width - 1) / 2
    picture = np.zeros((width, width))
    for angle, line in zip(np.arange(count) * (np.pi / count), filtered, strict=True):
        place = steps[None, :] * np.cos(angle) - steps[:, None] * np.sin(angle) + (width - 1) / 2
        picture += np.interp(place, np.arange(width), line, left=0, right=0)
    return (picture * np.pi / count).astype(np.float32)


def diffraction(sides: tuple[int, int]) -> np.ndarray:
    """Counts of a detector that looks at the rings of a powder."""
    rows, columns = np.indices(sides)
    radius = np.hypot(rows - sides[0] / 5, columns - sides[1] / 4)
    rings = sum(weight * np.exp(-(((radius - place) / 6) ** 2)) for weight, place in [(900, 110), (600, 240), (500, 330), (400, 520), (300, 700)])
    return np.random.default_rng(2).poisson(60 * np.exp(-radius / 900) + rings)


def peaks() -> np.ndarray:
    """A weak background with single bright spots: those that pyFAI's test knows, and dimmer ones."""
    rng = np.random.default_rng(3)
    sides = (2527, 2463)
    counts = rng.poisson(4, sides)
    dimmer = [(int(x), int(y)) for x, y in zip(rng.integers(30, 2400, 30), rng.integers(30, 2400, 30), strict=True)]
    for height, places in [(4000, PEAKS), (600, dimmer)]:
        for x, y in places:
            for row in range(max(0, y - 4), min(sides[0], y + 5)):
                for column in range(max(0, x - 4), min(sides[1], x + 5)):
                    counts[row, column] += round(height * np.exp(-((row - y) ** 2 + (column - x) ** 2) / 2.5))
    return counts


def _image(kind: str, pixels: Callable[[], np.ndarray]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import fabio.cbfimage
        import fabio.edfimage

        image = fabio.edfimage.EdfImage if kind == "edf" else fabio.cbfimage.CbfImage
        image(data=pixels().astype(np.int32)).write(str(path))

    return write


def _array(make: Callable[[], np.ndarray]) -> Callable[[Path], None]:
    return lambda path: np.savez(path, data=make())


def _text(text: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(text) and None


def _colours(path: Path) -> None:
    from PIL import Image

    grey = photograph()
    Image.fromarray(np.stack([grey, grey[::-1], grey[:, ::-1]], axis=-1)).save(path)


FILES: dict[str, Callable[[Path], None]] = {
    "Brain512.npz": _array(phantom),
    "lena.png": _colours,
    "sino500.npz": _array(sinogram),
    "sino500_pyhst.npz": _array(sinogram),
    "rec_astra_500.npz": _array(reconstruction),
    "Pilatus1M.edf": _image("edf", lambda: diffraction((1043, 981))),
    "Pilatus1M.poni": _text(PONI.format(distance=1.58, poni1=0.0334, poni2=0.0412, wavelength=1e-10)),
    "Pilatus6M.cbf": _image("cbf", peaks),
    "Pilatus6M.poni": _text(PONI.format(distance=0.3, poni1=0.2254, poni2=0.2285, wavelength=1.0332e-10)),
}


def write(folder: Path) -> None:
    """All of them, and the list with which the packages know them for fetched."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, make in FILES.items():
        try:
            make(folder / name)
            written.append(name)
        except ImportError as missing:
            print(f"{name}: not written, {missing}")
    (folder / "all_testdata.json").write_text(json.dumps(written))


def pytest_configure() -> None:
    import scipy.datasets

    scipy.datasets.ascent = photograph


if __name__ == "__main__":
    write(Path(os.environ["SILX_DATA"]))
