// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuFFT's functions for one device.
#include <cufftXt.h>

#include "handle.h"

using namespace warploom::fft;

namespace {

template <class I>
cufftResult make_many(cufftHandle plan, const Many<I> &many, cufftType type, size_t *size) {
  Request request;
  if (const cufftResult wrong = set_type(type, request); wrong != CUFFT_SUCCESS) return wrong;
  if (const cufftResult wrong = request_of(many, request.shape.kind, request); wrong != CUFFT_SUCCESS) return wrong;
  if (find_plan(plan) && size == nullptr) return CUFFT_INVALID_VALUE;
  return make_plan(plan, request, size);
}

template <class I>
Many<I> basic(int rank, const I *n, I batch) {
  return {rank, n, nullptr, 1, 0, nullptr, 1, 0, batch};
}

cufftResult make_basic(cufftHandle plan, int rank, const int *n, cufftType type, int batch, size_t *size) {
  return make_many(plan, basic(rank, n, batch), type, size);
}

// A new plan, which is there only if it can be made.
template <class Make>
cufftResult create_and_make(cufftHandle *plan, Make make) {
  cufftHandle made;
  if (plan == nullptr) return CUFFT_INVALID_VALUE;
  size_t size;
  if (const cufftResult wrong = make(0, &size); wrong != CUFFT_INVALID_PLAN) return wrong;  // of what is asked for
  if (const cufftResult wrong = cufftCreate(&made); wrong != CUFFT_SUCCESS) return wrong;
  const cufftResult result = make(made, &size);
  if (result != CUFFT_SUCCESS) {
    cufftDestroy(made);
  } else {
    *plan = made;
  }
  return result;
}

cufftResult estimate(int rank, const int *n, cufftType type, int batch, size_t *size) {
  Request request;
  if (const cufftResult wrong = set_type(type, request); wrong != CUFFT_SUCCESS) return wrong;
  if (const cufftResult wrong = request_of(basic(rank, n, batch), request.shape.kind, request); wrong != CUFFT_SUCCESS)
    return wrong;
  if (size == nullptr) return CUFFT_INVALID_VALUE;
  *size = 0;
  return CUFFT_SUCCESS;
}

cufftResult size_of(cufftHandle handle, size_t *size) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  const std::lock_guard lock(plan->mutex);
  if (!plan->recipe) return CUFFT_INVALID_PLAN;
  if (size == nullptr) return CUFFT_INVALID_VALUE;
  *size = 0;
  return CUFFT_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cufftResult cufftCreate(cufftHandle *plan) {
  if (plan == nullptr) return CUFFT_INVALID_VALUE;
  *plan = add_plan(std::make_shared<Plan>());
  return CUFFT_SUCCESS;
}
cufftResult cufftDestroy(cufftHandle plan) { return remove_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *size) {
  return make_basic(plan, 1, &nx, type, batch, size);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *size) {
  const int n[] = {nx, ny};
  return make_basic(plan, 2, n, type, 1, size);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size) {
  const int n[] = {nx, ny, nz};
  return make_basic(plan, 3, n, type, 1, size);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, cufftType type, int batch, size_t *size) {
  return make_many(plan, Many<int>{rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, size);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long int *n, long long int *inembed,
                                long long int istride, long long int idist, long long int *onembed,
                                long long int ostride, long long int odist, cufftType type, long long int batch,
                                size_t *size) {
  return make_many(plan, Many<long long>{rank, n, inembed, istride, idist, onembed, ostride, odist, batch}, type, size);
}

cufftResult cufftPlan1d(cufftHandle *plan, int nx, cufftType type, int batch) {
  return create_and_make(plan,
                         [&](cufftHandle made, size_t *size) { return cufftMakePlan1d(made, nx, type, batch, size); });
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, cufftType type) {
  return create_and_make(plan,
                         [&](cufftHandle made, size_t *size) { return cufftMakePlan2d(made, nx, ny, type, size); });
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, cufftType type) {
  return create_and_make(plan,
                         [&](cufftHandle made, size_t *size) { return cufftMakePlan3d(made, nx, ny, nz, type, size); });
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                          int ostride, int odist, cufftType type, int batch) {
  return create_and_make(plan, [&](cufftHandle made, size_t *size) {
    return cufftMakePlanMany(made, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, size);
  });
}

cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *size) {
  return estimate(1, &nx, type, batch, size);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *size) {
  const int n[] = {nx, ny};
  return estimate(2, n, type, 1, size);
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *size) {
  const int n[] = {nx, ny, nz};
  return estimate(3, n, type, 1, size);
}
cufftResult cufftEstimateMany(int rank, int *n, int *, int, int, int *, int, int, cufftType type, int batch,
                              size_t *size) {
  return estimate(rank, n, type, batch, size);
}

cufftResult cufftGetSize(cufftHandle plan, size_t *size) { return size_of(plan, size); }
cufftResult cufftGetSize1d(cufftHandle plan, int nx, cufftType type, int batch, size_t *size) {
  return find_plan(plan) ? cufftEstimate1d(nx, type, batch, size) : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, cufftType type, size_t *size) {
  return find_plan(plan) ? cufftEstimate2d(nx, ny, type, size) : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t *size) {
  return find_plan(plan) ? cufftEstimate3d(nx, ny, nz, type, size) : CUFFT_INVALID_PLAN;
}
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *, int, int, int *, int, int, cufftType type,
                             int batch, size_t *size) {
  return find_plan(plan) ? estimate(rank, n, type, batch, size) : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetVersion(int *version) {
  if (version != nullptr) *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int *value) {
  if (value == nullptr) return CUFFT_INVALID_VALUE;
  if (type != MAJOR_VERSION && type != MINOR_VERSION && type != PATCH_LEVEL) return CUFFT_INVALID_TYPE;
  *value = type == MAJOR_VERSION   ? CUFFT_VERSION / 1000
           : type == MINOR_VERSION ? CUFFT_VERSION / 100 % 10
                                   : CUFFT_VERSION % 100;
  return CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  const std::shared_ptr<Plan> plan = find_plan(handle);
  if (!plan) return CUFFT_INVALID_PLAN;
  const std::lock_guard lock(plan->mutex);
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
// Work areas are plans' own, whether or not the user brings one.
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  return find_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult cufftSetWorkArea(cufftHandle plan, void *) { return find_plan(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

#define EXECUTE(NAME, IN, OUT) \
  cufftResult NAME(cufftHandle plan, IN *in, OUT *out) { return execute(#NAME, plan, in, out, CUFFT_FORWARD); }
EXECUTE(cufftExecR2C, cufftReal, cufftComplex)
EXECUTE(cufftExecC2R, cufftComplex, cufftReal)
EXECUTE(cufftExecD2Z, cufftDoubleReal, cufftDoubleComplex)
EXECUTE(cufftExecZ2D, cufftDoubleComplex, cufftDoubleReal)
#undef EXECUTE
cufftResult cufftExecC2C(cufftHandle plan, cufftComplex *in, cufftComplex *out, int direction) {
  return execute("cufftExecC2C", plan, in, out, direction);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction) {
  return execute("cufftExecZ2Z", plan, in, out, direction);
}

}  // extern "C"
#pragma GCC visibility pop
