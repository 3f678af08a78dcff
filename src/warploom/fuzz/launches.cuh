// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every random program begins with: types, checksums and the host's side of a launch.
#include <cmath>
#include <cstdio>
#include <cstdlib>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

constexpr int INPUTS = 1024, FLOATS = 1 << 15, THREADS = 272, BLOCKS = 16, COUNTERS = 128, SCRATCH = 2 * THREADS;
constexpr int ALL_SCRATCH = (SCRATCH + THREADS) * BLOCKS;  // of each block, then of the grid
constexpr int OWN = 512 * THREADS * BLOCKS;

// The bits of a value, for checksums: all NaNs are one, and both zeros.
__device__ inline u64 bits(f32 x) { return x != x ? 1 : x == 0 ? 0 : __float_as_uint(x); }
__device__ inline u64 bits(f64 x) { return x != x ? 1 : x == 0 ? 0 : u64(__double_as_longlong(x)); }
template <typename T>
__device__ u64 bits(T x) {
  return u64(x);
}
__device__ inline u64 mixed(u64 sum, u64 x) { return (sum ^ x) * 0x9e3779b97f4a7c15u + (sum >> 29); }

// A value to be stored as it is: the sign and the payload of a NaN are the processor's.
__device__ inline f32 number(f32 x) { return x != x ? 1.0f : x; }
__device__ inline u32 number(u32 x) { return x; }

// The floats of `x` as textures of linear memory.
__device__ cudaTextureObject_t linear, linear_of_four;

struct Device {
  i32 *in;
  u64 *out;
  u32 *counters;
  i32 *scratch;
  f32 *x;
  u8 *own;
};

// Numbers without rounding, and now and then one of those that arithmetic treats apart.
inline f32 some_float(u32 number, u32 bits) {
  const f32 special[] = {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, NAN, 1e-40f, 3e38f, -1.0f};
  return number % 61 == 60 ? special[bits >> 13 & 7] : f32(i32(bits >> 16) - 32768) * 0.125f;
}

// A size that the compiler does not see.
inline u32 unknown(u32 size) {
  volatile u32 x = size;
  return x;
}

// One line a launch: what it left in memory.
struct Launches {
  Device device;
  size_t sizes[4] = {};

  Launches() {
    static i32 values[INPUTS];
    static f32 floats[FLOATS];
    u32 state = 12345;
    for (i32 &value : values) {
      state = state * 1664525u + 1013904223u;
      value = i32(state >> (state >> 28 & 1 ? 24 : 3));
    }
    for (u32 i = 0; i < FLOATS; ++i) {
      state = state * 1664525u + 1013904223u;
      floats[i] = some_float(i, state);
    }
    cudaMalloc(&device.in, sizeof values);
    cudaMemcpy(device.in, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMalloc(&device.x, sizeof floats);
    cudaMemcpy(device.x, floats, sizeof floats, cudaMemcpyHostToDevice);
    cudaMalloc(&device.out, sizeof(u64) * THREADS * BLOCKS);
    cudaMalloc(&device.counters, sizeof(u32) * COUNTERS);
    cudaMalloc(&device.scratch, sizeof(i32) * ALL_SCRATCH);
    cudaMalloc(&device.own, OWN);
    bind<f32>(linear);
    bind<float4>(linear_of_four);
  }

  // `x` as a texture of linear memory.
  template <typename T>
  void bind(cudaTextureObject_t &symbol) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device.x;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = sizeof(f32) * FLOATS;
    cudaTextureDesc texture = {};
    cudaTextureObject_t made = 0;
    cudaCreateTextureObject(&made, &resource, &texture, nullptr);
    cudaMemcpyToSymbol(symbol, &made, sizeof made);
  }

  // `own`: the bytes of the fields of all threads; `outs`: results; `scratch`: numbers of that array.
  void begin(size_t own = 0, size_t outs = THREADS * BLOCKS, size_t scratch = ALL_SCRATCH) {
    sizes[0] = sizeof(u64) * outs;
    sizes[1] = sizeof(u32) * COUNTERS;
    sizes[2] = sizeof(i32) * scratch;
    sizes[3] = own;
    cudaMemset(device.out, 0, sizes[0]);
    cudaMemset(device.counters, 0x11, sizes[1] / 2);
    cudaMemset(device.counters + COUNTERS / 2, 0, sizes[1] / 2);
    cudaMemset(device.scratch, 0x22, sizes[2]);
    cudaMemset(device.own, 0x33, sizes[3]);
    cudaDeviceSynchronize();  // there are streams that do not wait for the default stream
  }

  template <typename K>
  void cooperative(K *kernel, dim3 grid, dim3 block, size_t shared, u32 n, u32 a, f32 f) {
    void *arguments[] = {&device.in, &device.out, &device.counters, &device.scratch, &device.x, &device.own, &n,
                         &a,         &f};
    cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared, nullptr);
  }

  void end(const char *name) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    u64 sums[4] = {};
    const void *pointers[4] = {device.out, device.counters, device.scratch, device.own};
    for (int i = 0; i < 4 && error == cudaSuccess; ++i) {
      u64 *words = (u64 *)std::malloc(sizes[i] + 8);
      cudaMemcpy(words, pointers[i], sizes[i], cudaMemcpyDeviceToHost);
      u64 sum = 0xcbf29ce484222325u;
      for (const u64 *word = words, *end = words + sizes[i] / sizeof(u64); word < end; ++word) {
        sum = (sum ^ *word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 31;
      }
      sums[i] = sum;
      std::free(words);
    }
    std::printf("%s %016llx %016llx %016llx %016llx %s\n", name, sums[0], sums[1], sums[2], sums[3],
                error == cudaSuccess ? "" : cudaGetErrorString(error));
    std::fflush(stdout);
  }
};
