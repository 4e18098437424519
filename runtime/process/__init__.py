"""What a process has one of: environment, disk cache, debug mode, timeline, workers, host memory. It may import driver and spec."""
