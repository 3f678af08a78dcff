# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of splitting at barriers that can be switched off by themselves."""

from __future__ import annotations

# Loops and conditions around barriers change places with the loop over threads (interchange.py).
FOR, WHILE, IF = "interchange_for", "interchange_while", "interchange_if"
MINIMUM_CUT = "minimum_cut"  # chooses what is kept across a barrier and what is computed again (crossing_values.py)
EARLY_STORES = "early_stores"  # what comes before a barrier is stored with what it is made of (early_stores.py)
