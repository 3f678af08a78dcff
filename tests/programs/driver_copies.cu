// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Memory / cuMemcpy3D, cuMemcpyAtoH, cuMemcpyBatchAsync, cuMemPoolCreate
// feature: Streams, events, graphs / cuStreamAddCallback, cuStreamWaitValue32
// Copies, fills, pools and what streams do between them, of the driver API.
#include "driver.h"

__global__ void add(int *data, int n, int amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += amount;
}

std::vector<int> numbers(int n, int first) {
  std::vector<int> all(n);
  for (int i = 0; i < n; ++i) all[i] = first + i;
  return all;
}

void fills() {
  CUdeviceptr memory = 0;
  size_t pitch = 0;
  std::vector<unsigned char> got(64 * 4), want(64 * 4, 0);
  DRIVE(cuMemAlloc(&memory, 64 * 4));
  DRIVE(cuMemsetD8(memory, 0, 64 * 4));
  DRIVE(cuMemsetD2D16(memory + 2, 64, 0x1234, 5, 2));
  DRIVE(cuMemsetD2D16Async(memory + 64 * 2, 64, 0x5678, 3, 2, nullptr));
  DRIVE(cuMemsetD2D32Async(memory + 32, 64, 0x9abcdef0, 4, 4, nullptr));
  DRIVE(cuMemcpyDtoH(got.data(), memory, got.size()));
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < (y < 2 ? 5 : 3); ++x) {
      const int at = y * 64 + 2 * x + (y < 2 ? 2 : 0);
      want[at] = y < 2 ? 0x34 : 0x78;
      want[at + 1] = y < 2 ? 0x12 : 0x56;
    }
    for (int x = 0; x < 4; ++x)
      for (int b = 0; b < 4; ++b) want[y * 64 + 32 + 4 * x + b] = 0x9abcdef0u >> (8 * b);
  }
  compare("fills", want, got);
  show("16 bits, odd", cuMemsetD2D16(memory + 1, 64, 1, 2, 2));
  show("16 bits, odd pitch", cuMemsetD2D16(memory, 63, 1, 2, 2));
  show("one row, odd pitch", cuMemsetD2D16(memory, 63, 1, 2, 1));
  show("pitch too small", cuMemsetD2D16(memory, 4, 1, 5, 2));
  show("too many rows", cuMemsetD2D16(memory, 64, 1, 5, 4096 * 1024));
  show("no rows", cuMemsetD2D16(memory, 64, 1, 5, 0));
  show("null", cuMemsetD2D16(0, 64, 1, 5, 1));
  show("pitched", cuMemAllocPitch(&memory, &pitch, 100, 3, 4));
  show("pitched, 5 bytes", cuMemAllocPitch(&memory, &pitch, 100, 3, 5));
}

void boxes() {
  const int w = 6, h = 5, d = 4, n = w * h * d;
  std::vector<int> source = numbers(n, 100), got(n, -1), want(n, -1);
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  shape.Width = w, shape.Height = h, shape.Depth = d, shape.Format = CU_AD_FORMAT_SIGNED_INT32, shape.NumChannels = 1;
  CUarray array = nullptr;
  DRIVE(cuArray3DCreate(&array, &shape));
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = source.data(), copy.srcPitch = w * 4, copy.srcHeight = h;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = w * 4, copy.Height = h, copy.Depth = d;
  show("to an array", cuMemcpy3D(&copy));
  CUDA_MEMCPY3D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY, back.srcArray = array;
  back.srcXInBytes = 4, back.srcY = 1, back.srcZ = 2;
  back.dstMemoryType = CU_MEMORYTYPE_HOST, back.dstHost = got.data(), back.dstPitch = w * 4, back.dstHeight = h;
  back.dstXInBytes = 8, back.dstY = 2, back.dstZ = 1;
  back.WidthInBytes = 3 * 4, back.Height = 3, back.Depth = 2;
  show("a part of it", cuMemcpy3D(&back));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x) want[((z + 1) * h + y + 2) * w + x + 2] = source[((z + 2) * h + y + 1) * w + x + 1];
  compare("part", want, got);
  back.WidthInBytes = 6 * 4;
  show("too wide", cuMemcpy3D(&back));
  back.WidthInBytes = 0;
  show("no width", cuMemcpy3D(&back));
  back.WidthInBytes = 3 * 4, back.Depth = 3;
  show("too deep", cuMemcpy3D(&back));
  back.Depth = 2, back.srcMemoryType = static_cast<CUmemorytype>(9);
  show("no such memory", cuMemcpy3D(&back));
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY, back.srcLOD = 1;
  show("level", cuMemcpy3D(&back));
  show("no copy", cuMemcpy3D(nullptr));
  CUDA_ARRAY3D_DESCRIPTOR found = {};
  show("shape", cuArray3DGetDescriptor(&found, array));
  std::printf("  %zu %zu %zu, %d, %u, %u\n", found.Width, found.Height, found.Depth, static_cast<int>(found.Format),
              found.NumChannels, found.Flags);
  CUDA_ARRAY_DESCRIPTOR flat = {};
  show("flat shape of a box", cuArrayGetDescriptor(&flat, array));
  std::printf("  %zu %zu, %d, %u\n", flat.Width, flat.Height, static_cast<int>(flat.Format), flat.NumChannels);
  show("shape of nothing", cuArray3DGetDescriptor(&found, nullptr));
  CUdeviceptr memory = 0;
  DRIVE(cuMemAlloc(&memory, n * 4));
  CUDA_MEMCPY3D across = copy;
  across.dstMemoryType = CU_MEMORYTYPE_DEVICE, across.dstDevice = memory, across.dstPitch = w * 4, across.dstHeight = h;
  show("to memory", cuMemcpy3DAsync(&across, nullptr));
  std::vector<int> all(n);
  DRIVE(cuMemcpyDtoH(all.data(), memory, n * 4));
  compare("memory", source, all);
  CUDA_MEMCPY3D_PEER peer = {};
  peer.srcMemoryType = CU_MEMORYTYPE_DEVICE, peer.srcDevice = memory, peer.srcPitch = w * 4, peer.srcHeight = h;
  peer.dstMemoryType = CU_MEMORYTYPE_HOST, peer.dstHost = got.data(), peer.dstPitch = w * 4, peer.dstHeight = h;
  peer.WidthInBytes = w * 4, peer.Height = h, peer.Depth = d;
  CUcontext context = nullptr;
  DRIVE(cuCtxGetCurrent(&context));
  peer.srcContext = peer.dstContext = context;
  show("peer", cuMemcpy3DPeer(&peer));
  compare("peer", source, got);
  DRIVE(cuArrayDestroy(array));
}

