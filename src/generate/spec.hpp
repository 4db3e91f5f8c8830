// SPDX-License-Identifier: Apache-2.0
// The text `NAME:key=value,...` taken apart and checked against what a generator takes.
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

  /// `text` is what the user wrote, for messages and beyond its colon; it and `known` must outlive this.
  /// Throws spec_error for keys that are unknown, repeated, missing or without a value.
  parameters(std::string_view text, const generator_info& known, wanted what = wanted::matrix);

  /// Whether rows are to be filled, or their sizes are all.
  bool wants_entries() const { return what_ == wanted::matrix; }

  /// The value of `key` as an integer in [least, most]; `1e6` is one. Throws spec_error otherwise.
  std::int64_t count(std::string_view key, std::int64_t min, std::int64_t max) const;

  /// The value of `key` as a number in [least, most]. Throws spec_error otherwise.
  double real(std::string_view key, double min, double max) const;

  /// Whether the user gave `key`, rather than leave it at its standard value.
  bool given(std::string_view key) const;

  std::uint64_t seed() const;

  /// Throws spec_error if a matrix cannot have so many.
  void check_entries(std::int64_t entries) const;

  /// Throws memory_error unless so many bytes can be had.
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
