// SPDX-License-Identifier: Apache-2.0
#include "io/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/numbers.hpp"

namespace evenly::io {
namespace {

constexpr std::size_t longest_header = 1 << 16; ///< bytes
constexpr std::size_t max_dimensions = 32;      ///< the maximum of NumPy

/// A parser of the header's dictionary: the literals of Python that may occur.
class dictionary {
 public:
  dictionary(const array_bytes& from, std::string_view text) : from_(from), at_(text) {}

  npy_header read() {
    npy_header header;
    bool has[3] = {};
    expect('{');
    while (!take('}')) {
      const std::string_view key = string();
      expect(':');
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0 || std::exchange(has[which], true)) wrong();
      if (which == 0) read_type(header);
      if (which == 1) header.columns_first = truth();
      if (which == 2) header.shape = tuple();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!at_.empty() || !has[0] || !has[1] || !has[2]) wrong();
    return header;
  }

 private:
  [[noreturn]] void wrong() const {
    from_.fail("the header must be a dictionary of descr, fortran_order and shape, as NumPy writes it");
  }
  void skip_blanks() {
    const std::size_t stop = at_.find_first_not_of(" \t\r\n");
    at_.remove_prefix(stop == std::string_view::npos ? at_.size() : stop);
  }
  bool take(char c) {
    skip_blanks();
    if (!at_.starts_with(c)) return false;
    at_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) wrong();
  }
  bool take_word(std::string_view word) {
    skip_blanks();
    if (!at_.starts_with(word)) return false;
    at_.remove_prefix(word.size());
    return true;
  }
  std::string_view string() {
    const char quote = take('\'') ? '\'' : take('"') ? '"' : '\0';
    const std::size_t stop = quote == '\0' ? std::string_view::npos : at_.find(quote);
    if (stop == std::string_view::npos) wrong();
    const std::string_view found = at_.substr(0, stop);
    at_.remove_prefix(stop + 1);
    return found;
  }
  bool truth() {
    if (take_word("True")) return true;
    if (!take_word("False")) wrong();
    return false;
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!take(')')) {
      std::int64_t number = 0;
      skip_blanks();
      const auto [stop, status] = std::from_chars(at_.data(), at_.data() + at_.size(), number);
      if (status == std::errc::result_out_of_range) from_.fail("the shape has a number above 64 bits");
      if (status != std::errc{} || numbers.size() == max_dimensions) wrong();
      at_.remove_prefix(static_cast<std::size_t>(stop - at_.data()));
      if (at_.starts_with('L')) at_.remove_prefix(1); // Python 2
      if (number < 0) from_.fail(fmt::format("the shape has {}: lengths are 0 or more", number));
      numbers.push_back(number);
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return numbers;
  }

  void read_type(npy_header& header);

  const array_bytes& from_;
  std::string_view at_;
};

void dictionary::read_type(npy_header& header) {
  skip_blanks();
  if (at_.starts_with('[')) from_.fail("the elements are records: they must be numbers");
  const std::string_view type = string();
  header.type = host::printable(type);
  const std::string_view order = "<>|=";
  const std::size_t has_order = !type.empty() && order.find(type.front()) != std::string_view::npos ? 1 : 0;
  const std::string_view rest = type.substr(has_order);
  if (rest.starts_with('O')) from_.fail("the elements are Python objects: they must be numbers");
  constexpr std::string_view letters = "biufcSU";
  const std::size_t kind = rest.empty() ? std::string_view::npos : letters.find(rest.front());
  int size = 0;
  const auto [stop, status] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), size);
  const bool is_number = !rest.empty() && status == std::errc{} && stop == rest.data() + rest.size();
  if (kind == std::string_view::npos || !is_number || size < 0 || size > 1 << 16)
    from_.fail(fmt::format("the elements are of type {}: they must be numbers", host::in_quotes(type)));
  header.kind = static_cast<npy_kind>(kind);
  header.bytes = header.kind == npy_kind::text ? 4 * size : size;
  constexpr char own = std::endian::native == std::endian::little ? '<' : '>';
  header.swapped = (type.front() == '<' || type.front() == '>') && type.front() != own;
}

