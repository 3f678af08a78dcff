# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's interfaces to CUDA from Python, for programs that were written for them."""
