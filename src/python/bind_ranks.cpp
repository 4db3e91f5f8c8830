// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <functional>
#include <span>
#include <vector>

#include "evenly/distributed/communicator.hpp"
#include "python/bindings.hpp"
#include "python/ranked.hpp"
#include "ranks/ranked_matrix.hpp"
#include "ranks/worlds.hpp"

namespace evenly::python {

namespace {

using distributed::communicator, distributed::incoming, distributed::outgoing, distributed::rank_group;

constexpr int to_read = 0x100,
              to_write = 0x200; // PyBUF_READ and PyBUF_WRITE: Python 3.10's stable headers lack them

/// A rank whose messages an object of Python sends: exchange(purpose, [(to, bytes)], [(from, bytes to fill)]).
class called_communicator final : public communicator {
 public:
  called_communicator(const nb::object& connection, int rank, int size)
      : communicator(rank, size), connection_(connection) {}

  void exchange(const char* purpose, std::span<const outgoing> out, std::span<const incoming> in) override {
    const nb::gil_scoped_acquire lock;
    const auto view = [](const void* data, std::size_t bytes, int flags) {
      static char none;
      auto* const at = data == nullptr ? &none : const_cast<char*>(static_cast<const char*>(data));
      return nb::steal(PyMemoryView_FromMemory(at, static_cast<Py_ssize_t>(bytes), flags));
    };
    nb::list sent, received;
    for (const outgoing& each : out)
      sent.append(nb::make_tuple(each.to, view(each.data, each.bytes, to_read)));
    for (const incoming& each : in)
      received.append(nb::make_tuple(each.from, view(each.data, each.bytes, to_write)));
    connection_.attr("exchange")(purpose, sent, received);
  }

 private:
  const nb::object& connection_;
};

/// The group of an object with rank, size, exchange, and close, which ends the connection after a failure.
class called_ranks final : public rank_group {
 public:
  explicit called_ranks(nb::object connection)
      : connection_(std::move(connection)), rank_(nb::cast<int>(connection_.attr("rank"))),
        size_(nb::cast<int>(connection_.attr("size"))) {}
  ~called_ranks() override {
    const nb::gil_scoped_acquire lock;
    connection_.reset();
  }
  int size() const override { return size_; }
  int first() const override { return rank_; }
  int count() const override { return 1; }
  void run(const std::function<void(communicator&)>& body) override {
    try {
      called_communicator here(connection_, rank_, size_);
      body(here);
    } catch (const distributed::different_inputs&) {
      throw; // on every rank
    } catch (...) {
      const nb::gil_scoped_acquire lock;
      connection_.attr("close")();
      throw;
    }
  }

 private:
  nb::object connection_;
  int rank_, size_;
};

/// A world, and the lock under which one thread at a time uses its ranks.
struct locked_world {
  ranks::world of;
  std::shared_ptr<std::mutex> busy = std::make_shared<std::mutex>();
};

template <class T> nb::object to_numpy(std::vector<T> values) {
  const auto kept = std::make_shared<std::vector<T>>(std::move(values));
  return to_numpy(made_array{kept, kept->data(), static_cast<std::int64_t>(kept->size())}, element_of<T>);
}

struct locked_matrix {
  ranks::ranked_matrix of;
  std::shared_ptr<std::mutex> busy;

