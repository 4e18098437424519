"""`pytest -p cl2cuda.pytest_plugin`: puts a whole test run on cl2cuda, also under pytest-xdist.

pytest imports the plugin before it collects, so before the tests' first `import pyopencl`. The report's header says which devices
the tests find; PYOPENCL_TEST and CL2CUDA_DEVICE choose among them.
"""

from __future__ import annotations

from typing import Any

from .install import install
from .version import VERSION

install()


def pytest_report_header(config: Any) -> str:
    from .runtime.devices.platform import platforms

    names = [str(device.properties.name) for platform in platforms() for device in platform.devices()]
    return f"cl2cuda {VERSION}: {', '.join(names) or 'no devices'}"
