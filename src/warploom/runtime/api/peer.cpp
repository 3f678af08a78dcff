// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access between devices: all share one memory.
#include <mutex>
#include <set>
#include <utility>

#include "device.h"
#include "error.h"

namespace warploom {
namespace {

std::mutex peer_mutex;

std::set<std::pair<int, int>> &enabled_peers() {
  static auto *const instance = new std::set<std::pair<int, int>>;
  return *instance;
}

}  // namespace
}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
  return api_call([&] {
    if (!canAccessPeer) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peerDevice)) return cudaErrorInvalidDevice;
    *canAccessPeer = device != peerDevice;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return api_call([&] {
    if (!is_device(peerDevice)) return cudaErrorInvalidDevice;
    if (peerDevice == current_device()) return cudaErrorPeerAccessUnsupported;
    if (flags != 0) return cudaErrorInvalidValue;
    const std::lock_guard lock(peer_mutex);
    return enabled_peers().emplace(current_device(), peerDevice).second ? cudaSuccess
                                                                        : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return api_call([&] {
    if (!is_device(peerDevice)) return cudaErrorInvalidDevice;
    const std::lock_guard lock(peer_mutex);
    return enabled_peers().erase({current_device(), peerDevice}) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
  return api_call([&] {
    if (!value) return cudaErrorInvalidValue;
    if (!is_device(srcDevice) || !is_device(dstDevice) || srcDevice == dstDevice) return cudaErrorInvalidDevice;
    if (attr < cudaDevP2PAttrPerformanceRank || attr > cudaDevP2PAttrCudaArrayAccessSupported)
      return cudaErrorInvalidValue;
    *value = attr == cudaDevP2PAttrPerformanceRank ? 0 : 1;
    return cudaSuccess;
  });
}

// Nobody listens for profiling ranges: as on a device without a profiler, these succeed.
cudaError_t cudaProfilerStart() {
  return api_call([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() {
  return api_call([] { return cudaSuccess; });
}

}  // extern "C"
