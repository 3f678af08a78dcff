// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvJPEG's handles hold.
#pragma once

#include <memory>
#include <mutex>

#include "../common/stream_work.h"
#include "picture.h"

struct nvjpegHandle {
  warploom::nvjpeg::Upsampling upsampling = warploom::nvjpeg::Upsampling::kRepeated;
};
struct nvjpegJpegDecoder {};
struct nvjpegBufferPinned {};  // states have memory of their own
struct nvjpegBufferDevice {};
struct nvjpegDecodeParams {
  nvjpegOutputFormat_t format = NVJPEG_OUTPUT_UNCHANGED;
};
struct nvjpegJpegStream {
  warploom::nvjpeg::Frame frame;
  const unsigned char *data = nullptr;  // the caller's, or `own`
  std::size_t length = 0;
  std::vector<unsigned char> own;
};
struct nvjpegJpegState {
  int batch_size = 0;
  nvjpegOutputFormat_t format = NVJPEG_OUTPUT_UNCHANGED;
  std::shared_ptr<warploom::nvjpeg::Picture> decoded;  // by nvjpegDecodeJpegHost
};
struct nvjpegEncoderParams {
  warploom::nvjpeg::EncoderSettings settings;
};
struct nvjpegEncoderState {
  struct Result {
    nvjpegStatus_t status = NVJPEG_STATUS_INVALID_PARAMETER;  // nothing was encoded yet
    std::vector<unsigned char> file;
  };
  std::shared_ptr<Result> result = std::make_shared<Result>();
};

namespace warploom::nvjpeg {

inline nvjpegStatus_t status_of(cudaError_t error) {
  if (error == cudaSuccess) return NVJPEG_STATUS_SUCCESS;
  return error == cudaErrorMemoryAllocation ? NVJPEG_STATUS_ALLOCATOR_FAILURE : NVJPEG_STATUS_EXECUTION_FAILED;
}

template <class T>
nvjpegStatus_t create(nvjpegHandle_t handle, T **made) {
  if (handle == nullptr || made == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  *made = new T;
  return NVJPEG_STATUS_SUCCESS;
}
template <class T>
nvjpegStatus_t destroy(T *object) {
  if (object == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  delete object;
  return NVJPEG_STATUS_SUCCESS;
}

}  // namespace warploom::nvjpeg
