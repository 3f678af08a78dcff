// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise kernels of a function that is given as text while the program runs (torch.cuda.jiterator). NVRTC
// compiles a kernel for each function, types and number of axes that are met; PyTorch's TensorIterator says what they
// are.
#include <ATen/cuda/jiterator.h>

#include "device.h"

#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/native/TensorIterator.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/hash.h>
#include <cuda.h>
#include <nvrtc.h>
#include <torch/library.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace warploom::torch {
namespace {

using at::ScalarType;
using at::Tensor;
using at::TensorIteratorBase;

constexpr unsigned kThreads = 256;  // of a block, at most
constexpr unsigned kLeastRow = 32;  // elements: shorter rows are no block of their own
constexpr int kMostStep = 4;        // elements from one to the next in a row, that code is compiled for
constexpr int kMostTensors = 8;     // that a function takes, and that it gives

// What a program begins with. at::Half and at::BFloat16 are how elements lie in memory: functions compute in float.
constexpr std::string_view kCommon = R"(
#include <cmath>
#include <cstdint>
template <typename T> constexpr bool warploom_is_complex = false;
)";
constexpr std::string_view kHalf = R"(
#include <cuda_fp16.h>
namespace at {
struct alignas(2) Half {
  __half x;
  Half() = default;
  __host__ __device__ Half(float value) : x(__float2half_rn(value)) {}
  __host__ __device__ operator float() const { return __half2float(x); }
};
}  // namespace at
)";
constexpr std::string_view kBFloat16 = R"(
#include <cuda_bf16.h>
namespace at {
struct alignas(2) BFloat16 {
  __nv_bfloat16 x;
  BFloat16() = default;
  __host__ __device__ BFloat16(float value) : x(__float2bfloat16_rn(value)) {}
  __host__ __device__ operator float() const { return __bfloat162float(x); }
};
}  // namespace at
)";
constexpr std::string_view kComplex = R"(
#include <complex>
template <typename T> constexpr bool warploom_is_complex<std::complex<T>> = true;
)";
// Types go up only: to the one that all are promoted to, and to the one that it is computed in.
constexpr std::string_view kCast = R"(
template <typename To, typename From> __device__ To warploom_cast(const From &value) {
  if constexpr (warploom_is_complex<From>) {
    using Part = typename To::value_type;
    return To(Part(value.real()), Part(value.imag()));
  } else if constexpr (warploom_is_complex<To>) {
    return To(typename To::value_type(value), typename To::value_type(0));
  } else {
    return static_cast<To>(value);
  }
}
)";

// As the program names a type; an error for one that there are no such kernels for.
std::string name_of(ScalarType type) {
  switch (type) {
    case ScalarType::Bool:
      return "bool";
    case ScalarType::Byte:
      return "unsigned char";
    case ScalarType::Char:
      return "signed char";
    case ScalarType::Short:
      return "short";
    case ScalarType::Int:
      return "int";
    case ScalarType::Long:
      return "int64_t";
    case ScalarType::Half:
      return "at::Half";
    case ScalarType::BFloat16:
      return "at::BFloat16";
    case ScalarType::Float:
      return "float";
    case ScalarType::Double:
      return "double";
    case ScalarType::ComplexHalf:
      return "std::complex<at::Half>";
    case ScalarType::ComplexFloat:
      return "std::complex<float>";
    case ScalarType::ComplexDouble:
      return "std::complex<double>";
    default:
      TORCH_CHECK(false, "jiterator has no kernels for tensors of ", type);
  }
}

// A function of the user's.
struct Function {
  const std::string &code, &name;
  bool by_reference;
  std::vector<std::string> extras;  // types of what is the same for all elements
};

std::string numbered(std::string_view word, int number) { return std::string(word) + std::to_string(number); }

