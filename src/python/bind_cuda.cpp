// SPDX-License-Identifier: Apache-2.0
// GPU arrays, by the functions of the GPU part (cuda_part.hpp), which is loaded when it is first needed.
//
// Python describes arrays by their addresses. Vectors of CuPy and PyTorch are also read here: a call costs a few
// microseconds only. Libraries that have the C functions of DLPack 1.3 are read by these, others by attributes.
#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

#include "python/bindings.hpp"
#include "python/cuda_part.hpp"

namespace evenly::python {

namespace {

const cuda_functions* loaded_part = nullptr;

const cuda_functions& part() {
  if (loaded_part == nullptr) throw std::runtime_error("the GPU part is not loaded");
  return *loaded_part;
}

void require_ok(cuda_status status) {
  if (status == cuda_status::ok) return;
  const std::string text = part().last_error();
  if (status == cuda_status::invalid_argument) throw invalid_argument(text);
  if (!text.starts_with("out of device memory")) throw device_error(text);
  PyErr_SetString(PyExc_MemoryError, text.c_str());
  throw nb::python_error();
}
/// Calls a function of the part without the interpreter's lock.
template <class Function, class... Arguments>
void call(Function cuda_functions::* function, Arguments... arguments) {
  const auto run = part().*function;
  cuda_status status;
  {
    const nb::gil_scoped_release others_run;
    status = run(arguments...);
  }
  require_ok(status);
}

/// Returns the number of GPUs.
int open_part(const std::string& path) {
  static std::mutex once;
  {
    const std::scoped_lock lock(once);
    if (loaded_part == nullptr) {
      void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr)
        throw std::runtime_error(std::string("the GPU part does not load: ") + dlerror());
      const auto table = reinterpret_cast<decltype(&evenly_cuda_part)>(dlsym(library, "evenly_cuda_part"));
      if (table == nullptr) throw std::runtime_error("the GPU part has no table of functions");
      loaded_part = table();
    }
  }
  int devices = 0;
  require_ok(part().count_devices(&devices));
  return devices;
}

element element_named(const std::string& name) {
  for (const element each : {element::float32, element::float64, element::int32})
    if (name == name_of(each)) return each;
  throw nb::type_error(
      ("elements of " + name + " do not run on a GPU: there are float32, float64 and int32").c_str());
}
void* address_of(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

/// An array at an address of the device.
struct cuda_array {
  output array;

  cuda_array(std::uintptr_t at, const std::string& type, std::int64_t rows, std::int64_t cols,
             std::int64_t leading, bool by_rows)
      : array{"array", address_of(at), element_named(type), rows, cols, leading, by_rows} {}
  input read() const {
    return {array.name, array.data, array.type, array.rows, array.cols, array.leading, array.by_rows};
  }
};

/// Memory of a device for arrays of the host.
class cuda_memory {
 public:
  cuda_memory(int device, std::size_t bytes) : where_{device, nullptr} {
    if (bytes > 0) call(&cuda_functions::allocate, &where_, bytes, &memory_);
  }
  cuda_memory(const cuda_memory&) = delete;
  cuda_memory& operator=(const cuda_memory&) = delete;
  ~cuda_memory() {
    if (memory_ != nullptr) part().release(&where_, memory_);
  }

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(memory_); }
  void upload(const read_array& from) {
    if (from.nbytes() > 0) call(&cuda_functions::upload, &where_, memory_, from.data(), from.nbytes());
  }
  void download(const written_array& to) const {
    if (to.nbytes() > 0)
      call(&cuda_functions::download, &where_, to.data(), static_cast<const void*>(memory_), to.nbytes());
  }

 private:
  cuda_place where_;
  void* memory_ = nullptr;
};

/// DLPack's table of C functions for one type of arrays (DLPackExchangeAPI of dlpack.h 1.3).
struct exchange_functions {
  std::uint32_t major, minor;
  const exchange_functions* older;
  void *allocate, *to_managed, *from_managed; // not used here
  /// Describes an array for as long as it lives. Returns -1 with an exception of Python.
  int (*describe)(PyObject* array, nb::dlpack::dltensor* out);
  int (*current_stream)(std::int32_t device_type, std::int32_t device, void** stream);
};
/// The functions of a type of arrays, or null.
const exchange_functions* functions_of(nb::handle array_type) {
  const nb::object capsule = nb::getattr(array_type, "__dlpack_c_exchange_api__", nb::none());
  if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) return nullptr;
  auto found =
      static_cast<const exchange_functions*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  while (found != nullptr && found->major > 1) found = found->older;
  return found != nullptr && found->major == 1 && found->describe != nullptr ? found : nullptr;
}

