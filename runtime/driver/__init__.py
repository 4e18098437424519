"""What a driver is: its interface, and the value types that drivers and objects share. It may import opengl and spec."""
