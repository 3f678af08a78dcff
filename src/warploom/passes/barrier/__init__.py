# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Barriers, collectives and waits: removed, looked across, and split at, until no thread waits for another."""
