"""`cl2cuda worker`: starts a worker of a Dask cluster that offers this machine's devices."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import os
import sys

from ..runtime.process import environment

EPILOG = """Every other word is an option of `dask worker`, such as --name, --tls-ca-file or --interface. One worker offers all devices
of the machine, or with --gpu those; one worker for each GPU are several of these commands. CL2CUDA_DEVICE=cuda or host chooses the kind.
Plain workers of Dask do as well, where cl2cuda is installed: the first program that uses the cluster has them offer their devices."""


def add_parsers(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "worker", help="start a worker of a Dask cluster", usage="cl2cuda worker [-h] [SCHEDULER] [--gpu N[,N...]] [OPTION ...]",
        description="Start a worker of a Dask cluster: programs with CL2CUDA_CLUSTER=SCHEDULER have its devices.", epilog=EPILOG)
    parser.add_argument("scheduler", nargs="?", metavar="SCHEDULER",
                        help="the scheduler's address, tcp://host:8786; default: CL2CUDA_CLUSTER")
    parser.add_argument("--gpu", metavar="N", help="CUDA's numbers of the GPUs that the worker is to offer; default: all")
    parser.set_defaults(func=run)


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """(what the parser is to see, the options of Dask's worker)."""
    ours, theirs = words[:1], []
    rest = iter(words[1:])
    for place, word in enumerate(rest):
        if word == "--gpu":
            ours += [word, *itertools.islice(rest, 1)]
        elif word in ("-h", "--help") or word.startswith("--gpu=") or (place == 0 and not word.startswith("-")):
            ours.append(word)
        else:
            theirs.append(word)
    return ours, theirs


def run(parsed: argparse.Namespace) -> int:
    """The worker takes this process's place."""
    scheduler = parsed.scheduler or environment.text("CL2CUDA_CLUSTER").strip()
    if not scheduler:
        print("cl2cuda worker: say the scheduler's address, tcp://host:8786", file=sys.stderr)
        return 2
    if importlib.util.find_spec("distributed") is None:
        print("cl2cuda worker: a cluster takes Dask's distributed: pip install 'cl2cuda[cluster]'", file=sys.stderr)
        return 1
    if parsed.gpu is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = parsed.gpu
    os.execv(sys.executable, [sys.executable, "-m", "distributed.cli.dask_worker", scheduler, "--preload", "cl2cuda.cluster.preload",
                              *parsed.program_arguments])
