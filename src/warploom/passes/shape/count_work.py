# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Count what a thread does, for `warploom profile`: an analysis at the place where the code is still the author's.

Changes nothing: the formulas (analysis/work_formulas.py) go to the context.
"""

from __future__ import annotations

from warploom.analysis.work_formulas import work_formulas
from warploom.ir.core import Function
from warploom.passes.base import Context, Pass
from warploom.passes.contracts import SCALAR, STRUCTURED


def run(function: Function, context: Context) -> bool:
    """Note the work of a structured kernel."""
    context.work = work_formulas(function)
    return False


COUNT_WORK = Pass("count_work", run, requires=(STRUCTURED, SCALAR))
