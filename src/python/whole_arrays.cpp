// SPDX-License-Identifier: Apache-2.0
#include "python/whole_arrays.hpp"

#include <complex>
#include <cstdint>
#include <optional>

#include "evenly/primitives/on_ranges.hpp"

namespace evenly::python {

namespace {

/// An element and whether it is wanted.
template <class T> struct masked {
  T value;
  bool is_wanted;
};
template <class T> struct masked_values {
  const T* values;
  const std::uint8_t* mask;
  masked<T> operator()(std::int64_t i) const { return {values[i], mask[i] != 0}; }
};
struct is_wanted {
  template <class T> bool operator()(const masked<T>& of) const { return of.is_wanted; }
};
/// Takes the values alone.
template <class T> struct value_output {
  T* out;
  struct element {
    T* at;
    void operator=(const masked<T>& of) const { *at = of.value; }
  };
  element operator[](std::int64_t i) const { return {out + i}; }
};

/// Throws invalid_argument unless `fits`. what: "keys have ", with `count` elements.
void require_same_size(bool fits, const char* what, std::int64_t count, std::int64_t values) {
  require(fits, [&] {
    return detail::concat(what, count, " elements and values ", values, ": they must have the same number");
  });
}

} // namespace

void scan(const input& values, combine op, bool is_inclusive, const output& out) {
  with_element<float, double, int, std::int64_t>(values.name, values.type, [&]<class T>(T) {
    with_monoid<T>(op, [&]<class Op>(const Op& monoid) {
      const auto to = out.as<typename Op::value_type>();
      if (is_inclusive)
        evenly::inclusive_scan(values.as<T>(), to, monoid, executor());
      else
        evenly::exclusive_scan(values.as<T>(), to, monoid, executor());
    });
  });
}

void reduce(const input& values, combine op, const output& out) {
  require(out.rows == 1, [] { return "out has one element, for the result"; });
  if (values.type == element::uint8) {
    out.as<std::uint8_t>()[0] =
        op == combine::max ? evenly::reduce(values.as<std::uint8_t>(), maximum<std::uint8_t>{}, executor())
                           : evenly::reduce(values.as<std::uint8_t>(), minimum<std::uint8_t>{}, executor());
    return;
  }
  with_element<float, double, int, std::int64_t>(values.name, values.type, [&]<class T>(T) {
    with_monoid<T>(op, [&]<class Op>(const Op& monoid) {
      out.as<typename Op::value_type>()[0] = evenly::reduce(values.as<T>(), monoid, executor());
    });
  });
}

std::int64_t select(const input& values, const input& mask, const output& out) {
  require(mask.rows == values.rows && out.rows == values.rows, [&] {
    return detail::concat("values have ", values.rows, " elements, mask ", mask.rows, " and out ", out.rows,
                          ": they must have the same number");
  });
  std::int64_t found = 0;
  with_element<std::uint8_t, std::uint32_t, std::uint64_t, std::complex<double>>(
      values.name, values.type, [&]<class T>(T) {
        found = evenly::select(
            executor(), generated{masked_values<T>{values.as<T>().data(), mask.as<std::uint8_t>().data()}},
            values.rows, is_wanted{}, value_output<T>{out.as<T>().data()});
      });
  return found;
}

void sort(const output& keys, const std::optional<output>& values) {
  with_element<float, double, int, std::int64_t, std::uint32_t, std::uint64_t>(
      keys.name, keys.type, [&]<class Key>(Key) {
        if (!values) return evenly::sort(keys.as<Key>(), executor());
        with_element<std::uint32_t, std::uint64_t>(values->name, values->type, [&]<class Value>(Value) {
          evenly::sort_by_key(keys.as<Key>(), values->as<Value>(), executor());
        });
      });
}

std::int64_t reduce_by_key(const input& keys, const input& values, combine op, const output& keys_out,
                           const output& values_out) {
  require_same_size(keys.rows == values.rows && keys_out.rows == keys.rows && values_out.rows == keys.rows,
                    "keys have ", keys.rows, values.rows);
  std::int64_t found = 0;
  with_index(keys.name, keys.type, [&]<class Key>(Key) {
    with_element<float, double, int, std::int64_t>(values.name, values.type, [&]<class T>(T) {
      with_monoid<T>(op, [&]<class Op>(const Op& monoid) {
        workspace memory;
        evenly::reduce_by_key(executor(), keys.as<Key>().data(), values.as<T>().data(), keys.rows, monoid,
                              keys_out.as<Key>().data(), values_out.as<typename Op::value_type>().data(),
                              &found, memory);
      });
    });
  });
  return found;
}

void reduce_by_index(const input& index, const input& values, combine op, const output& out) {
  require_same_size(index.rows == values.rows, "index has ", index.rows, values.rows);
  with_index(index.name, index.type, [&]<class Index>(Index) {
    with_element<float, double, int, std::int64_t>(values.name, values.type, [&]<class T>(T) {
      with_monoid<T>(op, [&]<class Op>(const Op& monoid) {
        evenly::reduce_by_index(executor(), index.as<Index>().data(), values.as<T>().data(), index.rows,
                                monoid, out.as<typename Op::value_type>().data(), out.rows);
      });
    });
  });
}

} // namespace evenly::python
