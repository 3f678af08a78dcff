// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "alias.h"

#include "sparse_alias.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/quantized/QTensorImpl.h>
#include <ATen/quantized/Quantizer.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/TensorImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>

namespace warploom::torch {
namespace {

thread_local int allocating_on_device = 0;

void forget(void *kept) { c10::intrusive_ptr<c10::StorageImpl>::reclaim(static_cast<c10::StorageImpl *>(kept)); }

// Memory on `device` that keeps the storage it belongs to alive.
c10::DataPtr shared_memory(const c10::Storage &owner, c10::Device device) {
  void *data = const_cast<void *>(owner.data());
  return {data, c10::Storage(owner).unsafeReleaseStorageImpl(), &forget, device};
}

// A tensor over `storage`, of the backend whose key for plain tensors is `dense`; a quantized one keeps its quantizer.
at::Tensor over(const c10::Storage &storage, c10::DispatchKey dense, const at::Tensor &like) {
  auto made = [&] {
    if (!like.is_quantized()) {
      return at::detail::make_tensor_base<c10::TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(dense),
                                                           like.dtype());
    }
    const auto key = dense == c10::DispatchKey::CPU ? c10::DispatchKey::QuantizedCPU : c10::DispatchKey::QuantizedCUDA;
    return at::detail::make_tensor_base<at::QTensorImpl>(c10::Storage(storage), c10::DispatchKeySet(key), like.dtype(),
                                                         at::get_qtensorimpl(like)->quantizer());
  }();
  auto *impl = made.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(like.sizes(), like.strides(), like.storage_offset());
  at::Tensor tensor(std::move(made));
  if (like.is_conj()) tensor._set_conj(true);
  if (like.is_neg()) tensor._set_neg(true);
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) impl->set_wrapped_number(true);
  return tensor;
}

// PyTorch's CPU allocator but in threads that are inside an AllocateOnDevice.
class CpuAllocator final : public c10::Allocator {
 public:
  explicit CpuAllocator(c10::Allocator *usual) : usual_(usual) {}
  c10::DataPtr allocate(size_t bytes) override {
    if (C10_LIKELY(allocating_on_device == 0)) return usual_->allocate(bytes);
    auto memory = c10::cuda::CUDACachingAllocator::get()->allocate(bytes);
    void *data = memory.get();
    return {data, memory.release_context(), memory.get_deleter(), c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return allocating_on_device == 0 ? usual_->raw_deleter() : c10::cuda::CUDACachingAllocator::get()->raw_deleter();
  }
  bool is_simple_data_ptr(const c10::DataPtr &data) const override { return usual_->is_simple_data_ptr(data); }
  void copy_data(void *to, const void *from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }

 private:
  c10::Allocator *usual_;
};

const bool is_registered = [] {
  c10::SetCPUAllocator(new CpuAllocator(c10::GetCPUAllocator()), /*priority=*/100);
  return true;
}();

}  // namespace

AllocateOnDevice::AllocateOnDevice() { ++allocating_on_device; }
AllocateOnDevice::~AllocateOnDevice() { --allocating_on_device; }

const Aliases::Pair *Aliases::find(c10::Storage Pair::*side, const c10::StorageImpl *storage) const {
  const auto *found = std::find_if(pairs_.begin(), pairs_.end(),
                                   [&](const Pair &pair) { return (pair.*side).unsafeGetStorageImpl() == storage; });
  return found == pairs_.end() ? nullptr : found;
}

c10::Storage Aliases::on_cpu(const c10::Storage &storage) {
  if (const Pair *found = find(&Pair::cuda, storage.unsafeGetStorageImpl())) return found->cpu;
  c10::Storage made(c10::Storage::use_byte_size_t(), storage.nbytes(),
                    shared_memory(storage, c10::Device(c10::DeviceType::CPU)), c10::GetCPUAllocator(),
                    storage.resizable());
  pairs_.push_back({storage, made});
  return made;
}

c10::Storage Aliases::on_cuda(const c10::Storage &storage, c10::Device device) {
  if (const Pair *found = find(&Pair::cpu, storage.unsafeGetStorageImpl())) return found->cuda;
  c10::Storage made(c10::Storage::use_byte_size_t(), storage.nbytes(), shared_memory(storage, device),
                    c10::cuda::CUDACachingAllocator::get(), /*resizable=*/true);
  pairs_.push_back({made, storage});
  return made;
}

at::Tensor Aliases::on_cpu(const at::Tensor &tensor) {
  if (!tensor.defined() || !tensor.is_cuda()) return tensor;
  if (tensor.layout() != c10::kStrided) {
    return sparse_alias(tensor, c10::kCPU, [this](const at::Tensor &part) { return on_cpu(part); });
  }
  return over(on_cpu(tensor.storage()), c10::DispatchKey::CPU, tensor);
}

at::Tensor Aliases::on_cuda(const at::Tensor &tensor, c10::Device device) {
  if (!tensor.defined() || !tensor.is_cpu() || tensor.layout() == c10::kMkldnn) return tensor;
  if (tensor.layout() != c10::kStrided) {
    return sparse_alias(tensor, device, [&](const at::Tensor &part) { return on_cuda(part, device); });
  }
  return over(on_cuda(tensor.storage(), device), c10::DispatchKey::CUDA, tensor);
}

void Aliases::take_over(const at::Tensor &alias, const at::Tensor &original) {
  if (!original.defined() || !original.is_cuda()) return;
  if (original.layout() != c10::kStrided) {
    const c10::Device device = original.device();
    take_over_sparse(alias, original, [&](const at::Tensor &part) { return on_cuda(part, device); });
    return;
  }
  if (original.is_quantized() && alias.is_quantized()) {
    at::get_qtensorimpl(original)->set_quantizer_(at::get_qtensorimpl(alias)->quantizer());
  }
  const auto from = alias.storage();
  const auto &to = original.storage();
  if (from.data() != to.data() || from.nbytes() != to.nbytes()) {
    to.set_data_ptr_noswap(shared_memory(from, original.device()));
    to.set_nbytes(from.nbytes());
  }
  if (!alias.sizes().equals(original.sizes()) || !alias.strides().equals(original.strides()) ||
      alias.storage_offset() != original.storage_offset()) {
    original.unsafeGetTensorImpl()->set_sizes_and_strides(alias.sizes(), alias.strides(), alias.storage_offset());
  }
}

}  // namespace warploom::torch
