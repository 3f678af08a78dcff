// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's handles, and how its functions say what is wrong with a call.
#pragma once

#include <cudnn.h>

#include <atomic>
#include <new>
#include <string>
#include <utility>

#include "../common/stream_work.h"

struct cudnnContext {
  std::atomic<cudaStream_t> stream{nullptr};
};

namespace warploom::dnn {

using libraries::each_tile;

// What is wrong with a call; thrown within the library only.
struct Wrong {
  cudnnStatus_t status;
  std::string text;
};
// Writes it, keeps it for cudnnGetLastErrorString, and returns the status.
cudnnStatus_t tell(const char *function, const Wrong &wrong);

// Throws BAD_PARAM unless `holds`.
void need(bool holds, const std::string &text);
// Throws NOT_SUPPORTED unless `holds`.
void support(bool holds, const std::string &text);
void check(cudaError_t error);

// Runs the body of a function of the library.
template <class Body>
cudnnStatus_t guarded(const char *function, Body &&body) {
  try {
    body();
    return CUDNN_STATUS_SUCCESS;
  } catch (const Wrong &wrong) {
    return tell(function, wrong);
  } catch (const std::bad_alloc &) {
    return tell(function, {CUDNN_STATUS_ALLOC_FAILED, "there is no memory left"});
  }
}

// Handles and descriptors that have been made and not destroyed.
void add_object(const void *object);
bool remove_object(const void *object);
bool is_object(const void *object);

// What a caller asks for, unless it passes null.
template <class Value, class From>
void give(Value *to, From value) {
  if (to != nullptr) *to = static_cast<Value>(value);
}

template <class T>
cudnnStatus_t create(const char *function, T **object) {
  return guarded(function, [&] {
    need(object != nullptr, "the pointer to the new object is null");
    T *const made = new T;
    add_object(made);
    *object = made;
  });
}
template <class T>
cudnnStatus_t destroy(const char *function, T *object) {
  if (object == nullptr) return CUDNN_STATUS_SUCCESS;
  return guarded(function, [&] {
    need(remove_object(object), "the object was destroyed before, or never made");
    delete object;
  });
}
// The object behind a pointer that the user gives.
template <class T>
T &object_of(T *object, const char *what) {
  need(object != nullptr, std::string(what) + " is null");
  need(is_object(object), std::string(what) + " was destroyed, or never made");
  return *object;
}

// Says that an operation found no memory, and ends the program: nobody is left who could be told by a code.
[[noreturn]] void stop_without_memory(const char *name);

// Gives `body()` to the handle's stream; `nanoseconds`: on one processor.
template <class Body>
void run(cudnnHandle_t handle, const char *name, double nanoseconds, Body &&body) {
  const cudaStream_t stream = object_of(handle, "the handle").stream;
  check(libraries::enqueue(stream, name, nanoseconds, [name, owned = std::forward<Body>(body)]() noexcept {
    try {
      owned();
    } catch (const std::bad_alloc &) {
      stop_without_memory(name);
    }
  }));
}

}  // namespace warploom::dnn
