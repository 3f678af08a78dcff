// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix in rows is the transpose of one in columns: where D is in rows, its transpose is computed.
#include "light_plan.h"

#include <utility>

#include "../common/refused.h"

namespace warploom::blas::light {
namespace {

constexpr std::uint64_t kByteRow = 4, kFloatByteRow = 16;  // multiples of bytes, at which rows of bytes begin
constexpr std::int64_t kManyRows = 32;

bool is_epilogue(std::uint32_t value) {
  switch (value) {
    case 0:
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX:
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DRELU:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
      return true;
    default:
      return false;
  }
}

bool is_16bit(cudaDataType type) { return type == CUDA_R_16F || type == CUDA_R_16BF; }

// Compute types by what they mean: the fast ones may round floats' factors, which is not done here.
cublasComputeType_t plain_compute(std::int32_t compute) {
  switch (compute) {
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return CUBLAS_COMPUTE_16F;
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return CUBLAS_COMPUTE_64F;
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return CUBLAS_COMPUTE_32I;
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_32I:
      return static_cast<cublasComputeType_t>(compute);
    default:
      return CUBLAS_COMPUTE_32F;
  }
}

// How a product of A's type with a D of another is computed; the types of B, C and the factors come later.
Kind kind_of_types(const Call &call) {
  const cudaDataType a = call.a.kind(), d = call.d.kind();
  const cublasComputeType_t compute = plain_compute(call.description.compute);
  if (compute == CUBLAS_COMPUTE_32I && a == CUDA_R_8I && d == CUDA_R_8I) return Kind::kMixed;
  if (compute != CUBLAS_COMPUTE_32F || !is_float_byte(a)) return kind_of(compute, a, a, d);
  const cudaDataType b = call.b.kind(), c = call.c.kind();
  const bool has_wide = a == CUDA_R_8F_E5M2 || b == CUDA_R_8F_E5M2;
  if (!is_float_byte(b) || (a == CUDA_R_8F_E5M2 && b == CUDA_R_8F_E5M2)) return Kind::kNone;
  if (is_float_byte(d)) return is_16bit(c) && (has_wide || d == CUDA_R_8F_E4M3) ? Kind::kMixed : Kind::kNone;
  return c == d && (is_16bit(d) || d == CUDA_R_32F) ? Kind::kMixed : Kind::kNone;
}

// Whether floats may be rounded; an H200 then looks at the type of the factors before that of D.
bool is_fast(std::int32_t compute) {
  return compute == CUBLAS_COMPUTE_32F_FAST_16F || compute == CUBLAS_COMPUTE_32F_FAST_16BF ||
         compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9;
}

cublasStatus_t check_types(const Call &call) {
  const Description &d = call.description;
  const cudaDataType a = call.a.kind(), out = call.d.kind();
  if (is_fast(d.compute) && (a == CUDA_R_32F || a == CUDA_C_32F) && d.scale != static_cast<std::int32_t>(a))
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool has_float_bytes = is_float_byte(a);
  const auto compute = static_cast<cublasComputeType_t>(d.compute);
  const bool bytes_by_float = plain_compute(compute) == CUBLAS_COMPUTE_32F && a == CUDA_R_8I && out == CUDA_R_8I;
  if (!bytes_by_float && kind_of_types(call) == Kind::kNone) return CUBLAS_STATUS_NOT_SUPPORTED;
  const cudaDataType scale = out == CUDA_R_8I ? CUDA_R_32F : factor_type(compute, out);
  if (d.scale != static_cast<std::int32_t>(scale)) return CUBLAS_STATUS_INVALID_VALUE;
  if (!has_float_bytes) {
    if (call.b.kind() != a || call.c.kind() != out) return CUBLAS_STATUS_INVALID_VALUE;
    const bool is_scaled = d.a_scale != nullptr || d.b_scale != nullptr || d.c_scale != nullptr;
    const std::int32_t modes = d.a_scale_mode | d.b_scale_mode | d.c_scale_mode;
    if (is_scaled || modes != 0 || d.fast_accumulation != 0) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const bool scales_d = d.d_scale != nullptr || d.amax_d != nullptr || d.d_scale_mode != 0 || d.d_out_scale_mode != 0;
  if (scales_d && !is_float_byte(out)) return CUBLAS_STATUS_INVALID_VALUE;
  const bool is_pedantic = compute == CUBLAS_COMPUTE_32F_PEDANTIC;
  return bytes_by_float || (has_float_bytes && is_pedantic) ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
}

// Scales that are not one number for a matrix: one for each row of A and column of B, or for pieces of 128 of them.
cublasStatus_t check_scale_modes(const Call &call) {
  const Description &d = call.description;
  const std::int32_t a = d.a_scale_mode, b = d.b_scale_mode;
  const auto is_piece = [](std::int32_t mode) {
    return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F || mode == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  };
  if ((d.c_scale_mode | d.d_scale_mode | d.d_out_scale_mode) != 0) {
    return WARPLOOM_REFUSE("cublasLtMatmul", "scales of C and D are one number", CUBLAS_STATUS_NOT_SUPPORTED);
  }
  if (a == 0 && b == 0) return CUBLAS_STATUS_SUCCESS;
  const bool is_vec16 = a == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 || b == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3;
  if (is_vec16 || is_float_byte(call.d.kind())) return CUBLAS_STATUS_INVALID_VALUE;
  const bool by_vector = a == CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F && b == a;
  const bool by_pieces = is_piece(a) && is_piece(b) && (a != b || a == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F);
  if (!by_vector && !by_pieces) return CUBLAS_STATUS_NOT_SUPPORTED;
  return d.a_scale != nullptr && d.b_scale != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

bool is_order(const Layout &layout) { return layout.order == CUBLASLT_ORDER_COL || layout.order == CUBLASLT_ORDER_ROW; }

bool has_right_ld(const Layout &layout) {
  const std::uint64_t least = layout.order == CUBLASLT_ORDER_ROW ? layout.columns : layout.rows;
  return layout.ld >= 0 && static_cast<std::uint64_t>(layout.ld) >= least && layout.ld <= INT32_MAX &&
         layout.rows <= INT32_MAX && layout.columns <= INT32_MAX;
}

cublasStatus_t check_layouts(const Call &call) {
  if (call.c.order != call.d.order) return CUBLAS_STATUS_INVALID_VALUE;
  for (const Layout *layout : {&call.a, &call.b, &call.c, &call.d}) {
    if (!is_order(*layout)) return CUBLAS_STATUS_NOT_SUPPORTED;
    if (!has_right_ld(*layout) || layout->batch_count != call.d.batch_count) return CUBLAS_STATUS_INVALID_VALUE;
  }
  return call.c.ld > 0 && call.d.ld > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }
// What is conjugated without being turned is what it was, where it is real.
bool is_operation(const Layout &layout, std::int32_t value) {
  return value >= CUBLAS_OP_N && value <= (is_complex(layout.kind()) ? CUBLAS_OP_C : CUBLAS_OP_CONJG);
}
cublasOperation_t operation_of(std::int32_t value) {
  return value == CUBLAS_OP_CONJG ? CUBLAS_OP_N : static_cast<cublasOperation_t>(value);
}

// What a call says by itself.
cublasStatus_t check_settings(const Call &call) {
  const Description &d = call.description;
  if (!is_operation(call.a, d.transa) || !is_operation(call.b, d.transb) || !is_epilogue(d.epilogue) ||
      d.pointer_mode < 0 || d.pointer_mode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (d.transc != CUBLAS_OP_N || d.fill != CUBLAS_FILL_MODE_FULL) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (d.pointer_mode <= CUBLASLT_POINTER_MODE_DEVICE) return CUBLAS_STATUS_SUCCESS;
  const bool may_be_vector = d.pointer_mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST &&
                             call.a.kind() == CUDA_R_8I && call.d.kind() == CUDA_R_8I;
  return may_be_vector ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

// In columns: a matrix in rows with its operation turned round.
void put_in_columns(Layout &layout, cublasOperation_t &operation) {
  if (layout.order != CUBLASLT_ORDER_ROW) return;
  std::swap(layout.rows, layout.columns);
  layout.order = CUBLASLT_ORDER_COL;
  operation = operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

// D's transpose, from the transposes of B and A.
void turn_round(Plan &p) {
  cublasOperation_t ignored = CUBLAS_OP_N;
  put_in_columns(p.c, ignored);
  put_in_columns(p.d, ignored);
  std::swap(p.a, p.b);
  std::swap(p.description.a_scale, p.description.b_scale);
  std::swap(p.description.a_scale_mode, p.description.b_scale_mode);
  std::swap(p.operations[0], p.operations[1]);
  for (cublasOperation_t &operation : p.operations) {
    operation = operation == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
  }
}

// Whether the sizes fit together.
bool has_right_sizes(const Plan &p) {
  const auto rows = p.transa() ? p.a.columns : p.a.rows, columns = p.transb() ? p.b.rows : p.b.columns;
  const auto inner = p.transb() ? p.b.columns : p.b.rows;
  return rows == p.d.rows && columns == p.d.columns && inner == static_cast<std::uint64_t>(p.k) &&
         p.c.rows == p.d.rows && p.c.columns == p.d.columns;
}

bool has_right_aux(const Plan &p) {
  const Description &d = p.description;
  return (d.epilogue & kAux) == 0 || (d.aux_ld >= p.m && !(p.has_mask() && d.aux_ld % 128 != 0));
}

// Types of bias and aux that a program set: there is one of each.
cublasStatus_t check_extra_types(const Plan &p) {
  const Description &d = p.description;
  Plan other = p;
  other.description.bias_type = other.description.aux_type = -1;
  if ((d.epilogue & (kBias | kGradient | kGradientA | kGradientB)) != 0 && p.bias_type() != other.bias_type())
    return is_float_byte(p.a.kind()) ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_INVALID_VALUE;
  const bool stores_aux = (d.epilogue & kAux) != 0 && !p.has_mask();
  return stores_aux && p.aux_type() != other.aux_type() ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

// Gradients of a bias are sums of what lies in columns, of an operand that is no byte.
bool has_operand_sums(const Plan &p, std::int32_t transa, std::int32_t transb) {
  const std::uint32_t which = p.description.epilogue;
  if ((which & (kGradientA | kGradientB)) == 0) return true;
  if (p.swapped || is_float_byte(p.a.kind()) || p.a.kind() == CUDA_R_8I) return false;
  return (which & kGradientA) != 0 ? transa == CUBLAS_OP_N : transb != CUBLAS_OP_N;
}

// Whether an H200 has a kernel for bytes that lie so: their rows begin at multiples of four, or a vector has such a
// length; many bytes come from operands whose terms lie side by side. It refuses some more products that give integers.
bool has_byte_kernel(const Plan &p) {
  const auto is_even = [](std::int64_t number) { return number % static_cast<std::int64_t>(kByteRow) == 0; };
  const bool to_bytes = p.d.kind() == CUDA_R_8I, is_row = p.m == 1, is_vector = is_row || p.n == 1;
  const std::int64_t side = is_row ? p.n : p.m;
  const bool is_in_order = (is_row || p.transa()) && (!p.transb() || (is_vector && !is_row));
  if (to_bytes && side >= kManyRows && !is_in_order) return false;
  if (is_vector) return is_even(p.k) && (!to_bytes || is_even(side));
  return is_even(p.a.ld) && is_even(p.b.ld) && (!to_bytes || is_even(p.d.ld));
}

// The same for bytes with exponents: 16 bytes, and what is added up lies side by side.
bool has_float_byte_order(const Plan &p) { return (p.transa() || p.m == 1) && (!p.transb() || p.n == 1); }
bool has_float_byte_kernel(const Plan &p) {
  const auto fits = [](std::int64_t number, const Layout &layout) {
    return static_cast<std::uint64_t>(number) * bytes_of(layout.kind()) % kFloatByteRow == 0;
  };
  const std::int64_t side = p.m == 1 ? p.n : p.m;
  return fits(p.k, p.a) && (!p.transa() || fits(p.a.ld, p.a)) && (p.transb() || fits(p.b.ld, p.b)) && fits(side, p.c) &&
         fits(side, p.d) && (p.m == 1 || (fits(p.c.ld, p.c) && fits(p.d.ld, p.d)));
}

// Epilogues that there are for types.
bool has_epilogue_kernel(const Plan &p) {
  const std::uint32_t which = p.description.epilogue;
  if (which <= CUBLASLT_EPILOGUE_DEFAULT) return true;
  if (p.kind != Kind::kMixed && p.kind != Kind::kFloat && p.kind != Kind::kDouble) return false;
  if (!is_float_byte(p.a.kind())) return true;
  if (is_float_byte(p.d.kind())) return (which & (kDRelu | kDGelu)) == 0;
  const bool has_both = (which & kAux) != 0 && (which & (kBias | kGradient)) != 0;
  return p.d.kind() != CUDA_R_32F || !has_both || which == CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
}

}  // namespace

bool is_float_byte(cudaDataType type) { return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2; }

cudaDataType Plan::bias_type() const {
  if (description.bias_type >= 0) return static_cast<cudaDataType>(description.bias_type);
  const cudaDataType type = d.kind();
  if (type == CUDA_R_8I) return CUDA_R_32F;
  if (is_float_byte(type)) return c.kind();
  return is_float_byte(a.kind()) && type == CUDA_R_32F ? CUDA_R_16BF : type;
}
cudaDataType Plan::aux_type() const {
  if (description.aux_type >= 0) return static_cast<cudaDataType>(description.aux_type);
  return is_float_byte(d.kind()) ? c.kind() : d.kind();
}

cublasStatus_t plan_of(const Call &call, Plan *plan) {
  for (const auto check : {check_types, check_layouts, check_settings, check_scale_modes}) {
    if (const cublasStatus_t status = check(call); status != CUBLAS_STATUS_SUCCESS) return status;
  }
  const Description &d = call.description;
  Plan &p = *plan;
  p = {d, kind_of_types(call), call.a, call.b, call.c, call.d, {}, 0, 0, 0, call.d.order == CUBLASLT_ORDER_ROW, false};
  cublasOperation_t left = operation_of(d.transa), right = operation_of(d.transb);
  const bool has_rows = call.a.order != CUBLASLT_ORDER_COL || call.b.order != CUBLASLT_ORDER_COL || p.swapped;
  const bool is_complex = p.kind == Kind::kComplex || p.kind == Kind::kDoubleComplex;
  if (is_complex && has_rows && (left == CUBLAS_OP_C || right == CUBLAS_OP_C)) return CUBLAS_STATUS_NOT_SUPPORTED;
  put_in_columns(p.a, left);
  put_in_columns(p.b, right);
  p.operations[0] = left;
  p.operations[1] = right;
  if (p.swapped) turn_round(p);
  p.m = static_cast<std::int64_t>(p.d.rows);
  p.n = static_cast<std::int64_t>(p.d.columns);
  p.k = static_cast<std::int64_t>(p.transa() ? p.a.rows : p.a.columns);
  p.is_plain = d.epilogue <= CUBLASLT_EPILOGUE_DEFAULT && !is_float_byte(call.a.kind()) && !p.has_vector_alpha();
  if (!has_right_sizes(p)) return CUBLAS_STATUS_INVALID_VALUE;
  if (p.swapped && d.aux != nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!has_right_aux(p)) return CUBLAS_STATUS_INVALID_VALUE;
  if (is_float_byte(call.a.kind()) && !has_float_byte_order(p)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!has_operand_sums(p, operation_of(d.transa), operation_of(d.transb))) return CUBLAS_STATUS_NOT_SUPPORTED;
  return check_extra_types(p);
}

cublasStatus_t check_addresses(const Plan &p) {
  const Description &d = p.description;
  const bool wants_bias = (d.epilogue & (kBias | kGradient | kGradientA | kGradientB)) != 0;
  if (wants_bias != (d.bias != nullptr)) return CUBLAS_STATUS_INVALID_VALUE;
  if ((d.epilogue & (kDRelu | kDGelu)) != 0 && d.aux == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const bool has_function = (d.epilogue & (kRelu | kGelu)) != 0;
  return has_function && ((d.epilogue & kAux) != 0) != (d.aux != nullptr) ? CUBLAS_STATUS_NOT_SUPPORTED
                                                                          : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t check_kernel(const Plan &p, const Alignments &alignments) {
  const bool sums_integers = plain_compute(p.description.compute) == CUBLAS_COMPUTE_32I;
  const std::uint64_t least = is_float_byte(p.a.kind()) ? kFloatByteRow
                              : sums_integers           ? kByteRow
                                                        : bytes_of(p.a.kind());
  for (const std::uint32_t bytes : {alignments.a, alignments.b, alignments.c, alignments.d}) {
    if (bytes % least != 0) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (sums_integers && !has_byte_kernel(p)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (is_float_byte(p.a.kind()) && !has_float_byte_kernel(p)) return CUBLAS_STATUS_NOT_SUPPORTED;
  return has_epilogue_kernel(p) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

}  // namespace warploom::blas::light
