"""Measuring one program on two implementations: each runs it in a process of its own, which prints what it has measured. Both run as
they are installed: with their modules compiled, also where PYTHONDONTWRITEBYTECODE is set, and cl2cuda's with its calls in C."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OURS = (sys.executable, "-m", "cl2cuda", "run")
STOCK = (sys.executable,)


def as_installed() -> dict[str, str]:
    """The environment in which Python compiles modules."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def compile_calls(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Compiles for a source tree what an installation has compiled, in the environment's cache; it says what is missing for that."""
    build = [sys.executable, "-m", "cl2cuda.runtime.native.build"]
    return subprocess.run(build, env=environment, capture_output=True, text=True, check=False)


def printed(command: tuple[str, ...], program: str, name: str, *options: str) -> list[str]:
    """The lines that the program prints, which is told by --measure whose figures are wanted. Ends where it fails."""
    environment = {**as_installed(), "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
    if command == OURS:
        print(compile_calls(environment).stderr, end="", file=sys.stderr)
    done = subprocess.run([*command, program, "--measure", name, *options], env=environment, text=True, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: exit status {done.returncode}")
    return done.stdout.splitlines()
