// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The OS threads behind a launch: who runs which part, shares of blocks, how many threads a loop is worth, processors.
#include "../../src/warploom/runtime/team.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "../../src/warploom/runtime/company.h"
#include "../../src/warploom/runtime/launch_history.h"
#include "../../src/warploom/runtime/processors.h"
#include "../../src/warploom/runtime/shares.h"
#include "check.h"

using namespace warploom;
using std::chrono_literals::operator""ms;

namespace {

void parts() {
  test("every part runs at most once, part 0 on the calling thread", [] {
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::atomic<int>> ran(40);
      const auto caller = std::this_thread::get_id();
      std::atomic<int> strangers{0};
      run_with_team(40, [&](unsigned part) {
        ++ran[part];
        strangers += (part == 0) != (std::this_thread::get_id() == caller);
      });
      CHECK(ran[0] == 1 && strangers == 0);
      CHECK(std::all_of(ran.begin(), ran.end(), [](const auto &count) { return count <= 1; }));
    }
  });

  test("members help where there is work for longer", [] {
    std::atomic<int> parts{0};
    run_with_team(4, [&](unsigned) {
      ++parts;
      for (int i = 0; i < 30000 && parts < 4; ++i) std::this_thread::sleep_for(1ms);
    });
    CHECK(parts == 4);
  });

  test("what a job would get is what it gets", [] {
    const unsigned all = threads_for_job();
    CHECK(all == processors_now());
    const Job outer(2);
    CHECK(outer.size() == std::min(2U, all));
    // The owner counts already.
    const unsigned left = threads_for_job();
    CHECK(left == (all > 2 ? all - 1 : 1));
    const Job inner(1000);
    CHECK(inner.size() == left && threads_for_job() == 1);
    unsigned of_another = 0;
    std::thread([&] { of_another = threads_for_job(); }).join();
    CHECK(of_another == 1);
  });

  test("an owner knows that all members sleep, and takes their parts", [] {
    if (processors_now() < 2) return;
    run_with_team(2, [](unsigned) { std::this_thread::sleep_for(1ms); });
    bool was_asleep = false;
    for (int round = 0; round < 100 && !was_asleep; ++round) {
      std::this_thread::sleep_for(20ms);
      Job job(2);
      was_asleep = job.is_asleep();
      const std::function<void(unsigned)> nothing = [](unsigned) {};
      job.start(work_of(nothing));
      CHECK(!was_asleep || job.has_woken());
      const unsigned part = job.take_back();
      CHECK(part <= 1);
    }
    CHECK(was_asleep);
  });

  test("nobody waits for members that have not begun", [] {
    std::atomic<bool> is_over{false};
    std::atomic<int> late{0};
    for (int round = 0; round < 2000; ++round) {
      is_over = false;
      run_with_team(64, [&](unsigned) { late += is_over; });
      is_over = true;
    }
    CHECK(late == 0);
  });

