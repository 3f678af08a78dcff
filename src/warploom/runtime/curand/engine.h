// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generators behind cuRAND's host API.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "curand.h"

namespace warploom::curand {

enum class Kind {
  kBits,
  kLongBits,
  kUniform,
  kUniformDouble,
  kNormal,
  kNormalDouble,
  kLogNormal,
  kLogNormalDouble,
  kPoisson
};

// What one call asks for. `mean` is a Poisson distribution's, too.
struct Request {
  Kind kind;
  void *out;
  std::size_t count;
  double mean = 0;
  double deviation = 1;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Writes the next numbers. The request has been checked.
  virtual void generate(const Request &request) = 0;
};

struct Options {
  curandRngType_t type;
  unsigned long long seed = 0;
  unsigned long long offset = 0;
  curandOrdering_t order = CURAND_ORDERING_PSEUDO_DEFAULT;
  unsigned dimensions = 1;
};

// Null when there is no generator of that type.
std::unique_ptr<Engine> make_pseudo(const Options &options);
std::unique_ptr<Engine> make_quasi(const Options &options);

// body(first, last) for pieces of 0 .. count, on several processors when `work` numbers are worth it.
void in_pieces(std::size_t count, std::size_t work, const std::function<void(std::size_t, std::size_t)> &body);

}  // namespace warploom::curand
