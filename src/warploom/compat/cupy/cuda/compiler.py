# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cupy.cuda.compiler: what is raised for a source that does not compile."""

from __future__ import annotations


class CompileException(Exception):
    """The compiler refused a source; the text is what it said."""

    def __init__(self, msg: str, source: str = "", name: str = "", options: tuple[str, ...] = ()) -> None:
        super().__init__(msg)
        self.source, self.name, self.options = source, name, options

    def get_message(self) -> str:
        """What the compiler said."""
        return str(self)

    def dump(self, f: object) -> None:
        """Write the source with the numbers of its lines, and what the compiler said."""
        for number, line in enumerate(self.source.splitlines(), 1):
            print(f"{number:4} {line}", file=f)  # pyright: ignore[reportArgumentType, reportCallIssue]
        print(self, file=f)  # pyright: ignore[reportArgumentType, reportCallIssue]
