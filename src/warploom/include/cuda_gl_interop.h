// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There is no OpenGL to work with: a program may name this header, and what it calls of it is an error that says so.
#ifndef WARPLOOM_CUDA_GL_INTEROP_H
#define WARPLOOM_CUDA_GL_INTEROP_H

#include "cuda_runtime_api.h"

#define WARPLOOM_NO_OPENGL __attribute__((unavailable("Warploom has no OpenGL interoperability")))

// The object's name, target and flags are unsigned numbers in OpenGL.
extern "C" {
WARPLOOM_NO_OPENGL cudaError_t cudaGLSetGLDevice(int device);
WARPLOOM_NO_OPENGL cudaError_t cudaGraphicsGLRegisterBuffer(struct cudaGraphicsResource **resource, unsigned buffer,
                                                            unsigned flags);
WARPLOOM_NO_OPENGL cudaError_t cudaGraphicsGLRegisterImage(struct cudaGraphicsResource **resource, unsigned image,
                                                           unsigned target, unsigned flags);
WARPLOOM_NO_OPENGL cudaError_t cudaGLRegisterBufferObject(unsigned buffer);
WARPLOOM_NO_OPENGL cudaError_t cudaGLUnregisterBufferObject(unsigned buffer);
WARPLOOM_NO_OPENGL cudaError_t cudaGLMapBufferObject(void **pointer, unsigned buffer);
WARPLOOM_NO_OPENGL cudaError_t cudaGLUnmapBufferObject(unsigned buffer);
}

#undef WARPLOOM_NO_OPENGL
#endif
