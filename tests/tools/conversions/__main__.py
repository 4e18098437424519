"""Checks every conversion between scalar types, in every rounding mode and with saturation, against an exact model: all values of the
types of 8 and 16 bits, a million of the others. vload_half and vstore_half too. Ends with status 1 where a result is wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from tools.accuracy import device as devices  # noqa: E402
from tools.conversions import model, run  # noqa: E402

from cl2cuda.runtime.driver.interface import DriverMissing  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python tests/tools/conversions", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", metavar="type", help=f"only from these: {' '.join(model.TYPES)}")
    parser.add_argument("--device", choices=["host", "cuda", "all"], default="all", help="all that there are, unless told otherwise")
    parser.add_argument("--points", type=int, default=1_000_000, help="values of a type of 32 or 64 bits (default 1,000,000)")
    arguments = parser.parse_args()
    wrong = 0
    for name in ("host", "cuda") if arguments.device == "all" else (arguments.device,):
        try:
            device = devices.find(name)
        except (DriverMissing, IndexError) as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        for source in arguments.sources or model.TYPES:
            checked = list(run.check(device, source, arguments.points))
            bad = [each for each in checked if each.wrong]
            results = sum(each.values for each in checked)
            print(f"{name:6}{source:8}{len(checked):4} conversions {results:12,} results {sum(each.wrong for each in bad):10,} wrong", flush=True)
            for each in bad:
                print(f"    {each.name}: {each.wrong:,} wrong, of {each.example[0]!r} {each.example[1]!r}, not {each.example[2]!r}")
            wrong += len(bad)
    print(f"{wrong} conversions are wrong" if wrong else "all conversions are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
