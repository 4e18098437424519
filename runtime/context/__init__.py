"""Contexts: what objects share, and memory on its way back to the device. It may import devices and what is below it.

    context                 the devices, and what objects of them share
    reclaim                 what is freed when no command can use it any more
    awaited                 a thread that looks whether it can, where the application waits for that
    stream_ordered_memory   memory that passes from one buffer to the next while commands still use it
    queues                  what a context asks of its command-queues, and which live
    destructors             callbacks when an object goes
    shared_memory           the allocations of shared virtual memory
"""
