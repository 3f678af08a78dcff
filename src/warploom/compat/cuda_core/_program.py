# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs, what they are compiled to, and the kernels in it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from warploom.api import module as api
from warploom.api.runtime import runtime
from warploom.compat.cuda_core._link import Linked, Relocatable, linked, relocatable
from warploom.core.records import dataclass, field

_TARGETS = ("ptx", "cubin", "ltoir")


@dataclass
class ProgramOptions:
    """How a program is compiled. What a GPU's assembler does with registers has no meaning here."""

    name: str = "default_program"
    arch: str | None = None
    std: str | None = None
    define_macro: Any = None
    undefine_macro: Any = None
    include_path: Any = None
    pre_include: Any = None
    relocatable_device_code: bool | None = None
    debug: bool | None = None
    lineinfo: bool | None = None
    use_fast_math: bool | None = None
    fma: bool | None = None
    ftz: bool | None = None
    extra_device_vectorization: bool | None = None
    max_register_count: int | None = None
    ptxas_options: Any = None
    device_code_optimize: Any = None
    link_time_optimization: bool | None = None
    rest: dict[str, Any] = field(default_factory=dict[str, Any])

    def words(self) -> list[str]:
        """As NVRTC takes them."""
        words = [f"-arch={self.arch}"] if self.arch else []
        words += [f"-std={self.std}"] if self.std else []
        for flag, given in (("-D", self.define_macro), ("-U", self.undefine_macro), ("-I", self.include_path)):
            words += [f"{flag}{each}" for each in _macros(given)]
        for each in _macros(self.pre_include):
            words += ["-include", each]
        for word, is_on in (("-G", self.debug), ("-lineinfo", self.lineinfo), ("-use_fast_math", self.use_fast_math)):
            words += [word] if is_on else []
        for word, value in (("-fmad", self.fma), ("-ftz", self.ftz)):
            words += [f"{word}={str(value).lower()}"] if value is not None else []
        return [*words, *(["-rdc=true"] if self.relocatable_device_code else [])]


def _macros(given: Any) -> list[str]:
    """The words of an option: one, several, or names with values."""
    if given is None:
        return []
    if isinstance(given, str):
        return [given]
    if isinstance(given, tuple) and len(given) == 2 and "=" not in str(given[0]):  # pyright: ignore[reportUnknownArgumentType]
        name, value = given  # pyright: ignore[reportUnknownVariableType]
        return [f"{name}={value}"]
    found: list[str] = []
    for each in list[Any](given):  # pyright: ignore[reportUnknownArgumentType]
        found += _macros(each)
    return found


class Program:
    """CUDA C++ that is to be compiled. Raises RuntimeError for other kinds of code."""

    def __init__(self, code: str, code_type: str, options: ProgramOptions | None = None) -> None:
        if code_type.lower() != "c++":
            raise RuntimeError(f"Unsupported {code_type=}: programs are of CUDA C++ here, code_type='c++'")
        self._code, self._options = code, options or ProgramOptions()
        self.backend, self.handle = "NVRTC", 0

    def compile(self, target_type: str, name_expressions: Sequence[str] = (), logs: Any = None) -> ObjectCode:
        """Compile. What the compiler warned of goes to `logs`. Raises CompileError."""
        if target_type not in _TARGETS:
            raise ValueError(f"Unsupported target_type='{target_type}' ({', '.join(_TARGETS)})")
        words, options = self._options.words(), self._options
        is_linked = options.relocatable_device_code or options.link_time_optimization or target_type == "ltoir"
        if is_linked and not name_expressions:  # what a template's name becomes NVRTC tells of whole programs only
            made = relocatable(self._code, words)
            if logs is not None:
                logs.write(made.log)
            return ObjectCode(made, target_type, options.name, ())
        module = api.RawModule(self._code, options=words, name_expressions=tuple(name_expressions))
        module.compile()
        if logs is not None:
            logs.write(module.log)
        return ObjectCode(module, target_type, self._options.name, tuple(name_expressions))

    def close(self) -> None:
        """It is no longer used."""


