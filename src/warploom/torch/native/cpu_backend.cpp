// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU backend in the place of missing CUDA kernels: the operator's CUDA tensors become CPU tensors over the same
// memory, its CPU kernel runs, and what it made or wrote becomes CUDA again. No byte is copied. It runs at once in the
// calling thread, after the work that the current stream was given before.
#include "cpu_backend.h"

#include "../../runtime/openmp_threads.h"
#include "alias.h"
#include "cpu_generator.h"
#include "device.h"
#include "half_to_float.h"
#include "sparse_alias.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/ivalue.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/core/AutogradState.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace warploom::torch {
namespace {

using c10::IValue;
using ::torch::jit::Stack;

// What is known of an operator.
struct Operator {
  std::string name;
  bool is_random = false;                                  // draws from a generator, which may be an argument
  std::vector<size_t> generators;                          // the arguments that are one
  bool may_mix_devices = false;                            // takes CPU tensors beside CUDA ones
  bool can_widen_halves = false;                           // half_to_float.h
  bool waits_for_values = false;                           // its result depends on values, so that no graph can hold it
  std::vector<size_t> written;                             // the arguments that it writes
  std::vector<std::pair<size_t, size_t>> written_results;  // result, and the argument that it is
  std::atomic<uint64_t> calls{0};
};

bool begins_with(const std::string &text, const char *prefix) { return text.rfind(prefix, 0) == 0; }

// Copies, indexing by CPU tensors and the like: PyTorch's CUDA kernels take both, too.
bool mixes_devices(const std::string &name) {
  for (const char *prefix :
       {"aten::copy_", "aten::_to_copy", "aten::index.", "aten::index_put", "aten::_index_put_impl",
        "aten::_foreach_copy", "aten::set_", "aten::_copy_from", "c10d::", "aten::_unsafe_index"}) {
    if (begins_with(name, prefix)) return true;
  }
  return false;
}

bool needs_values(const std::string &name) {
  for (const char *prefix : {"aten::_local_scalar_dense", "aten::nonzero", "aten::masked_select", "aten::equal",
                             "aten::unique", "aten::_unique", "aten::is_nonzero"}) {
    if (begins_with(name, prefix)) return true;
  }
  return false;
}

void describe(Operator &known, const c10::OperatorHandle &op) {
  const auto &schema = op.schema();
  known.name = schema.name();
  if (!schema.overload_name().empty()) known.name += "." + schema.overload_name();
  known.is_random = op.hasTag(at::Tag::nondeterministic_seeded);
  known.may_mix_devices = mixes_devices(known.name);
  known.can_widen_halves = can_widen_halves(known.name);
  known.waits_for_values = needs_values(known.name);
  const auto &arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type()->str().rfind("Generator", 0) == 0) known.generators.push_back(i);
    const auto *alias = arguments[i].alias_info();
    if (alias != nullptr && alias->isWrite()) known.written.push_back(i);
  }
  for (size_t r = 0; r < schema.returns().size(); ++r) {
    const auto *made = schema.returns()[r].alias_info();
    if (made == nullptr || !made->isWrite()) continue;
    for (size_t i = 0; i < arguments.size(); ++i) {
      const auto *given = arguments[i].alias_info();
      if (given != nullptr && given->isWrite() && given->beforeSets() == made->beforeSets()) {
        known.written_results.emplace_back(r, i);
        break;
      }
    }
  }
}

std::shared_mutex operators_mutex;
auto &operators() {
  static auto *known = new std::unordered_map<c10::OperatorName, std::unique_ptr<Operator>>;
  return *known;
}

Operator &look_up(const c10::OperatorHandle &op) {
  const c10::OperatorName &key = op.operator_name();
  {
    const std::shared_lock lock(operators_mutex);
    const auto found = operators().find(key);
    if (found != operators().end()) return *found->second;
  }
  auto made = std::make_unique<Operator>();
  describe(*made, op);
  const std::unique_lock lock(operators_mutex);
  return *operators().try_emplace(key, std::move(made)).first->second;
}

// The same, by what the thread looked up before: no lock, no hash of a name.
Operator &operator_of(const c10::OperatorHandle &op) {
  struct Seen {
    c10::OperatorName name;  // another operator may have come to be where one was taken away
    Operator *known;
  };
  thread_local std::unordered_map<c10::OperatorHandle, Seen> seen;
  const auto found = seen.find(op);
  if (found != seen.end() && found->second.name == op.operator_name()) return *found->second.known;
  Operator &known = look_up(op);
  seen.insert_or_assign(op, Seen{op.operator_name(), &known});
  return known;
}

