# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that compiles one request, which it reads, into the cache: api/specialise.py starts it."""

from __future__ import annotations

import os
import pickle
import sys

from warploom.compiler.service import Request, compile_module


def main() -> int:
    """Compile the request, after everybody else."""
    os.nice(10)
    request = pickle.load(sys.stdin.buffer)
    assert isinstance(request, Request)
    compile_module(request)
    return 0


if __name__ == "__main__":
    sys.exit(main())
