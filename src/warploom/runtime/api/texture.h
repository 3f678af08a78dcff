// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From CUDA's descriptions of textures and surfaces to what device code reads.
#pragma once

#include "cuda_runtime_api.h"
#include "warploom/texture_object.h"

namespace warploom {

// An array as a level of an image.
TextureLevel level_of(const cudaArray &array);

// Checks as cudaCreateTextureObject does, and fills in `texture`.
cudaError_t describe_texture(const cudaResourceDesc &resource, const cudaTextureDesc &description,
                             TextureObject *texture);

// Whether a texture or surface object has this value.
bool is_texture_object(const void *value);
// Whether an address lies in what device code reads of a texture or surface object.
bool is_in_texture_object(const void *address);

}  // namespace warploom
