// options: -cl-std=CL2.0
clk_event_t program_event;
reserve_id_t program_reservation;
pipe int program_pipe;
kernel void event(clk_event_t e) { }
kernel void reservation(reserve_id_t r) { }
kernel void range(ndrange_t n) { }
kernel void both(read_write pipe int p) { }
kernel void images(pipe image2d_t p) { }
void reader(read_only pipe int p);
kernel void f(write_only pipe int p, pipe float q, queue_t queue) {
    pipe int variable;
    reader(p);
    reader(q);
    p = q;
    local clk_event_t shared_one;
    queue + 1;
}

// Diagnostics:
//| error:2:13: the 'clk_event_t' type cannot be used to declare a program scope variable
//| error:3:14: the 'reserve_id_t' type cannot be used to declare a program scope variable
//| error:4:10: type '__read_only pipe int' can only be used as a function parameter in OpenCL
//| error:5:31: 'clk_event_t' cannot be used as the type of a kernel parameter
//| error:6:38: 'reserve_id_t' cannot be used as the type of a kernel parameter
//| error:7:29: 'ndrange_t' cannot be used as the type of a kernel parameter
//| error:8:38: access qualifier 'read_write' can not be used for a pipe
//| error:9:35: a pipe's packets cannot be of type 'image2d_t'
//| error:12:14: type '__read_only pipe int' can only be used as a function parameter in OpenCL
//| error:13:12: passing to parameter of type '__read_only pipe int' from an expression of incompatible type '__write_only pipe int'
//| error:14:12: passing to parameter of type '__read_only pipe int' from an expression of incompatible type '__read_only pipe float'
//| error:15:7: an object of type '__write_only pipe int' cannot be modified
//| error:16:23: the 'clk_event_t' type can only be used with the private address space
//| error:17:11: invalid operands to binary expression ('queue_t' and 'int')
