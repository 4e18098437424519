"""Ports three kernels each of silx, pyFAI and pyopencl to nvcc, CuPy and Numba, and compares results and speed with OpenCL's.

    python tests/tools/ported [--packages FOLDER] [--json FILE] [name …]

Takes the kernels from the installed packages; `pip install --no-deps --target FOLDER silx pyfai` gives a FOLDER. `cl2cuda translate
--launchers` writes what launches them; nvcc, CuPy and Numba run that on the inputs, in the memory and in the stream of the same
kernel under cl2cuda's OpenCL. Results must be equal bit by bit, and the speed, OpenCL's time through the way's, lie from 0.98 to 1.02.
Numba rounds quotients and square roots correctly, so OpenCL does so too where the two are compared. Where Numba's compiler has fused
other products than OpenCL's, results must be equal with no product fused (`Case.fused`).

Without a GPU everything is written and compiled, and the host device's results are compared with NumPy's. What is missing is said, and is
no fault.
Exits with 0 if all of that is as it must be, 1 if something is not, 2 if no kernel was there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS), str(TESTS.parent)]

SPEED = (0.98, 1.02)
COLUMNS = 110
_CAPABILITY = "import cupy; print('sm_' + cupy.cuda.Device().compute_capability)"
AGAIN = "opencl again"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", metavar="FOLDER", help="where packages lie that are not installed")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write what was found to this file, too")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="write launchers here, and leave them")
    parser.add_argument("--rounds", type=int, default=15, help="of launches that are timed (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="kernels that are compiled at the same time (%(default)s)")
    parser.add_argument("--host", action="store_true", help="use no GPU, even where there is one")
    parser.add_argument("--arch", help="what to compile for: the GPU, or sm_90 without one")
    parser.add_argument("name", nargs="*", help="only kernels whose package or name holds one of these")
    parser.add_argument("--step", nargs=2, metavar=("STEP", "FILE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.packages:
        arguments.packages = str(Path(arguments.packages).resolve())
        sys.path.append(arguments.packages)
    if arguments.step:
        return step(arguments)
    with tempfile.TemporaryDirectory() as name:
        return all_cases(arguments, arguments.keep or Path(name))


def step(arguments: argparse.Namespace) -> int:
    """Of one case, in its process."""
    import cl2cuda

    cl2cuda.install()
    from tools.corpus.build import Missing
    from tools.ported.cases import CASES
    from tools.ported.measure import measure
    from tools.ported.prepare import prepare

    (name, file), (case_name, *ways) = arguments.step, arguments.name
    case = next(each for each in CASES if each.name == case_name)
    folder = arguments.keep / case.name
    if name == "measure":
        measure(case, folder, ways, Path(file), gpu=not arguments.host, rounds=arguments.rounds)
        return 0
    try:
        found = {"states": prepare(case, folder, arguments.arch)}
    except Missing as package:
        found = {"missing": f"{package} is not installed"}
    Path(file).write_text(json.dumps(found))
    return 0


class Steps:
    """Runs the steps of cases as processes."""

    def __init__(self, arguments: argparse.Namespace, folder: Path, arch: str, gpu: bool) -> None:
        self.folder, self.gpu = folder, gpu
        self.words = ["--keep", str(folder), "--arch", arch, "--rounds", str(arguments.rounds)] + ["--host"] * (not gpu)
        self.words += ["--packages", arguments.packages] if arguments.packages else []

    def run(self, name: str, case: str, *ways: str) -> dict[str, Any]:
        """What the step has written; {"error": text} beside it if its process failed."""
        (self.folder / case).mkdir(parents=True, exist_ok=True)
        file = self.folder / case / f"{name}.json"
        file.unlink(missing_ok=True)
        environment = {**os.environ, "CL2CUDA_DEVICE": "cuda" if self.gpu else "host"}
        command = [sys.executable, str(Path(__file__).parent), *self.words, "--step", name, str(file), case, *ways]
        try:
            done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=900)
            error = "" if not done.returncode else (done.stderr.strip().splitlines() or [f"it ends with {done.returncode}"])[-1]
        except subprocess.TimeoutExpired:
            error = "it did not end in 15 minutes"
        found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return found | ({"error": error} if error else {})

    def measured(self, case: str, ways: list[str]) -> dict[str, Any]:
        """All ways in one process; those that it did not come to, once more in one of their own."""
        found = self.run("measure", case, *ways)
        states = found.setdefault("ways", {})
        if not self.gpu:
            return found
        for way in [way for way in ways if not finished(states.get(way, {}))]:
            alone = self.run("measure", case, way) if len(ways) > 1 else found
            states[way] = alone.get("ways", {}).get(way, {})
            if not finished(states[way]):
                states[way]["failed"] = alone.get("error", "it came to no end")
            found |= {key: alone[key] for key in ("numpy", AGAIN) if key in alone and key not in found}
        return found


def finished(state: dict[str, Any]) -> bool:
    return bool({"speed", "absent", "failed"} & set(state))


def all_cases(arguments: argparse.Namespace, folder: Path) -> int:
    from tools.ported.cases import CASES

    names = [each.name for each in CASES if not arguments.name or any(word.lower() in each.name for word in arguments.name)]
    probe = None if arguments.host else subprocess.run([sys.executable, "-c", _CAPABILITY], capture_output=True, text=True)
    gpu = probe is not None and not probe.returncode
    arch = arguments.arch or (probe.stdout.strip() if probe and gpu else "sm_90")
    print(versions(gpu, arch), flush=True)
    steps = Steps(arguments, folder.resolve(), arch, gpu)
    found: dict[str, dict[str, Any]] = {}
    with ThreadPoolExecutor(arguments.jobs) as pool:
        prepared = dict(zip(names, pool.map(lambda name: steps.run("prepare", name), names), strict=True))
    for name in names:
        found[name] = prepared[name]
        if "states" in found[name]:
            ways = [way for way, state in found[name]["states"].items() if not state.startswith("FAILED")]
            found[name] |= steps.measured(name, ways)
        print("\n".join(lines(name, found[name], gpu)), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"gpu": gpu, "arch": arch, "versions": versions(gpu, arch), "kernels": found}, indent=1))
    return summary(found, gpu)


def versions(gpu: bool, arch: str) -> str:
    from importlib import metadata

    from tools.ported.prepare import nvcc

    wanted = ("silx", "pyfai", "pyopencl", "cupy-cuda12x", "cupy-cuda13x", "numba", "numba-cuda", "cffi", "nvidia-cuda-nvrtc", "numpy")
    there = sorted({f"{each.name.lower()} {each.version}" for each in metadata.distributions() if each.name.lower() in wanted})
    compiler = nvcc()
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout.split("release ")[-1] if compiler else ""
    return f"{'on the GPU' if gpu else 'no GPU: nothing is run but on the host device'}, {arch}; {', '.join(there)}; " + (
        f"nvcc {said.split(',')[0]}" if compiler else "no nvcc")


def lines(name: str, found: dict[str, Any], gpu: bool) -> list[str]:
    """The table's rows for one kernel."""
    if "states" not in found:
        return [f"{name}\n    {found.get('missing') or 'FAILED: ' + found.get('error', '')}"]
    rows = [f"{name}", f"    OpenCL   {beside_numpy(found)}{noise(found)}"]
    for way, state in found["states"].items():
        rows.append(f"    {way:8} {outcome(state, found.get('ways', {}).get(way, {}), gpu)}")
    return rows


