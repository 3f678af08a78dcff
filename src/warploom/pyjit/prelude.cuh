// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels in Python are written with. Complex numbers and halves are included where a kernel has them.
#pragma once
#include "arrays.cuh"
#include "atomics.cuh"
#include "numbers.cuh"

// Which exception a kernel raised, and the indices of thread and block.
__device__ int warploom_raised[7];

namespace warploom_jit {

template <class Result = void>
__device__ Result raise(int number) {
  if (atomicCAS(&warploom_raised[0], 0, number) == 0) {
    const unsigned places[6] = {threadIdx.x, threadIdx.y, threadIdx.z, blockIdx.x, blockIdx.y, blockIdx.z};
    for (int axis = 0; axis < 6; ++axis) warploom_raised[axis + 1] = int(places[axis]);
  }
  __trap();
  if constexpr (!__is_void(Result)) return Result{};
}

// With `debug=True`: divisors, places in tuples and indices that are none raise.
template <class T>
__device__ T checked_divisor(T divisor, int number) {
  if (divisor == T(0)) raise(number);
  return divisor;
}
__device__ inline Int checked_index(Int index, Int extent, int number) {
  if (index < 0 || index >= extent) raise(number);
  return index;
}

template <template <class, int> class Kind, class T, int N, class U>
__device__ void fill_elements(const Kind<T, N> &to, U value) {
  for (Int place = 0; place < size_of(to); ++place) meeting(to, place, to.shape) = value;
}

// Where an array lies: the first byte, and the one behind the last.
template <class Array>
__device__ Tuple<const char *, const char *> range_of(const Array &array, int axes, int element) {
  const char *low = (const char *)array.data, *high = low + element;
  for (int axis = 0; axis < axes; ++axis) {
    if (array.shape[axis] == 0) return {low, low};
    const Int reach = (array.shape[axis] - 1) * array.stride(axis);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

// Element by element; extents that do not fit raise, and so do arrays that overlap, but where they are the same.
template <template <class, int> class To, template <class, int> class From, class T, class U, int N, int M>
__device__ void copy_elements(const To<T, N> &to, const From<U, M> &from, int wrong) {
  for (int axis = 0; axis < M; ++axis) {
    const Int extent = from.shape[axis];
    if (extent != 1 && extent != to.shape[axis + N - M]) raise(wrong);
  }
  const auto own = range_of(to, N, sizeof(T)), other = range_of(from, M, sizeof(U));
  bool is_same = (const char *)to.data == (const char *)from.data && N == M && sizeof(T) == sizeof(U);
  for (int axis = 0; is_same && axis < N; ++axis) is_same = to.stride(axis) == from.stride(axis);
  if (!is_same && own.head < other.rest.head && other.head < own.rest.head) raise(wrong);
  for (Int place = 0; place < size_of(to); ++place) meeting(to, place, to.shape) = (T)meeting(from, place, to.shape);
}

}  // namespace warploom_jit

using namespace warploom_jit;