// How the elements of the tensors lie: axes are numbered from the one whose elements lie closest.
struct Layout {
  explicit Layout(TensorIteratorBase &iter)
      : axes(iter.ndim()),
        is_contiguous(iter.is_contiguous()),
        has_rows(!is_contiguous && axes != 0 && iter.shape()[0] >= kLeastRow) {
    for (int k = 0; has_rows && k < iter.ntensors(); ++k) {
      const int64_t size = iter.element_size(k), stride = iter.strides(k)[0];
      steps.push_back(stride % size == 0 && stride / size <= kMostStep ? static_cast<int>(stride / size) : -1);
    }
  }

  int axes;
  bool is_contiguous;  // all tensors: an element is where its number says
  bool has_rows;       // a block of threads has its elements along the first axis, so that vectors of them are loaded
  std::vector<int> steps;  // along a row, in elements, for each tensor; -1: what the launch says
};

// Where an element of tensor `k` is.
std::string element(TensorIteratorBase &iter, const Layout &layout, int k) {
  const std::string name = numbered("data", k);
  if (layout.is_contiguous) return name + "[index]";
  const std::string kind = k < iter.noutputs() ? "" : "const ";
  const std::string typed =
      "((" + kind + name_of(iter.dtype(k)) + " *)((" + kind + "char *)" + name + " + " + numbered("offset", k) + "))";
  if (!layout.has_rows || layout.steps[k] < 0) return "*" + typed;
  return typed + "[" + std::to_string(layout.steps[k]) + " * column]";
}

// Statements that find the number of the thread's element, and the offset of each tensor's from its axes, in bytes.
std::string offsets(TensorIteratorBase &iter, const Layout &layout) {
  const int tensors = iter.ntensors();
  std::string text;
  if (layout.has_rows)
    text =
        "  const unsigned pieces = (axes.size[0] + blockDim.x - 1) / blockDim.x;\n"
        "  const unsigned column = blockIdx.x % pieces * blockDim.x + threadIdx.x;\n"
        "  unsigned rest = blockIdx.x / pieces;\n"
        "  if (column >= axes.size[0]) return;\n";
  else
    text = "  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;\n  if (index >= count) return;\n";
  if (layout.is_contiguous) return text;
  if (!layout.has_rows) text += "  unsigned rest = index;\n";
  for (int k = 0; k < tensors; ++k) {
    const bool is_far = layout.has_rows && layout.steps[k] < 0;
    text += "  unsigned " + numbered("offset", k) + " = " +
            (is_far ? "column * axes.stride[0][" + std::to_string(k) + "]" : "0") + ";\n";
  }
  for (int axis = layout.has_rows ? 1 : 0; axis < layout.axes; ++axis) {
    const std::string number = "[" + std::to_string(axis) + "]";
    text += "  {\n    const unsigned quotient = (__umulhi(rest, axes.factor" + number + ") + rest) >> axes.shift" +
            number + ";\n    const unsigned here = rest - quotient * axes.size" + number + ";\n    rest = quotient;\n";
    for (int k = 0; k < tensors; ++k)
      text += "    " + numbered("offset", k) + " += here * axes.stride" + number + "[" + std::to_string(k) + "];\n";
    text += "  }\n";
  }
  return text;
}

