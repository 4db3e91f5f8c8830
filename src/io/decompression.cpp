// SPDX-License-Identifier: Apache-2.0
#include "io/decompression.hpp"

#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"

namespace evenly::io {
namespace {

class decompressing_reader {
 public:
  decompressing_reader(peekable_bytes from, coding how, std::string name)
      : from_(std::move(from)), how_(how), name_(std::move(name)), buffer_(std::size_t{1} << 16) {}

  std::size_t read(char* to, std::size_t count) {
    try {
      std::span<char> out(to, count);
      while (out.size() == count)
        if (!advance(out)) return 0;
      return count - out.size();
    } catch (const std::bad_alloc&) {
      fail(fmt::format("not enough memory to decompress the {} data", name_of(how_)));
    }
  }

 private:
  /// Makes progress on the current stream, or begins the next. Returns false after the last stream.
  bool advance(std::span<char>& out) {
    if (!stream_) return begin_stream();
    if (in_.empty()) refill();
    const std::size_t had_in = in_.size(), had_out = out.size();
    switch (stream_->step(in_, out, is_last_)) {
    case coding_progress::going:
      if (is_last_ && in_.size() == had_in && out.size() == had_out) fail_as_damaged();
      break;
    case coding_progress::finished:
      stream_.reset();
      is_first_ = false;
      break;
    case coding_progress::damaged:
      fail_as_damaged();
    case coding_progress::window_too_large:
      fail(fmt::format(
          "the {} data need a window of more than {} MiB: compress the file with a smaller window",
          name_of(how_), max_window >> 20));
    }
    return true;
  }

  bool begin_stream() {
    if (!is_first_) skip_padding();
    while (in_.size() < coding_magic_size && !is_last_) refill();
    if (in_.empty() && !is_first_) return false;
    if (coding_of(in_) != how_)
      fail(fmt::format("the {} data are followed by other bytes: remove them, or create the file again",
                       name_of(how_)));
    stream_ = make_decompressor(how_);
    return true;
  }

  void skip_padding() {
    for (;;) {
      in_.remove_prefix(std::min(in_.find_first_not_of('\0'), in_.size()));
      if (!in_.empty() || is_last_) return;
      refill();
    }
  }

  /// Appends more bytes to the few that remain.
  void refill() {
    if (!in_.empty()) std::memmove(buffer_.data(), in_.data(), in_.size());
    const std::size_t got = is_last_ ? 0 : from_(buffer_.data() + in_.size(), buffer_.size() - in_.size());
    is_last_ = got == 0;
    in_ = std::string_view(buffer_.data(), in_.size() + got);
  }

  [[noreturn]] void fail_as_damaged() const {
    fail(fmt::format("the {} data are damaged or cut short", name_of(how_)));
  }
  [[noreturn]] void fail(std::string rule) const { throw file_error(name_, 0, std::move(rule)); }

  peekable_bytes from_;
  coding how_;
  std::string name_;
  std::vector<char> buffer_;
  std::string_view in_;  ///< the part of buffer_ that is still to be decompressed
  bool is_last_ = false; ///< nothing follows in_
  bool is_first_ = true; ///< no stream has ended
  std::unique_ptr<stream_coder> stream_;
};

} // namespace

byte_reader decompressed(peekable_bytes from, coding how, std::string name) {
  auto reader = std::make_shared<decompressing_reader>(std::move(from), how, std::move(name));
  return [reader](char* to, std::size_t count) { return reader->read(to, count); };
}

} // namespace evenly::io
