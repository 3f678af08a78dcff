// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time of an all-reduce of floats among processes, by NCCL and by MPI side by side in one run: both on the same ranks,
// which mpiexec has started. One line a size: bytes, microseconds of each, and their ratio.
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

template <class Work>
double microseconds(int repeats, const Work &work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) work();
  double elapsed = (MPI_Wtime() - start) / repeats * 1e6, longest = 0;
  MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest;
}

}  // namespace

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::size_t most = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256UL << 20;
  ncclUniqueId id;
  if (rank == 0 && ncclGetUniqueId(&id) != ncclSuccess) return 1;
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t comm;
  if (ncclCommInitRank(&comm, size, id, rank) != ncclSuccess) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *from = nullptr, *to = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&from), most);
  cudaMalloc(reinterpret_cast<void **>(&to), most);
  std::fill(from, from + most / 4, 1.0F);
  for (std::size_t bytes = 1024; bytes <= most; bytes *= 4) {
    const std::size_t count = bytes / 4;
    const int repeats = static_cast<int>(std::clamp<std::size_t>((64UL << 20) / bytes, 3, 2000));
    const auto by_nccl = [&] {
      ncclAllReduce(from, to, count, ncclFloat, ncclSum, comm, stream);
      cudaStreamSynchronize(stream);
    };
    const auto by_mpi = [&] { MPI_Allreduce(from, to, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); };
    double ours = 1e30, theirs = 1e30;
    for (int turn = 0; turn < 5; ++turn) {
      ours = std::min(ours, microseconds(repeats, by_nccl));
      if (to[count - 1] != static_cast<float>(size)) return 2;
      theirs = std::min(theirs, microseconds(repeats, by_mpi));
    }
    if (rank == 0) {
      std::printf("%10zu %12.2f %12.2f %6.2f\n", bytes, ours, theirs, ours / theirs);
      std::fflush(stdout);
    }
  }
  ncclCommDestroy(comm);
  MPI_Finalize();
  return 0;
}
