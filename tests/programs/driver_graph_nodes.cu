// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -lcuda
// feature: Streams, events, graphs / cuGraphAddNode, cuGraphAddMemcpyNode, cuGraphExecUpdate
// feature: Devices and errors / cuCtxGetId, cuCtxRecordEvent, cuDeviceGetP2PAttribute
// Graphs by the driver API, whose nodes are described by its own structures; and what contexts and devices tell.
#include "driver.h"

__global__ void add(int *data, int n, int amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += amount;
}

CUfunction function_of_add() {
  cudaFunction_t function = nullptr;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(add)));
  return function;
}

CUcontext context;

CUDA_MEMCPY3D row(CUdeviceptr to, CUdeviceptr from, size_t size) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = from, copy.dstDevice = to;
  copy.WidthInBytes = size, copy.Height = copy.Depth = 1;
  return copy;
}

struct Arguments {
  CUdeviceptr data;
  int n, amount;
  void *all[3] = {&data, &n, &amount};
  Arguments(CUdeviceptr memory, int count, int by) : data(memory), n(count), amount(by) {}
};

CUgraphNodeParams kernel_node(Arguments &arguments) {
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  params.kernel.func = function_of_add();
  params.kernel.gridDimX = 1, params.kernel.gridDimY = params.kernel.gridDimZ = 1;
  params.kernel.blockDimX = 32, params.kernel.blockDimY = params.kernel.blockDimZ = 1;
  params.kernel.kernelParams = arguments.all;
  return params;
}

int first_of(CUdeviceptr memory) {
  int value = -1;
  DRIVE(cuMemcpyDtoH(&value, memory, 4));
  return value;
}

void copies() {
  CUdeviceptr from = 0, to = 0;
  DRIVE(cuMemAlloc(&from, 128));
  DRIVE(cuMemAlloc(&to, 128));
  DRIVE(cuMemsetD32(from, 5, 32));
  DRIVE(cuMemsetD32(to, 0, 32));
  CUgraph graph;
  CUgraphNode node = nullptr;
  CUgraphExec exec;
  DRIVE(cuGraphCreate(&graph, 0));
  CUDA_MEMCPY3D copy = row(to, from, 64), found = {};
  show("copy node", cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context));
  show("its copy", cuGraphMemcpyNodeGetParams(node, &found));
  std::printf("  %d %d, %zu %zu %zu\n", found.srcDevice == from, found.dstDevice == to, found.WidthInBytes,
              found.Height, found.Depth);
  DRIVE(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DRIVE(cuGraphLaunch(exec, nullptr));
  report("copied", 5, first_of(to));
  copy = row(to + 4, from, 60);
  show("set", cuGraphMemcpyNodeSetParams(node, &copy));
  copy = row(to, from + 4, 4);
  DRIVE(cuMemsetD32(from, 9, 32));
  show("set in what runs", cuGraphExecMemcpyNodeSetParams(exec, node, &copy, context));
  DRIVE(cuGraphLaunch(exec, nullptr));
  report("copied", 9, first_of(to));
  report("not copied", 5, first_of(to + 4));
  copy = row(to, 0, 64);
  show("from null", cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, context));
  show("no copy", cuGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr, context));
}

