// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs of a host thread that has just used OpenMP's threads: they run on those, and on the team's where that is not
// possible. Where the machine has no libgomp.so.1, nothing is tested.
#include "../../src/warploom/runtime/openmp_threads.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "../../src/warploom/runtime/team.h"
#include "check.h"

using warploom::Job;

namespace {

using Threads = std::set<pid_t>;

// A parallel region, as compiled OpenMP begins one.
struct OpenMp {
  void *library = dlopen("libgomp.so.1", RTLD_NOW);
  void run(void (*body)(void *), void *state) const {
    reinterpret_cast<void (*)(void (*)(void *), void *, unsigned, unsigned)>(dlsym(library, "GOMP_parallel"))(
        body, state, 0, 0);
  }
};

// Where work was done.
class Seen {
 public:
  void note() {
    const std::lock_guard lock(mutex_);
    threads_.insert(gettid());
  }
  // Until so many threads have come, but no longer than a second.
  void wait_for(size_t count) {
    for (int i = 0; i < 1000 && size() < count; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  size_t size() {
    const std::lock_guard lock(mutex_);
    return threads_.size();
  }
  Threads threads() const { return threads_; }

 private:
  std::mutex mutex_;
  Threads threads_;
};

Threads threads_of_openmp(const OpenMp &openmp) {
  Seen seen;
  openmp.run([](void *state) { static_cast<Seen *>(state)->note(); }, &seen);
  return seen.threads();
}

// As PyTorch's device does; a while after threads that came late, which jobs avoid for 50 ms, as there may be more of
// them here than processors.
void use(const OpenMp &openmp) {
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  threads_of_openmp(openmp);
  __warploom_uses_openmp();
}

Threads threads_of_job(unsigned wanted) {
  Seen seen;
  warploom::run_with_team(wanted, [&](unsigned) {
    seen.note();
    seen.wait_for(wanted);
  });
  return seen.threads();
}

// Whether a job has these. On a busy machine more than 3 ms may go by before it begins, so it is tried again.
bool goes_to(const OpenMp &openmp, const Threads &theirs) {
  for (int i = 0; i < 20; ++i) {
    use(openmp);
    if (threads_of_job(4) == theirs) return true;
  }
  return false;
}

void tests(const OpenMp &openmp) {
  const Threads theirs = threads_of_openmp(openmp);
  CHECK(theirs.size() == 4);
  const auto are_theirs = [&](const Threads &threads) {
    for (const pid_t each : threads)
      if (each != getpid() && theirs.count(each) == 1) return true;
    return false;
  };

  test("a job goes to OpenMP's threads while they are awake, and to the team's later", [&] {
    CHECK(goes_to(openmp, theirs));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(!are_theirs(threads_of_job(4)));
  });

  test("a job of fewer threads leaves some of them alone; one of more has the team's", [&] {
    use(openmp);
    const Threads few = threads_of_job(3);
    CHECK(few.size() == 3 && are_theirs(few));
    use(openmp);
    CHECK(!are_theirs(threads_of_job(6)));
  });

  test("each part runs once, by its thread or by the owner", [] {
    for (int round = 0; round < 2000; ++round) {
      __warploom_uses_openmp();
      std::atomic<unsigned> parts{0};
      const std::function<void(unsigned)> work = [&](unsigned part) { parts += 1U << 8 * part; };
      Job job(4);
      job.start(warploom::work_of(work));
      work(0);
      while (const unsigned part = job.take_back()) work(part);
      job.wait();
      CHECK(parts == 0x01010101);
    }
  });

  test("jobs within jobs and within parallel regions have the team's threads", [&] {
    use(openmp);
    std::atomic<int> inner{0}, of_region{0};
    warploom::run_with_team(4, [&](unsigned) { warploom::run_with_team(2, [&](unsigned) { ++inner; }); });
    CHECK(inner >= 1);
    openmp.run(
        [](void *count) {
          __warploom_uses_openmp();
          warploom::run_with_team(2, [&](unsigned) { ++*static_cast<std::atomic<int> *>(count); });
        },
        &of_region);
    CHECK(of_region >= 4);
    CHECK(warploom::busy_threads() == 0);
    CHECK(threads_of_openmp(openmp) == theirs);
  });

  test("host threads have OpenMP's threads of their own", [&] {
    std::thread([&] {
      const Threads own = threads_of_openmp(openmp);
      CHECK(own != theirs && goes_to(openmp, own));
    }).join();
  });

  test("a child of fork has the team's", [&] {
    use(openmp);
    CHECK(threads_of_job(4) == theirs);
    const pid_t child = fork();
    if (child == 0) _exit(threads_of_job(2).size() == 2 ? 0 : 1);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  });
}

}  // namespace

int main() {
  setenv("WARPLOOM_NUM_THREADS", "8", 1);
  setenv("OMP_NUM_THREADS", "4", 1);
#if __has_feature(thread_sanitizer)
  return 0;  // it does not see how threads of libgomp, which is not compiled for it, wait for each other
#endif
  if (const OpenMp openmp; openmp.library != nullptr) tests(openmp);
  return finish();
}
