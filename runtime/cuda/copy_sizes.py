"""Up to which sizes copies between the host and the device go which way."""

from __future__ import annotations

# What CUDA does with pageable memory, in ever larger copies: up to SCRATCH it reads it sooner than we can ask what memory it is, so that we
# bring memory of which we know; up to DIRECT it reads it before the call returns, without waiting for the stream. Then it copies faster
# than we do: up to BY_CUDA than Python's threads (on an H200, 4 MB in 301 us against 762, 16 MiB in 1,107 against 1,020), and up to
# READ_BY_CUDA to the host, WRITTEN_BY_CUDA to the device, than threads in C. On an H100 with 16 processors CUDA's copies took, against
# those of six threads, to the host 35 us against 33 (256 KiB), 72 against 59 (512 KiB), 128 against 82 (1 MiB), 365 against 202 (4 MiB) and
# 1,341 against 461 (14 MiB); to the device 142 against 95 (1 MiB; of memory just allocated 80 against 81), 360 against 412 (4 MiB), 681
# against 496 (8 MiB) and 1,175 against 780 (14 MiB). Two threads are enough to gain to the host (176 against 228, 2 MiB); one is slower
# than CUDA (287).
SCRATCH = 16 << 10
DIRECT = 64 << 10
BY_CUDA = 14 << 20
READ_BY_CUDA = (768 << 10) - 1
WRITTEN_BY_CUDA = (6 << 20) - 1
# A megabyte takes CUDA some 100 us, and another thread some 40 until it has begun.
BRIEF = 1 << 20
# The most that is written in C without a wait for what the stream has to do before: into slots of staging.py's, as many as it takes.
UNWAITED = 2 << 20
