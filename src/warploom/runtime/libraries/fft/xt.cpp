// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFT's functions for wide and short types, callbacks and several devices. Data that is spread over devices lies in
// one piece of memory, in its natural order: each device has some of its rows.
#include <cufftXt.h>

#include <algorithm>
#include <map>

#include "../common/refused.h"
#include "handle.h"

using namespace warploom::fft;

namespace {

struct XtType {
  Element element;
  bool is_complex;
};

std::optional<XtType> type_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return XtType{Element::kHalf, false};
    case CUDA_C_16F:
      return XtType{Element::kHalf, true};
    case CUDA_R_16BF:
      return XtType{Element::kBfloat16, false};
    case CUDA_C_16BF:
      return XtType{Element::kBfloat16, true};
    case CUDA_R_32F:
      return XtType{Element::kFloat, false};
    case CUDA_C_32F:
      return XtType{Element::kFloat, true};
    case CUDA_R_64F:
      return XtType{Element::kDouble, false};
    case CUDA_C_64F:
      return XtType{Element::kDouble, true};
    default:
      return std::nullopt;
  }
}

cufftResult set_types(cudaDataType in, cudaDataType out, cudaDataType execution, Request &request) {
  const auto from = type_of(in), to = type_of(out), work = type_of(execution);
  if (!from || !to || !work) return CUFFT_INVALID_TYPE;
  if (from->element != to->element || from->element != work->element) return CUFFT_INVALID_TYPE;
  if (!from->is_complex && !to->is_complex) return CUFFT_INVALID_TYPE;
  request.in = from->element, request.out = to->element;
  request.shape.kind = !from->is_complex ? Kind::kRealToComplex
                       : to->is_complex  ? Kind::kComplex
                                         : Kind::kComplexToReal;
  return CUFFT_SUCCESS;
}

// The sides that callbacks of a type are for.
bool fits(cufftXtCallbackType type, const Recipe &recipe) {
  const Kind kind = recipe.request().shape.kind;
  const bool is_store = type >= CUFFT_CB_ST_COMPLEX;
  const bool is_real = is_store ? kind == Kind::kComplexToReal : kind == Kind::kRealToComplex;
  const int wanted = (is_store ? CUFFT_CB_ST_COMPLEX : 0) + (is_real ? 2 : 0) + (recipe.is_double() ? 1 : 0);
  const Element element = recipe.request().in;
  return type == wanted && (element == Element::kFloat || element == Element::kDouble);
}

cufftResult set_callback(cufftHandle handle, cufftXtCallbackType type, Callback callback) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  const std::lock_guard lock(plan->mutex);
  if (!plan->recipe) return CUFFT_INVALID_PLAN;
  if (type < CUFFT_CB_LD_COMPLEX || type >= CUFFT_CB_UNDEFINED || !fits(type, *plan->recipe)) return CUFFT_INVALID_TYPE;
  Callback load = plan->recipe->load(), store = plan->recipe->store();
  (type >= CUFFT_CB_ST_COMPLEX ? store : load) = callback;
  plan->recipe = std::make_shared<const Recipe>(*plan->recipe, load, store);
  return CUFFT_SUCCESS;
}

size_t bytes_of_value(Element element, bool is_complex) {
  const size_t one = element == Element::kDouble ? 8 : element == Element::kFloat ? 4 : 2;
  return is_complex ? 2 * one : one;
}

// Each side's values and rows; real data has the room of the complex one, as in place.
struct Extent {
  size_t rows, bytes_of_row;
};
Extent extent_of(const Request &request) {
  const Shape &shape = request.shape;
  size_t values = 1;
  for (int axis = 0; axis < shape.rank; ++axis) {
    const bool halved = shape.kind != Kind::kComplex && axis == shape.rank - 1;
    values *= static_cast<size_t>(halved ? shape.length[axis] / 2 + 1 : shape.length[axis]);
  }
  const bool by_batch = shape.batch > 1;
  const size_t rows = static_cast<size_t>(by_batch         ? shape.batch
                                          : shape.rank > 1 ? shape.length[0]
                                                           : static_cast<std::int64_t>(values));
  const size_t all = values * static_cast<size_t>(shape.batch);
  return {rows, all / rows * bytes_of_value(request.in, true)};
}

void fill_descriptor(cudaXtDesc &desc, const Plan &plan, const Extent &extent, char *memory) {
  desc.version = CUDA_XT_DESCRIPTOR_VERSION;
  desc.nGPUs = std::max(1, static_cast<int>(plan.devices.size()));
  const size_t count = static_cast<size_t>(desc.nGPUs);
  for (size_t i = 0, row = 0; i < count; ++i) {
    const size_t rows = extent.rows / count + (i < extent.rows % count ? 1 : 0);
    desc.GPUs[i] = plan.devices.empty() ? 0 : plan.devices[i];
    desc.data[i] = memory + row * extent.bytes_of_row;
    desc.size[i] = rows * extent.bytes_of_row;
    row += rows;
  }
  desc.cudaXtState = nullptr;
}

