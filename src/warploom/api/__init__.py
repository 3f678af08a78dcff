# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `import warploom` gives: CUDA kernels on NumPy arrays. The names are those of the package itself."""
