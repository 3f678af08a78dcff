# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen's own CUDA kernels, compiled by warpcc from the user's PyTorch sources: `warploom torch build-aten SOURCE`."""
