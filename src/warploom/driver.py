# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From source files to objects, archives and programs: what warpcc and `warploom run` do.

    x.cu --device pass--> bitcode --backend--> device.o --.
     `----host pass-----------------------> host.o -------+--ld -r--> x.o --link with libwarploom--> program

The two passes run side by side.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from base64 import b64encode
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from warploom.cache import content_key
from warploom.cli.command_line import COMPILE, CommandLine
from warploom.compiler import device
from warploom.cpu import FAT_CPUS, cpus, default_cpu
from warploom.diagnostics import Diagnostic
from warploom.engines import chosen_engine
from warploom.frontend import mpi_wrapper, passes
from warploom.frontend.cccl import missing_hint
from warploom.frontend.host_flags import without_foreign
from warploom.frontend.launches import LaunchSizes, launch_sizes
from warploom.frontend.missing_template import TemplateKeywords
from warploom.frontend.passes import SourceOptions
from warploom.frontend.precompiled import header_flags
from warploom.host_libraries import named_library, provide
from warploom.runtime_library import ALIASES, INCLUDE, is_toolkit, link_flags, toolkit
from warploom.scratch import temporary_folder
from warploom.step_times import StepTimes
from warploom.toolchain import Toolchain, finish, run_tool, start

if TYPE_CHECKING:
    from warploom.passes.runner import PipelineOptions

LANGUAGES = {
    ".cu": "cuda", ".c": "c", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".C": "c++", ".cp": "c++", ".c++": "c++",
}  # fmt: skip
# Loaded when device code is compiled, each without what only the other one needs.
ENGINE_MODULES = {"loom": "warploom.backend.loom", "reference": "warploom.backend.reference"}
# What a program links for on a machine with a GPU, and libwarploom provides.
PROVIDED_LIBRARIES = frozenset(f"-l{alias}" for alias in ALIASES)
# CUDA libraries that do not exist here: a program may name one and use only its headers. What it calls of one is then
# an undefined symbol, which the linker names.
ABSENT_LIBRARIES = frozenset(
    f"-l{name}{kind}"
    for name in (
        "cufftw", "cusolverMg", "cudnn", "npp", "nvjpeg", "nvperf_host", "nvperf_target",
    )
    for kind in ("", "_static")
)  # fmt: skip

# LLVM's OpenMP library under its two names, and gcc's, whose functions LLVM's has, too: a process gets one of them.
OPENMP_LIBRARIES = frozenset(("-lomp", "-liomp5", "-lgomp"))
_FOLDERS = ("-I", "-isystem", "-idirafter")
_ONLY_COMPILING = re.compile(r"-(?:[DIUO]|std|W(?!l,))")
OPENMP_HINT = (
    "  hint: there is no OpenMP runtime: pip install 'warploom[openmp]', or install LLVM's libomp "
    "(Debian: apt-get install libomp-dev); without -fopenmp the loop runs on one core\n"
)


class CompilerFailed(Exception):
    """A tool ended with an error and has told the user why."""


@dataclass(frozen=True)
class _Version:
    """Device code for one CPU on its way; `rank`: which of several, from 1."""

    options: SourceOptions
    bitcode: Path
    object: Path
    rank: int


@dataclass(frozen=True)
class Driver:
    """One call of the compiler driver."""

    toolchain: Toolchain
    line: CommandLine

    @cached_property
    def times(self) -> StepTimes:
        """What -time writes."""
        return StepTimes(f"compute_{self.line.arch}")

    # -- one source file ------------------------------------------------------------------------------------------

    def compile(self, source: Path, output: Path) -> None:
        """Compile one source file to an object."""
        language = self.language_of(source)
        if language == "cuda":
            self._compile_cuda(source, output)
        else:
            options = self.source_options(source, output)
            with self.times.step(source, f"clang ({language})", [source], output):
                self._tool(passes.plain_command(self.toolchain, source, output, options, language))

    def _compile_cuda(self, source: Path, output: Path) -> None:
        options = self.source_options(source, output)
        with self._scratch(output) as folder:
            keywords = TemplateKeywords(folder)
            while not self._try_cuda(source, output, folder, device.with_keywords(options, keywords), keywords):
                pass

    def _try_cuda(
        self, source: Path, output: Path, folder: Path, options: SourceOptions, keywords: TemplateKeywords
    ) -> bool:
        """Compile one CUDA source file; False when clang lacked a keyword that `keywords` can put in."""
        image_id, host_object = folder / "image.id", folder / "host.o"
        versions = self._versions(options, folder)
        image_id.write_bytes(f"warploom image {options.unique_id}".encode() + b"\0")
        header = self.headers(options)[1]
        commands = [
            passes.device_command(self.toolchain, source, each.bitcode, each.options, self.headers(each.options)[0])
            for each in versions
        ]
        commands += [passes.host_command(self.toolchain, source, host_object, image_id, options, header=header)]
        for command in commands:
            self.show(command)
        if self.line.dry_run:
            return True
        *device_passes, host_pass = (start(command) for command in commands)
        engine = chosen_engine(self.line.engine, is_debugged=self.line.device_debug)
        with self.times.step(source, "clang (device pass)", [source], versions[0].bitcode):
            # While clang runs: loading an engine takes about as long as clang does.
            import_module(ENGINE_MODULES[engine])
            sizes = launch_sizes(source, options.preprocessor)
            ended = [finish(device_pass) for device_pass in device_passes]
        last, objects = ended[0], list[Path]()
        for result, each in zip(ended, versions, strict=True):
            last = device.accepted(self.toolchain, result, source, each.bitcode, each.options, self.listener)
            if last.returncode != 0:
                break
            with self.times.step(source, engine, [each.bitcode], each.object):
                objects += self.compile_bitcode(
                    each.bitcode, each.object, each.options, image_id, sizes, rank=each.rank
                )
        with self.times.step(source, "clang (rest of the host pass)", [source], host_object):
            host = finish(host_pass)
        # Both passes read the same text: say each thing once, from the host pass unless only the device pass fails.
        messages = host.stderr if host.returncode != 0 or last.returncode == 0 else host.stderr + last.stderr
        if host.returncode != 0 or last.returncode != 0:
            if self._learns(keywords, messages):
                return False
            hint = OPENMP_HINT if "source-uses-openmp" in host.stderr else ""
            sys.stderr.write(messages + missing_hint(host.stderr) + hint)
            raise CompilerFailed
        sys.stderr.write(messages)
        linker = self.toolchain.partial_linker()
        # Device parts first: their constructors register the image before the host's names it.
        with self.times.step(source, "ld -r", [*objects, host_object], output):
            self._tool([linker, "-r", *map(str, objects), str(host_object), "-o", str(output)])
        return True

    def _learns(self, keywords: TemplateKeywords, messages: str) -> bool:
        """Whether another try may do, with `template` where clang asked for it. Says where it is put in."""
        notes = keywords.learn(messages)
        for note in notes:
            self.note(note)
        return bool(notes)

    def _versions(self, options: SourceOptions, folder: Path) -> list[_Version]:
        """What the device code of one source file is compiled for: one CPU, or (--fat) each level of x86-64."""
        if not self.line.fat:
            return [_Version(options, folder / "device.bc", folder / "device.o", 0)]
        return [
            _Version(replace(options, cpu=cpu), folder / f"device.{cpu}.bc", folder / f"device.{cpu}.o", rank)
            for rank, cpu in enumerate(FAT_CPUS, 1)
        ]

    def module(self, source: Path, output: Path) -> None:
        """The kernels of one CUDA source file as a library that cuModuleLoad takes; as text when PTX was asked for."""
        options = self.source_options(source, output)
        with self._scratch(output) as folder:
            bitcode, device_object, library = folder / "device.bc", folder / "device.o", folder / "module.so"
            image_id = folder / "image.id"
            image_id.write_bytes(f"warploom module {options.unique_id}".encode() + b"\0")
            self.show(passes.device_command(self.toolchain, source, bitcode, options, self.headers(options)[0]))
            if self.line.dry_run:
                return
            self.device_bitcode(source, bitcode)
            sizes = launch_sizes(source, options.preprocessor)
            objects = self.compile_bitcode(bitcode, device_object, options, image_id, sizes, loadable=True)
            device.link_module(self.toolchain, objects, library)
            code = library.read_bytes()
            output.write_bytes(module_text(code).encode() if self.line.action == "-ptx" else code)

    def check_device_code(self, source: Path) -> None:
        """-fdevice-syntax-only: the device pass, for its messages."""
        with temporary_folder("warpcc-") as folder:
            self.device_bitcode(source, folder / "device.bc")

    def device_bitcode(self, source: Path, bitcode: Path) -> None:
        """The device pass of one CUDA source file, and nothing else: for those who look at kernels."""
        options = self.source_options(source, bitcode)
        precompiled = not (self.line.dry_run or self.line.keep)
        try:
            device.device_bitcode(
                self.toolchain, source, bitcode, options, precompiled=precompiled, listener=self.listener
            )
        except device.SourceRefused as refused:
            sys.stderr.write(refused.messages + missing_hint(refused.messages))
            raise CompilerFailed from None

    def headers(self, options: SourceOptions) -> tuple[Sequence[str], Sequence[str]]:
        """How the device and the host pass include the CUDA headers."""
        if self.line.dry_run or self.line.keep:
            return passes.PLAIN_HEADER, passes.PLAIN_HEADER
        header = device.device_header(self.toolchain, options)
        # Dependency files name headers, not precompiled ones.
        if options.extra or not device.may_be_precompiled(options):
            return header, passes.PLAIN_HEADER
        return header, header_flags(passes.host_flags(self.toolchain, options), passes.HEADER)

    def compile_bitcode(
        self,
        bitcode: Path,
        output: Path,
        options: SourceOptions,
        image_id: Path,
        sizes: LaunchSizes,
        *,
        rank: int = 0,
        loadable: bool = False,
    ) -> list[Path]:
        """From the bitcode of the device pass to the device's objects: `output`, and with --compare a second one.

        `sizes`: what kernels are launched with. `loadable`: it becomes a module that host code loads.
        """
        from warploom.backend.reference import DeviceOptions

        line = self.line
        engine = chosen_engine(line.engine, is_debugged=line.device_debug)
        usual = 3 if engine == "loom" else device.REFERENCE_LEVEL
        asked = usual if line.device_optimise is None else min(line.device_optimise, usual)
        device_options = DeviceOptions(
            image_id=image_id.read_bytes().rstrip(b"\0").decode(),
            arch=options.arch * 10,
            cpu_features=cpus(self.toolchain.target.arch)[options.cpu],
            cpu=options.cpu,
            optimise=0 if line.device_debug else asked,
            separate=line.separate,
            rank=rank,
            loadable=loadable,
            flush_denormals=line.flushes,
            debug=line.debug or line.device_debug or line.line_info,
            names_threads=line.device_debug or line.strict,
            strict=line.strict,
            keep_text=bitcode.with_suffix(".ll") if line.keep else None,
            has_twin=line.compare and engine != "reference",
            jobs=line.jobs,
            reports_usage=line.resource_usage,
        )
        pipeline = self._pipeline() if engine == "loom" else None
        with device.seldom_collecting():
            return device.device_objects(self.toolchain, bitcode, output, device_options, pipeline, sizes)

    def _pipeline(self) -> PipelineOptions:
        """How the optimising engine lowers kernels: by the environment and the command line."""
        from warploom.pipeline import off_names, options_from_environment, plain

        line, pipeline = self.line, options_from_environment()
        pipeline = replace(
            pipeline,
            off=pipeline.off | off_names(",".join(line.off_passes)),
            width=line.width or pipeline.width,
            jam=line.jam or pipeline.jam,
        )
        return plain(pipeline) if line.device_debug or line.strict else pipeline

    def source_options(self, source: Path, output: Path) -> SourceOptions:
        """The options of one source file."""
        line = self.line
        optimise = line.optimise or ("-O0" if line.debug or line.device_debug else "-O2")
        return SourceOptions(
            preprocessor=tuple(self._preprocessor()),
            standard=line.standard,
            arch=line.arch,
            cpu=line.cpu or default_cpu(self.toolchain.target.arch),
            separate=line.separate,
            fast_math=line.fast_math,
            fused_multiply_add=line.fused_multiply_add,
            extended_lambda=line.extended_lambda,
            relaxed_constexpr=line.relaxed_constexpr,
            per_thread_stream=line.per_thread_stream,
            warnings=tuple(line.warnings),
            optimise=optimise,
            time_trace=line.time_trace,
            debug=passes.DEBUG if line.debug or line.device_debug else passes.LINES_ONLY if line.line_info else (),
            host_flags=tuple(self.host_flags()),
            unique_id=content_key(str(source.resolve()), str(output.resolve()), repr(line.preprocessor))[:16],
            extra=tuple(self.dependency_flags(source, output)),
        )

    def dependency_flags(self, source: Path, output: Path) -> list[str]:
        """-MD and its like, with the names that nvcc gives to target and file."""
        flags = list(self.line.dependency_flags)
        made = Path(self.line.output or (output if self.line.action == COMPILE else f"{source.stem}.o"))
        if flags and not {"-MT", "-MQ"} & set(flags):
            flags += ["-MT", str(made)]
        if {"-MD", "-MMD"} & set(flags) and "-MF" not in flags:
            flags += ["-MF", str(made.with_suffix(".d"))]
        return flags

    @cached_property
    def _host_compiler_flags(self) -> tuple[list[str], list[str]]:
        """What -ccbin adds, for compiling and for linking."""
        named = self.line.host_compiler
        if named is None:
            return [], []
        found = mpi_wrapper.flags_of(named)
        if found == ([], []) and not mpi_wrapper.is_ordinary(named):
            self.note(f"'-ccbin {named}' is left out: clang compiles the host's code here, without what {named} adds")
        return found

    def _preprocessor(self) -> list[str]:
        """-I, -D and their like, less the folder of the CUDA headers, which has its place behind CCCL's."""
        own, words = INCLUDE.resolve(), iter(self.line.preprocessor)
        pairs = [(flag, next(words)) for flag in words]
        kept = [(flag, value) for flag, value in pairs if flag not in _FOLDERS or not _is_headers(Path(value), own)]
        return [word for pair in kept for word in pair] + self._host_compiler_flags[0]

    @cached_property
    def _own_host_flags(self) -> list[str]:
        flags, foreign = without_foreign(self.toolchain, self.line.host_flags)
        for flag in foreign:
            self.note(f"'{flag}' is left out: clang, which compiles the host's code here, has no such flag")
        return flags

    def host_flags(self) -> list[str]:
        """-Xcompiler flags, less those that this clang cannot honour."""
        # Without a runtime library what only calls omp_* functions works; a parallel loop would silently be serial.
        openmp = self.toolchain.openmp_flags or ("-Werror=source-uses-openmp",)
        return [each for flag in self._own_host_flags for each in (openmp if flag == "-fopenmp" else (flag,))]

    def preprocess(self, source: Path, action: str) -> None:
        """-E, -M, -MM: to stdout, or the file that -o or -MF names."""
        written, extra = self.line.output, list[str]()
        if action != "-E":
            flags = iter(self.line.dependency_flags)
            told = {flag: next(flags) if flag in ("-MF", "-MT", "-MQ") else "" for flag in flags}
            written = written or told.pop("-MF", None)
            told.pop("-MF", None)
            if not {"-MT", "-MQ"} & set(told):
                told["-MT"] = str(Path(self.line.output_folder or "", f"{source.stem}.o"))
            extra = [word for flag, value in told.items() for word in (flag, value) if word]
        output = Path(written) if written else None
        options = replace(self.source_options(source, source.with_suffix(".o")), extra=tuple(extra))
        language = self.language_of(source)
        with self._scratch(source) as folder:
            if language == "cuda":
                image_id = folder / "image.id"
                image_id.write_bytes(b"warploom\0")
                command = passes.host_command(self.toolchain, source, output, image_id, options, action)
            else:
                command = passes.plain_command(self.toolchain, source, output, options, language, action)
            self._tool(command)

    # -- many files -----------------------------------------------------------------------------------------------

    def link(self, files: dict[str, str], output: Path) -> None:
        """Link objects and libraries; `files` maps inputs to the objects compiled from them."""
        words: list[str] = []
        for word in self.line.linker_flags:
            if word in ABSENT_LIBRARIES:
                self.note(f"{word} is left out: Warploom has no such library yet")
            elif word not in PROVIDED_LIBRARIES and word not in OPENMP_LIBRARIES:
                library = None if word in files else named_library(word)
                words.append(f"-l{library.name}" if library is not None else files.get(word, word))
        words += self.openmp_libraries(words)
        words += self._host_compiler_flags[1]
        host_flags = [flag for flag in self.host_flags() if not _ONLY_COMPILING.match(flag)]
        kind = ["-shared"] if self.line.shared else ["-r", "-nostdlib"] if self.line.relocatable_link else []
        debug = ["-g"] if self.line.debug else []
        if "-ltbb" in words and self.toolchain.tbb_lib is not None:  # for Thrust's TBB system
            words += [f"-L{self.toolchain.tbb_lib}", f"-Wl,-rpath,{self.toolchain.tbb_lib}"]
        is_whole = not self.line.relocatable_link
        libraries = any(named_library(word) is not None for word in words)
        static = self.line.cudart == "static"
        runtime = link_flags(self.toolchain, static=static, libraries=libraries) if is_whole else []
        system = ["-lpthread", "-ldl", "-lm"] if is_whole else []
        arguments = [
            *self.toolchain.link_flags, *kind, *debug, *host_flags, *words, *runtime, *system, "-o", str(output),
        ]  # fmt: skip
        lib = toolkit(self.toolchain) / "lib64"
        if not self.line.dry_run:
            provide(words, self.toolchain, lib)
        # Shown under warpcc's own name: CMake reads from this line what links CUDA programs, and calls that. It has
        # the host compiler link what is C++, too, with the runtime that is named here.
        named = ["-lcudart_static" if word == "-lwarploom" else word for word in arguments]
        self.show([str(lib.parent / "bin" / "nvcc"), *named])
        if not self.line.dry_run:
            with self.times.step("", "ld", words, output):
                self._call([str(self.toolchain.clang), *arguments])

    def openmp_libraries(self, words: Sequence[str]) -> Sequence[str]:
        """What OpenMP's functions come from, for `-fopenmp` where it is ignored and for a library named by hand."""
        named = [word for word in self.line.linker_flags if word in OPENMP_LIBRARIES]
        if not named and "-fopenmp" not in self.line.host_flags:
            return ()
        flags = self.toolchain.openmp_flags
        if flags is None:
            folders = [*self.toolchain.library_folders, *(Path(word[2:]) for word in words if word.startswith("-L"))]
            found = [word for word in named if any((folder / f"lib{word[2:]}.so").exists() for folder in folders)]
            return found[:1] or self.toolchain.openmp_functions
        return () if "-fopenmp" in self.line.host_flags else flags

    def archive(self, objects: Sequence[str], output: Path) -> None:
        """-lib: a static library."""
        archiver = (
            self.line.archiver
            or self.toolchain.cross_tool("ar")
            or shutil.which(f"llvm-ar-{self.toolchain.major}")
            or shutil.which("llvm-ar")
        )
        if archiver is None:
            raise Diagnostic("no archiver found", hint="install binutils (apt-get install binutils)")
        output.unlink(missing_ok=True)
        with self.times.step("", "ar", objects, output):
            self._tool([archiver, "rcs", *self.line.archive_flags, str(output), *objects])

    def device_link(self, output: Path) -> None:
        """-dlink: device symbols are ordinary symbols here, which the final link resolves; the object holds nothing."""
        with self._scratch(output) as folder:
            empty = folder / "empty.c"
            empty.write_text("")
            clang = str(self.toolchain.clang)
            self._tool([clang, *self.toolchain.target.flags, "-x", "c", "-fPIC", "-c", str(empty), "-o", str(output)])

    # -- helpers --------------------------------------------------------------------------------------------------

    @property
    def listener(self) -> device.Listener:
        """Who hears of what happens below the command line."""
        return device.Listener(self.show, self.note)

    def language_of(self, source: Path) -> str:
        """cuda, c, c++ or object."""
        return self.line.languages.get(str(source)) or LANGUAGES.get(source.suffix, "object")

    def show(self, command: Sequence[str]) -> None:
        """-v and --dryrun print each command as nvcc does."""
        if self.line.verbose or self.line.dry_run:
            print("#$ " + " ".join(_quoted(word) for word in command), file=sys.stderr)

    def note(self, text: str) -> None:
        """A warning of the driver."""
        print(f"warpcc: warning: {text}", file=sys.stderr)

    def show_environment(self) -> None:
        """What nvcc -v tells of itself: build systems read the toolkit's place from it."""
        if not (self.line.verbose or self.line.dry_run):
            return
        top = toolkit(self.toolchain)
        architectures = self.line.architectures or [self.line.arch]
        for name, value in (
            ("_NVVM_BRANCH_", "nvvm"), ("_SPACE_", ""), ("_CUDART_", "cudart"), ("_HERE_", f"{top}/bin"),
            ("_THERE_", f"{top}/bin"), ("_TARGET_SIZE_", ""), ("_TARGET_DIR_", ""), ("TOP", f"{top}"),
            ("PATH", os.environ.get("PATH", "")), ("INCLUDES", f'"-I{top}/include"'),
            ("LIBRARIES", f'"-L{top}/lib64"'), ("CUDAFE_FLAGS", ""), ("PTXAS_FLAGS", ""),
            ("ARCHITECTURES", " ".join(f"-arch compute_{arch}" for arch in architectures)),
        ):  # fmt: skip
            print(f"#$ {name}={value}", file=sys.stderr)

    def _tool(self, command: Sequence[str]) -> None:
        self.show(command)
        if not self.line.dry_run:
            self._call(command)

    def _call(self, command: Sequence[str]) -> None:
        result = run_tool(command)
        sys.stdout.write(result.stdout)
        hint = OPENMP_HINT if result.returncode != 0 and "source-uses-openmp" in result.stderr else ""
        sys.stderr.write(result.stderr + missing_hint(result.stderr) + hint)
        if result.returncode != 0:
            raise CompilerFailed

    @contextmanager
    def _scratch(self, output: Path) -> Generator[Path]:
        """A folder for intermediate files: kept beside the output under -keep."""
        if self.line.keep:
            folder = Path(self.line.keep_folder or output.resolve().parent, f"{output.stem}.warploom").resolve()
            folder.mkdir(parents=True, exist_ok=True)
            yield folder
        else:
            with temporary_folder("warpcc-") as folder:
                yield folder


def _is_headers(folder: Path, own: Path) -> bool:
    """Whether `folder` holds the CUDA headers: those of this Warploom, or a copy in an installed toolkit."""
    return folder.resolve() == own or (folder.name == "include" and is_toolkit(folder.parent))


def module_text(code: bytes) -> str:
    """A module as a string without zero bytes, for programs that treat it as PTX: runtime/api/module_code.cpp."""
    lines = (code[at : at + 72] for at in range(0, len(code), 72))
    return "//\n// Warploom module\n" + "".join(f"//={b64encode(line).decode()}\n" for line in lines)


def _quoted(word: str) -> str:
    """A word as CMake's reader of nvcc's output and a shell both take it; it looks for LIBRARIES= to the letter."""
    return f'"{word}"' if word.startswith("-L") or any(c in word for c in " \"'()$&;|<>*?") else word
