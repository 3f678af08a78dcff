// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file, native byte order: "WLPROF1\n", then pieces of { u32 type, u32 bytes, the bytes }:
//   1  clock     ticks, nanoseconds (u64 each), of one moment: the first piece, and one more at the end
//   2  name      address (u64), text: of a kernel "source name\tmangled\tengine\tcounts of operations"
//   3  thread    u32 number, text: its name
//   4  records   u32 thread, u32 0, records (profile.h)
//   5  process   text: processors \t program
#include "profile.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "message.h"

namespace warploom::profile {

constinit bool is_on = false;

namespace {

enum class Piece : std::uint32_t { kClock = 1, kName, kThread, kRecords, kProcess };

constexpr std::size_t kRecords = 4096;  // of a thread, before they are written

std::uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// Of one thread. Its last ones are written at exit, perhaps while the thread still runs.
struct Buffer {
  std::array<Record, kRecords> records;
  std::atomic<std::size_t> count{0};
  std::size_t written = 0;
  std::uint32_t thread = 0;
  std::unordered_set<const void *> named;
  const void *last = nullptr;  // that was named
  bool is_used = true;
  Buffer *next = nullptr;
};

struct State {
  std::mutex mutex;  // guards the file and all but `records` and `count` of the buffers
  int file = -1;
  Buffer *buffers = nullptr;
  std::unordered_set<std::string> texts;
};

State &state() {
  static auto *const instance = new State;
  return *instance;
}

// The following are called with the lock held.

void write_piece(Piece type, const void *first, std::size_t first_size, const void *second, std::size_t second_size) {
  State &all = state();
  if (all.file < 0) return;
  std::uint32_t head[2] = {static_cast<std::uint32_t>(type), static_cast<std::uint32_t>(first_size + second_size)};
  const iovec parts[3] = {
      {head, sizeof head}, {const_cast<void *>(first), first_size}, {const_cast<void *>(second), second_size}};
  const auto size = static_cast<ssize_t>(sizeof head + first_size + second_size);
  if (writev(all.file, parts, 3) == size) return;
  close(all.file);
  all.file = -1;
  is_on = false;
  write_error("WARPLOOM_PROFILE: the records could not be written (is the disk full?); what came before is there");
}

void write_clock() {
  const std::uint64_t moment[2] = {ticks(), nanoseconds()};
  write_piece(Piece::kClock, moment, sizeof moment, nullptr, 0);
}

void write_records(Buffer &buffer) {
  const std::size_t count = buffer.count.load(std::memory_order_acquire);
  const std::uint32_t head[2] = {buffer.thread, 0};
  write_piece(Piece::kRecords, head, sizeof head, &buffer.records[buffer.written],
              (count - buffer.written) * sizeof(Record));
  buffer.written = count;
}

void write_thread(const Buffer &buffer) {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  if (getpid() == gettid()) std::snprintf(name, sizeof name, "main");
  write_piece(Piece::kThread, &buffer.thread, sizeof buffer.thread, name, std::strlen(name));
}

void write_name(const void *what, Kind kind) {
  std::string text;
  if (kind == Kind::kLaunch || kind == Kind::kPart) {
    const auto &kernel = *static_cast<const Kernel *>(what);
    text = std::string(kernel.source_name != nullptr ? kernel.source_name : kernel.name) + '\t' + kernel.name + '\t' +
           (kernel.grid_entry != nullptr ? "loom" : "reference") + '\t' + (kernel.work != nullptr ? kernel.work : "");
  } else {
    text = static_cast<const char *>(what);
  }
  write_piece(Piece::kName, &what, sizeof what, text.data(), text.size());
}

Buffer *take_buffer() {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  Buffer *buffer = all.buffers;
  while (buffer != nullptr && buffer->is_used) buffer = buffer->next;
  if (buffer == nullptr) {
    buffer = new Buffer;
    buffer->next = all.buffers;
    all.buffers = buffer;
  }
  buffer->is_used = true;
  buffer->thread = static_cast<std::uint32_t>(gettid());
  write_thread(*buffer);
  return buffer;
}

// With a lock of its own, as the thread does it.
void empty(Buffer &buffer) {
  const std::lock_guard lock(state().mutex);
  write_records(buffer);
  buffer.written = 0;
  buffer.count.store(0, std::memory_order_release);
}

struct OwnBuffer {
  Buffer *const buffer = take_buffer();
  ~OwnBuffer();
};

thread_local bool thread_ends = false;

OwnBuffer::~OwnBuffer() {
  thread_ends = true;
  empty(*buffer);
  const std::lock_guard lock(state().mutex);
  buffer->is_used = false;
}

void finish() {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (!is_on) return;
  is_on = false;
  for (Buffer *buffer = all.buffers; buffer != nullptr; buffer = buffer->next) write_records(*buffer);
  write_clock();
}

constinit bool is_copy = false;     // of a process that had a file
constinit bool is_for_all = false;  // WARPLOOM_PROFILE: the process is recorded from its start to its end

// What the parent has recorded is the parent's to write.
void stop_in_copy() {
  is_on = false;
  is_copy = true;
}

void open_file(const char *folder) {
  State &all = state();
  mkdir(folder, 0777);
  const std::string path = std::string(folder) + '/' + std::to_string(getpid()) + ".profile";
  all.file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0666);
  if (all.file < 0) return write_error("WARPLOOM_PROFILE: " + path + " cannot be written: " + std::strerror(errno));
  static_cast<void>(!write(all.file, "WLPROF1\n", 8));
  write_clock();
  char program[4096];
  const ssize_t size = readlink("/proc/self/exe", program, sizeof program);
  const std::string text =
      std::to_string(processor_count()) + '\t' + std::string(program, size < 0 ? 0 : static_cast<std::size_t>(size));
  write_piece(Piece::kProcess, text.data(), text.size(), nullptr, 0);
  std::atexit(finish);
  pthread_atfork(nullptr, nullptr, stop_in_copy);
  is_on = true;
}

// Early, so that what it leaves for the end comes last.
__attribute__((constructor(200))) void start() {
  const char *const folder = std::getenv("WARPLOOM_PROFILE");
  if (folder == nullptr || *folder == '\0') return;
  is_for_all = true;
  open_file(folder);
}

// The parameters by number that the kernel's `work` begins with: "3 5#...".
struct Wanted {
  const Kernel *kernel = nullptr;
  unsigned count = 0;
  std::array<unsigned, std::size(Record{}.data)> numbers{};

