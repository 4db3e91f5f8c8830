// SPDX-License-Identifier: Apache-2.0
// Solvers on a GPU, beside cuSPARSE's triangular solves and a loop of cuSPARSE and cuBLAS.
//
//   bench_solvers_gpu [--json FILE] [--types all|double] [WORKLOAD ...]
//
// A workload is `cg:SIDE` (a five-point Laplacian of SIDE x SIDE points), `stencil:SCALE` (the 27-point stencil band27
// of that scale, 26 on the diagonal, -1 beside it), or a file or generator, of whose positions the lower triangle is
// taken, with small values and a dominant diagonal. Default: a set of both.
//
// Triangular solves, on float and double:
//   planned, planned with N warps    triangular_plan; the same with one, two or all blocks of a multiprocessor
//   without analysis                 what solve_triangular starts, without its allocations
//   solve_triangular                 the call
//   plan, cuSPARSE analysis          what comes before the solves
//   cuSPARSE                         cusparseSpSV_solve after its analysis
// Conjugate gradients, in double, to a relative residual of 1e-8: cg_solver with each preconditioner, and two loops of
// cusparseSpMV and cuBLAS. `host` reads each inner product, as in NVIDIA's sample; `device` leaves them on the device
// and reads the residual after every 10th iteration.
//
// Solutions are checked by their residuals on the host, after the first run.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cublas_v2.h>
#include <cusparse.h>

#include "arguments.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/solve_cg.hpp"
#include "evenly/sparse/solve_triangular.hpp"
#include "io/input.hpp"
#include "measure/device_timer.hpp"
#include "measure/measure.hpp"
#include "measure/report.hpp"

namespace evenly::bench {
namespace {

using namespace measure;

constexpr double tolerance = 1e-8;
constexpr int max_iterations = 20'000;

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw device_error(std::string("cuSPARSE: ") + cusparseGetErrorString(status));
}
void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw device_error(std::string("cuBLAS: ") + cublasGetStatusString(status));
}

/// A system on the host and on the device.
template <class Value> struct system {
  system(const cuda& exec, csr_matrix<Value> matrix)
      : on_host(std::move(matrix)), offsets(to_executor(exec, on_host.offsets)),
        columns(to_executor(exec, on_host.columns)), values(to_executor(exec, on_host.values)),
        right(static_cast<std::size_t>(on_host.rows), Value{1}), b(to_executor(exec, right)),
        x(make_buffer<Value>(exec, right.size())) {}

  csr_view<Value> a() const {
    return {on_host.rows, on_host.rows, offsets.data(), columns.data(), values.data()};
  }
  /// |b - A x| / |b|
  double residual(const cuda& exec) const {
    const std::vector<Value> found = to_host(exec, x);
    double squared = 0, of_right = 0;
    for (std::size_t r = 0; r < right.size(); ++r) {
      double difference = right[r];
      of_right += difference * difference;
      for (int e = on_host.offsets[r]; e < on_host.offsets[r + 1]; ++e)
        difference -= static_cast<double>(on_host.values[e]) * static_cast<double>(found[on_host.columns[e]]);
      squared += difference * difference;
    }
    return std::sqrt(squared / of_right);
  }

  csr_matrix<Value> on_host;
  buffer<int> offsets, columns;
  buffer<Value> values;
  std::vector<Value> right;
  buffer<Value> b, x;
};

