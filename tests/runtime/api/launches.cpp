// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches, kernel attributes, occupancy, symbols and registration.
#include "fixture.h"

namespace {

cudaError_t launch(const void *stub, dim3 grid, dim3 block, std::size_t shared = 0) {
  return cudaLaunchKernel(stub, grid, block, nullptr, shared, nullptr);
}

void limits() {
  test("extents", [] {
    CHECK_OK(launch(&stub_bounded, 1, 64));
    CHECK_ERROR(launch(&stub_bounded, 1, 65), cudaErrorInvalidValue);
    CHECK_ERROR(launch(&stub_shared, 1, 2048), cudaErrorInvalidValue);
    CHECK_ERROR(launch(&stub_shared, 0, 32), cudaErrorInvalidValue);
    CHECK_ERROR(launch(&stub_shared, 1, 0), cudaErrorInvalidValue);
    CHECK_ERROR(launch(&stub_shared, dim3(1, 70000), 32), cudaErrorInvalidValue);
    CHECK_ERROR(launch(&stub_shared, 1, dim3(1, 1, 65)), cudaErrorInvalidValue);
  });
  test("functions", [] {
    CHECK_ERROR(launch(nullptr, 1, 1), cudaErrorInvalidDeviceFunction);
    CHECK_ERROR(launch(&stub_unregistered, 1, 1), cudaErrorInvalidResourceHandle);
    CHECK_ERROR(launch_add(nullptr, 0, 1, 1, reinterpret_cast<cudaStream_t>(&stub_add)),
                cudaErrorInvalidResourceHandle);
  });
  test("a stub that is registered again stands for the other kernel", [] {
    static struct {
      int magic, version;
      const char *data;
      void *unused;
    } wrapper = {0x466243b1, 1, "test-image", nullptr};
    static char stub;
    void **const handle = __cudaRegisterFatBinary(&wrapper);
    const auto stand_for = [&](const char *kernel) {
      __cudaRegisterFunction(handle, &stub, nullptr, kernel, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    };
    stand_for("_Z6sharedv");
    for (int i = 0; i < 2; ++i) CHECK_OK(launch(&stub, 1, 65));
    stand_for("_Z7boundedv");
    CHECK_ERROR(launch(&stub, 1, 65), cudaErrorInvalidValue);
    CHECK_OK(launch(&stub, 1, 64));
  });
  test("shared memory", [] {
    CHECK_OK(launch(&stub_bounded, 1, 32, 48 << 10));
    CHECK_ERROR(launch(&stub_bounded, 1, 32, (48 << 10) + 1), cudaErrorInvalidValue);
    CHECK_ERROR(launch(&stub_shared, 1, 32, 10000), cudaErrorInvalidValue);
    CHECK_ERROR(cudaFuncSetAttribute(&stub_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
                cudaErrorInvalidValue);
    CHECK_OK(cudaFuncSetAttribute(&stub_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    CHECK_OK(launch(&stub_shared, 1, 32, 100000));
    CHECK_OK(cudaFuncSetAttribute(&stub_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000));
    CHECK_ERROR(launch(&stub_shared, 1, 32, 2000), cudaErrorInvalidValue);
  });
  test("cooperative grids need not fit at once, but a block must", [] {
    CHECK_OK(cudaLaunchCooperativeKernel(&stub_bounded, 2, 64, nullptr, 0, nullptr));
    CHECK_OK(cudaLaunchCooperativeKernel(&stub_shared, 1000, 256, nullptr, 0, nullptr));
    CHECK_ERROR(cudaLaunchCooperativeKernel(&stub_bounded, 2, 32, nullptr, (48 << 10) + 1, nullptr),
                cudaErrorCooperativeLaunchTooLarge);
    CHECK_ERROR(cudaLaunchCooperativeKernel(&stub_bounded, 2, 65, nullptr, 0, nullptr), cudaErrorInvalidValue);
  });
}

void attributes() {
  test("attributes", [] {
    cudaFuncAttributes attributes;
    CHECK_OK(cudaFuncGetAttributes(&attributes, &stub_bounded));
    CHECK(attributes.maxThreadsPerBlock == 64 && attributes.maxDynamicSharedSizeBytes == 49152);
    CHECK_OK(cudaFuncGetAttributes(&attributes, &stub_shared));
    CHECK(attributes.maxThreadsPerBlock == 1024 && attributes.sharedSizeBytes == 40000);
    CHECK_ERROR(cudaFuncSetAttribute(&stub_bounded, static_cast<cudaFuncAttribute>(3), 1), cudaErrorInvalidValue);
    CHECK_ERROR(cudaFuncSetAttribute(&stub_bounded, cudaFuncAttributePreferredSharedMemoryCarveout, 101),
                cudaErrorInvalidValue);
  });
  test("occupancy", [] {
    int blocks = -1;
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub_bounded, 100, 0));
    CHECK(blocks == 16);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub_bounded, 32, 0));
    CHECK(blocks == 32);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub_shared, 128, 0));
    CHECK(blocks == 4);
    CHECK_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub_bounded, 2000, 0));
    CHECK(blocks == 0);
    CHECK_ERROR(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub_bounded, 0, 0), cudaErrorInvalidValue);
  });
}

