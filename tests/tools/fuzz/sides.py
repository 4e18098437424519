"""The implementations that are compared, each in a process of its own that lives as long as it answers."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from support.spirv_modules import Refused, compiled
from tools.fuzz.generate import GROUP, INPUT, ITEMS, Program
from tools.fuzz.shapes import PREAMBLE

ROOT = Path(__file__).resolve().parents[3]
_CHILD = str(Path(__file__).with_name("child.py"))
NUMBERS = {"input": [(i * 2654435761 + 12345) % 2**32 - 2**31 for i in range(INPUT)], "table": [(i * 40503) ** 3 % 2**32 for i in range(16)]}

_WITH_BLOCKS = ("host", "cuda", "pocl")  # NVIDIA's OpenCL has none



def digest(output: str) -> str:
    """A short name for the output of a kernel."""
    return hashlib.sha256(output.encode()).hexdigest()[:16]


REFUSED = "clang: "  # begins what a side says of a program that clang or llvm-spirv makes no module of

# Outputs by kernel; text that is no hexadecimal number says what went wrong.
Results = dict[str, str]


class Side:
    """`host`, `host-fibers` and `cuda` are cl2cuda's devices, any other name a platform of the stock PyOpenCL of `python`. With "-unoptimised" behind
    the name, programs are built with -cl-opt-disable: a second opinion where an optimiser is suspected. With "-spirv0" or "-spirv2" they
    are modules of SPIR-V, which clang and llvm-spirv make without optimising or with it."""

    def __init__(self, name: str, python: str, timeout: float = 120):
        self.name = name
        name, self.options = (name[: -len("-unoptimised")], "-cl-opt-disable") if name.endswith("-unoptimised") else (name, "")
        self.level = ""
        for level in ("0", "2"):
            if name.endswith(f"-spirv{level}"):
                name, self.level = name.removesuffix(f"-spirv{level}"), f"-O{level}"
        if not self.level and name in _WITH_BLOCKS:
            self.options = f"{self.options} -cl-std=CL2.0 -DBLOCKS".strip()
        self.timeout = timeout
        self.device = ""
        self.environment = dict(os.environ)
        if name in ("host", "host-fibers", "cuda"):
            self.command = [sys.executable, "-m", "cl2cuda", "run", _CHILD, "cl2cuda"]
            path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
            self.environment |= {"CL2CUDA_DEVICE": name.partition("-")[0], "CL2CUDA_HOST_FIBERS": str(int(name == "host-fibers")), "PYTHONPATH": path}
        else:
            self.command = [python, _CHILD, {"pocl": "Portable"}.get(name, name)]
            self.environment["CL2CUDA_INSTALL"] = "0"
        self._caches = tempfile.TemporaryDirectory()
        self.environment |= {"CL2CUDA_CACHE_DIR": self._caches.name, "POCL_CACHE_DIR": self._caches.name, "PYOPENCL_NO_CACHE": "1",
                             "CUDA_CACHE_DISABLE": "1"}  # fmt: skip
        self._process: subprocess.Popen[str] | None = None
        self._refused = ""  # what clang says of the programs that were sent last

    def start(self) -> str:
        """Starts the process; returns what is wrong where it cannot."""
        self._process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                         env=self.environment, cwd=ROOT)  # fmt: skip
        greeting = self._answer()
        if greeting is None:
            return self._end()
        self.device = greeting["device"]
        return ""

    def send(self, programs: list[Program]) -> None:
        if self._process is None and (problem := self.start()):
            raise SystemExit(f"{self.name}: {problem}")
        assert self._process is not None and self._process.stdin is not None
        request = {"source": PREAMBLE + "".join(p.source for p in programs), "kernels": [p.kernel for p in programs], "options": self.options, "items": ITEMS,
                   "group": GROUP, **NUMBERS}  # fmt: skip
        self._refused = ""
        if self.level:
            try:
                request["il"] = base64.b64encode(compiled(request["source"], request["options"], self.level)).decode()
            except Refused as refused:
                self._refused = f"{REFUSED}{refused}"
                return
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass

    def receive(self, programs: list[Program]) -> Results:
        """What the programs sent last gave. Where the build failed or the process died, each is tried alone. Behind a kernel that
        failed, a new process goes on."""
        answer = {"error": self._refused} if self._refused else self._answer()
        if answer is not None and "results" in answer:
            results: Results = answer["results"]
            if "last" in answer:
                self._end()
            missing = [each for each in programs if each.kernel not in results]
            return results | self.run(missing) if missing else results
        problem = answer["error"] if answer else f"died: {self._end()}"
        if len(programs) == 1:
            return {programs[0].kernel: problem}
        results = {}
        middle = len(programs) // 2
        for half in (programs[:middle], programs[middle:]):
            results |= self.run(half)
        return results

    def run(self, programs: list[Program]) -> Results:
        self.send(programs)
        return self.receive(programs)

    def _answer(self) -> dict[str, Any] | None:
        assert self._process is not None and self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], self.timeout)[0]:
            self._process.kill()
            return None
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def _end(self) -> str:
        """Ends the process; the last line that it wrote as an error."""
        assert self._process is not None
        self._process.kill()
        _, errors = self._process.communicate()
        code, self._process = self._process.returncode, None
        return (errors.strip().splitlines() or [f"exit status {code}"])[-1]

    def close(self) -> None:
        if self._process is not None:
            self._end()
        self._caches.cleanup()
