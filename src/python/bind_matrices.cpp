// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/graph_operations.hpp"

namespace evenly::python {

namespace {

/// The view of a vector of `size` elements of `type`; nothing if it is anything else.
template <class Data, class Array>
std::optional<basic_array<Data>> vector_of(nb::handle object, const char* name, element type, int size) {
  Array array;
  if (!nb::try_cast(object, array, false) || array.ndim() != 1 || array.dtype() != dtype_of(type)) return {};
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(array.data()) % array.itemsize() == 0;
  if (array.shape(0) != static_cast<std::size_t>(size) || (size > 1 && array.stride(0) != 1) || !is_aligned)
    return {};
  return basic_array<Data>{name, array.data(), type, size};
}

/// out = A x by the automatic schedule if both are vectors of the matrix's type; else false, and nothing is done.
bool try_spmv(csr& a, nb::handle x, nb::handle out) {
  const element type = a.arrays().values.type;
  const auto from = vector_of<const void, read_array>(x, "x", type, a.arrays().cols);
  if (!from) return false;
  const auto to = vector_of<void, written_array>(out, "out", type, a.arrays().rows);
  if (!to) return false;
  with_plan(a, "automatic", "cpu", work_kind::gathered_sums,
            [&](kept_plan& plan) { spmv(plan, a.arrays(), *from, *to); });
  return true;
}

/// make() without the GIL, as arrays of NumPy with values of the type of `a`.
template <class Make> auto sparse_result(const csr& a, const Make& make) {
  made_matrix made;
  {
    const running others_run;
    made = make();
  }
  return to_numpy(made, a.arrays().values.type);
}

score_operands scores_of(const read_array& rows, const read_array& columns, bool are_dots, double factor) {
  return {dense_view_of<const void>("rows", rows), dense_view_of<const void>("columns", columns), are_dots,
          factor};
}

} // namespace

void bind_matrices(nb::module_& m) {
  nb::class_<csr>(m, "csr")
      .def(nb::init<std::int64_t, std::int64_t, read_array, read_array, read_array, bool>(), "rows"_a,
           "cols"_a, "indptr"_a, "indices"_a, "data"_a, "is_checked"_a)
      .def("try_spmv", &try_spmv, "x"_a, "out"_a)
      .def(
          "spmv",
          [](csr& a, const read_array& x, const written_array& y, const std::string& schedule,
             const std::string& on) {
            const auto from = input_of("x", x);
            const auto to = output_of("out", y);
            with_plan(a, schedule, on, work_kind::gathered_sums,
                      [&](kept_plan& plan) { spmv(plan, a.arrays(), from, to); });
          },
          "x"_a, "out"_a, "schedule"_a, "on"_a)
      .def(
          "spmm",
          [](csr& a, const read_array& b, const written_array& c, const std::string& schedule,
             const std::string& on) {
            const auto from = dense_view_of<const void>("B", b);
            const auto to = dense_view_of<void>("out", c);
            with_plan(a, schedule, on, work_kind::wide_sums,
                      [&](kept_plan& plan) { spmm(plan, a.arrays(), from, to); });
          },
          "b"_a, "out"_a, "schedule"_a, "on"_a)
      .def(
          "sddmm",
          [](const csr& a, const read_array& x, const read_array& y, const written_array& out, double alpha,
             double beta) {
            const auto of_x = dense_view_of<const void>("X", x), of_y = dense_view_of<const void>("Y", y);
            const auto to = output_of("out", out);
            const running others_run;
            sddmm(a.arrays(), of_x, of_y, to, alpha, beta);
          },
          "x"_a, "y"_a, "out"_a, "alpha"_a, "beta"_a)
      .def(
          "attention",
          [](csr& a, const read_array& rows, const read_array& columns, const read_array& v, int heads,
             bool are_dots, double factor, const written_array& out, const written_array& log_sums) {
            const score_operands scores = scores_of(rows, columns, are_dots, factor);
            const auto of_v = dense_view_of<const void>("values", v);
            const auto to = dense_view_of<void>("out", out),
                       to_sums = dense_view_of<void>("log_sums", log_sums);
            const running others_run;
            a.attention().forward(scores, of_v, heads, to, to_sums);
          },
          "rows"_a, "columns"_a, "values"_a, "heads"_a, "are_dots"_a, "factor"_a, "out"_a, "log_sums"_a)
      .def(
          "attention_gradients",
          [](csr& a, const read_array& rows, const read_array& columns, const read_array& v, int heads,
             bool are_dots, double factor, const read_array& out, const read_array& log_sums,
             const read_array& grad, const written_array& grad_rows, const written_array& grad_columns,
             const written_array& grad_values) {
            const score_operands scores = scores_of(rows, columns, are_dots, factor);
            const auto of_v = dense_view_of<const void>("values", v);
            const auto of_out = dense_view_of<const void>("out", out);
            const auto sums = dense_view_of<const void>("log_sums", log_sums);
            const auto of_grad = dense_view_of<const void>("grad", grad);
            const auto to_rows = dense_view_of<void>("grad_rows", grad_rows);
            const auto to_columns = dense_view_of<void>("grad_columns", grad_columns);
            const auto to_values = dense_view_of<void>("grad_values", grad_values);
            const running others_run;
            a.attention().backward(scores, of_v, heads, of_out, sums, of_grad, to_rows, to_columns,
                                   to_values);
          },
          "rows"_a, "columns"_a, "values"_a, "heads"_a, "are_dots"_a, "factor"_a, "out"_a, "log_sums"_a,
          "grad"_a, "grad_rows"_a, "grad_columns"_a, "grad_values"_a)
      .def("spgemm",
           [](const csr& a, const csr& b) {
             return sparse_result(a, [&] { return spgemm(a.arrays(), b.arrays()); });
           })
      .def("add", [](const csr& a,
                     const csr& b) { return sparse_result(a, [&] { return add(a.arrays(), b.arrays()); }); })
      .def("transpose", [](const csr& a) { return sparse_result(a, [&] { return transpose(a.arrays()); }); })
      .def("plan",
           [](csr& a, const std::string& schedule, const std::string& on) {
             return describe_plan(a, schedule, on, work_kind::gathered_sums);
           })
      .def(
          "bfs",
          [](const csr& a, const csr* transposed, bool is_undirected, int source, bool any_parent,
             const written_array& levels, const written_array& parents, const std::string& schedule,
             const std::string& on) {
            const auto to_levels = output_of("levels", levels), to_parents = output_of("parents", parents);
            const place where = make_place(schedule, on);
            const running others_run;
            if (where.is_default())
              bfs(a.arrays(), {transposed == nullptr ? nullptr : &transposed->arrays(), is_undirected},
                  source, any_parent, to_levels, to_parents);
            else
              bfs_under(where, a.arrays(), source, to_levels, to_parents);
          },
          "transposed"_a.none(), "is_undirected"_a, "source"_a, "any_parent"_a, "levels"_a, "parents"_a,
          "schedule"_a, "on"_a)
      .def(
          "sssp",
          [](const csr& a, int source, const written_array& distances, const written_array& parents,
             const std::string& schedule, const std::string& on) {
            const auto to_distances = output_of("distances", distances),
                       to_parents = output_of("parents", parents);
            const place where = make_place(schedule, on);
            const running others_run;
            if (where.is_default())
              sssp(a.arrays(), source, to_distances, to_parents);
            else
              sssp_under(where, a.arrays(), source, to_distances, to_parents);
          },
          "source"_a, "distances"_a, "parents"_a, "schedule"_a, "on"_a);
}

} // namespace evenly::python
