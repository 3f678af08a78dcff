# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvcc's options, one row each: how they are spelt, and what each does here.

An option does what it does in nvcc, or changes nothing because there is nothing for it to change, or is refused because
a build that asks for it wants what Warploom cannot make. docs/nvcc-options.md is written from this table.
"""

from __future__ import annotations

from enum import Enum

from warploom.core.records import dataclass
from warploom.driver import nvcc_setters as to
from warploom.driver.command_line import COMPILE, DEPENDENCIES, DEVICE_LINK, LIBRARY, LINK, LTO_IR, MODULES, PREPROCESS
from warploom.driver.nvcc_setters import Setter, sets


class Kind(Enum):
    """What follows an option."""

    FLAG = ""
    TRUTH = "true|false"
    NUMBER = "number"
    VALUE = "value"  # of several the last one counts
    EACH = "value, repeated"  # all count
    LIST = "value,..."  # all count, and commas separate them


class Verdict(Enum):
    """What Warploom makes of an option."""

    DOES = "does"
    HARMLESS = "changes nothing"
    REFUSED = "refused"


@dataclass(frozen=True)
class Option:
    """One option: `text` says what it does here, or why it changes nothing, or why it is refused."""

    long: str
    short: str
    kind: Kind
    verdict: Verdict
    text: str
    take: Setter | None = None
    choices: tuple[str, ...] = ()  # the values that there are; empty: any
    is_joined: bool = False  # the value may follow the short name at once

    @property
    def name(self) -> str:
        """What warnings call it."""
        return self.long.lstrip("-")


FLAG, TRUTH, NUMBER, VALUE, EACH, LIST = Kind
_JOINED = frozenset(("-I", "-D", "-U", "-L", "-l", "-O", "-t"))


def _row(names: str, kind: Kind, verdict: Verdict, text: str, take: Setter | None, choices: str) -> Option:
    long, _, short = names.partition(" ")
    values = tuple(choices.split("|")) if choices else ("true", "false") if kind is TRUTH else ()
    return Option(long, short or long, kind, verdict, text, take, values, short in _JOINED)


def _does(names: str, text: str, take: Setter, kind: Kind = FLAG, choices: str = "") -> Option:
    return _row(names, kind, Verdict.DOES, text, take, choices)


def _harmless(names: str, text: str, kind: Kind = FLAG, choices: str = "") -> Option:
    return _row(names, kind, Verdict.HARMLESS, text, None, choices)


def _refused(names: str, text: str, kind: Kind = FLAG, choices: str = "") -> Option:
    return _row(names, kind, Verdict.REFUSED, text, None, choices)


_NO_GPU_CODE = "there is no GPU code to write"
_NO_WINDOWS = "it is for Windows"
_NO_CUDAFE = "the front end is clang, whose messages have no such numbers"
_NOTHING_TO_LINK = "device symbols are ordinary symbols, which the ordinary linker resolves"
_MODULE = "writes a module of machine code for the CPU, which cuModuleLoad takes"

_PHASES = (
    _refused("--cuda -cuda", "the front end is clang, which writes no .cu.cpp.ii file"),
    *(
        _does(f"-{flag} {flag}", _MODULE, sets(action=flag))
        for flag in ("-cubin", "-fatbin", "-ptx")
        if flag in MODULES
    ),
    _refused("--optix-ir -optix-ir", _NO_GPU_CODE),
    _does(
        "--ltoir -ltoir", "writes LLVM bitcode, of which nvJitLink makes a module", sets(action=LTO_IR, separate=True)
    ),
    _does("--preprocess -E", "as in nvcc", sets(action=PREPROCESS)),
    _does("--generate-dependencies -M", "as in nvcc", sets(action=DEPENDENCIES, dependency_action="-M")),
    _does("--generate-nonsystem-dependencies -MM", "as in nvcc", sets(action=DEPENDENCIES, dependency_action="-MM")),
    _does("--generate-dependencies-with-compile -MD", "as in nvcc", to.dependencies("-MD")),
    _does("--generate-nonsystem-dependencies-with-compile -MMD", "as in nvcc", to.dependencies("-MMD")),
    _does("--dependency-output -MF", "as in nvcc", to.dependencies("-MF"), VALUE),
    _does("--generate-dependency-targets -MP", "as in nvcc", to.dependencies("-MP")),
    _does("--compile -c", "as in nvcc", sets(action=COMPILE)),
    _does("--device-c -dc", "as in nvcc", sets(action=COMPILE, separate=True)),
    _does("--device-w -dw", "as in nvcc", sets(action=COMPILE, separate=False)),
    _does("--device-link -dlink", f"writes an object with nothing in it: {_NOTHING_TO_LINK}", sets(action=DEVICE_LINK)),
    _does("--link -link", "as in nvcc", sets(action=LINK)),
    _does("--lib -lib", "as in nvcc", sets(action=LIBRARY)),
    _does("--run -run", "as in nvcc: builds the program and runs it, or runs the one that is named", sets(runs=True)),
)

_FILES = (
    _does("--output-file -o", "as in nvcc", to.keeps("output"), VALUE),
    _does("--pre-include -include", "as in nvcc", to.preprocessor("-include"), LIST),
    _harmless("--objdir-as-tempdir -objtemp", "there are no names in common that could clash"),
    _does("--library -l", "as in nvcc", to.linker_flag("-l"), LIST),
    _does("--define-macro -D", "as in nvcc", to.preprocessor("-D"), LIST),
    _does("--undefine-macro -U", "as in nvcc", to.preprocessor("-U"), LIST),
    _does("--include-path -I", "as in nvcc", to.preprocessor("-I"), LIST),
    _does("--system-include -isystem", "as in nvcc", to.preprocessor("-isystem"), LIST),
    _does("--library-path -L", "as in nvcc", to.linker_flag("-L"), LIST),
    _does("--output-directory -odir", "as in nvcc", to.keeps("output_folder"), VALUE),
    _does(
        "--compiler-bindir -ccbin",
        "clang compiles the host's code, too; of a wrapper of MPI (mpicxx) its include folders and libraries are taken",
        to.keeps("host_compiler"),
        VALUE,
    ),
    _harmless("--allow-unsupported-compiler -allow-unsupported-compiler", "the compiler is always the same"),
    _does("--archiver-binary -arbin", "as in nvcc", to.keeps("archiver"), VALUE),
    _does(
        "--cudart -cudart", "as in nvcc, but for the default: shared", to.keeps("cudart"), VALUE, "none|shared|static"
    ),
    _harmless("--cudadevrt -cudadevrt", "it is part of the runtime", VALUE, "none|static"),
    _harmless("--libdevice-directory -ldir", "there is no libdevice", VALUE),
    _harmless("--target-directory -target-dir", "--target names another machine", VALUE),
    _harmless("--use-local-env -use-local-env", _NO_WINDOWS),
    _harmless("--force-cl-env-setup -force-cl-env-setup", _NO_WINDOWS),
)

_COMPILER = (
    _does("--profile -pg", "as in nvcc, for host code", to.host_flag("-pg")),
    _does("--debug -g", "as in nvcc", sets(debug=True)),
    _does("--device-debug -G", "as in nvcc: threads run one by one and can be stepped", sets(device_debug=True)),
    _does("--generate-line-info -lineinfo", "as in nvcc", sets(line_info=True)),
    _harmless(
        "--optimization-info -opt-info", "`warploom explain` tells what was done with each kernel", LIST, "inline"
    ),
    _does("--optimize -O", "as in nvcc", to.optimise, VALUE),
    _does(
        "--Ofast-compile -Ofc",
        "max and mid: LLVM's levels 1 and 2 for device code",
        to.fast_compile,
        VALUE,
        "0|max|mid|min",
    ),
    _does(
        "--dopt -dopt", "as in nvcc: with -G, optimised code with line numbers", sets(optimise_debug=True), VALUE, "on"
    ),
    _harmless("--dlink-time-opt -dlto", "what -rdc=true compiles is optimised file by file"),
    _harmless("--lto -lto", "as -dlto"),
    _harmless("--gen-opt-lto -gen-opt-lto", "as -dlto"),
    _does(
        "--ftemplate-backtrace-limit -ftemplate-backtrace-limit",
        "as in nvcc",
        to.host_flag("-ftemplate-backtrace-limit"),
        NUMBER,
    ),
    _does("--ftemplate-depth -ftemplate-depth", "as in nvcc", to.host_flag("-ftemplate-depth"), NUMBER),
    _does("--no-exceptions -noeh", "as in nvcc", to.host_flag("-fno-exceptions")),
    _does("--shared -shared", "as in nvcc", sets(shared=True)),
    _does("--x -x", "as in nvcc", to.language, VALUE, "c|c++|cu|cuda"),
    _does("--std -std", "as in nvcc; also c++23 and gnu++ dialects; c++03 and c++11 mean c++14", to.standard, VALUE),
    _harmless("--no-host-device-initializer-list -nohdinitlist", "what compiles with it compiles without it"),
    _harmless("--no-host-device-move-forward -nohdmoveforward", "what compiles with it compiles without it"),
    _does("--expt-relaxed-constexpr -expt-relaxed-constexpr", "as in nvcc", sets(relaxed_constexpr=True)),
    _does("--extended-lambda -extended-lambda", "as in nvcc", sets(extended_lambda=True)),
    _does("--expt-extended-lambda -expt-extended-lambda", "as --extended-lambda", sets(extended_lambda=True)),
    _harmless("--machine -m", "all programs are 64-bit", VALUE, "64"),
    _harmless("--m64 -m64", "all programs are 64-bit"),
)

_TOOLS = (
    _does(
        "--compiler-options -Xcompiler", "as in nvcc; flags that only g++ has are dropped with a warning", to.host, EACH
    ),
    _does("--linker-options -Xlinker", "as in nvcc", to.linker, EACH),
    _does("--archive-options -Xarchive", "as in nvcc", to.archiver, EACH),
    _does(
        "--ptxas-options -Xptxas",
        "-v: the report of --resource-usage; -O0 to -O3: LLVM's level for device code; all else changes nothing",
        to.device_tool,
        EACH,
    ),
    _harmless("--nvlink-options -Xnvlink", _NOTHING_TO_LINK, EACH),
)

_DRIVER = (
    _harmless(
        "--static-global-template-stub -static-global-template-stub", "stubs are clang's, and have C++'s linkage", TRUTH
    ),
    _harmless(
        "--device-entity-has-hidden-visibility -device-entity-has-hidden-visibility",
        "device symbols have names of their own in the object",
        TRUTH,
    ),
    _does(
        "--forward-unknown-to-host-compiler -forward-unknown-to-host-compiler",
        "as in nvcc",
        sets(forward_to_compiler=True),
    ),
    _does(
        "--forward-unknown-to-host-linker -forward-unknown-to-host-linker", "as in nvcc", sets(forward_to_linker=True)
    ),
    _does(
        "--forward-unknown-opts -forward-unknown-opts",
        "as in nvcc",
        sets(forward_to_compiler=True, forward_to_linker=True),
    ),
    _harmless("--dont-use-profile -noprof", "there is no nvcc.profile"),
    _does("--dryrun -dryrun", "as in nvcc", sets(dry_run=True)),
    _does("--verbose -v", "as in nvcc", sets(verbose=True)),
    _does("--threads -t", "how many processes compile the kernels of one file", to.jobs, NUMBER),
    _does("--split-compile -split-compile", "as --threads", to.jobs, NUMBER),
    _does("--split-compile-extended -split-compile-extended", "as --threads", to.jobs, NUMBER),
    _does(
        "--fdevice-syntax-only -fdevice-syntax-only",
        "device code is checked and no more; nothing is written",
        sets(syntax_only=True),
    ),
    _does(
        "--fdevice-time-trace -fdevice-time-trace",
        "as in nvcc",
        to.keeps("time_trace"),
        VALUE,
    ),
    _does(
        "--keep -keep",
        "keeps the intermediate files: in NAME.warploom beside the output",
        sets(keep=True),
    ),
    _does("--keep-dir -keep-dir", "where --keep puts NAME.warploom", to.keeps("keep_folder"), VALUE),
    _does("--save-temps -save-temps", "as --keep", sets(keep=True)),
    _does("--clean-targets -clean", "as in nvcc: removes what the command would write", sets(clean=True)),
    _does("--time -time", "as in nvcc; the steps are Warploom's", to.keeps("time_file"), VALUE),
    _does("--run-args -run-args", "as in nvcc", to.run_arguments, EACH),
    _harmless("--input-drive-prefix -idp", _NO_WINDOWS, VALUE),
    _harmless("--dependency-drive-prefix -ddp", _NO_WINDOWS, VALUE),
    _harmless("--drive-prefix -dp", _NO_WINDOWS, VALUE),
    _does("--dependency-target-name -MT", "as in nvcc", to.dependencies("-MT"), VALUE),
    _harmless("--no-align-double --no-align-double", "the default of the machine's ABI holds"),
    _harmless("--no-device-link -nodlink", _NOTHING_TO_LINK),
)

_GPU_CODE = (
    _does(
        "--gpu-architecture -arch",
        "sets __CUDA_ARCH__; older ones than nvcc 13 has are taken, too",
        to.architecture,
        VALUE,
    ),
    _harmless("--gpu-code -code", "device code is for the CPU", LIST),
    _does(
        "--generate-code -gencode",
        "sets __CUDA_ARCH__; of several, the one that a device of compute capability 8.0 would load",
        to.generate_code,
        EACH,
    ),
    _does("--relocatable-device-code -rdc", "as in nvcc", to.truth("separate"), TRUTH),
    _harmless("--entries -e", "all kernels are compiled", LIST),
    _harmless("--maxrregcount -maxrregcount", "threads share no file of registers here", NUMBER),
    _does("--use_fast_math -use_fast_math", "as in nvcc; division and square root stay exact", sets(fast_math=True)),
    _does("--ftz -ftz", "as in nvcc", to.truth("flush_denormals"), TRUTH),
    _harmless("--prec-div -prec-div", "division is always exact, as `true` demands and `false` allows", TRUTH),
    _harmless("--prec-sqrt -prec-sqrt", "the square root is always exact, as `true` demands and `false` allows", TRUTH),
    _does("--fmad -fmad", "as in nvcc", to.truth("fused_multiply_add"), TRUTH),
    _harmless("--extra-device-vectorization -extra-device-vectorization", "vectors are made wherever that pays"),
)

_STEERING = (
    _does("--default-stream -default-stream", "as in nvcc", to.default_stream, VALUE, "legacy|null|per-thread"),
)

_GENERIC = (
    _does("--disable-warnings -w", "as in nvcc", to.warning("-w")),
    _harmless("--keep-device-functions -keep-device-functions", "there is no PTX to keep them in"),
    _harmless("--source-in-ptx -src-in-ptx", "there is no PTX"),
    _harmless("--restrict -restrict", "what may overlap is tested when the kernel runs"),
    _does("--Wreorder -Wreorder", "as in nvcc", to.warning("-Wreorder")),
    _harmless("--Wdefault-stream-launch -Wdefault-stream-launch", "clang has no such warning"),
    _harmless("--Wmissing-launch-bounds -Wmissing-launch-bounds", "clang has no such warning"),
    _harmless("--Wext-lambda-captures-this -Wext-lambda-captures-this", "clang has no such warning"),
    _does(
        "--Wno-deprecated-declarations -Wno-deprecated-declarations",
        "as in nvcc",
        to.warning("-Wno-deprecated-declarations"),
    ),
    _harmless("--Wno-deprecated-gpu-targets -Wno-deprecated-gpu-targets", "no architecture is deprecated here"),
    _does(
        "--Werror -Werror",
        "all-warnings, reorder and deprecated-declarations; clang has none of the other warnings, or they are errors",
        to.error_kinds,
        LIST,
        "all-warnings|cross-execution-space-call|default-stream-launch|deprecated-declarations|ext-lambda-captures-this|"
        "missing-launch-bounds|reorder",
    ),
    _does(
        "--resource-usage -res-usage",
        "in ptxas' form; what each number means here stands below",
        sets(resource_usage=True),
    ),
    _harmless("--extensible-whole-program -ewp", _NOTHING_TO_LINK),
    _harmless("--no-compress -no-compress", "device code is not compressed"),
    _refused("--qpp-config -qpp-config", "QNX is no target", VALUE),
    _refused("--compile-as-tools-patch -astoolspatch", "CUDA's own tools cannot patch programs here"),
    _does("--list-gpu-code -code-ls", "as in nvcc", to.lists("code")),
    _does("--list-gpu-arch -arch-ls", "as in nvcc", to.lists("arch")),
    _harmless("--display-error-number -err-no", _NO_CUDAFE),
    _harmless("--no-display-error-number -no-err-no", _NO_CUDAFE),
    _harmless("--diag-error -diag-error", _NO_CUDAFE, LIST),
    _harmless("--diag-suppress -diag-suppress", _NO_CUDAFE, LIST),
    _harmless("--diag-warn -diag-warn", _NO_CUDAFE, LIST),
    _harmless("--host-linker-script -hls", "device code needs no linker script", VALUE, "use-lcs|gen-lcs"),
    _harmless("--augment-host-linker-script -aug-hls", "device code needs no linker script"),
    _does("--relocatable-link -r", "as in nvcc", sets(relocatable_link=True)),
    _does("--brief-diagnostics -brief-diag", "as in nvcc", to.brief, TRUTH),
    _harmless("--jump-table-density -jtd", "LLVM's own threshold holds", NUMBER),
    _harmless("--relocatable-ptx -reloc-ptx", "there is no PTX"),
    _harmless("--device-stack-protector -device-stack-protector", "a page that faults lies behind every stack", TRUTH),
    _harmless(
        "--compress-mode -compress-mode", "device code is not compressed", VALUE, "default|size|speed|balance|none"
    ),
    _harmless("--frandom-seed -frandom-seed", "the same input gives the same object anyway", VALUE),
    _refused("--sanitize -sanitize", "run the program with WARPLOOM_GUARD=1: it finds what memcheck finds", VALUE),
    _harmless("--jobserver -jobserver", "-t says how many processes one file may take"),
    _does("--help -h", "as in nvcc", sets(help=True)),
    _does("--version -V", "as in nvcc", sets(version=True)),
    _does("--options-file -optf", "as in nvcc; @FILE is the same", lambda _line, _value: None, EACH),
)

# What nvcc takes, though its help has it no longer, and what build files give it.
_UNDOCUMENTED = (
    _harmless("--cudafe-options -Xcudafe", _NO_CUDAFE, EACH),
    _harmless("--fatbin-options -Xfatbin", "there is no fat binary", EACH),
    _harmless("--compress-all -compress-all", "device code is not compressed"),
    _harmless("--device-int128 -device-int128", "device code always has it"),
    _harmless("--Wdeprecated -Wdeprecated", "clang's defaults hold"),
    _refused("--m32 -m32", "programs are 64-bit"),
    _does("-MQ", "as clang's", to.dependencies("-MQ"), VALUE),
    _does("-P", "as clang's: -E without lines that say where text is from", sets(line_markers=False)),
    _does("-idirafter", "as clang's", to.preprocessor("-idirafter"), EACH),
)

_OWN = (
    _does("--cpu -march", "the CPU that device code is compiled for", to.cpu, VALUE),
    _does("--fat", "device code for several CPUs in one object", sets(fat=True)),
    _does("--target", "another machine", to.keeps("target"), VALUE),
    _does("--sysroot", "where the other machine's libraries are", to.keeps("sysroot"), VALUE),
    _does("--engine", "what runs the kernels", to.engine, VALUE),
    _does("--compare", "code of both engines, to be compared", sets(compare=True)),
    _does("--strict", "accesses of kernels are checked as a GPU does", sets(strict=True)),
    _does("--off-pass", "passes to leave out", to.off_pass, EACH),
    _does("--width", "threads of a vector", to.width, VALUE),
    _does("--jam", "rows of threads that go together", to.jam, VALUE),
    _does(
        "--settings-key",
        "prints a key of all that objects depend on beside command line and files",
        sets(settings_key=True),
    ),
)

SECTIONS: dict[str, tuple[Option, ...]] = {
    "What to make": _PHASES,
    "Files and paths": _FILES,
    "Compiler and linker": _COMPILER,
    "Other tools": _TOOLS,
    "The driver": _DRIVER,
    "GPU code": _GPU_CODE,
    "Streams": _STEERING,
    "Messages and the rest": _GENERIC,
}
MORE_SECTIONS: dict[str, tuple[Option, ...]] = {
    "Not in nvcc's help": _UNDOCUMENTED,
    "Warploom's own": _OWN,
}
OPTIONS = tuple(option for rows in SECTIONS.values() for option in rows)
ALL_OPTIONS = (*OPTIONS, *(option for rows in MORE_SECTIONS.values() for option in rows))
