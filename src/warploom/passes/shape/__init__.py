# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a control-flow graph to loops over a grid, its blocks and their threads; the versions of a kernel."""
