"""The signature table's last part: functions of any type, also the user's own, which no list of overloads can hold.

A pure table in the notation of `rows`, where gentype is any type. What these functions are given and give is typed by the
translator; the rows say what brings them.
"""

from __future__ import annotations

from .rows import Row
from .rows import _rows as rows

_GENERIC, _PIPES = "__opencl_c_generic_address_space", "__opencl_c_pipes"

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

ANY_TYPE_ROWS: dict[str, Row] = {
    row.name: row
    for row in (
        *rows("6.15.10", _ADDRESS_SPACES, since=200, requires=_GENERIC, kind="any_type"),
        *rows("6.15.13", "int vec_step(gentype a)", since=110, kind="any_type"),
        *rows("6.15.18", _PIPE, since=200, requires=_PIPES, kind="any_type"),
    )
}
