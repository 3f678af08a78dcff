// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuda::pipeline. Copies are done when memcpy_async returns, so a pipeline of one thread has nothing to do; one shared
// by a group keeps, for every stage, a barrier of its producers (full) and one of its consumers (empty).
#pragma once

#include "barrier.h"

namespace cuda {

enum class pipeline_role { producer, consumer };

template <thread_scope Scope, ::std::uint8_t Stages>
class pipeline_shared_state {
 public:
  pipeline_shared_state() = default;
  pipeline_shared_state(const pipeline_shared_state &) = delete;
  pipeline_shared_state &operator=(const pipeline_shared_state &) = delete;

 private:
  struct stage {
    barrier<Scope> full;
    barrier<Scope> empty;
  };
  stage stages_[Stages];
  unsigned producers_;

  template <thread_scope>
  friend class pipeline;
  template <class Group, thread_scope S, ::std::uint8_t N>
  friend __device__ auto make_pipeline(const Group &, pipeline_shared_state<S, N> *);
  template <class Group, thread_scope S, ::std::uint8_t N>
  friend __device__ auto make_pipeline(const Group &, pipeline_shared_state<S, N> *, ::std::size_t);
  template <class Group, thread_scope S, ::std::uint8_t N>
  friend __device__ auto make_pipeline(const Group &, pipeline_shared_state<S, N> *, pipeline_role);

  // All threads of the group call; one sets the barriers up.
  template <class Group>
  __device__ void start(const Group &group, unsigned producers, unsigned consumers) {
    if (group.thread_rank() == 0) {
      for (stage &each : stages_) {
        init(&each.full, producers);
        init(&each.empty, consumers);
      }
    }
    group.sync();
  }
};

template <thread_scope Scope>
class pipeline {
 public:
  pipeline(const pipeline &) = delete;
  pipeline(pipeline &&) = default;
  pipeline &operator=(const pipeline &) = delete;

  // The next stage is free: its consumers have released what was in it.
  __device__ void producer_acquire() {
    if (produces_ && produced_ >= count_) stage_of(produced_).empty.wait_parity(parity(produced_) ^ 1u);
  }
  __device__ void producer_commit() {
    if (!produces_) return;
    (void)stage_of(produced_).full.arrive();
    ++produced_;
  }
  // The oldest stage is full: all its producers have committed.
  __device__ void consumer_wait() {
    if (consumes_) stage_of(consumed_).full.wait_parity(parity(consumed_));
  }
  template <class Rep, class Period>
  __device__ bool consumer_wait_for(const Rep &, const Period &) {
    consumer_wait();
    return true;
  }
  __device__ void consumer_release() {
    if (!consumes_) return;
    (void)stage_of(consumed_).empty.arrive();
    ++consumed_;
  }
  __device__ bool quit() { return true; }

 private:
  struct stage {
    barrier<Scope> full;
    barrier<Scope> empty;
  };

  template <class Stage>
  __device__ pipeline(Stage *stages, unsigned count, bool produces, bool consumes)
      : stages_(reinterpret_cast<stage *>(stages)), count_(count), produces_(produces), consumes_(consumes) {
    static_assert(sizeof(Stage) == sizeof(stage));
  }

  __device__ stage &stage_of(unsigned long long index) const { return stages_[index % count_]; }
  __device__ unsigned parity(unsigned long long index) const { return static_cast<unsigned>(index / count_) & 1u; }

  stage *stages_;
  unsigned count_;
  unsigned long long produced_ = 0;
  unsigned long long consumed_ = 0;
  bool produces_;
  bool consumes_;

  template <class Group, thread_scope S, ::std::uint8_t N>
  friend __device__ auto make_pipeline(const Group &, pipeline_shared_state<S, N> *);
  template <class Group, thread_scope S, ::std::uint8_t N>
  friend __device__ auto make_pipeline(const Group &, pipeline_shared_state<S, N> *, ::std::size_t);
  template <class Group, thread_scope S, ::std::uint8_t N>
  friend __device__ auto make_pipeline(const Group &, pipeline_shared_state<S, N> *, pipeline_role);
};

template <>
class pipeline<thread_scope_thread> {
 public:
  pipeline() = default;
  pipeline(const pipeline &) = delete;
  pipeline(pipeline &&) = default;
  pipeline &operator=(const pipeline &) = delete;

  __device__ void producer_acquire() {}
  __device__ void producer_commit() {}
  __device__ void consumer_wait() {}
  __device__ void consumer_release() {}
  __device__ bool quit() { return true; }
};

__device__ __forceinline__ pipeline<thread_scope_thread> make_pipeline() { return pipeline<thread_scope_thread>(); }

// Every thread of the group produces and consumes.
template <class Group, thread_scope Scope, ::std::uint8_t Stages>
__device__ __forceinline__ auto make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state) {
  const unsigned threads = static_cast<unsigned>(group.size());
  state->start(group, threads, threads);
  return pipeline<Scope>(state->stages_, Stages, true, true);
}
// The first `producers` threads of the group produce, the others consume.
template <class Group, thread_scope Scope, ::std::uint8_t Stages>
__device__ __forceinline__ auto make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
                                              ::std::size_t producers) {
  const unsigned threads = static_cast<unsigned>(group.size()), first = static_cast<unsigned>(producers);
  state->start(group, first, threads - first);
  const bool produces = group.thread_rank() < first;
  return pipeline<Scope>(state->stages_, Stages, produces, !produces);
}
// Each thread names its role.
template <class Group, thread_scope Scope, ::std::uint8_t Stages>
__device__ __forceinline__ auto make_pipeline(const Group &group, pipeline_shared_state<Scope, Stages> *state,
                                              pipeline_role role) {
  const bool produces = role == pipeline_role::producer;
  if (group.thread_rank() == 0) state->producers_ = 0;
  group.sync();
  if (produces) __atomic_fetch_add(&state->producers_, 1u, __ATOMIC_SEQ_CST);
  group.sync();
  const unsigned producers = __atomic_load_n(&state->producers_, __ATOMIC_SEQ_CST);
  state->start(group, producers, static_cast<unsigned>(group.size()) - producers);
  return pipeline<Scope>(state->stages_, Stages, produces, !produces);
}

// All but the last Prior stages that this thread committed are full.
template <::std::uint8_t Prior>
__device__ __forceinline__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {}
template <thread_scope Scope>
__device__ __forceinline__ void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<Scope> &) {}

template <class Size, thread_scope Scope>
__device__ __forceinline__ void memcpy_async(void *target, const void *source, Size size, pipeline<Scope> &) {
  __builtin_memcpy(target, source, static_cast<::std::size_t>(size));
}
template <class T, class Size, thread_scope Scope>
__device__ __forceinline__ void memcpy_async(T *target, const T *source, Size size, pipeline<Scope> &) {
  __builtin_memcpy(target, source, static_cast<::std::size_t>(size));
}
template <class Group, class T, class Size, thread_scope Scope>
__device__ __forceinline__ void memcpy_async(const Group &group, T *target, const T *source, Size size,
                                             pipeline<Scope> &) {
  details::copy_share(group, target, source, static_cast<::std::size_t>(size));
}
template <class Group, class Size, thread_scope Scope>
__device__ __forceinline__ void memcpy_async(const Group &group, void *target, const void *source, Size size,
                                             pipeline<Scope> &) {
  details::copy_share(group, target, source, static_cast<::std::size_t>(size));
}

}  // namespace cuda