/// Interned names of attributes.
struct names {
  nb::object dtype, ndim, size, c_contiguous, data, ptr, device_id,   // of CuPy
      dim, numel, is_contiguous, data_ptr, get_device, requires_grad; // of PyTorch
  static nb::object made(const char* name) { return nb::steal(PyUnicode_InternFromString(name)); }
  names()
      : dtype(made("dtype")), ndim(made("ndim")), size(made("size")), c_contiguous(made("_c_contiguous")),
        data(made("data")), ptr(made("ptr")), device_id(made("device_id")), dim(made("dim")),
        numel(made("numel")), is_contiguous(made("is_contiguous")), data_ptr(made("data_ptr")),
        get_device(made("get_device")), requires_grad(made("requires_grad")) {}
};
const names& attributes() {
  static const names& all = *new names; // lives as long as the interpreter
  return all;
}

/// A vector of float32 or float64, side by side in the memory of a device.
struct device_vector {
  output array;
  int device = 0;

  bool is(element type, std::int64_t size, int on) const {
    return array.type == type && array.rows == size && device == on;
  }
};

/// Reads and makes vectors of CuPy or PyTorch, and knows the current stream.
class cuda_reader {
 public:
  /// dtypes: the library's float32 and float64. make: torch.Tensor.new_empty(like, shape), or cupy.ndarray(shape,
  /// dtype). stream_of(device): the current stream, of CuPy as an object.
  cuda_reader(bool is_torch, nb::object array_type, nb::object float32, nb::object float64, nb::object make,
              nb::object stream_of)
      : is_torch_(is_torch), array_type_(std::move(array_type)), float32_(std::move(float32)),
        float64_(std::move(float64)), make_(std::move(make)), stream_of_(std::move(stream_of)),
        functions_(functions_of(array_type_)) {}

  /// The vector, or the array without dimensions. Nothing for anything else, and if the library does not have the
  /// attributes that are read here: the caller reads it in another way, or says why it cannot.
  std::optional<device_vector> read(nb::handle x, int dimensions = 1) const {
    if (!x.type().is(array_type_)) return {};
    try {
      if (is_torch_ && nb::cast<bool>(nb::getattr(x, attributes().requires_grad))) return {};
      return functions_ != nullptr ? read_by_functions(x, dimensions) : read_attributes(x, dimensions);
    } catch (const std::exception&) {
      return {};
    }
  }
  /// A new array with the type and on the device of `like`.
  nb::object make(nb::handle like, const nb::tuple& shape) const {
    return is_torch_ ? make_(like, shape) : make_(shape, nb::getattr(like, attributes().dtype));
  }
  cuda_place place(int device) const {
    if (functions_ != nullptr) {
      cuda_place where{device};
      if (functions_->current_stream(nb::device::cuda::value, device, &where.stream) != 0)
        throw nb::python_error();
      return where;
    }
    const nb::object stream = stream_of_(device);
    return {device, address_of(nb::cast<std::uintptr_t>(
                        is_torch_ ? stream : nb::object(nb::getattr(stream, attributes().ptr))))};
  }

