# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m warploom.torch enable`: the same as `warploom torch enable`, for the Python that runs it."""

import sys

from warploom.cli.main import main

sys.exit(main(["torch", *sys.argv[1:]]))