  /// Calls work(matrix) alone and without the interpreter's lock.
  template <class Work> auto run(const Work& work) {
    const running others_run;
    const std::scoped_lock lock(*busy);
    return work(of);
  }
};

template <class Make> locked_matrix make_matrix(const locked_world& world, const Make& make) {
  const running others_run;
  const std::scoped_lock lock(*world.busy);
  return {make(world.of), world.busy};
}

locked_world with_lock_released(const auto& make) {
  const running others_run;
  return {make()};
}

} // namespace

void bind_ranks(nb::module_& m) {
  m.def(
      "threads_as_ranks",
      [](int ranks, int threads) {
        return with_lock_released([&] { return ranks::threads_as_ranks(ranks, threads); });
      },
      "ranks"_a, "threads"_a);
  m.def(
      "processes_as_ranks",
      [](std::uint64_t comm, std::size_t bytes, int threads, const std::string& library) {
        return with_lock_released([&] {
          return ranks::processes_as_ranks(reinterpret_cast<const void*>(comm), bytes, threads, library);
        });
      },
      "comm"_a, "bytes"_a, "threads"_a, "library"_a);
  m.def(
      "connected_ranks",
      [](const nb::object& connection, int threads) {
        return locked_world{ranks::world(std::make_shared<called_ranks>(connection), {cpu(threads)})};
      },
      "connection"_a, "threads"_a);
  nb::class_<locked_world>(m, "ranks_world")
      .def_prop_ro("size", [](const locked_world& world) { return world.of.size(); })
      .def_prop_ro("first", [](const locked_world& world) { return world.of.first(); })
      .def(
          "distribute",
          [](const locked_world& world, const csr& a) {
            return make_matrix(world, [&](const ranks::world& of) { return distribute(of, a.arrays()); });
          },
          "a"_a)
      .def(
          "read",
          [](const locked_world& world, const std::string& path) {
            return make_matrix(world, [&](const ranks::world& of) {
              return ranks::ranked_matrix(of, std::filesystem::path(path));
            });
          },
          "path"_a);
  nb::class_<locked_matrix>(m, "ranked_matrix")
      .def_prop_ro("shape", [](const locked_matrix& a) { return std::pair(a.of.rows(), a.of.cols()); })
      .def_prop_ro("nnz", [](const locked_matrix& a) { return a.of.entries(); })
      .def_prop_ro("explanation", [](const locked_matrix& a) { return a.of.explain(); })
      .def(
          "multiply",
          [](locked_matrix& a, const read_array& x, int columns) {
            const std::span<const double> given = input_of("x", x).as<double>();
            return to_numpy(a.run(
                [&](auto& of) { return columns == 0 ? of.multiply(given) : of.multiply(given, columns); }));
          },
          "x"_a, "columns"_a)
      .def(
          "solve",
          [](locked_matrix& a, const read_array& b, const read_array& x0, double tolerance,
             int max_iterations) {
            const std::span<const double> right = input_of("b", b).as<double>();
            const std::span<const double> first = input_of("x0", x0).as<double>();
            std::vector<double> x(first.begin(), first.end());
            const solve_report found = a.run([&](auto& of) {
              return of.solve(right, x, {.tolerance = tolerance, .max_iterations = max_iterations});
            });
            return nb::make_tuple(to_numpy(std::move(x)), found.iterations, found.residual, found.converged(),
                                  found.converged() ? "" : to_string(found.end));
          },
          "b"_a, "x0"_a, "tolerance"_a, "max_iterations"_a)
      .def(
          "bfs",
          [](locked_matrix& a, std::int64_t source) {
            auto found = a.run([&](auto& of) {
              of.run_bfs(source);
              return of.bfs_result();
            });
            return nb::make_tuple(to_numpy(std::move(found.levels)), to_numpy(std::move(found.parents)));
          },
          "source"_a)
      .def(
          "sssp",
          [](locked_matrix& a, std::int64_t source) {
            return to_numpy(a.run([&](auto& of) {
              of.run_sssp(source);
              return of.numbers();
            }));
          },
          "source"_a)
      .def(
          "pagerank",
          [](locked_matrix& a, const read_array& out_degrees, double damping, double tolerance,
             std::int64_t max_iterations) {
            const std::span<const int> given = input_of("out_degrees", out_degrees).as<int>();
            const std::vector<int> degrees(given.begin(), given.end());
            std::vector<double> scores;
            const auto totals = a.run([&](auto& of) {
              const auto found = of.run_pagerank(
                  degrees, {.damping = damping, .tolerance = tolerance, .max_iterations = max_iterations});
              scores = of.numbers();
              return found;
            });
            return nb::make_tuple(to_numpy(std::move(scores)), totals.iterations, totals.error,
                                  totals.converged);
          },
          "out_degrees"_a, "damping"_a, "tolerance"_a, "max_iterations"_a)
      .def("connected_components", [](locked_matrix& a) {
        return to_numpy(a.run([](auto& of) {
          of.run_connected_components();
          return of.labels();
        }));
      });
}

} // namespace evenly::python
