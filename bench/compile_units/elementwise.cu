// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise kernels as a library of tensors instantiates them, for measuring how long they take to compile
// (bench/compile_time.py): every operator for every type, each for data that lies dense and aligned, dense, in any
// strides, and in another type; operands pass through small private arrays in unrolled loops.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <utility>

constexpr int kWarp = 32, kWork = 4, kMostDims = 12;
constexpr int threads() { return kWarp * 4; }
constexpr int tile() { return threads() * kWork; }

// -- where operands lie -----------------------------------------------------------------------------------------------

// Division by a number that the host knows: a product, its upper half and a shift.
struct Divisor {
  unsigned by, factor, shift;
  __host__ void set(unsigned number) {
    by = number;
    for (shift = 0; shift < 32 && (1u << shift) < by;) ++shift;
    factor = unsigned(((uint64_t(1) << 32) * ((uint64_t(1) << shift) - by)) / by + 1);
  }
  __device__ unsigned quotient(unsigned n) const { return (__umulhi(n, factor) + n) >> shift; }
};

template <int Operands>
struct Offsets {
  int dims;
  Divisor sizes[kMostDims];
  unsigned strides[kMostDims][Operands];
  __device__ void of(unsigned index, unsigned (&found)[Operands]) const {
#pragma unroll
    for (int k = 0; k < Operands; ++k) found[k] = 0;
#pragma unroll
    for (int dim = 0; dim < kMostDims; ++dim) {
      if (dim == dims) break;
      unsigned rest = sizes[dim].quotient(index);
      unsigned here = index - rest * sizes[dim].by;
      index = rest;
#pragma unroll
      for (int k = 0; k < Operands; ++k) found[k] += here * strides[dim][k];
    }
  }
};

// -- operands of a type that only the launch knows --------------------------------------------------------------------

enum class Kind : int8_t { kByte, kChar, kShort, kInt, kLong, kHalf, kFloat, kDouble, kBool, kBfloat };

template <typename To>
__device__ To fetch(Kind kind, const void *at) {
  switch (kind) {
    case Kind::kByte:
      return To(float(*(const uint8_t *)at));
    case Kind::kChar:
      return To(float(*(const int8_t *)at));
    case Kind::kShort:
      return To(float(*(const int16_t *)at));
    case Kind::kInt:
      return To(float(*(const int32_t *)at));
    case Kind::kLong:
      return To(float(*(const int64_t *)at));
    case Kind::kHalf:
      return To(float(*(const __half *)at));
    case Kind::kFloat:
      return To(*(const float *)at);
    case Kind::kDouble:
      return To(float(*(const double *)at));
    case Kind::kBool:
      return To(float(*(const bool *)at));
    case Kind::kBfloat:
      return To(float(*(const __nv_bfloat16 *)at));
  }
  return To(0.0f);
}

template <typename From>
__device__ void put(Kind kind, void *at, From value) {
  switch (kind) {
    case Kind::kByte:
      *(uint8_t *)at = uint8_t(float(value));
      break;
    case Kind::kChar:
      *(int8_t *)at = int8_t(float(value));
      break;
    case Kind::kShort:
      *(int16_t *)at = int16_t(float(value));
      break;
    case Kind::kInt:
      *(int32_t *)at = int32_t(float(value));
      break;
    case Kind::kLong:
      *(int64_t *)at = int64_t(float(value));
      break;
    case Kind::kHalf:
      *(__half *)at = __half(float(value));
      break;
    case Kind::kFloat:
      *(float *)at = float(value);
      break;
    case Kind::kDouble:
      *(double *)at = double(float(value));
      break;
    case Kind::kBool:
      *(bool *)at = float(value) != 0;
      break;
    case Kind::kBfloat:
      *(__nv_bfloat16 *)at = __nv_bfloat16(float(value));
      break;
  }
}

// -- kernels ----------------------------------------------------------------------------------------------------------

template <typename Function>
struct Signature;
template <typename Result, typename Class, typename... Arguments>
struct Signature<Result (Class::*)(Arguments...) const> {
  using result = Result;
  using arguments = std::tuple<Arguments...>;
  static constexpr int count = sizeof...(Arguments);
};
template <typename Function>
using Of = Signature<decltype(&Function::operator())>;

