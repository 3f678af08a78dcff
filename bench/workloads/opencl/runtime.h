// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As much of OpenCL 1.2 as the peers of `warploom bench` need, declared here so that no headers have to be installed:
// types, numbers and prototypes are those of the OpenCL specification.
#pragma once

#include "../harness.h"

extern "C" {
int clGetPlatformIDs(unsigned count, struct Platform **platforms, unsigned *found);
int clGetPlatformInfo(struct Platform *platform, unsigned what, size_t size, void *value, size_t *needed);
int clGetDeviceIDs(struct Platform *platform, uint64_t type, unsigned count, struct Device **devices, unsigned *found);
struct Context *clCreateContext(const intptr_t *properties, unsigned devices, struct Device *const *device,
                                void (*notify)(const char *, const void *, size_t, void *), void *data, int *status);
struct Queue *clCreateCommandQueue(struct Context *context, struct Device *device, uint64_t properties, int *status);
struct Program *clCreateProgramWithSource(struct Context *context, unsigned count, const char **texts,
                                          const size_t *lengths, int *status);
int clBuildProgram(struct Program *program, unsigned devices, struct Device *const *device, const char *options,
                   void (*notify)(struct Program *, void *), void *data);
int clGetProgramBuildInfo(struct Program *program, struct Device *device, unsigned what, size_t size, void *value,
                          size_t *needed);
struct Kernel *clCreateKernel(struct Program *program, const char *name, int *status);
struct Memory *clCreateBuffer(struct Context *context, uint64_t flags, size_t bytes, void *host, int *status);
int clSetKernelArg(struct Kernel *kernel, unsigned index, size_t size, const void *value);
int clEnqueueNDRangeKernel(struct Queue *queue, struct Kernel *kernel, unsigned dimensions, const size_t *offset,
                           const size_t *global, const size_t *local, unsigned waits, const void *wait, void **event);
int clEnqueueFillBuffer(struct Queue *queue, struct Memory *memory, const void *pattern, size_t pattern_size,
                        size_t offset, size_t bytes, unsigned waits, const void *wait, void **event);
int clEnqueueReadBuffer(struct Queue *queue, struct Memory *memory, unsigned blocking, size_t offset, size_t bytes,
                        void *to, unsigned waits, const void *wait, void **event);
int clFinish(struct Queue *queue);
}

namespace opencl {

const uint64_t kCpu = 1 << 1, kReadWrite = 1 << 0, kUseHostPointer = 1 << 3;
const unsigned kPlatformName = 0x0902, kPlatformVersion = 0x0901, kBuildLog = 0x1183;

inline void require(int status, const char *what) {
  if (status == 0) return;
  fprintf(stderr, "%s: OpenCL error %d\n", what, status);
  exit(2);
}

inline std::vector<Platform *> platforms() {
  unsigned count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != 0) return {};
  std::vector<Platform *> found(count);
  require(clGetPlatformIDs(count, found.data(), nullptr), "clGetPlatformIDs");
  return found;
}

inline std::vector<char> text(Platform *platform, unsigned what) {
  std::vector<char> value(256);
  require(clGetPlatformInfo(platform, what, value.size() - 1, value.data(), nullptr), "clGetPlatformInfo");
  return value;
}

// The CPU of a platform, or nothing.
inline Device *cpu(Platform *platform) {
  Device *device = nullptr;
  unsigned found = 0;
  const int status = clGetDeviceIDs(platform, kCpu, 1, &device, &found);
  return status == 0 && found > 0 ? device : nullptr;
}

// A device with one queue and the kernels of one file.
class Session {
 public:
  Session(Device *device, const char *file, const char *options) : device_(device) {
    int status = 0;
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    require(status, "clCreateContext");
    queue_ = clCreateCommandQueue(context_, device, 0, &status);
    require(status, "clCreateCommandQueue");
    build(file, options);
  }

  Kernel *kernel(const char *name) {
    int status = 0;
    Kernel *made = clCreateKernel(program_, name, &status);
    require(status, name);
    return made;
  }

  Context *context() { return context_; }
  Queue *queue() { return queue_; }
  void finish() { require(clFinish(queue_), "clFinish"); }

 private:
  void build(const char *file, const char *options) {
    std::vector<char> source(1 << 16);
    FILE *stream = fopen(file, "r");
    const size_t length = stream == nullptr ? 0 : fread(source.data(), 1, source.size() - 1, stream);
    if (length == 0) {
      fprintf(stderr, "cannot read %s\n", file);
      exit(2);
    }
    fclose(stream);
    const char *text = source.data();
    int status = 0;
    program_ = clCreateProgramWithSource(context_, 1, &text, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    if (clBuildProgram(program_, 1, &device_, options, nullptr, nullptr) == 0) return;
    std::vector<char> log(1 << 16);
    clGetProgramBuildInfo(program_, device_, kBuildLog, log.size() - 1, log.data(), nullptr);
    fprintf(stderr, "%s does not compile:\n%s\n", file, log.data());
    exit(2);
  }

  Device *device_;
  Context *context_ = nullptr;
  Queue *queue_ = nullptr;
  Program *program_ = nullptr;
};

// Memory that host and kernels share: on a CPU nothing has to be copied.
template <class T>
class Buffer {
 public:
  Buffer(Session &session, bench::Array<T> &host) : session_(session), host_(host) {
    int status = 0;
    memory_ = clCreateBuffer(session.context(), kReadWrite | kUseHostPointer, host.bytes(), host.data(), &status);
    require(status, "clCreateBuffer");
  }

  Memory *memory() const { return memory_; }

  void fill(unsigned char value, size_t bytes) {
    require(clEnqueueFillBuffer(session_.queue(), memory_, &value, 1, 0, bytes, 0, nullptr, nullptr), "fill");
  }
  void fill(unsigned char value) { fill(value, host_.bytes()); }

  void read(T *to, size_t count) {
    require(clEnqueueReadBuffer(session_.queue(), memory_, 1, 0, count * sizeof(T), to, 0, nullptr, nullptr), "read");
  }
  bench::Array<T> read() {
    bench::Array<T> copy(host_.size());
    read(copy.data(), copy.size());
    return copy;
  }

 private:
  Session &session_;
  bench::Array<T> &host_;
  Memory *memory_ = nullptr;
};

inline void set_argument(Kernel *kernel, unsigned index, Memory *memory) {
  require(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg");
}
template <class T>
void set_argument(Kernel *kernel, unsigned index, const Buffer<T> &buffer) {
  set_argument(kernel, index, buffer.memory());
}
inline void set_argument(Kernel *kernel, unsigned index, int value) {
  require(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
}
inline void set_argument(Kernel *kernel, unsigned index, float value) {
  require(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg");
}

template <class... Arguments>
Kernel *with_arguments(Kernel *kernel, const Arguments &...arguments) {
  unsigned index = 0;
  (set_argument(kernel, index++, arguments), ...);
  return kernel;
}

struct Size {
  size_t x, y = 1;
};

// `groups` blocks of `local` threads, as CUDA counts.
inline void launch(Session &session, Kernel *kernel, Size groups, Size local) {
  const size_t all[2] = {groups.x * local.x, groups.y * local.y}, each[2] = {local.x, local.y};
  const unsigned dimensions = groups.y * local.y > 1 ? 2 : 1;
  require(clEnqueueNDRangeKernel(session.queue(), kernel, dimensions, nullptr, all, each, 0, nullptr, nullptr),
          "launch");
}

}  // namespace opencl
