// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of CuPy's kind are written with: raw arrays, the index of an element, halves that are numbers.
#pragma once
#include <cuda_fp16.h>
#include <stddef.h>

#include "cupy/complex.cuh"

#ifndef M_PI
#define M_PI 3.1415926535897932384626433832795
#endif

namespace warploom_cupy {
template <int N>
struct Numbers {
  ptrdiff_t values[N];
};
}  // namespace warploom_cupy

// A number of 16 bits that is computed with as float.
class float16 {
 public:
  float16() = default;
  __host__ __device__ float16(float value) : value_(__float2half(value)) {}
  __host__ __device__ operator float() const { return __half2float(value_); }
  __host__ __device__ float16 &operator+=(float other) { return *this = float(*this) + other; }
  __host__ __device__ float16 &operator-=(float other) { return *this = float(*this) - other; }
  __host__ __device__ float16 &operator*=(float other) { return *this = float(*this) * other; }
  __host__ __device__ float16 &operator/=(float other) { return *this = float(*this) / other; }

 private:
  __half value_;
};
__device__ inline bool isnan(float16 x) { return isnan(float(x)); }
__device__ inline bool isinf(float16 x) { return isinf(float(x)); }
__device__ inline bool isfinite(float16 x) { return isfinite(float(x)); }
__device__ inline float16 min(float16 a, float16 b) { return fminf(a, b); }
__device__ inline float16 max(float16 a, float16 b) { return fmaxf(a, b); }

// An array of `N` extents; one index counts its elements row by row, `N` of them in braces or an array name one.
template <class T, int N, bool IsContiguous = false, bool Use32Bits = false>
class CArray {
 public:
  static const int ndim = N;
  typedef T *iterator;

  CArray() = default;
  __device__ CArray(T *data, const ptrdiff_t *shape, const ptrdiff_t *strides) : data_(data), size_(1) {
    for (int axis = 0; axis < N; ++axis) {
      size_ *= shape_[axis] = shape[axis];
      strides_[axis] = strides[axis];
    }
  }
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t *shape() const { return shape_; }
  __device__ const ptrdiff_t *strides() const { return strides_; }
  __device__ T *data() const { return data_; }
  __device__ T *begin() const {
    static_assert(IsContiguous, "only an array whose elements lie side by side has pointers to its ends");
    return data_;
  }
  __device__ T *end() const { return begin() + size_; }

  template <class Index>
  __device__ T &operator[](const Index (&index)[N]) const {
    ptrdiff_t offset = 0;
    for (int axis = 0; axis < N; ++axis) offset += ptrdiff_t(index[axis]) * strides_[axis];
    return at(offset);
  }
  __device__ T &operator[](ptrdiff_t place) const {
    if constexpr (IsContiguous) return data_[place];
    ptrdiff_t offset = 0;
    for (int axis = N - 1; axis > 0; --axis) {
      offset += place % shape_[axis] * strides_[axis];
      place /= shape_[axis];
    }
    return at(offset + place * strides_[0]);
  }

 private:
  __device__ T &at(ptrdiff_t offset) const {
    if constexpr (__is_const(T))
      return *(T *)((const char *)data_ + offset);
    else
      return *(T *)((char *)data_ + offset);
  }
  T *data_;
  ptrdiff_t size_, shape_[N], strides_[N];
};

template <class T, bool IsContiguous, bool Use32Bits>
class CArray<T, 0, IsContiguous, Use32Bits> {
 public:
  static const int ndim = 0;
  CArray() = default;
  __device__ explicit CArray(T *data) : data_(data) {}
  __device__ ptrdiff_t size() const { return 1; }
  __device__ const ptrdiff_t *shape() const { return nullptr; }
  __device__ const ptrdiff_t *strides() const { return nullptr; }
  template <class Index>
  __device__ T &operator[](const Index &) const {
    return *data_;
  }

 private:
  T *data_;
};

// Where an element lies among `N` extents.
template <int N, bool Use32Bits = false>
class CIndexer {
 public:
  static const int ndim = N;
  __device__ explicit CIndexer(const ptrdiff_t *shape) : size_(1) {
    for (int axis = 0; axis < N; ++axis) size_ *= shape_[axis] = shape[axis];
  }
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t *shape() const { return shape_; }
  __device__ const ptrdiff_t *get() const { return index_; }
  __device__ void set(ptrdiff_t place) {
    for (int axis = N - 1; axis > 0; --axis) {
      index_[axis] = place % shape_[axis];
      place /= shape_[axis];
    }
    index_[0] = place;
  }

 private:
  ptrdiff_t size_, shape_[N], index_[N];
};
