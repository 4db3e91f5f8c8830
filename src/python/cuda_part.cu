// SPDX-License-Identifier: Apache-2.0
#include "python/cuda_part.hpp"

#include <exception>
#include <string>

#include "evenly/sparse/operators.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "python/cuda_operations.hpp"

namespace evenly::python {

namespace {

thread_local std::string error_text;

/// Runs body() and returns its status. Stores the text of an exception.
template <class Body> cuda_status status_of(const Body& body) noexcept {
  try {
    body();
    return cuda_status::ok;
  } catch (const invalid_argument& e) {
    error_text = e.what();
    return cuda_status::invalid_argument;
  } catch (const std::exception& e) {
    error_text = e.what();
    return cuda_status::device_error;
  }
}

int count_devices() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return devices;
  cudaGetLastError();
  throw device_error(std::string("no GPU can be used: CUDA reports '") +
                     (status == cudaSuccess ? "0 devices" : cudaGetErrorString(status)) + "'");
}

int device_of_memory(const void* memory) {
  cudaPointerAttributes attributes{};
  EVENLY_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  return attributes.type == cudaMemoryTypeUnregistered ? 0 : attributes.device;
}

void check_columns(const cuda& exec, const cuda_entries& of) {
  const auto columns = of.columns.as<int>();
  const auto seen = detail::first_fault(exec, detail::check_columns{columns.data(), of.columns.rows, of.cols},
                                        of.columns.rows);
  require(seen.at == detail::no_fault, [&] {
    return detail::concat("entry ", seen.at, " is in column ", seen.column, " of a matrix of ", of.cols,
                          " columns: they count from 0");
  });
}

constexpr cuda_functions functions{
    .last_error = [] { return error_text.c_str(); },
    .count_devices = [](int* devices) { return status_of([&] { *devices = count_devices(); }); },
    .device_of =
        [](const void* memory, void* stream, int* device) {
          return status_of([&] {
            *device = device_of_memory(memory);
            if (stream != nullptr) executor_of({*device, stream}).synchronize();
          });
        },
    .allocate =
        [](const cuda_place* where, std::size_t bytes, void** memory) {
          return status_of([&] { *memory = executor_of(*where).resource()->allocate(bytes); });
        },
    .release =
        [](const cuda_place* where, void* memory) {
          status_of([&] { executor_of(*where).resource()->deallocate(memory, 0); });
        },
    .upload =
        [](const cuda_place* where, void* to, const void* from, std::size_t bytes) {
          return status_of([&] { executor_of(*where).copy_from_host(to, from, bytes); });
        },
    .download =
        [](const cuda_place* where, void* to, const void* from, std::size_t bytes) {
          return status_of([&] { executor_of(*where).copy_to_host(to, from, bytes); });
        },
    .make_rows =
        [](const cuda_place* where, const input* offsets, cuda_rows** rows, std::int64_t* first,
           std::int64_t* atoms) {
          return status_of([&] {
            const csr_tile_set<int> tiles(offsets->as<int>().data(), static_cast<int>(offsets->rows - 1));
            *rows = new cuda_rows(executor_of(*where), tiles);
            *first = (*rows)->all().first_atom;
            *atoms = (*rows)->all().atoms;
          });
        },
    .release_rows = [](cuda_rows* rows) { status_of([&] { delete rows; }); },
    .check_columns =
        [](const cuda_place* where, const cuda_entries* of) {
          return status_of([&] { check_columns(executor_of(*where), *of); });
        },
    .spmv =
        [](cuda_rows* rows, const cuda_place* where, const cuda_entries* of, const input* x,
           const output* y) {
          return status_of([&] { cuda_spmv(*rows, executor_of(*where), *of, *x, *y); });
        },
    .spmm =
        [](cuda_rows* rows, const cuda_place* where, const cuda_entries* of, const input* b,
           const output* c) {
          return status_of([&] { cuda_spmm(*rows, executor_of(*where), *of, *b, *c); });
        },
    .segment_reduce =
        [](cuda_rows* rows, const cuda_place* where, const input* values, combine op, const output* out) {
          return status_of([&] { cuda_segment_reduce(*rows, executor_of(*where), *values, op, *out); });
        },
    .segment_scan =
        [](cuda_rows* rows, const cuda_place* where, const input* values, bool is_inclusive,
           const output* out) {
          return status_of(
              [&] { cuda_segment_scan(*rows, executor_of(*where), *values, is_inclusive, *out); });
        },
    .bfs =
        [](cuda_rows* rows, const cuda_place* where, const cuda_entries* edges, bool is_undirected,
           int source, const output* levels, const output* parents) {
          return status_of([&] {
            cuda_bfs(*rows, executor_of(*where), *edges, is_undirected, source, *levels, *parents);
          });
        },
    .reduce =
        [](const cuda_place* where, const input* values, combine op, const output* out) {
          return status_of([&] { cuda_reduce(executor_of(*where), *values, op, *out); });
        },
    .scan =
        [](const cuda_place* where, const input* values, combine op, bool is_inclusive, const output* out) {
          return status_of([&] { cuda_scan(executor_of(*where), *values, op, is_inclusive, *out); });
        },
};

} // namespace

} // namespace evenly::python

extern "C" __attribute__((visibility("default"))) const evenly::python::cuda_functions* evenly_cuda_part() {
  return &evenly::python::functions;
}
