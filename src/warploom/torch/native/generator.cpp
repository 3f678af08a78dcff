// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generator of random numbers on the device: Philox, whose state is a seed and how far each thread has come. While
// a graph is captured, kernels read both from memory, which is set before each replay.
#include "device.h"

#include <ATen/EmptyTensor.h>
#include <ATen/Utils.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/EmptyTensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>

#include <array>
#include <cstring>

namespace at {
namespace {

constexpr uint64_t kNumbersAtOnce = 4;  // that Philox makes
constexpr size_t kStateBytes = 16;      // seed and offset

std::optional<CaptureId_t> capture_of_current_stream() {
  return warploom::torch::capture_of(c10::cuda::getCurrentCUDAStream());
}

uint64_t whole_steps(uint64_t increment) { return (increment + kNumbersAtOnce - 1) / kNumbersAtOnce * kNumbersAtOnce; }

TensorBase number_on_device() { return at::detail::empty_cuda({1}, ScalarType::Long, std::nullopt, std::nullopt); }

void write(const TensorBase &number, uint64_t value) { *static_cast<uint64_t *>(number.mutable_data_ptr()) = value; }

}  // namespace

void CUDAGeneratorCaptureState::initialize(uint64_t seed) {
  rng_state_seed_extragraph_ = number_on_device();
  rng_state_offset_extragraph_ = number_on_device();
  setup_for_replay(seed, 0);
  offset_intragraph_ = 0;
}
void CUDAGeneratorCaptureState::increase(uint64_t increment) { offset_intragraph_ += whole_steps(increment); }
uint64_t CUDAGeneratorCaptureState::finalize() { return offset_intragraph_; }
void CUDAGeneratorCaptureState::setup_for_replay(uint64_t seed, uint64_t offset) {
  write(rng_state_seed_extragraph_, seed);
  write(rng_state_offset_extragraph_, offset);
}

void CUDAGeneratorState::increase(uint64_t increment) { philox_offset_per_thread_ += whole_steps(increment); }

CUDAGeneratorCaptureState *CUDAGeneratorState::get_capture_state(CaptureId_t capture) {
  const std::lock_guard lock(capture_states_mutex_);
  const auto found = capture_states_.find(capture);
  return found == capture_states_.end() ? nullptr : found->second.get();
}
void CUDAGeneratorState::init_capture_state(CaptureId_t capture) {
  auto made = c10::make_intrusive<CUDAGeneratorCaptureState>();
  made->initialize(seed_);
  const std::lock_guard lock(capture_states_mutex_);
  capture_states_[capture] = std::move(made);
}
uint64_t CUDAGeneratorState::capture_epilogue(CaptureId_t capture) { return get_capture_state(capture)->finalize(); }
void CUDAGeneratorState::replay_prologue(CaptureId_t capture, uint64_t increment) {
  get_capture_state(capture)->setup_for_replay(seed_, philox_offset_per_thread_);
  philox_offset_per_thread_ += increment;
}
void CUDAGeneratorState::remove_capture_state(CaptureId_t capture) {
  const std::lock_guard lock(capture_states_mutex_);
  capture_states_.erase(capture);
}
c10::intrusive_ptr<CUDAGeneratorState> CUDAGeneratorState::clone() {
  return c10::make_intrusive<CUDAGeneratorState>(seed_, philox_offset_per_thread_);
}

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device)
    : CUDAGeneratorImpl(device, c10::make_intrusive<CUDAGeneratorState>()) {}
CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device, c10::intrusive_ptr<CUDAGeneratorState> state)
    : c10::GeneratorImpl{Device(DeviceType::CUDA, device), DispatchKeySet(DispatchKey::CUDA)},
      state_(std::move(state)) {
  no_reset_rnn_state_.clear();
}

void CUDAGeneratorImpl::set_current_seed(uint64_t seed) {
  state_->seed_ = seed;
  state_->philox_offset_per_thread_ = 0;
  no_reset_rnn_state_.clear();
}
uint64_t CUDAGeneratorImpl::current_seed() const { return state_->seed_; }
uint64_t CUDAGeneratorImpl::seed() {
  const uint64_t drawn = c10::detail::getNonDeterministicRandom(true);
  set_current_seed(drawn);
  return drawn;
}
void CUDAGeneratorImpl::set_offset(uint64_t offset) {
  TORCH_CHECK(offset % kNumbersAtOnce == 0, "offset must be a multiple of 4");
  state_->philox_offset_per_thread_ = offset;
  no_reset_rnn_state_.clear();
}
uint64_t CUDAGeneratorImpl::get_offset() const { return state_->philox_offset_per_thread_; }
void CUDAGeneratorImpl::set_philox_offset_per_thread(uint64_t offset) { set_offset(offset); }
uint64_t CUDAGeneratorImpl::philox_offset_per_thread() const { return get_offset(); }

