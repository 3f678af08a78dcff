# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warploom's speed: CUDA programs beside the OpenMP programs that a person would write for the same job."""
