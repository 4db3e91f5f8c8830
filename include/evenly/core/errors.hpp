// SPDX-License-Identifier: Apache-2.0
// The exceptions of the library. Every message names the value and the rule that it broke, in one line.
#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// Base of all exceptions thrown by evenly.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An argument breaks a documented rule (`offsets[17] = 40 is less than offsets[16] = 52: ...`).
class invalid_argument : public error {
 public:
  using error::error;
};

/// The device or the executor failed: out of memory, a CUDA call, a launch.
class device_error : public error {
 public:
  using error::error;
};

/// The simulated GPU found a program error: a race, a collective that not all of its threads reach, a deadlock.
class simulation_error : public error {
 public:
  using error::error;
};

namespace detail {

/// A part of a message: a text, or an integer in decimal.
class message_part {
 public:
  message_part(const char* text) : text_(text) {}
  message_part(const std::string& text) : text_(text) {}
  template <std::integral Number>
  message_part(Number number)
      : number_(static_cast<unsigned long long>(number)),
        kind_(std::signed_integral<Number> ? kind::with_sign : kind::without_sign) {}

  EVENLY_RUNTIME_FN void append_to(std::string& message) const;

 private:
  enum class kind : unsigned char { text, with_sign, without_sign };

  std::string_view text_;
  unsigned long long number_ = 0;
  kind kind_ = kind::text;
};

EVENLY_RUNTIME_FN std::string concat_parts(std::initializer_list<message_part> parts);
[[noreturn]] EVENLY_RUNTIME_FN void throw_invalid_argument(const std::string& message);

/// Concatenates the parts. This saves compiling sums of strings in every unit.
template <class... Parts> std::string concat(const Parts&... parts) {
  return concat_parts({message_part(parts)...});
}

/// Not inline: messages would otherwise be compiled as part of fast code.
template <class Message> [[noreturn, gnu::cold, gnu::noinline]] void refuse(const Message& message) {
  throw_invalid_argument(message());
}

} // namespace detail

/// Throws invalid_argument(message()) unless `holds`. The message is made only if it is needed.
template <class Message> void require(bool holds, const Message& message) {
  if (!holds) detail::refuse(message);
}

#if defined(EVENLY_RUNTIME_BODIES)
namespace detail {

EVENLY_RUNTIME_FN void message_part::append_to(std::string& message) const {
  if (kind_ == kind::text)
    message.append(text_);
  else if (kind_ == kind::with_sign)
    message.append(std::to_string(static_cast<long long>(number_)));
  else
    message.append(std::to_string(number_));
}

EVENLY_RUNTIME_FN std::string concat_parts(std::initializer_list<message_part> parts) {
  std::string message;
  for (const message_part& part : parts) part.append_to(message);
  return message;
}

EVENLY_RUNTIME_FN void throw_invalid_argument(const std::string& message) { throw invalid_argument(message); }

} // namespace detail
#endif

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// Arrays of which a tile set, a source or a kernel keeps a view. The executor can read them, and they outlive the view.

namespace evenly::detail {

/// A container or a view with contiguous elements.
template <class A>
concept array_like = requires(const A& array) { std::span(array.data(), array.size()); };

/// Whether an argument of type A&& outlives the call: it has a name, or is itself a view, as std::span is.
template <class A>
inline constexpr bool outlives_call =
    std::is_lvalue_reference_v<A> || std::ranges::enable_borrowed_range<std::remove_cv_t<A>>;

/// Returns the elements without reading them. Throws invalid_argument if they are at a null pointer.
template <array_like A> auto elements_of(const char* name, const A& array) {
  const std::span values(array.data(), array.size());
  require(values.empty() || values.data() != nullptr,
          [&] { return detail::concat(name, " is null, but must have ", values.size(), " elements"); });
  return values;
}

} // namespace evenly::detail