template <int Count>
struct Pointers {
  char *at[Count];
  __device__ char *operator[](int k) const { return at[k]; }
};

template <typename T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T item[Count];
};

// An argument of a tile in whole packs.
template <int Width, int K, typename Tuple>
__device__ void load_packs(Tuple (&arguments)[kWork], const char *from) {
  using T = std::tuple_element_t<K, Tuple>;
  const auto *packs = reinterpret_cast<const Pack<T, Width> *>(from) + blockIdx.x * (tile() / Width);
#pragma unroll
  for (int turn = 0; turn < kWork / Width; ++turn) {
    Pack<T, Width> pack = packs[threadIdx.x + turn * threads()];
#pragma unroll
    for (int k = 0; k < Width; ++k) std::get<K>(arguments[turn * Width + k]) = pack.item[k];
  }
}

struct Dense {
  template <typename T>
  __device__ T load(const char *from, unsigned at, int) const {
    return reinterpret_cast<const T *>(from)[at];
  }
  template <typename T>
  __device__ void store(char *to, unsigned at, T value) const {
    reinterpret_cast<T *>(to)[at] = value;
  }
};

template <int Count>
struct Cast {
  Kind kind[Count];
  int size[Count];
  template <typename T>
  __device__ T load(const char *from, unsigned at, int k) const {
    return fetch<T>(kind[k + 1], from + size[k + 1] * at);
  }
  template <typename T>
  __device__ void store(char *to, unsigned at, T value) const {
    put<T>(kind[0], to + size[0] * at, value);
  }
};

// The part of a tile that there is, thread for thread.
template <typename Function, typename Data, typename Memory, size_t... K>
__device__ void do_part(int left, int base, Function function, Data data, Memory memory, std::index_sequence<K...>) {
  using Tuple = typename Of<Function>::arguments;
  using Result = typename Of<Function>::result;
  Tuple arguments[kWork];
  Result results[kWork];
  int at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (at >= left) break;
    unsigned place = unsigned(base + at);
    ((std::get<K>(arguments[k]) = memory.template load<std::tuple_element_t<K, Tuple>>(data[K + 1], place, int(K))),
     ...);
    at += threads();
  }
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (int(threadIdx.x) + k * threads() < left) results[k] = function(std::get<K>(arguments[k])...);
  }
  at = threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (at >= left) break;
    memory.template store<Result>(data[0], unsigned(base + at), results[k]);
    at += threads();
  }
}

template <int Width, typename Function, typename Data, size_t... K>
__device__ void do_whole(Function function, Data data, std::index_sequence<K...>) {
  using Result = typename Of<Function>::result;
  typename Of<Function>::arguments arguments[kWork];
  Result results[kWork];
  (load_packs<Width, int(K)>(arguments, data[K + 1]), ...);
#pragma unroll
  for (int k = 0; k < kWork; ++k) results[k] = function(std::get<K>(arguments[k])...);
  auto *packs = reinterpret_cast<Pack<Result, Width> *>(data[0]) + blockIdx.x * (tile() / Width);
#pragma unroll
  for (int turn = 0; turn < kWork / Width; ++turn) {
    Pack<Result, Width> pack;
#pragma unroll
    for (int k = 0; k < Width; ++k) pack.item[k] = results[turn * Width + k];
    packs[threadIdx.x + turn * threads()] = pack;
  }
}

template <int Width, typename Function, typename Data>
__global__ __launch_bounds__(threads()) void aligned_elements(int n, Function function, Data data) {
  using Indices = std::make_index_sequence<Of<Function>::count>;
  int base = tile() * blockIdx.x, left = n - base;
  if (left < tile()) {
    do_part(left, base, function, data, Dense(), Indices());
  } else {
    do_whole<Width>(function, data, Indices());
  }
}

template <typename Function, typename Data, typename Memory>
__global__ __launch_bounds__(threads()) void dense_elements(int n, Function function, Data data, Memory memory) {
  int base = tile() * blockIdx.x;
  do_part(n - base, base, function, data, memory, std::make_index_sequence<Of<Function>::count>());
}

