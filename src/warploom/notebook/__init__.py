# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What people at a prompt or in a notebook look at: explain(), profile(), the cell magic %%cuda."""