 private:
  std::optional<device_vector> read_by_functions(nb::handle x, int dimensions) const {
    nb::dlpack::dltensor of;
    if (functions_->describe(x.ptr(), &of) != 0) throw nb::python_error();
    const bool is_single = of.dtype == nb::dtype<float>();
    if (of.device.device_type != nb::device::cuda::value || of.ndim != dimensions ||
        !(is_single || of.dtype == nb::dtype<double>()))
      return {};
    const std::int64_t size = dimensions == 0 ? 1 : of.shape[0];
    if ((of.data == nullptr && size > 0) || (size > 1 && dimensions > 0 && of.strides[0] != 1)) return {};
    return device_vector{{"array", static_cast<std::byte*>(of.data) + of.byte_offset,
                          is_single ? element::float32 : element::float64, size},
                         of.device.device_id};
  }
  std::optional<device_vector> read_attributes(nb::handle x, int dimensions) const {
    const names& of = attributes();
    const nb::object dtype = nb::getattr(x, of.dtype);
    const bool is_single = dtype.is(float32_);
    if (!is_single && !dtype.is(float64_)) return {};
    const auto number = [](const nb::object& value) { return nb::cast<std::int64_t>(value); };
    const auto vector = [&](const nb::object& at, std::int64_t size,
                            std::int64_t device) -> std::optional<device_vector> {
      const auto address = nb::cast<std::uintptr_t>(at);
      if (address == 0 && size > 0) return {}; // its memory was freed
      return device_vector{
          {"array", address_of(address), is_single ? element::float32 : element::float64, size},
          static_cast<int>(device)};
    };
    if (is_torch_) {
      if (number(call_of(x, of.dim)) != dimensions || !nb::cast<bool>(call_of(x, of.is_contiguous)))
        return {};
      const std::int64_t device = number(call_of(x, of.get_device)); // -1: of the host
      if (device < 0) return {};
      return vector(call_of(x, of.data_ptr), number(call_of(x, of.numel)), device);
    }
    if (number(nb::getattr(x, of.ndim)) != dimensions || !nb::cast<bool>(nb::getattr(x, of.c_contiguous)))
      return {};
    const nb::object memory = nb::getattr(x, of.data);
    return vector(nb::getattr(memory, of.ptr), number(nb::getattr(x, of.size)),
                  number(nb::getattr(memory, of.device_id)));
  }
  static nb::object call_of(nb::handle x, const nb::object& name) {
    PyObject* const result = PyObject_CallMethodObjArgs(x.ptr(), name.ptr(), nullptr);
    if (result == nullptr) throw nb::python_error();
    return nb::steal(result);
  }

  bool is_torch_;
  nb::object array_type_, float32_, float64_, make_, stream_of_;
  const exchange_functions* functions_;
};

input read_only(const output& of) { return {of.name, of.data, of.type, of.rows}; }

/// Runs an operation on vectors of CuPy or PyTorch, on the current stream: run(place, values, out) returns a status.
/// The result has `size` elements, or no dimensions: `out`, or for None a new array. Returns None, and does nothing, if
/// the reader does not read `out`.
template <class Run>
nb::object run_on_vectors(const cuda_reader& reader, nb::handle like, const device_vector& values,
                          nb::object out, std::optional<std::int64_t> size, const Run& run) {
  if (out.is_none()) out = reader.make(like, size ? nb::make_tuple(*size) : nb::make_tuple());
  const auto to = reader.read(out, size ? 1 : 0);
  if (!to || !to->is(values.array.type, size.value_or(1), values.device)) return nb::none();
  const input from = read_only(values.array);
  const cuda_place where = reader.place(values.device);
  require_ok(run(&where, &from, &to->array));
  return out;
}

nb::object try_reduce(const cuda_reader& reader, nb::handle x, combine op) {
  const auto values = reader.read(x);
  if (!values) return nb::none();
  return run_on_vectors(reader, x, *values, nb::none(), {},
                        [&](const cuda_place* where, const input* from, const output* to) {
                          return part().reduce(where, from, op, to);
                        });
}
nb::object try_scan(const cuda_reader& reader, nb::handle x, combine op, bool is_inclusive, nb::object out) {
  const auto values = reader.read(x);
  if (!values) return nb::none();
  return run_on_vectors(reader, x, *values, std::move(out), values->array.rows,
                        [&](const cuda_place* where, const input* from, const output* to) {
                          return part().scan(where, from, op, is_inclusive, to);
                        });
}

/// Rows of a matrix, or segments, on a device. Python keeps the arrays.
class rows_on_cuda {
 public:
  rows_on_cuda(int device, std::uintptr_t stream, const cuda_array& offsets) : device_(device) {
    const cuda_place where = place(stream);
    const input of = offsets.read();
    rows = of.rows - 1;
    call(&cuda_functions::make_rows, &where, &of, &made_, &first, &atoms);
  }
  rows_on_cuda(const rows_on_cuda&) = delete;
  rows_on_cuda& operator=(const rows_on_cuda&) = delete;
  ~rows_on_cuda() {
    if (made_ != nullptr) part().release_rows(made_);
  }

