// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / memory, events and pools of other processes
//
// Memory, events and pools between two processes: a child that was forked before any call, and its parent.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

namespace {

int channel;  // to the other process

template <class Value>
void tell(const Value &value) {
  CHECK(write(channel, &value, sizeof value) == sizeof value);
}

template <class Value>
Value hear() {
  Value value;
  CHECK(read(channel, &value, sizeof value) == sizeof value);
  return value;
}

void tell_file(int file) {
  char byte = 0;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof file)] = {};
  msghdr message = {nullptr, 0, &data, 1, control, sizeof control, 0};
  cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof file);
  std::memcpy(CMSG_DATA(header), &file, sizeof file);
  CHECK(sendmsg(channel, &message, 0) == 1);
}

int hear_file() {
  char byte;
  iovec data = {&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {nullptr, 0, &data, 1, control, sizeof control, 0};
  CHECK(recvmsg(channel, &message, 0) == 1);
  int file;
  std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  return file;
}

constexpr std::size_t kSizes[] = {16, 3UL << 20};  // one that shares its pages with others, one that does not

struct Offer {
  cudaIpcMemHandle_t memory, inner;
  cudaIpcEventHandle_t event;
};

// Each process sees what the other stores; a handle of an inner pointer is one of the whole allocation.
void share_memory() {
  for (const std::size_t size : kSizes) {
    int *before = nullptr, *data = nullptr, first = 41, last = 0;
    CHECK_OK(cudaMalloc((void **)&before, 16));
    CHECK_OK(cudaMalloc((void **)&data, size));
    CHECK_OK(cudaMemcpy(data, &first, sizeof first, cudaMemcpyHostToDevice));
    cudaEvent_t event;
    CHECK_ERROR(cudaEventCreateWithFlags(&event, cudaEventInterprocess), cudaErrorInvalidValue);
    CHECK_OK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    Offer offer;
    CHECK_OK(cudaIpcGetMemHandle(&offer.memory, data));
    CHECK_OK(cudaIpcGetMemHandle(&offer.inner, data + 2));
    CHECK_OK(cudaIpcGetEventHandle(&offer.event, event));
    void *own = nullptr;
    CHECK_ERROR(cudaIpcOpenMemHandle(&own, offer.memory, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized);
    CHECK_OK(cudaMemset(data + 1, 0, 4));  // still its own to use
    tell(offer);
    hear<char>();
    CHECK_OK(cudaEventSynchronize(event));
    CHECK_OK(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost));
    CHECK_OK(cudaMemcpy(&last, data + size / sizeof(int) - 1, sizeof last, cudaMemcpyDeviceToHost));
    CHECK(first == 42 && last == 7);
    CHECK_OK(cudaEventDestroy(event));
    CHECK_OK(cudaFree(data));
    CHECK_OK(cudaFree(before));
  }
  int *data = nullptr, value = 5;
  CHECK_OK(cudaMalloc((void **)&data, kSizes[1]));  // may lie where the shared one did
  CHECK_OK(cudaMemcpy(data, &value, sizeof value, cudaMemcpyHostToDevice));
  Offer offer = {};
  CHECK_OK(cudaIpcGetMemHandle(&offer.memory, data));
  tell(offer);
  hear<char>();
  CHECK_OK(cudaFree(data));
}

void open_memory() {
  for (const std::size_t size : kSizes) {
    const auto offer = hear<Offer>();
    int *data = nullptr, *again = nullptr, *inner = nullptr, value = 0, last = 7;
    const auto open = [](int **pointer, const cudaIpcMemHandle_t &handle) {
      CHECK_OK(cudaIpcOpenMemHandle((void **)pointer, handle, cudaIpcMemLazyEnablePeerAccess));
    };
    open(&data, offer.memory);
    open(&again, offer.memory);
    open(&inner, offer.inner);
    CHECK(again == data && inner == data);
    CHECK_OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
    CHECK(value == 41);
    cudaPointerAttributes attributes;
    CHECK_OK(cudaPointerGetAttributes(&attributes, data));
    CHECK(attributes.type == cudaMemoryTypeDevice);
    CHECK_ERROR(cudaMemset(data, 0, size + 1), cudaErrorInvalidValue);
    CHECK_OK(launch_add(data, 1, dim3(1), dim3(1)));
    CHECK_OK(cudaMemcpy(data + size / sizeof(int) - 1, &last, sizeof last, cudaMemcpyHostToDevice));
    cudaEvent_t event;
    CHECK_OK(cudaIpcOpenEventHandle(&event, offer.event));
    CHECK_OK(cudaStreamWaitEvent(nullptr, event, 0));
    CHECK_OK(cudaEventRecord(event, nullptr));
    CHECK_OK(cudaEventDestroy(event));
    CHECK_ERROR(cudaFree(data), cudaErrorInvalidValue);
    for (int i = 0; i < 3; ++i) CHECK_OK(cudaIpcCloseMemHandle(data));
    CHECK_ERROR(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue);
    tell('d');
  }
  const auto offer = hear<Offer>();
  int *data = nullptr, value = 0;
  CHECK_OK(cudaIpcOpenMemHandle((void **)&data, offer.memory, cudaIpcMemLazyEnablePeerAccess));
  CHECK_OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 5);
  CHECK_OK(cudaIpcCloseMemHandle(data));
  tell('d');
}

void share_pools() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pools[2];
  cudaMemPoolPtrExportData exported;
  int *data = nullptr, value = 10;
  for (cudaMemPool_t &pool : pools) {
    CHECK_OK(cudaMemPoolCreate(&pool, &properties));
    int file;
    CHECK_OK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    tell_file(file);
    CHECK(close(file) == 0);
  }
  CHECK_OK(cudaMallocFromPoolAsync((void **)&data, 100, pools[1], nullptr));
  CHECK_OK(cudaMemcpy(data, &value, sizeof value, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMemPoolExportPointer(&exported, data));
  tell(exported);
  hear<char>();
  CHECK_OK(cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost));
  CHECK(value == 15);
  CHECK_OK(cudaFreeAsync(data, nullptr));
}

void open_pools() {
  cudaMemPool_t pools[2];
  for (cudaMemPool_t &pool : pools) {
    const std::intptr_t file = hear_file();
    CHECK_OK(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void *>(file),
                                                  cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(close(static_cast<int>(file)) == 0);
  }
  auto exported = hear<cudaMemPoolPtrExportData>();
  int *data = nullptr;
  CHECK_ERROR(cudaMemPoolImportPointer((void **)&data, pools[0], &exported), cudaErrorInvalidValue);
  CHECK_OK(cudaMemPoolImportPointer((void **)&data, pools[1], &exported));
  CHECK_ERROR(cudaMallocFromPoolAsync((void **)&data + 0, 4, pools[1], nullptr), cudaErrorInvalidValue);
  CHECK_OK(cudaMemPoolImportPointer((void **)&data, pools[1], &exported));
  CHECK_OK(launch_add(data, 5, dim3(1), dim3(1)));
  CHECK_ERROR(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue);
  CHECK_OK(cudaFreeAsync(data, nullptr));
  CHECK_OK(cudaFree(data));
  CHECK_ERROR(cudaFree(data), cudaErrorInvalidValue);
  tell('d');
}

}  // namespace

int main() {
  int ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
  const pid_t child = fork();
  channel = ends[child == 0];
  close(ends[child != 0]);
  register_image();
  if (child == 0) {
    open_memory();
    open_pools();
    std::fflush(stdout);
    _exit(failures != 0);
  }
  test("memory and events", share_memory);
  test("pools", share_pools);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  return failures != 0;
}
