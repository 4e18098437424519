"""Commands recorded once and enqueued often (cl_khr_command_buffer). The top floor of runtime."""
