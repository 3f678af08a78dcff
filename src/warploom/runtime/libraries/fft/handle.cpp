// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handle.h"

#include <new>
#include <unordered_map>

#include "../common/stream_work.h"

namespace warploom::fft {

namespace {

struct Table {
  std::mutex mutex;
  cufftHandle last = 0;
  std::unordered_map<cufftHandle, std::shared_ptr<Plan>> plans;
};

Table &table() {
  static auto *const result = new Table;  // never destroyed: destructors at exit may still ask
  return *result;
}

constexpr int kMostAxes = 3;

template <class I>
void lay_out(const Many<I> &many, const I *embed, I stride, I distance, Layout &layout) {
  std::int64_t step = stride;
  for (int axis = many.rank - 1; axis >= 0; --axis) {
    layout.stride[axis] = step;
    step *= embed[axis];
  }
  layout.distance = distance;
}

// Whether lines of `embed` hold the transform's; `half`: of real data.
template <class I>
bool has_room(const Many<I> &many, const I *embed, bool half) {
  for (int axis = 1; axis < many.rank; ++axis) {
    const I values = half && axis == many.rank - 1 ? many.n[axis] / 2 + 1 : many.n[axis];
    if (embed[axis] < values) return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<Plan> find_plan(cufftHandle handle) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().plans.find(handle);
  return found == table().plans.end() ? nullptr : found->second;
}

cufftHandle add_plan(std::shared_ptr<Plan> plan) {
  const std::lock_guard lock(table().mutex);
  table().plans.emplace(++table().last, std::move(plan));
  return table().last;
}

bool remove_plan(cufftHandle handle) {
  const std::lock_guard lock(table().mutex);
  return table().plans.erase(handle) != 0;
}

cufftResult set_type(cufftType type, Request &request) {
  switch (type) {
    case CUFFT_C2C:
    case CUFFT_Z2Z:
      request.shape.kind = Kind::kComplex;
      break;
    case CUFFT_R2C:
    case CUFFT_D2Z:
      request.shape.kind = Kind::kRealToComplex;
      break;
    case CUFFT_C2R:
    case CUFFT_Z2D:
      request.shape.kind = Kind::kComplexToReal;
      break;
    default:
      return CUFFT_INVALID_TYPE;
  }
  const bool is_double = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
  request.in = request.out = is_double ? Element::kDouble : Element::kFloat;
  return CUFFT_SUCCESS;
}

template <class I>
cufftResult request_of(const Many<I> &many, Kind kind, Request &request) {
  if (many.rank < 1 || many.rank > kMostAxes || many.n == nullptr) return CUFFT_INVALID_VALUE;
  request.shape.kind = kind;
  request.shape.rank = many.rank;
  for (int axis = 0; axis < many.rank; ++axis) {
    if (many.n[axis] <= 0) return CUFFT_INVALID_SIZE;
    request.shape.length[axis] = many.n[axis];
  }
  if (many.batch <= 0) return CUFFT_INVALID_SIZE;
  request.shape.batch = many.batch;
  request.has_basic_layout = many.inembed == nullptr && many.onembed == nullptr;
  if (request.has_basic_layout) {
    request.shape = packed(request.shape);
    return CUFFT_SUCCESS;
  }
  if (many.inembed == nullptr || many.onembed == nullptr) return CUFFT_INVALID_VALUE;
  if (many.istride <= 0 || many.ostride <= 0) return CUFFT_INVALID_VALUE;
  if (many.batch > 1 && (many.idist < 0 || many.odist <= 0)) return CUFFT_INVALID_VALUE;
  if (!has_room(many, many.inembed, kind == Kind::kComplexToReal) ||
      !has_room(many, many.onembed, kind == Kind::kRealToComplex))
    return CUFFT_INTERNAL_ERROR;
  lay_out(many, many.inembed, many.istride, many.idist, request.shape.in);
  lay_out(many, many.onembed, many.ostride, many.odist, request.shape.out);
  return CUFFT_SUCCESS;
}
template cufftResult request_of(const Many<int> &many, Kind kind, Request &request);
template cufftResult request_of(const Many<long long> &many, Kind kind, Request &request);

cufftResult make_plan(cufftHandle handle, const Request &request, std::size_t *size) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  const std::lock_guard lock(plan->mutex);
  if (plan->recipe) return CUFFT_INVALID_PLAN;
  try {
    plan->recipe = std::make_shared<const Recipe>(request);
  } catch (const std::bad_alloc &) {
    return CUFFT_ALLOC_FAILED;
  }
  const std::size_t devices = plan->devices.empty() ? 1 : plan->devices.size();
  for (std::size_t i = 0; size != nullptr && i < devices; ++i) size[i] = 0;
  return CUFFT_SUCCESS;
}

cufftResult result_of(cudaError_t error) {
  if (error == cudaSuccess) return CUFFT_SUCCESS;
  return error == cudaErrorMemoryAllocation ? CUFFT_ALLOC_FAILED : CUFFT_EXEC_FAILED;
}

cufftResult execute(const char *function, cufftHandle handle, void *in, void *out, int direction) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  std::unique_lock lock(plan->mutex);
  const std::shared_ptr<const Recipe> recipe = plan->recipe;
  const cudaStream_t stream = plan->stream;
  lock.unlock();
  if (!recipe) return CUFFT_INVALID_PLAN;
  const bool has_direction = recipe->request().shape.kind == Kind::kComplex;
  if (has_direction && direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
  const bool inverse = direction == CUFFT_INVERSE;
  return result_of(libraries::enqueue(stream, function, recipe->nanoseconds(),
                                      [recipe, in, out, inverse] { recipe->run(in, out, inverse); }));
}

}  // namespace warploom::fft
