# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX, as CUDA C++: text to statements (parser), statements to C++ (table, emit), C++ into the module (lower)."""
