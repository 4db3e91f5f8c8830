// SPDX-License-Identifier: Apache-2.0
// The Mandelbrot set by subdivision (Mariani-Silver): tasks that make tasks, and a picture of their workers.
//
//   example_mandelbrot [PICTURE.png [WORKERS.png]]
//
// A task is a rectangle. Its warp iterates the border. If one value is all around, it is inside too, since points that
// stay at least so long have no holes among them: the rectangle is filled. Else what is inside the border becomes four
// tasks. The assumption is about all points of a border, and only pixels are looked at: what is thinner could pass
// between two of them. In this view nothing does, and the picture is the one that is iterated pixel by pixel.
// Numbers are integers, so that every machine draws the same bits. mandelbrot_gpu.cu is the same source for a GPU.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/tasks/batched_stealing.hpp"
#include "evenly/tasks/run_tasks.hpp"
#include "evenly/tasks/stealing.hpp"

#if !defined(__CUDACC__)
#include <png.h>
#endif

constexpr int width = 1024, height = 768, max_steps = 512;

/// How often z = z^2 + c can be done from 0 on before |z| > 2, up to max_steps. Numbers are multiples of 2^-28.
EVENLY_FN inline int steps_at(int x, int y) {
  const std::int64_t pixel = 838861, one = std::int64_t{1} << 28;
  const std::int64_t real = (x - width / 2) * pixel - 13 * one / 20, imaginary = (y - height / 2) * pixel;
  std::int64_t a = 0, b = 0;
  for (int steps = 0; steps < max_steps; ++steps) {
    const std::int64_t aa = a * a >> 28, bb = b * b >> 28;
    if (aa + bb > 4 * one) return steps;
    b = (2 * a * b >> 28) + imaginary;
    a = aa - bb + real;
  }
  return max_steps;
}

struct rectangle {
  std::int16_t x, y, width, height;
};

template <class Executor> struct subdivide {
  using form = evenly::tasks::each_warp;
  static constexpr int max_children = 4;
  static constexpr int smallest = 8; ///< what is thinner inside is iterated

  evenly::span_on<Executor, std::int16_t> steps;   ///< [height][width]
  evenly::span_on<Executor, std::int16_t> workers; ///< likewise: the worker that found it

  template <class Warp, class Sink>
  EVENLY_FN void operator()(Warp& warp, const rectangle& all, Sink& sink) const {
    const int rank = warp.rank(), border = 2 * (all.width + all.height) - 4;
    int mine = -1;
    bool alike = true;
    for (int i = rank; i < border; i += warp.size()) {
      const int at = on_border(all, i), found = steps_at(at % width, at / width);
      if (mine < 0) mine = found;
      alike = alike && found == mine;
      store(at, found, sink);
    }
    const int one = warp.shuffle(mine, 0);
    alike = warp.all(alike && (mine < 0 || mine == one));

    const rectangle in = part(all.x + 1, all.y + 1, all.width - 2, all.height - 2);
    if (alike || in.width < smallest || in.height < smallest)
      for (int i = rank; i < in.width * in.height; i += warp.size()) {
        const int x = in.x + i % in.width, y = in.y + i / in.width;
        store(y * width + x, alike ? one : steps_at(x, y), sink);
      }
    else
      for (int i = rank; i < 4; i += warp.size()) sink.push(quarter(in, i));
  }

 private:
  template <class Sink> EVENLY_FN void store(int at, int found, const Sink& sink) const {
    steps[at] = static_cast<std::int16_t>(found);
    workers[at] = static_cast<std::int16_t>(sink.worker());
  }
  /// The i-th pixel of the border: the upper edge, the lower one, then left and right in turns.
  EVENLY_FN static int on_border(const rectangle& of, int i) {
    const int right = of.x + of.width - 1, lower = of.y + of.height - 1;
    if (i < of.width) return of.y * width + of.x + i;
    if (i < 2 * of.width) return lower * width + of.x + i - of.width;
    const int beside = i - 2 * of.width;
    return (of.y + 1 + beside / 2) * width + (beside % 2 == 0 ? of.x : right);
  }
  EVENLY_FN static rectangle quarter(const rectangle& of, int i) {
    const int left = of.width / 2, upper = of.height / 2;
    return part(of.x + (i % 2 == 0 ? 0 : left), of.y + (i < 2 ? 0 : upper),
                i % 2 == 0 ? left : of.width - left, i < 2 ? upper : of.height - upper);
  }
  EVENLY_FN static rectangle part(int x, int y, int w, int h) {
    return {static_cast<std::int16_t>(x), static_cast<std::int16_t>(y), static_cast<std::int16_t>(w),
            static_cast<std::int16_t>(h)};
  }
};