c10::intrusive_ptr<c10::TensorImpl> CUDAGeneratorImpl::get_state() const {
  const auto state = at::detail::empty_cpu({kStateBytes}, ScalarType::Byte, {}, {}, {}, {});
  const std::array<uint64_t, 2> words{current_seed(), get_offset()};
  std::memcpy(state.mutable_data_ptr(), words.data(), kStateBytes);
  return state.getIntrusivePtr();
}
void CUDAGeneratorImpl::set_state(const c10::TensorImpl &state) {
  at::detail::check_rng_state(state);
  const auto bytes = static_cast<size_t>(state.numel());
  TORCH_CHECK(bytes == kStateBytes || bytes == kStateBytes / 2, "RNG state is wrong size");
  std::array<uint64_t, 2> words{};
  std::memcpy(words.data(), state.data(), bytes);
  set_current_seed(words[0]);
  set_offset(words[1]);
}

void CUDAGeneratorImpl::graphsafe_set_state(const c10::intrusive_ptr<GeneratorImpl> &other) {
  const auto same_kind = c10::dynamic_intrusive_pointer_cast<CUDAGeneratorImpl>(other);
  TORCH_CHECK(same_kind, "Provided state is not a CUDA generator");
  state_ = same_kind->state_;
}
c10::intrusive_ptr<c10::GeneratorImpl> CUDAGeneratorImpl::graphsafe_get_state() const {
  return c10::make_intrusive<CUDAGeneratorImpl>(device().index(), state_);
}

PhiloxCudaState CUDAGeneratorImpl::philox_cuda_state(uint64_t increment) {
  if (const auto capture = capture_of_current_stream()) {
    auto *captured = state_->get_capture_state(*capture);
    TORCH_CHECK(captured != nullptr, "Attempt to use an unregistered generator during a CUDA graph capture");
    const uint64_t before = captured->offset_intragraph_;
    captured->increase(increment);
    return PhiloxCudaState(static_cast<int64_t *>(captured->rng_state_seed_extragraph_.mutable_data_ptr()),
                           static_cast<int64_t *>(captured->rng_state_offset_extragraph_.mutable_data_ptr()), before);
  }
  const uint64_t before = get_offset();
  state_->increase(increment);
  return PhiloxCudaState(current_seed(), before);
}
std::pair<uint64_t, uint64_t> CUDAGeneratorImpl::philox_engine_inputs(uint64_t increment) {
  TORCH_CHECK(!capture_of_current_stream(), "philox_engine_inputs is not permitted while a CUDA graph is captured");
  const uint64_t before = get_offset();
  state_->increase(increment);
  return {current_seed(), before};
}

c10::DeviceType CUDAGeneratorImpl::device_type() { return DeviceType::CUDA; }
std::shared_ptr<CUDAGeneratorImpl> CUDAGeneratorImpl::clone() const {
  return std::shared_ptr<CUDAGeneratorImpl>(clone_impl());
}
CUDAGeneratorImpl *CUDAGeneratorImpl::clone_impl() const {
  return new CUDAGeneratorImpl(device().index(), state_->clone());
}

namespace cuda::detail {

const Generator &getDefaultCUDAGenerator(DeviceIndex asked) {
  static auto *generators = [] {
    auto *made = new std::vector<Generator>;
    for (DeviceIndex device = 0; device < c10::cuda::device_count(); ++device) {
      made->push_back(make_generator<CUDAGeneratorImpl>(device));
      made->back().seed();
    }
    return made;
  }();
  return generators->at(static_cast<size_t>(warploom::torch::device_or_current(asked)));
}

Generator createCUDAGenerator(DeviceIndex asked) {
  auto made = make_generator<CUDAGeneratorImpl>(warploom::torch::device_or_current(asked));
  made.set_current_seed(default_rng_seed_val);
  return made;
}

}  // namespace cuda::detail
}  // namespace at
