# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels without barriers to LLVM text: one function a launch, one a parallel loop over blocks.

    kernel @k(...) {                  define void @k.grid(ptr %args, ptr %launch)     ; once a launch
      %u = ... once a launch            load the launch's dimensions and the arguments
      grid %gdx, %gdy, %gdz {           %u = ...; store what the body needs in %frame
        ... once a block         ==>    call @__warploom_run_blocks(%launch, @k.blocks.0, %frame, ...)
        block { ... }
      }                               define void @k.blocks.0(%frame, %position, %scratch, %first, %last)
    }                                   load what was stored
                                        for each block from %first up to %last, x fastest:
                                          ...; thread loops, x innermost    (loom_blocks.py)

A kernel has variants for some block sizes, and mostly one for all. Passes may have assumed of each that a launch is
not so large that thread numbers of 32 bits wrap (analysis/exact_linear.py): `k.grid` compares, and a larger launch
takes one more version of the kernel, for which nothing was assumed. So does a launch of a size that none is for.

The runtime calls `k.blocks.0` for pieces of the range on any number of OS threads. A piece is a loop of its own so that
what does not change from block to block is computed once. `%position` is where the running block's index is kept for
messages; `%scratch` is memory for values that live across thread loops, which nothing else points to.

Requires Functions in the split stage: no barrier, no collective. The layouts shared with the runtime (the launch,
the arguments of a body, the flags) are those of runtime/image.h.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from warploom.analysis.turns import may_wait, takes_turns
from warploom.backend.image import load_parameter
from warploom.backend.llvm_passes import HAS_VECTORS
from warploom.backend.loom_blocks import (
    LARGEST_LAUNCH,
    SCRATCH_ALIGN,
    BlocksCode,
    dimension_range,
    first_loc,
)
from warploom.backend.loom_code import Code, asks_for_thread, may_spin, strings
from warploom.backend.loom_debug import DebugInfo
from warploom.backend.loom_frames import handed_on, store_frame
from warploom.backend.loom_ops import DECLARATIONS, quoted, words
from warploom.backend.loom_threads import SHARE_THREADS
from warploom.backend.loom_turns import TAKE_TURNS
from warploom.backend.same_text import code_of
from warploom.backend.shared_memory import ENTER_BLOCK, LEAVE_BLOCK
from warploom.backend.thread_by_thread import BODY, ByThread
from warploom.core.kernel_facts import KernelFacts
from warploom.core.launch import LAUNCH_LIMIT
from warploom.core.remarks import Loc
from warploom.core.type_names import Protocol
from warploom.frontend.device_module import Kernel
from warploom.frontend.importer import ID_NAMES
from warploom.ir.core import LAUNCH_PARAMS, Const, Function, Op, Value, free_values, globals_in, walk, walk_op
from warploom.llvm.codes import UNOPTIMISED
from warploom.passes.shape.collapse_grid import ANY, EVENLY, ROWS
from warploom.passes.shape.structure import for_each_thread

GRID_SUFFIX, BLOCKS_SUFFIX = ".grid", ".blocks"
BY_THREAD = "warploom.by_thread"
SHARED_STAYS, ONE_AT_A_TIME, THREADS_NAMED = 1, 2, 4  # flags of __warploom_run_blocks

_RUNTIME = {
    "__warploom_run_blocks": "declare void @__warploom_run_blocks(ptr, ptr, ptr, i64, i64, i32)",
    "__warploom_grid_memory": "declare noalias ptr @__warploom_grid_memory(ptr, i64) nounwind",
    "__warploom_merge_blocks": "declare void @__warploom_merge_blocks(ptr, i32) nounwind",
    ENTER_BLOCK: f'declare noalias ptr @{ENTER_BLOCK}(i32) nounwind willreturn allockind("alloc") '
    'memory(inaccessiblemem: readwrite) "alloc-family"="warploom"',
    LEAVE_BLOCK: f'declare void @{LEAVE_BLOCK}(ptr allocptr nocapture) nounwind willreturn allockind("free") '
    'memory(argmem: readwrite, inaccessiblemem: readwrite) "alloc-family"="warploom"',
    SHARE_THREADS: f"declare void @{SHARE_THREADS}(ptr, ptr, ptr, i32) nounwind",
    TAKE_TURNS: f"declare void @{TAKE_TURNS}(ptr, ptr, i32) nounwind",
    "__warploom_spin_point": "declare void @__warploom_spin_point() nounwind",
    "__warploom_set_thread": "declare void @__warploom_set_thread(i32, i32, i32) nounwind willreturn "
    "memory(inaccessiblemem: readwrite)",
    "__warploom_set_thread_index": "declare void @__warploom_set_thread_index(i32) nounwind willreturn "
    "memory(inaccessiblemem: readwrite)",
    "llvm.smax.i64": "declare i64 @llvm.smax.i64(i64, i64)",
}


