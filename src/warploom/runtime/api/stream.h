// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams: what is submitted to them goes through a queue (queue.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"
#include "error.h"
#include "queue.h"

namespace warploom {
struct Capture;
}  // namespace warploom

struct CUstream_st {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  int device = 0;
  unsigned long long id = 0;
  std::shared_ptr<warploom::Capture> capture;
  std::vector<CUgraphNode_st *> capture_tail;  // what the next captured operation depends on
  std::map<int, cudaLaunchAttributeValue> attributes;
  std::shared_ptr<warploom::Lane> lane{};  // null: of device code, which runs all at once

  ~CUstream_st() { warploom::leave_lane(lane); }
};

namespace warploom {

// Whether handle 0 is, for the call that this thread is in, its own stream.
bool default_stream_is_per_thread();
// The stream behind a handle (0, cudaStreamLegacy and cudaStreamPerThread included); null when there is none.
CUstream_st *find_stream(cudaStream_t handle);

// What a stream does; its error is that of its submission.
using Operation = std::function<cudaError_t()>;

// True when the stream is being captured into a graph: operations must then own all that they refer to.
inline bool is_capturing(const CUstream_st *stream) { return stream->capture != nullptr; }
// The stream of handle 0, which waits for all others and cannot be captured.
bool is_legacy_stream(const CUstream_st *stream);
// The device that the stream belongs to: of a default stream, the calling thread's.
int device_of(const CUstream_st *stream);
// A call that a capturing stream does not allow: the capture is lost.
cudaError_t refuse_while_capturing(CUstream_st *stream);
// A capturing stream that is destroyed: what it captured stays; that of an origin is lost.
void forget_capturing(CUstream_st *stream);
// Adds a node to the graph that the stream is captured into.
cudaError_t capture_operation(CUstream_st *stream, cudaGraphNodeType type, Operation operation);

// What other devices do with the memory comes before what the stream gets next, if it is a device's legacy stream.
void wait_for_owner(const CUstream_st *stream, const void *memory);

// Device code's stream of what runs after its grid has ended.
bool is_tail_stream(const CUstream_st *stream);
// Whether what device code submits to the stream runs after its grid: all does in grids that are nested deeply. And
// how to.
bool runs_after_grid(const CUstream_st *stream);
cudaError_t run_after_grid(const CUstream_st *stream, Operation operation);
// That of the tail, and the one without an order: no event can be recorded there, nor waited for.
bool is_named_device_stream(const CUstream_st *stream);

// Runs `body` on the stream, after all that was submitted to it before: now, if it is short and nothing was. `threads`:
// that it keeps at work.
template <class Body>
cudaError_t submit(CUstream_st *stream, cudaGraphNodeType type, Body &&body, bool is_short = false,
                   unsigned threads = 1) {
  if (is_capturing(stream)) return capture_operation(stream, type, Operation(std::forward<Body>(body)));
  if (runs_after_grid(stream)) return run_after_grid(stream, Operation(std::forward<Body>(body)));
  if (in_task() || in_device_code()) return body();
  if (is_short) {
    if (const Turn turn(stream); turn) return body();
  }
  push(stream, {.action = make_action(std::decay_t<Body>(std::forward<Body>(body))), .threads = threads});
  return cudaSuccess;
}

// Forgets all streams and events (cudaDeviceReset).
void reset_streams();

// Runs `body(stream)` on the stream behind `handle`.
template <class Body>
cudaError_t stream_call(cudaStream_t handle, Body &&body, const Caller &caller = WARPLOOM_CALLER) {
  return api_call(
      [&]() -> cudaError_t {
        CUstream_st *stream = find_stream(handle);
        return stream ? body(stream) : cudaErrorInvalidResourceHandle;
      },
      caller);
}

// After a submission to the legacy stream by a call that returns when it is done; its argument where that has failed.
cudaError_t finished(cudaError_t submission);
// The same for a fill, which the host need not wait for in memory that it cannot see.
cudaError_t finished_fill(cudaError_t submission, const void *target);

}  // namespace warploom
