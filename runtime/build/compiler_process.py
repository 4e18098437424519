"""What a compiler process runs: it takes orders from its standard input until that ends, or until none has come for a while."""

from __future__ import annotations

import functools
import importlib
import json
import os
import select
import signal
import sys
from typing import Any

from ..driver.interface import DriverError, DriverMissing
from . import build
from .compiler_pool import FAILED, MADE, READY, REFUSED, read_frame, write_frame

# Seconds without orders after which the process ends: with a compiler loaded it is no small one.
PATIENCE = 60.0

# The module of each driver that has `compile_for`.
COMPILERS = {"cuda": "cuda.program"}


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to every process; this one ends with the application
    # Whatever a library prints must not get among the replies.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    orders = os.fdopen(0, "rb", buffering=0)
    write_frame(replies, READY)
    while sys.platform == "win32" or select.select([orders], [], [], PATIENCE)[0]:
        order = read_frame(orders)
        if order is None:
            return
        write_frame(replies, reply_to(json.loads(order)))


def reply_to(order: dict[str, Any]) -> bytes:
    try:
        os.chdir(order["folder"])  # relative folders of -I are the application's
        compiler = importlib.import_module(f"..{COMPILERS[order['driver']]}", __package__)
        compile = functools.partial(compiler.compile_for, order["spec"])
        return MADE + build.make_executable(build.step_from_json(order["step"]), order["driver"], order["target"], compile).pack()
    except build.Refused as refusal:
        return REFUSED + build.build_log(refusal).encode()
    except DriverError as error:
        return _failed(str(error), error.status, isinstance(error, DriverMissing))
    except OSError as error:
        return _failed(str(error), "OUT_OF_HOST_MEMORY")


def _failed(message: str, status: str, missing: bool = False) -> bytes:
    return FAILED + json.dumps({"message": message, "status": status, "missing": missing}).encode()
