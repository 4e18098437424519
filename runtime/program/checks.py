"""What calls about programs are given: devices, options and binaries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...translator import options as build_options
from ..build.binary import Binary, Damaged
from ..devices.device import Device
from ..spec.errors import CLError


def check_devices(routine: str, devices: Sequence[Device], known: Sequence[Device], owner: str) -> None:
    for device in devices:
        if device not in known:
            raise CLError(routine, "INVALID_DEVICE", f"{device!r} is not a device of {owner}")


def parsed(routine: str, status: str, parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except build_options.OptionError as error:
        raise CLError(routine, status, str(error)) from error


def given_binary(routine: str, device: Device, data: bytes) -> Binary:
    if not data:
        raise CLError(routine, "INVALID_VALUE", "a binary is empty")
    try:
        binary = Binary.unpack(data)
    except Damaged:
        raise CLError(routine, "INVALID_BINARY", "the bytes are not an intact binary made by this version of cl2cuda") from None
    if binary.type != "executable":
        return binary  # compiled objects are the same for all devices
    if binary.driver != device.driver_name or binary.target != device.driver_device.target:
        raise CLError(routine, "INVALID_BINARY", f"the binary is for another device than {device!r} ({binary.driver} {binary.target})")
    return binary
