// SPDX-License-Identifier: Apache-2.0
// Graphs of NetworkX, which are dictionaries of dictionaries, as compressed rows in their order. The interpreter's lock
// is held while dictionaries are read.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/bindings.hpp"
#include "python/edge_lists.hpp"
#include "python/graph_operations.hpp"

namespace evenly::python {

namespace {

template <class T> nb::object numpy_of(std::vector<T> values) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return to_numpy({owner, owner->data(), std::ssize(*owner)}, element_of<T>);
}

/// The mapping itself if it is a dictionary of Python, else a copy as one.
nb::object as_dictionary(nb::handle mapping) {
  if (PyDict_CheckExact(mapping.ptr())) return nb::borrow(mapping);
  nb::dict copy;
  if (PyDict_Update(copy.ptr(), mapping.ptr()) != 0) throw nb::python_error();
  return copy;
}

/// Whether looking up the object runs no code of Python.
bool is_plain(PyObject* name) { return PyLong_CheckExact(name) || PyUnicode_CheckExact(name); }

/// Integers of a small range as numbers of nodes.
struct integer_table {
  const int* numbers = nullptr;
  std::int64_t size = 0, low = 0;
};

/// (table, least name): the number of the node `low + i`, or -1. None unless all names are integers that lie close
/// together.
nb::object make_integer_table(const nb::list& names) {
  std::vector<std::int64_t> values(nb::len(names));
  std::int64_t low = 0, high = -1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    PyObject* const name = PyList_GetItem(names.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyLong_CheckExact(name)) return nb::none();
    int is_large = 0;
    values[i] = PyLong_AsLongLongAndOverflow(name, &is_large);
    constexpr std::int64_t max = std::int64_t{1} << 60;
    if (is_large != 0 || values[i] > max || values[i] < -max) return nb::none();
    if (i == 0 || values[i] < low) low = values[i];
    if (i == 0 || values[i] > high) high = values[i];
  }
  if (high - low >= 4 * std::ssize(values) + 1024) return nb::none();
  std::vector<int> table(static_cast<std::size_t>(high - low + 1), -1);
  for (std::size_t i = 0; i < values.size(); ++i)
    table[static_cast<std::size_t>(values[i] - low)] = static_cast<int>(i);
  return nb::make_tuple(numpy_of(std::move(table)), low);
}

/// Numbers of nodes by hash. A neighbour is a node of the graph: if all nodes have different hashes, the node with its
/// hash is equal to it.
class hash_table {
 public:
  /// Takes the hashes of all names. Returns false if two are equal.
  bool fill(const nb::list& names) {
    slots_.assign(std::bit_ceil(2 * nb::len(names) + 2), {0, -1});
    for (std::size_t i = 0; i < nb::len(names); ++i) {
      const Py_hash_t hash = hash_of(PyList_GetItem(names.ptr(), static_cast<Py_ssize_t>(i)));
      std::size_t place = place_of(hash);
      for (; slots_[place].number >= 0; place = (place + 1) & (slots_.size() - 1))
        if (slots_[place].hash == hash) return false;
      slots_[place] = {hash, static_cast<int>(i)};
    }
    return true;
  }
  static Py_hash_t hash_of(PyObject* name) {
    const Py_hash_t hash = PyObject_Hash(name);
    if (hash == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return hash;
  }
  void prefetch(Py_hash_t hash) const { __builtin_prefetch(&slots_[place_of(hash)]); }
  /// Returns -1 if there is none.
  int find(Py_hash_t hash) const {
    std::size_t place = place_of(hash);
    while (slots_[place].number >= 0 && slots_[place].hash != hash) place = (place + 1) & (slots_.size() - 1);
    return slots_[place].number;
  }

 private:
  struct slot {
    Py_hash_t hash;
    int number;
  };

  std::size_t place_of(Py_hash_t hash) const {
    const auto mixed = static_cast<std::uint64_t>(hash) * 0x9e3779b97f4a7c15u;
    return static_cast<std::size_t>(mixed >> 32) & (slots_.size() - 1);
  }

  std::vector<slot> slots_;
};

/// Numbers of nodes by name: by value where there is a table of integers, by hash where all differ, else by the index.
class numbers_of_names {
 public:
  numbers_of_names(const nb::list& names, integer_table table, PyObject* index)
      : table_(table), index_(index) {
    if (index_ == nullptr && table_.numbers == nullptr && !hashes_.emplace().fill(names)) require_index();
  }