class Symbols(Protocol):
    """What the module that the text is linked into knows of its globals."""

    def is_function(self, name: str) -> bool:
        """Whether `name` is a function."""
        ...

    def is_library(self, name: str) -> bool:
        """Whether `name` is a function that LLVM, the C library or the runtime defines."""
        ...


class LoomText:
    """The LLVM text of the kernels of one translation unit."""

    def __init__(
        self,
        target: str,
        symbols: Symbols,
        *,
        attributes: str = "",
        debug: bool = False,
        names_threads: bool = False,
        launch_limit: int = LAUNCH_LIMIT,
    ) -> None:
        """`attributes`: of every function, such as the CPU it is compiled for. `launch_limit`: threads from which on a
        launch is too large for what was made with an assumption."""
        self.names_threads = names_threads
        self.is_x86 = "x86_64" in target
        self._target, self._symbols = target, symbols
        self._attributes = attributes
        self.launch_limit = launch_limit
        self._functions: list[str] = []
        self._declared: dict[str, str] = {}
        self._nodes: list[str] = []
        self._shared_nodes: dict[str, str] = {}
        self._debug = DebugInfo(self.metadata, has_variables=names_threads) if debug else None
        self.referred: set[str] = set()  # globals and functions that the module has
        self.defined: list[str] = []  # functions
        self._by_code: dict[str, str] = {}  # functions that equal ones may stand for

    def add(self, kernel: Kernel, variants: Sequence[Function], wide: Function | ByThread | None = None) -> str:
        """Add a kernel: `variants` for some block sizes (attribute `block`), last the one for all, if there is one;
        `wide`: for launches that fit none of these, when there can be such. The entry's name."""
        before = len(self.defined)
        try:
            return _GridCode(self, kernel).write(variants, wide)
        except BaseException:
            # Nothing may call what was written of it so far, and nothing has to be what it seems.
            del self.defined[before:], self._functions[before:]
            self._by_code = {code: name for code, name in self._by_code.items() if name in self.defined}
            raise

    def text(self) -> str:
        """Everything added so far."""
        named: list[str] = []
        if self._debug is not None:
            named = self._debug.named_metadata()
        nodes = [f"!{number} = {node}" for number, node in enumerate(self._nodes)]
        parts = [self._target, DECLARATIONS, *self._declared.values(), *self._functions, *named, *nodes]
        return "\n".join(parts) + "\n"

    def defined_with(self, word: str) -> list[str]:
        """The functions in whose code `word` occurs."""
        return [name for name, code in zip(self.defined, self._functions, strict=True) if word in code]

    # -- for the functions

    def finish(self, name: str, parameters: str, linkage: str, code: Code) -> None:
        """Add a function whose body is complete."""
        scope = f" !dbg {code.scope}" if code.scope else ""
        has_vectors = any("<" in line for line in code.lines)
        attributes = words(self._attributes, code.attributes, f'"{HAS_VECTORS}"' if has_vectors else "")
        header = f"{words('define', linkage, 'void')} @{quoted(name)}({parameters}) {attributes}{scope}"
        self._functions.append("\n".join([f"{header} {{", "entry:", *code.entry, *code.lines, "}"]))
        self.defined.append(name)

    def finish_once(self, name: str, parameters: str, code: Code) -> str:
        """Add a function, which only its writer knows of, unless an equal one is there; the name of what there is."""
        heads = [parameters, code.attributes]
        key = None if code.scope else code_of([*heads, *code.entry, *code.lines], self._nodes)
        if key in self._by_code:
            return self._by_code[key]
        self.finish(name, parameters, "internal", code)
        if key is not None:
            self._by_code[key] = name
        return name

    def scope(self, name: str, loc: Loc | None) -> str:
        """Debug information of a new function; empty without any."""
        return self._debug.subprogram(name, loc) if self._debug is not None and loc is not None else ""

    def location(self, scope: str, loc: Loc | None) -> str:
        """The suffix that places an instruction in the source."""
        return self._debug.location(scope, loc) if self._debug is not None else ""

    def metadata(self, text: str, *, distinct: bool = False) -> str:
        """A metadata node's number; `@` in the text of a distinct node is the node itself."""
        if not distinct and text in self._shared_nodes:
            return self._shared_nodes[text]
        name = f"!{len(self._nodes)}"
        body = (text.replace("@", name) if distinct else text) or "!{}"
        self._nodes.append(f"distinct {body}" if distinct else body)
        if not distinct:
            self._shared_nodes[text] = name
        return name

    def use(self, name: str) -> None:
        """Declare a function of the runtime."""
        self._declared.setdefault(name, _RUNTIME[name])

    def declare(self, name: str, text: str) -> None:
        """Declare an intrinsic."""
        self._declared.setdefault(name, text)

    def help(self, name: str, parameters: str, lines: Callable[[], Sequence[str]], *, seldom: bool = True) -> str:
        """Define a function of `lines`, if it is not there, that code calls, `seldom` where it hardly ever comes by;
        what a call of it begins with. It keeps all registers."""
        keeps_all = "preserve_allcc " if re.search("x86_64|aarch64", self._target) else ""  # LLVM has it for no others
        if name not in self._declared:
            # LLVM 23 clears the upper halves of vectors where such a function returns, whatever it is to keep.
            given = re.sub('("target-features"="[^"]*avx[^"]*)', r"\1,-vzeroupper", self._attributes)
            attributes = words(given, "noinline", "cold" if seldom else "")
            header = f"define internal {keeps_all}void @{name}({parameters}) {attributes}"
            self._declared[name] = "\n".join([f"{header} {{", *lines(), "}"])
        return f"call {keeps_all}void @{name}"

    def for_each_thread(self, *, asks: bool) -> str:
        """The function that calls another one for each thread of a launch; `asks`: that may ask which one it is."""
        name = f"{BY_THREAD}.asking" if asks else BY_THREAD
        if name not in self.defined:
            _ThreadCode(self, Kernel(name, (), (), 0)).write_loops(asks=asks)
        return name

    def refer(self, constant: Const) -> None:
        """Declare what a constant names."""
        for name in globals_in(constant):
            self._refer(name)

    def refer_callee(self, op: Op) -> bool:
        """Declare the function that `op` calls; true when it may ask which thread calls it."""
        name = str(op.attrs["callee"])
        result = op.results[0].type if op.results else "void"
        types = [*strings(op, "types"), "..."] if op.attrs.get("varargs") else [each.type for each in op.operands]
        self._declare(name, f"declare {result} @{quoted(name)}({', '.join(types)})")
        return asks_for_thread(name) if self._symbols.is_library(name) else bool(op.attrs.get("asks", True))

    def _refer(self, name: str) -> None:
        if self._symbols.is_function(name):
            self._declare(name, f"declare void @{quoted(name)}()")
        else:
            self._declare(name, f"@{quoted(name)} = external global i8")

    def _declare(self, name: str, text: str) -> None:
        # The module's own declaration is what counts, with its attributes; here any will do.
        self._declared.setdefault(name, text)
        self.referred.add(name)


