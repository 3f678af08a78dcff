// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays with extents, tuples, vectors and records of kernels in Python.
#pragma once
#include <limits.h>

namespace warploom_jit {

using Int = long long;

// Elements without a type of C++'s: records and text.
template <int N>
struct Bytes {
  char bytes[N];
};

// A member of a record, wherever it lies.
template <class T>
struct __attribute__((packed, may_alias)) Loose {
  T value;
};

template <class T, int N>
struct Strided;

template <class T, int N>
struct Rows {
  T *data;
  Int shape[N > 0 ? N : 1];
  template <class... Indices>
  __device__ T &operator()(Int first, Indices... rest) const {
    Int place = first;
    int axis = 0;
    ((place = place * shape[++axis] + Int(rest)), ...);
    return data[place];
  }
  __device__ Rows<T, (N > 1 ? N - 1 : 1)> row(Int index) const {
    Rows<T, (N > 1 ? N - 1 : 1)> made = {data, {}};
    Int size = 1;
    for (int axis = 1; axis < N; ++axis) size *= made.shape[axis - 1] = shape[axis];
    made.data += index * size;
    return made;
  }
  __device__ Int stride(int axis) const {
    Int size = sizeof(T);
    for (int other = N - 1; other > axis; --other) size *= shape[other];
    return size;
  }
};

template <class T, int N>
struct Strided {
  T *data;
  Int shape[N > 0 ? N : 1], strides[N > 0 ? N : 1];  // in bytes
  Strided() = default;
  __device__ explicit Strided(T *data) : data(data) {}
  __device__ Strided(T *data, const Int (&extents)[N], const Int (&steps)[N]) : data(data) {
    for (int axis = 0; axis < N; ++axis) shape[axis] = extents[axis], strides[axis] = steps[axis];
  }
  template <class U>
  __device__ Strided(const Rows<U, N> &other) : data(other.data) {
    for (int axis = 0; axis < N; ++axis) shape[axis] = other.shape[axis], strides[axis] = other.stride(axis);
  }
  template <class U>
  __device__ Strided(const Strided<U, N> &other) : data(other.data) {
    for (int axis = 0; axis < N; ++axis) shape[axis] = other.shape[axis], strides[axis] = other.strides[axis];
  }
  template <class... Indices>
  __device__ T &operator()(Indices... indices) const {
    Int place = 0;
    int axis = 0;
    ((place += Int(indices) * strides[axis++]), ...);
    return *(T *)((char *)data + place);
  }
  __device__ Strided<T, (N > 1 ? N - 1 : 1)> row(Int index) const {
    Strided<T, (N > 1 ? N - 1 : 1)> made((T *)((char *)data + index * strides[0]));
    for (int axis = 1; axis < N; ++axis) {
      made.shape[axis - 1] = shape[axis];
      made.strides[axis - 1] = strides[axis];
    }
    return made;
  }
  __device__ Int stride(int axis) const { return strides[axis]; }
};

template <template <class, int> class Kind, class T, int N>
__device__ Int size_of(const Kind<T, N> &array) {
  Int count = 1;
  for (int axis = 0; axis < N; ++axis) count *= array.shape[axis];
  return count;
}

// The elements of dynamic shared memory.
template <class T>
__device__ Int dynamic_extent() {
  return Int(__warploom_dynamic_shared_size() / sizeof(T));
}

// -- slices: an array without an axis, or with a part of it, one axis after the other ---------------------------------

// As Python has it: what `start` or `stop` below zero or beyond the end are.
__device__ inline Int clipped(Int place, Int extent, Int low, Int high) {
  if (place < 0) place += extent;
  return place < low ? low : place > high ? high : place;
}

constexpr Int kNone = LLONG_MIN;  // where a slice leaves a number out

struct Slice {
  Int start, step, count;
  __device__ Slice(Int from, Int to, Int by, Int extent) : step(by) {
    if (by == 0) __trap();  // where Python raises ValueError
    const Int low = by < 0 ? -1 : 0, high = by < 0 ? extent - 1 : extent;
    start = from == kNone ? (by < 0 ? high : low) : clipped(from, extent, low, high);
    const Int stop = to == kNone ? (by < 0 ? low : high) : clipped(to, extent, low, high);
    count = by < 0 ? (start - stop - by - 1) / -by : (stop - start + by - 1) / by;
    if (count < 0) count = 0;
  }
};

template <class T, int N>
__device__ Rows<T, N> first_rows(const Rows<T, N> &array, const Slice &part) {
  Rows<T, N> made = array;
  made.data = (T *)((char *)array.data + part.start * array.stride(0));
  made.shape[0] = part.count;
  return made;
}

// Writes the axes that stay; `Index` is an index or a Slice.
template <int Axis, int Made, class From, class To>
__device__ void take_axes(const From &from, To &to) {
  if constexpr (Axis < From::kAxes) {
    to.shape[Made] = from.array.shape[Axis];
    to.strides[Made] = from.array.stride(Axis);
    take_axes<Axis + 1, Made + 1>(from, to);
  }
}
template <int Axis, int Made, class From, class To, class... Rest>
__device__ void take_axes(const From &from, To &to, Int index, Rest... rest) {
  to.data = (decltype(to.data))((char *)to.data + index * from.array.stride(Axis));
  take_axes<Axis + 1, Made>(from, to, rest...);
}
template <int Axis, int Made, class From, class To, class... Rest>
__device__ void take_axes(const From &from, To &to, Slice part, Rest... rest) {
  to.data = (decltype(to.data))((char *)to.data + part.start * from.array.stride(Axis));
  to.shape[Made] = part.count;
  to.strides[Made] = part.step * from.array.stride(Axis);
  take_axes<Axis + 1, Made + 1>(from, to, rest...);
}
template <class Array, int N>
struct Source {
  static constexpr int kAxes = N;
  const Array &array;
};
template <int Kept, template <class, int> class Kind, class T, int N, class... Indices>
__device__ Strided<T, Kept> sliced(const Kind<T, N> &array, Indices... indices) {
  Strided<T, Kept> made(array.data);
  take_axes<0, 0>(Source<Kind<T, N>, N>{array}, made, indices...);
  return made;
}

// The same memory with elements of another type in the last axis, which lies side by side.
template <class U, class T, int N>
__device__ Rows<U, N> reinterpreted(const Rows<T, N> &array) {
  Rows<U, N> made = {(U *)array.data, {}};
  for (int axis = 0; axis < N; ++axis) made.shape[axis] = array.shape[axis];
  made.shape[N - 1] = Int(array.shape[N - 1] * sizeof(T) / sizeof(U));
  return made;
}
template <class U, class T, int N>
__device__ Strided<U, N> reinterpreted(const Strided<T, N> &array) {
  Strided<U, N> made((U *)array.data);
  for (int axis = 0; axis < N; ++axis) made.shape[axis] = array.shape[axis], made.strides[axis] = array.strides[axis];
  if constexpr (sizeof(T) != sizeof(U)) {
    made.shape[N - 1] = Int(array.shape[N - 1] * sizeof(T) / sizeof(U));
    made.strides[N - 1] = sizeof(U);
  }
  return made;
}

// One of the parts of an array's complex numbers.
template <class U, template <class, int> class Kind, class T, int N>
__device__ Strided<U, N> part_of(const Kind<T, N> &array, int place) {
  Strided<U, N> made((U *)array.data + place);
  for (int axis = 0; axis < N; ++axis) made.shape[axis] = array.shape[axis], made.strides[axis] = array.stride(axis);
  return made;
}

// One of the members of an array's records, `offset` bytes from the begin of each.
template <class U, template <class, int> class Kind, class T, int N>
__device__ Strided<U, N> field_of(const Kind<T, N> &array, int offset) {
  Strided<U, N> made((U *)((char *)array.data + offset));
  for (int axis = 0; axis < N; ++axis) made.shape[axis] = array.shape[axis], made.strides[axis] = array.stride(axis);
  return made;
}

template <template <class, int> class Kind, class T, int N>
__device__ Strided<T, N> transposed(const Kind<T, N> &array) {
  Strided<T, N> made(array.data);
  for (int axis = 0; axis < N; ++axis) {
    made.shape[axis] = array.shape[N - 1 - axis];
    made.strides[axis] = array.stride(N - 1 - axis);
  }
  return made;
}

// The element of `array` that meets element number `place` of an array with the extents of `shape`.
template <template <class, int> class Kind, class T, int N, int M>
__device__ T &meeting(const Kind<T, N> &array, Int place, const Int (&shape)[M]) {
  char *at = (char *)array.data;
  for (int axis = M - 1; axis >= 0; --axis) {
    const int own = axis - (M - N);
    if (own >= 0 && array.shape[own] != 1) at += place % shape[axis] * array.stride(own);
    place /= shape[axis];
  }
  return *(T *)at;
}

// -- several values ---------------------------------------------------------------------------------------------------

template <class... Members>
struct Tuple {};
template <class Head, class... Rest>
struct Tuple<Head, Rest...> {
  Head head;
  Tuple<Rest...> rest;
};
template <int Place, class Members>
__device__ auto member(const Members &members) {
  if constexpr (Place == 0)
    return members.head;
  else
    return member<Place - 1>(members.rest);
}
// A member of several of one type.
template <class Head>
__device__ Head chosen(const Tuple<Head> &members, Int) {
  return members.head;
}
template <class Head, class... Rest>
__device__ Head chosen(const Tuple<Head, Rest...> &members, Int place) {
  return place == 0 ? members.head : chosen(members.rest, place - 1);
}

template <class T, int N>
struct Vector;
template <class T>
struct Vector<T, 1> {
  T x;
};
template <class T>
struct Vector<T, 2> {
  T x, y;
};
template <class T>
struct Vector<T, 3> {
  T x, y, z;
};
template <class T>
struct Vector<T, 4> {
  T x, y, z, w;
};

// An index that may count from the end.
__device__ inline Int from_end(Int index, Int extent) { return index < 0 ? index + extent : index; }

}  // namespace warploom_jit
