// SPDX-License-Identifier: Apache-2.0
// NumPy arrays of numbers: .npy files, and the members of .npz archives.
//
// Format: NumPy's numpy/lib/format.py, versions 1 to 3: a magic string, a Python dictionary of three keys as text, and
// the elements. Memory depends on the elements in the file, not on those that its header announces.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/remarks.hpp"
#include "io/byte_source.hpp"

namespace evenly::io {

/// The first bytes of a .npy file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The bytes of an array, read in order, and its name in messages.
class array_bytes {
 public:
  /// Reads up to `count` > 0 bytes to `to` and returns their number; 0 only at the end.
  using reader = std::function<std::size_t(char* to, std::size_t count)>;

  /// `file`: printable. `part`: the part of the file, such as `indptr.npy`; empty for a whole file.
  array_bytes(std::string file, std::string part, reader read);
  explicit array_bytes(byte_source source);

  /// Reads `count` bytes. Throws file_error if there are fewer; `what` names the part of the array in the message.
  void read(char* to, std::size_t count, std::string_view what);
  bool at_end();

  /// Throws file_error `file: part: rule`.
  [[noreturn]] void fail(std::string_view rule) const;
  /// `file: part: text`.
  std::string with_place(std::string_view text) const;

 private:
  std::string file_;
  std::string part_;
  reader read_;
};

enum class npy_kind : char { boolean, integer, whole, real, complex, bytes, text };

struct npy_header {
  npy_kind kind = npy_kind::real; ///< integers: unsigned
  int bytes = 0;                  ///< per element; 4 per character of text
  bool swapped = false;           ///< the byte order is not that of this machine
  bool columns_first = false;     ///< the first dimension is contiguous, as in Fortran
  std::string type;               ///< the type in the file: `<f8`
  std::vector<std::int64_t> shape;
  std::int64_t count = 1; ///< product of the shape

  bool is_complex() const { return kind == npy_kind::complex; }
  /// Whether the elements are integers or booleans.
  bool is_integer() const { return kind <= npy_kind::whole; }
  /// Whether elements may exceed signed 64 bits.
  bool is_wide_unsigned() const { return kind == npy_kind::whole && bytes == 8; }
  /// `(3, 4)`, as in Python.
  std::string shape_text() const;
};

/// Reads up to the first element. Throws file_error for an invalid header, for elements other than numbers and text
/// (Python objects, records), and for shapes of more than 2^62 elements or bytes.
npy_header read_npy_header(array_bytes& from);

/// All elements in file order. Booleans are 0 and 1.
///
/// - Value: double, std::complex<double>, std::int64_t (for integers except unsigned ones of 8 bytes) or std::uint64_t
///   (for unsigned integers).
/// - Integers that a double cannot represent are rounded, and `say` receives one remark.
/// - Throws file_error for fewer or more elements than announced, for elements of another type, and for insufficient
///   memory.
template <class Value>
std::vector<Value> npy_elements(array_bytes& from, const npy_header& header,
                                const host::remark_handler& say = host::print_remark);
/// The same for real values.
std::vector<double> npy_values(array_bytes& from, const npy_header& header,
                               const host::remark_handler& say = host::print_remark);
/// The same for integers in [least, most].
std::vector<int> npy_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                              std::int64_t max);
std::vector<std::int64_t> npy_wide_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                                            std::int64_t max);
/// The only element of an array of bytes or text: ASCII, at most 64 characters.
std::string npy_word(array_bytes& from, const npy_header& header);

/// A vector: an array of one dimension, or of several dimensions of which at most one is larger than 1.
std::variant<std::vector<double>, std::vector<std::complex<double>>>
read_npy_vector(byte_source source, const host::remark_handler& say = host::print_remark);

} // namespace evenly::io
