// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Memory / cuPointerGetAttribute, cuMemAdvise, cuMemPrefetchAsync
// What the driver API says of pointers of each kind, and of advice on managed memory.
#include <sys/mman.h>

#include "driver.h"

CUcontext context;

const char *kind_of(unsigned type) {
  return type == CU_MEMORYTYPE_HOST ? "host" : type == CU_MEMORYTYPE_DEVICE ? "device" : "other";
}

void attributes_of(const char *what, CUdeviceptr pointer) {
  std::printf("-- %s\n", what);
  unsigned type = 77;
  CUresult result = cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
  show("memory type", result);
  if (result == CUDA_SUCCESS) std::printf("  %s\n", kind_of(type));
  CUcontext owner = nullptr;
  show("context", cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, pointer));
  std::printf("  %s\n", owner == context ? "the primary" : owner ? "another" : "none");
  CUdeviceptr address = 1;
  show("device pointer", cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, pointer));
  std::printf("  %s\n", address == pointer ? "the same" : address == 1 ? "untouched" : address ? "another" : "null");
  address = 1;
  show("host pointer", cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_HOST_POINTER, pointer));
  std::printf("  %s\n", address == pointer ? "the same" : address == 1 ? "untouched" : address ? "another" : "null");
  unsigned managed = 77;
  show("managed", cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer));
  std::printf("  %u\n", managed);
  int ordinal = -77;
  show("device", cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
  std::printf("  %d\n", ordinal);
  CUdeviceptr start = 1;
  size_t size = 1;
  show("start", cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, pointer));
  show("size", cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, pointer));
  std::printf("  %lld behind the start of %zu\n", start > 1 ? (long long)(pointer - start) : -1LL, size);
  unsigned mapped = 77;
  show("mapped", cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, pointer));
  std::printf("  %u\n", mapped);
  unsigned legacy = 77;
  show("legacy IPC", cuPointerGetAttribute(&legacy, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, pointer));
  std::printf("  %u\n", legacy & 0xff);
  unsigned long long handles = 77;
  show("handle types", cuPointerGetAttribute(&handles, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, pointer));
  std::printf("  %llu\n", handles);
  int flags = 77;
  show("access flags", cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, pointer));
  std::printf("  %d\n", flags);
  CUmemoryPool pool = reinterpret_cast<CUmemoryPool>(1);
  show("pool", cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pointer));
  std::printf("  %s\n", pool == reinterpret_cast<CUmemoryPool>(1) ? "untouched" : pool ? "one" : "none");
  int sync = 77;
  show("sync memops", cuPointerGetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointer));
  std::printf("  %d\n", sync & 0xff);
  size_t base = 0;
  CUdeviceptr first = 0;
  show("address range", cuMemGetAddressRange(&first, &base, pointer));
  std::printf("  %lld of %zu\n", first ? (long long)(pointer - first) : -1LL, base);
}

void several(const char *what, CUdeviceptr pointer) {
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  CU_POINTER_ATTRIBUTE_IS_MANAGED,     CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                  CU_POINTER_ATTRIBUTE_DEVICE_POINTER, CU_POINTER_ATTRIBUTE_HOST_POINTER};
  unsigned type = 77, managed = 77;
  int ordinal = 77;
  size_t size = 77;
  CUdeviceptr on_device = 77, on_host = 77;
  void *data[] = {&type, &ordinal, &managed, &size, &on_device, &on_host};
  show(what, cuPointerGetAttributes(6, wanted, data, pointer));
  std::printf("  type %u, device %d, managed %u, size %zu, device %s, host %s\n", type, ordinal, managed, size,
              on_device == pointer ? "same"
              : on_device == 77    ? "untouched"
              : on_device          ? "other"
                                   : "null",
              on_host == pointer ? "same"
              : on_host == 77    ? "untouched"
              : on_host          ? "other"
                                 : "null");
}