template <typename Body>
__global__ __launch_bounds__(threads()) void strided_elements(int n, Body body) {
  int index = tile() * blockIdx.x + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kWork; ++k) {
    if (index < n) {
      body(index);
      index += threads();
    }
  }
}

// -- launches ---------------------------------------------------------------------------------------------------------

template <typename Function, typename Data, typename Where, typename Memory, size_t... K>
__device__ void one(int index, Function function, Data data, Where where, Memory memory, std::index_sequence<K...>) {
  using Tuple = typename Of<Function>::arguments;
  unsigned offsets[sizeof...(K) + 1];
  where.of(unsigned(index), offsets);
  memory.template store<typename Of<Function>::result>(
      data[0] + offsets[0], 0,
      function(memory.template load<std::tuple_element_t<K, Tuple>>(data[K + 1] + offsets[K + 1], 0, int(K))...));
}

template <typename Function, typename Data, typename Where, typename Memory>
struct Strided {
  Function function;
  Data data;
  Where where;
  Memory memory;
  __device__ void operator()(int index) const {
    one(index, function, data, where, memory, std::make_index_sequence<Of<Function>::count>());
  }
};

struct Layout {
  bool dense, cast;
  int aligned;
};

template <typename Function>
void run(int n, Function function, Pointers<Of<Function>::count + 1> data, Layout layout) {
  constexpr int count = Of<Function>::count + 1;
  int grid = (n + tile() - 1) / tile();
  Cast<count> cast{};
  Offsets<count> where{};
  if (layout.dense && layout.cast) {
    dense_elements<<<grid, threads()>>>(n, function, data, cast);
  } else if (layout.dense && layout.aligned == 4) {
    aligned_elements<4><<<grid, threads()>>>(n, function, data);
  } else if (layout.dense && layout.aligned == 2) {
    aligned_elements<2><<<grid, threads()>>>(n, function, data);
  } else if (layout.dense) {
    dense_elements<<<grid, threads()>>>(n, function, data, Dense());
  } else if (layout.cast) {
    using Body = Strided<Function, Pointers<count>, Offsets<count>, Cast<count>>;
    strided_elements<<<grid, threads()>>>(n, Body{function, data, where, cast});
  } else {
    using Body = Strided<Function, Pointers<count>, Offsets<count>, Dense>;
    strided_elements<<<grid, threads()>>>(n, Body{function, data, where, Dense()});
  }
}

template <typename T>
struct Add {
  T alpha;
  __device__ T operator()(T a, T b) const { return a + alpha * b; }
};
template <typename T>
struct AddNumber {
  T alpha, b;
  __device__ T operator()(T a) const { return a + alpha * b; }
};
template <>
struct Add<bool> {
  bool alpha;
  __device__ bool operator()(bool a, bool b) const { return a || (alpha && b); }
};
template <>
struct AddNumber<bool> {
  bool alpha, b;
  __device__ bool operator()(bool a) const { return a || (alpha && b); }
};

#ifndef KERNELS_ONLY  // for who includes this file
template <typename... T>
void add(int which, int n, char *to, char *a, char *b, Layout layout) {
  int k = 0;
  ((which == k++ ? run(n, Add<T>{T(1)}, Pointers<3>{{to, a, b}}, layout) : void()), ...);
  k = 0;
  ((which == k++ ? run(n, AddNumber<T>{T(1), T(2)}, Pointers<2>{{to, a}}, layout) : void()), ...);
}

int main(int count, char **) {
  const int n = 1 << 20;
  char *to, *a, *b;
  cudaMallocManaged(&to, n * 8);
  cudaMallocManaged(&a, n * 8);
  cudaMallocManaged(&b, n * 8);
  cudaMemset(a, 0, n * 8);
  cudaMemset(b, 0, n * 8);
  Layout layouts[] = {{true, false, 4}, {true, false, 2}, {true, false, 1}};
  for (Layout layout : layouts) {
    for (int which = 0; which < 8; ++which) {
      add<float, double, int, int64_t, short, int8_t, uint8_t, bool, __half, __nv_bfloat16>(which, n, to, a, b, layout);
    }
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
#endif
