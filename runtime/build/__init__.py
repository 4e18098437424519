"""From a program's source to a binary for a device, in this process or a compiler process. It may import process, driver, spec."""
