# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the tests of every room import what stands here: pytest adds the folder of a conftest to the search path."""