// Descriptors that cufftXtMalloc has made: what else a program hands over is not looked into.
struct Descriptors {
  std::mutex mutex;
  std::map<const void *, const cudaXtDesc *> made;
};
Descriptors &descriptors() {
  static auto *const result = new Descriptors;  // never destroyed: destructors at exit may still ask
  return *result;
}
bool is_sound(const void *descriptor) {
  const std::lock_guard lock(descriptors().mutex);
  const auto found = descriptors().made.find(descriptor);
  if (found == descriptors().made.end()) return false;
  const cudaXtDesc *const inside = static_cast<const cudaLibXtDesc *>(descriptor)->descriptor;
  return inside == found->second && inside->nGPUs >= 1 && inside->nGPUs <= MAX_CUDA_DESCRIPTOR_GPUS;
}

size_t bytes_of(const cudaLibXtDesc &descriptor) {
  size_t bytes = 0;
  for (int i = 0; i < descriptor.descriptor->nGPUs; ++i) bytes += descriptor.descriptor->size[i];
  return bytes;
}

cufftResult execute_descriptor(const char *function, cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out,
                               int direction) {
  if (!is_sound(in) || !is_sound(out)) return CUFFT_INVALID_VALUE;
  return execute(function, plan, in->descriptor->data[0], out->descriptor->data[0], direction);
}

// Of real data and complex data of an array in a descriptor, or the host's array of real data without gaps.
cufftResult copy_host(const Recipe &recipe, cudaLibXtDesc *descriptor, void *host, bool to_host, cudaStream_t stream) {
  const Shape &shape = recipe.request().shape;
  char *const data = static_cast<char *>(descriptor->descriptor->data[0]);
  const bool is_real = descriptor->subFormat == CUFFT_XT_FORMAT_INPUT ? shape.kind == Kind::kRealToComplex
                                                                      : shape.kind == Kind::kComplexToReal;
  const auto kind = to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
  if (!is_real) {
    const size_t bytes = bytes_of(*descriptor);
    return result_of(cudaMemcpyAsync(to_host ? host : data, to_host ? data : host, bytes, kind, stream));
  }
  const size_t row = static_cast<size_t>(shape.length[shape.rank - 1]) * bytes_of_value(recipe.request().in, false);
  const size_t pitch =
      static_cast<size_t>(shape.length[shape.rank - 1] / 2 + 1) * bytes_of_value(recipe.request().in, true);
  const size_t rows = bytes_of(*descriptor) / pitch;
  return result_of(to_host ? cudaMemcpy2DAsync(host, row, data, pitch, row, rows, kind, stream)
                           : cudaMemcpy2DAsync(data, pitch, host, row, row, rows, kind, stream));
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int *onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t *size,
                                cudaDataType executiontype) {
  Request request;
  if (const auto wrong = set_types(inputtype, outputtype, executiontype, request); wrong != CUFFT_SUCCESS) return wrong;
  const Many<long long> many{rank, n, inembed, istride, idist, onembed, ostride, odist, batch};
  if (const auto wrong = request_of(many, request.shape.kind, request); wrong != CUFFT_SUCCESS) return wrong;
  return make_plan(plan, request, size);
}
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                               long long int istride, long long int idist, cudaDataType inputtype,
                               long long int *onembed, long long int ostride, long long int odist,
                               cudaDataType outputtype, long long int batch, size_t *size, cudaDataType executiontype) {
  if (!find_plan(plan)) return CUFFT_INVALID_PLAN;
  if (size == nullptr) return CUFFT_INVALID_VALUE;
  Request request;
  if (const auto wrong = set_types(inputtype, outputtype, executiontype, request); wrong != CUFFT_SUCCESS) return wrong;
  const Many<long long> many{rank, n, inembed, istride, idist, onembed, ostride, odist, batch};
  if (const auto wrong = request_of(many, request.shape.kind, request); wrong != CUFFT_SUCCESS) return wrong;
  *size = 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction) {
  return execute("cufftXtExec", plan, in, out, direction);
}

cufftResult cufftXtSetCallback(cufftHandle plan, void **routine, cufftXtCallbackType type, void **info) {
  if (routine == nullptr || *routine == nullptr) return CUFFT_INVALID_VALUE;
  return set_callback(plan, type, {*routine, info != nullptr ? *info : nullptr});
}
cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType type) { return set_callback(plan, type, {}); }
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType, size_t size) {
  if (!find_plan(plan)) return CUFFT_INVALID_PLAN;
  if (size == 0) return CUFFT_SUCCESS;
  return WARPLOOM_REFUSE("cufftXtSetCallbackSharedSize", "callbacks get no shared memory", CUFFT_NOT_SUPPORTED);
}

