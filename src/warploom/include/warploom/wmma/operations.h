// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// fill_fragment, load_matrix_sync, store_matrix_sync, mma_sync. Products are summed in k's order in float, double or
// int. packed.h has what 4-bit and 1-bit elements do otherwise.
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
    return static_cast<unsigned long>(column) * stride + static_cast<unsigned long>(row);
  }
}

typedef unsigned __attribute__((may_alias)) aliasing_word;

template <class T>
__device__ __forceinline__ unsigned bits_of(T element) {
  if constexpr (sizeof(T) == 1) {
    return static_cast<unsigned char>(element);
  } else {
    return __builtin_bit_cast(unsigned short, element);
  }
}

// What lane `source` of the warp has.
template <class T>
__device__ __forceinline__ T from_lane(T value, int source, const char *file, int line) {
  if constexpr (sizeof(T) == 8) {
    const auto bits = __builtin_bit_cast(unsigned long long, value);
    return __builtin_bit_cast(T, __warploom_shfl_idx(0xffffffffu, bits, source, 32, file, line));
  } else {
    const auto bits = __builtin_bit_cast(unsigned, value);
    return __builtin_bit_cast(T, static_cast<unsigned>(__warploom_shfl_idx(0xffffffffu, bits, source, 32, file, line)));
  }
}

// What is loaded at once.
template <int Size>
struct unit_of {
  typedef unsigned __attribute__((may_alias)) type;
};
template <>
struct unit_of<8> {
  typedef unsigned long long __attribute__((may_alias)) type;
};

// Lets bits of a slot's number and the same bits of a lane's number change places.
template <int Slots, class Unit>
__device__ __forceinline__ void transpose(Unit *units, const char *file, int line) {
  const int lane = static_cast<int>(__warploom_lane_id());
  if constexpr (Slots > 1) {
    constexpr int bit = Slots / 2;
    transpose<bit>(units, file, line);
    transpose<bit>(units + bit, file, line);
    repeat<bit>([&](auto slot) {
      const Unit low = units[slot], high = units[slot + bit];
      const Unit of_high = from_lane(high, lane ^ bit, file, line), of_low = from_lane(low, lane ^ bit, file, line);
      units[slot] = lane & bit ? of_high : low;
      units[slot + bit] = lane & bit ? high : of_low;
    });
  }
}

// A word in slot `slot` of a fragment: a number, or the bits of four bytes.
template <class T>
__device__ __forceinline__ auto word_of(const T *elements, int slot) {
  if constexpr (is_byte<T>) {
    return reinterpret_cast<const __attribute__((may_alias)) int *>(elements)[slot];
  } else {
    return elements[slot];
  }
}
template <class T, class Word>
__device__ __forceinline__ void set_word(T *elements, int slot, Word word) {
  if constexpr (is_byte<T>) {
    reinterpret_cast<aliasing_word *>(elements)[slot] = word;
  } else {
    elements[slot] = word;
  }
}

// The word at `source`; bytes lie `step` apart.
template <class T>
__device__ __forceinline__ auto load_word(const T *source, unsigned long step) {
  if constexpr (is_byte<T>) {
    if (step == 1) return unsigned{*reinterpret_cast<const aliasing_word *>(source)};
    return bits_of(source[0]) | bits_of(source[step]) << 8 | bits_of(source[2 * step]) << 16 |
           bits_of(source[3 * step]) << 24;
  } else {
    return *source;
  }
}

