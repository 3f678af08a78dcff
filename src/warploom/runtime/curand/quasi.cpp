// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sobol's sequences: all numbers of dimension 1, then all of dimension 2, and so on, as cuRAND documents.
#include <algorithm>
#include <cmath>

#include "curand_kernel.h"
#include "directions.h"
#include "engine.h"

namespace warploom::curand {
namespace {

constexpr std::size_t kStrip = 4096;

template <class Word, int kBits>
class Sobol : public Engine {
 public:
  // `shifts` is null when nothing is scrambled.
  Sobol(const Options &options, const Word (*vectors)[kBits], const Word *shifts)
      : at_(static_cast<Word>(options.offset)), dimensions_(options.dimensions), vectors_(vectors), shifts_(shifts) {}

  void generate(const Request &request) override {
    const double mean = request.mean, deviation = request.deviation;
    switch (request.kind) {
      case Kind::kBits:
      case Kind::kLongBits:
        return fill<Word>(request, [](Word x) { return x; });
      case Kind::kUniform:
        return fill<float>(request, [](Word x) { return sobol_unit_float(x); });
      case Kind::kUniformDouble:
        return fill<double>(request, [](Word x) { return sobol_uniform(x); });
      case Kind::kNormal:
        return fill<float>(request, [=](Word x) { return normal<float>(x, mean, deviation); });
      case Kind::kNormalDouble:
        return fill<double>(request, [=](Word x) { return normal<double>(x, mean, deviation); });
      case Kind::kLogNormal:
        return fill<float>(request, [=](Word x) { return std::exp(normal<float>(x, mean, deviation)); });
      case Kind::kLogNormalDouble:
        return fill<double>(request, [=](Word x) { return std::exp(normal<double>(x, mean, deviation)); });
      case Kind::kPoisson:
        return fill<unsigned>(request, [=](Word x) { return poisson_inverse(sobol_unit(x), mean); });
    }
  }

 private:
  template <class T>
  static T normal(Word x, double mean, double deviation) {
    return static_cast<T>(mean) + static_cast<T>(deviation) * static_cast<T>(sobol_normal(x));
  }

  template <class T, class Make>
  void fill(const Request &request, const Make &make) {
    const std::size_t points = request.count / dimensions_, strips = (points + kStrip - 1) / kStrip;
    T *const out = static_cast<T *>(request.out);
    in_pieces(strips * dimensions_, request.count, [&](std::size_t first, std::size_t last) {
      for (std::size_t piece = first; piece < last; ++piece) {
        const std::size_t dimension = piece / strips, begin = piece % strips * kStrip;
        sobol<Word, kBits> state;
        sobol_init(&state, vectors_[dimension], shifts_ == nullptr ? Word{0} : shifts_[dimension],
                   static_cast<Word>(at_ + begin));
        T *const row = out + dimension * points;
        for (std::size_t i = begin; i < std::min(begin + kStrip, points); ++i) row[i] = make(sobol_next(&state));
      }
    });
    at_ += static_cast<Word>(points);
  }

  Word at_;
  unsigned dimensions_;
  const Word (*vectors_)[kBits];
  const Word *shifts_;
};

}  // namespace

std::unique_ptr<Engine> make_quasi(const Options &options) {
  switch (options.type) {
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
      return std::make_unique<Sobol<unsigned, 32>>(options, direction_vectors32(false), nullptr);
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
      return std::make_unique<Sobol<unsigned, 32>>(options, direction_vectors32(true), shifts32());
    case CURAND_RNG_QUASI_SOBOL64:
      return std::make_unique<Sobol<unsigned long long, 64>>(options, direction_vectors64(false), nullptr);
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      return std::make_unique<Sobol<unsigned long long, 64>>(options, direction_vectors64(true), shifts64());
    default:
      return nullptr;
  }
}

}  // namespace warploom::curand
