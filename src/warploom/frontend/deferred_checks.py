# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Precompiled headers from which clang reads what a source uses, and not all functions at the end of each source.

clang keeps what is wrong with a CUDA function (a call of a host function, say) until it is known whether code is made
of it. So at the end of a source it looks at every function that has a body, and a precompiled header holds the list
DECLS_TO_CHECK_FOR_DEFERRED_DIAGS of its own: a thousand functions of ours and of the standard library are read, three
quarters of the instructions that clang spends on a small kernel, to find nothing. For what was found wrong while the
header was compiled is not in the file: only functions of the source, and templates that it instantiates, can have
anything to tell, and they are in the source's own list.

    AST_BLOCK:  ... [64, f, g, h, ...] ...   ==>   ... [1000, f, g, h, ...] ...      a record that clang does not know

The file is a bitstream of LLVM (llvm.org/docs/BitCodeFormat.html); the names of its records are in it.
"""

from __future__ import annotations

from pathlib import Path

_BLOCK, _RECORD = "AST_BLOCK", "DECLS_TO_CHECK_FOR_DEFERRED_DIAGS"
_UNKNOWN = 1000  # no record of clang's; in two pieces of five bits, as the record's own number is
_END, _ENTER, _DEFINE, _PLAIN = range(4)  # what abbreviations 0 to 3 mean everywhere
_INFO = 0  # the block that says what others hold: names, abbreviations
_SET_BLOCK, _BLOCK_NAME, _RECORD_NAME = 1, 2, 3
_FIXED, _VBR, _ARRAY, _CHAR6, _BLOB = range(1, 6)  # how an abbreviation encodes an operand; 0: as a literal

_Operand = tuple[int, int]  # encoding, and its width or the literal


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 32  # bits; behind the four letters that begin it
        self.abbreviations: dict[int, list[list[_Operand]]] = {}
        self.block_names: dict[int, str] = {}
        self.record_names: dict[tuple[int, int], str] = {}

    def fixed(self, width: int) -> int:
        first, self.at = self.at, self.at + width
        piece = self.data[first >> 3 : (self.at + 7) >> 3]
        return (int.from_bytes(piece, "little") >> (first & 7)) & ((1 << width) - 1)

    def vbr(self, width: int) -> int:
        value, shift, more = 0, 0, 1 << (width - 1)
        while (piece := self.fixed(width)) & more:
            value |= (piece & ~more) << shift
            shift += width - 1
        return value | piece << shift

    def align(self) -> None:
        self.at = (self.at + 31) & ~31

    def find(self, block: int, width: int, end: int) -> int | None:
        """Where the number of the record is, in a block or one within it."""
        known, about = list(self.abbreviations.get(block, ())), 0
        while self.at < end:
            kind = self.fixed(width)
            if kind == _END:
                return None
            if kind == _ENTER:
                inner, inner_width = self.vbr(8), self.vbr(4)
                self.align()
                size = 32 * self.fixed(32)
                behind = self.at + size
                if inner == _INFO or self.block_names.get(inner) == _BLOCK:
                    found = self.find(inner, inner_width, behind)
                    if found is not None:
                        return found
                self.at = behind
            elif kind == _DEFINE:
                (self.abbreviations.setdefault(about, []) if block == _INFO else known).append(self.abbreviation())
            else:
                place = self.at
                code, *rest = self.record(None if kind == _PLAIN else known[kind - 4])
                if block == _INFO:
                    about = self.learn(about, code, rest)
                elif kind == _PLAIN and self.record_names.get((block, code)) == _RECORD:
                    return place
        return None

    def learn(self, about: int, code: int, rest: list[int]) -> int:
        """A record of the block that describes others; the block that the next one is about."""
        if code == _SET_BLOCK:
            return rest[0]
        if code == _BLOCK_NAME:
            self.block_names[about] = "".join(map(chr, rest))
        elif code == _RECORD_NAME:
            self.record_names[about, rest[0]] = "".join(map(chr, rest[1:]))
        return about

    def abbreviation(self) -> list[_Operand]:
        return [self.operand() for _ in range(self.vbr(5))]

    def operand(self) -> _Operand:
        if self.fixed(1):
            return 0, self.vbr(8)
        encoding = self.fixed(3)
        return encoding, self.vbr(5) if encoding in (_FIXED, _VBR) else 0

    def record(self, abbreviation: list[_Operand] | None) -> list[int]:
        """The number of a record and its operands, but for a blob."""
        if abbreviation is None:
            code = self.vbr(6)
            return [code, *(self.vbr(6) for _ in range(self.vbr(6)))]
        values: list[int] = []
        for number, (encoding, width) in enumerate(abbreviation):
            if encoding == _ARRAY:
                element = abbreviation[number + 1]
                return values + [self.scalar(*element) for _ in range(self.vbr(6))]
            if encoding == _BLOB:
                size = self.vbr(6)
                self.align()
                self.at += 8 * size
                self.align()
            else:
                values.append(self.scalar(encoding, width))
        return values

    def scalar(self, encoding: int, width: int) -> int:
        if encoding in (_FIXED, _VBR) and width:
            return self.fixed(width) if encoding == _FIXED else self.vbr(width)
        return self.fixed(6) if encoding == _CHAR6 else width


def drop_deferred_checks(header: Path) -> bool:
    """Take the list out of a precompiled header that this process has just made; False where there is none."""
    data = bytearray(header.read_bytes())
    reader = _Reader(bytes(data))
    try:
        place = reader.find(-1, 2, 8 * len(data)) if data.startswith(b"CPCH") else None
    except (IndexError, ValueError):  # another format
        return False
    if place is None:
        return False
    reader.at = place
    if not 32 <= reader.vbr(6) < 1024:
        return False
    first, behind = place >> 3, (place + 12 + 7) >> 3
    coded = (_UNKNOWN & 31 | 32 | _UNKNOWN >> 5 << 6) << (place & 7)
    kept = int.from_bytes(data[first:behind], "little") & ~(0xFFF << (place & 7))
    data[first:behind] = (kept | coded).to_bytes(behind - first, "little")
    header.write_bytes(data)
    return True