__device__ __forceinline__ float wide(__half value) { return __half2float(value); }
__device__ __forceinline__ float wide(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ __forceinline__ float wide(float value) { return value; }
__device__ __forceinline__ double wide(double value) { return value; }
__device__ __forceinline__ int wide(int value) { return value; }

// The sum and the products of four bytes; with factors of one kind, of which the first has its top bits turned over.
template <bool SignedA, bool SignedB>
__device__ __forceinline__ int multiply_add(int a, int b, int sum) {
  if constexpr (SignedB) {
    return __warploom_dot4_us(a, b, sum);
  } else {
    return __warploom_dot4_su(a, b, sum);
  }
}
template <bool, bool, class Number>
__device__ __forceinline__ Number multiply_add(Number a, Number b, Number sum) {
  return sum + a * b;
}
inline constexpr int top_bits = static_cast<int>(0x80808080u);

template <class T, class Sum>
__device__ __forceinline__ T narrow(Sum sum) {
  if constexpr (std::is_same<T, __half>::value) {
    return __float2half_rn(sum);
  } else {
    return static_cast<T>(sum);
  }
}

// What stores elements that are all `value`.
template <class T, class Storage>
__device__ __forceinline__ Storage repeated(Storage value) {
  if constexpr (is_bit<T>) {
    return value & 1 ? ~Storage(0) : Storage(0);
  } else if constexpr (is_nibble<T>) {
    return static_cast<Storage>((static_cast<unsigned>(value) & 15u) * 0x11111111u);
  } else {
    return value;
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
  const storage element = details::repeated<T>(static_cast<storage>(value));
  for (int i = 0; i < target.num_storage_elements; ++i) target.x[i] = element;
}

template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ std::enable_if_t<!details::is_packed<T>> load_matrix_sync(
    fragment<matrix_a, M, N, K, T, Layout> &target, const typename details::storage<T>::type *source, unsigned stride,
    const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  details::join_warp(file, line);
  source = details::of_warp(source, file, line);
  using share = details::shares<M, N, K, T, Layout>;
  details::repeat<share::slots_a>([&](auto slot) {
    const auto word = details::in_run<share::run_a>([=](auto run, int lane) {
      constexpr int first = run * share::run_a, at = slot * N + first % N, group = first / N;
      const int row = share::row_of_a(at) + (share::by_rows ? 0 : lane);
      const int step = share::step_of_a(at) + (share::by_rows ? lane : 0);
      const auto *const place = source + details::at<Layout>(group * share::rows + row, step * share::packed, stride);
      return details::load_word(place, share::by_rows ? 1 : stride);
    });
    details::set_word(target.x, slot, word);
  });
}

template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ std::enable_if_t<!details::is_packed<T>> load_matrix_sync(
    fragment<matrix_b, M, N, K, T, Layout> &target, const typename details::storage<T>::type *source, unsigned stride,
    const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  details::join_warp(file, line);
  source = details::of_warp(source, file, line);
  using share = details::shares<M, N, K, T, Layout>;
  if constexpr (share::by_rows) {
    details::repeat<share::slots_b>([&](auto slot) {
      const auto word = details::in_run<N>([=](auto group, int column) {
        const auto *const place =
            source + details::at<Layout>((slot * share::groups + group) * share::packed, column, stride);
        return details::load_word(place, stride);
      });
      details::set_word(target.x, slot, word);
    });
  } else {
    using unit = typename details::unit_of<sizeof(*source)>::type;
    unit units[share::unit_slots];
    details::repeat<share::unit_slots>([&](auto slot) {
      units[slot] = details::in_run<share::units>([=](auto run, int lane) {
        constexpr int column = slot * share::columns + run;
        return reinterpret_cast<const unit *>(source + details::at<Layout>(0, column, stride))[lane];
      });
    });
    details::transpose<share::unit_slots>(units, file, line);
    details::repeat<share::unit_slots>([&](auto slot) { reinterpret_cast<unit *>(target.x)[slot] = units[slot]; });
  }
}

template <int M, int N, int K, class T>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &target, const T *source,
                                                 unsigned stride, layout_t layout, const char *file = __builtin_FILE(),
                                                 int line = __builtin_LINE()) {
  details::join_warp(file, line);
  source = details::of_warp(source, file, line);
  constexpr int rows = details::ownership<M, N>::rows;
  details::repeat<rows>([&](auto r) {
    target.x[r] = details::in_run<N>([=](auto group, int column) {
      constexpr int row = group * rows + r;
      return source[layout == mem_row_major ? details::at<row_major>(row, column, stride)
                                            : details::at<col_major>(row, column, stride)];
    });
  });
}

template <int M, int N, int K, class T>
__device__ __forceinline__ void store_matrix_sync(T *target, const fragment<accumulator, M, N, K, T> &source,
                                                  unsigned stride, layout_t layout, const char *file = __builtin_FILE(),
                                                  int line = __builtin_LINE()) {
  details::join_warp(file, line);
  target = details::of_warp(target, file, line);
  constexpr int rows = details::ownership<M, N>::rows;
  details::repeat<rows>([&](auto r) {
    const T value = source.x[r];
    details::in_run<N>([=](auto group, int column) {
      constexpr int row = group * rows + r;
      target[layout == mem_row_major ? details::at<row_major>(row, column, stride)
                                     : details::at<col_major>(row, column, stride)] = value;
    });
  });
  details::join_warp(file, line);
}

// d = a * b + c. `saturate` keeps integer sums in int's range instead of wrapping.
template <int M, int N, int K, class TA, class TB, class LayoutA, class LayoutB, class TD, class TC>
__device__ __forceinline__ void mma_sync(fragment<accumulator, M, N, K, TD> &d,
                                         const fragment<matrix_a, M, N, K, TA, LayoutA> &a,
                                         const fragment<matrix_b, M, N, K, TB, LayoutB> &b,
                                         const fragment<accumulator, M, N, K, TC> &c, bool saturate = false,
                                         const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
  using share_a = details::shares<M, N, K, TA, LayoutA>;
  using share_b = details::shares<M, N, K, TB, LayoutB>;
  using number = decltype(details::wide(details::word_of(a.x, 0)));
  constexpr bool is_whole = std::is_same<number, int>::value;
  constexpr bool signed_a = std::is_signed<TA>::value, signed_b = std::is_signed<TB>::value;
  constexpr bool turns = is_whole && signed_a == signed_b;
  constexpr int rows = share_a::rows;
  const int lane = static_cast<int>(__warploom_lane_id()), in_group = lane & (N - 1), group = lane - in_group;
  number left[share_a::slots_a], right[share_b::slots_b], sums[rows];
  details::repeat<share_a::slots_a>([&](auto slot) {
    left[slot] = details::wide(details::word_of(a.x, slot));
    if constexpr (turns) left[slot] ^= details::top_bits;
  });
  details::repeat<share_b::slots_b>([&](auto slot) { right[slot] = details::wide(details::word_of(b.x, slot)); });
  // Whole numbers: of 16 products of bytes, before c is added: far from int's ends.
  for (int i = 0; i < rows; ++i) sums[i] = is_whole ? number(0) : static_cast<number>(details::wide(c.x[i]));
  number turned = number(0);
  details::repeat<share_a::steps>([&](auto step) {
    number factor = right[share_b::slot_of_b(step)];
    if constexpr (share_b::moves_b) {
      factor = details::from_lane(factor, share_b::lane_of_b(step, in_group), file, line);
    }
    if constexpr (turns) turned = details::multiply_add<signed_a, signed_b>(details::top_bits, factor, turned);
    details::repeat<rows>([&](auto row) {
      constexpr int at = share_a::at_a(row, step);
      const number other = details::from_lane(left[at / N], group + at % N, file, line);
      sums[row] = details::multiply_add<signed_a, signed_b>(other, factor, sums[row]);
    });
  });
  for (int i = 0; i < rows; ++i) {
    if constexpr (is_whole) {
      const long long sum = static_cast<long long>(c.x[i]) + (sums[i] - turned);
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
