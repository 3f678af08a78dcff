// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that the CUDA dispatch key has of its own: making tensors, views, copies. All others run on the CPU
// backend (cpu_backend.cpp).
#include "alias.h"
#include "cpu_backend.h"
#include "device.h"
#include "sparse_alias.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/cuda/EmptyTensor.h>
#include <ATen/native/Copy.h>
#include <ATen/native/TensorIterator.h>
#include <ATen/ops/_empty_per_channel_affine_quantized.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/empty_quantized_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/library.h>

#include <cstring>

namespace at {
namespace detail {
namespace {

constexpr DispatchKeySet kCudaKey(DispatchKey::CUDA);

void check_options(std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pinned) {
  TORCH_CHECK(!device || device->is_cuda(), "Expected a CUDA device, but got ", *device);
  TORCH_CHECK(!layout || *layout == kStrided, "Warploom has no CUDA tensors of layout ", *layout);
  TORCH_CHECK(!pinned || !*pinned, "Only dense CPU tensors can be pinned");
}

c10::DeviceIndex index_of(std::optional<Device> device) {
  return warploom::torch::device_or_current(device ? device->index() : -1);
}

}  // namespace

TensorBase empty_cuda(IntArrayRef size, ScalarType dtype, std::optional<Device> device,
                      std::optional<c10::MemoryFormat> format) {
  const c10::cuda::CUDAGuard guard(index_of(device));
  return empty_generic(size, c10::cuda::CUDACachingAllocator::get(), kCudaKey, dtype, format);
}
TensorBase empty_cuda(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                      std::optional<Device> device, std::optional<bool> pinned,
                      std::optional<c10::MemoryFormat> format) {
  check_options(layout, device, pinned);
  return empty_cuda(size, dtype_or_default(dtype), device, format);
}
TensorBase empty_cuda(IntArrayRef size, const TensorOptions &options) {
  return empty_cuda(size, optTypeMetaToScalarType(options.dtype_opt()), options.layout_opt(), options.device_opt(),
                    options.pinned_memory_opt(), options.memory_format_opt());
}
TensorBase empty_strided_cuda(IntArrayRef size, IntArrayRef stride, ScalarType dtype, std::optional<Device> device) {
  const c10::cuda::CUDAGuard guard(index_of(device));
  return empty_strided_generic(size, stride, c10::cuda::CUDACachingAllocator::get(), kCudaKey, dtype);
}
TensorBase empty_strided_cuda(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
                              std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pinned) {
  check_options(layout, device, pinned);
  return empty_strided_cuda(size, stride, dtype_or_default(dtype), device);
}
TensorBase empty_strided_cuda(IntArrayRef size, IntArrayRef stride, const TensorOptions &options) {
  return empty_strided_cuda(size, stride, optTypeMetaToScalarType(options.dtype_opt()), options.layout_opt(),
                            options.device_opt(), options.pinned_memory_opt());
}

}  // namespace detail

namespace {

Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pinned, std::optional<MemoryFormat> format) {
  return Tensor(detail::empty_cuda(size, dtype, layout, device, pinned, format));
}

Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype,
                     std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pinned) {
  return Tensor(detail::empty_strided_cuda(size, stride, dtype, layout, device, pinned));
}

// Elsewhere a tensor without memory that reads as zeros; here with memory.
Tensor efficient_zeros(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout> layout,
                       std::optional<Device> device, std::optional<bool> pinned) {
  return empty(size, dtype, layout, device, pinned, std::nullopt).zero_();
}

Tensor &set_storage(Tensor &self, Storage source, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  TORCH_CHECK(source.device_type() == DeviceType::CUDA, "Expected storage on ", self.device(), ", but it is on ",
              source.device());
  const auto strides = stride.data() != nullptr ? c10::DimVector(stride) : c10::contiguous_strides(size);
  const size_t bytes = detail::computeStorageNbytes(size, strides, self.itemsize(), static_cast<size_t>(offset));
  auto *impl = self.unsafeGetTensorImpl();
  if (bytes > source.nbytes()) warploom::torch::resize_storage(*source.unsafeGetStorageImpl(), bytes);
  impl->set_storage_keep_dtype(std::move(source));
  impl->set_sizes_and_strides(size, strides, offset);
  return self;
}

Tensor &set_whole_storage(Tensor &self, Storage source) {
  const auto count = static_cast<int64_t>(source.nbytes() / self.itemsize());
  return set_storage(self, std::move(source), 0, {count}, {});
}

Tensor &set_nothing(Tensor &self) {
  const c10::cuda::CUDAGuard guard(self.device());
  Storage none(Storage::use_byte_size_t(), 0, c10::cuda::CUDACachingAllocator::get(), true);
  return set_storage(self, std::move(none), 0, {0}, {});
}

void record_stream(Tensor &self, c10::Stream stream) {
  c10::cuda::CUDACachingAllocator::recordStream(self.storage().data_ptr(), c10::cuda::CUDAStream(stream));
}

