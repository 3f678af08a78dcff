// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "copy.h"

#include <cstdint>
#include <cstring>
#include <memory>

#include "../engine.h"
#include "../profile.h"
#include "../spread.h"
#include "allocation.h"
#include "error.h"

namespace warploom {
namespace {

bool overlap(const std::byte *one, const std::byte *other, std::size_t bytes) {
  const auto a = reinterpret_cast<std::uintptr_t>(one), b = reinterpret_cast<std::uintptr_t>(other);
  return a < b + bytes && b < a + bytes;
}

void copy_row(std::byte *target, const std::byte *source, std::size_t bytes) {
  static const char kind = 0;
  if (in_device_code() || overlap(target, source, bytes)) {
    std::memmove(target, source, bytes);
    return;
  }
  spread(&kind, bytes,
         [=](std::size_t first, std::size_t last) { std::memcpy(target + first, source + first, last - first); });
}

void copy_rows(const Area &target, const Area &source, const Box &box) {
  if (box.height == 1 && box.depth == 1) return copy_row(target.base, source.base, box.width);
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      std::memmove(target.base + z * target.slice + y * target.pitch, source.base + z * source.slice + y * source.pitch,
                   box.width);
}

template <class Element>
void fill_row(std::byte *row, std::size_t bytes, std::uint32_t value) {
  const auto element = static_cast<Element>(value);
  for (std::size_t i = 0; i < bytes; i += sizeof element) std::memcpy(row + i, &element, sizeof element);
}

void fill_range(std::byte *row, std::size_t bytes, std::uint32_t value, std::size_t element_size) {
  if (element_size == 1)
    std::memset(row, static_cast<int>(value & 0xff), bytes);
  else if (element_size == 2)
    fill_row<std::uint16_t>(row, bytes, value);
  else
    fill_row<std::uint32_t>(row, bytes, value);
}

void fill_rows(const Area &target, const Box &box, std::uint32_t value, std::size_t element_size) {
  static const char kind = 0;
  if (box.height == 1 && box.depth == 1 && !in_device_code()) {
    return spread(&kind, box.width, [&](std::size_t first, std::size_t last) {
      fill_range(target.base + first, last - first, value, element_size);
    });
  }
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y) {
      fill_range(target.base + z * target.slice + y * target.pitch, box.width, value, element_size);
    }
}

// One row in place of rows without gaps.
Box flattened(Box box, const Area &target, const Area &source) {
  if (target.pitch == box.width && source.pitch == box.width) {
    box.width *= box.height;
    box.height = 1;
    if (target.slice == box.width && source.slice == box.width) {
      box.width *= box.depth;
      box.depth = 1;
    }
  }
  return box;
}

bool is_variable(const void *pointer, std::size_t size) {
  const Variable *variable = variable_at(pointer);
  if (!variable) return false;
  const auto offset = static_cast<const char *>(pointer) - static_cast<const char *>(storage(*variable));
  return size <= variable->size - static_cast<std::size_t>(offset);
}

}  // namespace

