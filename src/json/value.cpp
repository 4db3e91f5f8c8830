// SPDX-License-Identifier: Apache-2.0
#include "json/value.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace evenly::json {
namespace {

using library_value = nlohmann::ordered_json;
using library_error_handler = library_value::error_handler_t; // for bytes that are not UTF-8

library_value to_library(const value& from) {
  if (from.is_null()) return nullptr;
  if (from.is_bool()) return from.as_bool();
  if (from.fits_int64()) return from.as_int64();
  if (from.is_integer()) return from.as_uint64();
  if (from.is_number()) return from.as_double();
  if (from.is_string()) return from.as_string();
  if (from.is_array()) {
    library_value made = library_value::array();
    for (const value& each : from) made.push_back(to_library(each));
    return made;
  }
  library_value made = library_value::object();
  auto& members = made.get_ref<library_value::object_t&>();
  for (const auto& [key, each] : from.items())
    members.emplace_back(key, to_library(each)); // emplace() would search
  return made;
}

/// Handler of the parser's events.
class builder {
 public:
  value& root() { return root_; }

  bool null() { return add(nullptr); }
  bool boolean(bool truth) { return add(truth); }
  bool number_integer(std::int64_t number) { return add(number); }
  bool number_unsigned(std::uint64_t number) { return add(number); }
  bool number_float(double number, const std::string&) { return add(number); }
  bool string(std::string& text) { return add(std::move(text)); }
  bool binary(library_value::binary_t&) { return false; } // JSON has no binary values
  bool start_object(std::size_t) { return open(object()); }
  bool start_array(std::size_t) { return open(array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    slot_ = &(*open_.back())[name]; // the last one of members with the same name counts
    return true;
  }
  [[noreturn]] static bool parse_error(std::size_t, const std::string&,
                                       const nlohmann::detail::exception& e) {
    const std::string_view words = e.what(); // "[the exception's name] what was wrong"
    throw json::parse_error(std::string(words.substr(words.find("] ") + 2)));
  }

 private:
  // Arrays and objects are copied, compared and freed by functions that call themselves.
  static constexpr std::size_t max_depth = 1000;

  value* place(value made) {
    if (open_.empty()) return &(root_ = std::move(made));
    if (open_.back()->is_object()) return &(*slot_ = std::move(made));
    open_.back()->push_back(std::move(made));
    return &open_.back()->back();
  }
  bool add(value made) {
    place(std::move(made));
    return true;
  }
  bool open(value made) {
    if (open_.size() == max_depth)
      throw json::parse_error("arrays and objects are nested more than " + std::to_string(max_depth) +
                              " deep");
    open_.push_back(place(std::move(made)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  value root_;
  std::vector<value*> open_; ///< arrays and objects that have begun, the outermost first
  value* slot_ = nullptr;    ///< the member whose key was read last
};

bool is_pair(const value& each) { return each.is_array() && each.size() == 2 && each[0].is_string(); }

} // namespace

value::value(std::nullptr_t) noexcept {}
value::value(boolean truth) : content_(truth) {}
value::value(int number) : content_(std::int64_t{number}) {}
value::value(unsigned number) : content_(std::int64_t{number}) {}
value::value(long number) : content_(std::int64_t{number}) {}
value::value(unsigned long number) : value(static_cast<unsigned long long>(number)) {}
value::value(long long number) : content_(std::int64_t{number}) {}
value::value(unsigned long long number) {
  if (std::in_range<std::int64_t>(number))
    content_ = static_cast<std::int64_t>(number);
  else
    content_ = std::uint64_t{number};
}
value::value(double number) : content_(number) {}
value::value(const char* text) : content_(std::string(text)) {}
value::value(std::string_view text) : content_(std::string(text)) {}
value::value(std::string text) : content_(std::move(text)) {}
value::value(array_type&& list) : content_(std::move(list)) {}
value::value(object_type&& members) : content_(std::move(members)) {}
value::value(std::initializer_list<value> list) {
  if (!std::ranges::all_of(list, is_pair)) {
    content_ = array_type(list);
    return;
  }
  content_ = object_type();
  for (const value& each : list) // of two members with one name the first one counts
    if (!contains(each[0].as_string())) (*this)[each[0].as_string()] = each[1];
}

value::value(const value& other) = default;
value::value(value&& other) noexcept = default;
value& value::operator=(value other) noexcept {
  content_ = std::move(other.content_);
  return *this;
}
value::~value() = default;

bool value::is_null() const { return std::holds_alternative<std::monostate>(content_); }
bool value::is_bool() const { return std::holds_alternative<boolean>(content_); }
bool value::fits_int64() const { return std::holds_alternative<std::int64_t>(content_); }
bool value::is_integer() const { return fits_int64() || std::holds_alternative<std::uint64_t>(content_); }
bool value::is_number() const { return is_integer() || std::holds_alternative<double>(content_); }
bool value::is_string() const { return std::holds_alternative<std::string>(content_); }
bool value::is_array() const { return std::holds_alternative<array_type>(content_); }
bool value::is_object() const { return std::holds_alternative<object_type>(content_); }

bool value::as_bool() const { return std::get<boolean>(content_).is_true; }
std::int64_t value::as_int64() const { return std::get<std::int64_t>(content_); }
std::uint64_t value::as_uint64() const {
  return fits_int64() ? static_cast<std::uint64_t>(as_int64()) : std::get<std::uint64_t>(content_);
}
double value::as_double() const {
  if (fits_int64()) return static_cast<double>(as_int64());
  if (is_integer()) return static_cast<double>(as_uint64());
  return std::get<double>(content_);
}
const std::string& value::as_string() const { return std::get<std::string>(content_); }

std::size_t value::size() const {
  return is_null() ? 0 : is_object() ? items().size() : std::get<array_type>(content_).size();
}

void value::push_back(value element) {
  if (is_null()) content_ = array_type();
  std::get<array_type>(content_).push_back(std::move(element));
}
value* value::begin() { return std::get<array_type>(content_).data(); }
value* value::end() { return begin() + size(); }
const value* value::begin() const { return std::get<array_type>(content_).data(); }
const value* value::end() const { return begin() + size(); }
value& value::back() { return std::get<array_type>(content_).back(); }
value& value::operator[](std::size_t index) { return std::get<array_type>(content_).at(index); }
const value& value::operator[](std::size_t index) const { return std::get<array_type>(content_).at(index); }

value& value::operator[](std::string_view key) {
  if (is_null()) content_ = object_type();
  object_type& members = std::get<object_type>(content_);
  const auto found = std::ranges::find(members, key, &member::key);
  return found != members.end() ? found->value : members.emplace_back(std::string(key), nullptr).value;
}
const value& value::at(std::string_view key) const {
  if (const value* const found = find(key)) return *found;
  throw std::out_of_range("JSON: no member " + std::string(key));
}
const value* value::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const auto found = std::ranges::find(items(), key, &member::key);
  return found == items().end() ? nullptr : &found->value;
}
void value::erase(std::string_view key) {
  std::erase_if(std::get<object_type>(content_), [&](const member& each) { return each.key == key; });
}
void value::update(const value& object) {
  for (const auto& [key, each] : object.items()) (*this)[key] = each;
}
const std::vector<member>& value::items() const {
  static const object_type none;
  return is_null() ? none : std::get<object_type>(content_);
}

bool operator==(const value& a, const value& b) {
  if (a.is_number() && b.is_number())
    return a.fits_int64() && b.fits_int64() ? a.as_int64() == b.as_int64()
           : a.is_integer() && b.is_integer()
               ? a.as_uint64() == b.as_uint64() && a.fits_int64() == b.fits_int64()
               : a.as_double() == b.as_double();
  if (a.content_.index() != b.content_.index()) return false;
  if (a.is_bool()) return a.as_bool() == b.as_bool();
  if (a.is_string()) return a.as_string() == b.as_string();
  if (a.is_array()) return std::ranges::equal(a, b);
  if (!a.is_object()) return true;
  return std::ranges::equal(a.items(), b.items(), [](const member& one, const member& other) {
    return one.key == other.key && one.value == other.value;
  });
}

value array() { return value(value::array_type()); }
value object() { return value(value::object_type()); }

value parse(std::string_view text) {
  builder made;
  library_value::sax_parse(text, &made);
  return std::move(made.root());
}

std::string dump(const value& all) {
  return to_library(all).dump(2, ' ', true, library_error_handler::replace) + '\n';
}
std::string dump_line(const value& all) {
  return to_library(all).dump(-1, ' ', false, library_error_handler::replace);
}

} // namespace evenly::json
