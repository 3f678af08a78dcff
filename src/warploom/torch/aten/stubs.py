# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which operators' code, in libtorch_cpu for all devices, asks a dispatch stub for the kernel of its device.

Read from PyTorch's C++: a function of aten/src/ATen/native/*.cpp asks the stubs that its text names, and those of the
functions of the same file that it names. An operator that is wrongly thought to have its kernel is no harm: what a stub
lacks runs on the CPU backend.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

_REGISTERED = re.compile(r"\bREGISTER_(?:CUDA_)?DISPATCH\(\s*(\w+)\s*,")
_NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)((?:[^\n\\]|\\.|\\\n)*)", re.M)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)
_WORD = re.compile(r"\w+")
_NAMED = re.compile(r"TORCH_IMPL_FUNC\s*\(\s*(\w+)\s*\)|\b(?:struct|class)\s+(\w+)[^()]*$|(\w+)\s*\(")


def registered_stubs(text: str) -> set[str]:
    """The stubs that a CUDA file gives a kernel."""
    return set(_REGISTERED.findall(text))


def kernels_behind(folder: Path, stubs: Collection[str]) -> set[str]:
    """The functions of the files in `folder` that ask one of `stubs`."""
    found: set[str] = set()
    for path in sorted(folder.glob("*.cpp")):
        text = path.read_text(errors="replace")
        if any(stub in text for stub in stubs) or "##" in text:
            found |= asking(functions_of(text), stubs)
    return found


def asking(functions: dict[str, set[str]], stubs: Collection[str]) -> set[str]:
    """Those of `functions`, each with the words of its text, that reach one of `stubs`."""
    found = {name for name, words in functions.items() if not words.isdisjoint(stubs)}
    while True:
        more = {name for name, words in functions.items() if name not in found and not words.isdisjoint(found)}
        if not more:
            return found
        found |= more


def functions_of(text: str) -> dict[str, set[str]]:
    """The functions and classes that C++ defines, and the words of their text."""
    text = _expanded(_NOISE.sub(" ", text))
    functions: dict[str, set[str]] = {}
    depth, head, begin, name = 0, 0, 0, ""
    for match in re.finditer(r"[{};]", text):
        place, mark = match.start(), match[0]
        if depth == 0 and mark == "{":
            before = text[head:place]
            named = _NAMED.search(before)
            if named is None:  # a namespace: what it holds counts as outside
                head = place + 1
                continue
            name, begin = named[1] or named[2] or named[3], place
        if mark == "{":
            depth += 1
        elif mark == "}" and depth > 0:
            depth -= 1
            if depth == 0:
                functions.setdefault(name, set()).update(_WORD.findall(text[begin:place]))
        if depth == 0:
            head = place + 1
    return functions


def _expanded(text: str) -> str:
    """Without the preprocessor's lines, and with the file's own macros in the place of calls that begin a line."""
    macros = {match[1]: ([each.strip() for each in match[2].split(",")], match[3]) for match in _MACRO.finditer(text)}
    text = _DIRECTIVE.sub("", text)
    if not macros:
        return text
    called = re.compile(rf"^[ \t]*({'|'.join(macros)})[ \t]*\(([^(){{}};]*)\)[ \t]*;?", re.M)
    for _ in range(3):  # a macro may call another

        def expand(match: re.Match[str]) -> str:
            names, body = macros[match[1]]
            given = dict(zip(names, (each.strip() for each in match[2].split(",")), strict=False))
            body = re.sub(r"\\\n", "\n", body)
            body = _WORD.sub(lambda word: given.get(word[0], word[0]), body)
            return re.sub(r"\s*##\s*", "", body)

        text = called.sub(expand, text)
    return text
