"""The signature table's part for device queues (6.15.19): events, markers, ND-ranges. Functions that take blocks are in `any_type_rows`.

A pure table in the notation of `rows`.
"""

from __future__ import annotations

from .rows import Row
from .rows import _rows as rows

_ENQUEUE = """
int enqueue_marker(queue_t queue, uint num_events_in_wait_list, const clk_event_t *event_wait_list, clk_event_t *event_ret)
void retain_event(clk_event_t event)
void release_event(clk_event_t event)
clk_event_t create_user_event()
bool is_valid_event(clk_event_t event)
void set_user_event_status(clk_event_t event, int status)
void capture_event_profiling_info(clk_event_t event, clk_profiling_info name, global void *value)
queue_t get_default_queue()
ndrange_t ndrange_1D(size_t global_work_size)
ndrange_t ndrange_1D(size_t global_work_size, size_t local_work_size)
ndrange_t ndrange_1D(size_t global_work_offset, size_t global_work_size, size_t local_work_size)
"""
_SIZES = "\n".join(
    f"ndrange_t ndrange_{n}D({', '.join(f'const size_t *{name}' for name in names)})"
    for n in (2, 3)
    for names in (("global_work_size",), ("global_work_size", "local_work_size"),
                  ("global_work_offset", "global_work_size", "local_work_size"))
)

ENQUEUE_ROWS: tuple[Row, ...] = tuple(rows("6.15.19", _ENQUEUE + _SIZES, since=200, requires="__opencl_c_device_enqueue", kind="written"))

# Constants of the kernel language, by the values of the OpenCL headers. Of enqueue_kernel's results those but the first two are told by
# programs that are built with -g.
RESULTS = {
    "CLK_SUCCESS": 0, "CLK_ENQUEUE_FAILURE": -101, "CLK_INVALID_QUEUE": -102, "CLK_INVALID_NDRANGE": -160,
    "CLK_INVALID_EVENT_WAIT_LIST": -57, "CLK_DEVICE_QUEUE_FULL": -161, "CLK_INVALID_ARG_SIZE": -51,
    "CLK_EVENT_ALLOCATION_FAILURE": -100, "CLK_OUT_OF_RESOURCES": -5,
}
ENQUEUE_CONSTANTS = {
    "CLK_ENQUEUE_FLAGS_NO_WAIT": 0, "CLK_ENQUEUE_FLAGS_WAIT_KERNEL": 1, "CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP": 2,
    "CLK_PROFILING_COMMAND_EXEC_TIME": 1, "CL_COMPLETE": 0, "CL_RUNNING": 1, "CL_SUBMITTED": 2, "CL_QUEUED": 3, **RESULTS,
}