  test("callers side by side, and parts that call again", [] {
    std::atomic<long> done{0};
    const auto work = [&] {
      for (int round = 0; round < 3000; ++round) {
        std::atomic<int> next{0};
        run_with_team(6, [&](unsigned) {
          while (next.fetch_add(1) < 10) {
            std::atomic<int> inner{0};
            run_with_team(3, [&](unsigned) {
              while (inner.fetch_add(1) < 5) ++done;
            });
          }
        });
      }
    };
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i) callers.emplace_back(work);
    for (std::thread &caller : callers) caller.join();
    CHECK(done == 8L * 3000 * 10 * 5);
  });

  test("jobs side by side have as many threads as there are processors", [] {
    const auto elsewhere = [](unsigned wanted, const auto &meanwhile) {
      std::thread([&] {
        const Job job(wanted);
        meanwhile(job.size());
      }).join();
    };
    elsewhere(3, [&](unsigned three) {
      CHECK(three == 3);
      elsewhere(8, [&](unsigned others) { CHECK(others == 5); });
      elsewhere(4, [&](unsigned four) {
        CHECK(four == 4);
        elsewhere(8, [](unsigned last) { CHECK(last == 1); });
        elsewhere(8, [&](unsigned) { elsewhere(8, [](unsigned more) { CHECK(more == 1); }); });
      });
    });
    elsewhere(8, [](unsigned all) { CHECK(all == 8); });
    CHECK(Job(8).size() == 8);
  });

  test("who does a part of a job finds members for one of its own", [] {
    std::atomic<unsigned> sizes{0};
    Job job(4);
    const std::function<void(unsigned)> work = [&](unsigned part) {
      Job own(part == 3 ? 3 : 2);
      const std::function<void(unsigned)> nothing = [](unsigned) {};
      own.start(work_of(nothing));
      while (own.take_back() != 0) continue;
      sizes += own.size();
    };
    job.start(work_of(work));
    work(0);
    while (const unsigned part = job.take_back()) work(part);
    job.wait();
    CHECK(sizes == 2 + 2 + 2 + 3);
  });

  test("members leave a job when others need their processors, and count no more", [] {
    std::atomic<bool> is_over{false};
    std::atomic<unsigned> left{0};
    Job job(8);
    const std::function<void(unsigned)> work = [&](unsigned) {
      while (!is_over) {
        if (job.member_leaves()) {
          ++left;
          return;
        }
        std::this_thread::sleep_for(1ms);
      }
    };
    job.start(work_of(work));
    job.wake_late();
    for (const unsigned others : {1U, 3U}) {  // threads that cannot wait until the job is over
      std::vector<std::thread> callers;
      std::atomic<unsigned> began{0}, ended{0};
      for (unsigned i = 0; i < others; ++i) {
        callers.emplace_back([&] {
          const Job own(2);
          ++began;
          while (began < others || busy_threads() > 8) std::this_thread::sleep_for(1ms);
          ++ended;
          while (ended < others) std::this_thread::sleep_for(1ms);
        });
      }
      for (std::thread &caller : callers) caller.join();
      // A member is counted out before it says so here.
      for (int i = 0; left < others && i < 10'000; ++i) std::this_thread::sleep_for(1ms);
      CHECK(left == others);
    }
    is_over = true;
    job.wait();
    CHECK(busy_threads() == 0 && Job(8).size() == 8);
  });

  test("a job's parts are done once: by members, or by its owner", [] {
    for (int round = 0; round < 3000; ++round) {
      std::vector<std::atomic<int>> ran(8);
      const std::function<void(unsigned)> work = [&](unsigned part) { ++ran[part]; };
      Job job(8);
      job.start(work_of(work));
      work(0);
      while (const unsigned part = job.take_back()) work(part);
      job.wait();
      for (unsigned part = 0; part < 8; ++part) CHECK(ran[part] == (part < job.size() ? 1 : 0));
    }
  });

  test("a job that is not started leaves its members to others", [] {
    for (int round = 0; round < 100; ++round) Job(8);
    Job job(8);
    CHECK(job.size() == 8);
  });

  if (getenv("WARPLOOM_TEST_NO_FORK") != nullptr) return;
  test("a child of fork has a team of its own", [] {
    for (int round = 0; round < 20; ++round) {
      run_with_team(4, [](unsigned) {});
      const pid_t child = fork();
      if (child == 0) {
        std::atomic<int> parts{0};
        run_with_team(2, [&](unsigned) {
          ++parts;
          for (int i = 0; i < 10000 && parts < 2; ++i) std::this_thread::sleep_for(1ms);
        });
        _exit(parts == 2 ? 0 : 1);
      }
      int status = 1;
      waitpid(child, &status, 0);
      CHECK(status == 0);
    }
  });
}

