// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc replaces the type of an extended lambda by one of its own, and tells of it by these. clang keeps the type: a
// lambda can be called wherever its attributes say, and its return type is known on the host, so that each counts as
// one for host and device. A lambda for the host alone does, too: its attributes are no part of its type.
#pragma once

#if defined(__cplusplus)
namespace warploom_detail {

// Whether T is the type of a lambda expression, by the name that clang has for such.
template <typename T>
constexpr bool is_lambda() {
  constexpr const char *name = __PRETTY_FUNCTION__;  // "... [T = (lambda at FILE:LINE:COLUMN)]"
  constexpr const char *mark = "[T = (lambda at ";
  for (const char *from = name; *from; ++from) {
    int length = 0;
    while (mark[length] && from[length] == mark[length]) ++length;
    if (!mark[length]) return true;
  }
  return false;
}

}  // namespace warploom_detail
#endif

#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) (warploom_detail::is_lambda<__VA_ARGS__>())
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
