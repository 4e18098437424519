"""What setup.cfg cannot say: `cl2cuda.pth` goes beside the package, where Python reads it at its start.

It puts processes that a program starts on cl2cuda as well (cl2cuda/install.py). Without CL2CUDA_INSTALL it does nothing.
"""

import base64
import hashlib
import zipfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

PTH = "cl2cuda.pth"


class BuildWithPth(build_py):
    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self.copy_file(PTH, str(Path(self.build_lib, PTH)))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        return [*super().get_outputs(include_bytecode), str(Path(self.build_lib, PTH))]

    def get_source_files(self) -> list[str]:
        return [*super().get_source_files(), PTH]


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


setup(cmdclass={"build_py": BuildWithPth, "editable_wheel": EditableWithPth})
