# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What cuda-gdb of the toolkit begins with: kernels run one after the other, on the thread that launches them, so that a
# backtrace of a kernel goes on to the launch, and `step` stays in the program's own code.
set environment WARPLOOM_NUM_THREADS 1
set environment CUDA_LAUNCH_BLOCKING 1
set breakpoint pending on
skip -rfunction ^__warploom_
skip -rfunction ^warploom::

python
class Focus(gdb.Command):
    """focus: the block and the thread that the debugger stands in."""

    def __init__(self):
        super().__init__("focus", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_terminal):
        def text(name):
            value = gdb.parse_and_eval(name)
            return "(%d, %d, %d)" % tuple(int(value[axis]) for axis in "xyz")

        print("block %s of %s, thread %s of %s" % tuple(map(text, ("blockIdx", "gridDim", "threadIdx", "blockDim"))))


class WithoutRuntime:
    """Leaves the runtime's own frames out of backtraces; `bt -no-filters` shows them."""

    name, enabled, priority = "warploom", True, 100

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not self.is_of_runtime(frame.inferior_frame()))

    @staticmethod
    def is_of_runtime(frame):
        place = frame.find_sal()
        file = place.symtab.fullname() if place.is_valid() and place.symtab else ""
        name = frame.name() or ""
        library = gdb.solib_name(frame.pc()) or ""
        named = name.startswith(("warploom::", "__device_stub__")) or ".entry" in name
        return named or "libwarploom" in library or "/warploom/runtime/" in file


Focus()
WithoutRuntime()
end
