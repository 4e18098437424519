"""Changing recorded kernel commands (5.17.7, cl_khr_command_buffer_mutable_dispatch)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..kernel.nd_range import NDRange, Sizes
from ..spec import codes
from ..spec.errors import CLError
from .command import Command, Dispatch
from .command_buffer import CommandBuffer
from .recorder import Recorder
from .recording import enqueue_dispatch

ROUTINE = "clUpdateMutableCommandsKHR"


@dataclass(frozen=True)
class DispatchConfig:
    """cl_mutable_dispatch_config_khr: what is to be changed of one kernel command. Arguments are by index, as
    `Kernel.set_arg` and `Kernel.set_arg_svm_pointer` take them; `work_dim` 0 and None mean no change."""

    command: Command
    arguments: Mapping[int, Any] = field(default_factory=dict)
    svm_arguments: Mapping[int, int] = field(default_factory=dict)
    exec_info: Mapping[int, Any] = field(default_factory=dict)
    work_dim: int = 0
    global_offset: Sizes | None = None
    global_size: Sizes | None = None
    local_size: Sizes | None = None


def update_mutable_commands(command_buffer: CommandBuffer, configs: Sequence[DispatchConfig]) -> None:
    """clUpdateMutableCommandsKHR: "if all the mutable-command objects were updated successfully. Otherwise, none of the updates
    to mutable-command objects are preserved"."""
    if not isinstance(command_buffer, CommandBuffer):
        raise CLError(ROUTINE, "INVALID_COMMAND_BUFFER_KHR", f"{command_buffer!r} is not a command-buffer")
    command_buffer.check(ROUTINE)
    # "CL_INVALID_OPERATION if command_buffer has not been finalized", or "was not created with the CL_COMMAND_BUFFER_MUTABLE_KHR flag".
    if not command_buffer.finalized:
        raise CLError(ROUTINE, "INVALID_OPERATION", "the command-buffer has not been finalized")
    if not command_buffer.mutable:
        raise CLError(ROUTINE, "INVALID_OPERATION", "the command-buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR")
    commands = list(command_buffer.commands)
    for config in configs:
        place = _place(command_buffer, config)
        try:
            commands[place] = _changed(commands[place], config, command_buffer.recorder)
        except CLError as error:
            raise CLError(ROUTINE, error.status, error.reason) from error
    if configs:
        command_buffer.replace(ROUTINE, commands)


def _place(command_buffer: CommandBuffer, config: DispatchConfig) -> int:
    if not isinstance(config, DispatchConfig):
        raise CLError(ROUTINE, "INVALID_VALUE", f"{config!r} is not a configuration of a kernel command")
    command = config.command
    # "CL_INVALID_MUTABLE_COMMAND_KHR if command is not a valid mutable command object, or created from another command-buffer"
    if not isinstance(command, Command) or command.command_buffer is not command_buffer or command.dispatch is None:
        raise CLError(ROUTINE, "INVALID_MUTABLE_COMMAND_KHR", f"{command!r} is not a kernel command of this command-buffer")
    return command.sync_point - 1


def _changed(command: Command, config: DispatchConfig, recorder: Recorder) -> Command:
    dispatch = command.dispatch
    assert dispatch is not None
    now = dispatch.nd_range
    _check_fields(dispatch, config)
    # "CL_INVALID_OPERATION if work_dim is not zero and different from the work_dim set on command recording."
    if config.work_dim and config.work_dim != now.work_dim:
        raise CLError(ROUTINE, "INVALID_OPERATION", f"the command has {now.work_dim} dimensions, not {config.work_dim}")
    own = dispatch.own.clone()
    for index, value in config.arguments.items():
        own.set_arg(index, value)
    for index, address in config.svm_arguments.items():
        own.set_arg_svm_pointer(index, address)
    for param, value in config.exec_info.items():
        own.set_exec_info(param, value)
    changed = dataclasses.replace(dispatch, own=own, nd_range=NDRange(
        now.work_dim,
        now.global_offset if config.global_offset is None else tuple(config.global_offset),
        now.global_size if config.global_size is None else tuple(config.global_size),
        now.local_size if config.local_size is None else tuple(config.local_size),
    ))
    enqueue_dispatch(recorder, changed)
    _, run = recorder.take()
    # "CL_INVALID_OPERATION if the values of local_work_size and/or global_work_size result in a change to work-group uniformity."
    if {_is_uniform(dispatch), _is_uniform(changed)} == {True, False}:
        raise CLError(ROUTINE, "INVALID_OPERATION", "the local size divides the global size before the change or after it, not both times")
    return dataclasses.replace(command, run=run, dispatch=changed)


def _is_uniform(dispatch: Dispatch) -> bool | None:
    """All work-groups are as large; None where the sizes do not say it: without a local size that is ours to choose."""
    size, group = dispatch.nd_range.global_size, dispatch.nd_range.local_size or dispatch.own.info.reqd_work_group_size
    return None if size is None or group is None else all(s % g == 0 for s, g in zip(size, group, strict=False))


def _check_fields(dispatch: Dispatch, config: DispatchConfig) -> None:
    """"CL_INVALID_OPERATION if [a field is given and] was not set [in] CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"."""
    for given, bit, what in (
        (config.global_offset is not None, codes.MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR, "global offset"),
        (config.global_size is not None, codes.MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, "global size"),
        (config.local_size is not None, codes.MUTABLE_DISPATCH_LOCAL_SIZE_KHR, "local size"),
        (bool(config.arguments or config.svm_arguments), codes.MUTABLE_DISPATCH_ARGUMENTS_KHR, "arguments"),
        (bool(config.exec_info), codes.MUTABLE_DISPATCH_EXEC_INFO_KHR, "execution information"),
    ):
        if given and not dispatch.fields & bit:
            raise CLError(ROUTINE, "INVALID_OPERATION", f"the command was recorded without leave to change its {what}")
