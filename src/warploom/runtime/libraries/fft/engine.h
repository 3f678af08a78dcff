// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms of arrays in memory: what is common to the code for each kind of processor.
//
// A transform has up to three axes; elements lie `stride` apart from their neighbours along each, and `batch` of them
// lie `distance` apart. Lengths are those of the real data for real transforms, whose last axis has n / 2 + 1 complex
// values on the complex side. Nothing is scaled.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace warploom::fft {

enum class Kind : std::uint8_t { kComplex, kRealToComplex, kComplexToReal };

// Where the elements of one side lie; strides count elements of that side: complex ones, or real ones.
struct Layout {
  std::array<std::int64_t, 3> stride{};
  std::int64_t distance = 0;  // between transforms
};

struct Shape {
  Kind kind = Kind::kComplex;
  int rank = 1;
  std::array<std::int64_t, 3> length{1, 1, 1};
  std::int64_t batch = 1;
  Layout in, out;
};

// Runs body(begin, end) on pieces that cover [0, count), side by side where there is who can; returns when all are
// done.
using Body = std::function<void(std::int64_t begin, std::int64_t end)>;
using Spread = std::function<void(std::int64_t count, const Body &body)>;

// A planned transform; it may run on several threads at once.
class Transform {
 public:
  virtual ~Transform() = default;
  // `in` and `out` may be the same; else they do not overlap. `inverse` matters to complex transforms only.
  virtual void run(void *in, void *out, bool inverse, const Spread &spread) const = 0;
};

template <class T>
std::unique_ptr<Transform> plan(const Shape &shape);  // for this processor; T: float or double

// exp(-2 pi i k / n), right to the last bit or nearly; 0 <= k < n.
void root_of_unity(std::int64_t k, std::int64_t n, double &cosine, double &sine);

// The prime factors of n in ascending order.
std::vector<std::int64_t> prime_factors(std::int64_t n);

}  // namespace warploom::fft