# -- once a launch ----------------------------------------------------------------------------------------------------


class _GridCode(Code):
    """`k.grid`: what runs once a launch."""

    def __init__(self, sink: LoomText, kernel: Kernel) -> None:
        super().__init__(sink)
        self.text, self.kernel = sink, kernel
        self.bodies = 0
        self.launch: list[str] = []
        self.flags = 0
        self.function: Function
        self.too_large = ""  # the label of what runs a launch that fits no variant

    def write(self, variants: Sequence[Function], wide: Function | ByThread | None) -> str:
        """Write the function and the bodies of its parallel loops; its name."""
        entry = self.kernel.name + GRID_SUFFIX
        generic = variants[-1]
        assert wide or generic.facts.block is None, "something is for every block size"
        self.scope = self.text.scope(entry, generic.loc or first_loc(generic.body))
        if generic.facts.collapses and not self.text.names_threads:  # blocks are named as they were launched
            self.text.use("__warploom_merge_blocks")
            way = (ANY, EVENLY, ROWS).index(generic.facts.collapses)
            self.line(f"call void @__warploom_merge_blocks(ptr %launch, i32 {way})", generic.loc, call=True)
        self.launch = [self._dimension(number) for number in range(len(LARGEST_LAUNCH))]
        arguments = self._arguments([each.type for each in generic.arguments])
        if wide is not None:
            (self.too_large,) = self.labels("launch", "wide")
        for function in variants:
            self._variant(function, [*self.launch, *arguments])
        if wide is not None:
            if generic.facts.block is not None:
                self.jump(self.too_large)
            self.start(self.too_large)
            if isinstance(wide, ByThread):
                self._run_by_thread(wide, [each.type for each in generic.arguments])
            else:
                self._code_of(wide, [*self.launch, *arguments])
        self.attributes = words(*UNOPTIMISED)  # it runs once a launch
        self.text.finish(entry, "ptr %args, ptr %launch", "", self)
        return entry

    def _dimension(self, number: int) -> str:
        at = self.value("at", f"getelementptr i8, ptr %launch, i64 {4 * number}")
        return self.value("dim", f"load i32, ptr {at}, align 4{dimension_range(self.text, number)}")

    def _arguments(self, types: list[str]) -> list[str]:
        """Unpack the arguments as a launch hands them over: one pointer a source parameter."""
        pointers: dict[int, str] = {}
        names: list[str] = []
        for piece, type_ in zip(self.kernel.pieces, types, strict=True):
            source = piece.parameter
            if source not in pointers:
                slot = self.value("slot", f"getelementptr ptr, ptr %args, i64 {source}")
                pointers[source] = self.value("argument", f"load ptr, ptr {slot}, align 8")
            if piece.indirect:
                names.append(pointers[source])
                continue
            at = self.value("piece", f"getelementptr i8, ptr {pointers[source]}, i64 {piece.offset}")
            names.append(self.fresh("value"))
            self.lines += load_parameter(type_, names[-1], at, piece.short)
        return names

    def _variant(self, function: Function, parameters: list[str]) -> None:
        """The code for one block size, skipped when the launch has another."""
        sizes = function.facts.block or ()
        tests = [
            self.value("is", f"icmp eq i32 {self.launch[3 + axis]}, {size}") for axis, size in enumerate(sizes) if size
        ]
        after = ""
        if tests:
            both = tests[0]
            for test in tests[1:]:
                both = self.value("is", f"and i1 {both}, {test}")
            here, after = self.labels("variant", "here", "after")
            self.line(f"br i1 {both}, label %{here}, label %{after}")
            self.start(here)
        self._leave_if_too_large(function)
        self._code_of(function, parameters)
        if after:
            self.start(after)

    def _code_of(self, function: Function, parameters: list[str]) -> None:
        self.names = dict(zip(function.params, parameters, strict=True))
        self.function = function
        self.flags = SHARED_STAYS if shares_between_grids(function) else 0
        self.region(function.body)
        self.line("ret void", function.loc)

    def _run_by_thread(self, wide: ByThread, types: list[str]) -> None:
        """Run a function for each thread. `types`: of the kernel's arguments."""
        _ThreadCode(self.text, self.kernel).write_thread(wide.name, types)
        run = self.text.for_each_thread(asks=wide.asks)
        self.line(f"call void @{run}(ptr %args, ptr %launch, ptr @{quoted(wide.name)})", call=True)
        self.line("ret void")

    def _leave_if_too_large(self, function: Function) -> None:
        """A pass relied on thread numbers that do not overflow: not for a launch for which they would."""
        along_x, in_all = function.facts.launch_limit_x, function.facts.launch_limit
        for limit, counts in ((along_x, [self.launch[0], self.launch[3]]), (in_all, self.launch)):
            if limit is None:
                continue
            assert self.too_large, "something was assumed of launches, and there is no version for the others"
            most = min(limit, self.text.launch_limit)
            large = self.value("large", f"icmp ugt i64 {self._product(counts)}, {most}")
            (fits,) = self.labels("launch", "fits")
            self.line(f"br i1 {large}, label %{self.too_large}, label %{fits}")
            self.start(fits)

    def _op_grid(self, op: Op) -> None:
        name = f"{self.kernel.name}{BLOCKS_SUFFIX}.{self.bodies}"
        self.bodies += 1
        captured = sorted(free_values(op), key=lambda value: int(self.names[value].rpartition(".")[2]))
        leaves = bool(self.function.shared) and not self.flags & SHARED_STAYS
        handed = handed_on(captured, self.function)
        body = BlocksCode(self.text, self.function, name, op, handed, leaves=leaves)
        threads = self._block_threads() if body.offsets else "0"
        if self.function.facts.seldom_run:
            body.attributes = words("cold", *UNOPTIMISED)
        if self.function.facts.seldom_run or self.text.names_threads:
            body.long_loops.clear()
        body.write(self.function.launch, debug=bool(self.scope))
        frame = store_frame(self, [*((each.type, self.names[each]) for each in handed.kept), ("i64", threads)])
        blocks = self._product([self.name(each) for each in op.operands])
        scratch = self.value("scratch", f"mul i64 {threads}, {body.scratch_size}")
        flags = self.flags | (ONE_AT_A_TIME if spins(self.function, op) else 0)
        if self.text.names_threads and not any(takes_turns(self.function, each) for each in walk(op.region)):
            flags |= THREADS_NAMED
        self.text.use("__warploom_run_blocks")
        arguments = f"ptr %launch, ptr @{quoted(name)}, ptr {frame}, i64 {blocks}, i64 {scratch}, i32 {flags}"
        self.line(f"call void @__warploom_run_blocks({arguments})", op.loc, call=True)

    def _block_threads(self) -> str:
        """Threads of a block, rounded up so that every piece of scratch memory begins a cache line."""
        more = self.value("more", f"add i64 {self._product(self.launch[3:])}, {SCRATCH_ALIGN - 1}")
        return self.value("threads", f"and i64 {more}, {-SCRATCH_ALIGN}")

    def _product(self, counts: Sequence[str]) -> str:
        """The product of i32 counts as i64; one below 0 counts as 0, which the launch's own dimensions never are."""
        total = ""
        for count in counts:
            factor = self.value("wide", f"sext i32 {count} to i64")
            if count not in self.launch:
                self.text.use("llvm.smax.i64")
                factor = self.value("some", f"call i64 @llvm.smax.i64(i64 {factor}, i64 0)")
            total = self.value("total", f"mul i64 {total}, {factor}") if total else factor
        return total

    def _op_scratch(self, op: Op) -> None:
        if op.attrs["level"] != "grid":
            super()._op_scratch(op)
            return
        size = self.value("size", f"mul i64 {self._product(self.launch)}, {op.attrs['size']}")
        self.text.use("__warploom_grid_memory")
        made = self.define(op.result)
        self.line(f"{made} = call ptr @__warploom_grid_memory(ptr %launch, i64 {size})", op.loc, call=True)


