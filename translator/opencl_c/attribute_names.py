"""Which attributes there are: what `__has_attribute` knows, and what is not warned of."""

# OpenCL C's own (6.7.2 of kernels, 6.13), its extensions', and those of GNU C that change a type.
_OPENCL = """
    aligned endian packed vec_type_hint work_group_size_hint reqd_work_group_size opencl_unroll_hint nosvm
    intel_reqd_sub_group_size overloadable ext_vector_type vector_size mode
"""
# GNU C's and clang's that OpenCL programs carry along and that ask for nothing that the program would miss.
_HARMLESS = """
    always_inline annotate artificial cold const convergent deprecated fallthrough flatten format format_arg gnu_inline hot leaf
    malloc may_alias maybe_unused noduplicate noinline nodebug nonnull noreturn no_sanitize nothrow optnone pure
    returns_nonnull section unused used visibility warn_unused_result
"""
KNOWN = frozenset((_OPENCL + _HARMLESS).split())


def plain(name: str) -> str:
    """The name of an attribute that may be written with two underscores before and behind it."""
    return name[2:-2] if name.startswith("__") and name.endswith("__") and len(name) > 4 else name
