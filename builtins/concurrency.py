"""Which built-in functions concern the work-items of a group together: facts about their names that a launch depends on."""

from __future__ import annotations

_COLLECTIVE_PREFIXES = ("work_group_", "sub_group_", "intel_sub_group_", "async_work_group_")
_COLLECTIVE = frozenset(("barrier", "named_barrier_init", "wait_group_events"))
_OF_GROUPS = frozenset((
    "get_local_id", "get_local_size", "get_enqueued_local_size", "get_group_id", "get_num_groups", "get_local_linear_id",
))

# What tells where in the group, or in the whole range, the work-item is (6.15.1).
OF_ITEM = frozenset(("get_local_id", "get_global_id", "get_local_linear_id", "get_global_linear_id"))

# What works on device queues, and so has to know from where it is called (6.15.19).
_OF_DEVICE_QUEUES = frozenset((
    "enqueue_kernel", "enqueue_kernel_after", "enqueue_marker", "retain_event", "release_event", "create_user_event", "is_valid_event",
    "set_user_event_status", "capture_event_profiling_info", "get_default_queue", "get_kernel_work_group_size",
))


def uses_device_queues(name: str) -> bool:
    """Whether the function needs what the runtime tells a kernel about device queues."""
    return name in _OF_DEVICE_QUEUES


def is_collective(name: str) -> bool:
    """Whether the function needs the work-items of a group to run concurrently."""
    return name in _COLLECTIVE or name.startswith(_COLLECTIVE_PREFIXES)


def observes_groups(name: str) -> bool:
    """Whether a program can tell by the function how its work-items are grouped."""
    return name in _OF_GROUPS or is_collective(name) or "sub_group" in name