void by_params() {
  CUdeviceptr data = 0;
  DRIVE(cuMemAlloc(&data, 128));
  DRIVE(cuMemsetD32(data, 0, 32));
  CUgraph graph;
  CUgraphNode nodes[4] = {};
  CUgraphExec exec;
  DRIVE(cuGraphCreate(&graph, 0));
  CUgraphNodeParams fill = {};
  fill.type = CU_GRAPH_NODE_TYPE_MEMSET;
  fill.memset.dst = data, fill.memset.value = 7, fill.memset.elementSize = 4, fill.memset.width = 32;
  fill.memset.height = 1, fill.memset.ctx = context;
  show("fill", cuGraphAddNode(&nodes[0], graph, nullptr, nullptr, 0, &fill));
  Arguments arguments(data, 32, 10);
  CUgraphNodeParams kernel = kernel_node(arguments);
  show("kernel", cuGraphAddNode(&nodes[1], graph, &nodes[0], nullptr, 1, &kernel));
  CUgraphNodeParams empty = {};
  empty.type = CU_GRAPH_NODE_TYPE_EMPTY;
  show("empty", cuGraphAddNode(&nodes[2], graph, &nodes[1], nullptr, 1, &empty));
  DRIVE(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DRIVE(cuGraphLaunch(exec, nullptr));
  report("sum", 17, first_of(data));
  Arguments more(data, 32, 100);
  kernel = kernel_node(more);
  show("node", cuGraphNodeSetParams(nodes[1], &kernel));
  CUgraphExecUpdateResultInfo info = {};
  show("update", cuGraphExecUpdate(exec, graph, &info));
  std::printf("  %d\n", static_cast<int>(info.result));
  DRIVE(cuGraphLaunch(exec, nullptr));
  report("sum", 107, first_of(data));
  Arguments most(data, 32, 1000);
  kernel = kernel_node(most);
  show("node of what runs", cuGraphExecNodeSetParams(exec, nodes[1], &kernel));
  DRIVE(cuGraphLaunch(exec, nullptr));
  report("sum", 1007, first_of(data));
  DRIVE(cuGraphDestroyNode(nodes[2]));
  show("update by another", cuGraphExecUpdate(exec, graph, &info));
  std::printf("  %d\n", static_cast<int>(info.result));
  show("of another type", cuGraphNodeSetParams(nodes[0], &kernel));
  CUkernelNodeAttrValue value = {};
  value.cooperative = 1;
  show("set attribute", cuGraphKernelNodeSetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  value = {};
  show("get attribute", cuGraphKernelNodeGetAttribute(nodes[1], CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  std::printf("  %d\n", value.cooperative);
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  show("instantiate", cuGraphInstantiateWithParams(&exec, graph, &how));
  std::printf("  %d\n", static_cast<int>(how.result_out));
  show("no params", cuGraphAddNode(&nodes[3], graph, nullptr, nullptr, 0, nullptr));
}

void memory() {
  CUgraph graph;
  CUgraphNode nodes[3] = {};
  CUgraphExec exec;
  DRIVE(cuGraphCreate(&graph, 0));
  CUDA_MEM_ALLOC_NODE_PARAMS wanted = {}, found = {};
  wanted.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.bytesize = 128;
  show("allocate", cuGraphAddMemAllocNode(&nodes[0], graph, nullptr, 0, &wanted));
  report("address", 1, wanted.dptr != 0);
  show("its parameters", cuGraphMemAllocNodeGetParams(nodes[0], &found));
  std::printf("  %d, %zu\n", found.dptr == wanted.dptr, found.bytesize);
  CUdeviceptr out = 0;
  DRIVE(cuMemAlloc(&out, 128));
  DRIVE(cuMemsetD32(out, 0, 32));
  CUDA_MEMCPY3D copy = row(out, wanted.dptr, 128);
  Arguments arguments(wanted.dptr, 32, 6);
  CUgraphNodeParams fill = {}, kernel = kernel_node(arguments);
  fill.type = CU_GRAPH_NODE_TYPE_MEMSET;
  fill.memset.dst = wanted.dptr, fill.memset.value = 1, fill.memset.elementSize = 4, fill.memset.width = 32;
  fill.memset.height = 1, fill.memset.ctx = context;
  DRIVE(cuGraphAddNode(&nodes[1], graph, &nodes[0], nullptr, 1, &fill));
  DRIVE(cuGraphAddNode(&nodes[1], graph, &nodes[1], nullptr, 1, &kernel));
  DRIVE(cuGraphAddMemcpyNode(&nodes[1], graph, &nodes[1], 1, &copy, context));
  DRIVE(cuGraphAddMemFreeNode(&nodes[2], graph, &nodes[1], 1, wanted.dptr));
  DRIVE(cuGraphInstantiateWithFlags(&exec, graph, 0));
  DRIVE(cuGraphLaunch(exec, nullptr));
  report("through it", 7, first_of(out));
  cuuint64_t used = 77;
  show("graph memory", cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
  used = 0;
  show("reset high", cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &used));
  show("set current", cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &used));
}

void contexts() {
  unsigned long long id = 0, same = 0;
  show("id", cuCtxGetId(context, &id));
  show("id of the current one", cuCtxGetId(nullptr, &same));
  report("same", 1, id == same);
  unsigned version = 77;
  show("version", cuCtxGetApiVersion(context, &version));
  show("version of the current one", cuCtxGetApiVersion(nullptr, &version));
  std::printf("  %u\n", version);
  CUevent event;
  DRIVE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  show("record", cuCtxRecordEvent(context, event));
  show("wait", cuCtxWaitEvent(context, event));
  DRIVE(cuEventSynchronize(event));
  show("flags", cuCtxSetFlags(CU_CTX_SCHED_YIELD));
  unsigned flags = 77;
  show("get flags", cuCtxGetFlags(&flags));
  std::printf("  %u\n", flags & CU_CTX_SCHED_MASK);
  show("wrong flags", cuCtxSetFlags(0x1000));
  CUsharedconfig banks;
  show("banks", cuCtxGetSharedMemConfig(&banks));
  std::printf("  %d\n", static_cast<int>(banks));
  show("set banks", cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  show("set wrong banks", cuCtxSetSharedMemConfig(static_cast<CUsharedconfig>(9)));
  show("no peer", cuCtxDisablePeerAccess(context));
  CUcontext other = nullptr;
  show("attach", cuCtxAttach(&other, 0));
  report("same", 1, other == context);
  show("attach with flags", cuCtxAttach(&other, 1));
  show("detach", cuCtxDetach(context));
  CUmoduleLoadingMode mode;
  show("loading mode", cuModuleGetLoadingMode(&mode));
  int value = 77;
  show("itself", cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  show("device 99", cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 99));
  CUdevprop properties;
  show("properties", cuDeviceGetProperties(&properties, 0));
  std::printf("  %d %d %d %d, %d %d %d, %d %d, %d, %d\n", properties.maxThreadsPerBlock, properties.maxThreadsDim[0],
              properties.maxThreadsDim[1], properties.maxThreadsDim[2], properties.maxGridSize[0],
              properties.maxGridSize[1], properties.maxGridSize[2], properties.sharedMemPerBlock,
              properties.totalConstantMemory, properties.SIMDWidth, properties.regsPerBlock);
  size_t width = 0;
  show("widest texture", cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 1, 0));
  report("some", 1, width > 0);
  show("no format", cuDeviceGetTexture1DLinearMaxWidth(&width, static_cast<CUarray_format>(99), 1, 0));
  int supported = 77;
  show("affinity", cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
}

void memory_of_others() {
  CUdeviceptr memory = 0, again = 0;
  DRIVE(cuMemAlloc(&memory, 4096));
  CUipcMemHandle handle;
  show("share", cuIpcGetMemHandle(&handle, memory));
  show("open what is its own", cuIpcOpenMemHandle(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  show("share inside", cuIpcGetMemHandle(&handle, memory + 256));
  show("share null", cuIpcGetMemHandle(&handle, 0));
  show("close what was not opened", cuIpcCloseMemHandle(memory));
  CUevent event;
  CUipcEventHandle event_handle;
  DRIVE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  show("share an event", cuIpcGetEventHandle(&event_handle, event));
  DRIVE(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
  show("share this event", cuIpcGetEventHandle(&event_handle, event));
}

void views() {
  CUDA_ARRAY_DESCRIPTOR shape = {16, 4, CU_AD_FORMAT_UNSIGNED_INT8, 4};
  CUarray array = nullptr;
  DRIVE(cuArrayCreate(&array, &shape));
  CUDA_RESOURCE_DESC resource = {}, found = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC texture = {}, described = {};
  texture.addressMode[0] = CU_TR_ADDRESS_MODE_CLAMP;
  texture.addressMode[1] = CU_TR_ADDRESS_MODE_MIRROR;
  texture.filterMode = CU_TR_FILTER_MODE_POINT;
  texture.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject object = 0;
  show("texture", cuTexObjectCreate(&object, &resource, &texture, nullptr));
  show("resource", cuTexObjectGetResourceDesc(&found, object));
  std::printf("  %d %d\n", static_cast<int>(found.resType), found.res.array.hArray == array);
  show("texture", cuTexObjectGetTextureDesc(&described, object));
  std::printf("  %d %d %d %d %u\n", described.addressMode[0], described.addressMode[1], described.addressMode[2],
              described.filterMode, described.flags);
  CUDA_RESOURCE_VIEW_DESC view = {};
  show("view", cuTexObjectGetResourceViewDesc(&view, object));
  show("of nothing", cuTexObjectGetResourceDesc(&found, 0));
  CUsurfObject surface = 0;
  show("surface", cuSurfObjectCreate(&surface, &resource));
  CUDA_ARRAY3D_DESCRIPTOR writable = {16, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_SURFACE_LDST};
  DRIVE(cuArray3DCreate(&resource.res.array.hArray, &writable));
  show("surface", cuSurfObjectCreate(&surface, &resource));
  show("its resource", cuSurfObjectGetResourceDesc(&found, surface));
  std::printf("  %d %d\n", static_cast<int>(found.resType), found.res.array.hArray == resource.res.array.hArray);
  texture.flags = CU_TRSF_NORMALIZED_COORDINATES;
  texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
  DRIVE(cuTexObjectCreate(&object, &resource, &texture, nullptr));
  DRIVE(cuTexObjectGetTextureDesc(&described, object));
  std::printf("  %d %u\n", described.filterMode, described.flags);
}

int main() {
  context = current_context();
  copies();
  by_params();
  memory();
  contexts();
  memory_of_others();
  views();
  finish();
  return 0;
}