void shares() {
  test("every block is taken once, by threads with shares and helpers without", [] {
    for (const std::uint64_t blocks : {std::uint64_t{7}, std::uint64_t{1000}, std::uint64_t{100'003}}) {
      std::vector<std::atomic<int>> taken(blocks + 3);
      Shares all(3, blocks + 3, 6);
      std::vector<std::thread> threads;
      for (unsigned number = 0; number < 8; ++number) {
        threads.emplace_back([&, number] {
          for (std::uint64_t first, last; all.take(number, number % 2 == 0, first, last);) {
            for (; first < last; ++first) ++taken[first];
          }
        });
      }
      for (std::thread &thread : threads) thread.join();
      CHECK(std::all_of(taken.begin() + 3, taken.end(), [](const auto &count) { return count == 1; }));
    }
  });

  test("where nobody else is expected a thread takes all shares", [] {
    Shares all(0, 1000, 4);
    all.expect_nobody();
    std::uint64_t count = 0, first = 0, last = 0;
    while (all.take(0, false, first, last)) count += last - first;
    CHECK(count == 1000);
  });

  test("a thread begins with its own share, the same each time", [] {
    for (int round = 0; round < 3; ++round) {
      Shares all(0, 1200, 4);
      for (unsigned number = 0; number < 4; ++number) {
        std::uint64_t first = 0, last = 0;
        CHECK(all.take(number, true, first, last) && first == number * 300 && last == first + 1);
      }
    }
  });

  test("more blocks than fit in 32 bits", [] {
    const std::uint64_t blocks = (std::uint64_t{1} << 45) + 11;
    Shares all(0, blocks, 3);
    std::uint64_t count = 0, first = 0, last = 0;
    for (unsigned number = 0; number < 3; ++number) {
      while (all.take(number, false, first, last)) count += last - first;
    }
    CHECK(count == blocks);
  });
}

// By the clock of the models, us.
double model_now = 0;

std::chrono::nanoseconds nanoseconds(double microseconds) {
  return std::chrono::nanoseconds(std::llround(1000 * microseconds));
}

LoopHistory::Choice choose(LoopHistory &history, unsigned most, unsigned guess) {
  return history.choose(most, guess, nanoseconds(model_now));
}

void learn(const LoopHistory &history, unsigned most, double microseconds, bool has_woken = false) {
  history.learn(most, nanoseconds(microseconds), has_woken);
  model_now += microseconds;
}

// What the last of many launches of a loop ran on, whose time depends on the number of threads as `microseconds` says.
unsigned settled(unsigned guess, const std::function<double(unsigned)> &microseconds) {
  static int loop;
  LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
  std::vector<int> often(17);
  for (int launch = 0; launch < 4000; ++launch) {
    const unsigned threads = choose(history, 16, guess).threads;
    if (launch >= 2000) ++often[threads];
    learn(history, 16, microseconds(threads));
  }
  return static_cast<unsigned>(std::max_element(often.begin(), often.end()) - often.begin());
}

// Two loops that run in turn, of so much work, on 16 threads: what a launch of each takes at last, by the plan that
// both have found. Each waits for the data that the other one has left on other threads.
double settled_together(unsigned guess, double one, double other) {
  static int loops[2];
  static std::uint64_t shape = 0;
  ++shape;
  LoopHistory histories[] = {{&loops[0], 1000, shape}, {&loops[1], 1000, shape}};
  const double works[] = {one, other};
  unsigned before = 1;
  double total = 0;
  for (int launch = 0; launch < 40000; ++launch) {
    const double work = works[launch % 2];
    const unsigned threads = choose(histories[launch % 2], 16, guess).threads;
    double time = work / threads + (threads == 1 ? 0 : .5 * std::log2(threads));
    time += .3 * work * std::abs(1. / threads - 1. / before);
    learn(histories[launch % 2], 16, time);
    before = threads;
    if (launch >= 30000) total += time / 5000;
  }
  return total;
}

// A machine on which two loops run in turn, and what they cost there, us.
struct Machine {
  unsigned most = 16;
  double efficiency = .9;  // of twice as many threads
  double start = .8;       // of a launch on two threads; on more its logarithm times that
  double behind = 0;       // what the host waits for after a launch on several threads
  double noise = .3;       // of each launch, to both sides
  double busy = 0;         // how often something else keeps one of several threads from its processor for 40 us
};

// The time of a pair of launches at last, over that on one thread.
double over_one_thread(const Machine &machine, double one, double other, unsigned seed) {
  static int loops[2];
  static std::uint64_t shape = 1000;
  ++shape;
  LoopHistory histories[] = {{&loops[0], 256, shape}, {&loops[1], 256, shape}};
  const double works[] = {one, other};
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(1 - machine.noise, 1 + machine.noise), chance(0, 1);
  double total = 0, expected = 0;
  for (int launch = 0; launch < 20000; ++launch) {
    LoopHistory &history = histories[launch % 2];
    const unsigned threads = choose(history, machine.most, machine.most).threads;
    const double depth = std::log2(threads), work = works[launch % 2];
    const double lost = threads > 1 && chance(random) < machine.busy ? 40 : 0;
    const double time = (work / std::pow(2 * machine.efficiency, depth) + machine.start * depth) * noise(random) + lost;
    const double behind = threads > 1 ? machine.behind : 0;
    learn(history, machine.most, time);
    model_now += behind;
    if (launch < 10000) continue;
    total += time + behind;
    expected += work;
  }
  return total / expected;
}

// Diagonals of a table of 64 x 64 tiles, a launch each, on so many threads: the time of 70 passes over that with all
// threads for each launch.
double diagonals_over_best(unsigned processors) {
  static int loop;
  static std::uint64_t shape = 0;
  ++shape;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(.9, 1.1);
  double total = 0, best = 0;
  for (int launch = 0; launch < 70 * 127; ++launch) {
    const unsigned tiles = 64 - std::abs(launch % 127 - 63), most = std::min(processors, tiles);
    const auto time = [&](unsigned threads, bool evenly) {
      return .6 * ((tiles + threads - 1) / threads) + .7 * std::log2(threads) + (threads > 1 && !evenly ? 1.5 : 0);
    };
    LoopHistory history(&loop, tiles, shape);
    const LoopHistory::Choice choice = choose(history, most, most);
    const double spent = time(choice.threads, choice.evenly) * noise(random);
    learn(history, most, spent);
    total += spent;
    double least = time(1, true);
    for (unsigned threads = 2; threads < 2 * most; threads *= 2)
      least = std::min(least, time(std::min(threads, most), true));
    best += least;
  }
  return total / best;
}

void trials() {
  for (const unsigned processors : {2U, 4U, 16U, 32U}) {
    test("trials cost little, however many shapes a loop has",
         [&] { CHECK(diagonals_over_best(processors) < (processors < 16 ? 1.05 : 1.08)); });
  }
  test("what took far longer is not tried again and again", [] {
    static int loop;
    LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
    int alone = 0;
    for (int launch = 0; launch < 4000; ++launch) {
      const unsigned threads = choose(history, 16, 16).threads;
      alone += threads == 1 ? 1 : 0;
      learn(history, 16, 40. / threads + 2);
    }
    CHECK(alone >= 1 && alone <= 4);
  });
  test("a launch that something else holds up does not spread the next ones", [] {
    static int loop;
    LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
    int spread = 0;
    for (int launch = 0; launch < 40'000; ++launch) {
      const unsigned threads = choose(history, 16, 1).threads;
      spread += threads > 1 ? 1 : 0;
      learn(history, 16, (threads == 1 ? 3.5 : 5) + (launch % 1000 == 999 ? 4000 : 0));
    }
    CHECK(spread < 1000);
  });
  test("a short loop that is settled on one thread gets all behind its first long launch", [] {
    static int loop;
    for (int before = 2000; before < 2020; ++before) {
      LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
      for (int launch = 0; launch < before; ++launch) {
        const unsigned threads = choose(history, 16, 1).threads;
        learn(history, 16, threads == 1 ? 1.5 : 4);
      }
      for (int launch = 0; launch < 6; ++launch) {
        const unsigned threads = choose(history, 16, 1).threads;
        CHECK(launch == 0 || threads == 16);
        learn(history, 16, 4000. / threads);
      }
    }
  });
  for (const unsigned guess : {1U, 2U}) {
    test("a number of threads is not judged before they have woken up", [guess] {
      static int loop;
      for (const double latency : {20, 60, 400, 800}) {
        LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
        double awake_from = 0, awake_until = 0;
        int two = 0;
        for (int launch = 0; launch < 20'000; ++launch) {
          const bool spreads = choose(history, 2, guess).threads == 2;
          if (spreads && model_now > awake_until) awake_from = model_now + latency;
          const bool has_woken = spreads && model_now < awake_from;
          if (spreads) awake_until = std::max(model_now, awake_from) + 10'000;
          two += spreads && launch >= 10'000 ? 1 : 0;
          learn(history, 2, !spreads ? 7.1 : has_woken ? 10.6 : 5.3, has_woken);
        }
        CHECK(two > 9'000);
      }
    });
  }
  test("what was slow once, by chance, is tried again soon", [] {
    static int loop;
    for (const unsigned slow : {4U, 40U, 400U}) {
      LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
      unsigned two = 0;
      for (unsigned launch = 0; launch < 20'000; ++launch) {
        const unsigned threads = choose(history, 2, 2).threads;
        two += launch >= 8 * slow && threads == 2 ? 1 : 0;
        learn(history, 2, threads == 1 ? 7.1 : launch < slow ? 10.6 : 5.3);
      }
      CHECK(two > 9 * (20'000 - 8 * slow) / 10);
    }
  });
  test("what a block takes on one thread is tried for one of many sizes", [] {
    static int loops[2];
    for (const bool grows : {true, false}) {
      int alone = 0;
      for (int number = 0; number < 8; ++number) {
        constexpr std::array kSizes{32, 40, 48, 56, 64, 80, 96, 112};
        const int size = kSizes[static_cast<unsigned>(grows ? number : 7 - number)];
        for (int launch = 0; launch < 8; ++launch) {
          LoopHistory history(&loops[grows], static_cast<std::uint64_t>(size), 16);
          const unsigned threads = choose(history, 4, 4).threads;
          alone += threads == 1 ? 1 : 0;
          learn(history, 4, .7 * size / threads + threads);
        }
      }
      CHECK(alone >= 1 && alone <= 4);
    }
  });
  test("even parts are not given up for one such launch", [] {
    static int loop;
    LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
    int evenly = 0;
    for (int launch = 0; launch < 20'000; ++launch) {
      const LoopHistory::Choice choice = choose(history, 16, 16);
      evenly += choice.evenly ? 1 : 0;
      learn(history, 16, 80. / choice.threads + (choice.evenly ? 1 : 4) + (launch % 700 == 699 ? 400 : 0));
    }
    CHECK(evenly > 18'000);
  });
  test("launches after a pause follow those in a row, and tell nothing of them", [] {
    static int loop;
    LoopHistory history(&loop, 1000, static_cast<std::uint64_t>(++loop));
    int fewer = 0, more = 0;
    for (int round = 0; round < 200; ++round) {
      for (int launch = 0; launch < 50; ++launch) {
        if (launch == 0) model_now += 5000;
        const unsigned threads = choose(history, 16, 16).threads;
        (launch == 0 ? fewer : more) += round > 100 && threads < 8 ? 1 : 0;
        learn(history, 16, launch == 0 ? 90 - threads : 60. / threads + 2);
      }
    }
    CHECK(fewer <= 5 && more <= 200);
  });
  test("a loop with pauses only learns from these", [] {
    static int loops[2];
    for (const unsigned best : {1U, 16U}) {
      LoopHistory history(&loops[best > 1], 1000, 3);
      int often = 0;
      for (int launch = 0; launch < 600; ++launch) {
        model_now += 2000;
        const unsigned threads = choose(history, 16, 16).threads;
        often += launch >= 300 && threads == best ? 1 : 0;
        learn(history, 16, best == 1 ? 20. + threads : 80. / threads + 5);
      }
      CHECK(often > 250);
    }
  });
}

void history() {
  const auto model = [](double work, double start) {
    return [=](unsigned threads) { return work / threads + (threads == 1 ? 0 : start * std::log2(threads)); };
  };
  for (const unsigned guess : {1U, 16U}) {
    test("a short loop stays on the calling thread", [&] { CHECK(settled(guess, model(1.5, 1)) == 1); });
    test("a long loop gets all threads", [&] { CHECK(settled(guess, model(5000, 1)) == 16); });
    test("a loop whose data would travel stays",
         [&] { CHECK(settled(guess, [](unsigned threads) { return threads == 1 ? 14.0 : 20.0 + threads; }) == 1); });
    test("a loop with much to do now and then gets all threads each time", [&] {
      int launch = 0;
      CHECK(settled(guess, [&](unsigned threads) { return model(launch++ % 5 == 0 ? 4000 : 2, 1)(threads); }) == 16);
    });
    test("a search's largest launches are not tried on few threads", [&] {
      static int loop;
      LoopHistory search(&loop, 512, static_cast<std::uint64_t>(++loop));
      int slow = 0;
      for (int round = 0; round < 100; ++round) {
        for (const double work : {10, 10, 10, 10, 10, 10, 10, 20, 250, 750, 2000, 5800, 300, 100, 20}) {
          const unsigned threads = choose(search, 16, guess).threads;
          slow += work > 700 && threads < 8 ? 1 : 0;
          learn(search, 16, model(work, 1)(threads));
        }
      }
      CHECK(slow <= 4);
    });
    test("loops that share data find the best number together", [&] {
      CHECK(settled_together(guess, 5, 1.5) < 1.1 * (5 / 4. + 1.5 / 4. + 2));  // four threads
      CHECK(settled_together(guess, 1.2, .5) < 1.1 * (1.2 + .5));              // one
      CHECK(settled_together(guess, 40, 30) < 1.1 * (40 / 16. + 30 / 16. + 4));
    });
    test("in between the best number is found", [&] {
      const unsigned found = settled(guess, model(16, 2));
      CHECK(found == 4 || found == 8);
    });
  }
  for (const unsigned most : {2U, 4U, 16U, 32U}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const auto relative = [&](Machine machine, double one, double other) {
        machine.most = most;
        return over_one_thread(machine, one, other, seed);
      };
      test("loops that more threads make slower stay, however long launches vary",
           [&] { CHECK(relative({.start = 3}, 4, 3) < 1.05); });
      test("and where two threads share a core", [&] { CHECK(relative({.efficiency = .55}, 4, 3) < 1.05); });
      test("and where what follows waits for what was spread",
           [&] { CHECK(relative({.start = .3, .behind = 3}, 5, 4) < 1.05); });
      test("and where others want the processors, too",
           [&] { CHECK(relative({.start = 1, .busy = .1}, 4, 3) < 1.06); });
      test("loops that they make faster get them", [&] {
        const double two = .5 / .9 + .8 / 40;
        CHECK(relative({}, 40, 40) < 1.1 * (most == 2 ? two : most == 4 ? .36 : .2));
      });
    }
  }
  test("a few fast launches on more threads do not make up for many slow ones", [&] {
    int launch = 0;
    CHECK(settled(1, [&](unsigned threads) { return threads == 1 ? 10. : launch++ % 3 == 0 ? 9. : 13.; }) == 1);
  });
}

void write(const std::string &path, const std::string &text) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0700);
  }
  std::ofstream(path) << text;
}

void processors() {
  std::string folder = "/tmp/warploom-team-XXXXXX";
  CHECK(mkdtemp(folder.data()) != nullptr);
  test("quotas of version 2: the least of the groups around the process, rounded up", [&] {
    const std::string root = folder + "/two";
    write(root + "/proc/self/cgroup", "0::/outer/inner\n");
    write(root + "/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
    CHECK(granted_processors(root) == 0);
    write(root + "/sys/fs/cgroup/outer/cpu.max", "250000 100000\n");
    CHECK(granted_processors(root) == 3);
    write(root + "/sys/fs/cgroup/outer/inner/cpu.max", "50000 100000\n");
    CHECK(granted_processors(root) == 1);
  });
  test("quotas of version 1", [&] {
    const std::string root = folder + "/one";
    write(root + "/proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/b\n");
    write(root + "/sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "400000\n");
    write(root + "/sys/fs/cgroup/cpu/b/cpu.cfs_period_us", "100000\n");
    CHECK(granted_processors(root) == 4);
    write(root + "/sys/fs/cgroup/cpu/b/cpu.cfs_quota_us", "-1\n");
    CHECK(granted_processors(root) == 0);
  });
  test("ranks of one machine share its processors", [] {
    CHECK(share_of_rank(4, 4, 4) == 1);     // not bound
    CHECK(share_of_rank(1, 4, 4) == 1);     // each to one
    CHECK(share_of_rank(8, 16, 4) == 4);    // to a socket
    CHECK(share_of_rank(4, 16, 4) == 4);    // to its quarter
    CHECK(share_of_rank(2, 2, 5) == 1);     // more ranks than processors
    CHECK(share_of_rank(16, 16, 1) == 16);  // no MPI
  });
  test("threads belong to nodes in order, as far as the process may use them", [&] {
    const std::string root = folder + "/nodes", nodes = root + "/sys/devices/system/node";
    write(nodes + "/online", "0-1,3\n");
    write(nodes + "/node0/cpulist", "0-3,8-11\n");
    write(nodes + "/node1/cpulist", "4-7,12-15\n");
    write(nodes + "/node3/cpulist", "\n");  // memory alone
    Processors all(16);
    for (unsigned i = 0; i < 16; ++i) all[i] = i;
    const Processors zero{0, 1, 2, 3, 8, 9, 10, 11}, one{4, 5, 6, 7, 12, 13, 14, 15};
    const auto found = nodes_of(all, root);
    CHECK((found == std::vector<Processors>{zero, one}));
    CHECK(home_of(found, 0) == zero && home_of(found, 7) == zero);
    CHECK(home_of(found, 8) == one && home_of(found, 15) == one);
    CHECK(home_of(found, 16) == all);  // more threads than processors
    CHECK((nodes_from(found, 2) == std::vector<Processors>{zero, one}));
    CHECK((nodes_from(found, 13) == std::vector<Processors>{one, zero}));  // the owner's node is full first
    CHECK((nodes_from(found, 99) == std::vector<Processors>{zero, one}));  // it is on none of these
    CHECK((nodes_of({2, 3, 4}, root) == std::vector<Processors>{{2, 3}, {4}}));
    CHECK((nodes_of({2, 99}, root) == std::vector<Processors>{{2, 99}}));  // the files do not tell all
    CHECK((nodes_of({0, 1}, folder + "/none") == std::vector<Processors>{{0, 1}}));
    CHECK((home_of({{0, 1}}, 1) == Processors{0, 1}));
  });
  test("no groups", [&] { CHECK(granted_processors(folder + "/none") == 0); });
}

// Another process at work: its share, as long as this object lives.
class Neighbour {
 public:
  Neighbour(const std::string &path, const Processors &processors, std::uint64_t now, unsigned total,
            Company company = {}) {
    int said[2], over[2];
    CHECK(pipe(said) == 0 && pipe(over) == 0);
    child_ = fork();
    if (child_ == 0) {
      close(over[1]);
      const unsigned found = company.join(path, processors) ? company.share(now, total) : 0;
      char end = 0;
      const bool told = ::write(said[1], &found, sizeof found) == sizeof found && read(over[0], &end, 1) == 0;
      _exit(told ? 0 : 1);
    }
    CHECK(read(said[0], &share, sizeof share) == sizeof share);
    for (const int each : {said[0], said[1], over[0]}) close(each);
    over_ = over[1];
  }
  Neighbour(const Neighbour &) = delete;
  Neighbour &operator=(const Neighbour &) = delete;
  ~Neighbour() {
    close(over_);
    waitpid(child_, nullptr, 0);
  }
  unsigned share = 0;

 private:
  pid_t child_ = -1;
  int over_ = -1;
};

void company() {
  std::string folder = "/tmp/warploom-company-XXXXXX";
  CHECK(mkdtemp(folder.data()) != nullptr);
  const std::string path = folder + "/company";
  const Processors four{0, 1, 2, 3};
  test("processes at work share the processors that they may use", [&] {
    Company here;
    CHECK(here.join(path, four));
    CHECK(here.share(1000, 4) == 4);
    const std::uint64_t later = 1000 + Company::kAtWork;
    {
      const Neighbour some(path, {2, 3, 64}, 1000, 3);
      CHECK(some.share == 1 && here.share(1001, 4) == 2);
      const Neighbour others(path, {8, 9}, 1000, 2);
      CHECK(others.share == 2 && here.share(1001, 4) == 2);
      const Neighbour third(path, four, 1001, 4);
      CHECK(third.share == 1 && here.share(1001, 4) == 2);  // the first one has what is left over
      CHECK(here.share(later + 2, 4) == 4);                 // nobody has been at work of late
    }
    const Neighbour next(path, four, later + 2, 4);  // in the slot of one that has ended
    CHECK(next.share == 2);
    const Neighbour child(path, four, later + 2, 4, here);
    CHECK(child.share == 1 && here.share(later + 2, 4) == 2);
  });
  test("a file that others could write to, or none, is left alone", [&] {
    CHECK(chmod(path.c_str(), 0620) == 0);
    CHECK(!Company().join(path, four));
    CHECK(symlink(path.c_str(), (folder + "/link").c_str()) == 0 && chmod(path.c_str(), 0600) == 0);
    CHECK(!Company().join(folder + "/link", four));
    CHECK(!Company().join(folder + "/none/company", four));
  });
  std::filesystem::remove_all(folder);
}

}  // namespace

int main() {
  setenv("WARPLOOM_NUM_THREADS", "8", 1);
  parts();
  shares();
  history();
  trials();
  processors();
  company();
  return failures != 0;
}