void rows() {
  const int n = 40;
  std::vector<int> source = numbers(n, 7), got(n, -1), want(n, -1);
  CUDA_ARRAY_DESCRIPTOR shape = {n, 0, CU_AD_FORMAT_SIGNED_INT32, 1};
  CUarray array = nullptr, other = nullptr;
  CUdeviceptr memory = 0;
  DRIVE(cuArrayCreate(&array, &shape));
  DRIVE(cuArrayCreate(&other, &shape));
  DRIVE(cuMemAlloc(&memory, n * 4));
  show("HtoA", cuMemcpyHtoA(array, 0, source.data(), n * 4));
  show("AtoA", cuMemcpyAtoA(other, 40, array, 0, 20 * 4));
  show("AtoD", cuMemcpyAtoD(memory, other, 40, 20 * 4));
  show("DtoA", cuMemcpyDtoA(other, 0, memory, 10 * 4));
  show("AtoH", cuMemcpyAtoH(got.data(), other, 0, 30 * 4));
  for (int i = 0; i < 30; ++i) want[i] = i < 10 ? source[i] : source[i - 10];
  compare("row", want, got);
  show("HtoAAsync", cuMemcpyHtoAAsync(array, 8, source.data(), 16, nullptr));
  show("AtoHAsync", cuMemcpyAtoHAsync(got.data(), array, 8, 16, nullptr));
  DRIVE(cuStreamSynchronize(nullptr));
  report("as sent", 1, got[0] == 7 && got[3] == 10);
  show("behind the end", cuMemcpyHtoA(array, n * 4 - 4, source.data(), 8));
  show("no array", cuMemcpyHtoA(nullptr, 0, source.data(), 8));
  CUDA_ARRAY_DESCRIPTOR found = {};
  show("shape", cuArrayGetDescriptor(&found, array));
  std::printf("  %zu %zu, %d, %u\n", found.Width, found.Height, static_cast<int>(found.Format), found.NumChannels);
  CUDA_ARRAY3D_DESCRIPTOR levels = {};
  levels.Width = 16, levels.Height = 8, levels.Format = CU_AD_FORMAT_FLOAT, levels.NumChannels = 4;
  CUmipmappedArray pyramid = nullptr;
  show("pyramid", cuMipmappedArrayCreate(&pyramid, &levels, 3));
  CUarray level = nullptr;
  show("level 1", cuMipmappedArrayGetLevel(&level, pyramid, 1));
  CUDA_ARRAY3D_DESCRIPTOR box = {};
  show("shape", cuArray3DGetDescriptor(&box, level));
  std::printf("  %zu %zu %zu, %d, %u\n", box.Width, box.Height, box.Depth, static_cast<int>(box.Format),
              box.NumChannels);
  show("level 3", cuMipmappedArrayGetLevel(&level, pyramid, 3));
  show("destroy", cuMipmappedArrayDestroy(pyramid));
  show("destroy nothing", cuMipmappedArrayDestroy(nullptr));
}