void running() {
  test("a grid runs, and the classic spelling of a launch", [] {
    int *data = nullptr, host[64];
    CHECK_OK(cudaMalloc(reinterpret_cast<void **>(&data), sizeof host));
    CHECK_OK(cudaMemset(data, 0, sizeof host));
    CHECK_OK(launch_add(data, 5, 2, 32));
    int amount = 2;
    CHECK_OK(cudaConfigureCall(1, 32));
    CHECK_OK(cudaSetupArgument(&data, sizeof data, 0));
    CHECK_OK(cudaSetupArgument(&amount, sizeof amount, sizeof data));
    CHECK_OK(cudaLaunch(&stub_add));
    CHECK_OK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 7 && host[31] == 7 && host[32] == 5 && host[63] == 5);
    CHECK_OK(cudaFree(data));
  });
  test("configurations nest", [] {
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    __cudaPushCallConfiguration(1, 2, 3, nullptr);
    __cudaPushCallConfiguration(4, 5, 6, nullptr);
    CHECK_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    CHECK(grid.x == 4 && block.x == 5 && shared == 6);
    CHECK_OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    CHECK(grid.x == 1 && block.x == 2 && shared == 3);
    CHECK_ERROR(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), cudaErrorMissingConfiguration);
  });
}

void symbols() {
  test("symbols", [] {
    const int values[4] = {9, 8, 7, 6};
    int back[4] = {};
    void *address = nullptr;
    std::size_t size = 0;
    CHECK_OK(cudaMemcpyToSymbol(&shadow_table, values, 8, 8));
    CHECK_OK(cudaMemcpyFromSymbol(back, &shadow_table, 16));
    CHECK(back[0] == 1 && back[2] == 9 && back[3] == 8);
    CHECK_OK(cudaGetSymbolAddress(&address, &shadow_table));
    CHECK_OK(cudaGetSymbolSize(&size, &shadow_table));
    CHECK(address == device_table && size == 16);
    CHECK_OK(cudaMemcpy(address, values, 16, cudaMemcpyHostToDevice));
    CHECK_ERROR(cudaMemcpyToSymbol(&shadow_table, values, 17), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemcpyFromSymbol(back, &shadow_table, 16, 4), cudaErrorInvalidValue);
    CHECK_ERROR(cudaMemcpyToSymbol(&shadow_table, values, 4, 0, cudaMemcpyDeviceToHost),
                cudaErrorInvalidMemcpyDirection);
    CHECK_ERROR(cudaMemcpyToSymbol(&shadow_unregistered, values, 4), cudaErrorInvalidSymbol);
  });
}

void symbols_by_name() {
  test("symbols named by a string, as before CUDA 5", [] {
    const char name[] = "table", unknown[] = "nothing";
    CHECK(__warploom_symbol_key(name, name, sizeof name) == &shadow_table);
    CHECK(__warploom_symbol_key(&shadow_table, &shadow_table, 1) == &shadow_table);
    CHECK(__warploom_symbol_key(unknown, unknown, sizeof unknown) == unknown);
  });
}

void offload_entries() {
  struct Entry {
    std::uint64_t reserved;
    std::uint16_t version, kind;
    std::uint32_t flags;
    void *address;
    const char *name;
    std::uint64_t size, data;
    void *auxiliary;
  };
  struct OldEntry {
    void *address;
    const char *name;
    std::size_t size;
    std::int32_t flags, data;
  };
  static char stub_new, stub_old, shadow_new;
  static const Entry entries[] = {{0, 1, 2, 0, &stub_new, "_Z7boundedv", 0, 0, nullptr},
                                  {0, 1, 2, 16, &shadow_new, "table", 16, 0, nullptr}};
  static const OldEntry old_entries[] = {{&stub_old, "_Z6sharedv", 0, 0, 0}};
  test("offload entries of both layouts", [] {
    std::size_t size = 0;
    __warploom_register_offload_entries(entries, entries + 2);
    __warploom_register_offload_entries(old_entries, old_entries + 1);
    CHECK_OK(launch(&stub_new, 1, 1));
    CHECK_OK(launch(&stub_old, 1, 1));
    CHECK_OK(cudaGetSymbolSize(&size, &shadow_new));
    CHECK(size == 16);
  });
}

}  // namespace

int main() {
  register_image();
  limits();
  attributes();
  running();
  symbols();
  symbols_by_name();
  offload_entries();
  return finish();
}