// On the device that is asked for, which need not be that of `like`.
Tensor empty_quantized_like(IntArrayRef size, const Tensor &like, std::optional<ScalarType> dtype,
                            std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin_memory,
                            std::optional<MemoryFormat> format) {
  if (like.qscheme() == kPerTensorAffine) {
    return native::empty_quantized(size, like, dtype, layout, device, pin_memory, format);
  }
  const auto options = like.options().merge_in(
      TensorOptions().dtype(dtype).layout(layout).device(device).pinned_memory(pin_memory).memory_format(format));
  return at::_empty_per_channel_affine_quantized(size, like.q_per_channel_scales().to(options.device()),
                                                 like.q_per_channel_zero_points().to(options.device()),
                                                 like.q_per_channel_axis(), options);
}

// copy_ between and within the devices: the CPU backend's, over the same memory.
void copy(TensorIterator &iterator, bool) {
  const Tensor to = iterator.tensor(0), from = iterator.tensor(1);
  const c10::cuda::CUDAGuard guard(to.is_cuda() ? to.device() : from.device());
  const auto other = from.is_cuda() && to.is_cuda() && from.device() != to.device();
  if (other) c10::cuda::getCurrentCUDAStream(from.device().index()).synchronize();
  warploom::torch::Aliases aliases;
  warploom::torch::in_stream_order([to = aliases.on_cpu(to), from = aliases.on_cpu(from)] { to.copy_(from); });
}

}  // namespace

namespace native {

REGISTER_CUDA_DISPATCH(copy_stub, &copy)

}  // namespace native

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  library.impl("empty.memory_format", &empty);
  library.impl("empty_strided", &empty_strided);
  library.impl("_efficientzerotensor", &efficient_zeros);
  library.impl("set_.source_Storage_storage_offset", &set_storage);
  library.impl("set_.source_Storage", &set_whole_storage);
  library.impl("set_", &set_nothing);
  library.impl("record_stream", &record_stream);
  library.impl("as_strided", &native::as_strided_tensorimpl);
  library.impl("view", &native::view);
  library.impl("_reshape_alias", &native::_reshape_alias);
  library.impl("unfold", &native::unfold);
  library.impl("view_as_real", &native::view_as_real);
  library.impl("view_as_complex", &native::view_as_complex);
  // PyTorch would choose among its CUDA convolutions; the CPU backend's go through oneDNN.
  for (const char *name : {"convolution", "convolution_backward"}) {
    library.impl(name, ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::cpu_backend<>>());
  }
}

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::cpu_backend<>>());
}

// Whether an operator has an implementation for all devices, which the dispatcher takes before a fallback.
bool is_general(const c10::OperatorHandle &op) {
  return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional) ||
         op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
}

// The CPU backend has kernels of its own for sparse and quantized tensors where a fallback would come too late: the
// operator's general implementation is for dense ones. For dense ones, too, where the general one is slow.
template <c10::DispatchKey key>
void take_kernels_of_cpu(::torch::Library &library) {
  auto &dispatcher = c10::Dispatcher::singleton();
  for (const c10::OperatorName &name : dispatcher.getAllOpNames()) {
    const auto op = dispatcher.findOp(name);
    if (!op || name.getNamespace() != "aten") continue;
    if (!op->hasKernelForDispatchKey(warploom::torch::on_cpu(key)) || op->hasKernelForDispatchKey(key)) continue;
    if (key == c10::DispatchKey::CUDA && !is_general(*op)) continue;
    library.impl(c10::toString(name).c_str() + std::strlen("aten::"),
                 ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::cpu_backend<key>>());
  }
}

TORCH_LIBRARY_IMPL(aten, SparseCUDA, library) { take_kernels_of_cpu<c10::DispatchKey::SparseCUDA>(library); }
TORCH_LIBRARY_IMPL(aten, SparseCsrCUDA, library) { take_kernels_of_cpu<c10::DispatchKey::SparseCsrCUDA>(library); }
TORCH_LIBRARY_IMPL(aten, QuantizedCUDA, library) {
  library.impl("empty_quantized", &empty_quantized_like);
  take_kernels_of_cpu<c10::DispatchKey::QuantizedCUDA>(library);
}

TORCH_LIBRARY_IMPL(_, SparseCUDA, library) {
  library.fallback(
      ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::cpu_backend<c10::DispatchKey::SparseCUDA>>());
}

TORCH_LIBRARY_IMPL(_, QuantizedCUDA, library) {
  library.fallback(
      ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::cpu_backend<c10::DispatchKey::QuantizedCUDA>>());
}

TORCH_LIBRARY_IMPL(_, SparseCsrCUDA, library) {
  library.fallback(
      ::torch::CppFunction::makeFromBoxedFunction<&warploom::torch::cpu_backend<c10::DispatchKey::SparseCsrCUDA>>());
}

}  // namespace at

// For dense tensors, once all kernels of the device are there.
extern "C" __attribute__((visibility("default"))) void warploom_torch_take_kernels_of_cpu() {
  static torch::Library library(torch::Library::IMPL, "aten", c10::DispatchKey::CUDA, __FILE__, __LINE__);
  at::take_kernels_of_cpu<c10::DispatchKey::CUDA>(library);
}