  void read(const Kernel &of) {
    kernel = &of;
    count = 0;
    const char *next = of.work;
    if (next == nullptr || *next == '#') return;
    for (unsigned &number : numbers) {
      char *end = nullptr;
      number = static_cast<unsigned>(std::strtoul(next, &end, 10));
      if (end == next || number >= of.parameter_count) return;
      ++count;
      next = end;
    }
  }
};

void add_arguments(const Launch &launch) {
  static thread_local Wanted wanted;
  if (wanted.kernel != launch.kernel) wanted.read(*launch.kernel);
  if (wanted.count == 0) return;
  Record record{.kind = Kind::kArguments};
  for (unsigned i = 0; i < wanted.count; ++i) {
    const std::size_t size = launch.kernel->parameters[wanted.numbers[i]].size;
    std::memcpy(&record.data[i], launch.arguments[wanted.numbers[i]], std::min(size, sizeof record.data[i]));
  }
  add(record);
}

std::uint64_t pair(std::uint64_t low, std::uint64_t high) { return low | high << 32; }

Buffer *own_buffer() {
  static thread_local const OwnBuffer own;
  return own.buffer;
}

// The launch that the calling thread has recorded last, if that is what it has last recorded.
Record *last_launch() {
  Buffer &buffer = *own_buffer();
  std::size_t count = buffer.count.load(std::memory_order_relaxed);
  if (count > buffer.written && buffer.records[count - 1].kind == Kind::kArguments) --count;
  if (count <= buffer.written || buffer.records[count - 1].kind != Kind::kLaunch) return nullptr;
  return &buffer.records[count - 1];
}

}  // namespace

void add(const Record &record) {
  if (!is_on || thread_ends) return;
  Buffer &buffer = *own_buffer();
  if (record.what != buffer.last && record.what != nullptr) {
    buffer.last = record.what;
    if (buffer.named.insert(record.what).second) {
      const std::lock_guard lock(state().mutex);
      write_name(record.what, record.kind);
    }
  }
  const std::size_t count = buffer.count.load(std::memory_order_relaxed);
  buffer.records[count] = record;
  buffer.count.store(count + 1, std::memory_order_release);
  if (count + 1 == kRecords) empty(buffer);
}

const char *kept(const char *text) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  return all.texts.emplace(text).first->c_str();
}

void add_launch(const Launch &launch, std::uint64_t start, std::uint64_t first_loop, bool is_alone) {
  add({start,
       ticks(),
       launch.kernel,
       Kind::kLaunch,
       static_cast<std::uint32_t>(launch.stream),
       {first_loop, pair(launch.grid.x, launch.grid.y), pair(launch.grid.z, launch.block.x),
        pair(launch.block.y, launch.block.z), pair(launch.depth, is_alone ? 1 : 0)}});
  add_arguments(launch);
}

void add_call(const char *function, std::uint64_t start) {
  const std::uint64_t end = ticks();
  if (!is_on || thread_ends) return;
  Record *const launch = std::strcmp(function, "cudaLaunchKernel") == 0 ? last_launch() : nullptr;
  if (launch != nullptr && launch->start >= start && end - start < std::uint64_t{1} << 32) {
    launch->data[5] = pair(launch->start - start, end - launch->end);
  } else {
    add({start, end, function, Kind::kApi});
  }
}

}  // namespace warploom::profile

// For profile() in Python: record from here on, into FOLDER/PID.profile, the same file each time. 0: it does; else why
// it does not: 1 the process is recorded as a whole, 2 it is a copy of one with a file, 3 the file cannot be written.
extern "C" __attribute__((visibility("default"))) int __warploom_profile_begin(const char *folder) {
  using namespace warploom::profile;
  State &all = state();
  const std::lock_guard lock(all.mutex);
  if (is_for_all || is_copy) return is_copy ? 2 : 1;
  if (all.file < 0) open_file(folder);
  is_on = all.file >= 0;
  return is_on ? 0 : 3;
}

// Stop, with all that was recorded in the file. Nothing may be running.
extern "C" __attribute__((visibility("default"))) void __warploom_profile_end() { warploom::profile::finish(); }
