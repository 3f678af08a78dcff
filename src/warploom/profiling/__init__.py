# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program's time went to: reads what the runtime recorded, and makes tables, traces and pages of it."""