// The kernel: it calls the function, each argument in the type that all tensors are promoted to, with the precision
// that PyTorch computes that one in.
std::string kernel_text(TensorIteratorBase &iter, const Layout &layout, const Function &function) {
  const std::string common = name_of(iter.common_dtype()), computed = name_of(at::toOpMathType(iter.common_dtype()));
  std::string parameters, arguments, results, loads, stores;
  for (int k = 0; k < iter.ntensors(); ++k) {
    const bool is_output = k < iter.noutputs();
    parameters += (is_output ? ", " : ", const ") + name_of(iter.dtype(k)) + " *__restrict__ " + numbered("data", k);
    if (is_output) {
      loads += "  " + computed + " " + numbered("out", k) + ";\n";
      stores += "  " + element(iter, layout, k) + " = warploom_cast<" + common + ">(" + numbered("out", k) + ");\n";
      results += ", " + numbered("out", k);
    } else {
      loads += "  const " + computed + " " + numbered("in", k) + " = warploom_cast<" + computed + ">(warploom_cast<" +
               common + ">(" + element(iter, layout, k) + "));\n";
      arguments += ", " + numbered("in", k);
    }
  }
  for (size_t e = 0; e < function.extras.size(); ++e) {
    const std::string name = numbered("extra", static_cast<int>(e));
    parameters += ", const " + function.extras[e] + " " + name;
    arguments += ", " + name;
  }
  const std::string called = function.name + "<" + computed + ">(" + arguments.substr(2);
  return "extern \"C\" __global__ void " + function.name + "_kernel(const unsigned count" +
         (layout.is_contiguous ? "" : ", const WarploomAxes axes") + parameters + ") {\n" + offsets(iter, layout) +
         loads + (function.by_reference ? "  " + called + results + ");\n" : "  out0 = " + called + ");\n") + stores +
         "}\n";
}

std::string program_of(TensorIteratorBase &iter, const Layout &layout, const Function &function) {
  const std::string sizes = std::to_string(std::max(layout.axes, 1)), count = std::to_string(iter.ntensors());
  // A function that does not say where it runs runs on the device, as NVRTC's -default-device has it.
  const std::string body = "#pragma clang force_cuda_host_device begin\n#line 1 \"" + function.name + "\"\n" +
                           function.code + "\n#pragma clang force_cuda_host_device end\n#line 1 \"jiterator\"\n" +
                           kernel_text(iter, layout, function);
  const auto if_named = [&](std::string_view name, std::string_view text) {
    return body.find(name) == std::string::npos ? std::string_view() : text;
  };
  std::string program(kCommon);
  program += if_named("at::Half", kHalf);
  program += if_named("at::BFloat16", kBFloat16);
  program += if_named("std::complex", kComplex);
  program += kCast;
  if (!layout.is_contiguous)
    program += "struct WarploomAxes { unsigned size[" + sizes + "], factor[" + sizes + "], shift[" + sizes +
               "], stride[" + sizes + "][" + count + "]; };\n";
  return program + body;
}

void check(nvrtcResult result) {
  TORCH_CHECK(result == NVRTC_SUCCESS, "jiterator: NVRTC: ", nvrtcGetErrorString(result));
}

void check(CUresult result) {
  const char *text = nullptr;
  if (result != CUDA_SUCCESS) cuGetErrorString(result, &text);
  TORCH_CHECK(result == CUDA_SUCCESS, "jiterator: ", text ? text : "error of the driver");
}

// Machine code of a program; what the compiler says is the error where it refuses it.
std::string compiled(const std::string &text, const std::string &name) {
  nvrtcProgram program = nullptr;
  check(nvrtcCreateProgram(&program, text.c_str(), (name + ".cu").c_str(), 0, nullptr, nullptr));
  const std::unique_ptr<_nvrtcProgram, void (*)(nvrtcProgram)> owner(
      program, [](nvrtcProgram each) { (void)nvrtcDestroyProgram(&each); });
  const nvrtcResult result = nvrtcCompileProgram(program, 0, nullptr);
  size_t size = 0;
  if (result != NVRTC_SUCCESS) {
    check(nvrtcGetProgramLogSize(program, &size));
    std::string log(size, '\0');
    check(nvrtcGetProgramLog(program, log.data()));
    TORCH_CHECK(false, "jiterator: ", name, " does not compile:\n", log.c_str());
  }
  check(nvrtcGetCUBINSize(program, &size));
  std::string code(size, '\0');
  check(nvrtcGetCUBIN(program, code.data()));
  return code;
}

// Where machine code is kept from one process to the next, for this Warploom and this processor; empty: nowhere.
std::string &cache_folder() {
  static auto *folder = new std::string;
  return *folder;
}

