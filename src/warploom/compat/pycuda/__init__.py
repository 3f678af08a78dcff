# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of PyCUDA: SourceModule, the driver's functions, arrays, element-wise kernels and reductions.

    import warploom.compat.pycuda.autoinit
    import warploom.compat.pycuda.driver as drv
    from warploom.compat.pycuda.compiler import SourceModule

`python -m warploom.run` gives these modules PyCUDA's own names. Not there: texture references (CUDA 12 has none),
OpenGL, more than one device, PTX of other compilers.
"""

from __future__ import annotations

VERSION = (2024, 1, 2)
VERSION_TEXT = ".".join(map(str, VERSION))