bool is_traced() {
  static const bool traced = [] {
    const char *asked = std::getenv("WARPLOOM_TORCH_TRACE");
    return asked != nullptr && *asked != '\0' && *asked != '0';
  }();
  return traced;
}

template <typename Visit>
void for_each_tensor(const IValue &value, Visit &&visit) {
  if (value.isTensor()) {
    visit(value.toTensor());
  } else if (value.isList()) {
    for (const IValue &each : value.toListRef()) for_each_tensor(each, visit);
  }
}

bool holds_tensors(const IValue &value) {
  bool found = false;
  for_each_tensor(value, [&](const at::Tensor &) { found = true; });
  return found;
}

template <typename Change>
IValue with_tensors(const IValue &value, Change &&change) {
  if (value.isTensor()) return change(value.toTensor());
  if (!value.isList() || !holds_tensors(value)) return value;
  const auto given = value.toListRef();
  c10::impl::GenericList list(value.toList().elementType());
  list.reserve(given.size());
  for (const IValue &each : given) list.push_back(with_tensors(each, change));
  return list;
}

// The tensors of a value, and those that were made of them.
template <typename Visit>
void for_each_pair(const IValue &one, const IValue &other, Visit &&visit) {
  if (one.isTensor()) {
    visit(one.toTensor(), other.toTensor());
  } else if (one.isList()) {
    const auto ones = one.toListRef(), others = other.toListRef();
    for (size_t i = 0; i < ones.size(); ++i) for_each_pair(ones[i], others[i], visit);
  }
}

bool holds_sparse(const IValue &value) {
  bool found = false;
  for_each_tensor(value, [&](const at::Tensor &t) { found = found || (t.defined() && t.layout() != c10::kStrided); });
  return found;
}

// The device of the CUDA arguments, which have to agree.
c10::Device common_device(const Operator &op, c10::ArrayRef<IValue> arguments) {
  std::optional<c10::Device> found;
  bool is_mixed = false;
  std::optional<c10::Device> other;
  const auto see = [&](const at::Tensor &tensor) {
    if (!tensor.defined()) return;
    const c10::Device device = tensor.device();
    if (device.is_cuda()) {
      if (found && *found != device) other = device;
      if (!found) found = device;
    } else if (device.is_cpu() && tensor.dim() > 0) {
      is_mixed = true;
    }
  };
  for (const IValue &each : arguments) {
    if (each.isDevice() && each.toDevice().is_cuda() && !found) found = each.toDevice();
    for_each_tensor(each, see);
  }
  if (!op.may_mix_devices && found && (is_mixed || other)) {
    TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", *found,
                " and ", other ? *other : c10::Device(c10::DeviceType::CPU), "! (", op.name, ")");
  }
  if (found && found->has_index()) return *found;
  return {c10::DeviceType::CUDA, c10::cuda::current_device()};
}

// Generators are of the kind of device that the tensors are on. A CUDA generator brings operators on CPU tensors here.
void check_generators(const Operator &op, c10::ArrayRef<IValue> arguments) {
  if (op.generators.empty()) return;
  bool is_on_cuda = false;
  for (const IValue &each : arguments) {
    if (each.isDevice()) is_on_cuda = is_on_cuda || each.toDevice().is_cuda();
    for_each_tensor(each, [&](const at::Tensor &t) { is_on_cuda = is_on_cuda || (t.defined() && t.is_cuda()); });
  }
  for (const size_t place : op.generators) {
    if (arguments[place].isNone()) continue;
    const c10::DeviceType found = arguments[place].toGenerator().device().type();
    const c10::DeviceType expected = is_on_cuda ? c10::DeviceType::CUDA : c10::DeviceType::CPU;
    TORCH_CHECK(found == expected, "Expected a '", c10::DeviceTypeName(expected, true),
                "' device type for generator but found '", c10::DeviceTypeName(found, true), "'");
  }
}

