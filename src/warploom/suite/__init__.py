# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Build, run and judge a list of CUDA programs."""