std::string kept_or_compiled(const std::string &text, const std::string &name) {
  if (cache_folder().empty()) return compiled(text, name);
  const std::string path = cache_folder() + "/" + c10::sha1(text).str(), mine = path + "." + std::to_string(getpid());
  std::ifstream kept(path, std::ios::binary);
  if (kept) return {std::istreambuf_iterator<char>(kept), {}};
  std::string code = compiled(text, name);
  // Whole or absent; where nothing can be written the next process compiles it again.
  std::ofstream(mine, std::ios::binary) << code << std::flush;
  std::error_code error;
  const bool is_whole = std::filesystem::file_size(mine, error) == code.size() && !error;
  if (is_whole) std::filesystem::rename(mine, path, error);
  if (!is_whole || error) std::filesystem::remove(mine, error);
  return code;
}

// What the text of the kernel depends on, and the device.
std::string key_of(TensorIteratorBase &iter, const Layout &layout, const Function &function) {
  std::string key = std::to_string(c10::cuda::current_device()) + (function.by_reference ? " &" : " =") +
                    std::to_string(iter.noutputs()) + (layout.is_contiguous ? "" : numbered(" in ", layout.axes));
  for (int k = 0; k < iter.ntensors(); ++k) key += numbered(" ", static_cast<int>(iter.dtype(k)));
  for (const int step : layout.steps) key += numbered(" by ", step);
  for (const std::string &extra : function.extras) key += " " + extra;
  return key + " " + function.name + " " + function.code;
}

// The kernel for such tensors.
CUfunction kernel_of(TensorIteratorBase &iter, const Layout &layout, const Function &function) {
  static std::mutex mutex;
  static auto *kernels = new std::unordered_map<std::string, CUfunction>;
  const std::string key = key_of(iter, layout, function);
  const std::lock_guard lock(mutex);
  CUfunction &kernel = (*kernels)[key];
  if (kernel == nullptr) {
    CUmodule module = nullptr;
    check(cuModuleLoadData(&module, kept_or_compiled(program_of(iter, layout, function), function.name).c_str()));
    check(cuModuleGetFunction(&kernel, module, (function.name + "_kernel").c_str()));
  }
  return kernel;
}

// WarploomAxes of the program, as bytes. Quotients by d: (n * factor / 2^32 + n) / 2^shift for n below 2^31
// (Granlund and Montgomery, Division by invariant integers using multiplication, section 4).
std::vector<unsigned> axes_of(TensorIteratorBase &iter) {
  const int axes = std::max(iter.ndim(), 1), tensors = iter.ntensors();
  std::vector<unsigned> all(static_cast<size_t>(axes) * (3 + tensors));
  for (int axis = 0; axis < axes; ++axis) {
    const auto size = static_cast<uint64_t>(axis < iter.ndim() ? iter.shape()[axis] : 1);
    unsigned shift = 0;
    while ((uint64_t{1} << shift) < size) ++shift;
    all[axis] = static_cast<unsigned>(size);
    all[axes + axis] = static_cast<unsigned>((((uint64_t{1} << shift) - size) << 32) / size + 1);
    all[2 * axes + axis] = shift;
    for (int k = 0; k < tensors; ++k)
      all[axes * 3 + axis * tensors + k] = axis < iter.ndim() ? static_cast<unsigned>(iter.strides(k)[axis]) : 0;
  }
  return all;
}

