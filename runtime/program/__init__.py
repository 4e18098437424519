"""Programs: built, compiled, linked, their binaries and logs. It may import queue and what is below it."""
