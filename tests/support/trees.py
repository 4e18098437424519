"""Large programs: kernels over trees of helpers, of which they reach as many as is said, as header-heavy programs are."""

from __future__ import annotations

_HEAD = """
#define ROTATED(x, n) rotate((uint)(x), (uint)(n))
typedef struct { float4 position; float weight; int kind; } particle;
constant uint round_constants[8] = {0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u};
"""

# What functions do, by turns. {calls} stands for the sum of what the function calls, {i} for its number.
_BODIES = (
    """
float step_{i}(float x, global const float *in, uint n) {{
    float sum = 0.0f;
    for (uint k = 0; k < (n & 7u) + {i}u % 5u; k++) {{
        float y = in[(k * {i}u + 1u) % n];
        sum += exp(-y * y * 0.25f) * clamp(x + y, 0.0f, 1.0f);
    }}
    return sum + {calls};
}}
""",
    """
float step_{i}(float x, global const float *in, uint n) {{
    uint a = as_uint(x), b = a ^ {i}u, c = n;
    for (int k = 0; k < 8; k++) {{
        uint t = ROTATED(a, 7) + ((a & b) ^ (~a & c)) + round_constants[k];
        c = b;
        b = a;
        a = t + ROTATED(b ^ c, 11);
    }}
    return (float)(a & 0xffffu) + in[b % n] + {calls};
}}
""",
    """
float step_{i}(float x, global const float *in, uint n) {{
    float4 p = (float4)(x, x + 1.0f, {i}.0f, 1.0f), q = vload4(n % 3u, in);
    float4 d = p - q * 0.5f;
    p.xy = d.zw + p.yx;
    float4 chosen = select(p, d, isless(p, q));
    return dot(chosen, d) + rsqrt(1.0f + length(p)) + {calls};
}}
""",
    """
float step_{i}(float x, global const float *in, uint n) {{
    float value = x;
    switch ((n + {i}u) % 5u) {{
    case 0: value += in[n - 1u]; break;
    case 1: value *= 1.5f; break;
    case 2: value = fabs(value - {i}.0f); break;
    default: value = value > 0.5f ? native_sin(value) : value * value; break;
    }}
    while (value > 100.0f)
        value *= 0.25f;
    return value + {calls};
}}
""",
    """
float step_{i}(float x, global const float *in, uint n) {{
    particle bodies[3];
    for (int k = 0; k < 3; k++) {{
        bodies[k].position = (float4)(in[((uint)k + {i}u) % n]);
        bodies[k].weight = x * (float)(k + 1);
        bodies[k].kind = k & 1;
    }}
    float total = 0.0f;
    for (int k = 0; k < 3; k++)
        total += bodies[k].kind ? bodies[k].weight * bodies[k].position.x : mad(bodies[k].position.y, 2.0f, bodies[k].weight);
    return total + {calls};
}}
""",
)

_KERNEL = """
kernel void run_{k}(global float *out, global const float *in, const uint n) {{
    const size_t i = get_global_id(0);
    if (i < n)
        out[i] = step_{root}(in[i], in, n);
}}
"""


def tree(functions: int, reached: int, kernels: int = 1) -> str:
    """A program of so many functions, each of about ten lines. Those that are reached form a tree below each kernel; each of the others
    calls two more, too. No function is called twice."""
    per_kernel = reached // kernels
    calls: dict[int, list[int]] = {}
    for i in range(functions):
        first = i // per_kernel * per_kernel if i < per_kernel * kernels else per_kernel * kernels
        last = first + per_kernel if i < per_kernel * kernels else functions
        calls[i] = [child for child in (first + 2 * (i - first) + 1, first + 2 * (i - first) + 2) if child < last]
    parts = [_HEAD]
    for i in reversed(range(functions)):
        called = " + ".join(f"step_{child}(x * 0.5f, in, n)" for child in calls[i]) or "x"
        parts.append(_BODIES[i % len(_BODIES)].format(i=i, calls=called))
    parts += [_KERNEL.format(k=k, root=k * per_kernel) for k in range(kernels)]
    return "".join(parts)