struct picture {
  std::vector<std::int16_t> steps, workers;
};

template <class Executor, class Pool> picture draw(const Executor& exec, const Pool& pool) {
  const std::size_t pixels = std::size_t{width} * height;
  const auto first = evenly::to_executor(exec, std::vector<rectangle>{{0, 0, width, height}});
  auto steps = evenly::make_buffer<std::int16_t>(exec, pixels),
       workers = evenly::make_buffer<std::int16_t>(exec, pixels);
  const evenly::task_report done =
      run_tasks(exec, pool, first, subdivide<Executor>{view(exec, steps), view(exec, workers)});
  std::printf("%lld rectangles by %d workers\n", static_cast<long long>(done.run),
              static_cast<int>(done.workers.size()));
  return {evenly::to_host(exec, steps), evenly::to_host(exec, workers)};
}

std::vector<std::int16_t> pixel_by_pixel() {
  std::vector<std::int16_t> steps;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) steps.push_back(static_cast<std::int16_t>(steps_at(x, y)));
  return steps;
}

#if !defined(__CUDACC__)
using colour = std::array<std::uint8_t, 3>;
using palette = std::array<colour, 256>; ///< the last is black

/// Around the colours from `from` on, in `turns` turns; the brightness goes from `dark` to 1.
palette rainbow(double from, double turns, double dark) {
  palette all{};
  for (int i = 0; i < 255; ++i) {
    const double angle = 6.2832 * (from + turns * i / 255), light = dark + (1 - dark) * i / 255;
    for (int k = 0; k < 3; ++k)
      all[i][k] = static_cast<std::uint8_t>(light * (165 + 90 * std::cos(angle - 2.0944 * k)));
  }
  return all;
}

/// An index of `colours` for each pixel. Returns whether it could be written.
bool write_png(const char* path, const std::vector<std::uint8_t>& pixels, const palette& colours) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = colours.size();
  if (png_image_write_to_file(&image, path, 0, pixels.data(), 0, colours.data()) != 0) return true;
  std::fprintf(stderr, "%s: %s\n", path, image.message);
  return false;
}

/// The more steps, the further in the palette; black is what is never left.
bool write_steps(const char* path, const picture& drawn) {
  std::vector<std::uint8_t> pixels;
  for (const int steps : drawn.steps)
    pixels.push_back(steps == max_steps ? 255 : static_cast<std::uint8_t>(254 * std::log2(1 + steps) / 9.01));
  return write_png(path, pixels, rainbow(0.6, 0.7, 0.15));
}

/// A colour for each worker.
bool write_workers(const char* path, const picture& drawn, int workers) {
  std::vector<std::uint8_t> pixels;
  for (const int worker : drawn.workers) pixels.push_back(static_cast<std::uint8_t>(worker * 254 / workers));
  return write_png(path, pixels, rainbow(0, 1, 1));
}
#endif

#if defined(__CUDACC__)
int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77; // no GPU
  return draw(evenly::cuda(), evenly::batched_stealing{}).steps == pixel_by_pixel() ? 0 : 1;
}
#else
int main(int argc, char** argv) {
  const std::vector<std::int16_t> right = pixel_by_pixel();
  bool all_right = draw(evenly::simt(), evenly::batched_stealing{}).steps == right;
  const picture drawn = draw(evenly::cpu(8), evenly::batched_stealing{});
  all_right &= drawn.steps == right && draw(evenly::cpu(), evenly::stealing{}).steps == right;
  const bool written = write_steps(argc > 1 ? argv[1] : "mandelbrot.png", drawn) &&
                       write_workers(argc > 2 ? argv[2] : "mandelbrot_workers.png", drawn, 8);
  return all_right && written ? 0 : 1;
}
#endif