/// The lower triangle of the positions, with values of at most 1 / (entries + 1) and ones on the diagonal.
template <class Value> csr_matrix<Value> lower_triangle(const csr_matrix<double>& of) {
  csr_matrix<Value> made;
  made.rows = made.cols = std::min(of.rows, of.cols);
  made.offsets = {0};
  for (int r = 0; r < made.rows; ++r) {
    const int begin = of.offsets[r], end = of.offsets[r + 1];
    std::vector<int> columns(of.columns.begin() + begin, of.columns.begin() + end);
    std::erase_if(columns, [&](int c) { return c >= r; });
    std::ranges::sort(columns);
    for (const int c : columns) {
      made.columns.push_back(c);
      made.values.push_back(static_cast<Value>(1 + (r + c) % 7) /
                            static_cast<Value>(8 * (columns.size() + 1)));
    }
    made.columns.push_back(r);
    made.values.push_back(1);
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

/// The positions with -1, and one more than the entries of most rows on the diagonal: symmetric, if the positions are.
csr_matrix<double> stencil(const csr_matrix<double>& of, double diagonal) {
  csr_matrix<double> made;
  made.rows = made.cols = of.rows;
  made.offsets = {0};
  for (int r = 0; r < of.rows; ++r) {
    std::vector<int> columns(of.columns.begin() + of.offsets[r], of.columns.begin() + of.offsets[r + 1]);
    if (std::ranges::find(columns, r) == columns.end()) columns.push_back(r);
    std::ranges::sort(columns);
    for (const int c : columns) {
      made.columns.push_back(c);
      made.values.push_back(c == r ? diagonal : -1);
    }
    made.offsets.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

template <class Value>
constexpr cudaDataType type_of = std::is_same_v<Value, float> ? CUDA_R_32F : CUDA_R_64F;

/// cuSPARSE's view of a system. Never destroyed: the program ends soon.
template <class Value> struct vendor {
  explicit vendor(const system<Value>& of) {
    check(cusparseCreate(&handle));
    const csr_view<Value> a = of.a();
    check(cusparseCreateCsr(&matrix, a.rows, a.cols, of.on_host.atoms(), const_cast<int*>(a.offsets),
                            const_cast<int*>(a.columns), const_cast<Value*>(a.values), CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_of<Value>));
  }
  cusparseDnVecDescr_t vector(Value* data, int size) const {
    cusparseDnVecDescr_t made;
    check(cusparseCreateDnVec(&made, size, data, type_of<Value>));
    return made;
  }

  cusparseHandle_t handle;
  cusparseSpMatDescr_t matrix;
};

/// cusparseSpSV of the lower triangle.
template <class Value> class vendor_triangle {
 public:
  vendor_triangle(const cuda& exec, system<Value>& of)
      : on_(of), b_(on_.vector(of.b.data(), of.on_host.rows)), x_(on_.vector(of.x.data(), of.on_host.rows)) {
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(on_.matrix, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof(fill)));
    check(cusparseSpMatSetAttribute(on_.matrix, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof(diagonal)));
    std::size_t bytes = 0;
    check(cusparseSpSV_createDescr(&description_));
    check(cusparseSpSV_bufferSize(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, on_.matrix, b_, x_,
                                  type_of<Value>, CUSPARSE_SPSV_ALG_DEFAULT, description_, &bytes));
    workspace_ = make_buffer<std::byte>(exec, std::max<std::size_t>(bytes, 1));
    analyse();
  }
  /// Of a new description, as for a new matrix.
  void analyse() {
    check(cusparseSpSV_destroyDescr(description_));
    check(cusparseSpSV_createDescr(&description_));
    check(cusparseSpSV_analysis(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, on_.matrix, b_, x_,
                                type_of<Value>, CUSPARSE_SPSV_ALG_DEFAULT, description_, workspace_.data()));
  }
  void solve() {
    check(cusparseSpSV_solve(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, on_.matrix, b_, x_,
                             type_of<Value>, CUSPARSE_SPSV_ALG_DEFAULT, description_));
  }

 private:
  vendor<Value> on_;
  cusparseDnVecDescr_t b_, x_;
  cusparseSpSVDescr_t description_;
  buffer<std::byte> workspace_;
  Value one_ = 1;
};

__global__ void set_alpha(double* s) { // s: r'r, p'q, alpha, -alpha, beta, r'r of the last iteration
  s[2] = s[0] / s[1];
  s[3] = -s[2];
  s[5] = s[0];
}
__global__ void set_beta(double* s) { s[4] = s[0] / s[5]; }

/// Conjugate gradients of vendor calls.
class vendor_cg {
 public:
  vendor_cg(const cuda& exec, system<double>& of)
      : exec_(exec), of_(of), on_(of), n_(of.on_host.rows), r_(make_buffer<double>(exec, of.right.size())),
        p_(make_buffer<double>(exec, of.right.size())), q_(make_buffer<double>(exec, of.right.size())),
        scalars_(make_buffer<double>(exec, 8)), in_(on_.vector(p_.data(), n_)),
        out_(on_.vector(q_.data(), n_)) {
    check(cublasCreate(&blas_));
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, on_.matrix, in_,
                                  &zero_, out_, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, &bytes));
    workspace_ = make_buffer<std::byte>(exec, std::max<std::size_t>(bytes, 1));
    check(cusparseSpMV_preprocess(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, on_.matrix, in_,
                                  &zero_, out_, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, workspace_.data()));
  }

  /// x = 0 at the beginning. Returns the iterations.
  int solve(bool on_device) {
    begin();
    return on_device ? on_device_scalars() : on_host_scalars();
  }

 private:
  void begin() {
    exec_.fill_zero(of_.x.data(), sizeof(double) * of_.right.size());
    for (double* to : {r_.data(), p_.data()}) check(cublasDcopy(blas_, n_, of_.b.data(), 1, to, 1));
  }
  void multiply() {
    check(cusparseSpMV(on_.handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, on_.matrix, in_, &zero_, out_,
                       CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG1, workspace_.data()));
  }
  int on_host_scalars() {
    check(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_HOST));
    double rho = 0, next = 0, curvature = 0;
    check(cublasDdot(blas_, n_, r_.data(), 1, r_.data(), 1, &rho));
    const double enough = tolerance * tolerance * rho; // r = b at first
    int done = 0;
    for (; done < max_iterations && rho > enough; ++done) {
      multiply();
      check(cublasDdot(blas_, n_, p_.data(), 1, q_.data(), 1, &curvature));
      const double alpha = rho / curvature, minus = -alpha;
      check(cublasDaxpy(blas_, n_, &alpha, p_.data(), 1, of_.x.data(), 1));
      check(cublasDaxpy(blas_, n_, &minus, q_.data(), 1, r_.data(), 1));
      check(cublasDdot(blas_, n_, r_.data(), 1, r_.data(), 1, &next));
      const double beta = next / rho;
      check(cublasDscal(blas_, n_, &beta, p_.data(), 1));
      check(cublasDaxpy(blas_, n_, &one_, r_.data(), 1, p_.data(), 1));
      rho = next;
    }
    return done;
  }
  int on_device_scalars() {
    check(cublasSetPointerMode(blas_, CUBLAS_POINTER_MODE_DEVICE));
    double* const s = scalars_.data();
    const double one = 1;
    exec_.copy_from_host(s + 6, &one, sizeof(one));
    check(cublasDdot(blas_, n_, r_.data(), 1, r_.data(), 1, s));
    double rho = 0, enough = 0;
    exec_.copy_to_host(&rho, s, sizeof(rho));
    enough = tolerance * tolerance * rho;
    int done = 0;
    while (done < max_iterations && rho > enough) {
      multiply();
      check(cublasDdot(blas_, n_, p_.data(), 1, q_.data(), 1, s + 1));
      set_alpha<<<1, 1>>>(s);
      check(cublasDaxpy(blas_, n_, s + 2, p_.data(), 1, of_.x.data(), 1));
      check(cublasDaxpy(blas_, n_, s + 3, q_.data(), 1, r_.data(), 1));
      check(cublasDdot(blas_, n_, r_.data(), 1, r_.data(), 1, s));
      set_beta<<<1, 1>>>(s);
      check(cublasDscal(blas_, n_, s + 4, p_.data(), 1));
      check(cublasDaxpy(blas_, n_, s + 6, r_.data(), 1, p_.data(), 1));
      if (++done % 10 == 0) exec_.copy_to_host(&rho, s, sizeof(rho));
    }
    return done;
  }

  const cuda& exec_;
  system<double>& of_;
  vendor<double> on_;
  int n_;
  buffer<double> r_, p_, q_, scalars_;
  buffer<std::byte> workspace_;
  cusparseDnVecDescr_t in_, out_;
  cublasHandle_t blas_;
  double one_ = 1, zero_ = 0;
};

