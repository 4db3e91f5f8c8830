// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers as NumPy writes them: .npy files, and the members of .npz archives.
//
// The format is that of NumPy's numpy/lib/format.py, versions 1 to 3: a magic string, a Python dictionary of three keys
// as text, and the elements. A file costs memory for the elements that it holds, never for those that it announces.
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

/// What a .npy file starts with.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The bytes of an array, read in order, and the place that errors about them name.
class array_bytes {
 public:
  /// Reads up to `count` > 0 bytes to `to` and returns how many; 0 only at the end.
  using reader = std::function<std::size_t(char* to, std::size_t count)>;

  /// `file`: printable. `part`: of the file, empty for all of it, or `indptr.npy`, say.
  array_bytes(std::string file, std::string part, reader read);
  explicit array_bytes(byte_source source);

  /// Reads `count` bytes. Throws file_error if there are fewer; `what` names what they belong to.
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
  npy_kind kind = npy_kind::real; ///< whole: unsigned
  int bytes = 0;                  ///< of an element; of text 4 for each character
  bool swapped = false;           ///< the order of bytes is not this machine's
  bool columns_first = false;     ///< of several dimensions the first runs fastest, as in Fortran
  std::string type;               ///< as the file calls it: `<f8`
  std::vector<std::int64_t> shape;
  std::int64_t count = 1; ///< product of the shape

  bool is_complex() const { return kind == npy_kind::complex; }
  /// Whether the elements are numbers without fractions; booleans count as such.
  bool is_integer() const { return kind <= npy_kind::whole; }
  /// Whether some elements may be beyond 64 bits with a sign.
  bool is_wide_unsigned() const { return kind == npy_kind::whole && bytes == 8; }
  /// `(3, 4)`, as Python has it.
  std::string shape_text() const;
};

/// Reads up to the first element. Throws file_error for whatever is no header, for elements that are no numbers and no
/// text (Python objects, records), and for shapes of more than 2^62 elements or bytes.
npy_header read_npy_header(array_bytes& from);

/// All elements in the file's order. Value: double, std::complex<double>, std::int64_t (integers but unsigned ones of 8
/// bytes) or std::uint64_t (unsigned integers). Booleans are 0 and 1. Integers that a double does not hold are rounded,
/// and `say` gets one remark. Throws file_error for fewer or more elements than announced, for elements of another
/// type, and if memory is short.
template <class Value>
std::vector<Value> npy_elements(array_bytes& from, const npy_header& header,
                                const host::remark_handler& say = host::print_remark);
/// Likewise, for real values.
std::vector<double> npy_values(array_bytes& from, const npy_header& header,
                               const host::remark_handler& say = host::print_remark);
/// Likewise, for integers in [least, most].
std::vector<int> npy_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                              std::int64_t max);
std::vector<std::int64_t> npy_wide_integers(array_bytes& from, const npy_header& header, std::int64_t min,
                                            std::int64_t max);
/// The one text of an array of bytes or text, in ASCII, of at most 64 characters.
std::string npy_word(array_bytes& from, const npy_header& header);

/// A vector: all elements of one dimension, or of several of which one at most is longer than 1.
std::variant<std::vector<double>, std::vector<std::complex<double>>>
read_npy_vector(byte_source source, const host::remark_handler& say = host::print_remark);

} // namespace evenly::io
