// SPDX-License-Identifier: Apache-2.0
#include "io/dense_output.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/progress.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"

namespace evenly::io {
namespace {

template <class Value> constexpr bool is_complex = std::is_same_v<Value, std::complex<double>>;

template <class Value> void append(std::string& text, const Value& value) {
  if constexpr (is_complex<Value>)
    fmt::format_to(std::back_inserter(text), "{} {}", value.real(), value.imag());
  else
    fmt::format_to(std::back_inserter(text), "{}", value);
}

template <class Value> const Value& at(const dense_output<Value>& a, std::int64_t row, std::int64_t col) {
  return a.values[static_cast<std::size_t>(a.columns_first ? col * a.rows + row : row * a.cols + col)];
}

template <class Value>
bool write_lines(std::FILE* file, const dense_output<Value>& a, host::progress& shown) {
  return write_text(file, std::string(a.head), a.rows, [&](std::string& text, std::int64_t row) {
    for (std::int64_t col = 0; col < a.cols; ++col) {
      if (col > 0) text += ' ';
      append(text, at(a, row, col));
    }
    text += '\n';
    shown.at((row + 1) * a.cols);
  });
}

template <class Value>
bool write_market(std::FILE* file, const dense_output<Value>& a, host::progress& shown) {
  constexpr std::string_view field = is_complex<Value>           ? "complex"
                                     : std::is_integral_v<Value> ? "integer"
                                                                 : "real";
  const std::string head =
      fmt::format("%%MatrixMarket matrix array {} general\n{} {}\n", field, a.rows, a.cols);
  return write_text(file, head, a.rows * a.cols, [&](std::string& text, std::int64_t i) {
    append(text, at(a, i % a.rows, i / a.rows));
    text += '\n';
    shown.at(i + 1);
  });
}

template <class Value> bool write_npy(std::FILE* file, const dense_output<Value>& a) {
  const std::array<std::int64_t, 2> shape{a.rows, a.cols};
  const std::string head =
      npy_head(npy_type<Value>(), std::span(shape).first(a.is_vector ? 1 : 2), a.columns_first);
  return std::fwrite(head.data(), 1, head.size(), file) == head.size() &&
         (a.values.empty() ||
          std::fwrite(a.values.data(), sizeof(Value), a.values.size(), file) == a.values.size());
}

} // namespace

std::string npy_head(std::string_view type, std::span<const std::int64_t> shape, bool columns_first) {
  constexpr std::size_t before = 10; // magic string, version and length
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", type,
                  columns_first ? "True" : "False", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  text.resize((before + text.size()) / 64 * 64 + 63 - before,
              ' '); // elements begin at a multiple of 64 bytes
  text += '\n';
  std::string head(npy_magic);
  head += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return head + text;
}

template <class Value> std::string npy_type() {
  if constexpr (std::is_same_v<Value, bool>) return "|b1";
  const char kind = is_complex<Value>                 ? 'c'
                    : std::is_floating_point_v<Value> ? 'f'
                    : std::is_unsigned_v<Value>       ? 'u'
                                                      : 'i';
  return fmt::format("{}{}{}", std::endian::native == std::endian::little ? '<' : '>', kind, sizeof(Value));
}
template std::string npy_type<bool>();
template std::string npy_type<std::uint64_t>();

template <class Value>
void write_dense(const std::filesystem::path& path, const output_formats& formats,
                 const dense_output<Value>& a) {
  output_format format = output_format_of(path, formats);
  if (is_complex<Value> && format == output_format::text) format = output_format::mtx;
  host::progress shown("writing " + (path == "-" ? "standard output" : path.native()), std::ssize(a.values));
  write_output(path, [&](std::FILE* file) {
    const bool written = format == output_format::npy   ? write_npy(file, a)
                         : format == output_format::mtx ? write_market(file, a, shown)
                                                        : write_lines(file, a, shown);
    return written && std::fflush(file) == 0;
  });
}
template std::string npy_type<std::int32_t>();
template std::string npy_type<std::int64_t>();
template std::string npy_type<float>();
template std::string npy_type<double>();
template std::string npy_type<std::complex<double>>();
template void write_dense(const std::filesystem::path&, const output_formats&,
                          const dense_output<std::int32_t>&);
template void write_dense(const std::filesystem::path&, const output_formats&,
                          const dense_output<std::int64_t>&);
template void write_dense(const std::filesystem::path&, const output_formats&, const dense_output<float>&);
template void write_dense(const std::filesystem::path&, const output_formats&, const dense_output<double>&);
template void write_dense(const std::filesystem::path&, const output_formats&,
                          const dense_output<std::complex<double>>&);

} // namespace evenly::io
