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


# What depends on how many work-items there are in the whole range (6.15.1).
OF_SIZE = frozenset(("get_global_size", "get_global_linear_id"))


def is_collective(name: str) -> bool:
    """Whether the function needs the work-items of a group to run concurrently."""
    return name in _COLLECTIVE or name.startswith(_COLLECTIVE_PREFIXES)


def observes_groups(name: str) -> bool:
    """Whether a program can tell by the function how its work-items are grouped."""
    return name in _OF_GROUPS or is_collective(name) or "sub_group" in name


# Single operations by which work-items see what others do: atomics, pipes.
_PIPES = frozenset((
    "read_pipe", "write_pipe", "reserve_read_pipe", "reserve_write_pipe", "work_group_reserve_read_pipe", "work_group_reserve_write_pipe",
    "sub_group_reserve_read_pipe", "sub_group_reserve_write_pipe", "get_pipe_num_packets",
))
_BLIND = ("atomic_init", "atomic_store", "atomic_flag_clear", "atomic_work_item_fence")
FENCES = frozenset(("mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence"))


def is_atomic(name: str) -> bool:
    """Whether the function is an atomic one that tells what was there."""
    return name.startswith(("atomic_", "atom_")) and not name.startswith(_BLIND)


def observes_others(name: str) -> bool:
    """Whether the function's result may be what another work-item has just done."""
    return is_atomic(name) or name in _PIPES


def counts(name: str) -> bool:
    """Whether the atomic function adds or subtracts: unless it is 0, each call sees another value."""
    return name.removesuffix("_explicit").endswith(("_add", "_sub", "_inc", "_dec"))


def compares(name: str) -> bool:
    """Whether the atomic function replaces a value only if that is the one expected."""
    return "cmpxchg" in name or "compare_exchange" in name
