# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debug information of emitted functions: the lines of the user's source. Variables are described by shared_debug.py.

%x = fadd float %a, %b, !dbg !7          !7 = !DILocation(line: 12, column: 7, scope: !5)
"""

from __future__ import annotations

from pathlib import Path

from warploom.core.remarks import Loc
from warploom.core.type_names import Protocol


class MakeNode(Protocol):
    """Makes a metadata node and returns its number."""

    def __call__(self, text: str, *, distinct: bool = False) -> str: ...


class DebugInfo:
    """The debug nodes of one LLVM text, each made once."""

    def __init__(self, make: MakeNode, *, has_variables: bool = False) -> None:
        """`has_variables`: some will be described, of which a unit that has lines alone knows no types."""
        self._make = make
        self._kind = "FullDebug" if has_variables else "LineTablesOnly"
        self._unit = ""
        self._files: dict[str, str] = {}  # of a function, by its node
        self._places: dict[tuple[str, Loc | None], str] = {}  # in functions, as they are written
        self._type = make("!DISubroutineType(types: !{null})")

    def subprogram(self, name: str, loc: Loc) -> str:
        """The node of a function that begins at `loc`."""
        file = self._file(loc.file)
        if not self._unit:
            self._unit = self._make(
                f'!DICompileUnit(language: DW_LANG_C_plus_plus_14, file: {file}, producer: "warploom", '
                f"isOptimized: true, runtimeVersion: 0, emissionKind: {self._kind})",
                distinct=True,
            )
        quoted = name.replace("\\", "\\5C").replace('"', "\\22")
        node = self._make(
            f'!DISubprogram(name: "{quoted}", scope: {file}, file: {file}, line: {loc.line}, type: {self._type}, '
            f"scopeLine: {loc.line}, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, "
            f"unit: {self._unit})",
            distinct=True,
        )
        self._files[node] = loc.file
        return node

    def location(self, scope: str, loc: Loc | None) -> str:
        """`, !dbg !N` for a place in the function `scope`; line 0 where the place is not known."""
        key = scope, loc
        if key not in self._places:
            self._places[key] = self._new_location(scope, loc)
        return self._places[key]

    def _new_location(self, scope: str, loc: Loc | None) -> str:
        if loc is None:
            return f", !dbg {self._make(f'!DILocation(line: 0, scope: {scope})')}"
        inner = scope
        if loc.file != self._files[scope]:
            inner = self._make(f"!DILexicalBlockFile(scope: {scope}, file: {self._file(loc.file)}, discriminator: 0)")
        return f", !dbg {self._make(f'!DILocation(line: {loc.line}, column: {loc.column}, scope: {inner})')}"

    def named_metadata(self) -> list[str]:
        """What a module with these nodes says about them."""
        if not self._unit:
            return []
        version = self._make('!{i32 2, !"Debug Info Version", i32 3}')
        return [f"!llvm.dbg.cu = !{{{self._unit}}}", f"!llvm.module.flags = !{{{version}}}"]

    def _file(self, path: str) -> str:
        parts = [part.replace("\\", "\\5C").replace('"', "\\22") for part in (path, str(Path.cwd()))]
        return self._make(f'!DIFile(filename: "{parts[0]}", directory: "{parts[1]}")')
