"""Collective functions composed from their names: `sub_group_scan_inclusive_max` scans a sub-group with `op_max`.

Owns what the names mean. The reductions and scans themselves, over any operation, are the ports' (`cuda/groups.cuh`,
`cuda/sub_groups.cuh` and the host's), the operations are in `collectives.cuh`.
"""

from __future__ import annotations

import re

from .items import Item, composed
from .table import Overload

_NAME = re.compile(r"(?:intel_)?(?P<over>(?:work|sub)_group_(?:non_uniform_|clustered_)?(?:reduce|scan_inclusive|scan_exclusive))"
                   r"_(?P<logical>logical_)?(?P<op>\w+)")


def item(overload: Overload, port: str) -> Item:
    """half is combined in float; a logical function combines truth values of its predicates."""
    found = _NAME.fullmatch(overload.name)
    assert found, overload.name
    type_, *more = overload.parameters
    declared = [f"{type_} x", *(f"{t} clustersize" for t in more)]
    given = "x != 0 ? 1 : 0" if found["logical"] else "float_of(x)" if type_ == "half" else "x"
    arguments = [f"op_{found['op']}()", given, *("clustersize" for _ in more)]
    name, macro, template = overload.name, "", ""
    if overload.of_sub_group:
        if port == "host":
            # The host must know which call this is: see library/host/sub_groups.cuh.
            name, macro = f"{name}_at", f"\n#define {name}(...) {name}_at(__COUNTER__, __VA_ARGS__)"
            declared.insert(0, "int place")
            arguments.append("place")
        template = "template<uint W = 32> "
        declared.append("sub_group_tile<W> tile = {}")
        arguments.append("tile")
    call = f"{found['over']}({', '.join(arguments)})"
    value = f"{call} != 0" if found["logical"] else f"half_rte({call})" if type_ == "half" else call
    text = f"{template}__device__ {overload.result} {name}({', '.join(declared)}) {{ return {value}; }}{macro}"
    return composed(f"{overload.name}({type_})", text, overload.parameters, overload.name, name)
