// SPDX-License-Identifier: Apache-2.0
// Parses the text `NAME:key=value,...` and checks it against the keys of a generator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generate/generators.hpp"

namespace evenly::generate {

class parameters {
 public:
  enum class wanted { matrix, sizes };

  /// `text` is the user's input, for errors and for the part after the colon. It and `known` must outlive this object.
  /// Throws spec_error for keys that are unknown, repeated, missing or without a value.
  parameters(std::string_view text, const generator_info& known, wanted what = wanted::matrix);

  /// Whether entries are generated, or row sizes only.
  bool wants_entries() const { return what_ == wanted::matrix; }

  /// The value of `key` as an integer in [least, most]; accepts `1e6`. Throws spec_error otherwise.
  std::int64_t count(std::string_view key, std::int64_t min, std::int64_t max) const;

  /// The value of `key` as a number in [least, most]. Throws spec_error otherwise.
  double real(std::string_view key, double min, double max) const;

  /// Whether the user set `key`. Otherwise it has its default.
  bool given(std::string_view key) const;

  std::uint64_t seed() const;

  /// Throws spec_error if a matrix cannot have that many entries.
  void check_entries(std::int64_t entries) const;

  /// Throws memory_error unless this many bytes are available.
  void require_memory(std::int64_t bytes) const;

  /// Throws spec_error with the text and `what`.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void take(std::string_view item);
  std::string_view value(std::string_view key) const;
  std::string complaint(std::string_view what) const;
  double number(std::string_view key) const;

  std::string_view text_;
  const generator_info& known_;
  wanted what_;
  std::vector<std::pair<std::string_view, std::string_view>> given_; ///< key, value
};

} // namespace evenly::generate