void batches(CUstream stream) {
  const int n = 64;
  CUdeviceptr from = 0, to = 0;
  DRIVE(cuMemAlloc(&from, n * 4));
  DRIVE(cuMemAlloc(&to, n * 4));
  DRIVE(cuMemcpyHtoD(from, numbers(n, 0).data(), n * 4));
  DRIVE(cuMemsetD32(to, 0, n));
  CUdeviceptr targets[] = {to, to + 64, to + 128}, sources[] = {from + 128, from, from + 64};
  size_t sizes[] = {64, 32, 64}, firsts[] = {0};
  CUmemcpyAttributes how = {};
  how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  show("batch", cuMemcpyBatchAsync(targets, sources, sizes, 3, &how, firsts, 1, stream));
  DRIVE(cuStreamSynchronize(stream));
  std::vector<int> got(n), want(n, 0);
  DRIVE(cuMemcpyDtoH(got.data(), to, n * 4));
  for (int i = 0; i < 16; ++i) want[i] = 32 + i, want[32 + i] = 16 + i;
  for (int i = 0; i < 8; ++i) want[16 + i] = i;
  compare("batch", want, got);
  show("no attributes", cuMemcpyBatchAsync(targets, sources, sizes, 3, nullptr, nullptr, 0, stream));
  show("none", cuMemcpyBatchAsync(targets, sources, sizes, 0, &how, firsts, 1, stream));
  show("legacy stream", cuMemcpyBatchAsync(targets, sources, sizes, 3, &how, firsts, 1, nullptr));
  how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_INVALID;
  show("no order", cuMemcpyBatchAsync(targets, sources, sizes, 3, &how, firsts, 1, stream));
  how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  firsts[0] = 1;
  show("first is 1", cuMemcpyBatchAsync(targets, sources, sizes, 3, &how, firsts, 1, stream));
  sizes[1] = 0;
  firsts[0] = 0;
  show("an empty one", cuMemcpyBatchAsync(targets, sources, sizes, 3, &how, firsts, 1, stream));
  CUDA_MEMCPY3D_BATCH_OP op = {};
  op.src.type = op.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
  op.src.op.ptr.ptr = from, op.src.op.ptr.rowLength = 16, op.src.op.ptr.layerHeight = 4;
  op.dst.op.ptr.ptr = to, op.dst.op.ptr.rowLength = 32, op.dst.op.ptr.layerHeight = 8;
  op.extent.width = 16, op.extent.height = 4, op.extent.depth = 1;
  op.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
  show("box", cuMemcpy3DBatchAsync(1, &op, 0, stream));
  DRIVE(cuStreamSynchronize(stream));
  DRIVE(cuMemcpyDtoH(got.data(), to, n * 4));
  std::printf("  %08x %08x %08x\n", got[0], got[4], got[8]);
}

