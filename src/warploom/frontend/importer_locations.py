# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where in the user's source an instruction comes from.

After inlining, an instruction of a header of ours has a chain of places: the header's line, then the line that called
it, and so on outwards. The user's is the innermost one that lies outside of our headers.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from warploom.core.remarks import Loc
from warploom.frontend.passes import INCLUDE
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module

_OWN_HEADERS = str(INCLUDE) + os.sep
_SUBPROGRAM_NAME = 2  # operand of a DISubprogram


class Locations:
    """The debug locations of one module, each read once."""

    def __init__(self, module: Module) -> None:
        self.module, self.lib = module, module.lib
        self._places: dict[Handle, Loc | None] = {}
        self._files: dict[Handle, tuple[str, bool]] = {}  # by scope, and by file

    def of(self, instruction: Handle) -> Loc | None:
        """The user's place of `instruction`; None when the module does not say."""
        node = self.lib.LLVMInstructionGetDebugLoc(instruction)
        if not node:
            return None
        if node not in self._places:
            self._places[node] = self._read(node)
        return self._places[node]

    def of_function(self, function: Handle) -> Loc | None:
        """Where a function is defined."""
        subprogram = self.lib.LLVMGetSubprogram(function)
        if not subprogram:
            return None
        file, _ = self._file(subprogram)
        line = self.lib.LLVMDISubprogramGetLine(subprogram)
        return Loc(file, line) if file and line else None

    def path_of_function(self, function: Handle) -> Path | None:
        """The file in which a function is defined; None without debug information."""
        subprogram = self.lib.LLVMGetSubprogram(function)
        file = self.lib.LLVMDIScopeGetFile(subprogram) if subprogram else 0
        if not file:
            return None
        return Path(self._text(self.lib.LLVMDIFileGetDirectory, file), self._text(self.lib.LLVMDIFileGetFilename, file))

    def name_of_function(self, function: Handle) -> str:
        """A function's name in the source; empty without debug information."""
        subprogram = self.lib.LLVMGetSubprogram(function)
        if not subprogram:
            return ""
        return self.module.string(self.module.metadata_operands(subprogram)[_SUBPROGRAM_NAME])

    def _read(self, node: Handle) -> Loc | None:
        lib = self.lib
        place: Loc | None = None
        while node:
            file, is_own = self._file(lib.LLVMDILocationGetScope(node))
            line = lib.LLVMDILocationGetLine(node)
            if file and line:
                place = Loc(file, line, lib.LLVMDILocationGetColumn(node))
                if not is_own:
                    return place
            node = lib.LLVMDILocationGetInlinedAt(node)
        return place

    def show_user_lines(self) -> None:
        """Give every instruction that was inlined from a header of ours the place of the user's call."""
        for function in self.module.functions():
            for instruction in self.module.instructions(function):
                node = innermost = self.lib.LLVMInstructionGetDebugLoc(instruction)
                while node and self._file(self.lib.LLVMDILocationGetScope(node))[1]:
                    node = self.lib.LLVMDILocationGetInlinedAt(node)
                if node and node != innermost:
                    self.lib.LLVMInstructionSetDebugLoc(instruction, node)

    def _file(self, scope: Handle) -> tuple[str, bool]:
        """The file of a scope, and whether it is a header of ours."""
        found = self._files.get(scope)
        if found is None:
            file = self.lib.LLVMDIScopeGetFile(scope)
            found = self._files.get(file) or self._read_file(file)
            self._files[scope] = self._files[file] = found
        return found

    def _read_file(self, file: Handle) -> tuple[str, bool]:
        if not file:
            return "", False
        name = self._text(self.lib.LLVMDIFileGetFilename, file)
        folder = self._text(self.lib.LLVMDIFileGetDirectory, file)
        return name, os.path.normpath(Path(folder) / name).startswith(_OWN_HEADERS)

    @staticmethod
    def _text(getter: ctypes._NamedFuncPointer, node: Handle) -> str:  # pyright: ignore[reportPrivateUsage]
        size = ctypes.c_uint()
        text = getter(node, ctypes.byref(size))
        return ctypes.string_at(text, size.value).decode("utf-8", "replace") if text else ""