/// Whether elements are numbers of a supported size.
bool is_number(const npy_header& h) {
  const int n = h.bytes;
  switch (h.kind) {
  case npy_kind::boolean:
    return n == 1;
  case npy_kind::integer:
  case npy_kind::whole:
    return n == 1 || n == 2 || n == 4 || n == 8;
  case npy_kind::real:
    return n == 2 || n == 4 || n == 8;
  case npy_kind::complex:
    return n == 8 || n == 16;
  default:
    return false;
  }
}

template <class T> T swap_bytes(T value) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  std::ranges::reverse(bytes);
  return std::bit_cast<T>(bytes);
}

template <class T> T load(const char* from, bool swapped) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return swapped ? swap_bytes(value) : value;
}

/// IEEE 754's binary16.
struct half {
  std::uint16_t bits = 0;

  explicit operator double() const {
    const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = std::ldexp(exponent == 0 ? fraction : fraction + 0x400, std::max(exponent, 1) - 25);
    if (exponent == 0x1f)
      value =
          fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return (bits & 0x8000) != 0 ? -value : value;
  }
};

/// Calls visit with a value of the type of the integers.
template <class Visit> void with_integer(const npy_header& h, const Visit& visit) {
  const bool has_sign = h.kind == npy_kind::integer;
  if (h.bytes == 1) return has_sign ? visit(std::int8_t{}) : visit(std::uint8_t{});
  if (h.bytes == 2) return has_sign ? visit(std::int16_t{}) : visit(std::uint16_t{});
  if (h.bytes == 4) return has_sign ? visit(std::int32_t{}) : visit(std::uint32_t{});
  return has_sign ? visit(std::int64_t{}) : visit(std::uint64_t{});
}

/// The same for all numbers; the elements of complex arrays are their parts.
template <class Visit> void with_number(const npy_header& h, const Visit& visit) {
  if (h.kind == npy_kind::boolean) return visit(bool{});
  if (h.kind <= npy_kind::whole) return with_integer(h, visit);
  if (h.bytes == 2) return visit(half{});
  const bool is_single = h.bytes == (h.is_complex() ? 8 : 4);
  return is_single ? visit(float{}) : visit(double{});
}

/// Reserves memory for `count` more elements in steps, so that missing elements cost no memory.
template <class T>
void make_room(std::vector<T>& all, std::size_t count, std::size_t max, const array_bytes& from) {
  if (all.capacity() - all.size() >= count) return;
  const std::size_t room = std::min(max, std::max(2 * all.capacity(), all.size() + count));
  if (const auto shortage = host::memory_shortage(static_cast<std::int64_t>(room * sizeof(T))))
    from.fail(fmt::format("{} of {} elements read: {}", all.size(), max, *shortage));
  all.reserve(room);
}

/// Reads all elements, and calls take(bytes, count) for blocks of them.
template <class Take> void read_blocks(array_bytes& from, const npy_header& header, const Take& take) {
  constexpr std::int64_t block_bytes = 1 << 18;
  const std::int64_t fitting = std::max<std::int64_t>(1, block_bytes / std::max(1, header.bytes));
  const std::int64_t block = std::clamp<std::int64_t>(header.count, 1, fitting);
  const auto bytes = std::make_unique<char[]>(static_cast<std::size_t>(block * header.bytes));
  const std::string elements = fmt::format("{} elements in the header", header.count);
  try {
    for (std::int64_t done = 0; done < header.count; done += block) {
      const std::int64_t now = std::min(block, header.count - done);
      from.read(bytes.get(), static_cast<std::size_t>(now * header.bytes), elements);
      take(bytes.get(), static_cast<std::size_t>(now));
    }
  } catch (const std::bad_alloc&) {
    from.fail("not enough memory for the elements");
  }
  if (!from.at_end()) from.fail(fmt::format("the file has more bytes than the {}", elements));
}

