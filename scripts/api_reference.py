#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write docs/api.md, the reference of `import warploom`, from the names, types and docstrings of the package.

`api_reference.py` writes the file, `api_reference.py --check` only compares.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import warploom

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "api.md"
HEAD = """<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->
<!-- Written by scripts/api_reference.py from the docstrings: do not edit. -->
# Reference of `import warploom`

[The guide](python.md) shows how these go together. All of it has types, which type checkers read (`py.typed`).
"""
SPECIAL = ("__call__", "__getitem__")
MADE_BY_OTHERS = ("DeviceProperties", "Explanation", "Kernel", "Profile")  # nobody calls their constructors


def described(made: Any) -> str:
    """A docstring, its examples as blocks of code."""
    lines = inspect.getdoc(made) or ""
    paragraphs: list[str] = []
    for paragraph in lines.split("\n\n"):
        is_code = all(line.startswith("    ") for line in paragraph.splitlines())
        text = textwrap.dedent(paragraph)
        paragraphs.append(f"```python\n{text}\n```" if is_code else text)
    return "\n\n".join(paragraphs)


def signature(name: str, made: Any) -> str:
    """As one would call it."""
    found = inspect.signature(made)
    kept = [each for each in found.parameters.values() if each.name != "self"]
    text = str(found.replace(parameters=kept))
    return name + re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).removesuffix(" -> None")  # annotations are text


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """What a class itself and its bases in this package define for users."""
    seen = set[str]()
    for owner in kind.__mro__:
        if not owner.__module__.startswith("warploom"):
            continue
        for name, made in vars(owner).items():
            if name in seen or (name.startswith("_") and name not in SPECIAL):
                continue
            seen.add(name)
            if isinstance(made, property) or inspect.isfunction(made):
                yield name, made


def of_class(name: str, kind: type) -> Iterator[str]:
    """A class and its members."""
    yield f"## {name}\n"
    yield described(kind) + "\n"
    if "__init__" in vars(kind) and not issubclass(kind, BaseException) and name not in MADE_BY_OTHERS:
        yield f"```python\n{signature(name, kind)}\n```\n"
        yield described(kind.__init__) + "\n" if vars(kind)["__init__"].__doc__ else ""
    for member, made in members(kind):
        if isinstance(made, property):
            result = inspect.signature(made.fget).return_annotation if made.fget else ""
            shown = f".{member}: {result}"
        else:
            shown = signature("kernel" if member == "__call__" else f".{member}", made)
        yield f"**`{shown}`**\n\n{described(made)}\n"
    yield ""


def document() -> str:
    """The whole page."""
    parts = [HEAD]
    for name in warploom.__all__:
        made = getattr(warploom, name)
        if inspect.ismodule(made):
            parts.append(f"## {name}\n\n{described(made)}\n")
        elif inspect.isclass(made):
            parts += of_class(name, made)
        else:
            parts.append(f"## {name}\n\n```python\n{signature(name, made)}\n```\n\n{described(made)}\n")
    lines = "\n".join(parts).splitlines()
    return "\n".join(line.rstrip() for line in lines).replace("\n\n\n", "\n\n").rstrip() + "\n"


def main() -> int:
    """Write or compare."""
    text = document()
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(text)
        return 0
    if not TARGET.exists() or TARGET.read_text() != text:
        print("docs/api.md is not what the package says: run scripts/api_reference.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
