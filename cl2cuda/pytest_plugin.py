"""`pytest -p cl2cuda.pytest_plugin`: puts a whole test run on cl2cuda, also under pytest-xdist.

pytest imports the plugin before it collects, so before the tests' first `import pyopencl`, but after the packages that `filterwarnings`
lines name: where one of those has imported pyopencl, it is imported again. The report's header says which devices
the tests find; PYOPENCL_TEST and CL2CUDA_DEVICE choose among them.
"""

from __future__ import annotations

from typing import Any

from .import_again import import_again
from .install import InstalledTooLate, install
from .version import VERSION

try:
    install()
except InstalledTooLate:
    import_again()


def pytest_report_header(config: Any) -> str:
    from .runtime.devices.platform import platforms

    names = [str(device.properties.name) for platform in platforms() for device in platform.devices()]
    return f"cl2cuda {VERSION}: {', '.join(names) or 'no devices'}"
