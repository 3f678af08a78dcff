// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a matrix each lane of a warp holds.
//
// CUDA leaves the layout of fragments open. Here a lane owns part of one column of the result, and holds all that this
// part needs of the factors: its rows of a, its column of b. Elements are held by several lanes, and a product needs no
// exchange between lanes. With N columns there are 32 / N groups of N lanes, and each group owns M * N / 32 rows:
//
//   16x16x16: lanes c and c + 16 own rows 0 to 7 and 8 to 15 of column c
//
// So the elements of a are the same for a group, and neighbours in a row of b and of the result lie in neighbouring
// lanes: what vectors are made of.
#pragma once

#include <type_traits>

#include "../../cuda_bf16.h"
#include "../../cuda_fp16.h"
#include "../device_abi.h"

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
}  // namespace precision

namespace details {

// What a fragment stores for an element type.
template <class T>
struct storage {
  using type = T;
};
template <>
struct storage<precision::tf32> {
  using type = float;
};

template <class T>
inline constexpr bool is_narrow =
    std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value || std::is_same<T, signed char>::value ||
    std::is_same<T, char>::value || std::is_same<T, unsigned char>::value;

// The shapes that CUDA documents for an element type of the factors.
template <class T>
constexpr bool is_shape(int m, int n, int k) {
  if (is_narrow<T>) return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  if (std::is_same<T, precision::tf32>::value) return m == 16 && n == 16 && k == 8;
  if (std::is_same<T, double>::value) return m == 8 && n == 8 && k == 4;
  return false;
}

template <int M, int N>
struct ownership {
  static constexpr int groups = 32 / N;
  static constexpr int rows = M * N / 32;  // of one lane

  static __device__ __forceinline__ int column() { return static_cast<int>(__warploom_lane_id()) % N; }
  // Calls `run` with the first row of the lane's group and the lane's column: in a branch for each group, where the row
  // is a constant and the column counts with the lanes.
  template <int Group = 0, class Run>
  static __device__ __forceinline__ auto in_group(Run run) {
    const int lane = static_cast<int>(__warploom_lane_id());
    if constexpr (Group + 1 < groups) {
      return lane < (Group + 1) * N ? run(Group * rows, lane - Group * N) : in_group<Group + 1>(run);
    } else {
      return run(Group * rows, lane - Group * N);
    }
  }
};

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment;

template <int M, int N, int K, class T, class Layout>
class fragment<matrix_a, M, N, K, T, Layout> {
  static_assert(details::is_shape<T>(M, N, K), "wmma has no fragment of this shape and type");

 public:
  using element_type = T;
  using storage_element_type = typename details::storage<T>::type;
  static constexpr int num_elements = K * details::ownership<M, N>::rows;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];  // k, row of the lane
};

template <int M, int N, int K, class T, class Layout>
class fragment<matrix_b, M, N, K, T, Layout> {
  static_assert(details::is_shape<T>(M, N, K), "wmma has no fragment of this shape and type");

 public:
  using element_type = T;
  using storage_element_type = typename details::storage<T>::type;
  static constexpr int num_elements = K;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];  // k
};

template <int M, int N, int K, class T>
class fragment<accumulator, M, N, K, T, void> {
  static_assert(std::is_same<T, float>::value || std::is_same<T, __half>::value || std::is_same<T, int>::value ||
                    std::is_same<T, double>::value,
                "wmma accumulates in float, half, int or double");

 public:
  using element_type = T;
  using storage_element_type = T;
  static constexpr int num_elements = details::ownership<M, N>::rows;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];  // row of the lane
};

}  // namespace wmma
}  // namespace nvcuda
