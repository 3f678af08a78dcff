// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pseudo-random generators. Each is a set of streams that are read in turn: cuRAND documents result n to be number
// n / 4096 of subsequence n mod 4096 for XORWOW and MRG32k3a, for Philox four numbers at a time from 65,536
// subsequences, for MTGP32 256 at a time from 64 sequences. Unless CURAND_ORDERING_PSEUDO_LEGACY is asked for, cuRAND
// has 81,920 subsequences of MRG32k3a, and 192 sequences of MTGP32 (measured on an H200, cuRAND of CUDA 13). The
// streams themselves run on several processors.
#include <algorithm>
#include <vector>

#include "curand_kernel.h"
#include "draw.h"
#include "engine.h"
#include "mersenne.h"

namespace warploom::curand {
namespace {

template <class State>
class Interleaved : public Engine {
 public:
  // `run`: how many results in a row come from one stream, at least; `taken`: of the next stream's, how many have been
  // read.
  Interleaved(std::vector<State> streams, std::size_t next, std::size_t run, std::size_t taken = 0)
      : streams_(std::move(streams)), next_(next), run_(run), taken_(taken) {}

  void generate(const Request &request) override {
    draw<State>(request, [&]<std::size_t kResults, class T>(T *out, const auto &make) {
      fill<T, kResults>(out, request.count, make);
    });
  }

 private:
  template <class T, std::size_t kResults, class Make>
  void fill(T *out, std::size_t results, const Make &make) {
    const std::size_t run = std::max(run_, kResults), begin = taken_, end = begin + results;
    const std::size_t runs = (end + run - 1) / run, count = streams_.size();
    in_pieces(std::min(runs, count), results, [&](std::size_t first, std::size_t last) {
      for (std::size_t round = 0; round + first < runs; round += count) {
        for (std::size_t at = round + first; at < std::min(round + last, runs); ++at) {
          const std::size_t from = at == 0 ? begin : 0, to = std::min(run, end - at * run);
          put<T, kResults>(streams_[(next_ + at) % count], out + (at * run + from - begin), from, to, make);
        }
      }
    });
    next_ = (next_ + end / run) % count;
    taken_ = end % run;
  }

  // Results `from` to `to` of a run. Those that are made together with the last one are made again by the next call.
  template <class T, std::size_t kResults, class Make>
  static void put(State &stream, T *out, std::size_t from, std::size_t to, const Make &make) {
    for (std::size_t at = from - from % kResults; at < to; at += kResults) {
      if (at >= from && at + kResults <= to) {
        make(stream, out + (at - from));
        continue;
      }
      const State before = stream;
      T some[kResults];
      make(stream, some);
      const std::size_t first = std::max(at, from), last = std::min(at + kResults, to);
      std::copy(some + (first - at), some + (last - at), out + (first - from));
      if (last < at + kResults) stream = before;
    }
  }

  std::vector<State> streams_;
  std::size_t next_;
  std::size_t run_;
  std::size_t taken_;
};

// Seeds that have nothing to do with each other: the finaliser of splitmix64 (Steele et al., 2014).
unsigned long long mixed(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

// Subsequences of one sequence; with CURAND_ORDERING_PSEUDO_SEEDED one sequence a stream, each of its own seed.
template <class State, class ToNext>
std::unique_ptr<Engine> subsequences(const Options &options, std::size_t count, std::size_t unit, ToNext to_next) {
  const unsigned long long start = options.offset / unit, skipped = start / count;
  std::vector<State> streams(count);
  const bool seeded = options.order == CURAND_ORDERING_PSEUDO_SEEDED;
  State current;
  curand_init(options.seed, 0, skipped * unit, &current);
  for (std::size_t i = 0; i < count; ++i) {
    if (seeded) {
      curand_init(mixed(options.seed + i), 0, skipped * unit, &streams[i]);
    } else {
      streams[i] = current;
      to_next(&current);
    }
    if (i < start % count) skipahead(unit, &streams[i]);
  }
  return std::make_unique<Interleaved<State>>(std::move(streams), start % count, unit, options.offset % unit);
}

// The states that curandMakeMTGP32KernelState makes.
std::unique_ptr<Engine> mtgp(const Options &options) {
  const unsigned count = options.order == CURAND_ORDERING_PSEUDO_LEGACY ? 64 : 192;
  std::vector<Mtgp> streams;
  for (unsigned i = 0; i < count; ++i)
    streams.emplace_back(mtgp32dc_params_fast_11213[i], mtgp_seed_of(options.seed, i));
  return std::make_unique<Interleaved<Mtgp>>(std::move(streams), 0, 256);
}

}  // namespace

std::unique_ptr<Engine> make_pseudo(const Options &options) {
  const auto next_sequence = [](auto *state) { skipahead_sequence(1, state); };
  switch (options.type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
      return subsequences<curandStateXORWOW>(options, 4096, 1, next_sequence);
    case CURAND_RNG_PSEUDO_MRG32K3A:
      return subsequences<curandStateMRG32k3a>(options, options.order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096 : 81920,
                                               1, [](curandStateMRG32k3a *state) { skipahead_subsequence(1, state); });
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      return subsequences<curandStatePhilox4_32_10>(options, 65536, 4, next_sequence);
    case CURAND_RNG_PSEUDO_MT19937:
      return mersenne_twister(static_cast<unsigned>(options.seed));  // the seed's lower half
    case CURAND_RNG_PSEUDO_MTGP32:
      return mtgp(options);
    default:
      return nullptr;
  }
}

}  // namespace warploom::curand