cudaError_t sides_of(cudaMemcpyKind kind, Sides *sides) {
  switch (static_cast<int>(kind)) {
    case cudaMemcpyHostToHost:
      *sides = {Side::kHost, Side::kHost};
      return cudaSuccess;
    case cudaMemcpyHostToDevice:
      *sides = {Side::kDevice, Side::kHost};
      return cudaSuccess;
    case cudaMemcpyDeviceToHost:
      *sides = {Side::kHost, Side::kDevice};
      return cudaSuccess;
    case cudaMemcpyDeviceToDevice:
      *sides = {Side::kDevice, Side::kDevice};
      return cudaSuccess;
    case cudaMemcpyDefault:
      *sides = {Side::kAny, Side::kAny};
      return cudaSuccess;
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}

cudaError_t check_memory(const void *pointer, std::size_t size, Side side) {
  if (size == 0) return cudaSuccess;
  if (!pointer) return cudaErrorInvalidValue;
  if (in_device_code()) return cudaSuccess;  // it may come from the device heap, and faults as any access does there
  if (const auto allocation = find_allocation(pointer))
    return holds_all(*allocation, pointer, size) ? cudaSuccess : cudaErrorInvalidValue;
  if (is_variable(pointer, size)) return cudaSuccess;
  // Not known: the program's own memory, unless it was handed out here and freed since.
  return side == Side::kDevice || is_runtime_address(pointer) ? cudaErrorInvalidValue : cudaSuccess;
}

// What CUPTI tells of a pointer.
static observe::Place place_of(const void *pointer) {
  const auto allocation = find_allocation(pointer);
  if (!allocation) return variable_at(pointer) ? observe::Place::kVariable : observe::Place::kPageable;
  switch (allocation->kind) {
    case MemoryKind::kManaged:
      return observe::Place::kManaged;
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered:
      return observe::Place::kPinned;
    case MemoryKind::kArray:
      return observe::Place::kArray;
    default:
      return observe::Place::kDevice;
  }
}

// A copy, for the profile and for CUPTI. `correlation`: of the call that asked for it.
class CopySpan : profile::Span {
 public:
  CopySpan(std::uint64_t stream, std::uint32_t correlation, const Box &box, const void *target, const void *source)
      : Span(profile::Kind::kCopy, nullptr, static_cast<std::uint32_t>(stream), box.bytes(),
             profile::is_on ? sides(target, source) : 0) {
    if (__builtin_expect(!observe::is_on, true)) return;
    copy_ = {stream, correlation, box.bytes(), place_of(source), place_of(target)};
    start_ = observe::now();
  }
  CopySpan(const CopySpan &) = delete;
  CopySpan &operator=(const CopySpan &) = delete;
  ~CopySpan() {
    if (__builtin_expect(start_ != 0, false)) observe::add_copy(copy_, start_, observe::now());
  }

 private:
  observe::Transfer copy_;
  std::uint64_t start_ = 0;

  // 1 if the source, 2 if the target is memory of the host, both added.
  static std::uint64_t sides(const void *target, const void *source) {
    return (is_host(source) ? 1 : 0) + (is_host(target) ? 2 : 0);
  }
  static bool is_host(const void *pointer) {
    const auto allocation = find_allocation(pointer);
    if (!allocation) return variable_at(pointer) == nullptr;
    return allocation->kind == MemoryKind::kPinned || allocation->kind == MemoryKind::kRegistered;
  }
};

static bool is_pageable(const std::byte *address) { return !find_allocation(address) && !is_variable(address, 1); }

// The copy of a row that is taken from the source now.
static Operation staged(const CUstream_st &stream, const Area &target, const Area &source, const Box &row) {
  const std::shared_ptr<std::byte[]> kept(new std::byte[row.width]);
  std::memcpy(kept.get(), source.base, row.width);
  return [=, from = source.base, id = stream.id, correlation = observe::correlation()] {
    const CopySpan span(id, correlation, row, target.base, from);
    std::memcpy(target.base, kept.get(), row.width);
    return cudaSuccess;
  };
}

// Threads that work on the box: rows that do not follow on each other are one thread's.
static unsigned threads_of(const Box &box) {
  return box.height == 1 && box.depth == 1 ? spread_threads(box.bytes()) : 1;
}

static cudaError_t submit_and_wait(CUstream_st *stream, const Operation &operation, unsigned threads) {
  const cudaError_t error = submit(stream, cudaGraphNodeTypeMemcpy, operation, true, threads);
  if (error != cudaSuccess) return error;
  wait_for_stream(stream);
  return device_fault();
}

cudaError_t submit_copy(CUstream_st *stream, const Area &target, const Area &source, const Box &box) {
  wait_for_owner(stream, target.base);
  wait_for_owner(stream, source.base);
  const Box shape = flattened(box, target, source);
  const auto copy = [=, id = stream->id, correlation = observe::correlation()] {
    const CopySpan span(id, correlation, shape, target.base, source.base);
    copy_rows(target, source, shape);
    return cudaSuccess;
  };
  // Pageable memory of the host is free for other use when the call returns.
  const bool from_pageable = is_pageable(source.base), to_pageable = is_pageable(target.base);
  if (is_capturing(stream) || in_device_code() || (!from_pageable && !to_pageable)) {
    return submit(stream, cudaGraphNodeTypeMemcpy, copy, shape.bytes() <= kShortBytes, threads_of(shape));
  }
  const bool is_row = shape.height == 1 && shape.depth == 1;
  if (!to_pageable && is_row && shape.width <= kShortBytes && must_wait(stream)) {
    return submit(stream, cudaGraphNodeTypeMemcpy, staged(*stream, target, source, shape));
  }
  return submit_and_wait(stream, copy, threads_of(shape));
}

cudaError_t submit_fill(CUstream_st *stream, const Area &target, const Box &box, std::uint32_t value,
                        std::size_t element_size) {
  wait_for_owner(stream, target.base);
  const Box shape = flattened(box, target, target);
  const auto fill = [=, id = stream->id, correlation = observe::correlation()] {
    const profile::Span span(profile::Kind::kFill, nullptr, static_cast<std::uint32_t>(id), shape.bytes());
    const std::uint64_t start = observe::is_on ? observe::now() : 0;
    fill_rows(target, shape, value, element_size);
    if (start != 0)
      observe::add_fill({.stream = id, .correlation = correlation, .bytes = shape.bytes(), .to = place_of(target.base)},
                        value, start, observe::now());
    return cudaSuccess;
  };
  return submit(stream, cudaGraphNodeTypeMemset, fill, shape.bytes() <= kShortBytes, threads_of(shape));
}

cudaError_t copy_box(CUstream_st *stream, const Area &target, const Area &source, const Box &box, Sides sides) {
  if (box.empty()) return cudaSuccess;
  if (const cudaError_t error = check_memory(target.base, box.span(target), sides.target); error != cudaSuccess)
    return error;
  if (const cudaError_t error = check_memory(source.base, box.span(source), sides.source); error != cudaSuccess)
    return error;
  return submit_copy(stream, target, source, box);
}

cudaError_t copy_linear(CUstream_st *stream, void *target, const void *source, std::size_t size, cudaMemcpyKind kind) {
  Sides sides;
  if (const cudaError_t error = sides_of(kind, &sides); error != cudaSuccess) return error;
  auto *from = static_cast<std::byte *>(const_cast<void *>(source));
  return copy_box(stream, {static_cast<std::byte *>(target), size, size}, {from, size, size}, {size, 1, 1}, sides);
}

cudaError_t fill_box(CUstream_st *stream, const Area &target, const Box &box, std::uint32_t value,
                     std::size_t element_size) {
  if (box.empty()) return cudaSuccess;
  if (const cudaError_t error = check_memory(target.base, box.span(target), Side::kDevice); error != cudaSuccess)
    return error;
  return submit_fill(stream, target, box, value, element_size);
}

}  // namespace warploom
