// SPDX-License-Identifier: Apache-2.0
// from_mpi: the processes of an MPI communicator as the ranks of a world. MPI itself is in a shared object,
// libevenly_mpi.so, which from_mpi loads: programs link no MPI.
//
//   auto world = evenly::distributed::from_mpi();                 // all processes of mpirun; initialises MPI
//   auto world = evenly::distributed::from_mpi(MPI_COMM_WORLD);   // of a program that initialises MPI itself
//
// The object is searched for in this order: the file that the environment variable EVENLY_MPI_LIBRARY names, or that
// mpi_options names; lib/evenly in the program's folder and the two above it; the loader's paths. It is built where
// CMake finds MPI, and must come from the same release as the headers.
//
// If a rank throws, it prints a line that names it and ends all processes (MPI_Abort). A rank that waits longer than
// options.wait_seconds does the same, and names the ranks that it waits for.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/world.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/executor.hpp"

namespace evenly::distributed {

/// Options of from_mpi.
struct mpi_options {
  double wait_seconds = 600; ///< how long a rank waits for another
  std::size_t max_message = std::size_t{1}
                            << 30; ///< longer messages go in pieces of so many bytes; at most 2^31 - 1
  std::string library; ///< the path of libevenly_mpi.so; empty: it is searched for. The first call loads it
};

namespace detail {

/// Changes whenever the classes that cross the border of the shared object do.
inline constexpr int mpi_interface = 2;

/// Makes the ranks. `comm`: the MPI_Comm, of `bytes` bytes; null: all processes. `on_host`: gets the number of ranks on
/// this machine.
using mpi_entry = rank_group*(const void* comm, std::size_t bytes, const mpi_options& options, int* on_host);

/// Returns the function of the shared object, which stays loaded. `library`: its path, unless it is empty.
inline mpi_entry* load_mpi(const std::string& library) {
  static mpi_entry* const loaded = [&] {
    std::vector<std::string> files;
    if (const char* const given = std::getenv("EVENLY_MPI_LIBRARY"); given != nullptr && *given != '\0') {
      files.emplace_back(given);
    } else if (!library.empty()) {
      files.push_back(library);
    } else {
      std::error_code none;
      std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
      for (int up = 0; up < 3; ++up, folder = folder.parent_path()) {
        const auto file = folder / "lib/evenly/libevenly_mpi.so";
        if (std::filesystem::exists(file, none)) files.push_back(file.string());
      }
      files.emplace_back("libevenly_mpi.so");
    }
    // Global: the plug-ins of Open MPI use its symbols.
    void* const object = ::dlopen(files.front().c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (object == nullptr)
      throw device_error(
          evenly::detail::concat("no ranks under MPI: ", ::dlerror(),
                                 ": build evenly where CMake finds MPI (Debian: libopenmpi-dev), or set "
                                 "EVENLY_MPI_LIBRARY to libevenly_mpi.so"));
    const auto* const version = static_cast<const int*>(::dlsym(object, "evenly_mpi_interface"));
    if (version == nullptr || *version != mpi_interface)
      throw device_error(evenly::detail::concat(files.front(),
                                                ": belongs to another release of evenly: use the one "
                                                "built with these headers"));
    return reinterpret_cast<mpi_entry*>(::dlsym(object, "evenly_mpi_ranks"));
  }();
  return loaded;
}

template <executor Executor>
world<Executor> mpi_world(const void* comm, std::size_t bytes, const Executor* exec,
                          const mpi_options& options) {
  require(options.max_message >= 1 && options.max_message < (std::size_t{1} << 31), [&] {
    return evenly::detail::concat("max_message = ", options.max_message, ": must be from 1 to 2147483647");
  });
  int on_host = 1;
  std::shared_ptr<rank_group> ranks(load_mpi(options.library)(comm, bytes, options, &on_host));
  if constexpr (std::is_same_v<Executor, cpu>) {
    if (exec == nullptr) {
      const int available = cpu().threads();
      const bool is_bound = available < static_cast<int>(std::thread::hardware_concurrency());
      return {std::move(ranks), {cpu(is_bound ? available : larger(available / on_host, 1))}};
    }
  }
  return {std::move(ranks), {*exec}};
}

} // namespace detail

/// All processes of mpirun as ranks. Initialises MPI if the program has not, and finalizes it at the program's end. By
/// default a rank has the cores that it is bound to, or an equal part of the machine's.
///
/// - Errors: device_error if the shared object cannot be loaded.
inline world<cpu> from_mpi(const mpi_options& options = {}) {
  return detail::mpi_world<cpu>(nullptr, 0, nullptr, options);
}
/// The processes of an MPI_Comm, which is duplicated. Collective.
template <class Comm>
requires(!std::is_same_v<Comm, mpi_options> && std::is_trivially_copyable_v<Comm> && !executor<Comm>)
world<cpu> from_mpi(const Comm& comm, const mpi_options& options = {}) {
  return detail::mpi_world<cpu>(&comm, sizeof(Comm), nullptr, options);
}
/// The same with an executor for the rank of this process.
template <class Comm, executor Executor>
requires std::is_trivially_copyable_v<Comm>
world<Executor> from_mpi(const Comm& comm, const Executor& exec, const mpi_options& options = {}) {
  return detail::mpi_world<Executor>(&comm, sizeof(Comm), &exec, options);
}

} // namespace evenly::distributed