/// The candidates of one system, and what they say besides their times.
template <class Value> class measured_system {
 public:
  measured_system(const cuda& exec, std::string name, csr_matrix<Value> matrix)
      : exec_(exec), name_(std::move(name)), of_(exec, std::move(matrix)) {}

  void measure_triangle(report& lines) {
    using solver = detail::triangular_solver<cuda, Value, int>;
    const auto solves = [&](const std::string& name, detail::sweep_analysis how, int blocks) {
      add(name, [this, how, blocks] {
        const auto made = std::make_shared<solver>(exec_, of_.a(), triangular_options{}, how);
        if (blocks > 0) made->limit_blocks(blocks * exec_.multiprocessors());
        levels_ = std::max(levels_, made->levels());
        return [this, made] { made->solve(right(), solution(), false); };
      });
    };
    solves("evenly, planned", detail::sweep_analysis::levels, 0);
    for (const int blocks : {1, 2, 8})
      solves("evenly, planned, " + std::to_string(8 * blocks) + " warps", detail::sweep_analysis::levels,
             blocks);
    solves("evenly, without analysis", detail::sweep_analysis::none, 0);
    for (const int blocks : {1, 2})
      solves("evenly, without analysis, " + std::to_string(8 * blocks) + " warps",
             detail::sweep_analysis::none, blocks);
    add("evenly, solve_triangular",
        [this] { return [this] { solve_triangular(exec_, of_.a(), of_.b.span(), of_.x.span()); }; });
    add("evenly, plan", [this] {
      return [this] { triangular_plan<cuda, Value>(exec_, of_.a()).solve(of_.b.span(), of_.x.span()); };
    });
    const auto by_vendor = [&](const std::string& name, bool analyses) {
      add(name, [this, analyses] {
        const auto made = std::make_shared<vendor_triangle<Value>>(exec_, of_);
        return [made, analyses] {
          if (analyses) made->analyse();
          made->solve();
        };
      });
    };
    by_vendor("cuSPARSE", false);
    by_vendor("cuSPARSE, analysis and solve", true);
    run(lines, "trsv", std::is_same_v<Value, float> ? 1e-4 : 1e-12);
  }

  void measure_cg(report& lines) {
    const auto ours = [&](const std::string& name, preconditioner_kind kind) {
      add(name, [this, kind] {
        const auto made = std::make_shared<cg_solver<cuda, double>>(
            exec_, of_.a(), iterative_options{tolerance, max_iterations, kind});
        return [this, made] {
          exec_.fill_zero(of_.x.data(), of_.x.size() * sizeof(Value));
          iterations_ = made->solve(of_.b.span(), of_.x.span()).iterations;
        };
      });
    };
    ours("evenly, cg", preconditioner_kind::none);
    ours("evenly, cg with Jacobi", preconditioner_kind::jacobi);
    if (of_.on_host.rows <= 200'000) ours("evenly, cg with IC(0)", preconditioner_kind::ic0);
    for (const bool on_device : {false, true})
      add(on_device ? "cuSPARSE and cuBLAS, device" : "cuSPARSE and cuBLAS, host", [this, on_device] {
        const auto made = std::make_shared<vendor_cg>(exec_, of_);
        return [this, made, on_device] { iterations_ = made->solve(on_device); };
      });
    run(lines, "cg", 10 * tolerance);
  }

 private:
  dense_view<const Value> right() const {
    return dense_columns(of_.on_host.rows, 1, std::as_const(of_.b).data());
  }
  dense_view<Value> solution() { return dense_columns(of_.on_host.rows, 1, of_.x.data()); }

  template <class Make> void add(const std::string& name, const Make& make) {
    candidate made{.name = name, .title = name};
    made.prepare = [make]() -> prepared_run { return {.run = make()}; };
    made.first_error = [this, at = all_.size()]() -> std::optional<std::string> {
      iterations_of_[at] = iterations_;
      const double found = of_.residual(exec_);
      if (found <= allowed_) return std::nullopt;
      return "the relative residual is " + std::to_string(found);
    };
    all_.push_back(std::move(made));
    iterations_of_.push_back(0);
  }

  void run(report& lines, const std::string& op, double allowed) {
    allowed_ = allowed;
    measure::bench on{std::make_unique<device_timer>(false, exec_.stream()),
                      std::make_shared<unchecked_output>([this] {
                        EVENLY_CUDA_CHECK(cudaMemsetAsync(of_.x.data(), 0xFF, of_.x.size() * sizeof(Value),
                                                          exec_.stream()));
                      }),
                      {}};
    const char* const type = std::is_same_v<Value, float> ? "float" : "double";
    const auto measured =
        measure_in_turns(on, all_, {.min_rounds = 5, .max_rounds = 15, .time_budget_ms = 60, .warmup_ms = 2});
    std::printf("%s, %s, %s: %d rows, %d entries, %d levels\n", name_.c_str(), op.c_str(), type,
                of_.on_host.rows, of_.on_host.atoms(), levels_);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const measurement& m = measured[i];
      if (m.error)
        std::printf("  %-38s FAILED: %s\n", m.what.name.c_str(), m.error->c_str());
      else if (iterations_of_[i] > 0)
        std::printf("  %-38s %10.4f ms, %d iterations, %.2f us each\n", m.what.name.c_str(), m.time.median,
                    iterations_of_[i], 1000 * m.time.median / iterations_of_[i]);
      else
        std::printf("  %-38s %10.4f ms\n", m.what.name.c_str(), m.time.median);
      lines.add({{"workload", name_},
                 {"op", op},
                 {"executor", "cuda"},
                 {"name", m.what.name},
                 {"type", type},
                 {"rows", of_.on_host.rows},
                 {"atoms", of_.on_host.atoms()},
                 {"levels", levels_},
                 {"iterations", iterations_of_[i]}},
                m);
    }
    std::fflush(stdout);
  }

  const cuda& exec_;
  std::string name_;
  system<Value> of_;
  std::vector<candidate> all_;
  std::vector<int> iterations_of_;
  int iterations_ = 0, levels_ = 0;
  double allowed_ = 0;
};

