// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in company: `company processors | fork | threads N | regions LIBRARY`. Prints what test_company.py checks.
#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

__global__ void work(float *x, int n, int trips) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int trip = 0; trip < trips; ++trip) value = value * 0.5f + 1;
  x[i] = value;
}

const int kCount = 1 << 18;

// Whether launches on `stream` give the right numbers.
static bool is_right(cudaStream_t stream, int launches) {
  float *x = nullptr;
  if (cudaMalloc(&x, kCount * sizeof(float)) != cudaSuccess) return false;
  cudaMemsetAsync(x, 0, kCount * sizeof(float), stream);
  for (int i = 0; i < launches; ++i) work<<<kCount / 256, 256, 0, stream>>>(x, kCount, 100);
  std::vector<float> host(kCount);
  cudaMemcpyAsync(host.data(), x, kCount * sizeof(float), cudaMemcpyDeviceToHost, stream);
  bool right = cudaStreamSynchronize(stream) == cudaSuccess;
  for (const float value : host) right = right && value > 1.999f && value <= 2;
  cudaFree(x);
  return right;
}

static int processors() {
  // As an OpenMP library does with the threads that it knows.
  if (getenv("COMPANY_BINDS") != nullptr) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  printf("%d\n", properties.multiProcessorCount);
  return 0;
}

static int children(int launches) {
  int right = 0;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(is_right(nullptr, launches) ? 0 : 1);
    int status = 1;
    waitpid(child, &status, 0);
    right += status == 0;
  }
  return right;
}

static int forks() {
  const int before = children(3);
  const bool parent = is_right(nullptr, 50);
  const int after = children(3);
  printf("%d before, %d after, parent %s\n", before, after, parent && is_right(nullptr, 50) ? "right" : "wrong");
  return 0;
}

// Threads of this process that run or could, the calling one apart.
static int runnable() {
  int count = -1;
  DIR *const tasks = opendir("/proc/self/task");
  while (const dirent *task = readdir(tasks)) {
    char path[64], text[256] = {};
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", task->d_name);
    FILE *const file = task->d_name[0] == '.' ? nullptr : fopen(path, "r");
    if (file == nullptr) continue;
    fgets(text, sizeof text, file);
    fclose(file);
    const char *const state = strrchr(text, ')');
    count += state != nullptr && state[2] == 'R';
  }
  closedir(tasks);
  return count;
}

// N threads with a stream each.
static int threads(int count) {
  std::atomic<int> right{0}, left{count};
  std::vector<std::thread> made;
  for (int i = 0; i < count; ++i) {
    made.emplace_back([&] {
      cudaStream_t stream;
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
      for (int round = 0; round < 8; ++round) right += is_right(stream, 60);
      cudaStreamDestroy(stream);
      --left;
    });
  }
  // Each has begun by then.
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::vector<int> seen(256);
  while (left == count) {
    ++seen[runnable()];
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  for (std::thread &each : made) each.join();
  int samples = 0, usual = 0;
  for (const int number : seen) samples += number;
  for (int sum = seen[0]; sum * 2 < samples && usual < 255;) sum += seen[++usual];
  printf("%d right, %d runnable\n", right.load(), usual);
  return 0;
}

// Parallel loops of another library (regions.cpp) before, between and beside kernels, on the same numbers.
static int regions(const char *library) {
  void *const loaded = dlopen(library, RTLD_NOW);
  auto *const add_on_all =
      loaded ? reinterpret_cast<void (*)(float *, int, int)>(dlsym(loaded, "add_on_all")) : nullptr;
  if (add_on_all == nullptr) return 1;
  float *shared = nullptr;
  cudaMallocManaged(&shared, kCount * sizeof(float));
  std::vector<float> other(kCount);
  add_on_all(shared, kCount, 1);
  for (int round = 0; round < 100; ++round) {
    work<<<kCount / 256, 256>>>(shared, kCount, 10);
    add_on_all(other.data(), kCount, 10);
    cudaDeviceSynchronize();
    add_on_all(shared, kCount, 1);
  }
  int right = 0;
  for (int i = 0; i < kCount; ++i) right += shared[i] > 1.999f && other[i] > 1.999f && shared[i] <= 2 && other[i] <= 2;
  printf("%d of %d right\n", right, kCount);
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "processors") == 0) return processors();
  if (argc > 1 && strcmp(argv[1], "fork") == 0) return forks();
  if (argc > 2 && strcmp(argv[1], "threads") == 0) return threads(atoi(argv[2]));
  if (argc > 2 && strcmp(argv[1], "regions") == 0) return regions(argv[2]);
  return 2;
}

extern "C" __attribute__((visibility("default"))) int omp_get_proc_bind() {
  return getenv("COMPANY_OPENMP") != nullptr;
}
