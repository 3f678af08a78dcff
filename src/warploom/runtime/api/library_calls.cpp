// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../library_calls.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

#include "../fault.h"
#include "../message.h"
#include "../shares.h"
#include "../team.h"
#include "graph.h"
#include "stream.h"
#include "strict.h"

namespace warploom {
namespace {

// An operation of a library, which is dropped with its last copy.
class LibraryOperation {
 public:
  explicit LibraryOperation(const __warploom_operation &operation)
      : name_(operation.name), run_(operation.run), state_(operation.state, operation.drop) {}
  // What touches memory that is not there fails as a kernel does: the device has the error, the call has none.
  cudaError_t operator()() const {
    Fault fault;
    install_fault_handlers();
    if (in_device_code()) {
      run_(state_.get());  // the kernel's fault
    } else if (!run_or_land(run_, state_.get(), &fault)) {
      write_error(describe_fault(name_, fault));
      set_device_error(cudaErrorIllegalAddress);
    }
    return cudaSuccess;
  }
  const char *name() const { return name_; }

 private:
  const char *name_;
  void (*run_)(void *);
  std::shared_ptr<void> state_;
};

class LibraryAction final : public Action {
 public:
  explicit LibraryAction(LibraryOperation operation) : operation_(std::move(operation)) {}
  cudaError_t run() override { return operation_(); }
  std::string describe() const override { return operation_.name(); }

 private:
  LibraryOperation operation_;
};

cudaError_t capture(CUstream_st *stream, const LibraryOperation &operation, bool may_wait) {
  const cudaError_t error = capture_operation(stream, cudaGraphNodeTypeKernel, operation);
  if (error == cudaSuccess) stream->capture_tail.front()->may_wait = may_wait;
  return error;
}

cudaError_t submit_operation(CUstream_st *stream, const LibraryOperation &operation, int kind) {
  const bool may_wait = kind == kWaitingOperation;
  if (is_capturing(stream)) return capture(stream, operation, may_wait);
  if (runs_after_grid(stream)) return run_after_grid(stream, operation);
  if (in_task() || in_device_code()) return operation();
  if (strict::is_on) strict::note_launch(stream->id, stream->flags);
  if (kind == kShortOperation) {
    if (const Turn turn(stream); turn) return operation();
  }
  push(stream, {.action = std::make_unique<LibraryAction>(operation), .may_wait = may_wait});
  return cudaSuccess;
}

// With the turns of all streams, if they can be had.
int run_with_turns(const cudaStream_t *streams, unsigned count, int (*run)(void *), void *state) {
  if (count == 0) return run(state);
  CUstream_st *const stream = find_stream(*streams);
  if (!stream || is_capturing(stream) || runs_after_grid(stream)) return 0;
  const Turn turn(stream);
  return turn ? run_with_turns(streams + 1, count - 1, run, state) : 0;
}

// Tiles that several threads take, each those of its share first, so that it finds its part of what the last call has
// read and written in its core's caches. After a fault of one of them no more are taken.
struct Tiles {
  void (*tile)(void *, unsigned long long);
  void *state;
  Shares shares;
  std::atomic<bool> has_fault = false;
  Fault fault = {};  // the first one

  struct Taker {
    Tiles &tiles;
    unsigned part;
  };
  static void take(void *of) {
    const auto [tiles, part] = *static_cast<Taker *>(of);
    for (std::uint64_t first, last; !tiles.has_fault && tiles.shares.take(part, false, first, last);) {
      for (std::uint64_t i = first; i < last; ++i) tiles.tile(tiles.state, i);
    }
  }
  void take_or_stop(Taker taker) {
    Fault own;
    if (!run_or_land(take, &taker, &own) && !has_fault.exchange(true)) fault = own;
  }
};

}  // namespace
}  // namespace warploom

using namespace warploom;

#pragma GCC visibility push(default)
extern "C" {

cudaError_t __warploom_library_submit(cudaStream_t stream, const __warploom_operation *operation, int kind) {
  const Caller caller{operation->name, __builtin_return_address(0)};
  const LibraryOperation owned(*operation);
  return stream_call(stream, [&](CUstream_st *target) { return submit_operation(target, owned, kind); }, caller);
}

int __warploom_library_run_now(const cudaStream_t *streams, unsigned count, int (*run)(void *), void *state) {
  if (in_task() || in_device_code()) return 0;
  int result = 0;
  const cudaError_t error = api_call([&] {
    result = run_with_turns(streams, count, run, state);
    return cudaSuccess;
  });
  return error == cudaSuccess ? result : 0;
}

void __warploom_library_fail(cudaError_t error) { set_device_error(error); }

void __warploom_library_tiles(unsigned long long count, void (*tile)(void *, unsigned long long), void *state) {
  const auto threads = static_cast<unsigned>(std::min<unsigned long long>(__warploom_library_threads(), count));
  if (threads <= 1) {
    for (unsigned long long i = 0; i < count; ++i) tile(state, i);
    return;
  }
  Tiles tiles{tile, state, Shares(0, count, threads)};
  const bool can_fault = can_land();
  run_with_team(threads, [&](unsigned part) {
    Tiles::Taker taker{tiles, part};
    can_fault ? tiles.take_or_stop(taker) : Tiles::take(&taker);
  });
  if (tiles.has_fault) land(tiles.fault);
}

unsigned __warploom_library_threads(void) { return may_spread() ? threads_for_job() : 1; }

void __warploom_library_message(const char *text) { write_error(text); }

}  // extern "C"
#pragma GCC visibility pop
