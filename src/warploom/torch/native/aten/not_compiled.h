// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thrown where a kernel of ATen's is asked for a type that it was not compiled for.
#pragma once

#include <exception>

namespace warploom::torch {

class NotCompiled : public std::exception {
 public:
  const char *what() const noexcept override { return "this kernel was not compiled for this type"; }
};

}  // namespace warploom::torch
