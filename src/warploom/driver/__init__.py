# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What warpcc does: nvcc's command line (nvcc_options.py), from source files to objects (sources.py), from objects to
programs, libraries and archives (linking.py)."""
