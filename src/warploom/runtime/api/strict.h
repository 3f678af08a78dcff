// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WARPLOOM_STRICT: what a GPU refuses fails here, too. Memory of the device has no access rights but while kernels,
// copies and fills use it, so that the host's own loads and stores fault there; managed memory has none from a launch
// until the host synchronises, as on devices without concurrentManagedAccess. What kernels do is checked by code of
// theirs (access_check.h), which asks here what is memory of the host.
//
//     launch       device memory: open   kernel   closed                       host waits for it: a launch returns
//                  managed memory: open  kernel   closed  ...  open            when its kernel has ended
//                                                              ^ the host synchronises
#pragma once

namespace warploom {
struct Launch;
}

namespace warploom::strict {

// Whether WARPLOOM_STRICT is set; and whether to managed memory the rule above applies, too: not with `concurrent`.
extern bool is_on, guards_managed;

// The device's memory is accessible while any of these is open.
void open_memory();
void close_memory();

class MemoryAccess {
 public:
  explicit MemoryAccess(bool wanted = true) : is_open_(wanted && is_on) {
    if (is_open_) open_memory();
  }
  MemoryAccess(const MemoryAccess &) = delete;
  MemoryAccess &operator=(const MemoryAccess &) = delete;
  ~MemoryAccess() {
    if (is_open_) close_memory();
  }

 private:
  bool is_open_;
};

// Work that may touch managed memory was given to a stream of the host; the host has waited for a stream, by its id, or
// for all. The legacy stream (0) stands for all that it waits for.
void note_launch(unsigned long long stream, unsigned stream_flags);
void note_wait(unsigned long long stream);
void note_wait_for_all();

// In this scope the calling thread's waits are the runtime's own.
class OwnWait {
 public:
  OwnWait();
  OwnWait(const OwnWait &) = delete;
  OwnWait &operator=(const OwnWait &) = delete;
  ~OwnWait();
};

// Whether the launch is given a pointer to a variable of the host, which is told on stderr. (What the host has
// allocated, or on its stack, is found when the kernel touches it.)
bool gets_host_variable(const Launch &launch);

}  // namespace warploom::strict
