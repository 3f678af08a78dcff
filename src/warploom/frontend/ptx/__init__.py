# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX: text to statements (parser), statements to C++ (table, emitter), C++ into the module (lower)."""