void pools(CUstream stream) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool = nullptr, other = nullptr;
  show("pool", cuMemPoolCreate(&pool, &properties));
  cuuint64_t threshold = 1 << 20, used = 77;
  show("set", cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  threshold = 0;
  show("get", cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  std::printf("  %llu\n", static_cast<unsigned long long>(threshold));
  CUdeviceptr memory = 0;
  show("allocate", cuMemAllocFromPoolAsync(&memory, 1000, pool, stream));
  show("used", cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  std::printf("  %s\n", used >= 1000 && used <= (2 << 20) ? "a little" : "something else");
  CUmemoryPool owner = nullptr;
  DRIVE(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, memory));
  report("owner", 1, owner == pool);
  CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  show("access", cuMemPoolGetAccess(&access, pool, &here));
  std::printf("  %d\n", static_cast<int>(access));
  CUmemAccessDesc allow = {here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  show("allow", cuMemPoolSetAccess(pool, &allow, 1));
  allow.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  show("forbid its own", cuMemPoolSetAccess(pool, &allow, 1));
  show("unknown attribute", cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(99), &used));
  show("free", cuMemFreeAsync(memory, stream));
  DRIVE(cuStreamSynchronize(stream));
  show("trim", cuMemPoolTrimTo(pool, 0));
  show("default", cuDeviceGetDefaultMemPool(&other, 0));
  show("default by place", cuMemGetDefaultMemPool(&owner, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  report("same", 1, owner == other);
  show("set for the device", cuDeviceSetMemPool(0, pool));
  show("by place", cuMemGetMemPool(&owner, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  report("same", 1, owner == pool);
  show("set by place", cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, other));
  DRIVE(cuDeviceGetMemPool(&owner, 0));
  report("same", 1, owner == other);
  show("destroy", cuMemPoolDestroy(pool));
  show("destroy the default", cuMemPoolDestroy(other));
  properties.location.id = 99;
  show("no such device", cuMemPoolCreate(&pool, &properties));
  properties.location.id = 0;
  properties.allocType = CU_MEM_ALLOCATION_TYPE_INVALID;
  show("no type", cuMemPoolCreate(&pool, &properties));
  show("no pool", cuMemPoolCreate(nullptr, &properties));
}

int calls = 0;
CUstream seen = nullptr;
void count_call(CUstream stream, CUresult status, void *data) {
  ++calls;
  seen = stream;
  *static_cast<int *>(data) = static_cast<int>(status);
}

void streams(CUstream stream) {
  int status = 77;
  show("callback", cuStreamAddCallback(stream, count_call, &status, 0));
  DRIVE(cuStreamSynchronize(stream));
  report("called", 1, calls);
  report("with its stream", 1, seen == stream);
  report("status", 0, status);
  show("callback with flags", cuStreamAddCallback(stream, count_call, &status, 1));
  show("no callback", cuStreamAddCallback(stream, nullptr, &status, 0));
  CUcontext current = nullptr, of_stream = nullptr;
  DRIVE(cuCtxGetCurrent(&current));
  show("context", cuStreamGetCtx(stream, &of_stream));
  report("same", 1, of_stream == current);
  CUdeviceptr words = 0;
  DRIVE(cuMemAlloc(&words, 64));
  DRIVE(cuMemsetD8(words, 0, 64));
  show("write", cuStreamWriteValue32(stream, words, 5, 0));
  show("write 64", cuStreamWriteValue64(stream, words + 8, 0x123456789abcull, 0));
  show("wait for 5", cuStreamWaitValue32(stream, words, 5, CU_STREAM_WAIT_VALUE_EQ));
  show("wait for 3 and more", cuStreamWaitValue32(stream, words, 3, CU_STREAM_WAIT_VALUE_GEQ));
  show("wait for a bit", cuStreamWaitValue64(stream, words + 8, 0x4, CU_STREAM_WAIT_VALUE_AND));
  show("odd address", cuStreamWriteValue32(stream, words + 2, 5, 0));
  show("unknown flag", cuStreamWaitValue32(stream, words, 5, 99));
  CUstreamBatchMemOpParams ops[2] = {};
  ops[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, ops[0].writeValue.address = words + 16;
  ops[0].writeValue.value = 42;
  ops[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, ops[1].waitValue.address = words + 16;
  ops[1].waitValue.value = 42, ops[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  show("batch", cuStreamBatchMemOp(stream, 2, ops, 0));
  show("empty batch", cuStreamBatchMemOp(stream, 0, ops, 0));
  DRIVE(cuStreamSynchronize(stream));
  unsigned got[8] = {};
  DRIVE(cuMemcpyDtoH(got, words, 32));
  std::printf("  %u %x %x %u\n", got[0], got[2], got[3], got[4]);
  // A wait that only the host's later write ends.
  unsigned *flag = nullptr;
  DRIVE(cuMemHostAlloc(reinterpret_cast<void **>(&flag), 64, CU_MEMHOSTALLOC_DEVICEMAP));
  *flag = 0;
  show("wait for the host", cuStreamWaitValue32(stream, device(flag), 1, CU_STREAM_WAIT_VALUE_GEQ));
  show("then write", cuStreamWriteValue32(stream, words, 6, 0));
  show("not yet", cuStreamQuery(stream));
  *reinterpret_cast<volatile unsigned *>(flag) = 1;
  DRIVE(cuStreamSynchronize(stream));
  DRIVE(cuMemcpyDtoH(got, words, 4));
  std::printf("  %u\n", got[0]);
  CUstreamAttrValue value = {};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  show("set policy", cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  value = {};
  show("get policy", cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  std::printf("  %d\n", static_cast<int>(value.syncPolicy));
  CUstreamCaptureStatus capture;
  cuuint64_t id = 77;
  CUgraph graph = nullptr;
  const CUgraphNode *tails = nullptr;
  size_t count = 77;
  show("capture info", cuStreamGetCaptureInfo(stream, &capture, &id, &graph, &tails, nullptr, &count));
  std::printf("  %d\n", static_cast<int>(capture));
  DRIVE(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  DRIVE(cuMemsetD32Async(words, 1, 4, stream));
  show("capture info", cuStreamGetCaptureInfo(stream, &capture, &id, &graph, &tails, nullptr, &count));
  std::printf("  %d, %zu\n", static_cast<int>(capture), count);
  DRIVE(cuStreamEndCapture(stream, &graph));
}

int main() {
  current_context();
  CUstream stream;
  DRIVE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  fills();
  boxes();
  rows();
  batches(stream);
  pools(stream);
  streams(stream);
  finish();
  return 0;
}
