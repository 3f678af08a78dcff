# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For tests: CUDA text to functions of the IR."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.core.remarks import Unsupported
from warploom.frontend.cleanup import clean
from warploom.frontend.device_module import DeviceModule, read_device_module
from warploom.frontend.importer import import_kernel
from warploom.frontend.passes import SourceOptions, device_command
from warploom.frontend.ptx.build import ptx_compiler
from warploom.frontend.ptx.lower import lower_inline_ptx
from warploom.ir.core import Function, Op
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.llvm.module import Module
from warploom.toolchain import find_toolchain, run_tool


def cleaned(folder: Path, text: str, *, separate: bool = False) -> DeviceModule:
    """The device module of CUDA source `text` after the clean-up."""
    toolchain = find_toolchain()
    source, bitcode = folder / "t.cu", folder / "t.bc"
    source.write_text(text)
    result = run_tool(device_command(toolchain, source, bitcode, SourceOptions(separate=separate, unique_id="t")))
    assert result.returncode == 0, result.stderr
    module = Module(toolchain.llvm_library, bitcode)
    device = read_device_module(module, separate=separate)
    machine = module.target_machine(toolchain.target, 1)
    lower_inline_ptx(device, ptx_compiler(toolchain, SourceOptions().cpu), machine)
    clean(module, machine, device)
    module.verify("the clean-up")
    return device


def imported(folder: Path, text: str, *, separate: bool = False) -> Function:
    """The only kernel of `text`, verified, and read back from its own text."""
    device = cleaned(folder, text, separate=separate)
    (kernel,) = device.kernels
    function = import_kernel(device, kernel, separate=separate)
    verify(function, "cfg")
    printed = print_function(function)
    assert print_function(parse_function(printed)) == printed
    return function


def ops_of(function: Function, name: str) -> list[Op]:
    """Every op of that name, in the order of the blocks."""
    return [op for block in function.blocks for op in block.ops if op.name == name]


def op_of(function: Function, name: str) -> Op:
    """The only op of that name."""
    (op,) = ops_of(function, name)
    return op


def names(function: Function) -> list[str]:
    return [op.name for block in function.blocks for op in block.ops]


def each(folder: Path, lines: list[str]) -> list[Function]:
    """The kernels of a source with one kernel a line, in order."""
    device = cleaned(folder, "\n".join(lines))
    found = [import_kernel(device, kernel) for kernel in device.kernels]
    found.sort(key=lambda function: function.loc.line if function.loc else 0)
    for function in found:
        verify(function, "cfg")
    return found


def refused(folder: Path, text: str, *, separate: bool = False) -> Unsupported:
    with pytest.raises(Unsupported) as caught:
        imported(folder, text, separate=separate)
    return caught.value
