# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m warploom` is the `warploom` command."""

import sys

from warploom.cli.main import main

sys.exit(main())
