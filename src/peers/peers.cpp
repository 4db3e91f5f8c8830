// SPDX-License-Identifier: Apache-2.0
#include "peers/peers.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include <dlfcn.h>

#include "evenly/core/errors.hpp"
#include "host/errors.hpp"
#include "measure/baselines_openmp.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::peers {

using measure::let_threads_sleep, measure::name_of, measure::prepared_run, measure::usage_error;

namespace {

const std::vector<known_peer>& known_peers() {
  using enum operation;
  constexpr auto cpu = executor_kind::cpu, cuda = executor_kind::cuda;
  static const std::vector<known_peer> all{
      {"eigen", "Eigen", cpu, {spmv, spmm, spgemm}, "libeigen3-dev"},
      {"even_split", "even split by hand", cpu, {spmv}, ""},
      {"cholmod", "CHOLMOD", cpu, {spmm, spgemm}, "libsuitesparse-dev"},
      {"graphblas", "GraphBLAS", cpu, {spmm}, "libgraphblas-dev"},
      {"boost_graph", "Boost.Graph", cpu, {bfs, sssp}, "libboost-graph-dev"},
      {"scipy", "SciPy", cpu, {spmv, spmm, spgemm, bfs, sssp}, "python3-scipy"},
      {"cusparse", "cuSPARSE", cuda, {spgemm}, "the CUDA toolkit"}};
  return all;
}

/// Runs `call` of a peer, with errors of evenly in place of those that the peer throws.
template <class Call> decltype(auto) guarded(const known_peer& about, const Call& call) {
  try {
    return call();
  } catch (const std::exception& e) {
    throw device_error(about.title + ": " + e.what());
  }
}

[[noreturn]] void refuse(const known_peer& about, const std::string& why) {
  throw device_error("--beside " + about.name + ": " + why +
                     (about.needs.empty() ? "" : ": install " + about.needs + ", and") +
                     (about.needs.empty() ? ": " : " ") + "build the target peers");
}

const peer& load(const known_peer& about) {
  const auto file =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "peers" / (about.name + ".so");
  if (!std::filesystem::exists(file)) refuse(about, "this peer is not built");
  void* const object = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) refuse(about, ::dlerror());
  void* const symbol = ::dlsym(object, "evenly_peer");
  if (symbol == nullptr) refuse(about, ::dlerror());
  return guarded(about, [&]() -> const peer& { return *reinterpret_cast<decltype(&evenly_peer)>(symbol)(); });
}

} // namespace

std::vector<std::string> peer_names(std::span<const operation> operations) {
  std::vector<std::string> names;
  for (const known_peer& each : known_peers())
    if (std::ranges::find_first_of(each.operations, operations) != each.operations.end())
      names.push_back(each.name);
  return names;
}

void require_operation(std::span<const std::string> names, operation of) {
  const std::vector<std::string> able = peer_names({&of, 1});
  for (const std::string& name : names)
    if (std::ranges::count(able, name) == 0)
      throw usage_error("--beside " + name + ": this peer does not have the operation; choose one of " +
                        measure::joined(able));
}

std::vector<loaded_peer> load_peers(std::span<const std::string> names,
                                    std::span<const executor_kind> executors) {
  std::vector<loaded_peer> all;
  for (const std::string& name : names) {
    const known_peer& about = *std::ranges::find(known_peers(), name, &known_peer::name);
    if (std::ranges::count(executors, about.executor) == 0)
      throw usage_error("--beside " + name + ": this peer runs on " + name_of(about.executor) +
                        ": add --on " + name_of(about.executor));
    all.push_back({&about, &load(about)});
  }
  return all;
}

std::vector<candidate> candidates_of(std::span<const loaded_peer> peers, executor_kind executor,
                                     const problem& of, int threads) {
  std::vector<candidate> all;
  for (const loaded_peer& each : peers) {
    const known_peer& about = *each.about;
    if (about.executor != executor) continue;
    if (const std::string why = each.code->refusal(of); !why.empty())
      throw usage_error("--beside " + about.name + ": " + why);
    candidate made{.name = about.name, .title = about.title, .afterwards = let_threads_sleep};
    made.prepare = [each, of, threads]() -> prepared_run {
      const known_peer& about = *each.about;
      const auto ready =
          std::make_shared<prepared_peer>(guarded(about, [&] { return each.code->prepare(of, threads); }));
      prepared_run run{[&about, ready] { guarded(about, ready->run); }};
      if (ready->store) run.store = [&about, ready] { guarded(about, ready->store); };
      return run;
    };
    all.push_back(std::move(made));
  }
  return all;
}

json::value versions_of(std::span<const loaded_peer> peers) {
  json::value versions = json::object();
  for (const loaded_peer& each : peers)
    if (const std::string version = each.code->version(); !version.empty())
      versions[each.about->title] = version;
  return versions;
}

} // namespace evenly::peers
