"""cl2cuda as an OpenCL driver for programs in C and C++ (cl_khr_icd).

    driver/     the C library: objects, the dispatch table, and how Python is found and entered
    generate    the C text of all entry points, from runtime.spec.entry_points
    build       compiles both; library says where the result is, and what lies beside it
    programs    runs a program with it
    start       what the library calls first; then it calls the functions of the other files

In these files a function is named as its entry point. It gets the runtime's objects for handles, a tuple of them for an array, tuples
of events for wait lists, numbers for numbers and for addresses; it gives an object, an event, a query's bytes or nothing, and raises
CLError. NULL handles, arrays, events and counts of references are driver/calls.c's, sizes of queries driver/answers.c's.
"""
