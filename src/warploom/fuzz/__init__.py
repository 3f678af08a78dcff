# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random CUDA kernels, run on every engine and with every pass switched off: a difference is a bug."""
