// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a GPU refuses, one thing for each argument; `legal` is what it takes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

__global__ void scale(float *values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;
}

__global__ void sum4(const char *bytes, int offset, float4 *out) {
  *out = *reinterpret_cast<const float4 *>(bytes + offset);
}

struct Node {
  int value;
  Node *next;
};
__device__ __noinline__ int follow(const Node *node) {
  int total = 0;
  while (node != nullptr) total += node->value, node = node->next;
  return total;
}
__global__ void walk(const Node *node, int *total) { *total = follow(node); }

__device__ int table[64];
__global__ void legal(const int *in, int *out, int n) {
  __shared__ int tile[128];
  extern __shared__ int dynamic[];
  int own[8];
  for (int k = 0; k < 8; ++k) own[k] = in[(threadIdx.x + k) % n];
  const int *const chosen[] = {in, tile, own, table};
  tile[threadIdx.x] = dynamic[threadIdx.x] = own[threadIdx.x % 8];
  __syncthreads();
  int *const heap = static_cast<int *>(malloc(16));
  heap[threadIdx.x % 4] = 5;
  out[threadIdx.x] = chosen[threadIdx.x % 4][threadIdx.x % 8] + dynamic[127 - threadIdx.x] + heap[threadIdx.x % 4];
  free(heap);
}

static float variable[64];

static void report(const char *what) {
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
}

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  float *device, *managed, *pinned;
  cudaMalloc(&device, 4096);
  cudaMallocManaged(&managed, 4096);
  cudaMallocHost(&pinned, 4096);
  std::vector<float> host(1024, 1.0f);
  cudaMemcpy(device, host.data(), 4096, cudaMemcpyHostToDevice);
  if (what == "legal") {
    int *in, *out;
    cudaMalloc(&in, 512), cudaMalloc(&out, 512);
    cudaMemset(in, 1, 512);
    legal<<<2, 128, 512>>>(in, out, 100);
    scale<<<4, 256>>>(managed, 1024);
    scale<<<4, 256>>>(pinned, 1024);
    pinned[0] = 3;
    report("legal");
    managed[5] = 2;
    scale<<<4, 256>>>(managed, 1024);
    cudaDeviceSynchronize();
    int first[128];
    cudaMemcpy(first, out, 512, cudaMemcpyDeviceToHost);
    std::printf("%g %d\n", managed[5], first[3] != 0);
  }
  if (what == "host_reads") std::printf("%g\n", device[1]);
  if (what == "host_writes") device[2] = 1;
  if (what == "managed") {
    managed[0] = 1;
    scale<<<4, 256>>>(managed, 1024);
    std::printf("%g\n", managed[0]);
  }
  if (what == "heap") scale<<<4, 256>>>(host.data(), 1024), report("heap");
  if (what == "large") {
    float *large = static_cast<float *>(std::malloc(64 << 20));
    std::memset(large, 0, 64 << 20);
    scale<<<4, 256>>>(large, 1024), report("large");
  }
  if (what == "stack") {
    float local[64] = {};
    scale<<<1, 64>>>(local, 64), report("stack");
  }
  if (what == "variable") scale<<<1, 64>>>(variable, 64), report("variable");
  if (what == "misaligned") {
    sum4<<<1, 1>>>(reinterpret_cast<const char *>(device), 4, reinterpret_cast<float4 *>(pinned));
    report("misaligned");
  }
  if (what == "list") {
    Node second = {5, nullptr}, *first;
    const Node made = {3, &second};
    int *total;
    cudaMalloc(&first, sizeof(Node)), cudaMalloc(&total, 4);
    cudaMemcpy(first, &made, sizeof(Node), cudaMemcpyHostToDevice);
    walk<<<1, 1>>>(first, total);
    report("list");
  }
  if (what == "attached") {  // to the host, and to a stream without work
    float *hosts, *streams;
    cudaStream_t idle;
    cudaStreamCreate(&idle);
    cudaMallocManaged(&hosts, 64, cudaMemAttachHost);
    cudaMallocManaged(&streams, 64);
    cudaStreamAttachMemAsync(idle, streams, 0, cudaMemAttachSingle);
    scale<<<4, 256>>>(managed, 1024);
    hosts[0] = streams[0] = 2;
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaEventRecord(event);
    cudaEventSynchronize(event);
    managed[0] = hosts[0] + streams[0];
    std::printf("%g\n", managed[0]);
  }
  if (what == "callback") {  // the host's code, though a stream calls it
    cudaLaunchHostFunc(nullptr, [](void *memory) { static_cast<float *>(memory)[0] = 1; }, device);
    report("callback");
  }
  if (what == "attribute") {
    int concurrent;
    cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, 0);
    std::printf("%d\n", concurrent);
  }
  if (what == "copy") {
    const cudaError_t to = cudaMemcpy(host.data(), pinned + 0, 64, cudaMemcpyDeviceToHost);
    const cudaError_t error = cudaMemcpy(host.data() + 64, host.data(), 64, cudaMemcpyDeviceToHost);
    std::printf("copy: %s %s\n", cudaGetErrorName(to), cudaGetErrorName(error));
  }
}