  std::int64_t rows = 0, first = 0, atoms = 0;

  void set_entries(std::uintptr_t stream, int cols, const cuda_array& columns, const cuda_array& values) {
    entries_ = {cols, columns.read(), values.read()};
    const cuda_place where = place(stream);
    call(&cuda_functions::check_columns, &where, static_cast<const cuda_entries*>(&entries_));
  }
  void set_reader(nb::object reader) { reader_ = std::move(reader); }

  void spmv(std::uintptr_t stream, const cuda_array& x, const cuda_array& y) {
    with_matrix(&cuda_functions::spmv, stream, x, y);
  }
  void spmm(std::uintptr_t stream, const cuda_array& b, const cuda_array& c) {
    with_matrix(&cuda_functions::spmm, stream, b, c);
  }
  void segment_reduce(std::uintptr_t stream, const cuda_array& values, combine op, const cuda_array& out) {
    const cuda_place where = place(stream);
    const input from = values.read();
    call(&cuda_functions::segment_reduce, made_, &where, &from, op, &out.array);
  }
  void segment_scan(std::uintptr_t stream, const cuda_array& values, bool is_inclusive,
                    const cuda_array& out) {
    const cuda_place where = place(stream);
    const input from = values.read();
    call(&cuda_functions::segment_scan, made_, &where, &from, is_inclusive, &out.array);
  }
  void bfs(std::uintptr_t stream, bool is_undirected, int source, const cuda_array& levels,
           const cuda_array& parents) {
    const cuda_place where = place(stream);
    call(&cuda_functions::bfs, made_, &where, static_cast<const cuda_entries*>(&entries_), is_undirected,
         source, &levels.array, &parents.array);
  }

  // The same for vectors that the reader reads, on the current stream; else None, and nothing is done. out: None for a
  // new array.
  nb::object try_spmv(nb::handle x, nb::object out) const {
    const auto values = reader().read(x);
    if (!values || !values->is(entries_.values.type, entries_.cols, device_)) return nb::none();
    return run_on_vectors(reader(), x, *values, std::move(out), rows,
                          [&](const cuda_place* where, const input* from, const output* to) {
                            return part().spmv(made_, where, &entries_, from, to);
                          });
  }
  nb::object try_segment_scan(nb::handle x, bool is_inclusive, nb::object out) const {
    const auto values = reader().read(x);
    if (!values || values->device != device_) return nb::none();
    return run_on_vectors(reader(), x, *values, std::move(out), values->array.rows,
                          [&](const cuda_place* where, const input* from, const output* to) {
                            return part().segment_scan(made_, where, from, is_inclusive, to);
                          });
  }
  nb::object try_segment_reduce(nb::handle x, combine op, nb::object out) const {
    const auto values = reader().read(x);
    if (!values || values->device != device_) return nb::none();
    return run_on_vectors(reader(), x, *values, std::move(out), rows,
                          [&](const cuda_place* where, const input* from, const output* to) {
                            return part().segment_reduce(made_, where, from, op, to);
                          });
  }

 private:
  cuda_place place(std::uintptr_t stream) const { return {device_, address_of(stream)}; }
  template <class Function>
  void with_matrix(Function function, std::uintptr_t stream, const cuda_array& b, const cuda_array& c) {
    const cuda_place where = place(stream);
    const input from = b.read();
    call(function, made_, &where, static_cast<const cuda_entries*>(&entries_), &from, &c.array);
  }
  const cuda_reader& reader() const { return *nb::inst_ptr<cuda_reader>(reader_); }

  int device_;
  cuda_rows* made_ = nullptr;
  cuda_entries entries_;
  nb::object reader_;
};

} // namespace

