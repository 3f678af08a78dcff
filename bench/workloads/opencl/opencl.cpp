// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The workloads through OpenCL: the same kernels, problems and checks as the CUDA programs.
//
//   opencl --list                                             the platforms that have a CPU: number, name and version
//   opencl PLATFORM FOLDER KERNEL BLOCK_X BLOCK_Y [VARIANT] [FLAGS OF harness.h]
//
// FOLDER holds KERNEL.cl.
#include "runtime.h"

#include "../bfs.h"
#include "../black_scholes.h"
#include "../histogram.h"
#include "../hotspot.h"
#include "../mandelbrot.h"
#include "../nbody.h"
#include "../needleman_wunsch.h"
#include "../reduction.h"
#include "../saxpy.h"
#include "../sgemm.h"
#include "../spmv.h"

using opencl::Buffer;
using opencl::launch;
using opencl::Session;
using opencl::with_arguments;

struct Request {
  bench::Settings settings;
  int block_x, block_y;
};

static size_t blocks(int count, int size) { return static_cast<size_t>((count + size - 1) / size); }

static int saxpy(Session &session, const Request &request) {
  Saxpy problem(request.settings);
  Buffer<float> x(session, problem.x), y(session, problem.y);
  Kernel *kernel = with_arguments(session.kernel("saxpy"), problem.count, problem.factor, x, y);
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {blocks(problem.count, 256)}, {256});
        session.finish();
      },
      [&] { return problem.check(y.read().data()); });
}

static int sgemm(Session &session, const Request &request) {
  Sgemm problem(request.settings);
  Buffer<float> a(session, problem.a), b(session, problem.b), c(session, problem.c);
  Kernel *kernel = with_arguments(session.kernel("sgemm"), problem.n, a, b, c);
  const opencl::Size local = {size_t(request.block_x), size_t(request.block_y)};
  const opencl::Size groups = {blocks(problem.n, request.block_x), blocks(problem.n, request.block_y)};
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, groups, local);
        session.finish();
      },
      [&] { return problem.check(c.read().data()); });
}

static int reduction(Session &session, const Request &request) {
  Reduction problem(request.settings);
  bench::Array<float> sums(blocks(problem.count, 512));
  Buffer<float> in(session, problem.in), out(session, sums);
  Kernel *kernel = with_arguments(session.kernel("reduce"), in, out, problem.count);
  std::vector<float> host(sums.size());
  float total = 0;
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {sums.size()}, {256});
        out.read(host.data(), host.size());
        total = 0;
        for (float sum : host) total += sum;
      },
      [&] { return problem.check(total); });
}

static int hotspot(Session &session, const Request &request) {
  Hotspot problem(request.settings);
  const int side = problem.side, inner = 16 - 2 * Hotspot::kSteps;
  bench::Array<float> result(problem.temperature.size());
  Buffer<float> power(session, problem.power), from(session, problem.temperature), to(session, result);
  Kernel *kernel = with_arguments(session.kernel("hotspot"), int(Hotspot::kSteps), power, from, to, side, side,
                                  problem.capacity, problem.x_rate, problem.y_rate, problem.z_rate, problem.ambient);
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {blocks(side, inner), blocks(side, inner)}, {16, 16});
        session.finish();
      },
      [&] { return problem.check(to.read().data()); });
}

static int mandelbrot(Session &session, const Request &request) {
  const Mandelbrot problem(request.settings);
  const int side = problem.side;
  bench::Array<int> result(problem.expected.size());
  Buffer<int> out(session, result);
  Kernel *kernel = with_arguments(session.kernel("mandelbrot"), out, side, side, problem.limit,
                                  float(Mandelbrot::kLeft), float(Mandelbrot::kTop), problem.pixel);
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {blocks(side, 16), blocks(side, 16)}, {16, 16});
        session.finish();
      },
      [&] { return problem.check(out.read().data()); });
}

struct Vector4 {
  float x, y, z, w;
};

static int nbody(Session &session, const Request &request) {
  Nbody problem(request.settings);
  const int n = problem.count;
  bench::Array<Vector4> bodies(n), accelerations(n);
  for (int i = 0; i < n; ++i) bodies[i] = {problem.x[i], problem.y[i], problem.z[i], problem.mass[i]};
  Buffer<Vector4> from(session, bodies), to(session, accelerations);
  Kernel *kernel = with_arguments(session.kernel("accelerate"), from, to, n, float(Nbody::kSoftening));
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {blocks(n, 256)}, {256});
        session.finish();
      },
      [&] {
        const bench::Array<Vector4> got = to.read();
        return problem.check([&](int i, int axis) { return axis == 0 ? got[i].x : axis == 1 ? got[i].y : got[i].z; });
      });
}

static int histogram(Session &session, const Request &request) {
  Histogram problem(request.settings);
  bench::Array<int> counts(Histogram::kBins);
  Buffer<unsigned char> data(session, problem.data);
  Buffer<int> bins(session, counts);
  Kernel *kernel = with_arguments(session.kernel("histogram"), data, problem.count, bins);
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        bins.fill(0);
        launch(session, kernel, {64}, {256});
        session.finish();
      },
      [&] { return problem.check(bins.read().data()); });
}

