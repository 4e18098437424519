// options: -cl-std=CL2.0
clk_event_t program_event;
reserve_id_t program_reservation;
pipe int program_pipe;
kernel void event(event_t e) { }
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
//| error:5:27: 'event_t' cannot be used as the type of a kernel parameter
//| error:6:38: access qualifier 'read_write' can not be used for a pipe
//| error:7:35: a pipe's packets cannot be of type 'image2d_t'
//| error:10:14: type '__read_only pipe int' can only be used as a function parameter in OpenCL
//| error:11:12: passing to parameter of type '__read_only pipe int' from an expression of incompatible type '__write_only pipe int'
//| error:12:12: passing to parameter of type '__read_only pipe int' from an expression of incompatible type '__read_only pipe float'
//| error:13:7: an object of type '__write_only pipe int' cannot be modified
//| error:14:23: the 'clk_event_t' type can only be used with the private address space
//| error:15:11: invalid operands to binary expression ('queue_t' and 'int')
