# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Warploom: unmodified CUDA C++ on multicore CPUs."""

__version__ = "0.1.0"
