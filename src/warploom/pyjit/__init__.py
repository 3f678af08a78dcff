# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in Python, in the dialect of numba.cuda: `@warploom.jit`.

A function becomes CUDA C++ text with the lines of its own file, once for each combination of argument types, and takes
the way of every other source from there.
"""
