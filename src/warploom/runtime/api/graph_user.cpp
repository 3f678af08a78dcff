// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User objects: what a program wants to be called back for when no graph refers to it any longer.
#include <atomic>
#include <climits>

#include "graph.h"

struct CUuserObject_st {
  void *pointer;
  cudaHostFn_t destroy;
  std::atomic<std::uint64_t> references;
};

namespace warploom {
namespace {

bool is_count(unsigned count) { return count >= 1 && count <= INT_MAX; }

void release_object(CUuserObject_st *object, std::uint64_t count) {
  if (object->references.fetch_sub(count) > count) return;
  object->destroy(object->pointer);
  delete object;
}

}  // namespace

UserReferences::UserReferences(const UserReferences &other) : held_(other.held_) {
  for (const auto &[object, count] : held_) object->references += count;
}

UserReferences::~UserReferences() {
  for (const auto &[object, count] : held_) release_object(object, count);
}

bool UserReferences::drop(CUuserObject_st *object, std::uint64_t count) {
  const auto found = held_.find(object);
  if (found == held_.end() || found->second < count) return false;
  found->second -= count;
  if (found->second == 0) held_.erase(found);
  release_object(object, count);
  return true;
}

}  // namespace warploom

using namespace warploom;

extern "C" {

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                 unsigned int initialRefcount, unsigned int flags) {
  return api_call([&] {
    if (!object_out || !destroy || !is_count(initialRefcount) || flags != cudaUserObjectNoDestructorSync)
      return cudaErrorInvalidValue;
    *object_out = new CUuserObject_st{ptr, destroy, {initialRefcount}};
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count) {
  return api_call([&] {
    if (!object || !is_count(count)) return cudaErrorInvalidValue;
    object->references += count;
    return cudaSuccess;
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count) {
  return api_call([&] {
    if (!object || !is_count(count) || object->references < count) return cudaErrorInvalidValue;
    release_object(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                      unsigned int flags) {
  return api_call([&] {
    if (!is_graph(graph) || !object || !is_count(count) || (flags & ~static_cast<unsigned>(cudaGraphUserObjectMove)))
      return cudaErrorInvalidValue;
    if (!(flags & cudaGraphUserObjectMove)) object->references += count;
    graph->user_objects.add(object, count);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
  return api_call([&] {
    if (!is_graph(graph) || !object || !is_count(count)) return cudaErrorInvalidValue;
    return graph->user_objects.drop(object, count) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

}  // extern "C"
