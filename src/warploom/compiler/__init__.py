# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile service: CUDA source text in, machine code of its kernels out, in this process and as often as wanted."""

LAST_MODULE = "warploom.backend.loom"  # imports every pass: the last of those that a compilation wants
