// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// arch: sm_90
// feature: Cooperative groups / clusters of blocks, distributed shared memory
//
// Blocks of a cluster read and add to each other's shared memory, in launches whose clusters come from the kernel, from
// an attribute of the launch, or are not there.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

// Each thread of the cluster passes its value one block on, by barrier.
__global__ void __cluster_dims__(4, 1, 1) rotate(const int *in, int *out) {
  __shared__ int mine[48];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[threadIdx.x] = in[i];
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int *const theirs = cluster.map_shared_rank(mine, next);
  const int value = theirs[threadIdx.x] + (cluster.query_shared_rank(theirs) == next ? 0 : 1000000);
  cluster.barrier_wait(cluster.barrier_arrive());
  out[i] = value;
}

// A histogram whose bins lie over the blocks of the cluster.
__global__ void histogram(const unsigned *values, int n, int bins, int *out) {
  extern __shared__ int part[];
  cg::cluster_group cluster = cg::this_cluster();
  const int each = bins / static_cast<int>(cluster.num_blocks());
  for (int i = threadIdx.x; i < each; i += blockDim.x) part[i] = 0;
  cluster.sync();
  const cg::grid_group grid = cg::this_grid();
  const int threads = static_cast<int>(grid.size());
  for (int i = static_cast<int>(grid.thread_rank()); i < n; i += threads) {
    const int bin = static_cast<int>(values[i] % static_cast<unsigned>(bins));
    atomicAdd(cluster.map_shared_rank(part, bin / each) + bin % each, 1);
  }
  cluster.sync();
  const int first = static_cast<int>(cluster.block_rank()) * each;
  for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&out[first + i], part[i]);
}

__global__ void places(unsigned *out) {
  cg::cluster_group cluster = cg::this_cluster();
  const dim3 block = cluster.block_index(), dim = cluster.dim_blocks();
  const unsigned at = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x != 0) return;
  out[at] = cluster.block_rank() | block.x << 8 | block.y << 12 | block.z << 16 | (dim.x * dim.y * dim.z) << 20;
  const cg::grid_group grid = cg::this_grid();
  if (cluster.num_threads() != blockDim.x * cluster.num_blocks() ||
      grid.num_clusters() * cluster.num_blocks() != gridDim.x * gridDim.y * gridDim.z) {
    out[at] = ~0u;
  }
}

// Threads that end early do not hold the others up.
__global__ void __cluster_dims__(2) early(int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  cg::thread_group group = cg::this_cluster();
  group.sync();
  if (threadIdx.x % 3 == 0) return;
  atomicAdd(cg::this_cluster().map_shared_rank(&sum, 0), static_cast<int>(group.thread_rank()));
  group.sync();
  if (threadIdx.x == 1) out[blockIdx.x] = *cg::this_cluster().map_shared_rank(&sum, 0);
  group.sync();
}

static cudaLaunchConfig_t configuration(dim3 grid, dim3 block, size_t shared, dim3 cluster,
                                        cudaLaunchAttribute *attribute) {
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = cluster.x;
  attribute->val.clusterDim.y = cluster.y;
  attribute->val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.attrs = attribute;
  config.numAttrs = 1;
  return config;
}

int main() {
  constexpr int kBlocks = 20, kThreads = 48, n = kBlocks * kThreads, kBins = 96;
  int *in, *out;
  unsigned *values;
  CHECK(cudaMallocManaged(&in, n * sizeof *in));
  CHECK(cudaMallocManaged(&out, n * sizeof *out));
  CHECK(cudaMallocManaged(&values, n * sizeof *values));
  for (int i = 0; i < n; ++i) in[i] = i * 7, values[i] = static_cast<unsigned>(i) * 2654435761u >> 7;
  rotate<<<kBlocks, kThreads>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    const int block = i / kThreads, from = block / 4 * 4 + (block + 1) % 4;
    wrong += out[i] != in[from * kThreads + i % kThreads];
  }
  std::printf("rotate: %d wrong\n", wrong);

  cudaLaunchAttribute attribute;
  for (const unsigned size : {1u, 2u, 4u, 8u}) {
    for (int i = 0; i < kBins; ++i) out[i] = 0;
    const cudaLaunchConfig_t config = configuration(16, 33, kBins / size * sizeof(int), dim3(size), &attribute);
    CHECK(cudaLaunchKernelEx(&config, histogram, static_cast<const unsigned *>(values), n, kBins, out));
    CHECK(cudaDeviceSynchronize());
    int expected[kBins] = {}, differing = 0;
    for (int i = 0; i < n; ++i) ++expected[values[i] % kBins];
    for (int i = 0; i < kBins; ++i) differing += out[i] != expected[i];
    std::printf("histogram over %u blocks: %d wrong\n", size, differing);
  }

  cudaLaunchConfig_t config = configuration(dim3(4, 6, 2), 40, 0, dim3(2, 3, 1), &attribute);
  CHECK(cudaLaunchKernelEx(&config, places, values));
  CHECK(cudaDeviceSynchronize());
  int misplaced = 0;
  for (unsigned at = 0; at < 48; ++at) {
    const unsigned x = at % 4 % 2, y = at / 4 % 6 % 3;
    misplaced += values[at] != ((x + 2 * y) | x << 8 | y << 12 | 6u << 20);
  }
  std::printf("places: %d wrong\n", misplaced);
  places<<<3, 40>>>(values);
  CHECK(cudaDeviceSynchronize());
  std::printf("alone: %x %x %x\n", values[0], values[1], values[2]);

  early<<<6, 50>>>(out);
  CHECK(cudaDeviceSynchronize());
  std::printf("early: %d %d %d %d\n", out[0], out[1], out[4], out[5]);

  config = configuration(5, 32, 0, dim3(2), &attribute);
  std::printf("5 blocks in clusters of 2: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, places, values)));
  config = configuration(16, 32, 0, dim3(16), &attribute);
  std::printf("16 blocks: %s", cudaGetErrorName(cudaLaunchKernelEx(&config, places, values)));
  CHECK(cudaFuncSetAttribute(places, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  std::printf(", allowed: %s\n", cudaGetErrorName(cudaLaunchKernelEx(&config, places, values)));
  rotate<<<6, kThreads>>>(in, out);
  std::printf("6 blocks in clusters of 4: %s\n", cudaGetErrorName(cudaGetLastError()));
  int size = 0, active = 0;
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, rotate));
  std::printf("16 for a kernel of 4: %s\n",
              cudaGetErrorName(cudaOccupancyMaxPotentialClusterSize(&size, rotate, &config)));
  config = configuration(8, 32, 0, dim3(4), &attribute);
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, rotate, &config));
  CHECK(cudaOccupancyMaxActiveClusters(&active, rotate, &config));
  std::printf("rotate: %d wide, at most %d, %d\n", attributes.requiredClusterWidth, size, active > 0);
  config.numAttrs = 0;
  CHECK(cudaOccupancyMaxActiveClusters(&active, places, &config));
  std::printf("no clusters: %d\n", active);
  return 0;
}