def beside_numpy(found: dict[str, Any]) -> str:
    if "numpy" not in found:
        return f"FAILED: {found.get('error', 'it was not run')}"
    return f"NOT AS NUMPY: {found['numpy']}" if found["numpy"] else "as NumPy"


def noise(found: dict[str, Any]) -> str:
    again = found.get(AGAIN)
    return f"; beside itself {again['speed']:.3f} ({again['spread'][0]:.3f} to {again['spread'][1]:.3f})" if again else ""


def outcome(state: str, run: dict[str, Any], gpu: bool) -> str:
    if not gpu or state.startswith("FAILED"):
        return state
    if "absent" in run or "failed" in run:
        return f"{state}; " + (f"not run: {run['absent']}" if "absent" in run else f"FAILED: {run['failed']}")
    if "speed" not in run:
        return f"{state}; FAILED: it was not run"
    equal = f"NOT EQUAL: {run['equal']}" if run["equal"] else "equal"
    equal += f" but for fused products; with them {run['fused']}" if "fused" in run and not run["equal"] else ""
    speed = f"{run['time']:9.4f} ms, OpenCL {run['opencl']:9.4f} ms, speed {run['speed']:.3f} ({run['spread'][0]:.3f} to {run['spread'][1]:.3f})"
    return f"{equal}  {speed}" + ("" if SPEED[0] <= run["speed"] <= SPEED[1] else "  OUTSIDE")


def compact(found: dict[str, dict[str, Any]]) -> list[str]:
    """The whole table in a line a way, which the end of a log holds."""
    rows = [f"{'kernel':34} {'way':6} {'equal':12} speed"]
    for name, each in found.items():
        if "states" not in each or each.get("numpy", "") or "numpy" not in each:
            rows.append(f"{name:34} OpenCL {each.get('missing') or each.get('error') or each.get('numpy') or 'not run'}")
        for way, state in each.get("states", {}).items():
            run = each.get("ways", {}).get(way, {})
            if "speed" in run:
                equal = "NO" if run["equal"] else "unfused" if "fused" in run else "yes"
                outside = "" if SPEED[0] <= run["speed"] <= SPEED[1] else "  OUTSIDE"
                said = f"{equal:12} {run['speed']:.3f}{outside}  {run['equal']}"
            else:
                said = f"FAILED: {run['failed']}" if "failed" in run else f"not run: {run.get('absent') or state}"
            rows.append(f"{name:34} {way:6} {said}")
    return [row.rstrip().replace("\n", " ")[:COLUMNS] for row in rows]


def summary(found: dict[str, dict[str, Any]], gpu: bool) -> int:
    there = {name: each for name, each in found.items() if "missing" not in each}
    rows = "\n".join(line for name, each in there.items() for line in lines(name, each, gpu))
    faults = sum(rows.count(word) for word in ("FAILED", "NOT AS NUMPY", "NOT EQUAL", "OUTSIDE"))
    runs = [run for each in there.values() for run in each.get("ways", {}).values() if "speed" in run]
    ways = sum(len(each.get("states", ())) for each in there.values())
    print("\n" + "\n".join(compact(found)))
    print(f"\n{len(there)} of {len(found)} kernels; {sum('states' in each and each.get('numpy') == '' for each in there.values())} as NumPy under "
          f"OpenCL; {len(runs)} of {ways} ways run on a GPU, {sum(not run['equal'] for run in runs)} equal "
          f"({sum('fused' in run and not run['equal'] for run in runs)} but for fused products),\n"
          f"{sum(SPEED[0] <= run['speed'] <= SPEED[1] for run in runs)} with a speed of {SPEED[0]} to {SPEED[1]}; {faults} faults")
    return 1 if faults else 0 if there else 2


if __name__ == "__main__":
    sys.exit(main())
