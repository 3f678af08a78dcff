# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""%%cuda, and the example notebook with it: every cell, in IPython's own shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warploom
from warploom.notebook.cell import CellError, run_cell

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "notebook.ipynb"


class Shell:
    """What the magic wants of IPython."""

    execution_count = 3

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}

    def push(self, names: dict[str, Any]) -> None:
        self.names |= names


def test_kernels_become_variables(capfd: pytest.CaptureFixture[str]) -> None:
    shell = Shell()
    cell = """namespace deep { __global__ void twice(int *x) { x[threadIdx.x] *= N; } }
template <class T> __global__ void fill(T *x) { x[0] = 1; }
template __global__ void fill<int>(int *);
template __global__ void fill<float>(float *);
__global__ void warns(int *x) { int unused; }
"""
    shown = run_cell(shell, "--module all -DN=2 --explain", cell)
    assert sorted(shell.names) == ["all", "twice", "warns"]
    x = np.arange(4, dtype=np.int32)
    shell.names["twice"](1, 4, (x,))
    shell.names["all"].get_function("fill<int>")(1, 1, (x,))
    assert x.tolist() == [1, 2, 4, 6]
    assert "deep::twice(int*)" in str(shown)
    assert "In[3]:5:" in capfd.readouterr().err


def test_errors_have_their_line() -> None:
    cell = 'extern "C" __global__ void k(int *x) {\n  x[0] = 1;\n  int y = nothing;\n}\n'
    for words, text in (("", cell), ("", cell + "int main() {}\n")):
        with pytest.raises(CellError) as raised:
            run_cell(Shell(), words, text)
        error = raised.value
        assert (error.filename, error.lineno, error.offset, error.text) == ("In[3]", 3, 11, "  int y = nothing;")
        assert "undeclared identifier 'nothing'" in str(error.msg)
        assert "1 error generated" in error.messages


def test_programs(capfd: pytest.CaptureFixture[str]) -> None:
    cell = '#include <cstdio>\nint main(int n, char **w) { std::printf("%s\\n", w[1]); return n == 3; }\n'
    run_cell(Shell(), "-- 'two words'", cell)
    assert capfd.readouterr().out == "two words\n"
    with pytest.raises(warploom.Diagnostic, match="exit status is 1"):
        run_cell(Shell(), "-- a b", cell)
    for line, message in (("--module 3", "--module"), ("--module", "--module"), ("-- a", "no main")):
        with pytest.raises(warploom.Diagnostic, match=message):
            run_cell(Shell(), line, "__global__ void k() {}")


def test_the_example_notebook(capfd: pytest.CaptureFixture[str]) -> None:
    shells: Any = pytest.importorskip("IPython.core.interactiveshell")
    shell = shells.InteractiveShell()
    cells = [each for each in json.loads(NOTEBOOK.read_text())["cells"] if each["cell_type"] == "code"]
    results: list[Any] = []
    for cell in cells:
        capfd.readouterr()
        result = shell.run_cell("".join(cell["source"]), store_history=True)
        shown = capfd.readouterr().out
        wanted = "".join(text for output in cell["outputs"] for text in output["text"])
        if "raises-exception" in cell["metadata"].get("tags", ()):
            assert isinstance(result.error_in_exec, CellError)
            assert "x[threadIdx.x] = nothing;" in shown
            assert ", line 2" in shown or ":2" in shown
        else:
            result.raise_error()
            assert shown.startswith(wanted), cell["source"]
            results.append(result.result)
    views = [each._repr_html_() for each in results if hasattr(each, "_repr_html_")]
    assert len(views) == 2
    assert all("smooth" in view for view in views)
