# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls: of the device ABI (values, barriers, collectives), of intrinsics, of functions, and inline assembly."""

from __future__ import annotations

import ctypes

from warploom.analysis.turns import PHASE_WAIT
from warploom.core.records import dataclass, replace
from warploom.core.remarks import Loc, Unsupported
from warploom.frontend.callees import EXIT_THREAD, UNIFORM, Callees
from warploom.frontend.device_abi import COLLECTIVES, DIMENSIONS, FROM_THREAD_NUMBER, IDS, OF_CLUSTER, Collective
from warploom.frontend.host_library import MATH_LIBRARY, PURE_MATH, RUNTIME_PREFIX
from warploom.frontend.importer_ops import fast_math
from warploom.frontend.importer_state import ImportState
from warploom.frontend.promises import ABI_ATTRIBUTES
from warploom.ir.core import Attribute, Const, Op, Operand, Value, int_const, is_undefined
from warploom.ir.divisions import division
from warploom.ir.dot_products import dot_product
from warploom.ir.vector_functions import is_faster_roughly
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, Opcode, TypeKind

# Of LLVM's attribute `memory`, which has two bits a kind of memory: 1 read, 2 write.
_READ_BITS, _ARGUMENT_BITS = 0x55555555, 0b11

_ALL_LANES = int_const("i32", -1)
_PREDICATE_ARGUMENT = 2  # of match_all: where it says whether all lanes agree

_DROPPED = (
    "llvm.lifetime.", "llvm.dbg.", "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.donothing",
    "llvm.prefetch", "llvm.var.annotation", "llvm.invariant.", "llvm.stacksave", "llvm.stackrestore", "llvm.fake.use",
    "llvm.pseudoprobe", "llvm.sideeffect",
)  # fmt: skip
_FIRST_ARGUMENT = (
    "llvm.expect.", "llvm.annotation.", "llvm.ptr.annotation.", "llvm.launder.invariant.group.",
    "llvm.strip.invariant.group.", "llvm.ssa.copy.", "llvm.arithmetic.fence.",
)  # fmt: skip
_TRANSFERS = {"llvm.memcpy.": "memcpy", "llvm.memmove.": "memmove", "llvm.memset.": "memset"}


@dataclass(frozen=True)
class _Callee:
    """What is known of a function by its declaration."""

    name: str
    effects: str
    speculatable: bool
    noreturn: bool
    looks: bool  # the answer may change when another thread stores
    asks_where: bool  # the answer is another in another thread or block: no two calls are the same


