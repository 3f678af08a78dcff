// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the first CUDA versions that later ones renamed or dropped, and two of CUDA 12 under their second names.
// feature: Devices and errors / cudaThreadSetLimit, GetLimit, SetCacheConfig, GetCacheConfig
// feature: Devices and errors / cudaSetDoubleForDevice, cudaSetDoubleForHost
// feature: Textures and surfaces / references that are asked for by name, bound with an offset or to levels
// unrecorded: CUDA 12 removed texture and surface references
#include "check.h"

texture<int, cudaTextureType1D, cudaReadModeElementType> line;
texture<float, cudaTextureType2D, cudaReadModeElementType> levels;
surface<void, cudaSurfaceType2D> sheet;

__global__ void read(int *output, int first) { output[threadIdx.x] = tex1Dfetch(line, first + threadIdx.x); }
__global__ void read_levels(float *output) { output[threadIdx.x] = tex2DLod(levels, 0.5f, 0.5f, threadIdx.x); }
__global__ void draw() { surf2Dwrite(static_cast<int>(threadIdx.x * 3), sheet, threadIdx.x * 4, 0); }

// Prints the error of a call that is refused, and takes it from the host thread's last error.
void refused(const char *what, cudaError_t error) {
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

void limits() {
  std::size_t stack = 0;
  CHECK(cudaThreadSetLimit(cudaLimitStackSize, 8192));
  CHECK(cudaThreadGetLimit(&stack, cudaLimitStackSize));
  std::printf("stack of a thread: %zu bytes\n", stack);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  CHECK(cudaThreadGetLimit(&stack, cudaLimitStackSize));
  std::printf("as set by cudaDeviceSetLimit: %zu bytes\n", stack);
  refused("a limit that does not exist", cudaThreadSetLimit(cudaLimit(99), 1));
  refused("a limit to nowhere", cudaThreadGetLimit(nullptr, cudaLimitStackSize));
  cudaFuncCache config = cudaFuncCachePreferNone;
  CHECK(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
  CHECK(cudaThreadGetCacheConfig(&config));
  cudaFuncCache same = cudaFuncCachePreferNone;
  CHECK(cudaDeviceGetCacheConfig(&same));
  std::printf("cache configuration: %s\n", config == same ? "the device's" : "another");
  double number = 0.1;
  CHECK(cudaSetDoubleForDevice(&number));
  CHECK(cudaSetDoubleForHost(&number));
  std::printf("a double for the device: %.17g\n", number);
}

// A pointer that is not aligned as textures must be is bound with an offset, which the program adds to its index.
void offsets() {
  std::vector<int> numbers(64);
  for (int i = 0; i < 64; ++i) numbers[i] = 5 * i;
  const int *device = upload(numbers);
  const textureReference *reference = nullptr;
  CHECK(cudaGetTextureReference(&reference, &line));
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  std::size_t offset = 0, same = 0;
  CHECK(cudaBindTexture(&offset, reference, device + 3, &format, 61 * sizeof(int)));
  CHECK(cudaGetTextureAlignmentOffset(&same, reference));
  std::printf("offset: %zu and %zu\n", offset, same);
  int *output = device_zeros<int>(32);
  read<<<1, 32>>>(output, static_cast<int>(offset / sizeof(int)));
  compare("bound with an offset", std::vector<int>(&numbers[3], &numbers[3] + 32), download(output, 32));
  CHECK(cudaUnbindTexture(reference));
  refused("offset of a reference that is not bound", cudaGetTextureAlignmentOffset(&same, reference));
  refused("a name that is no texture", cudaGetTextureReference(&reference, &format));
}

void level_of_detail() {
  cudaMipmappedArray_t pyramid = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(4, 4, 0), 3));
  std::vector<float> want;
  for (unsigned level = 0; level < 3; ++level) {
    cudaArray_t array = nullptr;
    CHECK(cudaGetMipmappedArrayLevel(&array, pyramid, level));
    const std::size_t side = 4 >> level;
    const std::vector<float> texels(side * side, level * 1.5f + 1);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), side * 4, side * 4, side, cudaMemcpyHostToDevice));
    want.push_back(texels[0]);
  }
  levels.maxMipmapLevelClamp = 8;
  CHECK(cudaBindTextureToMipmappedArray(levels, pyramid, format));
  float *output = device_zeros<float>(3);
  read_levels<<<1, 3>>>(output);
  compare("levels", want, download(output, 3));
}

void surfaces() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  CHECK(cudaMallocArray(&array, &format, 8, 1, cudaArraySurfaceLoadStore));
  const surfaceReference *reference = nullptr;
  CHECK(cudaGetSurfaceReference(&reference, &sheet));
  CHECK(cudaBindSurfaceToArray(reference, array, &format));
  draw<<<1, 8>>>();
  std::vector<int> want, got(8);
  for (int i = 0; i < 8; ++i) want.push_back(3 * i);
  CHECK(cudaMemcpy2DFromArray(got.data(), 32, array, 0, 0, 32, 1, cudaMemcpyDeviceToHost));
  compare("surface", want, got);
  refused("a name that is no surface", cudaGetSurfaceReference(&reference, &format));
}

void second_names() {
  int *managed = nullptr;
  CHECK(cudaMallocManaged(&managed, 4096));
  cudaMemLocation location = {};
  location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemAdvise_v2(managed, 4096, cudaMemAdviseSetPreferredLocation, location));
  CHECK(cudaMemPrefetchAsync_v2(managed, 4096, location, 0, nullptr));
  location.id = 77;
  refused("a device that does not exist", cudaMemPrefetchAsync_v2(managed, 4096, location, 0, nullptr));
  finish();
}

int main() {
  limits();
  offsets();
  level_of_detail();
  surfaces();
  second_names();
  return 0;
}
