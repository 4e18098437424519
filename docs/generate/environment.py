"""environment.md: the environment variables, from their table."""

from __future__ import annotations

from markdown import MADE, table

from cl2cuda.runtime.process.environment import VARIABLES

_OTHERS = """
cl2cuda also heeds variables of others:

| variable | whose | what for |
| --- | --- | --- |
| `CUDA_VISIBLE_DEVICES` | CUDA | which GPUs CUDA shows, and in which order |
| `CUDA_PATH`, `CUDA_HOME` | CUDA toolkits | where a toolkit's NVRTC is looked for, after those that pip has installed |
| `CXX` | compilers | the host device's compiler, unless `CL2CUDA_CXX` names one |
| `XDG_CACHE_HOME` | desktops | where the user's caches are |
| `PYOPENCL_CTX` | PyOpenCL | which device `create_some_context` takes without asking |
| `PYOPENCL_TEST` | PyOpenCL | which devices tests written with PyOpenCL's pytest fixtures take |
"""


def page() -> str:
    rows = [[f"`{each.name}`", each.value, each.default, each.meaning] for each in VARIABLES.values()]
    return f"{MADE}# Environment variables\n\n{table(['variable', 'value', 'without it', 'meaning'], rows)}{_OTHERS}"
