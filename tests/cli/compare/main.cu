// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several translation units: static and shared variables, functions called through pointers, virtual functions, a
// destructor of host and device (which has two names), a child grid, a stream that waits for the host, pinned memory
// that a host thread writes meanwhile.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

typedef int (*Function)(int);
extern __device__ int total;
extern __device__ Function chosen;
__device__ int in_other_file(int);
extern __global__ void other(int *out);

static __device__ int calls = 1;
__constant__ int step = 5;

static __device__ int twice(int x) { return 2 * x; }

struct Shape {
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ int area() const override { return side * side; }
};
__device__ Shape *shape;

struct Counted {
  int *count;
  __host__ __device__ explicit Counted(int *count);
  __host__ __device__ ~Counted();
};
__host__ __device__ Counted::Counted(int *count) : count(count) { *count += 1; }
__host__ __device__ Counted::~Counted() { *count += 10; }

__global__ void prepare() {
  chosen = twice;
  auto *square = new Square;
  square->side = 7;
  shape = square;
}
__global__ void use(int *out) {
  if (threadIdx.x == 0) delete new Counted(&out[101]);
  out[threadIdx.x] = chosen(threadIdx.x) + in_other_file(step) + shape->area() + (chosen == twice);
  if (threadIdx.x == 0) {
    total += 1;
    calls += total;
    out[100] = calls;
  }
}
__global__ void parent(int *out) {
  if (threadIdx.x == 0) other<<<1, 32>>>(out);
}
__global__ void waits(volatile int *flag) {
  flag[1] = 1;
  while (*flag == 0) {
  }
  flag[1] = 42;
}

int main() {
  int *out, *flag, five = 6;
  cudaMallocManaged(&out, 1024);
  cudaMallocHost(&flag, 1 << 20);
  flag[0] = flag[1] = 0;
  cudaMemcpyToSymbol(step, &five, sizeof five);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 2; !stop; i = i % 1000 + 2) flag[i] = i;
  });
  prepare<<<1, 1>>>();
  for (int i = 0; i < 3; ++i) use<<<1, 64>>>(out);
  parent<<<1, 32>>>(out + 128);
  cudaDeviceSynchronize();
  {
    const Counted counted(&out[101]);
  }
  std::printf("%d %d %d %d %d\n", out[3], out[63], out[100], out[101], out[128 + 5]);
  stop = true;
  writer.join();
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  waits<<<1, 1, 0, stream>>>(flag);
  while (static_cast<volatile int *>(flag)[1] == 0) std::this_thread::yield();  // it has begun
  std::thread later([flag] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    *static_cast<volatile int *>(flag) = 1;
  });
  cudaStreamSynchronize(stream);
  later.join();
  std::printf("%d\n", flag[1]);
}
