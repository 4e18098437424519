"""Lets a disc of bodies move under their own gravity (nbody.cl), each one a float4 of position and mass."""

import sys
from pathlib import Path

import numpy as np
import pyopencl as cl

N = 1024
STEPS = 20
TIME_STEP = np.float32(0.002)
SOFTENING = np.float32(0.05)
WORK_GROUP = 64


def disc(n):
    """Bodies on about circular orbits around the centre, and their velocities."""
    rng = np.random.default_rng(3)
    radius = np.sqrt(rng.uniform(0.05, 1, n))
    angle = rng.uniform(0, 2 * np.pi, n)
    bodies = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.02 * rng.standard_normal(n), np.full(n, 1 / n)], axis=1)
    speed = np.sqrt(radius)  # the mass inside the orbit grows with the square of the radius
    velocities = np.stack([-speed * np.sin(angle), speed * np.cos(angle), np.zeros(n), np.zeros(n)], axis=1)
    return bodies.astype(np.float32), velocities.astype(np.float32)


def numpy_steps(bodies, velocities):
    position, mass, velocity = bodies[:, :3].astype(float), bodies[:, 3].astype(float), velocities[:, :3].astype(float)
    for _ in range(STEPS):
        d = position[None, :] - position[:, None]
        inverse = (np.sum(d * d, axis=2) + float(SOFTENING) ** 2) ** -1.5
        velocity += float(TIME_STEP) * np.einsum("ijk,ij,j->ik", d, inverse, mass)
        position += float(TIME_STEP) * velocity
    return position


context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, Path(__file__).with_suffix(".cl").read_text()).build()

start, velocities = disc(N)
flags = cl.mem_flags
bodies = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=start)
moved = cl.Buffer(context, flags.READ_WRITE, start.nbytes)
velocity = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=velocities)

advance = cl.Kernel(program, "advance")
for _ in range(STEPS):
    advance(queue, (N,), (WORK_GROUP,), bodies, velocity, moved, np.int32(N), TIME_STEP, SOFTENING, cl.LocalMemory(16 * WORK_GROUP))
    bodies, moved = moved, bodies

end = np.empty_like(start)
cl.enqueue_copy(queue, end, bodies)

error = np.abs(end[:, :3] - numpy_steps(start, velocities)).max()
if not error < 1e-4:
    sys.exit(f"nbody: a body is {error:.2g} away from where NumPy sees it")
print(f"nbody: after {STEPS} steps all {N} bodies are within {error:.1g} of where NumPy sees them")
