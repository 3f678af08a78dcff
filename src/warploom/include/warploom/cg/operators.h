// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// plus, less, greater, bit_and, bit_or, bit_xor: operators of reductions and scans. less keeps the smaller value,
// greater the larger.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

namespace cooperative_groups {

template <class T>
struct plus {
  __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};

namespace details {

// Is Operator the template Which over any type, such as plus<int>?
template <template <class> class Which, class Operator>
struct is_operator : std::false_type {};
template <template <class> class Which, class T>
struct is_operator<Which, Which<T>> : std::true_type {};

template <template <class> class Which, class Operator>
inline constexpr bool is_operator_v = is_operator<Which, std::remove_cv_t<std::remove_reference_t<Operator>>>::value;

}  // namespace details
}  // namespace cooperative_groups