void launch(TensorIteratorBase &iter, const Function &function, c10::ArrayRef<at::Scalar> extras) {
  if (iter.numel() == 0) return;
  if (!iter.can_use_32bit_indexing()) {
    for (TensorIteratorBase &part : iter.with_32bit_indexing()) launch(part, function, extras);
    return;
  }
  const Layout layout(iter);
  const CUfunction kernel = kernel_of(iter, layout, function);
  auto count = static_cast<unsigned>(iter.numel());
  const unsigned row = layout.has_rows ? static_cast<unsigned>(iter.shape()[0]) : count;
  const unsigned threads = std::min(kThreads, (row + kLeastRow - 1) / kLeastRow * kLeastRow);
  std::vector<unsigned> axes = axes_of(iter);
  std::array<void *, 2 * kMostTensors> data{};
  std::vector<void *> arguments{&count};
  if (!layout.is_contiguous) arguments.push_back(axes.data());
  for (int k = 0; k < iter.ntensors(); ++k) {
    data[k] = iter.data_ptr(k);
    arguments.push_back(&data[k]);
  }
  for (const at::Scalar &extra : extras) arguments.push_back(const_cast<void *>(extra.data_ptr()));
  check(cuLaunchKernel(kernel, (row + threads - 1) / threads * (count / row), 1, 1, threads, 1, 1, 0,
                       c10::cuda::getCurrentCUDAStream(), arguments.data(), nullptr));
}

}  // namespace
}  // namespace warploom::torch

namespace at::cuda {

c10::SmallVector<at::Tensor> CompileAndLaunchKernel(const std::string &code_string, const std::string &kernel_name,
                                                    const int num_outputs, const c10::SmallVector<at::Tensor> &tensors,
                                                    const c10::SmallVector<at::Scalar> &extra_args,
                                                    bool return_by_ref) {
  using namespace warploom::torch;
  refuse_bad_fork();
  TORCH_CHECK(!tensors.empty() && tensors.size() <= kMostTensors && num_outputs >= 1 && num_outputs <= kMostTensors,
              "jiterator: functions of 1 to 8 tensors with 1 to 8 results, not of ", tensors.size(), " with ",
              num_outputs);
  for (const Tensor &each : tensors)
    TORCH_CHECK(each.is_cuda(), "jiterator: expected tensors on a CUDA device but found one on ", each.device());
  TensorIteratorConfig config;
  config.set_check_mem_overlap(true)
      .allow_cpu_scalars(false)
      .promote_inputs_to_common_dtype(true)
      .cast_common_dtype_to_outputs(true)
      .enforce_safe_casting_to_output(true)
      .check_all_same_device(true);
  for (int i = 0; i < num_outputs; ++i) config.add_owned_output(Tensor());
  for (const Tensor &each : tensors) config.add_owned_const_input(each.resolve_conj().resolve_neg());
  TensorIterator iter = config.build();
  const c10::cuda::CUDAGuard guard(iter.device());
  Function function{code_string, kernel_name, return_by_ref, {}};
  for (const Scalar &extra : extra_args) function.extras.push_back(name_of(extra.type()));
  launch(iter, function, extra_args);
  c10::SmallVector<Tensor> outputs;
  for (int i = 0; i < num_outputs; ++i) outputs.push_back(iter.output(i));
  return outputs;
}

}  // namespace at::cuda

namespace warploom::torch {
namespace {

std::vector<Tensor> jiterator(const std::string &code, const std::string &name, bool by_reference, int64_t outputs,
                              const std::vector<Tensor> &inputs, const std::vector<at::Scalar> &extras) {
  const auto made =
      at::cuda::CompileAndLaunchKernel(code, name, static_cast<int>(outputs), {inputs.begin(), inputs.end()},
                                       {extras.begin(), extras.end()}, by_reference);
  return {made.begin(), made.end()};
}

}  // namespace
}  // namespace warploom::torch

// No key: for PyTorch it is code of several operators, whose results have no gradients, as in a build for CUDA.
TORCH_LIBRARY_FRAGMENT(warploom, library) {
  library.def(
      "jiterator(str code, str name, bool by_reference, int outputs, Tensor[] inputs, Scalar[] extras) -> Tensor[]",
      &warploom::torch::jiterator);
}

// Where to keep machine code; before the first kernel.
extern "C" __attribute__((visibility("default"))) int64_t warploom_torch_jiterator_cache(const char *folder) {
  warploom::torch::cache_folder() = folder;
  return 0;
}
