// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of launch_cost: microseconds a launch.
//
//     PROGRAM [--quick]     lines of JSON: threads; one of 1,000 launches before a wait; launch and wait; after 5 ms
//     idle
#pragma once

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

const int kLargest = 1 << 20;

inline double microseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

inline double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// The median of `rounds` times of job(), after one to warm up.
template <class Job>
double median_of(int rounds, Job job) {
  std::vector<double> times;
  for (int round = 0; round <= rounds; ++round) {
    const double start = microseconds();
    job();
    if (round != 0) times.push_back(microseconds() - start);
  }
  return median(times);
}

template <class Launch, class Wait>
int table(int argc, char **argv, Launch launch, Wait wait) {
  const int rounds = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 3 : 15;
  const int kSizes[] = {1, 2048, 1 << 16, kLargest};
  for (const int threads : kSizes) {
    for (int i = 0; i < 100 * rounds; ++i) launch(threads);
    wait();
    const double many = median_of(rounds, [&] {
      for (int i = 0; i < 1000; ++i) launch(threads);
      wait();
    });
    const double each = median_of(250 * rounds, [&] {
      launch(threads);
      wait();
    });
    std::vector<double> after_idling;
    for (int round = 0; round < 10 * rounds; ++round) {
      const timespec pause = {0, 5'000'000};
      nanosleep(&pause, nullptr);
      const double start = microseconds();
      launch(threads);
      wait();
      after_idling.push_back(microseconds() - start);
    }
    printf("{\"threads\": %d, \"of_1000_us\": %.3f, \"each_us\": %.3f, \"after_idling_us\": %.3f}\n", threads,
           many / 1000, each, median(after_idling));
    fflush(stdout);
  }
  return 0;
}
