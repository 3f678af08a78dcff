// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::invoke and std::apply for what only the device may call. The host's ask type traits about it; these stand
// outside of any function, where clang takes no __device__ function, and before C++20 std::invoke is no constexpr.
// Where both can be called, the device prefers its own.
#pragma once
#pragma GCC system_header

#include <cstddef>
#include <type_traits>
#include <utility>

namespace std {

template <typename T>
class reference_wrapper;

template <typename T>
inline constexpr bool __warploom_wraps = false;
template <typename T>
inline constexpr bool __warploom_wraps<reference_wrapper<T>> = true;

// The object that a member is taken of: given itself, by a reference_wrapper, or by a pointer.
template <typename Class, typename Object>
__device__ constexpr decltype(auto) __warploom_object(Object &&object) {
  if constexpr (is_base_of_v<Class, decay_t<Object>>) {
    return static_cast<Object &&>(object);
  } else if constexpr (__warploom_wraps<decay_t<Object>>) {
    return object.get();
  } else {
    return *static_cast<Object &&>(object);
  }
}

template <typename Class, typename Member, typename Object, typename... Arguments>
__device__ constexpr decltype(auto) __warploom_invoke_member(Member Class::*member, Object &&object,
                                                             Arguments &&...arguments) {
  if constexpr (is_function_v<Member>) {
    return (__warploom_object<Class>(static_cast<Object &&>(object)).*member)(static_cast<Arguments &&>(arguments)...);
  } else {
    return (__warploom_object<Class>(static_cast<Object &&>(object)).*member);
  }
}

template <typename F, typename... Arguments>
__device__ constexpr decltype(auto) __warploom_invoke(F &&f, Arguments &&...arguments) {
  if constexpr (is_member_pointer_v<decay_t<F>>) {
    return std::__warploom_invoke_member(f, static_cast<Arguments &&>(arguments)...);
  } else {
    return static_cast<F &&>(f)(static_cast<Arguments &&>(arguments)...);
  }
}

template <typename F, typename Tuple, size_t... places>
__device__ constexpr decltype(auto) __warploom_apply(F &&f, Tuple &&tuple, index_sequence<places...>) {
  return std::__warploom_invoke(static_cast<F &&>(f), get<places>(static_cast<Tuple &&>(tuple))...);
}

}  // namespace std