class _ThreadCode(_GridCode):
    """What is written of versions that run clang's own function for each thread (thread_by_thread.py)."""

    def write_thread(self, name: str, types: list[str]) -> None:
        """Write the function for one thread: the launch's dimensions and the arguments, of these types, for BODY."""
        launch = [self._dimension(number) for number in range(len(LARGEST_LAUNCH))]
        arguments = self._arguments(types)
        self.text.declare(BODY, f"declare void @{BODY}(...)")
        given = [*(f"i32 {each}" for each in launch), *map(" ".join, zip(types, arguments, strict=True))]
        self.line(f"call void (...) @{BODY}({', '.join(given)})")
        self.line("ret void")
        ids = [f"i32 %{each}" for each in ID_NAMES]
        self.text.finish(name, ", ".join([*ids, "ptr %args", "ptr %launch"]), "internal", self)

    def write_loops(self, *, asks: bool) -> None:
        """Write what calls the function `%thread` for each thread of a launch; `asks`: it may ask which one it is."""
        launch = [Value("i32", each) for each in LAUNCH_PARAMS]
        args, where, thread = (Value("ptr", hint) for hint in ("args", "launch", "thread"))
        ids = [Value("i32", each) for each in ID_NAMES]
        self.launch = [self._dimension(number) for number in range(len(launch))]
        self.function = Function(self.kernel.name, [*launch, args, where, thread], facts=KernelFacts(any_launch=True))
        call = Op("call_indirect", [thread, *ids, args, where], attrs={"effects": "any", "asks": asks})
        pointers = [self.value(each, f"getelementptr i8, ptr %{each}, i64 0") for each in ("args", "launch", "thread")]
        self.names = dict(zip(self.function.params, [*self.launch, *pointers], strict=True))
        self.region(for_each_thread(self.function, ids, [call]))
        self.line("ret void")
        self.text.finish(self.kernel.name, "ptr %args, ptr %launch, ptr %thread", "internal", self)


def spins(function: Function, grid: Op) -> bool:
    """Whether a block may wait for another one."""
    return any((op.name == "while" and may_spin(op)) or may_wait(function, op) for op in walk_op(grid))


def shares_between_grids(function: Function) -> bool:
    """Whether shared variables must outlive a block's turn: more than one `grid` runs in a launch, so that blocks come
    back, or blocks of a cluster reach each other's."""
    at_top = sum(op.name == "grid" for op in function.body.ops)
    everywhere = sum(op.name == "grid" for op in walk(function.body))
    comes_back = everywhere > 1 or at_top != everywhere
    return bool(function.shared) and (comes_back or function.facts.reaches_cluster)
