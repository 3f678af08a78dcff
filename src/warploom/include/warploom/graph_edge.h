// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of an edge of a graph, of which there is none but zero. For the runtime API and the driver API.
#ifndef WARPLOOM_GRAPH_EDGE_H
#define WARPLOOM_GRAPH_EDGE_H

typedef struct cudaGraphEdgeData_st {
  unsigned char from_port;
  unsigned char to_port;
  unsigned char type;
  unsigned char reserved[5];
} cudaGraphEdgeData;

#endif
