// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Devices and errors / cuda_occupancy.h
//
// The occupancy calculator over registers, block sizes, shared memory, caches and barriers: a checksum of all answers
// for each compute capability, as CUDA's own header gives them.
#include <cuda_occupancy.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <initializer_list>

struct Lines {
  int count;
  unsigned hash;
  void begin() { count = 0, hash = 2166136261u; }
  void add(const char *format, ...) {
    char text[200];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    for (const char *at = text; *at; ++at) hash = (hash ^ static_cast<unsigned char>(*at)) * 16777619u;
    ++count;
  }
};

static Lines lines;

static void device(cudaOccDeviceProp &p, int major, int minor, int threads, size_t shared, size_t optin,
                   size_t reserved) {
  p.computeMajor = major;
  p.computeMinor = minor;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = threads;
  p.regsPerBlock = 65536;
  p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.sharedMemPerBlock = 49152;
  p.sharedMemPerMultiprocessor = shared;
  p.numSms = 80;
  p.sharedMemPerBlockOptin = optin;
  p.reservedSharedMemPerBlock = reserved;
}
int main() {
  struct {
    int ma, mi, th;
    size_t sh, op, re;
  } devs[] = {{6, 1, 2048, 98304, 49152, 0},       {7, 0, 2048, 98304, 98304, 0},
              {7, 5, 1024, 65536, 65536, 0},       {8, 0, 2048, 167936, 166912, 1024},
              {8, 6, 1536, 102400, 101376, 1024},  {8, 7, 1536, 167936, 166912, 1024},
              {8, 9, 1536, 102400, 101376, 1024},  {9, 0, 2048, 233472, 232448, 1024},
              {10, 0, 2048, 233472, 232448, 1024}, {12, 0, 1536, 102400, 101376, 1024}};
  for (auto &v : devs) {
    cudaOccDeviceProp p;
    device(p, v.ma, v.mi, v.th, v.sh, v.op, v.re);
    lines.begin();
    int regs[] = {0, 16, 32, 33, 64, 128, 255};
    int blocks[] = {1, 32, 64, 96, 128, 160, 256, 512, 768, 1024};
    for (int r : regs)
      for (int b : blocks) {
        cudaOccFuncAttributes a;
        a.maxThreadsPerBlock = 1024;
        a.numRegs = r;
        a.sharedSizeBytes = 0;
        a.numBlockBarriers = 1;
        cudaOccDeviceState s;
        cudaOccResult o;
        memset(&o, 0, sizeof o);
        int e = cudaOccMaxActiveBlocksPerMultiprocessor(&o, &p, &a, &s, b, 0);
        lines.add("r%d b%d: %d %d lim %x %d %d %d %d %d regs %d sh %zu gc %d\n", r, b, e,
                  o.activeBlocksPerMultiprocessor, o.limitingFactors, o.blockLimitRegs, o.blockLimitSharedMem,
                  o.blockLimitWarps, o.blockLimitBlocks, o.blockLimitBarriers, o.allocatedRegistersPerBlock,
                  o.allocatedSharedMemPerBlock, (int)o.partitionedGCConfig);
      }
    size_t shared[] = {0, 1, 1000, 8192, 30000, 49152, 49153, 65536, 98304, 101376, 166912, 232448, 240000};
    for (size_t st : {(size_t)0, (size_t)2048})
      for (size_t sh : shared)
        for (int carve : {-1, 0, 25, 50, 100})
          for (int cache : {0, 1, 2, 3})
            for (int lim : {0, 1}) {
              if (carve != -1 && cache != 0 && cache != 2) continue;
              cudaOccFuncAttributes a;
              a.maxThreadsPerBlock = 1024;
              a.numRegs = 32;
              a.sharedSizeBytes = st;
              a.numBlockBarriers = 1;
              a.shmemLimitConfig = (cudaOccFuncShmemConfig)lim;
              a.maxDynamicSharedSizeBytes = 1 << 20;
              cudaOccDeviceState s;
              s.carveoutConfig = carve;
              s.cacheConfig = (cudaOccCacheConfig)cache;
              cudaOccResult o;
              memset(&o, 0, sizeof o);
              int e = cudaOccMaxActiveBlocksPerMultiprocessor(&o, &p, &a, &s, 128, sh);
              lines.add("st%zu dy%zu c%d k%d l%d: %d %d lim %x sh %d alloc %zu\n", st, sh, carve, cache, lim, e,
                        o.activeBlocksPerMultiprocessor, o.limitingFactors, o.blockLimitSharedMem,
                        o.allocatedSharedMemPerBlock);
            }
    for (int bars : {1, 2, 3, 8, 16})
      for (int gc : {0}) {
        cudaOccFuncAttributes a;
        a.maxThreadsPerBlock = 512;
        a.numRegs = 32;
        a.sharedSizeBytes = 0;
        a.numBlockBarriers = bars;
        a.partitionedGCConfig = (cudaOccPartitionedGCConfig)gc;
        cudaOccDeviceState s;
        cudaOccResult o;
        memset(&o, 0, sizeof o);
        for (int b : {64, 512, 544}) {
          int e = cudaOccMaxActiveBlocksPerMultiprocessor(&o, &p, &a, &s, b, 0);
          lines.add("bars%d gc%d b%d: %d %d lim %x %d %d %d %d bar %d gc %d\n", bars, gc, b, e,
                    o.activeBlocksPerMultiprocessor, o.limitingFactors, o.blockLimitRegs, o.blockLimitSharedMem,
                    o.blockLimitWarps, o.blockLimitBlocks, o.blockLimitBarriers, (int)o.partitionedGCConfig);
        }
      }
    for (int r : {16, 40, 100, 255})
      for (size_t sh : {(size_t)0, (size_t)5000, (size_t)40000}) {
        cudaOccFuncAttributes a;
        a.maxThreadsPerBlock = 1000;
        a.numRegs = r;
        a.sharedSizeBytes = 100;
        a.numBlockBarriers = 1;
        cudaOccDeviceState s;
        int g = -1, b = -1;
        int e = cudaOccMaxPotentialOccupancyBlockSize(&g, &b, &p, &a, &s, 0, sh);
        lines.add("best r%d sh%zu: %d %d %d\n", r, sh, e, g, b);
        e = cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(&g, &b, &p, &a, &s, [](int n) { return (size_t)n * 40; });
        lines.add("best var r%d: %d %d %d\n", r, e, g, b);
        for (int nb : {1, 2, 5, 16, 33}) {
          size_t bytes = 0;
          e = cudaOccAvailableDynamicSMemPerBlock(&bytes, &p, &a, &s, nb, 128);
          lines.add("avail r%d n%d: %d %zu\n", r, nb, e, bytes);
        }
      }
    printf("compute capability %d.%d: %d answers, %08x\n", v.ma, v.mi, lines.count, lines.hash);
  }
  return 0;
}
