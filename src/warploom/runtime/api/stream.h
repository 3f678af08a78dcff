// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams. Work runs at once, in the order in which it is submitted: legal for every stream semantics, since an
// earlier submission never depends on a later one; but for grids that spin until something is submitted or written
// later (pending.h).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"
#include "error.h"
#include "pending.h"

namespace warploom {
struct Capture;
struct Lane;
}  // namespace warploom

struct CUstream_st {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  int device = 0;
  unsigned long long id = 0;
  std::shared_ptr<warploom::Capture> capture;
  std::vector<CUgraphNode_st *> capture_tail;  // what the next captured operation depends on
  std::map<int, cudaLaunchAttributeValue> attributes;
  std::shared_ptr<warploom::Lane> lane{};  // what is pending; null: nothing ever was
};

namespace warploom {

// The stream behind a handle (0, cudaStreamLegacy and cudaStreamPerThread included); null when there is none.
CUstream_st *find_stream(cudaStream_t handle);

// What a stream does; its error is that of its submission.
using Operation = std::function<cudaError_t()>;

// True when the stream is being captured into a graph: operations must then own all that they refer to.
inline bool is_capturing(const CUstream_st *stream) { return stream->capture != nullptr; }
// The stream of handle 0, which waits for all others and cannot be captured.
bool is_legacy_stream(const CUstream_st *stream);
// That one, or the calling thread's own: those that calls without a stream use, which return when all is done.
bool is_default_stream(const CUstream_st *stream);
// A call that a capturing stream does not allow: the capture is lost.
cudaError_t refuse_while_capturing(CUstream_st *stream);
// A capturing stream that is destroyed: what it captured stays; that of an origin is lost.
void forget_capturing(CUstream_st *stream);
// Adds a node to the graph that the stream is captured into.
cudaError_t capture_operation(CUstream_st *stream, cudaGraphNodeType type, Operation operation);

// Device code's stream of what runs after its grid has ended, and how to.
bool is_tail_stream(const CUstream_st *stream);
cudaError_t run_in_tail(Operation operation);
// That one, and the one without an order: no event can be recorded there, nor waited for.
bool is_named_device_stream(const CUstream_st *stream);

// Runs `body` on the stream, after all that was submitted to it before.
template <class Body>
cudaError_t submit(CUstream_st *stream, cudaGraphNodeType type, Body &&body) {
  if (is_capturing(stream)) return capture_operation(stream, type, Operation(std::forward<Body>(body)));
  if (is_tail_stream(stream)) return run_in_tail(Operation(std::forward<Body>(body)));
  if (must_wait(stream)) {
    if (!is_default_stream(stream)) {
      defer(stream, Operation(std::forward<Body>(body)));
      return cudaSuccess;
    }
    wait_for_stream(stream);
  }
  return body();
}

// Waits for all work of all streams.
void wait_for_device();
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

}  // namespace warploom
