"""Puts cl2cuda under PyOpenCL: a finder on `sys.meta_path` that answers for PyOpenCL's compiled module, `pyopencl._cl`.

Nothing of PyOpenCL is imported or changed here. The module that the finder makes holds what `cl2cuda.pyopencl_cl` lists.

Processes that the program starts come along: `install` sets CL2CUDA_INSTALL, and where a Python starts with it that has cl2cuda among
its packages, `cl2cuda.pth` beside the package has it call `install`, too. Every start of such a Python runs that line, so importing
this module imports little.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

COMPILED_MODULE = "pyopencl._cl"
ARRAYS = "pyopencl.array"
ALIAS = "cl2cuda.pyopencl"
# Read by cl2cuda.pth alone.
VARIABLE = "CL2CUDA_INSTALL"
CLUSTER = "CL2CUDA_CLUSTER"


class InstalledTooLate(RuntimeError):
    """PyOpenCL was imported with its own compiled module before cl2cuda could take that module's place."""

    def __init__(self, found: str):
        super().__init__(
            f"pyopencl is already imported with its own compiled module ({found}), so cl2cuda cannot take its place any more.\n"
            "Call cl2cuda.install() before the first 'import pyopencl', also before importing packages that import pyopencl;\n"
            "or leave the program as it is and start it with 'cl2cuda run SCRIPT.py'.\n"
            "In a notebook: restart the kernel and run '%load_ext cl2cuda' in the first cell.")


class Loader:
    """Fills the module `pyopencl._cl`."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        from .translator.garbage import resting

        with resting():
            from . import pyopencl_cl

        # Where PyOpenCL caches binaries itself, a build that fails for another reason than its source ends in a KeyError for this
        # name (pyopencl/cache.py) unless it is set; "1" lets the true error through.
        os.environ.setdefault("PYOPENCL_CACHE_FAILURE_FATAL", "1")
        module.__doc__ = pyopencl_cl.__doc__
        vars(module).update(pyopencl_cl.module_contents())


class AliasLoader:
    """Makes `import cl2cuda.pyopencl.array` the very module `pyopencl.array`, not a second copy of it."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = importlib.import_module(name.removeprefix("cl2cuda."))


class ArrayLoader:
    """Loads `pyopencl.array` as its own loader does, then lets other libraries see its arrays' memory (`exports`)."""

    def __init__(self, loader: Any):
        self.loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        from .array_exchange import exports
        from .pyopencl_cl import invoker

        self.loader.exec_module(module)
        module.__loader__ = module.__spec__.loader = self.loader  # type: ignore[union-attr]
        exports.extend(module.Array)
        invoker.know_arrays(module.Array)


class Finder:
    """Answers for `pyopencl._cl`, `pyopencl.array` and the modules below `cl2cuda.pyopencl`; for nothing else."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        if name == COMPILED_MODULE:
            return importlib.machinery.ModuleSpec(name, Loader(), origin="cl2cuda")  # type: ignore[arg-type]
        if name == ARRAYS:
            return _extended(name, path, target)
        if name.startswith(ALIAS + "."):
            return importlib.machinery.ModuleSpec(name, AliasLoader(), origin="cl2cuda")  # type: ignore[arg-type]
        return None


def _extended(name: str, path: Sequence[str] | None, target: ModuleType | None) -> Any:
    """What the other finders find, with an ArrayLoader around its loader."""
    for finder in sys.meta_path:
        if finder is not Finder and (spec := finder.find_spec(name, path, target)) is not None:
            spec.loader = ArrayLoader(spec.loader)  # type: ignore[assignment]
            return spec
    return None


def install(*, cluster: Any = None) -> None:
    """From now on `import pyopencl` gives PyOpenCL over cl2cuda, here and in the Pythons that are started from here, unless
    CL2CUDA_INSTALL=0 is set. Calling it again changes nothing.

    `cluster` adds the devices of a Dask cluster's workers: a client, a cluster object or the scheduler's address; without one
    CL2CUDA_CLUSTER names it. It is to be given before the first device is asked for.

    Raises InstalledTooLate when PyOpenCL is imported already with its own compiled module.
    """
    loaded = sys.modules.get(COMPILED_MODULE)
    if loaded is not None and not isinstance(getattr(loaded, "__loader__", None), Loader):
        raise InstalledTooLate(getattr(loaded, "__file__", None) or repr(loaded))
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
    os.environ.setdefault(VARIABLE, "1")
    if cluster is not None or os.environ.get(CLUSTER):
        from .cluster import join

        join(cluster)


def load_ipython_extension(ipython: Any) -> None:
    """`%load_ext cl2cuda`."""
    install()
