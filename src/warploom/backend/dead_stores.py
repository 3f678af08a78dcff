# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Take out what a block stores in shared memory and nobody loads.

    for each block:                                     for each block:
      %s = enter_block
      store %a, %s + 0                                    store %a, %s + 0
      store %b, %s + 64                                   %x = %b + 1
      %x = load (%s + 64) + 1                     ==>     if %c: use load %s + 0
      if %c: use load %s + 0
      leave_block %s

Theorem: the memory of a block is its own from `enter_block` to `leave_block`, and where no address of it leaves the
function, only the function's own loads read it. So (1) a load has the value of the store before it in its basic block
that wrote the same bytes as the same type, if no other store in between may reach them; (2) a store is dead when on no
path from it a load of one of its bytes comes before `leave_block` or a store of all of them. LLVM drops the second kind
only up to the first store that is read. Loads of the first kind count as none in (2), and use the stored value where
that lets the store go: a value that is in memory anyhow had better be loaded than held in a register.

Requires optimised code: loops of a few trips are unrolled, so that addresses are constants. Bytes are the bits of an
int. What lies at an address that is not constant may be any byte. An address that is chosen, or one of a vector's, may
lead elsewhere: what is stored there stays.
"""

from __future__ import annotations

from collections.abc import Container

from warploom.backend.shared_memory import LEAVE_BLOCK, blocks_entered
from warploom.core.records import dataclass, field
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Opcode
from warploom.llvm.module import Module

ANYWHERE = -1  # all bytes
FARTHEST = 1 << 20  # more than a block's memory has; code that never runs may compute any address
_PASSED_ON = {Opcode.PHI, Opcode.SELECT, Opcode.INSERT_ELEMENT, Opcode.SHUFFLE_VECTOR}
_READS = ("llvm.masked.load.", "llvm.masked.gather.")  # from operand 0
_WRITES = ("llvm.masked.store.", "llvm.masked.scatter.")  # operand 0 to operand 1


@dataclass
class _Access:
    """What an instruction does to the bytes: `writes` all of them if `surely`."""

    reads: int = 0
    writes: int = 0
    surely: bool = False
    plain: bool = False  # a load that may take its value from elsewhere, a store that may go
    ends: bool = False  # nothing is read after it


@dataclass(frozen=True)
class _Place:
    """Bytes from the memory's start, None: not constant; whether it may be elsewhere."""

    offset: int | None = None
    elsewhere: bool = False


@dataclass
class _Memory:
    """The accesses of one block's memory: every instruction that has an address of it."""

    accesses: dict[Handle, _Access] = field(default_factory=dict[Handle, _Access])
    escapes: bool = False


def drop_dead_stores(module: Module) -> None:
    """Forward and drop stores in every function that enters blocks."""
    for call in blocks_entered(module):
        memory = _follow(module, call)
        if not memory.escapes:
            _drop(module, memory, _forwarded(module, memory))


def _follow(module: Module, entered: Handle) -> _Memory:
    """Every access through an address that is computed from `entered`."""
    memory = _Memory({entered: _Access(ends=True)})
    places = {entered: _Place(0)}
    work = [entered]
    while work and not memory.escapes:
        pointer = work.pop()
        for user in module.users(pointer):
            opcode = module.lib.LLVMGetInstructionOpcode(user)
            if opcode == Opcode.GEP or opcode in _PASSED_ON:
                if user not in places:
                    places[user] = _step(module, user, places[pointer]) if opcode == Opcode.GEP else _Place(None, True)
                    work.append(user)
            elif opcode != Opcode.ICMP:
                _add_access(module, memory, user, opcode, pointer, places[pointer])
    return memory


def _step(module: Module, gep: Handle, base: _Place) -> _Place:
    """Where `gep` leads."""
    lib = module.lib
    _, *indices = module.operands(gep)
    if base.offset is None or len(indices) != 1 or not lib.LLVMIsAConstantInt(indices[0]):
        return _Place(None, base.elsewhere)
    step = lib.LLVMConstIntGetSExtValue(indices[0]) * module.size_of(lib.LLVMGetGEPSourceElementType(gep))
    return _Place(base.offset + step if 0 <= base.offset + step < FARTHEST else None, base.elsewhere)


