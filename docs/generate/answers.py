"""What an OpenCL implementation says of itself, and which probes it builds, as JSON:

    python docs/generate/answers.py [WORD] > docs/generate/answers/NAME.json

takes the first device whose platform's name holds WORD, else the first of all. Needs PyOpenCL alone; under `cl2cuda run`
it is cl2cuda that answers.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import pyopencl as cl
from probes import PROBES, Probe

IMAGES = ("IMAGE1D", "IMAGE2D", "IMAGE3D")


def device_named(word: str) -> cl.Device:
    for platform in cl.get_platforms():
        if word.lower() in platform.name.lower() and platform.get_devices():
            return platform.get_devices()[0]
    raise SystemExit(f"no platform with {word!r} in its name has a device")


def plain(value: Any) -> Any:
    """As JSON holds it; cl_name_version becomes [name, "major.minor.patch"]."""
    if hasattr(value, "version") and hasattr(value, "name"):
        number = value.version
        return [value.name, f"{number >> 22}.{number >> 12 & 0x3FF}.{number & 0xFFF}"]
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if isinstance(value, (bool, int, float, str)) else None


def information(device: cl.Device) -> dict[str, Any]:
    found = {}
    for name in dir(cl.device_info):
        if name.startswith("_") or name == "to_string":
            continue
        try:
            value = plain(device.get_info(getattr(cl.device_info, name)))
        except Exception:
            continue  # not a query of this device
        if value is not None:
            found[name] = value
    return found


def image_formats(context: cl.Context) -> dict[str, int]:
    """How many formats each kind of image has, by access."""
    def formats(kind: str, access: str) -> int:
        return len(cl.get_supported_image_formats(context, getattr(cl.mem_flags, access), getattr(cl.mem_object_type, kind)))

    return {f"{kind} {access}": formats(kind, access) for kind in IMAGES for access in ("READ_ONLY", "WRITE_ONLY", "KERNEL_READ_AND_WRITE")}


def built(context: cl.Context, probe: Probe) -> str:
    """"" if the probe builds, else the first line of the compiler's that says "error", or of the exception."""
    print(probe.what, file=sys.stderr, flush=True)  # if the compiler takes the process with it, this says at what
    try:
        cl.Program(context, probe.source).build(options=f"-cl-std=CL{probe.std}", cache_dir=False)
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        line = next((line for line in lines if "error" in line.lower() and "BUILD_PROGRAM" not in line), lines[0])
        return re.sub(r"\S*/", "", line)[:200]  # no folder of this machine
    return ""


def main() -> None:
    device = device_named(*sys.argv[1:2] or [""])
    context = cl.Context([device])
    answers = {
        "platform": device.platform.name,
        "platform_version": device.platform.version,
        "pyopencl": cl.VERSION_TEXT,
        "device": information(device),
        "image_formats": image_formats(context),
        "probes": {probe.what: built(context, probe) for probe in PROBES},
    }
    print(json.dumps(answers, indent=1))


if __name__ == "__main__":
    main()
