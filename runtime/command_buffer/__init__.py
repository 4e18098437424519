"""Commands recorded once and enqueued often (cl_khr_command_buffer). The top floor of runtime.

    mutable_dispatch   changing recorded kernel commands
    recording          one function for each clCommand* routine
    command_buffer     the object, and enqueuing it
    recorder           what commands take for their queue while they are recorded
    command            a recorded command
"""