// Run the kernel of the CPU's `key` on the arguments on the stack, which are the CPU's; `generator` is the device's
// default one.
void call_cpu_kernel(const Operator &known, const c10::OperatorHandle &op, c10::DispatchKey key,
                     const at::Generator &generator, Stack &stack) {
  const size_t first = stack.size() - op.schema().arguments().size();
  for (const size_t place : known.generators) {
    IValue &value = stack[first + place];
    if (value.isNone()) {
      value = cpu_generator(generator);
    } else if (value.toGenerator().device().is_cuda()) {
      value = cpu_generator(value.toGenerator());
    }
  }
  std::optional<InsteadOfDefaultGenerator> instead;
  if (known.is_random && known.generators.empty()) instead.emplace(cpu_generator(generator));
  std::optional<HalfToFloat> widened;
  if (known.can_widen_halves) widened.emplace(stack, first);
  op.redispatchBoxed(c10::DispatchKeySet(key), &stack);
  note_threads_are_awake();
  if (widened) widened->finish(stack);
}

// What a graph's replay does: the same call again, whose results go where those of the first call are. It runs in a
// host function of the graph, which may not call the CUDA runtime.
std::function<void()> replay_of(const Operator &known, const c10::OperatorHandle &op, const at::Generator &generator,
                                Stack given, Stack made) {
  return [&known, op, generator, given = std::move(given), made = std::move(made)] {
    const at::AutoDispatchBelowADInplaceOrView no_gradients;
    Stack stack = given;
    call_cpu_kernel(known, op, c10::DispatchKey::CPU, generator, stack);
    std::vector<at::Tensor> first, again;
    for (const IValue &each : made) for_each_tensor(each, [&](const at::Tensor &t) { first.push_back(t); });
    for (const IValue &each : stack) for_each_tensor(each, [&](const at::Tensor &t) { again.push_back(t); });
    TORCH_CHECK(first.size() == again.size(), known.name,
                " gave another number of tensors when its graph was replayed");
    for (size_t i = 0; i < first.size(); ++i) {
      if (!first[i].defined() || first[i].data_ptr() == again[i].data_ptr()) continue;
      TORCH_CHECK(first[i].sizes() == again[i].sizes(), known.name,
                  " gave a tensor of another size when its graph was replayed");
      first[i].copy_(again[i]);
    }
  };
}

// Gradients of this thread are computed by this thread from its first operator on, as they are on the CPU, unless it
// asks for the device's threads. The CPU backend's threads are OpenMP's: a team for each thread that calls operators,
// and where two teams are on the same processors, neither waits awake for the next operator.
void compute_gradients_here() {
  thread_local bool is_said = false;
  if (C10_LIKELY(is_said)) return;
  is_said = true;
  c10::AutogradState::get_tls_state().set_multithreading_enabled(false);
}

// Count and trace a call.
Operator &noted(const c10::OperatorHandle &op) {
  refuse_bad_fork();
  compute_gradients_here();
  Operator &known = operator_of(op);
  if (is_traced()) std::fprintf(stderr, "warploom.torch: %s runs on the CPU backend\n", known.name.c_str());
  known.calls.fetch_add(1, std::memory_order_relaxed);
  return known;
}

}  // namespace

void note_threads_are_awake() {
  static const bool is_told = [] {
    const char *asked = std::getenv("WARPLOOM_TORCH_OPENMP");
    return asked == nullptr || std::strcmp(asked, "0") != 0;
  }();
  if (is_told && at::get_num_threads() > 1) __warploom_uses_openmp();
}

void note_on_cpu_backend(const char *name, const char *overload) {
  noted(c10::Dispatcher::singleton().findSchemaOrThrow(name, overload));
}

