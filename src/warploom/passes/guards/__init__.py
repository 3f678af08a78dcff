# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Guards of whole loops over threads: blocks and ranges in which they are decided."""
