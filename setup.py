"""What setup.cfg cannot say: `cl2cuda.pth` goes beside the package, where Python reads it at its start; and the OpenCL driver library
and Python's calls in C are compiled, where there is a C compiler (elsewhere `cl2cuda icd` says what is missing).

The file puts processes that a program starts on cl2cuda as well (cl2cuda/install.py). Without CL2CUDA_INSTALL it does nothing.
"""

import base64
import hashlib
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

PTH = "cl2cuda.pth"
DRIVER = "cl2cuda/opencl_icd/libcl2cuda.so"
CALLS = "cl2cuda/runtime/native/_calls.abi3.so"


class BuildWithPth(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self.copy_file(PTH, str(Path(self.build_lib, PTH)))
            build_libraries(Path(self.build_lib))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        libraries = [str(Path(self.build_lib, each)) for each in (DRIVER, CALLS) if Path(self.build_lib, each).exists()]
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib, PTH)), *libraries]

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), PTH]


def build_libraries(built: Path) -> None:
    """The package is imported from where it has been built: a source archive has no links that show the layers inside it."""
    sys.path.insert(0, str(built.resolve()))
    from cl2cuda.opencl_icd import build as driver
    from cl2cuda.runtime.native import build as calls

    build_if_possible(lambda: driver.build(built / DRIVER))
    build_if_possible(lambda: calls.build(built / CALLS))


def build_calls_of_source_tree() -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from cl2cuda.runtime.native.build import build_for_source_tree

    build_if_possible(build_for_source_tree)


def build_if_possible(build: Callable[[], None]) -> None:
    """An installation without a compiler is whole but for programs in C."""
    from cl2cuda.runtime.driver.interface import DriverMissing

    try:
        build()
    except DriverMissing as missing:
        print(f"cl2cuda: {missing}", file=sys.stderr)


class WheelOfThisMachine(bdist_wheel):
    """The libraries are for this kind of machine, and for every Python 3; without them a wheel is for all machines."""

    def get_tag(self) -> tuple[str, str, str]:
        pure, self.root_is_pure = self.root_is_pure, not any(Path(self.bdist_dir, each).exists() for each in (DRIVER, CALLS))
        _, _, platform = super().get_tag()
        self.root_is_pure = pure
        return "py3", "none", platform


class EditableWithPth(editable_wheel):
    """An editable wheel holds links alone, so the file is added to what setuptools has made, and the calls are compiled for the source
    tree, which finds them in the user's cache."""

    def run(self) -> None:
        super().run()
        build_calls_of_source_tree()
        for wheel in Path(self.dist_dir).glob("cl2cuda-*.whl"):
            add_pth(wheel)


def add_pth(wheel: Path) -> None:
    text = Path(PTH).read_bytes()
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(wheel) as made:
        members = {name: made.read(name) for name in made.namelist()} | {PTH: text}
    record = next(name for name in members if name.endswith(".dist-info/RECORD"))
    members[record] += f"{PTH},sha256={digest},{len(text)}\n".encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, content)


setup(cmdclass={"build_py": BuildWithPth, "editable_wheel": EditableWithPth, "bdist_wheel": WheelOfThisMachine})