void bind_cuda(nb::module_& m) {
  m.def("open_cuda_part", &open_part, "path"_a);
  m.def("cuda_device_of", [](std::uintptr_t address, std::uintptr_t stream) {
    int device = 0;
    call(&cuda_functions::device_of, static_cast<const void*>(address_of(address)), address_of(stream),
         &device);
    return device;
  });
  nb::class_<cuda_array>(m, "cuda_array")
      .def(nb::init<std::uintptr_t, const std::string&, std::int64_t, std::int64_t, std::int64_t, bool>(),
           "address"_a, "dtype"_a, "rows"_a, "cols"_a = 1, "leading"_a = 1, "by_rows"_a = true);
  nb::class_<cuda_memory>(m, "cuda_memory")
      .def(nb::init<int, std::size_t>(), "device"_a, "bytes"_a)
      .def_prop_ro("address", &cuda_memory::address)
      .def("upload", &cuda_memory::upload)
      .def("download", &cuda_memory::download);
  nb::class_<cuda_reader>(m, "cuda_reader")
      .def(nb::init<bool, nb::object, nb::object, nb::object, nb::object, nb::object>(), "is_torch"_a,
           "array_type"_a, "float32"_a, "float64"_a, "make"_a, "stream_of"_a)
      .def("try_reduce", &try_reduce, "values"_a, "op"_a)
      .def("try_scan", &try_scan, "values"_a, "op"_a, "is_inclusive"_a, "out"_a.none());
  nb::class_<rows_on_cuda>(m, "cuda_rows")
      .def(nb::init<int, std::uintptr_t, const cuda_array&>(), "device"_a, "stream"_a, "offsets"_a)
      .def_ro("rows", &rows_on_cuda::rows)
      .def_ro("first", &rows_on_cuda::first)
      .def_ro("atoms", &rows_on_cuda::atoms)
      .def("set_entries", &rows_on_cuda::set_entries, "stream"_a, "cols"_a, "columns"_a, "values"_a)
      .def("set_reader", &rows_on_cuda::set_reader)
      .def("spmv", &rows_on_cuda::spmv, "stream"_a, "x"_a, "out"_a)
      .def("spmm", &rows_on_cuda::spmm, "stream"_a, "b"_a, "out"_a)
      .def("segment_reduce", &rows_on_cuda::segment_reduce, "stream"_a, "values"_a, "op"_a, "out"_a)
      .def("bfs", &rows_on_cuda::bfs, "stream"_a, "is_undirected"_a, "source"_a, "levels"_a, "parents"_a)
      .def("try_spmv", &rows_on_cuda::try_spmv, "x"_a, "out"_a.none())
      .def("segment_scan", &rows_on_cuda::segment_scan, "stream"_a, "values"_a, "is_inclusive"_a, "out"_a)
      .def("try_segment_scan", &rows_on_cuda::try_segment_scan, "values"_a, "is_inclusive"_a, "out"_a.none())
      .def("try_segment_reduce", &rows_on_cuda::try_segment_reduce, "values"_a, "op"_a, "out"_a.none());
  m.def(
      "cuda_reduce",
      [](int device, std::uintptr_t stream, const cuda_array& values, combine op, const cuda_array& out) {
        const cuda_place where{device, address_of(stream)};
        const input from = values.read();
        call(&cuda_functions::reduce, &where, &from, op, &out.array);
      },
      "device"_a, "stream"_a, "values"_a, "op"_a, "out"_a);
  m.def(
      "cuda_scan",
      [](int device, std::uintptr_t stream, const cuda_array& values, combine op, bool is_inclusive,
         const cuda_array& out) {
        const cuda_place where{device, address_of(stream)};
        const input from = values.read();
        call(&cuda_functions::scan, &where, &from, op, is_inclusive, &out.array);
      },
      "device"_a, "stream"_a, "values"_a, "op"_a, "is_inclusive"_a, "out"_a);
  m.def(
      "read_dlpack",
      [](const nb::ndarray<nb::ro, nb::device::cuda>& array) {
        nb::list shape, strides;
        for (std::size_t i = 0; i < array.ndim(); ++i) {
          shape.append(array.shape(i));
          strides.append(array.stride(i));
        }
        const nb::dlpack::dtype type = array.dtype();
        return nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), int{type.code}, int{type.bits},
                              nb::tuple(shape), nb::tuple(strides), array.device_id());
      },
      "capsule"_a);
}

} // namespace evenly::python
