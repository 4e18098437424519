"""Where a program's time goes: what `cl2cuda profile` runs, sums up and shows.

    page        a profile as a page; timeline and roofline are its pictures
    compare     two profiles side by side
    table       the profile as text
    counters    what Nsight Compute counts, where it is allowed to
    profile     the sums over a program's commands, and their form in files
    commands    what traces (`runtime/process/trace.py`) tell of commands
    program     running the program that is profiled
    units       figures as people read them

It shows what traces tell and counters count. What a device does not tell is None here, and a dash for people.
"""