  int find(PyObject* name) const {
    if (hashes_) return known(hashes_->find(hash_table::hash_of(name)));
    if (table_.numbers != nullptr && PyLong_CheckExact(name)) {
      int is_large = 0;
      const std::int64_t place = PyLong_AsLongLongAndOverflow(name, &is_large) - table_.low;
      return known(is_large == 0 && place >= 0 && place < table_.size ? table_.numbers[place] : -1);
    }
    if (index_ == nullptr) require_index();
    PyObject* const number = PyDict_GetItemWithError(index_, name);
    if (number == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return known(number == nullptr ? -1 : static_cast<int>(PyLong_AsLong(number)));
  }
  /// Appends the numbers of names whose lookup runs no code of Python.
  void append(const std::vector<PyObject*>& names, std::vector<int>& numbers) {
    if (!hashes_) {
      for (PyObject* const name : names) numbers.push_back(find(name));
      return;
    }
    found_.clear();
    for (PyObject* const name : names) {
      found_.push_back(hash_table::hash_of(name));
      hashes_->prefetch(found_.back());
    }
    for (const Py_hash_t hash : found_) numbers.push_back(known(hashes_->find(hash)));
  }

 private:
  [[noreturn]] static void require_index() { throw nb::key_error("an index of names is needed"); }
  static int known(int number) {
    if (number < 0) throw nb::value_error("an edge leads to a node that the graph does not have");
    return number;
  }

  integer_table table_;
  PyObject* index_;
  std::optional<hash_table> hashes_;
  std::vector<Py_hash_t> found_;
};

/// Values of edges: integers as long as all are.
class edge_values {
 public:
  edge_values(PyObject* attribute, PyObject* missing, bool is_multigraph, bool sums)
      : attribute_(attribute), is_multigraph_(is_multigraph), sums_(sums) {
    missing_ = number_of(missing);
  }

  void reserve(std::size_t entries) { integers_.reserve(entries); }

  /// data: the attributes of an edge; of a multigraph those of parallel edges by key.
  void append(PyObject* data) {
    if (!is_multigraph_) return append(value_in(data));
    const nb::object edges = as_dictionary(data);
    PyObject *key = nullptr, *each = nullptr;
    Py_ssize_t place = 0;
    bool is_first = true;
    number all;
    while (PyDict_Next(edges.ptr(), &place, &key, &each) != 0) {
      const number next = value_in(each);
      all = is_first ? next : combined(all, next);
      is_first = false;
    }
    append(is_first ? missing_ : all);
  }

  nb::object to_numpy() { return is_integer_ ? numpy_of(std::move(integers_)) : numpy_of(std::move(reals_)); }

 private:
  struct number {
    bool is_integer = true;
    std::int64_t integer = 0;
    double real = 0;
  };

  static constexpr std::int64_t max_exact = std::int64_t{1} << 53;

  static double real_of(const number& of) {
    if (!of.is_integer) return of.real;
    if (of.integer > max_exact || of.integer < -max_exact)
      throw nb::value_error("weights are floating-point numbers and integers greater than 2^53");
    return static_cast<double>(of.integer);
  }

  number number_of(PyObject* value) const {
    if (PyFloat_Check(value)) return {false, 0, PyFloat_AsDouble(value)};
    if (PyLong_Check(value)) {
      int is_large = 0;
      const std::int64_t integer = PyLong_AsLongLongAndOverflow(value, &is_large);
      if (is_large != 0) throw nb::value_error("a weight does not fit into 64 bits");
      return {true, integer, 0};
    }
    if (PyIndex_Check(value)) { // integers of NumPy
      const nb::object integer = nb::steal(PyNumber_Index(value));
      if (!integer.is_valid()) throw nb::python_error();
      return number_of(integer.ptr());
    }
    throw nb::value_error("a weight is neither an integer nor a float");
  }

  number value_in(PyObject* data) const {
    if (!PyDict_Check(data)) throw nb::value_error("attributes of an edge are not in a dictionary");
    if (PyDict_Size(data) == 0) return missing_;
    PyObject* const value = PyDict_GetItemWithError(data, attribute_);
    if (value == nullptr) {
      if (PyErr_Occurred() != nullptr) throw nb::python_error();
      return missing_;
    }
    return number_of(value);
  }

  number combined(const number& a, const number& b) const {
    if (a.is_integer && b.is_integer) {
      number both;
      if (!sums_) return a.integer < b.integer ? a : b;
      if (__builtin_add_overflow(a.integer, b.integer, &both.integer))
        throw nb::value_error("the sum of parallel weights does not fit into 64 bits");
      return both;
    }
    const double x = real_of(a), y = real_of(b);
    return {false, 0, sums_ ? x + y : (y < x ? y : x)};
  }

  void append(const number& value) {
    if (is_integer_ && value.is_integer) return integers_.push_back(value.integer);
    if (is_integer_) {
      is_integer_ = false;
      reals_.reserve(integers_.capacity());
      for (const std::int64_t each : integers_) reals_.push_back(real_of({true, each, 0}));
      integers_ = {};
    }
    reals_.push_back(real_of(value));
  }