class ObjectCode:
    """A compiled program."""

    def __init__(
        self, own: api.RawModule | Relocatable | Linked, code_type: str, name: str, expressions: tuple[str, ...]
    ) -> None:
        self.own, self.code_type, self.name, self._expressions = own, code_type, name, expressions

    @property
    def code(self) -> bytes:
        """Its machine code, or what the linker takes."""
        return self.own.library.read_bytes() if isinstance(self.own, api.RawModule) else self.own.code

    @property
    def symbol_mapping(self) -> dict[str, bytes]:
        """The symbols of the name expressions."""
        return {each: self.get_kernel(each).own.signature.name.encode() for each in self._expressions}

    def get_kernel(self, name: str | bytes) -> Kernel:
        """A kernel by its name, or a name expression. Raises AttributeError with the names that there are."""
        return Kernel(self.own.get_function(name.decode() if isinstance(name, bytes) else name), self)


class ArgumentInfo(NamedTuple):
    """Where an argument lies, and its bytes."""

    offset: int
    size: int


class Kernel:
    """A kernel."""

    def __init__(self, own: api.Kernel, code: ObjectCode) -> None:
        self.own, self._code = own, code

    @property
    def handle(self) -> int:
        """CUkernel."""
        return self.own.handle

    @property
    def num_arguments(self) -> int:
        """How many arguments it takes."""
        return len(self.own.signature.parameters)

    @property
    def arguments_info(self) -> list[ArgumentInfo]:
        """Of each argument."""
        found: list[ArgumentInfo] = []
        at = 0
        for parameter in self.own.signature.parameters:
            alignment = 8 if parameter.type is None or parameter.is_pointer else max(parameter.type.alignment, 1)
            at = -(-at // alignment) * alignment
            found.append(ArgumentInfo(at, parameter.size))
            at += parameter.size
        return found

    @property
    def attributes(self) -> KernelAttributes:
        """What the runtime says of it."""
        return KernelAttributes(self.own.handle)


_SIZES = "shared_size_bytes const_size_bytes local_size_bytes".split()
_NUMBERS = """max_threads_per_block num_regs ptx_version binary_version cache_mode_ca max_dynamic_shared_size_bytes
preferred_shared_memory_carveout""".split()


class _Attributes(ctypes.Structure):
    """cudaFuncAttributes."""

    _fields_ = (
        *((name, ctypes.c_size_t) for name in _SIZES),
        *((name, ctypes.c_int) for name in _NUMBERS),
        ("rest", ctypes.c_int * 22),
    )


class KernelAttributes:
    """`kernel.attributes.num_regs()` and its like."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def __getattr__(self, name: str) -> Any:
        if name not in (*_SIZES, *_NUMBERS):
            raise AttributeError(f"a kernel has no attribute '{name}'")
        found = _Attributes()
        runtime().call("cudaFuncGetAttributes", ctypes.byref(found), self._handle)
        value = int(getattr(found, name))

        def attribute(device_id: Any = None) -> int:
            del device_id
            return value

        return attribute


@dataclass
class LinkerOptions:
    """How objects are linked."""

    name: str = "default_linker"
    arch: str | None = None
    debug: bool | None = None
    lineinfo: bool | None = None
    link_time_optimization: bool | None = None
    ptx: bool | None = None


class Linker:
    """Links objects that were compiled for it: relocatable_device_code=True, or link_time_optimization=True."""

    def __init__(self, *object_codes: ObjectCode, options: LinkerOptions | None = None) -> None:
        del options
        if not object_codes:
            raise ValueError("At least one ObjectCode object must be provided")
        self._objects, self._parts = object_codes, list[Relocatable]()
        for each in object_codes if len(object_codes) > 1 else ():
            if not isinstance(each.own, Relocatable):
                raise NotImplementedError(
                    f"'{each.name}' is whole: compile it with ProgramOptions(relocatable_device_code=True)"
                )
            self._parts.append(each.own)

    def link(self, target_type: str) -> ObjectCode:
        """The objects as one. Raises RuntimeError where that lacks something."""
        if target_type not in _TARGETS:
            raise ValueError(f"Unsupported target_type='{target_type}' ({', '.join(_TARGETS)})")
        if not self._parts:
            return self._objects[0]
        return ObjectCode(linked(self._parts), target_type, self._objects[0].name, ())

    def get_error_log(self) -> str:
        """What went wrong was raised."""
        return ""

    get_info_log = get_error_log

    def close(self) -> None:
        """It is no longer used."""
