// SPDX-License-Identifier: Apache-2.0
#include "host/progress.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/errors.hpp"

namespace evenly::host {
namespace {

/// The number of characters per line that the terminal does not wrap.
std::size_t columns_of(int terminal) {
  winsize size{};
  const bool known = ::ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1U : 79U;
}

/// The first `max` characters of UTF-8.
std::string_view cut(std::string_view text, std::size_t max) {
  std::size_t characters = 0, bytes = 0;
  for (; bytes < text.size(); ++bytes)
    if ((static_cast<unsigned char>(text[bytes]) & 0xc0) != 0x80 && ++characters > max) break;
  return text.substr(0, bytes);
}

/// Writes all of `text` or gives up, because a progress line may be lost.
void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string amount(std::int64_t done, std::int64_t total, progress_unit unit) {
  const bool known = total > 0;
  if (unit == progress_unit::count)
    return known ? fmt::format("{} of {}", done, total) : fmt::to_string(done);
  const auto megabytes = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  if (!known) return fmt::format("{:.0f} MB", megabytes(done));
  return fmt::format("{:.0f} of {:.0f} MB", megabytes(done), megabytes(total));
}

std::string length(double seconds) {
  constexpr double minute = 60, hour = 60 * minute;
  if (seconds < 2 * minute) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 2 * hour) return fmt::format("{:.0f} min", seconds / minute);
  return fmt::format("{:.0f} h", seconds / hour);
}

constexpr std::string_view start_of_line = "\r";
constexpr std::string_view erase_to_end = "\x1b[K";

} // namespace

progress::progress(std::string_view name, std::int64_t total, progress_unit unit, const progress_place& place)
    : name_(printable(name)), total_(total), unit_(unit), place_(place),
      due_(::isatty(place.descriptor) == 1 ? (clock::now() + place.silence).time_since_epoch().count()
                                           : std::numeric_limits<clock::rep>::max()) {}

progress::~progress() {
  if (shown_) write_all(place_.descriptor, fmt::format("{}{}", start_of_line, erase_to_end));
}

void progress::at(std::int64_t done, std::string_view next) {
  const auto due = due_.load(std::memory_order_relaxed);
  if (due == std::numeric_limits<clock::rep>::max() || clock::now().time_since_epoch().count() < due) return;
  const std::unique_lock lock(writing_, std::try_to_lock);
  if (!lock || due_.load(std::memory_order_relaxed) != due) return;
  due_.store((clock::now() + place_.min_between).time_since_epoch().count(), std::memory_order_relaxed);
  write_line(done, next);
}

void progress::write_line(std::int64_t done, std::string_view next) {
  std::string line = fmt::format("{}: {}", name_, amount(done, total_, unit_));
  if (total_ > 0)
    line += fmt::format(" ({:.0f}%)",
                        100 * std::min(1.0, static_cast<double>(done) / static_cast<double>(total_)));
  if (total_ > 0 && done > 0 && done < total_) {
    const std::chrono::duration<double> passed = clock::now() - start_;
    line += fmt::format(", about {} left", length(passed.count() * static_cast<double>(total_ - done) /
                                                  static_cast<double>(done)));
  }
  if (!next.empty()) line += fmt::format(", {}", printable(next));
  shown_ = true;
  write_all(place_.descriptor,
            fmt::format("{}{}{}", start_of_line, cut(line, columns_of(place_.descriptor)), erase_to_end));
}

} // namespace evenly::host
