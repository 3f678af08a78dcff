// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuRAND's host API. A generator for the device fills its memory in the order of its stream.
#include "curand.h"

#include <cmath>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "../curand/directions.h"
#include "../curand/engine.h"
#include "curand_kernel.h"
#include "stream.h"

struct curandGenerator_st {
  warploom::curand::Options options;
  bool on_host;
  cudaStream_t stream = nullptr;
  std::shared_ptr<warploom::curand::Engine> engine;  // made when it is first needed
};

namespace warploom::curand {
namespace {

struct Generators {
  std::mutex mutex;
  std::set<curandGenerator_t> alive;
};

Generators &generators() {
  static auto *const result = new Generators;  // never destroyed: destructors at exit may still ask
  return *result;
}

bool is_alive(curandGenerator_t generator) {
  const std::lock_guard lock(generators().mutex);
  return generators().alive.contains(generator);
}

bool is_quasi(curandRngType_t type) { return type >= CURAND_RNG_QUASI_DEFAULT; }
bool has_offset(curandRngType_t type) { return type != CURAND_RNG_PSEUDO_MTGP32 && type != CURAND_RNG_PSEUDO_MT19937; }
bool is_64_bit(curandRngType_t type) {
  return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}
bool is_type(curandRngType_t type) {
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MTGP32:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
      return true;
    default:
      return false;
  }
}

curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (!is_type(type)) return CURAND_STATUS_TYPE_ERROR;
  auto made = std::make_unique<curandGenerator_st>();
  made->options.type = type;
  made->options.order = is_quasi(type) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
  made->on_host = on_host;
  const std::lock_guard lock(generators().mutex);
  generators().alive.insert(made.get());
  *generator = made.release();
  return CURAND_STATUS_SUCCESS;
}