cufftResult cufftXtSetGPUs(cufftHandle handle, int count, int *gpus) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  int there = 0;
  if (gpus == nullptr || count < 1 || count > MAX_CUDA_DESCRIPTOR_GPUS) return CUFFT_INVALID_VALUE;
  if (cudaGetDeviceCount(&there) != cudaSuccess) return CUFFT_INVALID_DEVICE;
  if (std::any_of(gpus, gpus + count, [&](int gpu) { return gpu < 0 || gpu >= there; })) return CUFFT_INVALID_DEVICE;
  const std::lock_guard lock(plan->mutex);
  if (plan->recipe) return CUFFT_INVALID_PLAN;
  plan->devices.assign(gpus, gpus + count);
  return CUFFT_SUCCESS;
}
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **) {
  return find_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, cufftXtWorkAreaPolicy, size_t *) {
  return find_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftXtMalloc(cufftHandle handle, cudaLibXtDesc **descriptor, cufftXtSubFormat format) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan || !plan->recipe) return CUFFT_INVALID_PLAN;
  if (descriptor == nullptr) return CUFFT_INVALID_VALUE;
  const Extent extent = extent_of(plan->recipe->request());
  void *memory = nullptr;
  if (cudaMalloc(&memory, extent.rows * extent.bytes_of_row) != cudaSuccess) return CUFFT_ALLOC_FAILED;
  auto *const made = new cudaLibXtDesc{};
  made->descriptor = new cudaXtDesc{};
  made->library = LIB_FORMAT_CUFFT;
  made->subFormat = format;
  fill_descriptor(*made->descriptor, *plan, extent, static_cast<char *>(memory));
  {
    const std::lock_guard lock(descriptors().mutex);
    descriptors().made.emplace(made, made->descriptor);
  }
  *descriptor = made;
  return CUFFT_SUCCESS;
}
cufftResult cufftXtFree(cudaLibXtDesc *descriptor) {
  if (!is_sound(descriptor)) return CUFFT_INVALID_VALUE;
  {
    const std::lock_guard lock(descriptors().mutex);
    if (descriptors().made.erase(descriptor) == 0) return CUFFT_INVALID_VALUE;
  }
  const cudaError_t error = cudaFree(descriptor->descriptor->data[0]);
  delete descriptor->descriptor;
  delete descriptor;
  return result_of(error);
}
cufftResult cufftXtMemcpy(cufftHandle handle, void *to, void *from, cufftXtCopyType type) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan || !plan->recipe) return CUFFT_INVALID_PLAN;
  if (to == nullptr || from == nullptr) return CUFFT_INVALID_VALUE;
  const bool from_host = type == CUFFT_COPY_HOST_TO_DEVICE, to_host = type == CUFFT_COPY_DEVICE_TO_HOST;
  if ((!from_host && !is_sound(from)) || (!to_host && !is_sound(to))) return CUFFT_INVALID_VALUE;
  cufftResult result = CUFFT_INVALID_VALUE;
  if (from_host) {
    result = copy_host(*plan->recipe, static_cast<cudaLibXtDesc *>(to), from, false, plan->stream);
  } else if (to_host) {
    result = copy_host(*plan->recipe, static_cast<cudaLibXtDesc *>(from), to, true, plan->stream);
  } else if (type == CUFFT_COPY_DEVICE_TO_DEVICE) {
    const auto *const source = static_cast<cudaLibXtDesc *>(from);
    const auto *const target = static_cast<cudaLibXtDesc *>(to);
    const size_t bytes = std::min(bytes_of(*source), bytes_of(*target));
    result = result_of(cudaMemcpyAsync(target->descriptor->data[0], source->descriptor->data[0], bytes,
                                       cudaMemcpyDeviceToDevice, plan->stream));
  }
  return result == CUFFT_SUCCESS ? result_of(cudaStreamSynchronize(plan->stream)) : result;
}

#define EXECUTE(NAME)                                                                        \
  cufftResult NAME(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction) { \
    return execute_descriptor(#NAME, plan, in, out, direction);                              \
  }
EXECUTE(cufftXtExecDescriptor)
EXECUTE(cufftXtExecDescriptorC2C)
EXECUTE(cufftXtExecDescriptorZ2Z)
#undef EXECUTE
#define EXECUTE(NAME)                                                         \
  cufftResult NAME(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out) { \
    return execute_descriptor(#NAME, plan, in, out, CUFFT_FORWARD);           \
  }
EXECUTE(cufftXtExecDescriptorR2C)
EXECUTE(cufftXtExecDescriptorC2R)
EXECUTE(cufftXtExecDescriptorD2Z)
EXECUTE(cufftXtExecDescriptorZ2D)
#undef EXECUTE

}  // extern "C"
#pragma GCC visibility pop