template <class T>
std::vector<T> read_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                             std::int64_t max) {
  if (!is_number(header) || (header.kind != npy_kind::integer && header.kind != npy_kind::whole))
    from.fail(fmt::format("the elements are of type {}: they must be integers", header.type));
  std::vector<T> all;
  with_integer(header, [&](auto zero) {
    using element = decltype(zero);
    read_blocks(from, header, [&](const char* bytes, std::size_t count) {
      make_room(all, count, static_cast<std::size_t>(header.count), from);
      for (std::size_t i = 0; i < count; ++i) {
        const auto value = load<element>(bytes + i * sizeof(element), header.swapped);
        if (std::cmp_less(value, min) || std::cmp_greater(value, max))
          from.fail(fmt::format("element {} is {}: it must be {} to {}", all.size(), value, min, max));
        all.push_back(static_cast<T>(value));
      }
    });
  });
  return all;
}

/// The supported element types of `Value`, for messages; empty if the type of the header is supported.
template <class Value> std::optional<std::string_view> type_needed(const npy_header& header) {
  if (!is_number(header)) return "numbers";
  if constexpr (std::is_same_v<Value, double>)
    if (header.is_complex()) return "real";
  if constexpr (std::is_same_v<Value, std::int64_t>)
    if (!header.is_integer() || header.is_wide_unsigned()) return "integers of 64 bits";
  if constexpr (std::is_same_v<Value, std::uint64_t>)
    if (header.kind != npy_kind::whole) return "unsigned integers";
  return {};
}

/// Issues the remark that integers are rounded. `number`: the index of the first such element.
struct rounded_integers {
  std::int64_t count = 0;
  std::size_t number = 0;
  std::string text = {};

  template <std::integral Integer> void check(Integer value, std::size_t at) {
    if (is_exact_double(value) || count++ > 0) return;
    number = at;
    text = fmt::to_string(value);
  }
  void say(const array_bytes& from, const host::remark_handler& handler) const {
    if (count > 0)
      handler(from.with_place(fmt::format("element {} is {}{}, {}", number, text,
                                          host::and_more({.count = count}), host::beyond_exact_integers)));
  }
};

} // namespace

array_bytes::array_bytes(std::string file, std::string part, reader read)
    : file_(std::move(file)), part_(std::move(part)), read_(std::move(read)) {}

array_bytes::array_bytes(byte_source source) : file_(source.name()) {
  const auto shared = std::make_shared<byte_source>(std::move(source));
  read_ = [shared](char* to, std::size_t count) { return shared->read(to, count); };
}

void array_bytes::read(char* to, std::size_t count, std::string_view what) {
  while (count > 0) {
    const std::size_t got = read_(to, count);
    if (got == 0) fail(fmt::format("the data end before the end of the {}", what));
    to += got;
    count -= got;
  }
}

bool array_bytes::at_end() {
  char ignored = 0;
  return read_(&ignored, 1) == 0;
}

std::string array_bytes::with_place(std::string_view text) const {
  return part_.empty() ? fmt::format("{}: {}", file_, text) : fmt::format("{}: {}: {}", file_, part_, text);
}

void array_bytes::fail(std::string_view rule) const {
  throw file_error(file_, 0, part_.empty() ? std::string(rule) : fmt::format("{}: {}", part_, rule));
}

