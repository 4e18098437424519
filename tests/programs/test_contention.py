"""Atomics and barriers under contention, a few runs of each (`python tests/tools/contention.py --runs 1000` does more)."""

from __future__ import annotations

import os

import numpy as np
import pytest
from tools.contention import CHECKS, LOCK_PROGRAM, MESSAGE_PROGRAM, MESSAGES

RUNS = int(os.environ.get("CL2CUDA_TEST_RUNS", "3"))


@pytest.mark.parametrize("name", CHECKS)
def test_totals_are_right(real_device, name):
    random = np.random.default_rng(7)
    for _ in range(RUNS):
        CHECKS[name](real_device, random)


def test_every_order_and_scope_is_there():
    text = LOCK_PROGRAM + MESSAGE_PROGRAM
    for order in ("relaxed", "acquire", "release", "acq_rel", "seq_cst"):
        for scope in ("work_group", "device", "all_svm_devices"):
            assert f"memory_order_{order}, memory_scope_{scope}" in text, (order, scope)
    assert len(MESSAGES) == 9
