"""Memory objects and events made of objects of OpenGL and EGL (5.2.6, 5.3.12, 5.3.13, 5.11.1). What OpenGL says of them is asked in
`opengl`; how a device has their contents is its driver's matter (`DriverDevice.graphics`)."""
