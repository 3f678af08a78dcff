# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile with inductor on the device: the code that inductor makes for a CPU, over the device's memory.

    graph of CUDA tensors (ATen's operators, functional)          arguments --on_cpu--> aliases on the CPU
      --devices--> the same graph of CPU tensors                    --inductor's C++--> CPU tensors
      --inductor's CPU backend--> C++                               --on_cuda--> results

For a GPU inductor writes Triton's language, which needs a GPU's driver. No byte is copied between the two sides: device
memory is the host's, and what the C++ allocates comes from the device's allocator (native/compiled.cpp). It runs in the
thread that calls it, behind what the current stream was given before. Operators of extensions still get CUDA
tensors, and run their CUDA kernels.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from warploom.torch.calls import Calls

# Namespaces of operators that are the same on a CPU.
_SAME_ON_CPU = ("aten", "prims", "inductor_prims", "inductor", "quantized", "mkldnn", "mkl", "_c10d_functional")
_MOVES = ("aten::_to_copy", "prims::device_put")  # from device to device: a copy
_SEEDS = "prims::inductor_seed"  # and `_seeds`: what inductor draws its random numbers from


def compile_for_cpu(module: ModuleType, calls: Calls) -> None:
    """Let `torch._inductor.compile_fx` compile graphs that have the device's tensors in them for the CPU."""
    usual = vars(module)["_compile_fx_inner"]

    @functools.wraps(usual)
    def compile_inner(graph_module: Any, examples: Sequence[Any], *rest: Any, **given: Any) -> Any:
        torch: Any = sys.modules["torch"]
        moved = _Moved(torch, graph_module)
        if not moved.is_needed():
            return usual(graph_module, examples, *rest, **given)
        if torch._inductor.virtualized.V.aot_compilation:
            raise NotImplementedError(
                "Warploom's CUDA device has no AOTInductor: what that compiles would be code for the CPU; compile the "
                "model on the CPU, or use torch.compile"
            )
        if moved.uses_streams():
            return _in_order(calls, graph_module)
        examples = moved.to_cpu(examples)
        given["cudagraphs"] = torch._inductor.utils.BoxedBool(False)
        return _Compiled(torch, calls, usual(graph_module, examples, *rest, **given), moved)

    vars(module)["_compile_fx_inner"] = compile_inner


def _in_order(calls: Calls, graph_module: Any) -> Callable[[list[Any]], Any]:
    """The graph, operator by operator, behind all that any stream was given: what is on several streams is not
    compiled."""

    def run(arguments: list[Any]) -> Any:
        calls.synchronize()
        given = list(arguments)
        arguments.clear()
        return graph_module(*given)

    vars(run)["_boxed_call"] = True  # which PyTorch reads
    return run


class _Moved:
    """A graph, which belongs to the caller no more, whose tensors are moved to the CPU."""

    def __init__(self, torch: Any, graph_module: Any) -> None:
        self.torch = torch
        self._modules = [each for each in graph_module.modules() if isinstance(each, torch.fx.GraphModule)]
        nodes = itertools.chain.from_iterable(module.graph.nodes for module in self._modules)
        self._devices = {node: _device_of(torch, node.meta.get("val")) for node in nodes}
        arguments = graph_module.graph.find_nodes(op="placeholder")
        (output,) = graph_module.graph.find_nodes(op="output")
        results = output.args[0]
        self.arguments = [place for place, node in enumerate(arguments) if self._is_on_cuda(node)]
        self.results: dict[Any, list[int]] = {}  # places of each device's
        # Results that are arguments, by their places; what was compiled may give a copy of another layout.
        self.passed: dict[int, int] = {}
        for place, node in enumerate(results):
            if self._is_on_cuda(node):
                self.results.setdefault(self._devices[node], []).append(place)
                if node in arguments:
                    self.passed[place] = arguments.index(node)
        self.draws = False  # from the default generator

    def is_needed(self) -> bool:
        """Whether anything in the graph is on the device."""
        return any(map(self._is_on_cuda, self._devices)) or any(
            _is_cuda(self.torch, leaf) for node in self._devices for leaf in _leaves(self.torch, node)
        )

    def uses_streams(self) -> bool:
        """Whether something is to run on another stream than the current one."""
        return any("stream" in node.meta.get("custom", {}) for node in self._devices)

    def to_cpu(self, examples: Sequence[Any]) -> list[Any]:
        """Change the graph in place; the examples that belong to it."""
        for module in self._modules:
            for node in list(module.graph.nodes):
                self._change(module, node)
            module.recompile()
        return [self._twin(each) for each in examples]

    def _is_on_cuda(self, node: Any) -> bool:
        return isinstance(node, self.torch.fx.Node) and _is_cuda(self.torch, self._devices.get(node))

    def _change(self, module: Any, node: Any) -> None:
        torch = self.torch
        if node.op == "get_attr":
            self._change_attribute(module, node.target)
        leaves = [node.target, *_leaves(torch, node)]
        self.draws = self.draws or any(_name(torch, each).startswith(_SEEDS) for each in leaves)
        if _name(torch, node.target) in _MOVES and self._devices[node] != self._devices[node.args[0]]:
            self._copy_behind(module, node)
        node.target = self._operator(node.target, node)

        def moved(argument: Any) -> Any:
            return torch.device("cpu") if _is_cuda(torch, argument) else self._operator(argument, node)

        node.args, node.kwargs = torch.utils._pytree.tree_map(moved, (node.args, node.kwargs))
        if "val" in node.meta:
            node.meta["val"] = torch.utils._pytree.tree_map(self._twin, node.meta["val"])

    def _change_attribute(self, module: Any, target: str) -> None:
        *path, name = target.split(".")
        owner = functools.reduce(getattr, path, module)
        value = getattr(owner, name)
        if _is_cuda(self.torch, _device_of(self.torch, value)):
            delattr(owner, name)
            owner.register_buffer(name, self._alias(value))

    def _alias(self, tensor: Any) -> Any:
        """The CPU tensor over its memory."""
        (alias,) = self.torch.ops.warploom.on_cpu([tensor.detach()])
        return alias

    def _copy_behind(self, module: Any, node: Any) -> None:
        """A move gives other memory; on one device the operator may give what it was given."""
        with module.graph.inserting_after(node):
            copy = module.graph.call_function(self.torch.ops.aten.clone.default, (node,))

        def is_another(user: Any) -> bool:
            return user is not copy

        node.replace_all_uses_with(copy, delete_user_cb=is_another)
        value = self._twin(node.meta["val"])
        with value.fake_mode:
            copy.meta = {**node.meta, "val": value.clone()}
        self._devices[copy] = self._devices[node]

    def _operator(self, target: Any, node: Any) -> Any:
        """In the place of an operator that stays on the device: one that runs it there."""
        torch = self.torch
        if not isinstance(target, torch._ops.OpOverload) or not self._stays(target, node):
            return target
        names = [argument.name for argument in target._schema.arguments]
        given = {**dict(zip(names, node.args, strict=False)), **node.kwargs}
        for name in names:  # auto_functionalized_v2 names what is written by its place in a list
            if (place := given.get(f"_{name}_base_index")) is not None:
                given[name] = given["_all_bases"][place]
        on_cpu = [name for name in names if any(map(self._is_on_cpu, torch.utils._pytree.tree_leaves(given.get(name))))]
        return _on_cuda(torch, target, tuple(on_cpu))

    def _stays(self, target: Any, node: Any) -> bool:
        """Extensions' operators; what the CPU has no kernel for; and random operators that inductor calls, so that they
        draw what they draw where nothing is compiled."""
        torch = self.torch
        if target.namespace == "aten" and torch.Tag.nondeterministic_seeded in target.tags:
            return self._is_on_cuda(node)
        lowering = torch._inductor.lowering
        if target in lowering.lowerings and target not in lowering.fallbacks:
            return False
        if target.namespace in _SAME_ON_CPU and torch._C._dispatch_has_computed_kernel_for_dispatch_key(
            target.name(), "CPU"
        ):
            return False
        return any(map(self._is_on_cuda, (node, *_leaves(torch, node))))

    def _is_on_cpu(self, value: Any) -> bool:
        device = self._devices.get(value) if isinstance(value, self.torch.fx.Node) else None
        return device is not None and device.type == "cpu"

    def _twin(self, value: Any) -> Any:
        """The CPU's tensor without data in the place of the device's; what shares memory still does."""
        torch = self.torch
        if not _is_cuda(torch, _device_of(torch, value)):
            return value
        fake = torch._subclasses.fake_tensor
        if not isinstance(value, fake.FakeTensor):
            return self._alias(value)
        mode = value.fake_mode
        with fake.in_kernel_invocation_manager(mode):
            described = torch.ops.aten.alias.default(value)
        return fake.FakeTensor(mode, described, torch.device("cpu"))


class _Compiled:
    """What inductor made, for tensors on the device. As PyTorch's own: called with a list, which it empties."""

    def __init__(self, torch: Any, calls: Calls, run: Callable[[list[Any]], Any], moved: _Moved) -> None:
        self._boxed_call = True  # which PyTorch reads
        self._operators = torch.ops.warploom
        self._below_autograd = torch._C._AutoDispatchBelowAutograd
        self._calls = calls
        self._run = run
        self._arguments, self._passed, self._results = moved.arguments, moved.passed, moved.results
        self._draws = int(moved.draws)

    def __call__(self, arguments: list[Any]) -> list[Any]:
        with self._below_autograd():
            aliases = self._operators.compiled_arguments([arguments[place] for place in self._arguments])
        given = list(arguments)
        for place, alias in zip(self._arguments, aliases, strict=True):
            given[place] = alias
        passed = {result: (given[place], arguments[place]) for result, place in self._passed.items()}
        arguments.clear()
        del aliases
        call = ctypes.c_void_p(self._calls.begin_compiled(self._draws))
        try:
            results = list(self._run(given))
        finally:
            self._calls.end_compiled(call)
        for place, (alias, argument) in passed.items():
            if results[place] is alias:
                results[place] = argument
        for device, places in self._results.items():
            with self._below_autograd():
                moved = self._operators.on_cuda([results[place] for place in places], device)
            for place, result in zip(places, moved, strict=True):
                results[place] = result
        return results


@functools.cache
def _on_cuda(torch: Any, operator: Any, on_cpu: tuple[str, ...]) -> Any:
    """The operator that takes CPU tensors, which but for the arguments `on_cpu` are over the device's memory, and runs
    the CUDA kernel of `operator` on that memory."""
    schema = operator._schema
    text = str(schema)
    own_name = text.partition("(")[0]
    name = "_".join([own_name.replace("::", "_").replace(".", "_"), *on_cpu])
    names = [argument.name for argument in schema.arguments]
    tree, own = torch.utils._pytree, torch.ops.warploom

    def with_tensors(values: Any, change: Callable[[list[Any]], list[Any]]) -> Any:
        leaves, shape = tree.tree_flatten(values)
        places = [place for place, each in enumerate(leaves) if isinstance(each, torch.Tensor)]
        for place, made in zip(places, change([leaves[place] for place in places]), strict=True):
            leaves[place] = made
        return tree.tree_unflatten(leaves, shape)

    def run(*arguments: Any, **named: Any) -> Any:
        given = {**dict(zip(names, arguments, strict=False)), **named}
        stay = {name: given.pop(name) for name in on_cpu if name in given}
        device = torch.device("cuda", torch.cuda.current_device())
        given = {name: device if isinstance(each, torch.device) else each for name, each in given.items()}
        moved = with_tensors(given, lambda tensors: own.on_cuda(tensors, device))
        return with_tensors(operator(**moved, **stay), own.on_cpu)

    library = _library(torch)
    library.define(name + text[len(own_name) :], tags=tuple(operator.tags))
    library.impl(name, run, "CompositeExplicitAutograd")  # some have no tensor to say where
    library._register_fake(name, operator)
    return getattr(torch.ops.warploom_on_cuda, name).default


@functools.cache
def _library(torch: Any) -> Any:
    return torch.library.Library("warploom_on_cuda", "DEF")


def _name(torch: Any, target: Any) -> str:
    return target._schema.name if isinstance(target, torch._ops.OpOverload) else ""


def _leaves(torch: Any, node: Any) -> list[Any]:
    return torch.utils._pytree.tree_leaves((node.args, node.kwargs))


def _device_of(torch: Any, value: Any) -> Any:
    return value.device if isinstance(value, torch.Tensor) else None


def _is_cuda(torch: Any, device: Any) -> bool:
    return isinstance(device, torch.device) and device.type == "cuda"
