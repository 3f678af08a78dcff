// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read before each file of ATen's: AT_DISPATCH_* compile a kernel only for the types of WARPLOOM_ATEN_TYPES
// (c10::ScalarType's names, Float+Half), and throw NotCompiled for others. A kernel for one type is a tenth of a
// file's compile time.
#pragma once

#include "aten/not_compiled.h"

#include <ATen/Dispatch.h>

namespace warploom::torch {

struct Types {
  uint64_t bits = 0;
};
constexpr Types operator+(Types types, c10::ScalarType type) { return {types.bits | uint64_t{1} << int(type)}; }

constexpr bool is_compiled(c10::ScalarType type) {
  using enum c10::ScalarType;
  constexpr Types compiled = Types() + WARPLOOM_ATEN_TYPES;
  return (compiled.bits >> int(type) & 1) != 0;
}

template <c10::ScalarType type>
struct TypeOf {
  using type_t = ::torch::headeronly::impl::ScalarTypeToCPPTypeT<type>;
};

// `call` is generic, so that what it calls is compiled only where it is called.
template <c10::ScalarType type, typename Call>
decltype(auto) for_type(const Call &call) {
  if constexpr (is_compiled(type)) return call(TypeOf<type>{});
}

}  // namespace warploom::torch

#undef AT_PRIVATE_CASE_TYPE_USING_HINT
#define AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, HINT, ...)                  \
  case enum_type: {                                                            \
    if constexpr (::warploom::torch::is_compiled(enum_type)) {                 \
      return ::warploom::torch::for_type<enum_type>([&](auto warploom_tag) {   \
        using HINT [[maybe_unused]] = typename decltype(warploom_tag)::type_t; \
        return __VA_ARGS__();                                                  \
      });                                                                      \
    } else {                                                                   \
      throw ::warploom::torch::NotCompiled();                                  \
    }                                                                          \
  }
