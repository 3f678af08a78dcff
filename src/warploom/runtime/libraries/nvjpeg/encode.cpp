// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJPEG's encoder: pictures are read and coded in the stream's turn; who asks for the file waits for it. Huffman
// tables are always the common ones, but in progressive files: asking for optimised tables changes nothing else.
#include <cstring>

#include "handles.h"

using namespace warploom::nvjpeg;

namespace {

// The rows of one channel, without what lies between them.
std::vector<unsigned char> rows_of(const nvjpegImage_t &from, int channel, Size size) {
  const auto width = static_cast<std::size_t>(size.width);
  std::vector<unsigned char> rows(width * static_cast<std::size_t>(size.height));
  for (int y = 0; y < size.height; ++y)
    std::memcpy(rows.data() + static_cast<std::size_t>(y) * width,
                from.channel[channel] + static_cast<std::size_t>(y) * from.pitch[channel], width);
  return rows;
}

std::vector<unsigned char> interleaved(const nvjpegImage_t &from, nvjpegInputFormat_t format, Size size) {
  if (format == NVJPEG_INPUT_RGBI || format == NVJPEG_INPUT_BGRI)
    return rows_of(from, 0, {3 * size.width, size.height});
  std::vector<unsigned char> mixed(3 * static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  for (int c = 0; c < 3; ++c) {
    const std::vector<unsigned char> one = rows_of(from, c, size);
    for (std::size_t i = 0; i < one.size(); ++i) mixed[3 * i + static_cast<std::size_t>(c)] = one[i];
  }
  return mixed;
}

bool is_readable(const nvjpegImage_t &from, int channel, int width) {
  return from.channel[channel] != nullptr && from.pitch[channel] >= static_cast<std::size_t>(width);
}

template <class Encode>
nvjpegStatus_t run(const char *name, nvjpegEncoderState_t state, Size size, cudaStream_t stream, Encode &&encode) {
  state->result = std::make_shared<nvjpegEncoderState::Result>();
  const double nanoseconds = 5. * size.width * size.height;
  return status_of(warploom::libraries::enqueue(
      stream, name, nanoseconds, [result = state->result, encode] { result->status = encode(&result->file); }));
}

nvjpegStatus_t retrieve(nvjpegEncoderState_t state, unsigned char *data, size_t *length, cudaStream_t stream) {
  if (state == nullptr || length == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  if (const cudaError_t error = cudaStreamSynchronize(stream); error != cudaSuccess) return status_of(error);
  const auto &result = *state->result;
  if (result.status != NVJPEG_STATUS_SUCCESS) return result.status;
  if (data != nullptr && *length < result.file.size()) return NVJPEG_STATUS_INVALID_PARAMETER;
  *length = result.file.size();
  if (data != nullptr) std::memcpy(data, result.file.data(), result.file.size());
  return NVJPEG_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

nvjpegStatus_t nvjpegEncoderStateCreate(nvjpegHandle_t handle, nvjpegEncoderState_t *state, cudaStream_t) {
  return create(handle, state);
}
nvjpegStatus_t nvjpegEncoderStateDestroy(nvjpegEncoderState_t state) { return destroy(state); }
nvjpegStatus_t nvjpegEncoderParamsCreate(nvjpegHandle_t handle, nvjpegEncoderParams_t *params, cudaStream_t) {
  return create(handle, params);
}
nvjpegStatus_t nvjpegEncoderParamsDestroy(nvjpegEncoderParams_t params) { return destroy(params); }
nvjpegStatus_t nvjpegEncoderParamsSetQuality(nvjpegEncoderParams_t params, const int quality, cudaStream_t) {
  if (params == nullptr || quality < 1 || quality > 100) return NVJPEG_STATUS_INVALID_PARAMETER;
  params->settings.quality = quality;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegEncoderParamsSetOptimizedHuffman(nvjpegEncoderParams_t params, const int, cudaStream_t) {
  return params == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegEncoderParamsSetSamplingFactors(nvjpegEncoderParams_t params,
                                                     const nvjpegChromaSubsampling_t subsampling, cudaStream_t) {
  if (params == nullptr || subsampling < NVJPEG_CSS_444 || subsampling > NVJPEG_CSS_410V)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  if (subsampling == NVJPEG_CSS_410V) return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
  params->settings.subsampling = subsampling;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegEncoderParamsSetEncoding(nvjpegEncoderParams_t params, nvjpegJpegEncoding_t encoding,
                                              cudaStream_t) {
  const bool is_progressive = encoding == NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN;
  if (params == nullptr || (encoding != NVJPEG_ENCODING_BASELINE_DCT && !is_progressive))
    return NVJPEG_STATUS_INVALID_PARAMETER;
  params->settings.is_progressive = is_progressive;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegEncodeGetBufferSize(nvjpegHandle_t handle, const nvjpegEncoderParams_t params, int width,
                                         int height, size_t *length) {
  if (handle == nullptr || params == nullptr || length == nullptr || width < 1 || height < 1)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  const auto whole = [](int size) { return static_cast<size_t>(size + 31) / 32 * 32; };
  *length = whole(width) * whole(height) * 6 + 4096;
  return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegEncodeImage(nvjpegHandle_t handle, nvjpegEncoderState_t state, const nvjpegEncoderParams_t params,
                                 const nvjpegImage_t *source, nvjpegInputFormat_t format, int width, int height,
                                 cudaStream_t stream) {
  if (handle == nullptr || state == nullptr || params == nullptr || source == nullptr || width < 1 || height < 1)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  if (format < NVJPEG_INPUT_RGB || format > NVJPEG_INPUT_BGRI || params->settings.subsampling == NVJPEG_CSS_UNKNOWN)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  const bool is_planar = format == NVJPEG_INPUT_RGB || format == NVJPEG_INPUT_BGR;
  for (int i = 0; i < (is_planar ? 3 : 1); ++i)
    if (!is_readable(*source, i, is_planar ? width : 3 * width)) return NVJPEG_STATUS_INVALID_PARAMETER;
  const Size size{width, height};
  const bool is_bgr = format == NVJPEG_INPUT_BGR || format == NVJPEG_INPUT_BGRI;
  return run("nvjpegEncodeImage", state, size, stream,
             [=, settings = params->settings, from = *source](std::vector<unsigned char> *file) {
               return encode(settings, interleaved(from, format, size), is_bgr, size, file);
             });
}

nvjpegStatus_t nvjpegEncodeYUV(nvjpegHandle_t handle, nvjpegEncoderState_t state, const nvjpegEncoderParams_t params,
                               const nvjpegImage_t *source, nvjpegChromaSubsampling_t subsampling, int width,
                               int height, cudaStream_t stream) {
  if (handle == nullptr || state == nullptr || params == nullptr || source == nullptr || width < 1 || height < 1)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  if (subsampling == NVJPEG_CSS_410V) return NVJPEG_STATUS_JPEG_NOT_SUPPORTED;
  const auto wanted = params->settings.subsampling;
  const bool has_chroma = subsampling >= NVJPEG_CSS_444 && subsampling <= NVJPEG_CSS_410;
  const bool has_luma = has_chroma || subsampling == NVJPEG_CSS_GRAY || subsampling == NVJPEG_CSS_UNKNOWN;
  if (wanted == NVJPEG_CSS_UNKNOWN || !(wanted == NVJPEG_CSS_GRAY ? has_luma : has_chroma))
    return NVJPEG_STATUS_INVALID_PARAMETER;
  const Size size{width, height};
  const int channels = wanted == NVJPEG_CSS_GRAY ? 1 : 3;
  for (int i = 0; i < channels; ++i)
    if (!is_readable(*source, i, plane_size(subsampling, size, i).width)) return NVJPEG_STATUS_INVALID_PARAMETER;
  return run("nvjpegEncodeYUV", state, size, stream,
             [=, settings = params->settings, from = *source](std::vector<unsigned char> *file) {
               Picture planes;
               planes.channels = channels;
               for (int i = 0; i < channels; ++i) {
                 planes.sizes[i] = plane_size(subsampling, size, i);
                 planes.pixels[i] = rows_of(from, i, planes.sizes[i]);
               }
               return encode_planes(settings, planes, subsampling, size, file);
             });
}

nvjpegStatus_t nvjpegEncodeRetrieveBitstream(nvjpegHandle_t handle, nvjpegEncoderState_t state, unsigned char *data,
                                             size_t *length, cudaStream_t stream) {
  return handle == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : retrieve(state, data, length, stream);
}
nvjpegStatus_t nvjpegEncodeRetrieveBitstreamDevice(nvjpegHandle_t handle, nvjpegEncoderState_t state,
                                                   unsigned char *data, size_t *length, cudaStream_t stream) {
  return handle == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : retrieve(state, data, length, stream);
}

}  // extern "C"
#pragma GCC visibility pop
