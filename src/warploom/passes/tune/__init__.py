# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes code faster that is already right and in its final form: registers, caches, the processor's queues."""
