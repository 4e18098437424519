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


def printed(command: tuple[str, ...], program: str, name: str, *options: str) -> list[str]:
    """The lines that the program prints, which is told by --measure whose figures are wanted. Ends where it fails."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))}
    if command == OURS:
        subprocess.run([sys.executable, "-m", "cl2cuda.runtime.native.build"], env=environment, check=False)  # which tells what is missing
    done = subprocess.run([*command, program, "--measure", name, *options], env=environment, text=True, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: exit status {done.returncode}")
    return done.stdout.splitlines()
