// SPDX-License-Identifier: Apache-2.0
// The functions of the GPU part (src/python/cuda_part.hpp) on arrays of the host, by plain loops: tests without a GPU
// call the package through it. Streams and devices are only counted.
#include "python/cuda_part.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace evenly::python {

class cuda_rows {
 public:
  const int* offsets;
  std::int64_t rows;
};

namespace {

std::string error;
cuda_status fail(const char* text) {
  error = text;
  return cuda_status::invalid_argument;
}

template <class T> T of_nothing(combine op) {
  constexpr T most = std::numeric_limits<T>::infinity();
  return op == combine::sum ? T{0} : op == combine::min ? most : -most;
}
template <class T> T combined(combine op, T a, T b) {
  return op == combine::sum ? a + b : op == combine::min ? std::min(a, b) : std::max(a, b);
}
template <class T> T* at(const output& of) { return static_cast<T*>(of.data); }
template <class T> const T* at(const input& of) { return static_cast<const T*>(of.data); }
template <class Array> std::int64_t place(const Array& of, std::int64_t row, std::int64_t col) {
  return of.by_rows ? row * of.leading + col : col * of.leading + row;
}

template <class T>
void multiply(const cuda_rows& rows, const cuda_entries& of, const input& b, const output& c) {
  for (std::int64_t row = 0; row < rows.rows; ++row)
    for (std::int64_t col = 0; col < c.cols; ++col) {
      T sum = 0;
      for (int k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k)
        sum += at<T>(of.values)[k] * at<T>(b)[place(b, at<int>(of.columns)[k], col)];
      at<T>(c)[place(c, row, col)] = sum;
    }
}
cuda_status product(cuda_rows* rows, const cuda_place*, const cuda_entries* of, const input* b,
                    const output* c) {
  if (b->data == c->data) return fail("out overlaps x");
  if (of->values.type == element::float32)
    multiply<float>(*rows, *of, *b, *c);
  else
    multiply<double>(*rows, *of, *b, *c);
  return cuda_status::ok;
}

template <class T> void fold(const input& values, combine op, std::int64_t begin, std::int64_t end, T& out) {
  out = of_nothing<T>(op);
  for (std::int64_t i = begin; i < end; ++i) out = combined(op, out, at<T>(values)[i]);
}
template <class Body> cuda_status by_type(const input& values, const Body& body) {
  if (values.type == element::float32)
    body(float{});
  else
    body(double{});
  return cuda_status::ok;
}

constexpr cuda_functions functions{
    .last_error = [] { return error.c_str(); },
    .count_devices = [](int* devices) { return *devices = 1, cuda_status::ok; },
    .device_of = [](const void*, void*, int* device) { return *device = 0, cuda_status::ok; },
    .allocate = [](const cuda_place*, std::size_t bytes,
                   void** memory) { return *memory = std::malloc(bytes), cuda_status::ok; },
    .release = [](const cuda_place*, void* memory) { std::free(memory); },
    .upload = [](const cuda_place*, void* to, const void* from,
                 std::size_t bytes) { return std::memcpy(to, from, bytes), cuda_status::ok; },
    .download = [](const cuda_place*, void* to, const void* from,
                   std::size_t bytes) { return std::memcpy(to, from, bytes), cuda_status::ok; },
    .make_rows =
        [](const cuda_place*, const input* offsets, cuda_rows** rows, std::int64_t* first,
           std::int64_t* atoms) {
          const int* const all = at<int>(*offsets);
          if (!std::is_sorted(all, all + offsets->rows)) return fail("offsets decrease");
          *rows = new cuda_rows{all, offsets->rows - 1};
          *first = all[0];
          *atoms = all[offsets->rows - 1] - all[0];
          return cuda_status::ok;
        },
    .release_rows = [](cuda_rows* rows) { delete rows; },
    .check_columns =
        [](const cuda_place*, const cuda_entries* of) {
          const int* const all = at<int>(of->columns);
          const auto is_bad = [&](int column) { return column < 0 || column >= of->cols; };
          return std::any_of(all, all + of->columns.rows, is_bad) ? fail("a column is beyond the matrix")
                                                                  : cuda_status::ok;
        },
    .spmv = &product,
    .spmm = &product,
    .segment_reduce =
        [](cuda_rows* rows, const cuda_place*, const input* values, combine op, const output* out) {
          if (rows->offsets[rows->rows] > values->rows) return fail("a segment ends beyond the values");
          if (values->data == out->data) return fail("out overlaps values");
          return by_type(*values, [&]<class T>(T) {
            for (std::int64_t s = 0; s < rows->rows; ++s)
              fold(*values, op, rows->offsets[s], rows->offsets[s + 1], at<T>(*out)[s]);
          });
        },
    .segment_scan =
        [](cuda_rows* rows, const cuda_place*, const input* values, bool is_inclusive, const output* out) {
          if (rows->offsets[rows->rows] != values->rows) return fail("offsets end elsewhere than values");
          return by_type(*values, [&]<class T>(T) {
            for (std::int64_t s = 0; s < rows->rows; ++s) {
              T sum = 0;
              for (int i = rows->offsets[s]; i < rows->offsets[s + 1]; ++i) {
                const T before = sum;
                sum += at<T>(*values)[i];
                at<T>(*out)[i] = is_inclusive ? sum : before;
              }
            }
          });
        },
    .bfs =
        [](cuda_rows* rows, const cuda_place*, const cuda_entries* edges, bool, int source,
           const output* levels, const output* parents) {
          std::fill_n(at<int>(*levels), rows->rows, -1);
          std::fill_n(at<int>(*parents), rows->rows, -1);
          at<int>(*levels)[source] = 0;
          at<int>(*parents)[source] = source;
          std::vector<int> queue{source};
          for (std::size_t next = 0; next < queue.size(); ++next) {
            const int from = queue[next];
            for (int k = rows->offsets[from]; k < rows->offsets[from + 1]; ++k) {
              const int to = at<int>(edges->columns)[k];
              if (at<int>(*levels)[to] == at<int>(*levels)[from] + 1)
                at<int>(*parents)[to] = std::min(at<int>(*parents)[to], from);
              if (at<int>(*levels)[to] >= 0) continue;
              at<int>(*levels)[to] = at<int>(*levels)[from] + 1;
              at<int>(*parents)[to] = from;
              queue.push_back(to);
            }
          }
          return cuda_status::ok;
        },
    .reduce =
        [](const cuda_place*, const input* values, combine op, const output* out) {
          return by_type(*values, [&]<class T>(T) { fold(*values, op, 0, values->rows, *at<T>(*out)); });
        },
    .scan =
        [](const cuda_place*, const input* values, combine op, bool is_inclusive, const output* out) {
          return by_type(*values, [&]<class T>(T) {
            T sum = of_nothing<T>(op);
            for (std::int64_t i = 0; i < values->rows; ++i) {
              const T before = sum;
              sum = combined(op, sum, at<T>(*values)[i]);
              at<T>(*out)[i] = is_inclusive ? sum : before;
            }
          });
        },
};

} // namespace

} // namespace evenly::python

extern "C" __attribute__((visibility("default"))) const evenly::python::cuda_functions* evenly_cuda_part() {
  return &evenly::python::functions;
}