void measure_all(const arguments& args, report& lines) {
  std::vector<std::string> workloads = args.words;
  if (workloads.empty())
    workloads = {"grid:x=40,y=40,z=40",
                 "grid:x=300,y=300",
                 "web-NotreDame",
                 "as-Skitter",
                 "regular8",
                 "rmat:scale=16,edges=16",
                 "band27:scale=0.2",
                 "banded:rows=20000,width=1",
                 "cg:100",
                 "cg:300",
                 "cg:1000",
                 "cg:2000",
                 "stencil:0.05",
                 "stencil:0.5"};
  const cuda exec;
  for (const std::string& workload : workloads) {
    if (workload.starts_with("cg:")) {
      const std::string side = workload.substr(3);
      const auto loaded = io::load_input("grid:x=" + side + ",y=" + side);
      measured_system<double>(exec, "poisson " + side, stencil(loaded.matrix, 4)).measure_cg(lines);
    } else if (workload.starts_with("stencil:")) {
      const auto loaded = io::load_input("band27:scale=" + workload.substr(8));
      measured_system<double>(exec, workload, stencil(loaded.matrix, 26)).measure_cg(lines);
    } else {
      const auto loaded = io::load_input(workload);
      measured_system<double>(exec, loaded.name, lower_triangle<double>(loaded.matrix))
          .measure_triangle(lines);
      if (args.options.at("--types") == "all")
        measured_system<float>(exec, loaded.name, lower_triangle<float>(loaded.matrix))
            .measure_triangle(lines);
    }
  }
}

} // namespace
} // namespace evenly::bench

int main(int argc, char** argv) {
  return evenly::bench::run_main(argc, argv,
                                 {.program = "bench_solvers_gpu",
                                  .measure = evenly::bench::measure_all,
                                  .on_gpu = true,
                                  .options = {{"--types", "all"}}});
}