class CallImporter:
    """Imports one call at a time."""

    def __init__(self, state: ImportState, callees: Callees) -> None:
        self.state, self.lib, self.module, self.callees = state, state.lib, state.module, callees
        self._known: dict[Handle, _Callee] = {}
        self.elsewhere: dict[str, frozenset[str]] = {}  # for a callee: functions of other translation units
        self._linear: Value | None = None
        self._kinds = {
            name: self.module.attribute_kind(name) for name in (*ABI_ATTRIBUTES, "memory", "align", "noreturn")
        }

    def run(self, call: Handle) -> bool:
        """Import `call`; true when the thread ends here, so that nothing after it runs."""
        callee = self.lib.LLVMGetCalledValue(call)
        if not self.lib.LLVMIsAFunction(callee):
            if self.lib.LLVMIsAInlineAsm(callee):
                self._asm(call, callee)
            else:
                self._indirect(call, callee)
            return False
        known = self._known.get(callee)
        if known is None:
            known = self._known[callee] = self._learn(callee)
        if known.name.startswith("__warploom_") and self._device_abi(call, known.name):
            return known.name == EXIT_THREAD
        if known.name.startswith("llvm."):
            self._intrinsic(call, known)
        else:
            self._direct(call, callee, known)
        if known.noreturn or self._call_attribute(call, FUNCTION_INDEX, "noreturn"):
            self.state.add(Op("unreachable"))
            return True
        return False

    def looks(self, callee: str) -> bool:
        """Whether what the function of that name gives may change when another thread stores."""
        return any(known.looks for known in self._known.values() if known.name == callee)

    # -- the device ABI ---------------------------------------------------------------------------------------------

    def _device_abi(self, call: Handle, name: str) -> bool:
        """Import a call of the device ABI that is more than a call; false when it is none."""
        state, function = self.state, self.state.function
        if name in IDS:
            state.values[call] = function.ids[IDS[name]]
        elif name in DIMENSIONS:
            state.values[call] = function.launch[DIMENSIONS[name]]
        elif name in FROM_THREAD_NUMBER:
            operation, amount = FROM_THREAD_NUMBER[name]
            state.values[call] = state.op(
                operation, [self._linear_id(), int_const("i32", amount)], "i32", state.hint(call)
            )
        elif name == EXIT_THREAD:
            state.add(Op("ret"))
        elif name in COLLECTIVES:
            self._collective(call, name, COLLECTIVES[name])
        elif name == PHASE_WAIT:
            state.add(Op("call", self._arguments(call), attrs={"callee": name, "effects": "any"}))
        elif name in OF_CLUSTER:
            function.facts = replace(function.facts, reaches_cluster=True)
            operands: list[Operand] = [*function.ids[:3], self._argument(call, 0)]
            state.define(call, "call", operands, {"callee": OF_CLUSTER[name], "effects": "none"})
        elif (divides := division(name)) is not None:
            state.define(call, divides[0], self._arguments(call), {})
        elif name in ("__warploom_barrier_named", "__warploom_barrier_arrive"):
            raise Unsupported("waits at a named barrier")
        else:
            return False
        return True

    def _linear_id(self) -> Value:
        """tx + bdx * (ty + bdy * tz), computed once at the entry."""
        if self._linear is None:
            function, prologue = self.state.function, self.state.prologue
            bdx, bdy = function.launch[3:5]
            operand = function.ids[5]
            for name, other in (("mul", bdy), ("add", function.ids[4]), ("mul", bdx), ("add", function.ids[3])):
                made = Value("i32", "linear")
                prologue.append(Op(name, [operand, other], [made], {"flags": ("nuw", "nsw")}, loc=function.loc))
                operand = made
            self._linear = operand
        return self._linear

    def _collective(self, call: Handle, name: str, what: Collective) -> None:
        state, lib = self.state, self.lib
        outer, state.loc = state.loc, self._stated_place(call) or state.loc
        # A lane may bring a value that it never set: one lane's poison would make a ballot of all lanes poison.
        given = [lib.LLVMGetOperand(call, number) for number in range(what.operands)]
        exchanged = 0 if what.op == "barrier_reduce" else 1
        operands = [self._fixed(each) if n == exchanged else state.operand(each) for n, each in enumerate(given)]
        if what.op == "barrier":
            state.add(Op("barrier", [each for each in operands if each != _ALL_LANES], attrs=dict(what.attrs)))
        else:
            state.define(call, what.op, operands, dict(what.attrs))
        if name == "__warploom_match_all":
            lanes = state.values[call]
            agree = state.op("icmp", [lanes, int_const("i32", 0)], "i1", pred="ne")
            stored: list[Operand] = [state.op("zext", [agree], "i32"), self._argument(call, _PREDICATE_ARGUMENT)]
            state.add(Op("store", stored, attrs={"align": 4}))
        state.loc = outer

    def _fixed(self, value: Handle) -> Operand:
        """The operand, and where it may be undefined some fixed value."""
        operand = self.state.operand(value)
        if isinstance(operand, Const):
            return Const(operand.type, 0) if is_undefined(operand) else operand
        return operand if self._is_defined(value) else self.state.op("freeze", [operand], operand.type)

    def _is_defined(self, value: Handle) -> bool:
        """Whether `value` cannot be undefined by what it says itself: a parameter, an index, a value from memory."""
        lib = self.lib
        if not lib.LLVMIsAInstruction(value):
            return True
        opcode = lib.LLVMGetInstructionOpcode(value)
        if opcode == Opcode.CALL:
            return self.module.name(lib.LLVMGetCalledValue(value)).startswith(RUNTIME_PREFIX)
        if opcode in (Opcode.ZEXT, Opcode.SEXT, Opcode.BIT_CAST, Opcode.ICMP, Opcode.FCMP):
            flags = opcode == Opcode.ZEXT and lib.LLVMGetNNeg(value)
            return not flags and all(map(self._is_defined, self.module.operands(value)))
        return False

    def _stated_place(self, call: Handle) -> Loc | None:
        """The place that the last two arguments name, when they are constants."""
        count = self.lib.LLVMGetNumArgOperands(call)
        if count < 2:
            return None
        file, line = (self.lib.LLVMGetOperand(call, count - back) for back in (2, 1))
        text = self.state.constants.string(file) if self.lib.LLVMIsAGlobalVariable(file) else None
        if text is None or not self.lib.LLVMIsAConstantInt(line):
            return None
        number = self.lib.LLVMConstIntGetZExtValue(line)
        found = self.state.loc
        same = found is not None and found.line == number
        return Loc(text, number, found.column if same and found else 0)

    # -- functions --------------------------------------------------------------------------------------------------

    def _direct(self, call: Handle, callee: Handle, known: _Callee) -> None:
        obstacle = self.callees.obstacle(callee)
        if obstacle:
            raise Unsupported(f"calls {known.name}, which {obstacle}")
        leads_to = self.callees.elsewhere(callee)
        if leads_to:
            self.elsewhere[known.name] = leads_to
        self._add_call(call, known)

    def _indirect(self, call: Handle, callee: Handle) -> None:
        type_ = self.lib.LLVMGetCalledFunctionType(call)
        obstacle = self.callees.obstacle_of_pointer(type_)
        if obstacle:
            raise Unsupported(f"calls a function through a pointer, which {obstacle}")
        operands = [self.state.operand(callee), *self._arguments(call)]
        attrs: dict[str, Attribute] = {"effects": "any", **self._abi(call, type_)}
        if self.callees.looks_through_pointer(type_):
            attrs["looks"] = True
        self._define(call, "call_indirect", operands, attrs)

    def _add_call(self, call: Handle, known: _Callee) -> None:
        attrs: dict[str, Attribute] = {"callee": known.name, "effects": self._effects(call, known)}
        if known.speculatable and attrs["effects"] == "none":
            attrs["speculatable"] = True
        if known.noreturn:
            attrs["noreturn"] = True
        if known.looks:
            attrs["looks"] = True
        flags = fast_math(self.state, call)
        if "afn" in flags and not is_faster_roughly(known.name):
            flags.remove("afn")
        if flags:
            attrs["flags"] = tuple(flags)
        if not known.name.startswith("llvm."):
            attrs.update(self._abi(call, self.lib.LLVMGetCalledFunctionType(call)))
        self._define(call, "call", self._arguments(call), attrs)

    def _define(self, call: Handle, name: str, operands: list[Operand], attrs: dict[str, Attribute]) -> None:
        if self.state.types.of(call) == "void":
            self.state.add(Op(name, operands, attrs=attrs))
        else:
            self.state.define(call, name, operands, attrs)

    def _argument(self, call: Handle, number: int) -> Operand:
        return self.state.operand(self.lib.LLVMGetOperand(call, number))

    def _arguments(self, call: Handle) -> list[Operand]:
        lib = self.lib
        values = [lib.LLVMGetOperand(call, number) for number in range(lib.LLVMGetNumArgOperands(call))]
        if any(lib.LLVMGetTypeKind(lib.LLVMTypeOf(value)) == TypeKind.METADATA for value in values):
            raise Unsupported(f"the call `{self.module.text(call).strip().partition(', !dbg')[0]}`")
        return [self.state.operand(value) for value in values]

    def _abi(self, call: Handle, type_: Handle) -> dict[str, Attribute]:
        """How arguments travel where that is not the default: `varargs` with the fixed `types`, and `abi`, LLVM's
        attributes of the result and each argument."""
        attrs: dict[str, Attribute] = {}
        lib = self.lib
        if lib.LLVMIsFunctionVarArg(type_):
            fixed = lib.LLVMCountParamTypes(type_)
            values = [lib.LLVMGetOperand(call, number) for number in range(fixed)]
            attrs["varargs"] = True
            attrs["types"] = tuple(self.state.types.of(value) for value in values)
        count = lib.LLVMGetNumArgOperands(call)
        abi = tuple(self._abi_attributes(call, index) for index in range(count + 1))
        if any(abi):
            attrs["abi"] = abi
        return attrs

    def _abi_attributes(self, call: Handle, index: int) -> str:
        lib = self.lib
        words: list[str] = []
        for name in ABI_ATTRIBUTES:
            attribute = self._call_attribute(call, index, name)
            if not attribute:
                continue
            if name in ("byval", "sret"):
                pointee = self.state.types.text(lib.LLVMGetTypeAttributeValue(attribute))
                words.append(f"{name}({pointee}) align {self._alignment(call, index)}")
            else:
                words.append(name)
        return " ".join(words)

    def _alignment(self, call: Handle, index: int) -> int:
        attribute = self._call_attribute(call, index, "align")
        return self.lib.LLVMGetEnumAttributeValue(attribute) if attribute else 1

    def _call_attribute(self, call: Handle, index: int, name: str) -> Handle:
        return self.lib.LLVMGetCallSiteEnumAttribute(call, index, self._kinds[name]) or 0

    def _learn(self, callee: Handle) -> _Callee:
        module = self.module
        name = module.name(callee)
        memory = module.has_attribute(callee, FUNCTION_INDEX, "memory")
        effects = _effects_of(self.lib.LLVMGetEnumAttributeValue(memory)) if memory else "any"
        effects = "none" if name in PURE_MATH else effects
        speculatable = bool(module.has_attribute(callee, FUNCTION_INDEX, "speculatable"))
        noreturn = bool(module.has_attribute(callee, FUNCTION_INDEX, "noreturn"))
        asks = self.callees.asks_where(callee)
        total = name in MATH_LIBRARY or name in UNIFORM or dot_product(name) is not None
        return _Callee(name, effects, speculatable or total, noreturn, self.callees.looks(callee), asks)

    def _effects(self, call: Handle, known: _Callee) -> str:
        if known.asks_where:
            return "any"
        if known.effects == "none":
            return known.effects
        stated = self._stated_effects(call)
        return stated if stated != "any" else known.effects

    def _stated_effects(self, call: Handle) -> str:
        """What the call itself says, whatever it calls."""
        memory = self._call_attribute(call, FUNCTION_INDEX, "memory")
        return _effects_of(self.lib.LLVMGetEnumAttributeValue(memory)) if memory else "any"

    # -- intrinsics and assembly ------------------------------------------------------------------------------------

    def _intrinsic(self, call: Handle, known: _Callee) -> None:
        name, state = known.name, self.state
        if name.startswith(_DROPPED):
            if state.types.of(call) == "ptr":  # of invariant.start and stacksave, for their counterparts
                state.values[call] = Const("ptr", "null")
        elif name.startswith(_FIRST_ARGUMENT):
            state.values[call] = self._argument(call, 0)
        elif name.startswith("llvm.is.constant."):
            state.values[call] = int_const("i1", 0)
        elif name.startswith(tuple(_TRANSFERS)):
            self._transfer(call, next(op for prefix, op in _TRANSFERS.items() if name.startswith(prefix)))
        elif name.startswith(("llvm.va_", "llvm.coro.", "llvm.eh.")):
            raise Unsupported(f"the intrinsic {name}")
        else:
            self._add_call(call, known)

    def _transfer(self, call: Handle, name: str) -> None:
        state = self.state
        operands = [self._argument(call, number) for number in range(3)]
        size = operands[2]
        if size.type != "i64":
            operands[2] = (
                int_const("i64", size.value)
                if isinstance(size, Const) and isinstance(size.value, int)
                else state.op("zext", [size], "i64")
            )
        attrs: dict[str, Attribute] = {"align_to": self._alignment(call, 1)}
        if name != "memset":
            attrs["align_from"] = self._alignment(call, 2)
        if self.lib.LLVMConstIntGetZExtValue(self.lib.LLVMGetOperand(call, 3)):
            attrs["volatile"] = True
        state.add(Op(name, operands, attrs=attrs))

    def _asm(self, call: Handle, assembly: Handle) -> None:
        lib = self.lib
        text = self._string(lib.LLVMGetInlineAsmAsmString, assembly)
        constraints = self._string(lib.LLVMGetInlineAsmConstraintString, assembly)
        if not text and self.state.types.of(call) == "void" and not lib.LLVMGetNumArgOperands(call):
            # asm volatile("" ::: "memory"): the compiler may not move accesses across it.
            self.state.add(Op("fence", attrs={"ordering": "seq_cst", "scope": "singlethread"}))
            return
        attrs: dict[str, Attribute] = {"text": text, "constraints": constraints, "effects": self._stated_effects(call)}
        if lib.LLVMGetInlineAsmHasSideEffects(assembly):
            attrs["sideeffect"] = True
        self._define(call, "asm", self._arguments(call), attrs)

    def _string(self, getter: ctypes._NamedFuncPointer, assembly: Handle) -> str:  # pyright: ignore[reportPrivateUsage]
        size = ctypes.c_size_t()
        text = getter(assembly, ctypes.byref(size))
        return ctypes.string_at(text, size.value).decode() if text else ""


def _effects_of(memory: int) -> str:
    """`effects` for the value of LLVM's attribute `memory`."""
    if memory == 0:
        return "none"
    if memory & ~_READ_BITS == 0:
        return "read"
    return "argmem" if memory & ~_ARGUMENT_BITS == 0 else "any"
