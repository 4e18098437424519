"""The names of features that cl2cuda does not have yet: OpenGL.

They exist, since PyOpenCL imports them; whoever calls one gets an error that says so.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import not_supported
from .platform import Platform


def have_gl() -> bool:
    return False


def get_gl_context_info_khr(properties: Any, param_name: int, platform: Platform | None = None) -> NoReturn:
    raise not_supported("clGetGLContextInfoKHR", "OpenGL sharing is")