// Changes an option; the generator starts anew.
template <class Change>
curandStatus_t configure(curandGenerator_t generator, const Change &change) {
  if (!is_alive(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  const curandStatus_t status = change(generator->options);
  if (status == CURAND_STATUS_SUCCESS) generator->engine.reset();
  return status;
}

void ready(curandGenerator_t generator) {
  if (generator->engine != nullptr) return;
  const Options &options = generator->options;
  generator->engine = is_quasi(options.type) ? make_quasi(options) : make_pseudo(options);
}

curandStatus_t refusal(const Options &options, const Request &request) {
  if (request.count != 0 && request.out == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  const bool words = request.kind == Kind::kBits || request.kind == Kind::kLongBits;
  if (words && is_64_bit(options.type) != (request.kind == Kind::kLongBits)) return CURAND_STATUS_TYPE_ERROR;
  if (is_quasi(options.type)) {
    return request.count % options.dimensions == 0 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  }
  const bool pairs = request.kind >= Kind::kNormal && request.kind <= Kind::kLogNormalDouble;
  return pairs && request.count % 2 != 0 ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : CURAND_STATUS_SUCCESS;
}

curandStatus_t generate(curandGenerator_t generator, const Request &request) {
  if (!is_alive(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  if (const curandStatus_t status = refusal(generator->options, request); status != CURAND_STATUS_SUCCESS) {
    return status;
  }
  if (request.count == 0) return CURAND_STATUS_SUCCESS;
  try {
    ready(generator);
    if (generator->on_host) {
      generator->engine->generate(request);
      return CURAND_STATUS_SUCCESS;
    }
  } catch (const std::bad_alloc &) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  }
  if (device_fault() != cudaSuccess) return CURAND_STATUS_PREEXISTING_FAILURE;
  const cudaError_t error = stream_call(generator->stream, [&](CUstream_st *stream) {
    return submit(stream, cudaGraphNodeTypeHost, [engine = generator->engine, request] {
      engine->generate(request);
      return cudaSuccess;
    });
  });
  return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

// A distribution with its table.
struct Distribution : curandDiscreteDistribution_st {
  std::vector<double> table;
};

std::unique_ptr<Distribution> poisson_table(double mean) {
  auto made = std::make_unique<Distribution>();
  const double spread = 10 * std::sqrt(mean) + 40, low = std::max(0.0, std::floor(mean - spread));
  double sum = 0;
  for (double k = low; k <= mean + spread; ++k) {
    sum += std::exp(k * std::log(mean) - mean - std::lgamma(k + 1));
    made->table.push_back(sum);
  }
  for (double &value : made->table) value /= sum;
  made->table.back() = 1;
  made->first = static_cast<unsigned>(low);
  made->count = static_cast<unsigned>(made->table.size());
  made->cumulative = made->table.data();
  return made;
}

}  // namespace
}  // namespace warploom::curand

using namespace warploom::curand;

#pragma GCC visibility push(default)
extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type) {
  return create(generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type) {
  return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  const std::lock_guard lock(generators().mutex);
  if (generators().alive.erase(generator) == 0) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = CURAND_VERSION;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value) {
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
  constexpr int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
  *value = parts[type];
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  if (!is_alive(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed) {
  return configure(generator, [seed](Options &options) {
    if (is_quasi(options.type)) return CURAND_STATUS_TYPE_ERROR;
    options.seed = seed;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  return configure(generator, [offset](Options &options) {
    if (!has_offset(options.type)) return CURAND_STATUS_TYPE_ERROR;
    options.offset = offset;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order) {
  return configure(generator, [order](Options &options) {
    const bool quasi = order == CURAND_ORDERING_QUASI_DEFAULT;
    if (!quasi && (order < CURAND_ORDERING_PSEUDO_BEST || order > CURAND_ORDERING_PSEUDO_DYNAMIC)) {
      return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (quasi != is_quasi(options.type)) return CURAND_STATUS_OUT_OF_RANGE;
    const bool xorwow = options.type == CURAND_RNG_PSEUDO_DEFAULT || options.type == CURAND_RNG_PSEUDO_XORWOW;
    if (order == CURAND_ORDERING_PSEUDO_SEEDED && !xorwow) return CURAND_STATUS_OUT_OF_RANGE;
    const bool twister = options.type == CURAND_RNG_PSEUDO_MT19937;
    if (order == CURAND_ORDERING_PSEUDO_DYNAMIC && twister) return CURAND_STATUS_OUT_OF_RANGE;
    options.order = order;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int count) {
  return configure(generator, [count](Options &options) {
    if (!is_quasi(options.type)) return CURAND_STATUS_TYPE_ERROR;
    if (count == 0 || count > kDimensions) return CURAND_STATUS_OUT_OF_RANGE;
    options.dimensions = count;
    return CURAND_STATUS_SUCCESS;
  });
}

curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  if (!is_alive(generator)) return CURAND_STATUS_NOT_INITIALIZED;
  try {
    ready(generator);
  } catch (const std::bad_alloc &) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  }
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t count) {
  return generate(generator, {Kind::kBits, out, count});
}
curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *out, size_t count) {
  return generate(generator, {Kind::kLongBits, out, count});
}
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t count) {
  return generate(generator, {Kind::kUniform, out, count});
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t count) {
  return generate(generator, {Kind::kUniformDouble, out, count});
}
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean,
                                    float deviation) {
  return generate(generator, {Kind::kNormal, out, count, mean, deviation});
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
                                          double deviation) {
  return generate(generator, {Kind::kNormalDouble, out, count, mean, deviation});
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count, float mean,
                                       float deviation) {
  return generate(generator, {Kind::kLogNormal, out, count, mean, deviation});
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
                                             double deviation) {
  return generate(generator, {Kind::kLogNormalDouble, out, count, mean, deviation});
}
curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *out, size_t count, double lambda) {
  if (!(lambda > 0) || lambda > 400000) return CURAND_STATUS_OUT_OF_RANGE;
  return generate(generator, {Kind::kPoisson, out, count, lambda});
}

curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *distribution) {
  if (distribution == nullptr || !(lambda > 0) || lambda > 400000) return CURAND_STATUS_OUT_OF_RANGE;
  try {
    *distribution = poisson_table(lambda).release();
  } catch (const std::bad_alloc &) {
    return CURAND_STATUS_ALLOCATION_FAILED;
  }
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t distribution) {
  delete static_cast<Distribution *>(distribution);
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[], curandDirectionVectorSet_t set) {
  const bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6;
  if (vectors == nullptr || (!scrambled && set != CURAND_DIRECTION_VECTORS_32_JOEKUO6)) {
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  *vectors = direction_vectors32(scrambled);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[], curandDirectionVectorSet_t set) {
  const bool scrambled = set == CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6;
  if (vectors == nullptr || (!scrambled && set != CURAND_DIRECTION_VECTORS_64_JOEKUO6)) {
    return CURAND_STATUS_OUT_OF_RANGE;
  }
  *vectors = direction_vectors64(scrambled);
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants32(unsigned int **constants) {
  if (constants == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *constants = shifts32();
  return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetScrambleConstants64(unsigned long long **constants) {
  if (constants == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *constants = shifts64();
  return CURAND_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
