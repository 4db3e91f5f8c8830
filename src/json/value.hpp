// SPDX-License-Identifier: Apache-2.0
// A JSON value: built, read, parsed and written, without a template library in the header.
//
// A braced list is an object if every element is a pair that begins with a string, and an array otherwise:
//   json::value line{{"name", "merge_path"}, {"ms", 1.5}};
//   line["rounds"] = {3, 5, 7};
// Objects keep the order in which members were added. A function that needs another type of value throws
// std::bad_variant_access.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace evenly::json {

struct member;

class value {
 public:
  value(std::nullptr_t = nullptr) noexcept;
  value(std::same_as<bool> auto truth) : value(boolean{truth}) {} // a pointer is not converted to bool
  value(int number);
  value(unsigned number);
  value(long number);
  value(unsigned long number);
  value(long long number);
  value(unsigned long long number);
  value(double number);
  value(const char* text);
  value(std::string_view text);
  value(std::string text);
  value(std::initializer_list<value> list);
  template <class T> value(const std::vector<T>& list) : value(array_of(list)) {}
  template <class T, std::size_t N> value(const std::array<T, N>& list) : value(array_of(list)) {}
  value(const value& other);
  value(value&& other) noexcept;
  /// By value, because adding a member may move the others, as in a["x"] = a["y"].
  value& operator=(value other) noexcept;
  ~value();

  bool is_null() const;
  bool is_bool() const;
  bool is_integer() const; ///< in the range of std::int64_t or std::uint64_t
  bool is_number() const;
  bool is_string() const;
  bool is_array() const;
  bool is_object() const;

  bool as_bool() const;
  bool fits_int64() const;       ///< an integer in the range of std::int64_t
  std::int64_t as_int64() const; ///< requires fits_int64()
  std::uint64_t as_uint64() const;
  double as_double() const; ///< requires is_number()
  const std::string& as_string() const;

  std::size_t size() const; ///< of an array or object; 0 for null
  bool empty() const { return size() == 0; }

  void push_back(value element); ///< null becomes an array
  value* begin();
  value* end();
  const value* begin() const;
  const value* end() const;
  value& back();
  value& operator[](std::size_t index);
  const value& operator[](std::size_t index) const;

  /// The member `key`; null becomes an object, and a missing member is added as null.
  value& operator[](std::string_view key);
  const value& operator[](std::string_view key) const { return at(key); }
  const value& at(std::string_view key) const;   ///< throws std::out_of_range
  const value* find(std::string_view key) const; ///< nullptr if the value is no object or lacks the member
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void erase(std::string_view key);
  void update(const value& object);         ///< assigns each member of `object`; null becomes an object
  const std::vector<member>& items() const; ///< of an object; none for null

  /// Numbers are compared by value, objects in order.
  friend bool operator==(const value& a, const value& b);
  friend value array();
  friend value object();

 private:
  struct boolean {
    bool is_true;
  };
  using array_type = std::vector<value>;
  using object_type = std::vector<member>;

  explicit value(boolean truth);
  explicit value(array_type&& list);
  explicit value(object_type&& members);
  static array_type array_of(const auto& list) {
    array_type made;
    made.reserve(list.size());
    for (const auto& each : list) made.emplace_back(each);
    return made;
  }

  std::variant<std::monostate, boolean, std::int64_t, std::uint64_t, double, std::string, array_type,
               object_type>
      content_;
};

struct member {
  std::string key;
  json::value value;
};

value array();
value object();

/// `parse` was given a text that is no JSON document.
struct parse_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};
value parse(std::string_view text);

/// The contents of a file: indented by two spaces, in ASCII, with a newline at the end.
std::string dump(const value& all);
/// On one line, in UTF-8.
std::string dump_line(const value& all);

} // namespace evenly::json
