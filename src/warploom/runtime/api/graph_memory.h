// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory nodes of graphs. The address of a node's memory is fixed when the node is made; the memory lives as long as a
// graph, or what was made from it, has a node that names it.
#pragma once

#include "stream.h"

struct CUgraph_st;
struct CUgraphExec_st;

namespace warploom {

// On a stream that is being captured: a node that allocates, and one that frees what such a node allocated.
cudaError_t submit_allocation(CUstream_st *stream, void **memory, std::size_t size);
cudaError_t submit_free(CUstream_st *stream, void *memory);
// Frees outside a graph what a node of one allocated; false when `memory` is no such.
bool release_graph_memory(const void *memory);
// At the call that leads to that.
void expect_release(const void *memory);
// What launches of `exec` leave allocated, and free.
void note_memory(CUgraphExec_st *exec, const CUgraph_st &graph);
// Before a launch: memory that the last one left must have been freed, unless launches free it.
cudaError_t keep_memory(const CUgraphExec_st &exec);

}  // namespace warploom
