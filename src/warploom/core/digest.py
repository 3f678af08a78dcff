# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hash that keys are made of: hashlib's blake2b without hashlib, which loads OpenSSL at the start of a process."""

from __future__ import annotations

try:
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

__all__ = ["blake2b"]