void refused(CUdeviceptr memory) {
  unsigned value = 0;
  show("to nowhere", cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  show("attribute 99", cuPointerGetAttribute(&value, static_cast<CUpointer_attribute>(99), memory));
  show("attribute 0", cuPointerGetAttribute(&value, static_cast<CUpointer_attribute>(0), memory));
  show("of null", cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 0));
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, static_cast<CUpointer_attribute>(99)};
  void *data[] = {&value, &value};
  show("none", cuPointerGetAttributes(0, wanted, data, memory));
  show("one of two", cuPointerGetAttributes(2, wanted, data, memory));
  show("no list", cuPointerGetAttributes(1, nullptr, data, memory));
  show("no data", cuPointerGetAttributes(1, wanted, nullptr, memory));
  int on = 1;
  show("set sync", cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  int sync = 77;
  show("get sync", cuPointerGetAttribute(&sync, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  std::printf("  %d\n", sync & 0xff);
  show("set type", cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  show("set of null", cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, 0));
  show("set from nowhere", cuPointerSetAttribute(nullptr, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
}

void range(const char *what, CUdeviceptr memory, size_t size) {
  int read_mostly = -77, preferred = -77, accessed[3] = {-77, -77, -77}, prefetched = -77;
  void *data[] = {&read_mostly, &preferred, accessed, &prefetched};
  size_t sizes[] = {4, 4, 12, 4};
  CUmem_range_attribute wanted[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                                    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION};
  show(what, cuMemRangeGetAttributes(data, sizes, wanted, 4, memory, size));
  std::printf("  read mostly %d, preferred %d, accessed by %d %d %d, prefetched %d\n", read_mostly, preferred,
              accessed[0], accessed[1], accessed[2], prefetched);
  int types[2] = {-77, -77}, ids[2] = {-77, -77};
  show("preferred type",
       cuMemRangeGetAttribute(&types[0], 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, memory, size));
  show("preferred id", cuMemRangeGetAttribute(&ids[0], 4, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, memory, size));
  show("prefetched type",
       cuMemRangeGetAttribute(&types[1], 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, memory, size));
  show("prefetched id",
       cuMemRangeGetAttribute(&ids[1], 4, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, memory, size));
  std::printf("  %d %d, %d %d\n", types[0], ids[0], types[1], ids[1]);
}

void advice() {
  CUdeviceptr memory = 0, plain = 0;
  const size_t size = 4 << 20;
  DRIVE(cuMemAllocManaged(&memory, size, CU_MEM_ATTACH_GLOBAL));
  DRIVE(cuMemAlloc(&plain, 4096));
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, cpu = {CU_MEM_LOCATION_TYPE_HOST, 0},
                      numa = {CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT, 0}, ninth = {CU_MEM_LOCATION_TYPE_DEVICE, 99},
                      none = {CU_MEM_LOCATION_TYPE_INVALID, 0};
  range("at first", memory, size);
  show("read mostly", cuMemAdvise(memory, size, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  show("preferred", cuMemAdvise(memory, size, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
  show("accessed by the host", cuMemAdvise(memory, size, CU_MEM_ADVISE_SET_ACCESSED_BY, cpu));
  show("accessed by", cuMemAdvise(memory, size, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
  show("prefetch", cuMemPrefetchAsync(memory, size, here, 0, nullptr));
  range("advised", memory, size);
  show("unset accessed by", cuMemAdvise(memory, size, CU_MEM_ADVISE_UNSET_ACCESSED_BY, here));
  show("unset read mostly", cuMemAdvise(memory, size, CU_MEM_ADVISE_UNSET_READ_MOSTLY, none));
  show("preferred on the host", cuMemAdvise(memory, size, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, cpu));
  show("prefetch to the host", cuMemPrefetchAsync(memory, size, cpu, 0, nullptr));
  range("changed", memory, size);
  show("unset preferred", cuMemAdvise(memory, size, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, none));
  show("prefetch to this node", cuMemPrefetchAsync(memory, size, numa, 0, nullptr));
  show("no such device", cuMemPrefetchAsync(memory, size, ninth, 0, nullptr));
  show("nowhere", cuMemPrefetchAsync(memory, size, none, 0, nullptr));
  show("flags", cuMemPrefetchAsync(memory, size, here, 1, nullptr));
  show("nothing", cuMemPrefetchAsync(memory, 0, here, 0, nullptr));
  show("too much", cuMemPrefetchAsync(memory, size + (2 << 20), here, 0, nullptr));
  show("device memory", cuMemPrefetchAsync(plain, 4096, here, 0, nullptr));
  show("advice on device memory", cuMemAdvise(plain, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  show("unknown advice", cuMemAdvise(memory, size, static_cast<CUmem_advise>(99), here));
  show("advice to no device", cuMemAdvise(memory, size, CU_MEM_ADVISE_SET_ACCESSED_BY, ninth));
  int value[2] = {};
  show("odd size", cuMemRangeGetAttribute(value, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, size));
  show("larger", cuMemRangeGetAttribute(value, 8, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, memory, size));
  show("unknown", cuMemRangeGetAttribute(value, 4, static_cast<CUmem_range_attribute>(99), memory, size));
  show("of device memory", cuMemRangeGetAttribute(value, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, plain, 4096));
  CUdeviceptr pieces[] = {memory, memory + 4096};
  size_t sizes[] = {4096, 4096}, firsts[] = {0};
  CUmemLocation places[] = {here};
  CUstream stream;
  DRIVE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  show("batch", cuMemPrefetchBatchAsync(pieces, sizes, 2, places, firsts, 1, 0, stream));
  show("batch without a stream", cuMemPrefetchBatchAsync(pieces, sizes, 2, places, firsts, 1, 0, nullptr));
  show("batch of none", cuMemPrefetchBatchAsync(pieces, sizes, 0, places, firsts, 1, 0, stream));
  show("batch with flags", cuMemPrefetchBatchAsync(pieces, sizes, 2, places, firsts, 1, 1, stream));
  show("discard", cuMemDiscardBatchAsync(pieces, sizes, 2, 0, stream));
  show("discard and prefetch", cuMemDiscardAndPrefetchBatchAsync(pieces, sizes, 2, places, firsts, 1, 0, stream));
  show("discard device memory", cuMemDiscardBatchAsync(&plain, sizes, 1, 0, stream));
  DRIVE(cuStreamSynchronize(stream));
}

int main() {
  context = current_context();
  CUdeviceptr plain = 0, managed = 0, pooled = 0;
  void *pinned = nullptr;
  std::vector<char> ordinary(1 << 16);
  void *pages = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  DRIVE(cuMemAlloc(&plain, 1000));
  DRIVE(cuMemAllocManaged(&managed, 5000, CU_MEM_ATTACH_GLOBAL));
  DRIVE(cuMemHostAlloc(&pinned, 3000, CU_MEMHOSTALLOC_DEVICEMAP));
  DRIVE(cuMemHostRegister(pages, 8192, 0));
  DRIVE(cuMemAllocAsync(&pooled, 700, nullptr));
  DRIVE(cuStreamSynchronize(nullptr));
  attributes_of("device memory", plain);
  attributes_of("inside", plain + 100);
  attributes_of("managed", managed + 8);
  attributes_of("pinned", device(pinned) + 16);
  attributes_of("registered", device(pages) + 4096);
  attributes_of("from a pool", pooled);
  attributes_of("ordinary", device(ordinary.data()));
  several("several of device memory", plain + 100);
  several("several of managed memory", managed);
  several("several of pinned memory", device(pinned));
  several("several of ordinary memory", device(ordinary.data()));
  several("several of null", 0);
  refused(plain);
  DRIVE(cuMemFree(plain));
  attributes_of("freed", plain);
  advice();
  return 0;
}
