// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cublasLt: descriptors, preferences and the choice of an algorithm, of which there is one.
#include <cstring>
#include <new>

#include "../common/openblas.h"
#include "handle.h"
#include "light.h"

namespace warploom::blas::light {
namespace {

template <class Opaque, class T>
cublasStatus_t initialise(Opaque *opaque, std::size_t size, const T &value) {
  if (opaque == nullptr || size < sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(opaque, 0, size);
  new (opaque) T(value);
  return CUBLAS_STATUS_SUCCESS;
}

template <class Opaque, class T>
cublasStatus_t create(Opaque **opaque, const T &value) {
  if (opaque == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *opaque = new (std::nothrow) Opaque;
  if (*opaque == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
  return initialise(*opaque, sizeof **opaque, value);
}

template <class Opaque>
cublasStatus_t destroy(Opaque *opaque) {
  delete opaque;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t set(void *structure, Field field, const void *value, std::size_t size) {
  if (structure == nullptr || value == nullptr || field.size == 0 || size != field.size) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  std::memcpy(static_cast<char *>(structure) + field.offset, value, size);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t get(const void *structure, Field field, void *value, std::size_t size, std::size_t *written) {
  if (structure == nullptr || field.size == 0 || (value == nullptr && written == nullptr)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (written != nullptr) *written = field.size;
  if (value == nullptr || size == 0) return CUBLAS_STATUS_SUCCESS;
  if (size != field.size) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, static_cast<const char *>(structure) + field.offset, field.size);
  return CUBLAS_STATUS_SUCCESS;
}

Layout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t ld) {
  Layout made;
  made.type = type;
  made.rows = rows;
  made.columns = columns;
  made.ld = ld;
  return made;
}

bool is_compute_type(cublasComputeType_t compute) {
  return compute >= CUBLAS_COMPUTE_16F && compute <= CUBLAS_COMPUTE_32F_EMULATED_16BFX9;
}

Description description_of(cublasComputeType_t compute, cudaDataType scale) {
  Description made;
  made.compute = compute;
  made.scale = scale;
  return made;
}

cublasStatus_t choose(const Call &call, const Preference &preference, cublasLtMatmulHeuristicResult_t *result) {
  *result = {};
  result->state = check(call, preference.alignments);
  inside<Algorithm>(&result->algo) = {kMagic, {}};
  result->wavesCount = 1;
  return result->state;
}

Field setting_field(cublasLtMatmulAlgoConfigAttributes_t which) {
  const auto number = static_cast<std::size_t>(which);
  if (number > CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID) return {0, 0};
  const bool is_short = which == CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID || which == CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID;
  return {offsetof(Algorithm, settings) + number * sizeof(std::uint32_t), is_short ? 2U : 4U};
}

}  // namespace

#define FIELD(STRUCT, NAME) \
  Field { offsetof(STRUCT, NAME), sizeof(STRUCT::NAME) }

Field layout_field(cublasLtMatrixLayoutAttribute_t which) {
  switch (which) {
    case CUBLASLT_MATRIX_LAYOUT_TYPE:
      return FIELD(Layout, type);
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return FIELD(Layout, order);
    case CUBLASLT_MATRIX_LAYOUT_ROWS:
      return FIELD(Layout, rows);
    case CUBLASLT_MATRIX_LAYOUT_COLS:
      return FIELD(Layout, columns);
    case CUBLASLT_MATRIX_LAYOUT_LD:
      return FIELD(Layout, ld);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return FIELD(Layout, batch_count);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return FIELD(Layout, batch_stride);
    case CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET:
      return FIELD(Layout, plane_offset);
  }
  return {0, 0};
}

Field description_field(cublasLtMatmulDescAttributes_t which) {
  static constexpr Field kFields[] = {FIELD(Description, compute),
                                      FIELD(Description, scale),
                                      FIELD(Description, pointer_mode),
                                      FIELD(Description, transa),
                                      FIELD(Description, transb),
                                      FIELD(Description, transc),
                                      FIELD(Description, fill),
                                      FIELD(Description, epilogue),
                                      FIELD(Description, bias),
                                      {0, 0},
                                      FIELD(Description, bias_stride),
                                      FIELD(Description, aux),
                                      FIELD(Description, aux_ld),
                                      FIELD(Description, aux_stride),
                                      FIELD(Description, alpha_stride),
                                      FIELD(Description, processors),
                                      {0, 0},
                                      FIELD(Description, a_scale),
                                      FIELD(Description, b_scale),
                                      FIELD(Description, c_scale),
                                      FIELD(Description, d_scale),
                                      FIELD(Description, amax_d),
                                      FIELD(Description, aux_type),
                                      FIELD(Description, aux_scale),
                                      FIELD(Description, aux_amax),
                                      FIELD(Description, fast_accumulation),
                                      FIELD(Description, bias_type),
                                      {0, 0},
                                      {0, 0},
                                      {0, 0},
                                      {0, 0},
                                      FIELD(Description, a_scale_mode),
                                      FIELD(Description, b_scale_mode),
                                      FIELD(Description, c_scale_mode),
                                      FIELD(Description, d_scale_mode),
                                      FIELD(Description, aux_scale_mode),
                                      FIELD(Description, d_out_scale),
                                      FIELD(Description, d_out_scale_mode)};
  static_assert(sizeof kFields / sizeof *kFields == CUBLASLT_MATMUL_DESC_D_OUT_SCALE_MODE + 1);
  const auto number = static_cast<std::size_t>(which);
  return number < sizeof kFields / sizeof *kFields ? kFields[number] : Field{0, 0};
}

Field preference_field(cublasLtMatmulPreferenceAttributes_t which) {
  switch (which) {
    case CUBLASLT_MATMUL_PREF_SEARCH_MODE:
      return FIELD(Preference, search);
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return FIELD(Preference, workspace);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return FIELD(Preference, reductions);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return {offsetof(Preference, alignments) +
                  static_cast<std::size_t>(which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES) * sizeof(std::uint32_t),
              sizeof(std::uint32_t)};
    case CUBLASLT_MATMUL_PREF_MAX_WAVES_COUNT:
      return FIELD(Preference, waves);
    case CUBLASLT_MATMUL_PREF_IMPL_MASK:
      return FIELD(Preference, implementations);
  }
  return {0, 0};
}

}  // namespace warploom::blas::light

using namespace warploom::blas;
using namespace warploom::blas::light;
using light::create, light::destroy;

#define CALL \
  Call { inside<Description>(desc), inside<Layout>(la), inside<Layout>(lb), inside<Layout>(lc), inside<Layout>(ld) }

#pragma GCC visibility push(default)
extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (!warploom::libraries::load_openblas()) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new (std::nothrow) cublasLtContext{};
  return *handle == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
// A handle of cuBLAS is one of cublasLt, too, and is not destroyed here.
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!is_alive(reinterpret_cast<cublasHandle_t>(handle))) delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t la, const void *b, cublasLtMatrixLayout_t lb, const void *beta,
                              const void *c, cublasLtMatrixLayout_t lc, void *d, cublasLtMatrixLayout_t ld,
                              const cublasLtMatmulAlgo_t *algo, void *workspace, size_t size, cudaStream_t stream) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || la == nullptr || lb == nullptr || ld == nullptr || alpha == nullptr || beta == nullptr ||
      (workspace == nullptr && size > 0)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (lc == nullptr && c != nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (lc == nullptr) lc = ld;  // what is not read needs no layout
  if (algo != nullptr && inside<const Algorithm>(algo).magic != kMagic) return CUBLAS_STATUS_INVALID_VALUE;
  return multiply(CALL, alpha, a, b, beta, c, d, stream);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                              cublasLtMatrixLayout_t la, cublasLtMatrixLayout_t lb,
                                              cublasLtMatrixLayout_t lc, cublasLtMatrixLayout_t ld,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t *results, int *found) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || la == nullptr || lb == nullptr || lc == nullptr || ld == nullptr || preference == nullptr ||
      wanted <= 0 || results == nullptr || found == nullptr) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const cublasStatus_t status = choose(CALL, inside<Preference>(preference), results);
  if (status == CUBLAS_STATUS_SUCCESS) *found = 1;
  return status;
}
cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                        cudaDataType_t, cudaDataType_t, cudaDataType_t, int wanted, int ids[],
                                        int *found) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (wanted <= 0 || ids == nullptr || found == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  ids[0] = 0;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t, cudaDataType_t, cudaDataType_t,
                                      cudaDataType_t, cudaDataType_t, cudaDataType_t, int id,
                                      cublasLtMatmulAlgo_t *algo) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (algo == nullptr || id != 0) return CUBLAS_STATUS_INVALID_VALUE;
  *algo = {};
  inside<Algorithm>(algo) = {kMagic, {}};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t la,
                                       cublasLtMatrixLayout_t lb, cublasLtMatrixLayout_t lc, cublasLtMatrixLayout_t ld,
                                       const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (desc == nullptr || la == nullptr || lb == nullptr || lc == nullptr || ld == nullptr || algo == nullptr ||
      result == nullptr || inside<const Algorithm>(algo).magic != kMagic) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  return choose(CALL, {}, result);
}
cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t which, const void *value,
                                                    size_t size) {
  return set(algo, setting_field(which), value, size);
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                                    cublasLtMatmulAlgoConfigAttributes_t which, void *value,
                                                    size_t size, size_t *written) {
  return get(algo, setting_field(which), value, size, written);
}

