"""Runs the OpenCL tests of silx and pyFAI, as their wheels hold them, on cl2cuda.

    python tests/tools/packages [--stock] [--only silx|pyfai] [pytest's own arguments]

Both must be installed (`pip install silx pyFAI`). --stock runs the same on PyOpenCL's own driver, to compare. The files that the tests
would fetch from the network are stand-ins of the same kind (standins.py).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PACKAGES = {"silx": "silx.opencl", "pyfai": "pyFAI.opencl"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stock", action="store_true", help="without cl2cuda")
    parser.add_argument("--only", choices=PACKAGES, help="the tests of one package")
    options, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as name:
        data = str(Path(name) / "data")
        environment = {**os.environ, "CL2CUDA_INSTALL": "0" if options.stock else "1", "SILX_DATA": data, "PYFAI_TESTIMAGES": data,
                       "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), os.environ.get("PYTHONPATH", "")])}
        subprocess.run([sys.executable, str(HERE / "standins.py")], cwd=name, env=environment, check=True)
        plugins = ["-p", "standins"] + ([] if options.stock else ["-p", "cl2cuda.pytest_plugin"])
        packages = [PACKAGES[options.only]] if options.only else list(PACKAGES.values())
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugins, "--rootdir", name, *more, "--pyargs", *packages]
        return subprocess.run(command, cwd=name, env=environment).returncode


if __name__ == "__main__":
    raise SystemExit(main())
