// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results from the states of pseudo-random generators.
#pragma once

#include <cmath>
#include <cstddef>

#include "curand_kernel.h"
#include "engine.h"
#include "mersenne.h"

namespace warploom::curand {

// What makes some results at a time from one stream: one, a pair of normal numbers.
template <class State>
struct Draw {
  static void bits(State &state, unsigned *out) { out[0] = ::curand(&state); }
  static void uniform(State &state, float *out) { out[0] = curand_uniform(&state); }
  static void uniform(State &state, double *out) { out[0] = curand_uniform_double(&state); }
  static void normal(State &state, float *out) { put(curand_normal2(&state), out); }
  static void normal(State &state, double *out) { put(curand_normal2_double(&state), out); }
  static void poisson(State &state, double mean, unsigned *out) { out[0] = curand::poisson(&state, mean); }
  static constexpr std::size_t kSingles = 1, kNormals = 2;

 private:
  template <class Pair, class T>
  static void put(Pair pair, T *out) {
    out[0] = pair.x;
    out[1] = pair.y;
  }
};

// Philox makes four.
template <>
struct Draw<curandStatePhilox4_32_10> {
  using State = curandStatePhilox4_32_10;
  static void bits(State &state, unsigned *out) { put(curand4(&state), out); }
  static void uniform(State &state, float *out) { put(curand_uniform4(&state), out); }
  static void uniform(State &state, double *out) { put(curand_uniform4_double(&state), out); }
  static void normal(State &state, float *out) { put(curand_normal4(&state), out); }
  static void normal(State &state, double *out) { put(curand_normal4_double(&state), out); }
  static void poisson(State &state, double mean, unsigned *out) { put(curand_poisson4(&state, mean), out); }
  static constexpr std::size_t kSingles = 4, kNormals = 4;

 private:
  template <class Four, class T>
  static void put(Four four, T *out) {
    out[0] = four.x;
    out[1] = four.y;
    out[2] = four.z;
    out[3] = four.w;
  }
};

// The Mersenne twisters: one number of 32 bits for each result, normal ones by the inverse of the distribution
// function. `kHalves`: of 2^-32, what is added to a double.
template <class State, int kHalves>
struct DrawOne {
  static void bits(State &state, unsigned *out) { out[0] = state.next(); }
  static void uniform(State &state, float *out) { out[0] = unit_float(state.next()); }
  static void uniform(State &state, double *out) { out[0] = unit(state); }
  static void normal(State &state, float *out) { out[0] = static_cast<float>(sobol_normal(state.next())); }
  static void normal(State &state, double *out) { out[0] = sobol_normal(state.next()); }
  static void poisson(State &state, double mean, unsigned *out) { out[0] = poisson_inverse(unit(state), mean); }
  static constexpr std::size_t kSingles = 1, kNormals = 1;

 private:
  static double unit(State &state) { return state.next() * 0x1p-32 + kHalves * 0x1p-33; }
};
template <>
struct Draw<TwisterNumber> : DrawOne<TwisterNumber, 1> {};
template <>
struct Draw<Mtgp> : DrawOne<Mtgp, 2> {};

template <class T>
T scaled(T value, double mean, double deviation) {
  return static_cast<T>(mean) + static_cast<T>(deviation) * value;
}

// Calls fill<results at a time>(out, make) for what is asked for; make(state, at) writes so many results to `at`.
template <class State, class Fill>
void draw(const Request &request, const Fill &fill) {
  constexpr std::size_t kSingles = Draw<State>::kSingles, kNormals = Draw<State>::kNormals;
  void *const out = request.out;
  const double mean = request.mean, deviation = request.deviation;
  const auto uniform = [](State &state, auto *out) { Draw<State>::uniform(state, out); };
  const auto normal = [=](State &state, auto *out) {
    Draw<State>::normal(state, out);
    for (std::size_t i = 0; i < Draw<State>::kNormals; ++i) out[i] = scaled(out[i], mean, deviation);
  };
  const auto log_normal = [=](State &state, auto *out) {
    normal(state, out);
    for (std::size_t i = 0; i < Draw<State>::kNormals; ++i) out[i] = std::exp(out[i]);
  };
  switch (request.kind) {
    case Kind::kBits:
      return fill.template operator()<kSingles>(static_cast<unsigned *>(out),
                                                [](State &state, unsigned *out) { Draw<State>::bits(state, out); });
    case Kind::kUniform:
      return fill.template operator()<kSingles>(static_cast<float *>(out), uniform);
    case Kind::kUniformDouble:
      return fill.template operator()<kSingles>(static_cast<double *>(out), uniform);
    case Kind::kNormal:
      return fill.template operator()<kNormals>(static_cast<float *>(out), normal);
    case Kind::kNormalDouble:
      return fill.template operator()<kNormals>(static_cast<double *>(out), normal);
    case Kind::kLogNormal:
      return fill.template operator()<kNormals>(static_cast<float *>(out), log_normal);
    case Kind::kLogNormalDouble:
      return fill.template operator()<kNormals>(static_cast<double *>(out), log_normal);
    case Kind::kPoisson:
      return fill.template operator()<kSingles>(
          static_cast<unsigned *>(out), [=](State &state, unsigned *out) { Draw<State>::poisson(state, mean, out); });
    case Kind::kLongBits:
      break;  // refused before
  }
}

}  // namespace warploom::curand
