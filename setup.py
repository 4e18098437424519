"""What setup.cfg cannot say: `cl2cuda.pth` goes beside the package, where Python reads it at its start; and the OpenCL driver library
is compiled, where there is a C compiler (elsewhere `cl2cuda icd` says what is missing).

The file puts processes that a program starts on cl2cuda as well (cl2cuda/install.py). Without CL2CUDA_INSTALL it does nothing.
"""

import base64
import hashlib
import sys
import zipfile
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


class BuildWithPth(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self.copy_file(PTH, str(Path(self.build_lib, PTH)))
            build_driver(Path(self.build_lib, DRIVER))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        driver = Path(self.build_lib, DRIVER)
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib, PTH)), *([str(driver)] if driver.exists() else [])]

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), PTH]


def build_driver(place: Path) -> None:
    """An installation without a compiler is whole but for programs in C."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from cl2cuda.opencl_icd.build import build
    from cl2cuda.runtime.driver.interface import DriverMissing

    try:
        build(place)
    except DriverMissing as missing:
        print(f"cl2cuda: {missing}", file=sys.stderr)


class WheelOfThisMachine(bdist_wheel):
    """The driver library is for this kind of machine, and for every Python 3; without it a wheel is for all machines."""

    def get_tag(self) -> tuple[str, str, str]:
        pure, self.root_is_pure = self.root_is_pure, not Path(self.bdist_dir, DRIVER).exists()
        _, _, platform = super().get_tag()
        self.root_is_pure = pure
        return "py3", "none", platform


class EditableWithPth(editable_wheel):
    """An editable wheel holds links alone, so the file is added to what setuptools has made."""

    def run(self) -> None:
        super().run()
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
