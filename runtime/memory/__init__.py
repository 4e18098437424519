"""Memory objects but images: buffers, pipes, samplers, shared virtual memory. It may import program and what is below it."""