static int spmv(Session &session, const Request &request) {
  Spmv problem(request.settings);
  bench::Array<float> result(problem.rows);
  Buffer<int> starts(session, problem.starts), columns(session, problem.columns);
  Buffer<float> values(session, problem.values), x(session, problem.x), y(session, result);
  Kernel *kernel = with_arguments(session.kernel("spmv"), problem.rows, starts, columns, values, x, y);
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {blocks(problem.rows, 256)}, {256});
        session.finish();
      },
      [&] { return problem.check(y.read().data()); });
}

static int black_scholes(Session &session, const Request &request) {
  BlackScholes problem(request.settings);
  bench::Array<float> calls(problem.count), puts(problem.count);
  Buffer<float> price(session, problem.price), strike(session, problem.strike), years(session, problem.years);
  Buffer<float> call(session, calls), put(session, puts);
  Kernel *kernel = with_arguments(session.kernel("black_scholes"), problem.count, price, strike, years, call, put,
                                  float(BlackScholes::kRate), float(BlackScholes::kVolatility));
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        launch(session, kernel, {blocks(problem.count, 128)}, {128});
        session.finish();
      },
      [&] { return problem.check(call.read().data(), put.read().data()); });
}

static int bfs(Session &session, const Request &request) {
  Bfs problem(request.settings);
  const int n = problem.count;
  bench::Array<int> costs(n), flag(1);
  bench::Array<unsigned char> is_frontier(n), is_reached(n), is_visited(n);
  Buffer<Node> nodes(session, problem.nodes);
  Buffer<int> edges(session, problem.edges), cost(session, costs), more(session, flag);
  Buffer<unsigned char> frontier(session, is_frontier), reached(session, is_reached), visited(session, is_visited);
  Kernel *expand = with_arguments(session.kernel("expand"), nodes, edges, frontier, reached, visited, cost, n);
  Kernel *advance = with_arguments(session.kernel("advance"), frontier, reached, visited, more, n);
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        cost.fill(0xff);
        frontier.fill(0);
        reached.fill(0);
        visited.fill(0);
        cost.fill(0, sizeof(int));
        frontier.fill(1, 1);
        visited.fill(1, 1);
        int again = 1;
        while (again != 0) {
          more.fill(0);
          launch(session, expand, {blocks(n, 256)}, {256});
          launch(session, advance, {blocks(n, 256)}, {256});
          more.read(&again, 1);
        }
      },
      [&] { return problem.check(cost.read().data()); });
}

static int needleman_wunsch(Session &session, const Request &request) {
  NeedlemanWunsch problem(request.settings);
  const int tiles = problem.length / 16;
  Buffer<int> similarity(session, problem.similarity), scores(session, problem.scores);
  Kernel *kernel = session.kernel("align");
  return bench::measure(
      request.settings, problem.work(),
      [&] {
        for (int diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
          const int first_x = std::max(0, diagonal - tiles + 1), last_y = diagonal - first_x;
          with_arguments(kernel, similarity, scores, problem.columns, int(NeedlemanWunsch::kGap), first_x, last_y);
          launch(session, kernel, {size_t(last_y - first_x + 1)}, {16});
        }
        session.finish();
      },
      [&] { return problem.check(scores.read().data()); });
}

struct Entry {
  const char *kernel;
  int (*run)(Session &session, const Request &request);
};

const Entry kEntries[] = {
    {"saxpy", saxpy},       {"sgemm_tiled", sgemm},
    {"sgemm_naive", sgemm}, {"reduction", reduction},
    {"hotspot", hotspot},   {"mandelbrot", mandelbrot},
    {"nbody", nbody},       {"histogram", histogram},
    {"spmv", spmv},         {"black_scholes", black_scholes},
    {"bfs", bfs},           {"needleman_wunsch", needleman_wunsch},
};

static void list() {
  const std::vector<Platform *> platforms = opencl::platforms();
  for (size_t i = 0; i < platforms.size(); ++i) {
    if (opencl::cpu(platforms[i]) == nullptr) continue;
    printf("%zu\t%s\t%s\n", i, opencl::text(platforms[i], opencl::kPlatformName).data(),
           opencl::text(platforms[i], opencl::kPlatformVersion).data());
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) {
    list();
    return 0;
  }
  const std::vector<Platform *> platforms = opencl::platforms();
  const size_t number = argc < 6 ? platforms.size() : strtoull(argv[1], nullptr, 10);
  Device *device = number < platforms.size() ? opencl::cpu(platforms[number]) : nullptr;
  if (device == nullptr) {
    fprintf(stderr, "usage: opencl PLATFORM FOLDER KERNEL BLOCK_X BLOCK_Y [VARIANT] [FLAGS]\n");
    return 2;
  }
  const Request request = {bench::Settings(argc - 5, argv + 5), atoi(argv[4]), atoi(argv[5])};
  char file[4096], options[100];
  snprintf(file, sizeof file, "%s/%s.cl", argv[2], argv[3]);
  snprintf(options, sizeof options, "-cl-std=CL1.2 -DBLOCK_X=%d -DBLOCK_Y=%d", request.block_x, request.block_y);
  Session session(device, file, options);
  for (const Entry &entry : kEntries) {
    if (strcmp(entry.kernel, argv[3]) == 0) return entry.run(session, request);
  }
  fprintf(stderr, "no kernel '%s'\n", argv[3]);
  return 2;
}
