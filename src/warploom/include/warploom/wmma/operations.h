// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fill_fragment, load_matrix_sync, store_matrix_sync, mma_sync. Products are summed in k's order in float, double or
// int.
#pragma once

#include "fragment.h"

namespace nvcuda {
namespace wmma {
namespace details {

// What the lanes of the warp wrote before is there to load; what is stored is there to read.
__device__ __forceinline__ void join_warp(const char *file, int line) { __warploom_syncwarp(0xffffffffu, file, line); }

// All lanes give the same address, which the compiler may not be able to see: it takes that of lane 0.
template <class T>
__device__ __forceinline__ T *of_warp(T *address, const char *file, int line) {
  const auto bits = reinterpret_cast<unsigned long long>(address);
  return reinterpret_cast<T *>(__warploom_shfl_idx(0xffffffffu, bits, 0, 32, file, line));
}

template <class Layout>
__device__ __forceinline__ unsigned long at(int row, int column, unsigned stride) {
  if constexpr (std::is_same<Layout, row_major>::value) {
    return static_cast<unsigned long>(row) * stride + static_cast<unsigned long>(column);
  } else {
    static_assert(std::is_same<Layout, col_major>::value, "the layout of a factor is row_major or col_major");
    return static_cast<unsigned long>(column) * stride + static_cast<unsigned long>(row);
  }
}

__device__ __forceinline__ float wide(__half value) { return __half2float(value); }
__device__ __forceinline__ float wide(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ __forceinline__ float wide(float value) { return value; }
__device__ __forceinline__ double wide(double value) { return value; }
__device__ __forceinline__ int wide(int value) { return value; }
__device__ __forceinline__ int wide(signed char value) { return value; }
__device__ __forceinline__ int wide(char value) { return value; }
__device__ __forceinline__ int wide(unsigned char value) { return value; }

template <class T, class Sum>
__device__ __forceinline__ T narrow(Sum sum) {
  if constexpr (std::is_same<T, __half>::value) {
    return __float2half_rn(sum);
  } else {
    return static_cast<T>(sum);
  }
}

// An integer sum that left int's range, brought back to its nearest end.
__device__ __forceinline__ int clamp_to_int(long long sum) {
  constexpr long long most = 0x7fffffff;
  return static_cast<int>(sum > most ? most : sum < -most - 1 ? -most - 1 : sum);
}

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout, class Value>
__device__ __forceinline__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &target, const Value &value) {
  using storage = typename fragment<Use, M, N, K, T, Layout>::storage_element_type;
  const storage element = static_cast<storage>(value);
  for (int i = 0; i < target.num_elements; ++i) target.x[i] = element;
}

template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, Layout> &target,
                                                 const typename details::storage<T>::type *source, unsigned stride,
                                                 const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  details::join_warp(file, line);
  source = details::of_warp(source, file, line);
  using owned = details::ownership<M, N>;
  for (int k = 0; k < K; ++k) {
    for (int r = 0; r < owned::rows; ++r) {
      target.x[k * owned::rows + r] =
          owned::in_group([=](int row, int) { return source[details::at<Layout>(row + r, k, stride)]; });
    }
  }
}

template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, Layout> &target,
                                                 const typename details::storage<T>::type *source, unsigned stride,
                                                 const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  details::join_warp(file, line);
  source = details::of_warp(source, file, line);
  using owned = details::ownership<M, N>;
  for (int k = 0; k < K; ++k) {
    target.x[k] = owned::in_group([=](int, int column) { return source[details::at<Layout>(k, column, stride)]; });
  }
}

template <int M, int N, int K, class T>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &target, const T *source,
                                                 unsigned stride, layout_t layout, const char *file = __builtin_FILE(),
                                                 int line = __builtin_LINE()) {
  details::join_warp(file, line);
  source = details::of_warp(source, file, line);
  using owned = details::ownership<M, N>;
  for (int r = 0; r < owned::rows; ++r) {
    target.x[r] = owned::in_group([=](int row, int column) {
      return source[layout == mem_row_major ? details::at<row_major>(row + r, column, stride)
                                            : details::at<col_major>(row + r, column, stride)];
    });
  }
}

template <int M, int N, int K, class T>
__device__ __forceinline__ void store_matrix_sync(T *target, const fragment<accumulator, M, N, K, T> &source,
                                                  unsigned stride, layout_t layout, const char *file = __builtin_FILE(),
                                                  int line = __builtin_LINE()) {
  details::join_warp(file, line);
  target = details::of_warp(target, file, line);
  using owned = details::ownership<M, N>;
  for (int r = 0; r < owned::rows; ++r) {
    const T value = source.x[r];
    owned::in_group([=](int row, int column) {
      target[layout == mem_row_major ? details::at<row_major>(row + r, column, stride)
                                     : details::at<col_major>(row + r, column, stride)] = value;
    });
  }
  details::join_warp(file, line);
}

// d = a * b + c. `saturate` keeps integer sums in int's range instead of wrapping.
template <int M, int N, int K, class TA, class TB, class LayoutA, class LayoutB, class TD, class TC>
__device__ __forceinline__ void mma_sync(fragment<accumulator, M, N, K, TD> &d,
                                         const fragment<matrix_a, M, N, K, TA, LayoutA> &a,
                                         const fragment<matrix_b, M, N, K, TB, LayoutB> &b,
                                         const fragment<accumulator, M, N, K, TC> &c, bool saturate = false) {
  using product = decltype(details::wide(a.x[0]) * details::wide(b.x[0]));
  constexpr bool is_whole = std::is_same<product, int>::value;
  constexpr int rows = details::ownership<M, N>::rows;
  product sums[rows];  // of 16 products of bytes, before c is added: far from int's ends
  for (int i = 0; i < rows; ++i) sums[i] = is_whole ? product(0) : static_cast<product>(details::wide(c.x[i]));
  for (int k = 0; k < K; ++k) {
    const auto factor = details::wide(b.x[k]);
    for (int i = 0; i < rows; ++i) sums[i] += details::wide(a.x[k * rows + i]) * factor;
  }
  for (int i = 0; i < rows; ++i) {
    if constexpr (is_whole) {
      const long long sum = static_cast<long long>(c.x[i]) + sums[i];
      d.x[i] = saturate ? details::clamp_to_int(sum) : static_cast<int>(sum);
    } else {
      d.x[i] = details::narrow<TD>(sums[i]);
    }
  }
}

// Rounds to the 10 fraction bits of tf32, ties away from zero.
__device__ __forceinline__ float __float_to_tf32(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return __builtin_bit_cast(float, (bits + 0x1000u) & 0xffffe000u);
}

}  // namespace wmma
}  // namespace nvcuda
