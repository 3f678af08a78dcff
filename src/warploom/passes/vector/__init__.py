# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over threads become loops over vectors of threads."""
