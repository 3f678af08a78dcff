// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and stream capture. Included by cuda_runtime_api.h inside extern "C".

WARPLOOM_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
WARPLOOM_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                       const cudaGraphNode_t *dependencies,
                                                       const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                       enum cudaStreamCaptureMode mode);
WARPLOOM_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph);
WARPLOOM_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus);
WARPLOOM_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
                                                  unsigned long long *id_out WARPLOOM_DEFAULT(0),
                                                  cudaGraph_t *graph_out WARPLOOM_DEFAULT(0),
                                                  const cudaGraphNode_t **dependencies_out WARPLOOM_DEFAULT(0),
                                                  const cudaGraphEdgeData **edgeData_out WARPLOOM_DEFAULT(0),
                                                  size_t *numDependencies_out WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                             const cudaGraphEdgeData *dependencyData,
                                                             size_t numDependencies,
                                                             unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);

WARPLOOM_API cudaError_t cudaGraphCreate(cudaGraph_t *pGraph, unsigned int flags);
WARPLOOM_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
WARPLOOM_API cudaError_t cudaGraphClone(cudaGraph_t *pGraphClone, cudaGraph_t originalGraph);
WARPLOOM_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                const struct cudaKernelNodeParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                const struct cudaMemcpy3DParms *pCopyParams);
WARPLOOM_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                  const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                  void *dst, const void *src, size_t count, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                const struct cudaMemsetParams *pMemsetParams);
WARPLOOM_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                              const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                              const struct cudaHostNodeParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                               const cudaGraphNode_t *pDependencies, size_t numDependencies);
WARPLOOM_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                     const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                     cudaEvent_t event);
WARPLOOM_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                   const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                   cudaEvent_t event);
WARPLOOM_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t *pDependencies, const cudaGraphEdgeData *dependencyData,
                                          size_t numDependencies, struct cudaGraphNodeParams *nodeParams);
WARPLOOM_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *pHandle_out, cudaGraph_t graph,
                                                          unsigned int defaultLaunchValue WARPLOOM_DEFAULT(0),
                                                          unsigned int flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                    const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                    cudaGraph_t childGraph);
WARPLOOM_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                  const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                  struct cudaMemAllocNodeParams *nodeParams);
WARPLOOM_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                 void *dptr);
WARPLOOM_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value);
WARPLOOM_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attr, void *value);
WARPLOOM_API cudaError_t cudaDeviceGraphMemTrim(int device);
WARPLOOM_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                  const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                                  size_t numDependencies);
WARPLOOM_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *numNodes);
WARPLOOM_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *pRootNodes, size_t *pNumRootNodes);
WARPLOOM_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                           cudaGraphEdgeData *edgeData, size_t *numEdges);
WARPLOOM_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *pType);
WARPLOOM_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                      const struct cudaKernelNodeParams *pNodeParams);

WARPLOOM_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                              unsigned long long flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                       unsigned long long flags WARPLOOM_DEFAULT(0));
WARPLOOM_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graphExec);
WARPLOOM_API cudaError_t cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
WARPLOOM_API cudaError_t cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
WARPLOOM_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                             cudaGraphExecUpdateResultInfo *resultInfo);
WARPLOOM_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                          const struct cudaKernelNodeParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
                                                            const void *src, size_t count, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                          const struct cudaMemsetParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                        const struct cudaHostNodeParams *pNodeParams);

WARPLOOM_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edgeData,
                                                     size_t numDependencies);
WARPLOOM_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
WARPLOOM_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *pDependencies,
                                                      cudaGraphEdgeData *edgeData, size_t *pNumDependencies);
WARPLOOM_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *pDependentNodes,
                                                        cudaGraphEdgeData *edgeData, size_t *pNumDependentNodes);
WARPLOOM_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *pNode, cudaGraphNode_t originalNode,
                                                  cudaGraph_t clonedGraph);
WARPLOOM_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);
WARPLOOM_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                         cudaLaunchAttributeValue *value_out);
WARPLOOM_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t hNode, cudaLaunchAttributeID attr,
                                                         const cudaLaunchAttributeValue *value);
WARPLOOM_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t hDst, cudaGraphNode_t hSrc);
WARPLOOM_API cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                                      const struct cudaMemcpy3DParms *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src, size_t count,
                                                        enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                          const struct cudaMemcpy3DParms *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                        const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                        const void *symbol, const void *src, size_t count,
                                                        size_t offset, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                                          const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                                          void *dst, const void *symbol, size_t count, size_t offset,
                                                          enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
                                                              size_t count, size_t offset, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol,
                                                                size_t count, size_t offset, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                                  const void *symbol, const void *src, size_t count,
                                                                  size_t offset, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                                    void *dst, const void *symbol, size_t count,
                                                                    size_t offset, enum cudaMemcpyKind kind);
WARPLOOM_API cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *pNodeParams);
WARPLOOM_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out);
WARPLOOM_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
WARPLOOM_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                              cudaEvent_t event);
WARPLOOM_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event_out);
WARPLOOM_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
WARPLOOM_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                            cudaEvent_t event);
WARPLOOM_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                        struct cudaMemAllocNodeParams *params_out);
WARPLOOM_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *dptr_out);
WARPLOOM_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams);
WARPLOOM_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                                    struct cudaGraphNodeParams *nodeParams);
WARPLOOM_API cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, void *ptr, cudaHostFn_t destroy,
                                              unsigned int initialRefcount, unsigned int flags);
WARPLOOM_API cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count);
WARPLOOM_API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count);
WARPLOOM_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count,
                                                   unsigned int flags);
WARPLOOM_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int count);
WARPLOOM_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *pGraph);
WARPLOOM_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                              cudaGraph_t childGraph);
WARPLOOM_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 unsigned int isEnabled);
WARPLOOM_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                 unsigned int *isEnabled);
WARPLOOM_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long *flags);
WARPLOOM_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                        cudaGraphInstantiateParams *instantiateParams);
