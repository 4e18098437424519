"""A preload of Dask's workers, for `dask worker --preload cl2cuda.cluster.preload`: a worker that offers its devices from its start."""

from __future__ import annotations

from distributed import Worker

from .plugin import DevicesPlugin


async def dask_setup(worker: Worker) -> None:
    """What Dask calls."""
    await worker.plugin_add(DevicesPlugin())
