# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites of one thread's ops in program order: folding, sharing, dropping; and what other passes fold with."""
