# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of judged kernels, a file each: patterns of CUDA code with what they do; weave.py writes the rest."""