void run_on_cpu_backend(const c10::OperatorHandle &op, c10::DispatchKey cuda_key, Stack *stack) {
  const c10::DispatchKey key = on_cpu(cuda_key);
  Operator &known = noted(op);
  TORCH_CHECK_NOT_IMPLEMENTED(op.hasComputedKernelForDispatchKey(key), "Could not run '", known.name,
                              "' on the CUDA device: neither Warploom nor PyTorch's CPU backend has a kernel for it");
  // The device's arguments stay on the stack; above them the CPU's kernel has its own, and leaves its results.
  const size_t count = op.schema().arguments().size(), first = stack->size() - count;
  const auto originals = [&] { return c10::ArrayRef<IValue>(stack->data() + first, count); };
  const c10::Device device = common_device(known, originals());
  check_generators(known, originals());
  c10::cuda::OptionalCUDAGuard guard;
  if (device.index() != c10::cuda::current_device()) guard.set_device(device);
  const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream(device.index());
  const bool is_recorded = capture_of(stream).has_value();
  TORCH_CHECK(
      !is_recorded || !(known.waits_for_values || std::any_of(originals().begin(), originals().end(), holds_sparse)),
      "CUDA error: operation not permitted when stream is capturing (", known.name, ")");
  if (!is_recorded) c10::cuda::stream_synchronize(stream);

  Aliases aliases;
  stack->reserve(stack->size() + count);
  for (size_t i = 0; i < count; ++i) {
    const IValue &each = (*stack)[first + i];
    stack->push_back(each.isDevice() && each.toDevice().is_cuda()
                         ? IValue(c10::Device(c10::DeviceType::CPU))
                         : with_tensors(each, [&](const at::Tensor &t) { return aliases.on_cpu(t); }));
  }
  const size_t results = first + count;
  // What the CPU's kernel takes from the stack but is still asked for: arguments that it writes.
  c10::SmallVector<IValue, 2> written;
  for (const size_t place : known.written) written.push_back((*stack)[results + place]);
  Stack given;
  if (is_recorded) given.assign(stack->begin() + static_cast<std::ptrdiff_t>(results), stack->end());
  const at::Generator &generator = at::cuda::detail::getDefaultCUDAGenerator(device.index());
  {
    const AllocateOnDevice allocate;
    call_cpu_kernel(known, op, key, generator, *stack);
  }
  if (is_recorded) {
    Stack made(stack->begin() + static_cast<std::ptrdiff_t>(results), stack->end());
    record_in_graph(replay_of(known, op, generator, std::move(given), std::move(made)));
  }

  for (size_t i = 0; i < written.size(); ++i) {
    for_each_pair(written[i], (*stack)[first + known.written[i]],
                  [&](const at::Tensor &alias, const at::Tensor &original) { aliases.take_over(alias, original); });
  }
  for (const auto &[result, argument] : known.written_results) (*stack)[results + result] = (*stack)[first + argument];
  for (size_t i = results; i < stack->size(); ++i) {
    (*stack)[i] = with_tensors((*stack)[i], [&](const at::Tensor &t) { return aliases.on_cuda(t, device); });
  }
  stack->erase(stack->begin() + static_cast<std::ptrdiff_t>(first),
               stack->begin() + static_cast<std::ptrdiff_t>(results));
}

void on_each_thread(int threads, const std::function<void()> &work) {
  at::Tensor places(at::detail::empty_cpu({threads}, at::kByte));
  at::TensorIterator::nullary_op(places).for_each([&](char **, const int64_t *, int64_t) { work(); }, /*grain_size=*/1);
  note_threads_are_awake();
}

void in_stream_order(const std::function<void()> &work) {
  if (is_capturing()) {
    record_in_graph(work);
  } else {
    c10::cuda::getCurrentCUDAStream().synchronize();
  }
  work();
}

namespace {

std::mutex replay_mutex;
std::string replay_error;
ReplayWork *replay_work = nullptr;

void CUDART_CB replay(void *work) {
  try {
    (*static_cast<std::function<void()> *>(work))();
  } catch (const std::exception &error) {
    const std::lock_guard lock(replay_mutex);
    if (replay_error.empty()) replay_error = error.what();
  }
}

}  // namespace

void collect_replay_work(ReplayWork *list) {
  const std::lock_guard lock(replay_mutex);
  replay_work = list;
}

void record_in_graph(std::function<void()> work) {
  auto kept = std::make_unique<std::function<void()>>(std::move(work));
  const std::lock_guard lock(replay_mutex);
  TORCH_CHECK(replay_work != nullptr,
              "an operator that runs on the CPU backend can only be captured by torch.cuda.CUDAGraph");
  C10_CUDA_CHECK(cudaLaunchHostFunc(c10::cuda::getCurrentCUDAStream(), &replay, kept.get()));
  replay_work->push_back(std::move(kept));
}

std::string take_replay_error() {
  const std::lock_guard lock(replay_mutex);
  return std::exchange(replay_error, {});
}

std::string coverage_lines() {
  std::map<std::string, uint64_t> counts;
  {
    const std::shared_lock lock(operators_mutex);
    for (const auto &[key, known] : operators()) counts[known->name] += known->calls;
  }
  std::string lines;
  for (const auto &[name, calls] : counts) {
    if (calls != 0) lines += name + " " + std::to_string(calls) + "\n";
  }
  return lines;
}

void reset_coverage() {
  const std::shared_lock lock(operators_mutex);
  for (const auto &[key, known] : operators()) known->calls = 0;
}

}  // namespace warploom::torch

// For the thread that imports PyTorch, whatever it asks for afterwards.
extern "C" __attribute__((visibility("default"))) void warploom_torch_compute_gradients_here() {
  warploom::torch::compute_gradients_here();
}