std::string npy_header::shape_text() const {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

npy_header read_npy_header(array_bytes& from) {
  char start[8];
  from.read(start, sizeof start, "header");
  if (!std::string_view(start, sizeof start).starts_with(npy_magic))
    from.fail("not a NumPy array: it has the wrong first bytes");
  const int version = start[6];
  if (version < 1 || version > 3)
    from.fail(
        fmt::format("version {} of the format: it must be 1, 2 or 3", static_cast<unsigned char>(start[6])));
  unsigned char length[4] = {};
  from.read(reinterpret_cast<char*>(length), version == 1 ? 2 : 4, "header");
  const std::size_t size = length[0] | length[1] << 8 | length[2] << 16 | std::size_t{length[3]} << 24;
  if (size > longest_header)
    from.fail(fmt::format("a header of {} bytes: at most {} are supported", size, longest_header));
  std::string text(size, '\0');
  from.read(text.data(), size, "header");
  npy_header header = dictionary(from, text).read();
  std::int64_t bytes = std::max(1, header.bytes);
  bool fits = true;
  for (const std::int64_t length_of : header.shape) {
    fits = fits && !__builtin_mul_overflow(bytes, std::max<std::int64_t>(1, length_of), &bytes);
    if (fits) header.count *= length_of;
  }
  if (!fits || bytes > std::int64_t{1} << 62)
    from.fail(fmt::format("the shape {} has more than 2^63 elements", header.shape_text()));
  return header;
}

template <class Value>
std::vector<Value> npy_elements(array_bytes& from, const npy_header& header,
                                const host::remark_handler& say) {
  if (const auto needed = type_needed<Value>(header))
    from.fail(fmt::format("the elements are of type {}: they must be {}", header.type, *needed));
  std::vector<Value> all;
  rounded_integers rounded;
  with_number(header, [&](auto zero) {
    using element = decltype(zero);
    read_blocks(from, header, [&](const char* bytes, std::size_t count) {
      make_room(all, count, static_cast<std::size_t>(header.count), from);
      const auto at = [&](std::size_t i) {
        if constexpr (std::is_same_v<element, bool>)
          return static_cast<std::int8_t>(bytes[i] != 0);
        else if constexpr (std::is_same_v<element, half>)
          return static_cast<double>(half{load<std::uint16_t>(bytes + 2 * i, header.swapped)});
        else
          return load<element>(bytes + i * sizeof(element), header.swapped);
      };
      for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<Value>) {
          all.push_back(static_cast<Value>(at(i)));
        } else if constexpr (std::is_integral_v<element>) {
          if constexpr (sizeof(element) == 8) rounded.check(at(i), all.size());
          all.emplace_back(static_cast<double>(at(i)));
        } else if (header.is_complex()) {
          if constexpr (!std::is_same_v<Value, double>) all.emplace_back(at(2 * i), at(2 * i + 1));
        } else {
          all.emplace_back(static_cast<double>(at(i)));
        }
      }
    });
  });
  rounded.say(from, say);
  return all;
}
template std::vector<double> npy_elements(array_bytes&, const npy_header&, const host::remark_handler&);
template std::vector<std::complex<double>> npy_elements(array_bytes&, const npy_header&,
                                                        const host::remark_handler&);
template std::vector<std::int64_t> npy_elements(array_bytes&, const npy_header&, const host::remark_handler&);
template std::vector<std::uint64_t> npy_elements(array_bytes&, const npy_header&,
                                                 const host::remark_handler&);

std::vector<double> npy_values(array_bytes& from, const npy_header& header, const host::remark_handler& say) {
  return npy_elements<double>(from, header, say);
}

std::vector<int> npy_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                              std::int64_t max) {
  return read_integers<int>(from, header, min, max);
}

std::vector<std::int64_t> npy_wide_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                                            std::int64_t max) {
  return read_integers<std::int64_t>(from, header, min, max);
}

std::string npy_word(array_bytes& from, const npy_header& header) {
  const bool wide = header.kind == npy_kind::text;
  if (header.count != 1 || (!wide && header.kind != npy_kind::bytes) || header.bytes > 64 * (wide ? 4 : 1))
    from.fail(fmt::format("{} elements of type {}: one word is expected", header.count, header.type));
  std::string word;
  read_blocks(from, header, [&](const char* bytes, std::size_t) {
    for (int i = 0; i < header.bytes; i += wide ? 4 : 1) {
      const std::uint32_t c =
          wide ? load<std::uint32_t>(bytes + i, header.swapped) : static_cast<unsigned char>(bytes[i]);
      if (c != 0) word += c < 128 ? static_cast<char>(c) : '?';
    }
  });
  return word;
}

std::variant<std::vector<double>, std::vector<std::complex<double>>>
read_npy_vector(byte_source source, const host::remark_handler& say) {
  array_bytes from(std::move(source));
  const npy_header header = read_npy_header(from);
  if (std::ranges::count_if(header.shape, [](std::int64_t length) { return length != 1; }) > 1)
    from.fail(fmt::format("an array of shape {}: a vector has at most one dimension longer than 1",
                          header.shape_text()));
  if (header.is_complex()) return npy_elements<std::complex<double>>(from, header, say);
  return npy_values(from, header, say);
}

} // namespace evenly::io
