// SPDX-License-Identifier: Apache-2.0
#include "io/compressing_file.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include <sys/types.h>

namespace evenly::io {

struct compressing_file::state {
  std::FILE* to = nullptr;
  std::unique_ptr<stream_coder> stream;
  std::FILE* front = nullptr; ///< the file for writers; its bytes go to `write`
  int error = 0;              ///< errno of the first failure
  std::array<char, 1 << 16> buffer{};

  /// Compresses `in` and writes the result. False, with `error` set, on failure.
  bool write(std::string_view in, bool is_last) noexcept {
    try {
      while (error == 0) {
        std::span<char> room(buffer);
        const coding_progress progress = stream->step(in, room, is_last);
        const std::size_t made = buffer.size() - room.size();
        errno = EIO; // a file that sets no errno
        if (std::fwrite(buffer.data(), 1, made, to) < made) error = errno;
        const bool is_done = is_last ? progress == coding_progress::finished : in.empty() && !room.empty();
        if (is_done) break;
      }
    } catch (const std::bad_alloc&) {
      error = ENOMEM;
    }
    return error == 0;
  }

  /// The callback of `front`. Returns 0 on failure.
  static ssize_t write_front(void* self, const char* bytes, std::size_t count) {
    state& s = *static_cast<state*>(self);
    if (s.write({bytes, count}, false)) return static_cast<ssize_t>(count);
    errno = s.error;
    return 0;
  }
};

compressing_file::compressing_file(std::FILE* to, coding how) : state_(std::make_unique<state>()) {
  state_->to = to;
  try {
    state_->stream = make_compressor(how);
    state_->front = ::fopencookie(state_.get(), "w", {nullptr, state::write_front, nullptr, nullptr});
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
}

compressing_file::~compressing_file() {
  const int error = errno;
  if (state_->front != nullptr) std::fclose(state_->front);
  errno = error;
}

std::FILE* compressing_file::file() { return state_->front; }

bool compressing_file::finish() {
  state& s = *state_;
  const bool is_closed = std::fclose(std::exchange(s.front, nullptr)) == 0;
  if (!is_closed && s.error == 0) s.error = errno;
  if (s.error == 0 && s.write({}, true) && std::fflush(s.to) != 0) s.error = errno;
  errno = s.error;
  return s.error == 0;
}

} // namespace evenly::io