  PyObject* attribute_;
  bool is_multigraph_, sums_;
  number missing_;
  bool is_integer_ = true;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
};

/// (names, sources, targets, values or None) of a text with an edge on each line. data: "ignored", "none" or "number".
nb::tuple read_edges(nb::bytes text, std::string comments, const std::string& delimiter, bool integer_names,
                     const std::string& data) {
  using data_kind = edge_list_options::data_kind;
  edge_list_options options{std::move(comments), std::nullopt, integer_names};
  if (!delimiter.empty()) options.delimiter = delimiter.front();
  options.data = data == "number" ? data_kind::number : data == "none" ? data_kind::none : data_kind::ignored;
  edge_list found;
  {
    const running others_run;
    found = read_edge_list({text.c_str(), text.size()}, options);
  }
  nb::list names;
  for (const std::int64_t each : found.integers) names.append(each);
  for (const std::string_view each : found.texts) names.append(nb::str(each.data(), each.size()));
  return nb::make_tuple(names, numpy_of(std::move(found.sources)), numpy_of(std::move(found.targets)),
                        options.data == data_kind::number ? numpy_of(std::move(found.values)) : nb::none());
}

/// (offsets, columns, values or None). Raises KeyError if an `index` is needed, which maps names to numbers: if two
/// names have the same hash, or a name is not in the form of the table. Raises ValueError for graphs without such rows.
nb::tuple read_adjacency(nb::handle adjacency, const nb::list& names, std::optional<read_array> table,
                         std::int64_t low, std::optional<nb::dict> index, nb::object attribute,
                         nb::object missing, bool is_multigraph, bool sums) {
  integer_table integers;
  if (table) {
    const auto view = input_of("table", *table);
    integers = {view.as<int>().data(), view.rows, low};
  }
  numbers_of_names numbers(names, integers, index ? index->ptr() : nullptr);

  const nb::object outer = as_dictionary(adjacency);
  std::vector<nb::object> rows(nb::len(names));
  if (nb::len(outer) != rows.size())
    throw nb::value_error("nodes and rows of the graph differ: was it changed during the call?");
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t place = 0;
  for (std::size_t i = 0; PyDict_Next(outer.ptr(), &place, &key, &value) != 0; ++i) {
    const bool is_next = i < rows.size() && PyList_GetItem(names.ptr(), static_cast<Py_ssize_t>(i)) == key;
    const nb::object held = nb::borrow(key), row = nb::borrow(value);
    rows.at(is_next ? i : static_cast<std::size_t>(numbers.find(key))) = as_dictionary(row);
  }

  std::vector<std::int64_t> offsets{0};
  offsets.reserve(rows.size() + 1);
  std::size_t entries = 0;
  for (const nb::object& row : rows) {
    if (!row.is_valid())
      throw nb::value_error("nodes and rows of the graph differ: was it changed during the call?");
    entries += static_cast<std::size_t>(PyDict_Size(row.ptr()));
  }
  std::vector<int> columns;
  columns.reserve(entries);
  std::optional<edge_values> values;
  if (!attribute.is_none()) {
    values.emplace(attribute.ptr(), missing.ptr(), is_multigraph, sums);
    values->reserve(entries);
  }

  // The keys of a row are requested from memory together, where looking them up runs no code of Python.
  std::vector<PyObject*> keys, data;
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % 65536 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
    if (i + ahead < rows.size()) __builtin_prefetch(rows[i + ahead].ptr());
    PyObject* const row = rows[i].ptr();
    keys.clear();
    data.clear();
    place = 0;
    while (PyDict_Next(row, &place, &key, &value) != 0) {
      __builtin_prefetch(key);
      if (values) __builtin_prefetch(value);
      keys.push_back(key);
      data.push_back(value);
    }
    bool are_plain = true;
    for (PyObject* const each : keys) are_plain = are_plain && is_plain(each);
    std::vector<nb::object> held;
    if (!are_plain || is_multigraph)
      for (std::size_t e = 0; e < keys.size(); ++e) {
        held.push_back(nb::borrow(keys[e]));
        held.push_back(nb::borrow(data[e]));
      }
    numbers.append(keys, columns);
    if (values)
      for (PyObject* const each : data) values->append(each);
    offsets.push_back(std::ssize(columns));
  }
  return nb::make_tuple(numpy_of(std::move(offsets)), numpy_of(std::move(columns)),
                        values ? values->to_numpy() : nb::none());
}

} // namespace

void bind_networkx(nb::module_& m) {
  m.def("integer_table", &make_integer_table, "names"_a);
  m.def("read_adjacency", &read_adjacency, "adjacency"_a, "names"_a, "table"_a.none(), "low"_a,
        "index"_a.none(), "attribute"_a.none(), "missing"_a, "is_multigraph"_a, "sums"_a);
  m.def("read_edges", &read_edges, "text"_a, "comments"_a, "delimiter"_a, "integer_names"_a, "data"_a);
  define(m, "bfs_in_order", &bfs_in_order, "graph"_a, "source"_a, "max_depth"_a, "order"_a, "parents"_a);
  define(m, "order_paths", &order_paths, "graph"_a, "distances"_a, "order"_a, "parents"_a);
  m.def(
      "make_rows",
      [](int vertices, const read_array& sources, const read_array& targets, bool is_undirected) {
        const auto from = input_of("sources", sources), to = input_of("targets", targets);
        rows_of_edges made;
        {
          const running others_run;
          made = make_rows(vertices, from, to, is_undirected);
        }
        return nb::make_tuple(to_numpy(made.offsets, element::int64), to_numpy(made.columns, element::int32),
                              to_numpy(made.last, element::int64));
      },
      "vertices"_a, "sources"_a, "targets"_a, "is_undirected"_a);
}

} // namespace evenly::python