def _add_access(module: Module, memory: _Memory, user: Handle, opcode: int, pointer: Handle, place: _Place) -> None:
    lib = module.lib
    at = [number for number, each in enumerate(module.operands(user)) if each == pointer]
    name = module.name(lib.LLVMGetCalledValue(user)) if opcode == Opcode.CALL else ""
    if opcode == Opcode.LOAD or (name.startswith(_READS) and at == [0]):
        plain = opcode == Opcode.LOAD and _is_plain(module, user)
        memory.accesses[user] = _Access(reads=_bytes(module, place, lib.LLVMTypeOf(user)), plain=plain)
    elif opcode == Opcode.STORE and at == [1]:
        written = _bytes(module, place, lib.LLVMTypeOf(lib.LLVMGetOperand(user, 0)))
        plain = _is_plain(module, user) and not place.elsewhere
        memory.accesses[user] = _Access(writes=written, surely=written != ANYWHERE, plain=plain)
    elif name.startswith(_WRITES) and at == [1]:
        written = _bytes(module, place, lib.LLVMTypeOf(lib.LLVMGetOperand(user, 0)))
        memory.accesses[user] = _Access(writes=written, plain=not place.elsewhere)
    elif opcode in (Opcode.ATOMIC_RMW, Opcode.ATOMIC_CMP_XCHG) and at == [0]:
        memory.accesses[user] = _Access(reads=ANYWHERE, writes=ANYWHERE)
    elif name == LEAVE_BLOCK:
        memory.accesses[user] = _Access(ends=True)
    elif not name.startswith("llvm.prefetch."):
        memory.escapes = True


def _is_plain(module: Module, access: Handle) -> bool:
    return not module.lib.LLVMGetVolatile(access) and module.lib.LLVMGetOrdering(access) == 0


def _bytes(module: Module, place: _Place, type_: Handle) -> int:
    """The bits of a value's bytes."""
    if place.offset is None:
        return ANYWHERE
    return ((1 << module.lib.LLVMStoreSizeOfType(module.data_layout, type_)) - 1) << place.offset


def _forwarded(module: Module, memory: _Memory) -> dict[Handle, Handle]:
    """Loads of what their basic block has stored (1): the stores."""
    lib = module.lib
    found: dict[Handle, Handle] = {}
    for block in _blocks(module, memory):
        stores: dict[int, Handle] = {}  # by the bytes they write
        for instruction in _in_order(module, memory, block):
            access = memory.accesses[instruction]
            store = stores.get(access.reads, 0)
            if store and access.plain:
                if lib.LLVMTypeOf(lib.LLVMGetOperand(store, 0)) == lib.LLVMTypeOf(instruction):
                    found[instruction] = store
            elif access.ends:
                stores.clear()
            elif access.writes:
                stores = {bytes_: each for bytes_, each in stores.items() if not bytes_ & access.writes}
                if access.surely and access.plain:
                    stores[access.writes] = instruction
    return found


def _drop(module: Module, memory: _Memory, forwarded: dict[Handle, Handle]) -> None:
    """Erase the stores that are dead (2), and the loads that they are forwarded to."""
    lib = module.lib
    dead = _dead(module, memory, forwarded)
    for load, store in forwarded.items():
        if store in dead:
            lib.LLVMReplaceAllUsesWith(load, lib.LLVMGetOperand(store, 0))
            lib.LLVMInstructionEraseFromParent(load)
    for store in dead:
        lib.LLVMInstructionEraseFromParent(store)


def _dead(module: Module, memory: _Memory, unread: Container[Handle]) -> set[Handle]:
    """The stores whose bytes nothing reads but `unread` loads."""
    function = module.function_of(next(iter(memory.accesses)))
    backwards = {block: _in_order(module, memory, block)[::-1] for block in _blocks(module, memory)}
    following = {block: _successors(module, block) for block in module.blocks(function)}
    live = dict.fromkeys(following, 0)  # bytes that are read from the block's start on
    dead: set[Handle] = set()

    def start_of(block: Handle) -> int:
        now = 0
        for each in following[block]:
            now |= live[each]
        for instruction in backwards.get(block, ()):
            access = memory.accesses[instruction]
            if access.writes and access.plain:
                (dead.discard if access.writes & now else dead.add)(instruction)
            if access.ends:
                now = 0
            elif access.surely:
                now &= ~access.writes
            elif instruction not in unread:
                now |= access.reads
        return now

    changed = True
    while changed:
        changed = False
        for block in reversed(following):
            before, live[block] = live[block], start_of(block)
            changed |= live[block] != before
    return dead


def _blocks(module: Module, memory: _Memory) -> list[Handle]:
    return list(dict.fromkeys(map(module.lib.LLVMGetInstructionParent, memory.accesses)))


def _in_order(module: Module, memory: _Memory, block: Handle) -> list[Handle]:
    return [each for each in module.block_instructions(block) if each in memory.accesses]


def _successors(module: Module, block: Handle) -> list[Handle]:
    lib = module.lib
    last = lib.LLVMGetBasicBlockTerminator(block)
    return [lib.LLVMGetSuccessor(last, number) for number in range(lib.LLVMGetNumSuccessors(last))]
