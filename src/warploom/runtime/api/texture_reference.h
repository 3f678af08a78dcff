// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cuda_runtime_api.h"

namespace warploom {

// A texture reference of the host side, by its address; `image_id` is null when any image may define it.
void add_texture_reference(const char *image_id, const void *host, const char *name, bool normalized_float);

// The same for a surface reference.
void add_surface_reference(const char *image_id, const void *host, const char *name);

}  // namespace warploom
