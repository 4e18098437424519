"""The signature table's last part: functions of any type, also the user's own, which no list of overloads can hold.

A pure table in the notation of `rows`, where gentype is any type. What these functions are given and give is typed by the
translator; the rows say what brings them.
"""

from __future__ import annotations

import re

from .rows import Row
from .rows import _rows as rows

_GENERIC, _PIPES, _DEVICE_ENQUEUE = "__opencl_c_generic_address_space", "__opencl_c_pipes", "__opencl_c_device_enqueue"

_ADDRESS_SPACES = """
global gentype *to_global(gentype *ptr)
local gentype *to_local(gentype *ptr)
private gentype *to_private(gentype *ptr)
cl_mem_fence_flags get_fence(gentype *ptr)
"""

_PIPE = """
int read_pipe(read_only pipe gentype p, gentype *ptr)
int write_pipe(write_only pipe gentype p, const gentype *ptr)
reserve_id_t reserve_read_pipe(read_only pipe gentype p, uint num_packets)
reserve_id_t reserve_write_pipe(write_only pipe gentype p, uint num_packets)
void commit_read_pipe(read_only pipe gentype p, reserve_id_t reserve_id)
void commit_write_pipe(write_only pipe gentype p, reserve_id_t reserve_id)
bool is_valid_reserve_id(reserve_id_t reserve_id)
reserve_id_t work_group_reserve_read_pipe(read_only pipe gentype p, uint num_packets)
reserve_id_t work_group_reserve_write_pipe(write_only pipe gentype p, uint num_packets)
void work_group_commit_read_pipe(read_only pipe gentype p, reserve_id_t reserve_id)
void work_group_commit_write_pipe(write_only pipe gentype p, reserve_id_t reserve_id)
reserve_id_t sub_group_reserve_read_pipe(read_only pipe gentype p, uint num_packets)
reserve_id_t sub_group_reserve_write_pipe(write_only pipe gentype p, uint num_packets)
void sub_group_commit_read_pipe(read_only pipe gentype p, reserve_id_t reserve_id)
void sub_group_commit_write_pipe(write_only pipe gentype p, reserve_id_t reserve_id)
uint get_pipe_num_packets(aQual pipe gentype p)
uint get_pipe_max_packets(aQual pipe gentype p)
"""

# Of blocks: with any number of parameters that point to local memory.
_ENQUEUE = """
int enqueue_kernel(queue_t queue, kernel_enqueue_flags_t flags, const ndrange_t ndrange, void (^block)(local gentype *, ...), ...)
uint get_kernel_work_group_size(void (^block)(local gentype *, ...))
uint get_kernel_preferred_work_group_size_multiple(void (^block)(local gentype *, ...))
"""
_ENQUEUE_SUB_GROUPS = """
uint get_kernel_sub_group_count_for_ndrange(const ndrange_t ndrange, void (^block)(local gentype *, ...))
uint get_kernel_max_sub_group_size_for_ndrange(const ndrange_t ndrange, void (^block)(local gentype *, ...))
"""
ENQUEUE_SECTIONS = ("6.15.19", "6.15.20")

ANY_TYPE_ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        *rows("6.15.10", _ADDRESS_SPACES, since=200, requires=_GENERIC, kind="any_type"),
        *rows("6.15.13", "int vec_step(gentype a)", since=110, kind="any_type"),
        *rows("6.15.18", _PIPE, since=200, requires=_PIPES, kind="any_type"),
        *(Row(re.search(r"\w+(?=\()", line)[0], line, section, since=200, requires=_DEVICE_ENQUEUE, kind="any_type")  # type: ignore[index]
          for section, text in zip(ENQUEUE_SECTIONS, (_ENQUEUE, _ENQUEUE_SUB_GROUPS), strict=True) for line in text.strip().splitlines()),
    )
}
