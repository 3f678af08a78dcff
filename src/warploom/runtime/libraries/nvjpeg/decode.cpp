// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJPEG's decoders. Files are read in the call, as the code that it returns depends on them; the picture goes to the
// caller's memory in the stream's turn.
#include <algorithm>
#include <cstring>

#include "handles.h"

using namespace warploom::nvjpeg;

namespace {

// The numbers of all versions of nvJPEG; the last, 16 bits a sample, is for files that have them.
bool is_format(nvjpegOutputFormat_t format) {
  return format >= NVJPEG_OUTPUT_UNCHANGED && format <= NVJPEG_OUTPUT_FORMAT_MAX + 1;
}

// The code of a file that cannot be decoded, whatever the format.
nvjpegStatus_t check_file(const unsigned char *data, std::size_t length, Frame *frame) {
  if (const auto status = parse(data, length, frame); status != NVJPEG_STATUS_SUCCESS) return status;
  return frame->is_unit_too_large() ? NVJPEG_STATUS_BAD_JPEG : NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t decode_file(const unsigned char *data, std::size_t length, nvjpegOutputFormat_t format,
                           Upsampling upsampling, Picture *picture) {
  Frame frame;
  if (const auto status = check_file(data, length, &frame); status != NVJPEG_STATUS_SUCCESS) return status;
  if (format > NVJPEG_OUTPUT_FORMAT_MAX) return NVJPEG_STATUS_INVALID_PARAMETER;
  return decode(data, length, format, upsampling, picture);
}

nvjpegStatus_t check_target(const Picture &picture, const nvjpegImage_t &to) {
  for (int i = 0; i < picture.channels; ++i) {
    if (to.channel[i] == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
    if (to.pitch[i] < static_cast<std::size_t>(picture.sizes[i].width)) return NVJPEG_STATUS_INVALID_PARAMETER;
  }
  return NVJPEG_STATUS_SUCCESS;
}

void copy(const Picture &picture, const nvjpegImage_t &to) {
  for (int i = 0; i < picture.channels; ++i) {
    const auto width = static_cast<std::size_t>(picture.sizes[i].width);
    for (int y = 0; y < picture.sizes[i].height; ++y)
      std::memcpy(to.channel[i] + static_cast<std::size_t>(y) * to.pitch[i],
                  picture.pixels[i].data() + static_cast<std::size_t>(y) * width, width);
  }
}

nvjpegStatus_t place(const char *name, std::shared_ptr<Picture> picture, const nvjpegImage_t &to, cudaStream_t stream) {
  if (const auto status = check_target(*picture, to); status != NVJPEG_STATUS_SUCCESS) return status;
  double bytes = 0;
  for (const auto &channel : picture->pixels) bytes += static_cast<double>(channel.size());
  return status_of(warploom::libraries::enqueue(stream, name, .1 * bytes, [=] { copy(*picture, to); }));
}

nvjpegStatus_t parse_into(const unsigned char *data, std::size_t length, bool keeps, nvjpegJpegStream_t stream) {
  if (data == nullptr || stream == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  const auto status = check_file(data, length, &stream->frame);
  if (status != NVJPEG_STATUS_SUCCESS && stream->frame.components == 0) return status;
  if (keeps) stream->own.assign(data, data + length);
  stream->data = keeps ? stream->own.data() : data;
  stream->length = length;
  return status;
}

// 0: the file can be decoded. A batch is decoded as any file is.
nvjpegStatus_t say_whether_supported(nvjpegJpegStream_t stream, int *is_not_supported) {
  if (stream == nullptr || is_not_supported == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  const Frame &frame = stream->frame;
  constexpr int kNotSupported = 7;  // what an H200 says
  const bool is_known = frame.components == 1 || frame.components == 3;
  *is_not_supported = is_known && frame.marker <= NVJPEG_ENCODING_PROGRESSIVE_DCT_HUFFMAN ? 0 : kNotSupported;
  return NVJPEG_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

nvjpegStatus_t nvjpegGetProperty(libraryPropertyType type, int *value) {
  constexpr int kVersion[] = {NVJPEG_VER_MAJOR, NVJPEG_VER_MINOR, NVJPEG_VER_PATCH};
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return NVJPEG_STATUS_INVALID_PARAMETER;
  *value = kVersion[type];
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegGetCudartProperty(libraryPropertyType type, int *value) {
  constexpr int kVersion[] = {CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, 0};
  if (value == nullptr || type < MAJOR_VERSION || type > PATCH_LEVEL) return NVJPEG_STATUS_INVALID_PARAMETER;
  *value = kVersion[type];
  return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegCreateSimple(nvjpegHandle_t *handle) {
  if (handle == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  if (!is_ready()) return NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED;
  *handle = new nvjpegHandle;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegCreate(nvjpegBackend_t, nvjpegDevAllocator_t *, nvjpegHandle_t *handle) {
  return nvjpegCreateSimple(handle);
}
nvjpegStatus_t nvjpegCreateEx(nvjpegBackend_t, nvjpegDevAllocator_t *, nvjpegPinnedAllocator_t *, unsigned int flags,
                              nvjpegHandle_t *handle) {
  const auto status = nvjpegCreateSimple(handle);
  if (status == NVJPEG_STATUS_SUCCESS && (flags & NVJPEG_FLAGS_UPSAMPLING_WITH_INTERPOLATION) != 0)
    (*handle)->upsampling = Upsampling::kInterpolated;
  return status;
}
nvjpegStatus_t nvjpegDestroy(nvjpegHandle_t handle) { return destroy(handle); }

nvjpegStatus_t nvjpegGetImageInfo(nvjpegHandle_t handle, const unsigned char *data, size_t length, int *components,
                                  nvjpegChromaSubsampling_t *subsampling, int *widths, int *heights) {
  if (handle == nullptr || data == nullptr || components == nullptr || subsampling == nullptr || widths == nullptr ||
      heights == nullptr)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  Frame frame;
  if (const auto status = parse(data, length, &frame); status != NVJPEG_STATUS_SUCCESS) return status;
  *components = frame.components;
  *subsampling = frame.subsampling();
  for (int i = 0; i < NVJPEG_MAX_COMPONENT; ++i) {
    const Size size = i < frame.components ? frame.size_of(i) : Size{0, 0};
    widths[i] = size.width, heights[i] = size.height;
  }
  return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStateCreate(nvjpegHandle_t handle, nvjpegJpegState_t *state) { return create(handle, state); }
nvjpegStatus_t nvjpegJpegStateDestroy(nvjpegJpegState_t state) { return destroy(state); }

nvjpegStatus_t nvjpegDecode(nvjpegHandle_t handle, nvjpegJpegState_t state, const unsigned char *data, size_t length,
                            nvjpegOutputFormat_t format, nvjpegImage_t *destination, cudaStream_t stream) {
  if (handle == nullptr || state == nullptr || data == nullptr || destination == nullptr || !is_format(format))
    return NVJPEG_STATUS_INVALID_PARAMETER;
  auto picture = std::make_shared<Picture>();
  if (const auto status = decode_file(data, length, format, handle->upsampling, picture.get());
      status != NVJPEG_STATUS_SUCCESS)
    return status;
  return place("nvjpegDecode", std::move(picture), *destination, stream);
}

nvjpegStatus_t nvjpegDecodeBatchedInitialize(nvjpegHandle_t handle, nvjpegJpegState_t state, int batch_size,
                                             int cpu_threads, nvjpegOutputFormat_t format) {
  if (handle == nullptr || state == nullptr || batch_size < 1 || cpu_threads < 0 || !is_format(format))
    return NVJPEG_STATUS_INVALID_PARAMETER;
  state->batch_size = batch_size, state->format = format;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegDecodeBatched(nvjpegHandle_t handle, nvjpegJpegState_t state, const unsigned char *const *data,
                                   const size_t *lengths, nvjpegImage_t *destinations, cudaStream_t stream) {
  if (handle == nullptr || state == nullptr || data == nullptr || lengths == nullptr || destinations == nullptr)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  if (state->batch_size == 0) return NVJPEG_STATUS_NOT_INITIALIZED;
  const auto count = static_cast<std::size_t>(state->batch_size);
  std::vector<std::shared_ptr<Picture>> pictures(count);
  std::vector<nvjpegStatus_t> found(count, NVJPEG_STATUS_SUCCESS);
  warploom::libraries::each_tile(count, 1e6 * static_cast<double>(count), [&](std::uint64_t i) {
    pictures[i] = std::make_shared<Picture>();
    found[i] = data[i] == nullptr
                   ? NVJPEG_STATUS_INVALID_PARAMETER
                   : decode_file(data[i], lengths[i], state->format, handle->upsampling, pictures[i].get());
  });
  for (std::size_t i = 0; i < count; ++i) {
    if (found[i] == NVJPEG_STATUS_SUCCESS) found[i] = check_target(*pictures[i], destinations[i]);
    if (found[i] != NVJPEG_STATUS_SUCCESS) return found[i];
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto status = place("nvjpegDecodeBatched", pictures[i], destinations[i], stream);
    if (status != NVJPEG_STATUS_SUCCESS) return status;
  }
  return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecoderCreate(nvjpegHandle_t handle, nvjpegBackend_t, nvjpegJpegDecoder_t *decoder) {
  return create(handle, decoder);
}
nvjpegStatus_t nvjpegDecoderDestroy(nvjpegJpegDecoder_t decoder) { return destroy(decoder); }
nvjpegStatus_t nvjpegDecoderStateCreate(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder, nvjpegJpegState_t *state) {
  return decoder == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : create(handle, state);
}
nvjpegStatus_t nvjpegBufferPinnedCreate(nvjpegHandle_t handle, nvjpegPinnedAllocator_t *, nvjpegBufferPinned_t *made) {
  return create(handle, made);
}
nvjpegStatus_t nvjpegBufferPinnedDestroy(nvjpegBufferPinned_t buffer) { return destroy(buffer); }
nvjpegStatus_t nvjpegBufferDeviceCreate(nvjpegHandle_t handle, nvjpegDevAllocator_t *, nvjpegBufferDevice_t *made) {
  return create(handle, made);
}
nvjpegStatus_t nvjpegBufferDeviceDestroy(nvjpegBufferDevice_t buffer) { return destroy(buffer); }
nvjpegStatus_t nvjpegStateAttachPinnedBuffer(nvjpegJpegState_t state, nvjpegBufferPinned_t buffer) {
  return state == nullptr || buffer == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegStateAttachDeviceBuffer(nvjpegJpegState_t state, nvjpegBufferDevice_t buffer) {
  return state == nullptr || buffer == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegJpegStreamCreate(nvjpegHandle_t handle, nvjpegJpegStream_t *made) { return create(handle, made); }
nvjpegStatus_t nvjpegJpegStreamDestroy(nvjpegJpegStream_t stream) { return destroy(stream); }
nvjpegStatus_t nvjpegJpegStreamParse(nvjpegHandle_t handle, const unsigned char *data, size_t length, int, int keeps,
                                     nvjpegJpegStream_t stream) {
  return handle == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : parse_into(data, length, keeps != 0, stream);
}
nvjpegStatus_t nvjpegJpegStreamParseHeader(nvjpegHandle_t handle, const unsigned char *data, size_t length,
                                           nvjpegJpegStream_t stream) {
  return handle == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : parse_into(data, length, false, stream);
}
nvjpegStatus_t nvjpegJpegStreamGetJpegEncoding(nvjpegJpegStream_t stream, nvjpegJpegEncoding_t *encoding) {
  if (stream == nullptr || encoding == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  const int marker = stream->frame.marker;
  *encoding =
      marker <= NVJPEG_ENCODING_LOSSLESS_HUFFMAN ? static_cast<nvjpegJpegEncoding_t>(marker) : NVJPEG_ENCODING_UNKNOWN;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegJpegStreamGetFrameDimensions(nvjpegJpegStream_t stream, unsigned int *width,
                                                  unsigned int *height) {
  if (stream == nullptr || width == nullptr || height == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  *width = static_cast<unsigned>(stream->frame.size.width), *height = static_cast<unsigned>(stream->frame.size.height);
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegJpegStreamGetComponentsNum(nvjpegJpegStream_t stream, unsigned int *components) {
  if (stream == nullptr || components == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  *components = static_cast<unsigned>(stream->frame.components);
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegJpegStreamGetComponentDimensions(nvjpegJpegStream_t stream, unsigned int component,
                                                      unsigned int *width, unsigned int *height) {
  if (stream == nullptr || width == nullptr || height == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  if (component >= static_cast<unsigned>(stream->frame.components)) return NVJPEG_STATUS_INVALID_PARAMETER;
  const Size size = stream->frame.size_of(static_cast<int>(component));
  *width = static_cast<unsigned>(size.width), *height = static_cast<unsigned>(size.height);
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegJpegStreamGetChromaSubsampling(nvjpegJpegStream_t stream, nvjpegChromaSubsampling_t *subsampling) {
  if (stream == nullptr || subsampling == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  *subsampling = stream->frame.subsampling();
  return NVJPEG_STATUS_SUCCESS;
}

nvjpegStatus_t nvjpegDecodeParamsCreate(nvjpegHandle_t handle, nvjpegDecodeParams_t *made) {
  return create(handle, made);
}
nvjpegStatus_t nvjpegDecodeParamsDestroy(nvjpegDecodeParams_t params) { return destroy(params); }
nvjpegStatus_t nvjpegDecodeParamsSetOutputFormat(nvjpegDecodeParams_t params, nvjpegOutputFormat_t format) {
  if (params == nullptr || !is_format(format)) return NVJPEG_STATUS_INVALID_PARAMETER;
  params->format = format;
  return NVJPEG_STATUS_SUCCESS;
}
nvjpegStatus_t nvjpegDecoderJpegSupported(nvjpegJpegDecoder_t decoder, nvjpegJpegStream_t stream, nvjpegDecodeParams_t,
                                          int *is_not_supported) {
  return decoder == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : say_whether_supported(stream, is_not_supported);
}
nvjpegStatus_t nvjpegDecodeBatchedSupported(nvjpegHandle_t handle, nvjpegJpegStream_t stream, int *is_not_supported) {
  return handle == nullptr ? NVJPEG_STATUS_INVALID_PARAMETER : say_whether_supported(stream, is_not_supported);
}
nvjpegStatus_t nvjpegDecodeBatchedSupportedEx(nvjpegHandle_t handle, nvjpegJpegStream_t stream, nvjpegDecodeParams_t,
                                              int *is_not_supported) {
  return nvjpegDecodeBatchedSupported(handle, stream, is_not_supported);
}

nvjpegStatus_t nvjpegDecodeJpegHost(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder, nvjpegJpegState_t state,
                                    nvjpegDecodeParams_t params, nvjpegJpegStream_t jpeg) {
  if (handle == nullptr || decoder == nullptr || state == nullptr || params == nullptr || jpeg == nullptr)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  if (jpeg->data == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  auto picture = std::make_shared<Picture>();
  const auto status = decode(jpeg->data, jpeg->length, params->format, handle->upsampling, picture.get());
  if (status == NVJPEG_STATUS_SUCCESS) state->decoded = std::move(picture);
  return status;
}
// Memory of the host is memory of the device.
nvjpegStatus_t nvjpegDecodeJpegTransferToDevice(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder,
                                                nvjpegJpegState_t state, nvjpegJpegStream_t, cudaStream_t) {
  if (handle == nullptr || decoder == nullptr || state == nullptr) return NVJPEG_STATUS_INVALID_PARAMETER;
  return state->decoded ? NVJPEG_STATUS_SUCCESS : NVJPEG_STATUS_NOT_INITIALIZED;
}
nvjpegStatus_t nvjpegDecodeJpegDevice(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder, nvjpegJpegState_t state,
                                      nvjpegImage_t *destination, cudaStream_t stream) {
  if (handle == nullptr || decoder == nullptr || state == nullptr || destination == nullptr)
    return NVJPEG_STATUS_INVALID_PARAMETER;
  if (!state->decoded) return NVJPEG_STATUS_NOT_INITIALIZED;
  return place("nvjpegDecodeJpegDevice", state->decoded, *destination, stream);
}
nvjpegStatus_t nvjpegDecodeJpeg(nvjpegHandle_t handle, nvjpegJpegDecoder_t decoder, nvjpegJpegState_t state,
                                nvjpegJpegStream_t jpeg, nvjpegImage_t *destination, nvjpegDecodeParams_t params,
                                cudaStream_t stream) {
  const auto status = nvjpegDecodeJpegHost(handle, decoder, state, params, jpeg);
  if (status != NVJPEG_STATUS_SUCCESS) return status;
  return nvjpegDecodeJpegDevice(handle, decoder, state, destination, stream);
}

}  // extern "C"
#pragma GCC visibility pop
