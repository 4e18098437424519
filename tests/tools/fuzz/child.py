"""One side of the comparison: builds and runs programs as a PyOpenCL user does, on the platform that its argument names.

Needs nothing of this project, so that it runs under any Python with PyOpenCL. Reads one JSON object a line,
{"source", "kernels", "options", "items", "group", "input", "table"}, with "il" in the place of the source a module in Base64, and answers with
one: {"results": {kernel: hexadecimal output}} or {"error": text}. A kernel that fails is the last of a process, since a GPU's context may be
lost with it: the answer lacks the kernels behind it, and the process ends.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from typing import Any

import numpy as np
import pyopencl as cl


def choose(platform: str) -> cl.Context:
    found = [p for p in cl.get_platforms() if platform.lower() in p.name.lower()]
    if not found:
        raise SystemExit(f"no OpenCL platform named {platform!r} among {[p.name for p in cl.get_platforms()]}")
    return cl.Context(found[0].get_devices()[:1])


def run(context: cl.Context, queue: cl.CommandQueue, request: dict[str, Any]) -> dict[str, Any]:
    try:
        source = base64.b64decode(request["il"]) if "il" in request else request["source"]
        program = cl.Program(context, source).build(request["options"])
    except Exception as error:  # whatever a compiler gives as its reason, and it must not end the process
        return {"error": f"{type(error).__name__}: {error}"}
    flags = cl.mem_flags
    given = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=np.array(request[name], kind))
             for name, kind in (("input", np.int32), ("table", np.uint32))]  # fmt: skip
    results = {}
    for name in request["kernels"]:
        out = np.zeros(request["items"], np.uint64)
        buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=out)
        try:
            getattr(program, name)(queue, (request["items"],), (request["group"],), buffer, *given).wait()
            cl.enqueue_copy(queue, out, buffer)
            queue.finish()
            results[name] = out.tobytes().hex()
        except Exception as error:
            results[name] = f"{type(error).__name__}: {error}"
            return {"results": results, "last": True}
    return {"results": results}


def main() -> None:
    context = choose(sys.argv[1])
    queue = cl.CommandQueue(context)
    # What a compiler prints is no answer, in Python or below it.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    device = context.devices[0]
    print(json.dumps({"device": f"{device.platform.name}, {device.name}, {device.driver_version}", "fp64": bool(device.double_fp_config)}),
          file=answers, flush=True)
    for line in sys.stdin:
        answer = run(context, queue, json.loads(line))
        print(json.dumps(answer), file=answers, flush=True)
        if "last" in answer:
            return


if __name__ == "__main__":
    main()