#define OBJECT(NAME, OPAQUE, ATTRIBUTE, FIELD_OF)                                                               \
  cublasStatus_t cublasLt##NAME##Destroy(OPAQUE object) { return destroy(object); }                             \
  cublasStatus_t cublasLt##NAME##SetAttribute(OPAQUE object, ATTRIBUTE which, const void *value, size_t size) { \
    return set(object, FIELD_OF(which), value, size);                                                           \
  }                                                                                                             \
  cublasStatus_t cublasLt##NAME##GetAttribute(OPAQUE object, ATTRIBUTE which, void *value, size_t size,         \
                                              size_t *written) {                                                \
    return get(object, FIELD_OF(which), value, size, written);                                                  \
  }
OBJECT(MatrixLayout, cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, layout_field)
OBJECT(MatmulDesc, cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, description_field)
OBJECT(MatmulPreference, cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, preference_field)

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld) {
  return create(layout, layout_of(type, rows, columns, ld));
}
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout, size_t size, cudaDataType type,
                                                 uint64_t rows, uint64_t columns, int64_t ld) {
  return initialise(layout, size, layout_of(type, rows, columns, ld));
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType_t scale) {
  if (!is_compute_type(compute)) return CUBLAS_STATUS_INVALID_VALUE;
  return create(desc, description_of(compute, scale));
}
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t desc, size_t size, cublasComputeType_t compute,
                                               cudaDataType_t scale) {
  if (!is_compute_type(compute)) return CUBLAS_STATUS_INVALID_VALUE;
  return initialise(desc, size, description_of(compute, scale));
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  return create(preference, Preference{});
}
cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference, size_t size) {
  return initialise(preference, size, Preference{});
}

size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return CUDART_VERSION; }
const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) { return cublasGetProperty(type, value); }
cublasStatus_t cublasLtLoggerSetLevel(int level) { return cublasLoggerConfigure(level, 0, 0, nullptr); }
cublasStatus_t cublasLtLoggerSetMask(int mask) { return cublasLoggerConfigure(mask, 0, 0, nullptr); }
// There is one algorithm: nothing is kept of choices.
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity) {
  if (capacity == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = 0;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t) { return CUBLAS_STATUS_SUCCESS; }

}  // extern "C"
#pragma GCC visibility pop
