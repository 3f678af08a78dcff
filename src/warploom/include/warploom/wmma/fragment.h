// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of a matrix each lane of a warp holds.
//
// CUDA leaves the layout of fragments open. Here a lane owns part of one column of the result. With N columns there are
// 32 / N groups of N lanes, and each group owns M * N / 32 rows:
//
//   16x16x16: lanes c and c + 16 own rows 0 to 7 and 8 to 15 of column c
//
// So neighbours in a row of b and of the result lie in neighbouring lanes: what vectors are made of. The factors are
// spread over the lanes, each element once, and a product takes them from there by shuffles in which every lane's
// source is known when the program is compiled. Of a, a group's lanes hold the group's rows; of b, each group holds a
// part of k for all columns. What lies side by side in memory lies in neighbouring lanes or in one lane.
//
// Bytes go by four, consecutive in k: one word of a dot product. Words are counted by `step` along k; a lane's are
// called slots. Of 4-bit and 1-bit elements a word has 8 and 32, and a lane one word of each factor.
#pragma once

#include <type_traits>
#include <utility>

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

namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

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
template <>
struct storage<experimental::precision::u4> {
  using type = unsigned;
};
template <>
struct storage<experimental::precision::s4> {
  using type = int;
};
template <>
struct storage<experimental::precision::b1> {
  using type = unsigned;
};

template <class T>
inline constexpr bool is_bit = std::is_same<T, experimental::precision::b1>::value;
template <class T>
inline constexpr bool is_nibble =
    std::is_same<T, experimental::precision::u4>::value || std::is_same<T, experimental::precision::s4>::value;
template <class T>
inline constexpr bool is_packed = is_bit<T> || is_nibble<T>;

template <class T>
inline constexpr bool is_byte =
    std::is_same<T, signed char>::value || std::is_same<T, char>::value || std::is_same<T, unsigned char>::value;
template <class T>
inline constexpr bool is_narrow = std::is_same<T, __half>::value || std::is_same<T, __nv_bfloat16>::value || is_byte<T>;

// The shapes that CUDA documents for an element type of the factors.
template <class T>
constexpr bool is_shape(int m, int n, int k) {
  if (is_narrow<T>) return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  if (std::is_same<T, precision::tf32>::value) return m == 16 && n == 16 && k == 8;
  if (std::is_same<T, double>::value) return m == 8 && n == 8 && k == 4;
  if (is_nibble<T>) return m == 8 && n == 8 && k == 32;
  if (is_bit<T>) return m == 8 && n == 8 && k == 128;
  return false;
}

// Calls `run` with the constants 0 to Count - 1: what indexes registers and lanes has to be known.
template <class Run, int... I>
__device__ __forceinline__ void repeat_each(Run run, std::integer_sequence<int, I...>) {
  (run(std::integral_constant<int, I>()), ...);
}
template <int Count, class Run>
__device__ __forceinline__ void repeat(Run run) {
  repeat_each(run, std::make_integer_sequence<int, Count>());
}

// Calls `run` with the number of the lane's run of Length lanes and the lane's place in it: in a branch for each run,
// where the first is a constant and the second counts with the lanes.
template <int Length, int First = 0, class Run>
__device__ __forceinline__ auto in_run(Run run) {
  const int lane = static_cast<int>(__warploom_lane_id());
  if constexpr ((First + 1) * Length < 32) {
    return lane < (First + 1) * Length ? run(std::integral_constant<int, First>(), lane - First * Length)
                                       : in_run<Length, First + 1>(run);
  } else {
    return run(std::integral_constant<int, First>(), lane - First * Length);
  }
}

constexpr int smaller(int a, int b) { return a < b ? a : b; }

// What a fragment of so many elements stores.
template <class T>
constexpr int stored(int elements) {
  return is_nibble<T> ? elements / 8 : is_bit<T> ? elements / 32 : elements;
}

template <int M, int N>
struct ownership {
  static constexpr int groups = 32 / N;
  static constexpr int rows = M * N / 32;  // of one lane
};

// Where a lane's part of a column of the factors lies.
template <int M, int N, int K, class T, class Layout>
struct shares {
  static constexpr bool by_rows = std::is_same<Layout, row_major>::value;
  static_assert(by_rows || std::is_same<Layout, col_major>::value, "the layout of a factor is row_major or col_major");
  static constexpr int groups = ownership<M, N>::groups, rows = ownership<M, N>::rows;
  static constexpr int packed = is_byte<T> ? 4 : is_nibble<T> ? 8 : is_bit<T> ? 32 : 1;  // elements of a word
  static constexpr int steps = K / packed;
  static constexpr int slots_a = rows * steps / N, slots_b = steps / groups;
  // Of a: the word (row, step) of a group is in slot at / N of lane at % N of it. As many lanes as are in a run have
  // words that are neighbours in memory.
  static constexpr int run_a = smaller(N, by_rows ? steps : rows);
  static constexpr int at_a(int row, int step) { return by_rows ? row * steps + step : step * rows + row; }
  static constexpr int row_of_a(int at) { return by_rows ? at / steps : at % rows; }
  static constexpr int step_of_a(int at) { return by_rows ? at % steps : at / rows; }
  // Of b by rows: a group has each `groups`-th step, its lanes the columns. Of b by columns: units of a column, which
  // are words or, of 16-bit elements, two, are loaded side by side, column after column, and then the number of the
  // slot takes the place of a unit's number's lowest bits: so that one slot has a unit of all columns.
  static constexpr int per_unit = sizeof(typename storage<T>::type) == 2 ? 2 : 1;
  static constexpr int units = steps / per_unit, unit_slots = slots_b / per_unit, columns = 32 / units;
  static constexpr int slot_of_b(int step) {
    return by_rows ? step / groups : step / per_unit % unit_slots * per_unit + step % per_unit;
  }
  static constexpr bool moves_b = !by_rows || groups > 1;
  static __device__ __forceinline__ int lane_of_b(int step, int column) {
    if (by_rows) return step % groups * N + column;
    const int unit = step / per_unit;
    return column % columns * units + (unit - unit % unit_slots) + column / columns;
  }
};

}  // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment;

template <int M, int N, int K, class T, class Layout>
class fragment<matrix_a, M, N, K, T, Layout> {
  static_assert(details::is_shape<T>(M, N, K), "wmma has no fragment of this shape and type");
  static_assert(!details::is_packed<T> || std::is_same<Layout, row_major>::value,
                "4-bit and 1-bit elements of a are loaded by rows");

 public:
  using element_type = T;
  using storage_element_type = typename details::storage<T>::type;
  static constexpr int num_elements =
      details::shares<M, N, K, T, Layout>::slots_a * details::shares<M, N, K, T, Layout>::packed;
  static constexpr int num_storage_elements = details::stored<T>(num_elements);
  alignas(8) storage_element_type x[num_storage_elements];  // slot, element of the word
};

template <int M, int N, int K, class T, class Layout>
class fragment<matrix_b, M, N, K, T, Layout> {
  static_assert(details::is_shape<T>(M, N, K), "wmma has no fragment of this shape and type");
  static_assert(!details::is_packed<T> || std::is_same<Layout, col_major>::value,
                "4-bit and 1-bit elements of b are loaded by columns");

 public:
  using element_type = T;
  using storage_element_type = typename details::storage<T>::type;
  static constexpr int num_elements =
      details::shares<M, N, K, T, Layout>::slots_b * details::shares<M, N, K, T, Layout>::packed;
  static constexpr int num_storage_elements = details::stored<T>(num_elements);
  alignas(8) storage_element_type x[num_storage_elements];  // slot, element of the word
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
