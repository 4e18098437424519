"""Lets Numba's compiler for CUDA be imported beside NumPy 2.5, for this process: to be imported before `numba.cuda`.

NumPy 2.5 removed `row_stack`, another name of `vstack`, which Numba-CUDA up to 0.30 names as it is imported. No kernel of ours uses it.
"""

import numpy as np

if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack
